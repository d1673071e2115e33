//! From pages to the schedule of a crawl: lanes, subsites, budget, dates.
//!
//! Every lane is fetched at its own pace, all lanes at the same time, and all lanes have the same middle: the reference
//! instant, for which the whole capture is to be coherent. A smaller lane begins later and ends earlier. With subsites, the
//! groups of a lane follow one another, each with a middle of its own (Denev et al., *The SHARC framework*, §8: coherent
//! subsites), the heaviest first.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::compare::{self, COMPARE_LIMIT, Mode};
use super::expected::{blur, expected};
use super::last_crawl;
use super::model::{Caveats, DelaySource, Row, SCHEMA, Schedule, SiteSchedule};
use super::optimal::{Optimal, partial, rivals};
use super::page::Page;
use super::parts::{Columns, Divided, PageSource};
use super::plan::{Plan, Revisits, Strategy};
use super::rows::{self, Timed};
use super::site::Site;
use super::slots::Slots;
use super::subsite::Group;
use crate::error::{Error, Result};
use crate::quality::pattern::hour_of_week;
use crate::time::{Instant, SECOND};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// No date: slots carry seconds from the start.
    #[default]
    Sometime,
    /// Date of the first download.
    Start(Instant),
    /// The date at which all pages are to fit together, in the middle of the schedule.
    Reference(Instant),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Choice {
    /// The best; all others for comparison, up to [`COMPARE_LIMIT`] pages.
    #[default]
    Best,
    /// The best, compared with all others.
    All,
    /// These; the first is the schedule.
    Named(Vec<String>),
}

/// A part of the pages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Share {
    /// As many of all lanes together; every lane gets its share by its number of pages.
    Pages(usize),
    /// From 0 to 1.
    Part(f64),
}

impl Share {
    /// Reads `500` or `25%`.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let wrong =
            || Error::usage(format!("{text:?} is not a part of the pages")).with_remedy("write 500 or 25%");
        match text.strip_suffix('%') {
            None => text.trim().parse().map(Share::Pages).map_err(|_| wrong()),
            Some(number) => match number.trim().parse::<f64>() {
                Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(Share::Part(percent / 100.0)),
                _ => Err(wrong()),
            },
        }
    }

    /// How many of `own` pages, of which there are `all` in all lanes.
    fn of(self, own: usize, all: usize) -> usize {
        match self {
            Share::Part(part) => (part * own as f64).round() as usize,
            Share::Pages(pages) => (pages as f64 * own as f64 / all.max(1) as f64).round() as usize,
        }
    }
}

/// Options of a schedule.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// Δ in seconds.
    pub delay: f64,
    /// Where it comes from.
    pub delay_source: DelaySource,
    /// Δ of single lanes, in seconds, as the last crawl kept it.
    pub lane_delays: HashMap<Arc<str>, f64>,
    /// Which strategies.
    pub choice: Choice,
    /// How plans are made.
    pub mode: Mode,
    /// The page in the middle is fetched once, as in the papers. By default it is fetched twice like all others: an audit
    /// proves nothing of a page that was captured once.
    pub middle_once: bool,
    /// Pages of a group are kept together.
    pub subsites: bool,
    /// Maximum number of pages: the heaviest are kept; among equal weights, the coldest.
    pub budget: Option<usize>,
    /// How many pages are revisited; all if not given.
    pub revisits: Option<Share>,
    /// Start or reference.
    pub when: When,
    /// Remarks printed with the schedule.
    pub notes: Vec<String>,
    /// What captures say against the chances of lanes.
    pub caveats: Caveats,
    /// Bytes of downloads that are held; more lie in a temporary file. All are held if it is not given.
    pub held_bytes: Option<usize>,
}

/// Pages of one lane, or of one subsite of it, as a strategy sees them.
pub(super) struct Part {
    pub lane: Arc<str>,
    group: Option<Group>,
    left_out: usize,
    unknown_rates: usize,
    never_captured: usize,
    /// Pages that the last crawl lacked.
    lacked: usize,
    pub site: Site,
    pub plan: Plan,
    /// The order of the last crawl.
    last: Option<Plan>,
    bound: Option<f64>,
}

/// Plans all lanes with the chosen strategies and lays the best plan out in time.
pub fn build(pages: &[Page], request: &Request) -> Result<Schedule> {
    build_from(&pages, request)
}

