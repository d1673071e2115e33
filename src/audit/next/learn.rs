//! Learning from crawl to crawl: what every crawl showed of a page is kept, and forecasts are compared with what happened.
//!
//! The state file has, for every page, how many gaps of which length ended changed and unchanged, and its last capture with the begin of
//! its digest. A new audit adds what lies behind that capture, the time from it to the first capture of the audit included: so the archive
//! of the new crawl alone teaches, and the same archives can be given again and again, with newer ones beside them. A record that repeats a
//! capture of an earlier crawl is taken to show the page unchanged. A page takes at most [`LENGTHS`] gaps of the file. Before a
//! gap is added, the state as it was forecasts whether the page would be seen changed in it (Gamma prior fitted by the run before, its
//! gaps so far); forecast and outcome go into a [`Calibration`]. The posterior is recomputed from the counts: nothing is rounded on the way
//! but gaps to whole seconds.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::audit::model::{CaptureContent, Content, PageAudit, SiteAudit};
use crate::change::calibration::Calibration;
use crate::change::gamma::{Fitted, Hyper, Prior};
use crate::change::poisson::Looks;
use crate::error::{Error, Result};
use crate::time::{Instant, SECOND};

/// The schema of the state file.
pub(crate) const SCHEMA: &str = "acuity.learned/1";

/// Lengths of gaps that are kept for a page; of more, the two nearest are joined.
const LENGTHS: usize = 64;

/// What crawls have shown so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub schema: String,
    /// Runs that added something.
    pub crawls: u64,
    /// The prior that the next run forecasts with: shape, and rate in seconds.
    pub prior: Option<(f64, f64)>,
    pub calibration: Calibration,
    /// By canonical key.
    pub pages: BTreeMap<String, Learned>,
}

/// What crawls have shown of one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Learned {
    /// The last capture that was used.
    pub last: Instant,
    /// What it showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
    pub gaps: Vec<Gaps>,
}

/// Gaps of one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Gaps {
    pub seconds: u64,
    pub unchanged: u32,
    pub changed: u32,
}

impl Default for State {
    fn default() -> Self {
        State {
            schema: SCHEMA.to_owned(),
            crawls: 0,
            prior: None,
            calibration: Calibration::default(),
            pages: BTreeMap::new(),
        }
    }
}

impl Learned {
    fn looks(&self) -> Looks {
        let mut looks = Looks::default();
        for gaps in &self.gaps {
            let seconds = gaps.seconds as f64;
            looks.unchanged += seconds * f64::from(gaps.unchanged);
            looks.unchanged_gaps += gaps.unchanged;
            looks.changed.extend(std::iter::repeat_n(seconds, gaps.changed.min(100_000) as usize));
        }
        looks
    }

    /// The time from the last capture to the first of another crawl, and whether the page changed in it.
    fn gap_to(&self, first: CaptureContent) -> Option<(Instant, Instant, bool)> {
        let changed = match (self.content, first.content) {
            (Some(before), Some(now)) => before.differs(now)?,
            (Some(_), None) => false,
            (None, _) => return None,
        };
        (first.at > self.last).then_some((self.last, first.at, changed))
    }

    fn add(&mut self, seconds: u64, changed: bool) {
        let place = match self.gaps.binary_search_by_key(&seconds, |gaps| gaps.seconds) {
            Ok(place) => place,
            Err(place) => {
                self.gaps.insert(place, Gaps { seconds, unchanged: 0, changed: 0 });
                place
            }
        };
        let gaps = &mut self.gaps[place];
        let count = if changed { &mut gaps.changed } else { &mut gaps.unchanged };
        *count = count.saturating_add(1);
        if self.gaps.len() > LENGTHS {
            self.join();
        }
    }

    /// Joins the two neighbours that are nearest to each other, at their mean length.
    fn join(&mut self) {
        let apart = |pair: &[Gaps]| pair[1].seconds as f64 / pair[0].seconds.max(1) as f64;
        let nearest = self.gaps.windows(2).enumerate().min_by(|a, b| apart(a.1).total_cmp(&apart(b.1)));
        let Some((place, _)) = nearest else { return };
        let (a, b) = (self.gaps[place], self.gaps.remove(place + 1));
        let (n, m) =
            (f64::from(a.unchanged) + f64::from(a.changed), f64::from(b.unchanged) + f64::from(b.changed));
        self.gaps[place] = Gaps {
            seconds: ((a.seconds as f64 * n + b.seconds as f64 * m) / (n + m).max(1.0)).round() as u64,
            unchanged: a.unchanged.saturating_add(b.unchanged),
            changed: a.changed.saturating_add(b.changed),
        };
    }
}

