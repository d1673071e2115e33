//! GNU Wget: a URL list for the visits of every lane, one for its revisits, and a script that runs them.
//!
//! Wget fetches a list strictly in its order, `--wait` seconds apart. Lanes run at the same time, each in the background. The
//! revisits are compared with the visits (`--warc-dedup`), so a page that did not change becomes a revisit record. No URL is ever
//! part of the script: it names only files whose names are numbers.

use std::fmt::Write;

use super::super::model::{Kind, Schedule, SiteSchedule};
use super::{File, downloads, numbered};

pub(super) fn files(schedule: &Schedule) -> Vec<File> {
    let mut files = Vec::new();
    let mut lanes = String::new();
    let start = schedule.sites.iter().filter_map(|site| site.start).min();
    for (lane, site) in numbered(schedule) {
        let mut list = |kind: Kind| {
            let urls: String = downloads(site, kind).map(|(_, url)| url + "\n").collect();
            let any = !urls.is_empty();
            if any {
                files.push(File::new(format!("{lane}-{}.txt", kind.name()), urls));
            }
            any
        };
        let (visits, revisits) = (list(Kind::Visit), list(Kind::Revisit));
        if visits {
            // Writing to a string cannot fail.
            let _ = writeln!(
                lanes,
                "lane {lane} {begin} {delay} {revisits} &",
                begin = site.slots.first().map_or(0.0, |slot| slot.seconds) as u64,
                delay = wait(site),
                revisits = if revisits { "revisit" } else { "once" },
            );
        }
    }
    files.push(File::script("crawl.sh", script(start.map(|start| start.0.div_euclid(1_000_000)), &lanes)));
    files
}

/// Δ as a plain decimal number.
fn wait(site: &SiteSchedule) -> String {
    format!("{:.3}", site.delay_seconds)
}

fn script(start: Option<i64>, lanes: &str) -> String {
    let start = start.map_or("$(date +%s)".to_owned(), |start| start.to_string());
    format!(
        r#"#!/bin/sh
# Crawls this schedule with GNU Wget; the WARC files appear beside this script.
# More options for wget, such as --user-agent=…, can be given as arguments.
set -eu
cd "$(dirname "$0")"
start={start}

# fetch LIST WARC DELAY [OPTIONS]: failed pages are in the WARC too, so they do not stop the crawl.
fetch() {{
    list=$1 warc=$2 delay=$3
    shift 3
    wget --no-config --input-file="$list" --wait="$delay" --tries=1 --no-verbose --append-output="$warc.log" \
        --output-document=/dev/null --warc-file="$warc" --warc-cdx "$@" || true
}}

# lane NAME BEGIN DELAY revisit|once [OPTIONS]
lane() {{
    name=$1 begin=$2 delay=$3 revisits=$4
    shift 4
    wait=$((start + begin - $(date +%s)))
    if [ "$wait" -gt 0 ]; then sleep "$wait"; fi
    fetch "$name-visit.txt" "$name-visit" "$delay" "$@"
    if [ "$revisits" = revisit ]; then
        sleep "$delay"
        fetch "$name-revisit.txt" "$name-revisit" "$delay" --warc-dedup="$name-visit.cdx" "$@"
    fi
}}

{lanes}wait
"#
    )
    .replace(" &\n", " \"$@\" &\n")
}