/// The same of pages that may lie on disk.
pub(crate) fn build_from(pages: &dyn PageSource, request: &Request) -> Result<Schedule> {
    let best = if request.mode.single_visit { "sharc-offline" } else { "optimal" };
    let name = match &request.choice {
        Choice::Named(names) => names.first().map_or(best, String::as_str),
        _ => best,
    };
    let strategy = request.mode.strategy(name)?;
    let mut divided = Divided::of(pages, request)?;
    let all: usize = divided.parts.iter().map(|part| part.rates.len()).sum();
    let mut parts = Vec::with_capacity(divided.parts.len());
    for columns in &mut divided.parts {
        parts.push(Part::new(columns.taken(), strategy.as_ref(), (request, all))?);
    }
    let mut notes = request.notes.clone();
    if request.revisits.is_some() {
        let revisited: usize = parts.iter().map(|part| part.plan.revisited()).sum();
        notes.push(format!(
            "{revisited} of {all} pages are revisited; the others are fetched once and prove nothing"
        ));
    }
    let sites: Vec<&Site> = parts.iter().map(|part| &part.site).collect();
    let upper = upper(&parts, &request.mode)?;
    let names: Vec<&str> = match &request.choice {
        // Others have no rule for which pages to leave out.
        _ if request.revisits.is_some() => vec![name],
        Choice::Named(names) => names.iter().map(String::as_str).collect(),
        Choice::Best if divided.pages() > COMPARE_LIMIT => vec![name],
        _ => compare::all().to_vec(),
    };
    let mut own: Vec<Plan> = parts.iter().map(|part| part.plan.clone()).collect();
    let mut best = match names.contains(&rivals::OPTIMAL) {
        true if name == rivals::OPTIMAL => Some(own.clone()),
        true => Some(compare::plans(rivals::OPTIMAL, &sites, &request.mode)?),
        false => None,
    };
    let lead = |best: &mut Option<Vec<Plan>>, place: usize, rival: &Plan| {
        if let Some(plan) = best.as_mut().and_then(|plans| plans.get_mut(place)) {
            *plan = request.mode.lead(sites[place], plan.clone(), rival);
        }
    };
    let row = |name: &str, plans: &[Plan]| {
        compare::row(name, &sites, &plans.iter().collect::<Vec<_>>(), &request.mode, upper)
    };
    let mut strategies = Vec::with_capacity(names.len() + 1);
    for other in names.iter().copied().filter(|other| *other != rivals::OPTIMAL) {
        let planned;
        let plans = if other == name {
            &own
        } else {
            planned = compare::plans(other, &sites, &request.mode)?;
            &planned
        };
        plans.iter().enumerate().for_each(|(place, plan)| lead(&mut best, place, plan));
        strategies.push(row(other, plans));
    }
    for (place, part) in parts.iter().enumerate().filter(|_| request.revisits.is_none()) {
        part.last.iter().for_each(|plan| lead(&mut best, place, plan));
    }
    // Judged last: no plan that was made for the comparison is ahead of it.
    if let Some(best) = best {
        let place = names.iter().position(|name| *name == rivals::OPTIMAL).unwrap_or(0);
        strategies.insert(place.min(strategies.len()), row(rivals::OPTIMAL, &best));
        if name == rivals::OPTIMAL {
            own = best;
        }
    }
    let by_links = |row: &Row| row.name.starts_with("bfs") || row.name.starts_with("dfs");
    if strategies.iter().any(by_links) && sites.iter().any(|site| site.found().is_empty()) {
        notes.push("bfs, dfs: links are unknown here, so pages are taken in the order given".to_owned());
    }
    if request.revisits.is_none() && parts.iter().any(|part| part.last.is_some()) {
        // A lane that the last crawl did not have is fetched as it is given.
        let given =
            |site: &Site| Plan::ordered(&(0..site.len() as u32).collect::<Vec<_>>(), Revisits::Fifo, site);
        let plan = |part: &Part| part.last.clone().unwrap_or_else(|| given(&part.site));
        let plans = parts.iter().map(plan);
        let plans: Vec<Plan> =
            plans.map(|plan| if request.mode.single_visit { plan.visits_only() } else { plan }).collect();
        let plans: Vec<&Plan> = plans.iter().collect();
        strategies.push(compare::row(last_crawl::NAME, &sites, &plans, &request.mode, upper));
        let lacked: usize = parts.iter().map(|part| part.lacked).sum();
        if lacked > 0 {
            let pages = if lacked == 1 { "page" } else { "pages" };
            notes.push(format!(
                "{}: its order, the {lacked} {pages} it lacked last (--captured-only: without)",
                last_crawl::NAME
            ));
        }
    }
    parts.iter_mut().zip(own).for_each(|(part, plan)| (part.plan, part.last) = (plan, None));
    let sites = lay_out(pages, &divided, &parts, name, request)?;
    let is_refused = |part: &Part| request.caveats.of(&part.lane).is_some_and(|caveat| caveat.refuses);
    if (divided.known.is_empty() || parts.iter().all(is_refused)) && divided.pages() > 0 {
        strategies.clear();
    }
    Ok(Schedule { schema: SCHEMA.to_owned(), sites, strategies, notes })
}

