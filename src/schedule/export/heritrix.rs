//! Heritrix 3: files for the job's action directory.
//!
//! Heritrix looks into the directory every 30 s and takes files in the order of their names. A `.force` file has a line `F+ URI`
//! for each URI, and fetches also what was fetched before: so it serves for revisits. There is no field for a time; so there
//! is one file for each stretch of time, and a script that drops them when they are due. Heritrix takes away any file that it finds, whatever
//! its name, so a file is written in a folder of the directory first, and moved when it is complete.
//! Within a host Heritrix keeps the order and its own politeness delay, so Δ has to be set in the job: `acuity.cxml` holds two beans for
//! the job's `crawler-beans.cxml`. One stands beside `simpleOverrides`, which has the operator's contact and has to stay: Δ as a fixed
//! delay, and a job that does not end while it waits for the next file (`runWhileEmpty`, Heritrix 3.2 and later). The other
//! takes the place of `scope`, whose rules have no names of their own and so cannot be overridden one by one: no pages beyond those that
//! are dropped (`maxHops = 0`), but what they embed (`maxTransHops = 1`). Several lanes of different Δ get the longest.
//!
//! Heritrix waits `minDelayMs` after a download of the host has *ended*, and each embed of that host waits too. So pages of a host come
//! `(load time + Δ) × (1 + embeds)` apart, not Δ: the fragment and the remark of the export say so.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::model::{Kind, Schedule};
use super::{File, downloads};

/// Minimum length of the time covered by one file (Heritrix scans every 30 s), and the maximum number of such times.
const MIN_SECONDS: f64 = 60.0;
const MAX_TIMES: usize = 10_000;

pub(super) fn files(schedule: &Schedule) -> Vec<File> {
    let slots = schedule.sites.iter().flat_map(|site| &site.slots);
    let mut times: Vec<f64> = slots.map(|slot| slot.seconds).collect();
    times.sort_by(f64::total_cmp);
    let mut stretch = MIN_SECONDS;
    let mut drop_times = firsts(&times, stretch);
    while drop_times.len() > MAX_TIMES {
        stretch *= 2.0;
        drop_times = firsts(&times, stretch);
    }
    let mut due: BTreeMap<(usize, Kind), Vec<(f64, String)>> = BTreeMap::new();
    for kind in [Kind::Visit, Kind::Revisit] {
        for (slot, url) in schedule.sites.iter().flat_map(|site| downloads(site, kind)) {
            let place = drop_times.partition_point(|first| *first <= slot.seconds).saturating_sub(1);
            due.entry((place, kind)).or_default().push((slot.seconds, url));
        }
    }
    let start = schedule.sites.iter().filter_map(|site| site.start).min();
    let mut drops = String::new();
    let mut files = Vec::new();
    for (number, ((place, kind), mut urls)) in due.into_iter().enumerate() {
        urls.sort_by(|a, b| a.0.total_cmp(&b.0));
        let name = format!("{:06}-{}.force", number + 1, kind.name());
        let content = urls.iter().map(|(_, url)| format!("F+ {url}\n")).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(drops, "drop {} {name}", drop_times[place] as u64);
        files.push(File::new(name, content));
    }
    files.push(File::new("acuity.cxml", settings(schedule)));
    let start = start.map(|start| start.0.div_euclid(1_000_000));
    files.push(File::script("drop.sh", script(start, stretch, &drops)));
    files
}

/// The first times of stretches that hold all the times, which ascend: each begins with the first time behind the one before.
fn firsts(times: &[f64], stretch: f64) -> Vec<f64> {
    let mut firsts: Vec<f64> = Vec::new();
    for &time in times {
        if firsts.last().is_none_or(|first| time >= first + stretch) {
            firsts.push(time);
        }
    }
    firsts
}

/// Politeness, scope and links. Numbers only: no URL or host is part of the fragment.
fn settings(schedule: &Schedule) -> String {
    let delay = schedule.sites.iter().map(|site| site.delay_seconds).fold(0.0, f64::max);
    // Heritrix holds it as a whole number of 31 bits.
    let milliseconds = (delay * 1000.0).ceil() as i32;
    format!(
        r#"<!-- Settings of this schedule, for crawler-beans.cxml of Heritrix 3.2 or later. Put this bean behind "simpleOverrides", which stays. -->
<bean id="acuityOverrides" class="org.springframework.beans.factory.config.PropertyOverrideConfigurer">
  <property name="properties">
    <value>
# Politeness: Heritrix waits {milliseconds} ms after each download of a host has ended, embedded files included. So the pages of a
# host come (load time + {milliseconds} ms) x (1 + files that they embed from it) apart, not every {milliseconds} ms: plan with that
# as the delay (acuity schedule --delay) to be in time.
disposition.delayFactor=0
disposition.minDelayMs={milliseconds}
disposition.maxDelayMs={milliseconds}
disposition.respectCrawlDelayUpToSeconds=0
# The job waits for the next file when it has nothing to do: end it by hand when drop.sh is done.
crawlController.runWhileEmpty=true
    </value>
  </property>
</bean>

<!-- Put this bean in place of "scope". Only the pages that are dropped, and what they embed. -->
<bean id="scope" class="org.archive.modules.deciderules.DecideRuleSequence">
  <property name="rules">
    <list>
      <bean class="org.archive.modules.deciderules.AcceptDecideRule" />
      <bean class="org.archive.modules.deciderules.TooManyHopsDecideRule">
        <property name="maxHops" value="0" />
      </bean>
      <bean class="org.archive.modules.deciderules.TransclusionDecideRule">
        <property name="maxTransHops" value="1" />
        <property name="maxSpeculativeHops" value="0" />
      </bean>
      <bean class="org.archive.modules.deciderules.PrerequisiteAcceptDecideRule" />
      <bean class="org.archive.modules.deciderules.SchemeNotInSetDecideRule" />
    </list>
  </property>
</bean>
"#
    )
}

fn script(start: Option<i64>, stretch: f64, drops: &str) -> String {
    let start = start.map_or("$(date +%s)".to_owned(), |start| start.to_string());
    format!(
        r#"#!/bin/sh
# Drops the files of this schedule into a Heritrix job when they are due. Pages that are due within {stretch} s are dropped together, with the
# first of them: none comes later, and none more than {stretch} s earlier than planned.
# usage: drop.sh JOB_DIRECTORY/action
set -eu
action=${{1:?usage: drop.sh JOB_DIRECTORY/action}}
here=$(cd "$(dirname "$0")" && pwd)
start={start}
# Heritrix takes any file that it finds, but no folder: a file is written in one, then moved.
mkdir -p "$action/.acuity"

drop() {{
    wait=$((start + $1 - $(date +%s)))
    if [ "$wait" -gt 0 ]; then sleep "$wait"; fi
    cp "$here/$2" "$action/.acuity/$2"
    mv "$action/.acuity/$2" "$action/$2"
}}

{drops}"#
    )
}