/// The gaps of a page in the order of time: from, to, whether it changed.
fn gaps(page: &PageAudit) -> Vec<(Instant, Instant, bool)> {
    let mut gaps: Vec<(Instant, Instant, bool)> = page
        .proven
        .iter()
        .map(|window| (window.from, window.to, false))
        .chain(page.outer.windows(2).filter_map(|pair| Some((pair[1].after?, pair[0].before?, true))))
        .filter(|(from, to, _)| to > from)
        .collect();
    gaps.sort_by_key(|(from, to, _)| (*to, *from));
    gaps
}

impl State {
    /// Reads a state file.
    pub(crate) fn read(text: &[u8]) -> Result<Self> {
        let state: State = serde_json::from_slice(text)
            .map_err(|error| Error::data(format!("not a state of --learn: {error}")))?;
        let is_prior =
            |(shape, rate): (f64, f64)| shape > 0.0 && rate > 0.0 && shape.is_finite() && rate.is_finite();
        let is_sum = |bits: f64| bits.is_finite() && bits >= 0.0;
        if state.schema != SCHEMA {
            return Err(Error::data(format!("the state has the schema {:?}, not {SCHEMA:?}", state.schema)));
        }
        if !state.prior.is_none_or(is_prior)
            || !is_sum(state.calibration.bits)
            || !state.calibration.bins.iter().all(|bin| is_sum(bin.predicted) && bin.changed <= bin.forecasts)
        {
            return Err(Error::data("the state has numbers that mean nothing"));
        }
        Ok(state)
    }

    /// Adds what the sites show; forecasts are held against it first.
    pub(crate) fn learn(&mut self, sites: &[SiteAudit]) {
        let prior = self.prior.map(|(shape, rate)| Prior { shape, rate });
        let mut is_new = false;
        for page in sites.iter().flat_map(|site| &site.page_list) {
            let mut own = gaps(page);
            let first = own.iter().map(|(from, _, _)| *from).chain(page.seen.map(|seen| seen.first.at)).min();
            let Some(first) = first else { continue };
            let learned = self.pages.entry(page.key.clone()).or_insert_with(|| {
                is_new = true;
                Learned { last: first, content: None, gaps: Vec::new() }
            });
            own.splice(..0, page.seen.and_then(|seen| learned.gap_to(seen.first)));
            for (from, to, changed) in own {
                let from = from.max(learned.last);
                let seconds = to.0.saturating_sub(from.0) / SECOND;
                if seconds <= 0 {
                    continue;
                }
                is_new = true;
                if let Some(prior) = prior {
                    self.calibration.add(prior.change_within(&learned.looks(), seconds as f64), changed);
                }
                learned.add(seconds as u64, changed);
                learned.last = to;
            }
            if let Some(seen) = page.seen.filter(|seen| seen.last.at >= learned.last) {
                // What repeats an earlier capture shows what that one did.
                learned.content = seen.last.content.or(learned.content);
                is_new |= seen.last.at > learned.last;
                learned.last = seen.last.at;
            }
        }
        if !is_new {
            return;
        }
        self.crawls += 1;
        let looks: Vec<Looks> = self.pages.values().map(Learned::looks).collect();
        if looks.iter().any(|looks| !looks.is_empty()) {
            let Fitted { prior, .. } = Prior::fit(&looks, Hyper::default());
            self.prior = Some((prior.shape, prior.rate));
        }
    }

