//! When pages change significantly, from their captures.

use crate::audit::model::ClassPattern;
use crate::audit::page::Work;
use crate::change::run::Link;
use crate::quality::evenness::LEVEL;
use crate::quality::pattern::{Classes, Look, Pattern, PatternSummary};
use crate::time::{Instant, SECOND};

/// The captures of a page that can be compared with the one before. `weights` are the importances of the changes that
/// began each run; a change of unknown importance is left out, or counts as 1 with `plain`: none is known at all. Times are
/// shifted by the offset of local time.
pub(crate) fn looks(work: &Work<'_>, weights: &[Option<f64>], plain: bool, offset_minutes: i32) -> Vec<Look> {
    let versions = &work.versions;
    let mut run = 0;
    let mut looks = Vec::new();
    for gap in versions.gaps() {
        let importance = match gap.link {
            None => Some(0.0),
            Some(Link::Unknown) => None,
            Some(Link::Different(_)) if plain => Some(1.0),
            Some(Link::Different(_)) => weights.get(run + 1).copied().flatten(),
        };
        run += usize::from(gap.link.is_some());
        let hours = gap.to.time.0.saturating_sub(gap.from.time.0) as f64 / (3600 * SECOND) as f64;
        let at = Instant(gap.to.time.0.saturating_add(i64::from(offset_minutes) * 60 * SECOND));
        looks.extend(importance.map(|importance| Look { at, gap_hours: hours, importance }));
    }
    looks
}

/// The patterns of classes of pages that behave alike. Each class is a test of its own.
pub(crate) fn classes(classes: Classes, offset_minutes: i32) -> Vec<ClassPattern> {
    let classes: Vec<_> = classes
        .finish()
        .map(|(behaviour, pages, pattern)| (behaviour, pages, pattern.chance(), pattern))
        .collect();
    let tested = classes.iter().filter(|(_, _, chance, _)| chance.is_some()).count();
    let class = |(behaviour, pages, chance, pattern): (_, u32, Option<f64>, Pattern)| ClassPattern {
        behaviour,
        pages: u64::from(pages),
        pattern: PatternSummary {
            utc_offset_minutes: offset_minutes,
            chance_even: chance,
            chance_limit: chance.map(|_| LEVEL / tested as f64),
            ..pattern.summary()
        },
    };
    classes.into_iter().map(class).collect()
}
