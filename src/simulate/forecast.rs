//! Forecasts on a recorded history: rules that say how likely a page is to have changed by the next look, compared with what
//! happened.
//!
//! A site is looked at once an `interval`. From look [`FIRST`] on, each rule forecasts for every page with at least [`GAPS`] gaps
//! behind it whether it will be seen changed by the next look; what it may know are the gaps before. The prior of `gamma` is fitted
//! anew every [`REFIT`] looks. The rules and their constants were fixed before they were run on any history:
//!
//! | rule | chance of a change in the next gap |
//! |---|---|
//! | `gamma` | by the posterior of the page under a Gamma prior fitted to the site: what plans and schedules use |
//! | `most-likely` | the share of its own gaps, cut to `[½/(n+1), 1 − ½/(n+1)]` |
//! | `discounted` | the share of its own gaps, a gap counting 0.7 times the next one, and the site's share one gap |
//! | `mixed` | between `gamma` and `discounted`: the mean of their log odds |
//! | `site` | the share of all gaps of the site |
//!
//! Scores are bits a forecast, less is better; standard errors are over blocks of [`BLOCK`] looks, for pages of a site change
//! together. The same run on gaps in random order shows why forecasts err: every page keeps its gaps and its changes, and only
//! *when* it changed is lost; by the share of changes in the first and in later gaps of a page; and by the ratio in stretches of
//! time.

use std::collections::HashMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use super::model::{Row, Sample, Simulation};
use super::replay::{Replay, Seen};
use super::synthetic::Point;
use crate::change::calibration::Calibration;
use crate::change::gamma::{Hyper, Prior};
use crate::change::poisson::Looks;
use crate::time::Instant;

/// The first look that is forecast.
const FIRST: usize = 24;
/// Gaps that a page must have behind it.
const GAPS: u32 = 6;
/// Looks between two fits of the prior.
const REFIT: usize = 6;
/// Looks of one block.
const BLOCK: usize = 6;
/// Looks of one stretch of time.
const STRETCH: usize = 24;
/// Gaps of a page by their number: where classes of age begin.
const AGES: [usize; 5] = [0, 6, 12, 24, 48];

const RULES: [&str; 5] = ["gamma", "most-likely", "discounted", "mixed", "site"];

/// What the rules came to.
#[derive(Debug, Clone, Default)]
struct Judged {
    /// By rule, all forecasts.
    whole: [Calibration; RULES.len()],
    /// By rule and block.
    blocks: Vec<[Calibration; RULES.len()]>,
}

/// The gaps of every page: the look that ends it, and whether the page was seen changed.
type Histories = Vec<Vec<(usize, bool)>>;

/// All rules on one history, with looks every `interval` seconds; and how `gamma` is calibrated.
pub(crate) fn run(replay: &Replay, interval: f64, seed: u64) -> (Simulation, Calibration) {
    let world = &replay.world;
    let looks = ((world.to - world.from) / interval).floor().clamp(0.0, 1e6) as usize;
    let instants: Vec<f64> = (0..=looks).map(|look| world.from + look as f64 * interval).collect();
    let histories = replay.gaps_of_pages(&instants);
    let judged = judge(&histories, instants.len(), interval);
    let mut simulation = Simulation::new(format!("Forecasts on the history of {}", world.name));
    simulation.notes.push(format!(
        "{} looks, one every {}; forecasts from look {FIRST} on, of pages with at least {GAPS} gaps; the rules were fixed before.",
        instants.len(),
        crate::format::duration(interval)
    ));
    simulation.forecasts = true;
    let row = |strategy: &str, score: String, sample: Sample, runs: u64, forecasts: u64| Row {
        site: world.name.clone(),
        strategy: strategy.to_owned(),
        score,
        expected: None,
        sampled: sample.mean,
        stderr: sample.stderr,
        published: None,
        z: None,
        difference: None,
        deviation: None,
        runs,
        downloads: forecasts as f64,
        point: Point::default(),
    };
    let rows = &mut simulation.rows;
    for (place, rule) in RULES.iter().enumerate() {
        let (sample, blocks) = judged.over_blocks(place, |block| block.bits);
        rows.push(row(rule, "bits".to_owned(), sample, blocks, judged.forecasts(place)));
    }
    for (place, rule) in RULES.iter().enumerate().skip(1) {
        let (sample, blocks) = judged.gain(place);
        rows.push(row(rule, "gain in bits over gamma".to_owned(), sample, blocks, judged.forecasts(place)));
    }
    let ratio = |judged: &Judged, place: usize| judged.ratio(place);
    for (place, rule) in RULES.iter().enumerate() {
        let (sample, blocks) = ratio(&judged, place);
        rows.push(row(rule, "forecast/seen".to_owned(), sample, blocks, judged.forecasts(place)));
    }
    let shuffled = judge(&shuffled(&histories, seed), instants.len(), interval);
    let (sample, blocks) = ratio(&shuffled, 0);
    let name = "forecast/seen, gaps in random order".to_owned();
    rows.push(row(RULES[0], name, sample, blocks, shuffled.forecasts(0)));
    for (place, from) in AGES.iter().enumerate() {
        let to = AGES.get(place + 1);
        let width = to.map_or(usize::MAX, |to| to - from);
        let aged = histories.iter().flat_map(|gaps| gaps.iter().skip(*from).take(width));
        let (mut gaps, mut changed) = (0u64, 0u64);
        aged.for_each(|(_, is_changed)| {
            gaps += 1;
            changed += u64::from(*is_changed);
        });
        let share = (gaps > 0).then(|| changed as f64 / gaps as f64);
        let name = match to {
            Some(to) => format!("share changed, gaps {} to {to} of a page", from + 1),
            None => format!("share changed, gap {} of a page and later", from + 1),
        };
        let sample = Sample { mean: share, deviation: None, stderr: None };
        rows.push(row("seen", name, sample, 1, gaps));
    }
    for (number, stretch) in judged.blocks.chunks(STRETCH / BLOCK).enumerate() {
        let mut all = (0.0, 0u64, 0u64);
        for block in stretch {
            let found = block[0].all();
            all = (all.0 + found.predicted, all.1 + found.changed, all.2 + found.forecasts);
        }
        let date = |look: usize| {
            let at = instants.get(look).or(instants.last()).copied().unwrap_or(world.to);
            Instant::from_seconds(at).to_string().chars().take(10).collect::<String>()
        };
        let from = FIRST + number * STRETCH;
        let name = format!("forecast/seen, {} to {}", date(from), date(from + STRETCH));
        let mean = (all.1 > 0).then(|| all.0 / all.1 as f64);
        rows.push(row(RULES[0], name, Sample { mean, deviation: None, stderr: None }, 1, all.2));
    }
    (simulation, judged.whole[0].clone())
}