    /// The rates of the pages of these sites by all that was learned, per second, by URL.
    pub(crate) fn rates<'s>(&self, sites: &'s [SiteAudit]) -> HashMap<&'s str, f64> {
        let Some((shape, rate)) = self.prior else { return HashMap::new() };
        let fitted = Fitted::given(Prior { shape, rate });
        let of = |page: &'s PageAudit| {
            let looks = self.pages.get(&page.key)?.looks();
            (!looks.is_empty()).then(|| (page.url.as_str(), fitted.posterior(&looks).mean))
        };
        sites.iter().flat_map(|site| &site.page_list).filter_map(of).collect()
    }

    /// What was learned, in a sentence or two.
    pub(crate) fn note(&self) -> String {
        let all = self.calibration.all();
        let pages = crate::format::count(self.pages.len() as u64, "page");
        let crawls = crate::format::count(self.crawls, "crawl");
        match (self.calibration.ratio(), all.forecasts) {
            (_, 0) => {
                format!("Learned: {pages} from {crawls}; forecasts are checked from the next crawl on.")
            }
            (None, many) => format!(
                "Learned: {pages} from {crawls}; of {many} forecasts, {:.1} changes were expected and none was seen.",
                all.predicted
            ),
            (Some(ratio), many) => format!(
                "Learned: {pages} from {crawls}; {many} forecasts so far: {:.1} changes expected, {} seen (ratio {ratio:.2}).",
                all.predicted, all.changed
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{AuditInput, Parameters, audit};
    use crate::capture::table::Table;
    use crate::capture::testing::look;

    fn learned() -> Learned {
        Learned { last: Instant(0), content: None, gaps: Vec::new() }
    }

    /// Crawls of twelve pages, a week apart; page p changes every p-th week, the first never.
    fn crawls(weeks: std::ops::Range<u32>) -> Vec<SiteAudit> {
        let mut looks = Vec::new();
        for week in weeks {
            for page in 0..12u32 {
                let version = week.checked_div(page).unwrap_or(0);
                let date = format!("2024-{:02}-{:02}T00:00:{page:02}Z", 1 + week / 4, 1 + 7 * (week % 4));
                looks.push(
                    look(&format!("http://a.example/{page}"), &date)
                        .body((20 * page + version) as u8)
                        .build(),
                );
            }
        }
        audit(&Table::of(&looks), &Parameters::default(), AuditInput::default()).sites
    }

    #[test]
    fn the_archive_of_the_new_crawl_alone_teaches_as_much_as_all_together() {
        let (mut alone, mut together) = (State::default(), State::default());
        for week in 0..8 {
            alone.learn(&crawls(week..week + 1));
            together.learn(&crawls(0..week + 1));
        }
        let seen = |state: &State| -> Vec<(String, u32, u32)> {
            let count = |learned: &Learned, of: fn(&Gaps) -> u32| learned.gaps.iter().map(of).sum();
            let one = |(key, learned): (&String, &Learned)| {
                (key.clone(), count(learned, |gaps| gaps.unchanged), count(learned, |gaps| gaps.changed))
            };
            state.pages.iter().map(one).collect()
        };
        assert_eq!(seen(&alone), seen(&together));
        assert_eq!(seen(&alone).iter().map(|(_, same, changed)| same + changed).collect::<Vec<_>>(), [7; 12]);
        assert_eq!(alone.crawls, 8);
        assert!(alone.calibration.all().forecasts >= 60 && alone.prior.is_some());
        // The same again, or an older one, teaches nothing.
        let before = alone.clone();
        alone.learn(&crawls(7..8));
        alone.learn(&crawls(0..3));
        assert_eq!(alone, before);
        // The file is small: a page has few lengths of gaps.
        let text = serde_json::to_vec(&alone).unwrap();
        assert!(text.len() < 12 * 1_000 + 5_000, "{}", text.len());
        assert_eq!(State::read(&text).unwrap(), alone);
    }

    #[test]
    fn one_crawl_is_kept_and_forecasts_begin_with_the_second() {
        let mut state = State::default();
        state.learn(&crawls(0..1));
        assert!(state.note().starts_with("Learned: 12 pages from 1 crawl;"), "{}", state.note());
        state.learn(&crawls(1..2));
        state.learn(&crawls(2..3));
        assert!(state.note().contains("12 forecasts so far"), "{}", state.note());
    }

    #[test]
    fn gaps_are_counted_by_length_and_their_number_is_bounded() {
        let mut page = learned();
        for (seconds, changed) in [(60, false), (30, true), (60, false), (60, true)] {
            page.add(seconds, changed);
        }
        assert_eq!(
            page.gaps,
            [Gaps { seconds: 30, unchanged: 0, changed: 1 }, Gaps { seconds: 60, unchanged: 2, changed: 1 }]
        );
        let looks = page.looks();
        assert_eq!((looks.unchanged, looks.unchanged_gaps, looks.changed), (120.0, 2, vec![30.0, 60.0]));
        let mut many = learned();
        (1..1000).for_each(|n| many.add(n * n, n % 3 == 0));
        assert_eq!(many.gaps.len(), LENGTHS);
        assert_eq!(many.gaps.iter().map(|gaps| gaps.changed + gaps.unchanged).sum::<u32>(), 999);
        assert!(many.gaps.windows(2).all(|pair| pair[0].seconds <= pair[1].seconds));
    }

    #[test]
    fn states_that_mean_nothing_are_refused() {
        let good = serde_json::to_value(State::default()).unwrap();
        let read = |value: &serde_json::Value| State::read(value.to_string().as_bytes());
        assert_eq!(read(&good).unwrap(), State::default());
        for (key, value) in [
            ("schema", serde_json::json!("acuity.audit/1")),
            ("prior", serde_json::json!([-1.0, 1.0])),
            ("pages", serde_json::json!([])),
        ] {
            let mut bad = good.clone();
            bad[key] = value;
            assert!(read(&bad).is_err(), "{key}");
        }
        assert!(State::read(b"{").is_err());
    }
}
