//! The patterns that an audit found, as the pattern strategies of the next crawl take them.
//!
//! A page has few captures, and most hours of the week have none. So a page's *level* is its change rate, which rests
//! on all its captures, and the *shape* of its week is its own only where two or more periods have enough captures; else
//! it is that of its class, the pages of the site that behave alike; a pattern that may be chance is not used. With λ per second, s_k the share of the captures in period k
//! that showed a change, m_k their mean importance and s the share of all captures:
//!
//! ```text
//! changes in hour k           3600 λ · s_k / s
//! importance in hour k        3600 λ · m_k / s          (s_k = s, m_k = m where there is no capture)
//! ```
//!
//! A page without a class, captured once or never, and a class that was never seen to change, have the same λ in
//! every hour and changes of the mean importance of the site (1 where no change was seen at all).
//!
//! DIFFERENCE: Ben Saad, Gançarski, *Improving the Quality of Web Archives through the Importance of Changes*, DEXA 2011, §4.3,
//! take the mean of the changes seen in each period, from a page captured in every one.

use std::collections::HashMap;
use std::sync::Arc;

use crate::audit::model::SiteAudit;
use crate::audit::next::planned::Planned;
use crate::quality::pattern::{Behaviour, PatternSummary, WEEK, period_of_hour};
use crate::schedule::pattern::{Cycle, Pattern};

const HOUR_SECONDS: f64 = 3600.0;

/// The weeks of a site's pages.
pub(crate) struct Weeks {
    classes: HashMap<Behaviour, Arc<Cycle>>,
    flat: Option<Arc<Cycle>>,
}

impl Weeks {
    pub(crate) fn of(site: &SiteAudit) -> Self {
        let classes = site.patterns.as_deref().unwrap_or_default();
        let total = |value: fn(&PatternSummary) -> Option<f64>| -> f64 {
            let of = |pattern: &PatternSummary| f64::from(pattern.looks) * value(pattern).unwrap_or(0.0);
            classes.iter().map(|class| of(&class.pattern)).sum()
        };
        let changes = total(|pattern| pattern.changed);
        let importance = if changes > 0.0 { total(|pattern| pattern.mean) / changes } else { 1.0 };
        let flat = Cycle::new(vec![1.0; WEEK], vec![importance; WEEK]);
        let week = |class: &crate::audit::model::ClassPattern| {
            Some((class.behaviour, Arc::new(week(Some(&class.pattern).filter(|p| p.is_uneven())?)?)))
        };
        Weeks {
            classes: classes.iter().filter_map(week).collect(),
            flat: flat.ok().map(|cycle| Arc::new(cycle.lasting(HOUR_SECONDS))),
        }
    }

    /// The pattern of a page of this rate (changes a second): its own, that of its class, or none in particular.
    pub(crate) fn pattern(&self, page: &impl Planned, rate: f64) -> Option<Pattern> {
        let own = page
            .pattern()
            .filter(|pattern| pattern.is_trusted() && pattern.is_uneven())
            .and_then(week)
            .map(Arc::new);
        let cycle = own.or_else(|| self.classes.get(&page.behaviour()?).cloned());
        cycle.map_or_else(|| self.flat(rate), |cycle| Some(Pattern::of(cycle, rate * HOUR_SECONDS)))
    }

    /// The pattern of a page of which only its rate is known.
    pub(crate) fn flat(&self, rate: f64) -> Option<Pattern> {
        Some(Pattern::of(self.flat.clone()?, rate * HOUR_SECONDS))
    }
}

/// The week of a class; `None` if it was never seen to change.
fn week(pattern: &PatternSummary) -> Option<Cycle> {
    let (share, mean) = (pattern.changed.filter(|share| *share > 0.0)?, pattern.mean?);
    let hour = |at: usize| {
        // The hours of a pattern may be local ones.
        let local = (at as i64 * 60 + i64::from(pattern.utc_offset_minutes)).div_euclid(60);
        let (kind, hour) = period_of_hour(local.rem_euclid(WEEK as i64) as usize);
        let strip = pattern.strips.iter().find(|strip| strip.kind == kind);
        let of = |values: &[Option<f64>], otherwise| values.get(hour).copied().flatten().unwrap_or(otherwise);
        strip.map_or((share, mean), |strip| (of(&strip.changed, share), of(&strip.means, mean)))
    };
    let (changes, importance) =
        (0..WEEK).map(hour).map(|(changed, mean)| (changed / share, mean / share)).unzip();
    Some(Cycle::new(changes, importance).ok()?.lasting(HOUR_SECONDS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::pattern::{Look, Pattern as Seen};
    use crate::time::Instant;

    #[test]
    fn the_level_is_the_rate_and_the_shape_is_that_of_the_class() {
        let look =
            |at: &str, importance: f64| Look { at: Instant::parse(at).unwrap(), gap_hours: 1.0, importance };
        // Mondays at 9 it changes every time, at 10 never.
        let seen = Seen::of([look("2024-01-01T09:10:00Z", 0.4), look("2024-01-01T10:10:00Z", 0.0)]);
        let cycle = Arc::new(week(&seen.summary()).unwrap());
        let behaviour = Behaviour { often: 3, much: 2, when: None };
        let flat = Arc::new(Cycle::new(vec![1.0; WEEK], vec![0.4; WEEK]).unwrap());
        let weeks = Weeks { classes: HashMap::from([(behaviour, cycle)]), flat: Some(flat) };
        let page = Pattern::of(weeks.classes[&behaviour].clone(), 1.0);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        close(page.changes(9), 2.0);
        close(page.changes(10), 0.0);
        // Nobody looked at noon: as over all captures, one change an hour of importance 0.4.
        close(page.changes(12), 1.0);
        close(page.importance(9), 0.8);
        close(page.importance(12), 0.4);
        let unknown = weeks.flat(2.0 / 3600.0).unwrap();
        close(unknown.changes(9), 2.0);
        close(unknown.importance(9), 0.8);
        assert!(week(&Seen::default().summary()).is_none());
    }
}