/// The gaps of every page in another order: which gaps there are stays, and how many were changed.
fn shuffled(histories: &Histories, seed: u64) -> Histories {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut anew = histories.clone();
    for gaps in &mut anew {
        let mut outcomes: Vec<bool> = gaps.iter().map(|(_, changed)| *changed).collect();
        outcomes.shuffle(&mut random);
        gaps.iter_mut().zip(outcomes).for_each(|(gap, changed)| gap.1 = changed);
    }
    anew
}

/// All forecasts of all rules.
fn judge(histories: &Histories, looks: usize, interval: f64) -> Judged {
    let mut by_look: Vec<Vec<(usize, bool)>> = vec![Vec::new(); looks];
    for (page, gaps) in histories.iter().enumerate() {
        gaps.iter().for_each(|(look, changed)| by_look[*look].push((page, *changed)));
    }
    let mut seen = vec![Seen::default(); histories.len()];
    let mut site = Seen::default();
    let mut judged = Judged::default();
    let mut prior: Option<Prior> = None;
    let mut known: HashMap<(u32, u32), f64> = HashMap::new();
    for (look, gaps) in by_look.iter().enumerate() {
        if look >= FIRST {
            if (look - FIRST).is_multiple_of(REFIT) {
                let looks: Vec<Looks> = seen.iter().map(|page| looks_of(page, interval)).collect();
                prior = Some(Prior::fit(&looks, Hyper::default()).prior);
                known.clear();
            }
            if (look - FIRST).is_multiple_of(BLOCK) {
                judged.blocks.push(Default::default());
            }
        }
        let share = (f64::from(site.changed) + 0.5) / (f64::from(site.gaps) + 1.0);
        for (page, changed) in gaps {
            let page = &seen[*page];
            let (Some(prior), Some(block)) = (prior, judged.blocks.last_mut()) else { continue };
            if page.gaps < GAPS {
                continue;
            }
            let gamma = *known
                .entry((page.gaps, page.changed))
                .or_insert_with(|| prior.change_within(&looks_of(page, interval), interval));
            let least = 0.5 / (f64::from(page.gaps) + 1.0);
            let own = f64::from(page.changed) / f64::from(page.gaps);
            let discounted = page.discounted(share);
            let odds = |chance: f64| (chance / (1.0 - chance)).ln();
            let mixed = 1.0 / (1.0 + (-(odds(gamma) + odds(discounted)) / 2.0).exp());
            let chances = [gamma, own.clamp(least, 1.0 - least), discounted, mixed, share];
            for (place, chance) in chances.into_iter().enumerate() {
                judged.whole[place].add(chance, *changed);
                block[place].add(chance, *changed);
            }
        }
        for (page, changed) in gaps {
            seen[*page].add(*changed);
            site.gaps = site.gaps.saturating_add(1);
            site.changed = site.changed.saturating_add(u32::from(*changed));
        }
    }
    judged
}

/// Gaps of one length as looks.
fn looks_of(page: &Seen, interval: f64) -> Looks {
    let unchanged = page.gaps - page.changed;
    Looks {
        changed: vec![interval; page.changed as usize],
        unchanged: f64::from(unchanged) * interval,
        unchanged_gaps: unchanged,
        pinned: 0,
    }
}

