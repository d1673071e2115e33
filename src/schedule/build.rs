//! From pages to the schedule of a crawl: lanes, subsites, budget, dates.
//!
//! Every lane is fetched at its own pace, all lanes at the same time, and all lanes have the same middle: the reference
//! instant, for which the whole capture is to be coherent. A smaller lane begins later and ends earlier. With subsites, the
//! groups of a lane follow one another, each with a middle of its own (Denev et al., *The SHARC framework*, §8: coherent
//! subsites), the heaviest first.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::compare::{self, COMPARE_LIMIT, Mode};
use super::expected::{blur, expected, page_survival};
use super::last;
use super::model::{DelaySource, Kind, Row, SCHEMA, Schedule, SiteSchedule, Slot};
use super::optimal::{Optimal, partial, rivals};
use super::page::{Basis, Page};
use super::plan::{Plan, Revisits, Strategy};
use super::site::Site;
use super::subsite::Group;
use crate::error::{Error, Result};
use crate::quality::pattern::hour_of_week;
use crate::time::{Instant, SECOND};

const SECONDS_A_DAY: f64 = 86_400.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// No date: slots carry seconds from the start.
    #[default]
    Sometime,
    /// Date of the first download.
    Start(Instant),
    /// Date of the middle.
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

/// What is asked for.
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
    /// Visits and revisits are two complete crawls.
    pub two_phase: bool,
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
}

/// Pages of one lane, or of one subsite of it, as a strategy sees them.
struct Part<'a> {
    pages: Vec<&'a Page>,
    lane: Arc<str>,
    group: Option<Group>,
    left_out: usize,
    site: Site,
    plan: Plan,
    bound: Option<f64>,
}

/// Schedules the pages.
pub fn build(pages: &[Page], request: &Request) -> Result<Schedule> {
    let best = if request.mode.single_visit { "sharc-offline" } else { "optimal" };
    let name = match &request.choice {
        Choice::Named(names) => names.first().map_or(best, String::as_str),
        _ => best,
    };
    let strategy = request.mode.strategy(name)?;
    let mut parts = Vec::new();
    let divided = partition(pages, request);
    let all: usize = divided.iter().map(|(_, (kept, _))| kept.len()).sum();
    for ((lane, group), (kept, left_out)) in divided {
        parts.push(Part::new(lane, group, kept, left_out, strategy.as_ref(), (request, all))?);
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
        Choice::Best if pages.len() > COMPARE_LIMIT => vec![name],
        _ => compare::all().to_vec(),
    };
    let last: Vec<Option<Plan>> = parts.iter().map(|part| last::plan(&part.pages, &part.site)).collect();
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
    for (place, plan) in last.iter().enumerate().filter(|_| request.revisits.is_none()) {
        plan.iter().for_each(|plan| lead(&mut best, place, plan));
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
        notes.push("bfs, dfs: links are not known here, so pages are taken in the order given".to_owned());
    }
    if request.revisits.is_none() && last.iter().any(Option::is_some) {
        // A lane that the last crawl did not have is fetched as it is given.
        let given =
            |site: &Site| Plan::ordered(&(0..site.len() as u32).collect::<Vec<_>>(), Revisits::Fifo, site);
        let plans = last.into_iter().zip(&sites).map(|(plan, site)| plan.unwrap_or_else(|| given(site)));
        let plans: Vec<Plan> =
            plans.map(|plan| if request.mode.single_visit { plan.visits_only() } else { plan }).collect();
        let plans: Vec<&Plan> = plans.iter().collect();
        strategies.push(compare::row(last::NAME, &sites, &plans, &request.mode, upper));
        let lacked = parts.iter().flat_map(|part| &part.pages).filter(|page| page.looks.is_none()).count();
        if lacked > 0 {
            let pages = if lacked == 1 { "page" } else { "pages" };
            notes.push(format!(
                "{}: its order, the {lacked} {pages} it lacked last (--captured-only: without)",
                last::NAME
            ));
        }
    }
    parts.iter_mut().zip(own).for_each(|(part, plan)| part.plan = plan);
    let mut sites = lay_out(&parts, name, request);
    // Of a lane without any page of known rate, only the order is given.
    let known: HashSet<&str> =
        pages.iter().filter(|page| page.basis == Basis::Own).map(|page| &*page.lane).collect();
    for site in sites.iter_mut().filter(|site| site.pages > 0 && !known.contains(&*site.site)) {
        site.forget_chances();
    }
    if known.is_empty() && !pages.is_empty() {
        strategies.clear();
    }
    Ok(Schedule { schema: SCHEMA.to_owned(), sites, strategies, notes })
}