impl Part {
    fn new(columns: Columns, strategy: &dyn Strategy, (request, all): (&Request, usize)) -> Result<Self> {
        let Columns { lane, group, left_out, looks, unknown_rates, never_captured, .. } = columns;
        let delay = request.lane_delays.get(&lane).copied().unwrap_or(request.delay);
        let mut site = Site::new(columns.rates, delay)?
            .with_weights(columns.weights)?
            .with_changed(columns.changed)?
            .two_phase(!request.middle_once && !request.mode.single_visit);
        if let Some(patterns) = columns.patterns {
            let first = first_hour(&looks, &site, request);
            let patterns = patterns.into_iter().map(|pattern| pattern.starting(first)).collect();
            site = site.with_patterns(patterns)?;
        }
        if let Some(found) = columns.found {
            site = site.with_found(found)?;
        }
        let last = last_crawl::plan(&looks, &site);
        let lacked = looks.iter().filter(|looks| looks.is_none()).count();
        drop(looks);
        let plan = match request.revisits.filter(|_| !request.mode.single_visit) {
            Some(share) => partial::plan(&site, share.of(site.len(), all)),
            None => request.mode.plan(strategy, &site),
        };
        // A bound that was computed for other weights proves nothing for these.
        let bound = plan.bound().filter(|_| !request.mode.ignore_weights);
        let bound = match bound {
            None if request.revisits.is_none()
                && !request.mode.single_visit
                && site.len() <= COMPARE_LIMIT =>
            {
                Optimal::default().plan(&site).bound()
            }
            bound => bound,
        };
        Ok(Part { lane, group, left_out, unknown_rates, never_captured, lacked, site, plan, last, bound })
    }
}

/// The date of a change in seconds; −∞ if it is unknown.
pub(crate) fn seconds_of(changed: Option<Instant>) -> f64 {
    changed.map_or(f64::NEG_INFINITY, |changed| changed.0 as f64 / SECOND as f64)
}

/// The hour of the week in which the crawl begins, for patterns: by its date, else as the last crawl began.
fn first_hour(looks: &[Option<(Instant, Instant)>], site: &Site, request: &Request) -> usize {
    let slots = site.len().saturating_sub(1) as f64;
    let to_middle = site.delay() * if request.mode.single_visit { slots / 2.0 } else { slots };
    let start = match request.when {
        When::Start(start) => Some(start),
        When::Reference(reference) => Some(later(reference, -to_middle)),
        When::Sometime => looks.iter().flatten().map(|(first, _)| *first).min(),
    };
    start.map_or(0, hour_of_week)
}

/// What no schedule can beat: the bound of coherence, or the least blur of a single visit.
fn upper(parts: &[Part], mode: &Mode) -> Result<Option<f64>> {
    if !mode.single_visit {
        return Ok(parts.iter().map(|part| part.bound).sum());
    }
    let best = mode.strategy("sharc-offline")?;
    let (mut sum, mut weight) = (0.0, 0.0);
    for part in parts {
        let own: f64 = part.site.weights().iter().sum();
        if own > 0.0 {
            sum += own * blur(&part.site, &best.plan(&part.site).visits_only());
            weight += own;
        }
    }
    Ok(Some(if weight > 0.0 { sum / weight } else { 0.0 }))
}