impl Judged {
    fn forecasts(&self, place: usize) -> u64 {
        self.whole[place].all().forecasts
    }

    /// A sum per forecast, with its standard error over blocks (each block as far from the mean as its forecasts are many).
    fn over_blocks(&self, place: usize, sum: impl Fn(&Calibration) -> f64) -> (Sample, u64) {
        let parts: Vec<(f64, f64)> = self
            .blocks
            .iter()
            .map(|block| (sum(&block[place]), block[place].all().forecasts as f64))
            .filter(|part| part.1 > 0.0)
            .collect();
        ratio_of(&parts)
    }

    /// Bits less than `gamma` a forecast.
    fn gain(&self, place: usize) -> (Sample, u64) {
        let parts: Vec<(f64, f64)> = self
            .blocks
            .iter()
            .map(|block| (block[0].bits - block[place].bits, block[0].all().forecasts as f64))
            .filter(|part| part.1 > 0.0)
            .collect();
        ratio_of(&parts)
    }

    /// Changes forecast for every change seen.
    fn ratio(&self, place: usize) -> (Sample, u64) {
        let parts: Vec<(f64, f64)> = self
            .blocks
            .iter()
            .map(|block| block[place].all())
            .filter(|all| all.forecasts > 0)
            .map(|all| (all.predicted, all.changed as f64))
            .collect();
        ratio_of(&parts)
    }
}

/// The ratio of two sums over blocks, with its standard error by linearisation; `None` where the second is 0.
fn ratio_of(parts: &[(f64, f64)]) -> (Sample, u64) {
    let (above, below) = parts.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    if below <= 0.0 {
        return (Sample { mean: None, deviation: None, stderr: None }, parts.len() as u64);
    }
    let mean = above / below;
    let n = parts.len() as f64;
    let squares: f64 = parts.iter().map(|part| (part.0 - mean * part.1).powi(2)).sum();
    let stderr = (parts.len() > 1).then(|| (squares * n / (n - 1.0)).sqrt() / below);
    (Sample { mean: Some(mean), deviation: None, stderr }, parts.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages that change in each gap with one chance of their own, always the same, and pages that calm down.
    fn histories(calming: bool) -> Histories {
        let mut state = 5u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        (0..300)
            .map(|page| {
                let chance = [0.02, 0.1, 0.3][page % 3];
                let chance = |look: usize| if calming && look > 18 { chance / 3.0 } else { chance };
                (1..60).map(|look| (look, random() < chance(look))).collect()
            })
            .collect()
    }

    #[test]
    fn forecasts_are_right_where_nothing_changes_and_high_where_pages_calm_down() {
        let steady = judge(&histories(false), 60, 86_400.0);
        let (ratio, blocks) = steady.ratio(0);
        assert!((ratio.mean.unwrap() - 1.0).abs() < 3.0 * ratio.stderr.unwrap() && blocks == 6, "{ratio:?}");
        assert_eq!(steady.forecasts(0), 300 * 36);
        let (bits, _) = steady.over_blocks(0, |block| block.bits);
        assert!(bits.mean.unwrap() < steady.over_blocks(4, |block| block.bits).0.mean.unwrap());
        let calming = histories(true);
        let falling = judge(&calming, 60, 86_400.0).ratio(0).0.mean.unwrap();
        assert!(falling > 1.5, "{falling}");
        // With the gaps in random order every page has one chance again.
        let anew = shuffled(&calming, 1);
        assert_ne!(anew, calming);
        let changes = |histories: &Histories| -> Vec<usize> {
            histories.iter().map(|gaps| gaps.iter().filter(|gap| gap.1).count()).collect()
        };
        assert_eq!(changes(&anew), changes(&calming));
        let flat = judge(&anew, 60, 86_400.0).ratio(0).0;
        assert!((flat.mean.unwrap() - 1.0).abs() < 0.1, "{flat:?}");
        // A discount follows what calms down sooner.
        let late = judge(&calming, 60, 86_400.0).ratio(2).0.mean.unwrap();
        assert!(late < falling, "{late} {falling}");
    }

    #[test]
    fn ratios_of_sums_have_the_error_of_their_blocks() {
        let (sample, blocks) = ratio_of(&[(1.0, 2.0), (3.0, 2.0)]);
        assert_eq!((sample.mean, blocks), (Some(1.0), 2));
        // Residuals −1 and 1: √(2·2/1)/4.
        assert_eq!(sample.stderr, Some(0.5));
        assert_eq!(ratio_of(&[]).0.mean, None);
        assert_eq!(ratio_of(&[(1.0, 0.0)]).0.mean, None);
    }

    #[test]
    fn a_discount_forgets() {
        let mut page = Seen::default();
        [true, false].into_iter().for_each(|changed| page.add(changed));
        assert!((page.discounted(0.1) - (0.7 + 0.1) / (1.7 + 1.0)).abs() < 1e-12);
        assert_eq!(Seen::default().discounted(0.25), 0.25);
    }
}