type Key = (Arc<str>, Option<Group>);

/// Lanes and groups with their pages, within the budget; heaviest group of a lane first.
fn partition<'a>(pages: &'a [Page], request: &Request) -> Vec<(Key, (Vec<&'a Page>, usize))> {
    let mut kept = vec![true; pages.len()];
    if let Some(budget) = request.budget.filter(|budget| *budget < pages.len()) {
        let mut order: Vec<usize> = (0..pages.len()).collect();
        let by_use = |&a: &usize, &b: &usize| {
            let (a, b) = (&pages[a], &pages[b]);
            b.weight.total_cmp(&a.weight).then(a.rate.total_cmp(&b.rate))
        };
        order.sort_by(by_use);
        order[budget..].iter().for_each(|&page| kept[page] = false);
    }
    let mut parts: BTreeMap<Key, (Vec<&Page>, usize)> = BTreeMap::new();
    for (page, kept) in pages.iter().zip(kept) {
        let group = page.group.clone().filter(|_| request.subsites);
        let part = parts.entry((page.lane.clone(), group)).or_default();
        if kept { part.0.push(page) } else { part.1 += 1 }
    }
    let weight = |pages: &[&Page]| pages.iter().map(|page| page.weight).sum::<f64>();
    let mut parts: Vec<_> = parts.into_iter().collect();
    parts.sort_by(|(a, x), (b, y)| a.0.cmp(&b.0).then_with(|| weight(&y.0).total_cmp(&weight(&x.0))));
    parts
}

impl<'a> Part<'a> {
    fn new(
        lane: Arc<str>,
        group: Option<Group>,
        pages: Vec<&'a Page>,
        left_out: usize,
        strategy: &dyn Strategy,
        (request, all): (&Request, usize),
    ) -> Result<Self> {
        let delay = request.lane_delays.get(&lane).copied().unwrap_or(request.delay);
        let mut site = Site::new(pages.iter().map(|page| page.rate).collect(), delay)?
            .with_weights(pages.iter().map(|page| page.weight).collect())?
            .two_phase(request.two_phase);
        if let Some(patterns) = pages.iter().map(|page| page.pattern.clone()).collect::<Option<Vec<_>>>() {
            let first = first_hour(&pages, &site, request);
            let patterns = patterns.into_iter().map(|pattern| pattern.starting(first)).collect();
            site = site.with_patterns(patterns)?;
        }
        if let Some(found) = pages.iter().map(|page| page.found).collect::<Option<Vec<_>>>() {
            site = site.with_found(found)?;
        }
        site = site.with_changed(pages.iter().map(|page| seconds_of(page.changed)).collect())?;
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
        Ok(Part { pages, lane, group, left_out, site, plan, bound })
    }
}

/// The date of a change in seconds; −∞ if it is not known.
pub(crate) fn seconds_of(changed: Option<Instant>) -> f64 {
    changed.map_or(f64::NEG_INFINITY, |changed| changed.0 as f64 / SECOND as f64)
}

/// The hour of the week in which the crawl begins, for patterns: by its date, else as the last crawl began.
fn first_hour(pages: &[&Page], site: &Site, request: &Request) -> usize {
    let slots = site.len().saturating_sub(1) as f64;
    let to_middle = site.delay() * if request.mode.single_visit { slots / 2.0 } else { slots };
    let start = match request.when {
        When::Start(start) => Some(start),
        When::Reference(reference) => Some(later(reference, -to_middle)),
        When::Sometime => pages.iter().filter_map(|page| page.looks).map(|(first, _)| first).min(),
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
fn lay_out(parts: &[Part], strategy: &str, request: &Request) -> Vec<SiteSchedule> {
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
    parts
        .iter()
        .zip(offsets)
        .map(|(part, offset)| site_schedule(part, strategy, begin(part, offset), start, request))
        .collect()
}

/// Seconds from the beginning of a part to its middle.
fn reference(part: &Part) -> f64 {
    let last = part.plan.len().saturating_sub(1) as f64;
    let slots = if part.plan.is_single() { last / 2.0 } else { last + f64::from(part.plan.gap()) / 2.0 };
    slots * part.site.delay()
}

fn later(instant: Instant, seconds: f64) -> Instant {
    instant.plus((seconds * SECOND as f64).round() as i64)
}

fn site_schedule(
    part: &Part,
    strategy: &str,
    begin: f64,
    start: Option<Instant>,
    request: &Request,
) -> SiteSchedule {
    let Part { site, plan, .. } = part;
    let mode = &request.mode;
    let reached = expected(site, plan, mode.floor());
    // Only numbers are sorted: a slot is ten times as large.
    let mut order: Vec<(u64, u32, Kind)> = Vec::with_capacity(2 * plan.len());
    for page in 0..part.pages.len() {
        let visit = plan.visit_time(page);
        order.push((visit, page as u32, Kind::Visit));
        let revisit = plan.revisit_time(page).filter(|revisit| *revisit != visit);
        order.extend(revisit.map(|revisit| (revisit, page as u32, Kind::Revisit)));
    }
    order.sort_unstable();
    let slots = order.into_iter().map(|(number, page, kind)| {
        let page = page as usize;
        let (about, survival) = (part.pages[page], page_survival(site, plan, page));
        let seconds = begin + number as f64 * site.delay();
        Slot {
            url: about.url.clone(),
            kind,
            slot: number,
            at: start.map(|start| later(start, seconds)),
            seconds,
            lane: part.lane.clone(),
            interval_seconds: plan.interval(page).map(|interval| interval as f64 * site.delay()),
            survival,
            hopeful: survival.map(|survival| plan.hopeful(page, survival, mode.floor())),
            weight: about.weight,
            rate_per_day: Some(about.rate * SECONDS_A_DAY).filter(|rate| rate.is_finite()),
        }
    });
    let slots: Vec<Slot> = slots.collect();
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
        unknown_rates: part.pages.iter().filter(|page| page.basis != Basis::Own).count(),
        never_captured: part.pages.iter().filter(|page| page.basis == Basis::Uncaptured).count(),
        expected_coherence: reached.coherence,
        weight: site.weights().iter().sum(),
        expected_blur: reached.blur.is_finite().then_some(reached.blur),
        hopeless: reached.hopeless,
        upper_bound: part.bound,
        gap: part.bound.zip(reached.coherence).and_then(|(upper, reached)| compare::gap(upper, reached)),
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
        assert_eq!(b.slots[2].interval_seconds, Some(0.0));
        assert_eq!(b.slots[2].at, b.reference);
        assert!(a.gap.unwrap() < 1e-12);
        assert!(schedule.strategies.iter().all(|row| row.expected_coherence.unwrap()
            <= schedule.strategies[0].expected_coherence.unwrap() + 1e-9));
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
        assert_eq!((even.pages, even.slots[0].seconds), (2, 3.0));
        assert!(even.slots.iter().chain(&odd.slots).all(|slot| slot.at.is_none() && &*slot.url != "p1"));
    }

    #[test]
    fn a_single_visit_proves_nothing_and_is_judged_by_blur() {
        let pages: Vec<Page> = (0..6).map(|i| Page::new(&format!("p{i}"), f64::from(i))).collect();
        let mode = Mode { single_visit: true, ..Mode::default() };
        let schedule = build(&pages, &Request { delay: 1.0, mode, ..Request::default() }).unwrap();
        let site = &schedule.sites[0];
        assert_eq!((site.expected_coherence, site.upper_bound, site.slots[0].survival), (None, None, None));
        assert!((site.expected_blur.unwrap() * 6.0 - 22.7).abs() < 1e-12);
        assert_eq!(site.slots.len(), 6);
        let best = schedule.strategies.iter().find(|row| row.name == "sharc-offline").unwrap();
        assert_eq!(best.gap, Some(0.0));
        assert!(schedule.strategies.iter().all(|row| row.gap.is_some_and(|gap| (0.0..1.0).contains(&gap))));
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