/// Gives every download its time: lanes share their middle, subsites follow one another.
fn lay_out(
    pages: &dyn PageSource,
    divided: &Divided,
    parts: &[Part],
    strategy: &str,
    request: &Request,
) -> Result<Vec<SiteSchedule>> {
    let length = |part: &Part| part.plan.length() as f64 * part.site.delay();
    // Seconds from the beginning of the lane to the beginning of each part; one Δ lies between two subsites.
    let mut offsets = Vec::with_capacity(parts.len());
    let mut lanes: BTreeMap<&str, f64> = BTreeMap::new();
    for part in parts {
        let end = lanes.entry(&part.lane).or_insert(0.0);
        offsets.push(*end);
        *end += length(part) + part.site.delay();
    }
    // The middle of a lane: of its only part, else of its whole length.
    let middle = |lane: &str| {
        let mut own = parts.iter().filter(|part| &*part.lane == lane);
        match (own.next(), own.next()) {
            (Some(part), None) => reference(part),
            (Some(part), Some(_)) => (lanes[lane] - part.site.delay()) / 2.0,
            _ => 0.0,
        }
    };
    let latest = lanes.keys().map(|lane| middle(lane)).fold(0.0, f64::max);
    let start = match request.when {
        When::Sometime => None,
        When::Start(start) => Some(start),
        When::Reference(reference) => Some(later(reference, -latest)),
    };
    let begin = |part: &Part, offset: f64| latest - middle(&part.lane) + offset;
    let timed = parts.iter().zip(offsets).map(|(part, offset)| Timed {
        part,
        begin: begin(part, offset),
        start,
        floor: request.mode.floor(),
        // Of a lane without any page of known rate, only the order is given.
        is_known: part.plan.is_empty() || divided.known.contains(&part.lane),
        caveat: request.caveats.of(&part.lane),
    });
    let timed: Vec<Timed<'_>> = timed.collect();
    let rows = rows::of(pages, divided, &timed, request.held_bytes)?;
    Ok(timed.iter().zip(rows).map(|(timed, slots)| site_schedule(timed, slots, strategy, request)).collect())
}

/// Seconds from the beginning of a part to its middle.
fn reference(part: &Part) -> f64 {
    let last = part.plan.len().saturating_sub(1) as f64;
    let slots = if part.plan.is_single() { last / 2.0 } else { last + f64::from(part.plan.gap()) / 2.0 };
    slots * part.site.delay()
}

pub(super) fn later(instant: Instant, seconds: f64) -> Instant {
    instant.plus((seconds * SECOND as f64).round() as i64)
}

fn site_schedule(timed: &Timed<'_>, slots: Slots, strategy: &str, request: &Request) -> SiteSchedule {
    let Timed { part, begin, start, floor, is_known, caveat } = *timed;
    let is_expected = timed.is_expected();
    let Part { site, plan, .. } = part;
    let reached = expected(site, plan, floor);
    let reference_seconds = begin + reference(part);
    SiteSchedule {
        site: part.lane.clone(),
        group: part.group.as_ref().map(|group| group.name.clone()),
        group_by: part.group.as_ref().map(|group| group.by),
        strategy: strategy.to_owned(),
        delay_seconds: site.delay(),
        delay_source: match request.lane_delays.contains_key(&part.lane) {
            true => DelaySource::Captures,
            false => request.delay_source,
        },
        start: start.map(|start| later(start, begin)),
        reference: start.map(|start| later(start, reference_seconds)),
        reference_seconds,
        pages: plan.len(),
        left_out: part.left_out,
        unknown_rates: part.unknown_rates,
        never_captured: part.never_captured,
        expected_coherence: reached.coherence.filter(|_| is_expected),
        weight: site.weights().iter().sum(),
        expected_blur: Some(reached.blur).filter(|blur| is_expected && blur.is_finite()),
        hopeless: reached.hopeless.filter(|_| is_expected),
        upper_bound: part.bound.filter(|_| is_expected),
        gap: part
            .bound
            .zip(reached.coherence)
            .filter(|_| is_expected)
            .and_then(|(upper, reached)| compare::gap(upper, reached)),
        caveat: caveat.filter(|_| is_known).map(|caveat| caveat.text.clone()),
        length_seconds: reached.length as f64 * site.delay(),
        slots,
    }
}

