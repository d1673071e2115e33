//! GNU Wget: one call for every download, at its time.
//!
//! A call fetches the page and what it needs to be shown (`--page-requisites`), all within the slot of the page; nothing but the
//! WARC is kept (`--delete-after`). A list with `--wait` would drift, because wget waits *after* each fetch, and
//! `--output-document` would leave the requisites out. A revisit is compared with the visit of its page (`--warc-dedup`), so what
//! did not change becomes a revisit record. The WARCs of single calls are members of a gzip stream, so they are joined by
//! appending: one file of visits and one of revisits for every lane. If a page takes longer than Δ, the next one begins late and
//! those after it are on time again; `lane-NNN.times.tsv` has planned and actual seconds.

use super::super::model::Schedule;
use super::{File, timed};

const ABOUT: &str = "\
# Crawls this schedule with GNU Wget; the WARC files appear beside this script.
# More options for wget, such as --user-agent=…, can be given as arguments.";

const FETCH: &str = r#"    part=parts/$lane-$page-$kind
    set -- "$@" --no-config --no-verbose --append-output="$lane-$kind.log" --tries=1 --timeout=60 \
        --page-requisites --span-hosts --no-directories --directory-prefix="parts/$lane" --delete-after \
        --warc-file="$part" --warc-cdx
    if [ "$kind" = revisit ] && [ -s "parts/$lane-$page-visit.cdx" ]; then
        set -- "$@" --warc-dedup="parts/$lane-$page-visit.cdx"
    fi
    wget "$@" -- "$url" || true
    cat "$part.warc.gz" >>"$lane-$kind.warc.gz"
    rm -f "$part.warc.gz""#;

pub(super) fn files(schedule: &Schedule) -> Vec<File> {
    timed::files(schedule, ABOUT, FETCH)
}
