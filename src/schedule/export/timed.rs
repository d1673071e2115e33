//! A shell script that keeps a schedule's times and calls one crawler for every download.
//!
//! Start times are absolute: the script sleeps until `start + seconds` before each fetch, so that slow pages do not shift those after
//! them. A download that is late keeps its distance from the one before: Δ where the crawl itself began late, half of Δ behind a slow page,
//! until its lane is in time again (as [`super::super::drive`] does it). Lanes run in the background, side by side. A lane's list has a line `SECONDS⇥PAGE⇥KIND⇥URL` for each download; the script
//! reads it field by field and hands the URL on as one quoted argument, so no URL is ever part of the script's text. What was
//! planned and when it really began is logged.

use std::fmt::Write;

use super::super::model::{Schedule, SiteSchedule};
use super::url::safe;
use super::{File, numbered};

/// The lists of all lanes, and the script. `fetch` is the body of a shell function that finds `$url`, `$kind`, `$lane` and
/// `$page` (six digits, by visit) set, and further options of the user in `"$@"`.
pub(super) fn files(schedule: &Schedule, about: &str, fetch: &str) -> Vec<File> {
    let mut files = Vec::new();
    let mut lanes = String::new();
    for (lane, site) in numbered(schedule) {
        let list = list(site);
        if !list.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(lanes, "lane {lane} {:.3} \"$@\" &", site.delay_seconds);
            files.push(File::new(format!("{lane}.tsv"), list));
        }
    }
    let start = schedule.sites.iter().filter_map(|site| site.start).min();
    let start = start.map_or("$(now)".to_owned(), |start| format!("{:.3}", start.0 as f64 / 1e6));
    files.push(File::script("crawl.sh", script(about, fetch, &start, &lanes)));
    files
}

/// `SECONDS⇥PAGE⇥KIND⇥URL`, in the order of time. Pages are numbered by their visit.
fn list(site: &SiteSchedule) -> String {
    let mut numbers = std::collections::HashMap::new();
    let mut list = String::new();
    for slot in &site.slots {
        let next = numbers.len() + 1;
        let number = *numbers.entry(slot.url.clone()).or_insert(next);
        if let Some(url) = safe(&slot.url) {
            let _ = writeln!(list, "{:.3}\t{number:06}\t{}\t{url}", slot.seconds, slot.kind.name());
        }
    }
    list
}

fn script(about: &str, fetch: &str, start: &str, lanes: &str) -> String {
    format!(
        r#"#!/bin/sh
{about}
set -eu
cd "$(dirname "$0")"
mkdir -p parts

now() {{
    now=$(date +%s.%N)
    case $now in *N) date +%s ;; *) echo "$now" ;; esac
}}

start={start}

# fetch [OPTIONS]: one page, now; a page that fails does not stop the crawl.
fetch() {{
{fetch}
}}

# lane NAME DELAY [OPTIONS]: the downloads of one lane, each at its time. What is late keeps its distance from the download before:
# DELAY where the crawl itself began late, half of it behind a slow page, until the lane is in time again.
# LANES, if set, names the lanes to crawl.
lane() {{
    case " ${{LANES:-$1}} " in *" $1 "*) ;; *) return ;; esac
    lane=$1
    delay=$2
    shift 2
    last=
    behind=
    tab=$(printf '\t')
    while IFS=$tab read -r seconds page kind url; do
        pause=$(now | awk -v start="$start" -v seconds="$seconds" -v last="$last" -v delay="$delay" -v behind="$behind" '{{
            planned = start + seconds
            begin = planned
            if (last != "") {{
                most = 10 * delay > 60 ? 10 * delay : 60
                kept = behind || last + delay - planned > most ? delay : delay / 2
                if (last + kept > begin) begin = last + kept
            }}
            printf "%.3f", (begin > $1 ? begin - $1 : 0)
        }}')
        sleep "$pause"
        began=$(now)
        behind=$(awk -v late="$began" -v start="$start" -v seconds="$seconds" -v last="$last" -v behind="$behind" \
            'BEGIN {{ if ((last == "" || behind) && late - start - seconds > 0.5) print 1 }}')
        last=$began
        fetch "$@" </dev/null || true
        awk -v start="$start" -v seconds="$seconds" -v began="$began" -v kind="$kind" -v page="$page" \
            'BEGIN {{ printf "%.3f\t%.3f\t%s\t%s\n", seconds, began - start, page, kind }}' >>"$lane.times.tsv"
    done <"$lane.tsv"
}}

{lanes}wait
"#
    )
}