/// Reads a span of time as people write it: `2`, `1.5s`, `500ms`, `2m`, `1h`, `1d`; in seconds.
pub(crate) fn parse_seconds(text: &str) -> Result<f64> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let unit = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        _ => f64::NAN,
    };
    let seconds = number.trim().parse::<f64>().unwrap_or(f64::NAN) * unit;
    if seconds.is_finite() && seconds >= 0.0 {
        return Ok(seconds);
    }
    Err(Error::usage(format!("{text:?} is not a span of time"))
        .with_remedy("write 2, 1.5s, 500ms, 2m, 1h or 1d"))
}

#[cfg(test)]
mod tests {
    use super::super::page::Basis;
    use super::*;

    fn page(url: &str, lane: &str, rate: f64, weight: f64, group: Option<&str>) -> Page {
        let group = group.map(|name| Group { name: name.into(), by: super::super::subsite::GroupBy::Table });
        Page { lane: lane.into(), weight, group, ..Page::new(url, rate) }
    }

    #[test]
    fn lanes_share_their_middle_and_each_keeps_its_pace() {
        let mut pages: Vec<Page> =
            (0..5).map(|i| page(&format!("a{i}"), "a", 0.01 * f64::from(i), 1.0, None)).collect();
        pages.extend((0..3).map(|i| page(&format!("b{i}"), "b", 0.1, 1.0, None)));
        let request = Request {
            delay: 2.0,
            lane_delays: HashMap::from([("b".into(), 0.5)]),
            when: When::Reference(Instant::parse("2030-01-01T00:00:10Z").unwrap()),
            middle_once: true,
            ..Request::default()
        };
        let schedule = build(&pages, &request).unwrap();
        let [a, b] = &schedule.sites[..] else { panic!() };
        assert_eq!((a.reference, b.reference), (Instant::parse("2030-01-01T00:00:10Z"), a.reference));
        assert_eq!(
            (a.start, b.start),
            (Instant::parse("2030-01-01T00:00:02Z"), Instant::parse("2030-01-01T00:00:09Z"))
        );
        assert_eq!((a.slots.len(), b.slots.len()), (9, 5));
        assert_eq!(b.slots.held()[2].interval_seconds, Some(0.0));
        assert_eq!(b.slots.held()[2].at, b.reference);
        assert!(a.gap.unwrap() < 1e-12);
        assert!(schedule.strategies.iter().all(|row| row.expected_coherence.unwrap()
            <= schedule.strategies[0].expected_coherence.unwrap() + 1e-9));
    }

    #[test]
    fn every_page_is_fetched_twice_unless_the_middle_one_is_asked_for_once() {
        for count in [1, 2, 5] {
            let pages: Vec<Page> =
                (0..count).map(|i| Page::new(&format!("p{i}"), 0.01 * f64::from(i))).collect();
            let request = Request { delay: 1.0, ..Request::default() };
            let site = build(&pages, &request).unwrap().sites.remove(0);
            assert_eq!(site.slots.len(), 2 * pages.len());
            assert!(site.slots.iter().all(|slot| slot.interval_seconds >= Some(1.0)));
            let once = build(&pages, &Request { middle_once: true, ..request }).unwrap().sites.remove(0);
            assert_eq!(once.slots.len(), 2 * pages.len() - 1);
            assert!(once.expected_coherence > site.expected_coherence || count == 1);
        }
    }

    use super::super::links::Links;
    use super::super::page::Found;

    #[test]
    fn orders_that_follow_links_are_said_to_have_none() {
        let pages = [page("a", "x", 0.1, 1.0, None), page("b", "x", 0.2, 1.0, None)];
        let noted = |names: &[&str]| {
            let choice = Choice::Named(names.iter().map(|name| (*name).to_owned()).collect());
            let request = Request { delay: 1.0, choice, ..Request::default() };
            build(&pages, &request).unwrap().notes.iter().any(|note| note.starts_with("bfs, dfs: links"))
        };
        assert!(noted(&["optimal", "dfs-lifo"]) && noted(&["bfs"]));
        assert!(!noted(&["optimal", "sharc-offline"]));
        // b leads to c, c to a; and b to d.
        let links = Links::new(vec![1], &[vec![], vec![2, 3], vec![0], vec![]]);
        let pages: Vec<Page> = ["a", "b", "c", "d"]
            .into_iter()
            .zip(Found::by(&links))
            .map(|(url, found)| Page { found: Some(found), ..Page::new(url, 0.1) })
            .collect();
        let order = |name: &str| {
            let choice = Choice::Named(vec![name.to_owned()]);
            let request = Request { delay: 1.0, choice, ..Request::default() };
            let made = build(&pages, &request).unwrap();
            assert!(made.notes.is_empty());
            made.sites[0].slots.iter().take(4).map(|slot| slot.url.to_string()).collect::<String>()
        };
        assert_eq!((order("bfs"), order("dfs")), ("bcda".to_owned(), "bcad".to_owned()));
    }

    #[test]
    fn subsites_are_fetched_one_after_another_and_a_budget_keeps_the_heaviest() {
        let pages: Vec<Page> = (0..6)
            .map(|i| {
                page(&format!("p{i}"), "a", 0.1, f64::from(i), Some(if i % 2 == 0 { "even" } else { "odd" }))
            })
            .collect();
        let request = Request { delay: 1.0, subsites: true, budget: Some(4), ..Request::default() };
        let schedule = build(&pages, &request).unwrap();
        let [odd, even] = &schedule.sites[..] else { panic!() };
        assert_eq!((odd.group.as_deref(), odd.pages, odd.left_out), (Some("odd"), 2, 1));
        assert_eq!((even.pages, even.slots.held()[0].seconds), (2, 4.0));
        assert!(even.slots.iter().chain(&odd.slots).all(|slot| slot.at.is_none() && &*slot.url != "p1"));
    }

    #[test]
    fn a_single_visit_proves_nothing_and_is_judged_by_blur() {
        let pages: Vec<Page> = (0..6).map(|i| Page::new(&format!("p{i}"), f64::from(i))).collect();
        let mode = Mode { single_visit: true, ..Mode::default() };
        let schedule = build(&pages, &Request { delay: 1.0, mode, ..Request::default() }).unwrap();
        let site = &schedule.sites[0];
        assert_eq!(
            (site.expected_coherence, site.upper_bound, site.slots.held()[0].survival),
            (None, None, None)
        );
        assert!((site.expected_blur.unwrap() * 6.0 - 22.7).abs() < 1e-12);
        assert_eq!(site.slots.len(), 6);
        let best = schedule.strategies.iter().find(|row| row.name == "sharc-offline").unwrap();
        assert_eq!(best.gap, Some(0.0));
        assert!(schedule.strategies.iter().all(|row| row.gap.is_some_and(|gap| (0.0..1.0).contains(&gap))));
    }

    #[test]
    fn downloads_on_disk_are_those_in_memory() {
        let pages: Vec<Page> = (0..500)
            .map(|i| {
                let group = ["x", "y", "z"][i % 3];
                let lane = if i % 7 == 0 { "a" } else { "b" };
                let basis = if lane == "a" { Basis::Others } else { Basis::Own };
                let rate = if i % 11 == 0 { f64::INFINITY } else { 1e-6 * (i % 13) as f64 };
                Page { basis, ..page(&format!("http://{lane}/{i}"), lane, rate, (i % 5) as f64, Some(group)) }
            })
            .collect();
        for (subsites, budget, single_visit) in
            [(false, None, false), (true, Some(333), false), (true, None, true), (false, Some(0), false)]
        {
            let mode = Mode { single_visit, ..Mode::default() };
            let when = When::Start(Instant(1_700_000_000_000_000));
            let request = Request { delay: 2.0, subsites, budget, mode, when, ..Request::default() };
            let held = build(&pages, &request).unwrap();
            let shelved = build(&pages, &Request { held_bytes: Some(1 << 10), ..request }).unwrap();
            assert_eq!(held, shelved);
            assert!(shelved.sites.iter().all(|site| site.slots.held().is_empty()));
            let json = |schedule: &Schedule| serde_json::to_string(schedule).unwrap();
            assert_eq!(json(&held), json(&shelved));
        }
    }

    #[test]
    fn spans_of_time_are_read_as_people_write_them() {
        for (text, seconds) in
            [("1s", 1.0), ("0.5", 0.5), ("250ms", 0.25), ("2m", 120.0), ("1 h", 3600.0), ("1d", 86400.0)]
        {
            assert_eq!(parse_seconds(text).unwrap(), seconds, "{text}");
        }
        for text in ["", "-1s", "s", "1y", "nan", "inf", "1e999"] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn no_page_at_all_is_a_schedule() {
        let schedule = build(&[], &Request { delay: 1.0, ..Request::default() }).unwrap();
        assert!(schedule.sites.is_empty() && schedule.strategies.len() == compare::all().len());
    }
}
