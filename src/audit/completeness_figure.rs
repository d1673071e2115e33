//! The figure that the sentence about completeness shows, and what it becomes when all that was never requested is captured.

use crate::audit::bands::{self, Parts};
use crate::audit::model::{Band, LinkCompleteness, SiteAudit};
use crate::format::{number, percent};

/// Minimum total for a percentage: below it a count says more.
pub(crate) const MIN_FOR_PERCENT: u64 = 20;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// Linked pages: they decide, or nothing is known of the limits of the crawl.
    Links,
    /// Embedded files, where they decide the band.
    Embeds,
    /// Both together.
    All,
    /// Both together, but the versions of the pages decide.
    Versions,
}

/// Links and embeds of a site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figure {
    pub links: LinkCompleteness,
    pub embeds: LinkCompleteness,
}

/// The figure that is shown of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown {
    pub of: Of,
    figure: Figure,
}

/// What counts of links or embeds.
pub(crate) fn counted(found: &LinkCompleteness) -> u64 {
    found.captured + found.failed + found.untried
}

/// The noun for links and embeds together.
pub(crate) fn things(links: u64, embeds: u64) -> &'static str {
    match (links, embeds) {
        (_, 0) => "linked page",
        (0, _) => "embed",
        _ => "linked pages and embedded file",
    }
}

/// Links and embeds together.
pub(crate) fn together(site: &SiteAudit) -> Option<LinkCompleteness> {
    let found = site.completeness.as_ref()?;
    Some(Figure { links: found.links?, embeds: found.embeds? }.together())
}

impl Figure {
    pub(crate) fn of(site: &SiteAudit) -> Option<Self> {
        let found = site.completeness.as_ref()?;
        Some(Figure { links: found.links?, embeds: found.embeds? })
    }

    pub(crate) fn together(self) -> LinkCompleteness {
        let Figure { links, embeds } = self;
        let captured = links.captured + embeds.captured;
        let failed = links.failed + embeds.failed;
        let untried = links.untried + embeds.untried;
        let all = captured + failed + untried;
        let share = (all > 0).then(|| captured as f64 / all as f64);
        LinkCompleteness {
            share,
            plain_share: share,
            captured,
            failed,
            untried,
            excluded: links.excluded + embeds.excluded,
            out_of_scope: links.out_of_scope + embeds.out_of_scope,
            optional: links.optional + embeds.optional,
            beyond: links.beyond + embeds.beyond,
            away: links.away + embeds.away,
        }
    }

    /// The figure that is shown: of the part that decides, where links and embeds together would give another band.
    pub(crate) fn shown(self, parts: &Parts, band: Band) -> Shown {
        let share = parts.worst();
        let worst = share.map(bands::of_share);
        let decides = |part: Option<f64>| part.is_some() && part == share && worst != Some(Band::Good);
        let differs = self.together().share.map(bands::of_share) != worst;
        let of = match () {
            () if parts.links.is_none() && counted(&self.links) > 0 && band == Band::CannotTell => Of::Links,
            () if decides(parts.versions) && parts.embeds.is_none_or(|embeds| Some(embeds) > share) => {
                Of::Versions
            }
            () if decides(parts.embeds) && (worst == Some(Band::Poor) || differs) => Of::Embeds,
            () if decides(parts.links) && differs && counted(&self.embeds) > 0 => Of::Links,
            () => Of::All,
        };
        Shown { of, figure: self }
    }
}

impl Shown {
    /// How many were captured, of how many, and their noun.
    pub(crate) fn counted(&self) -> (u64, u64, &'static str) {
        let Figure { links, embeds } = self.figure;
        let all = self.figure.together();
        match self.of {
            Of::Links => (links.captured, counted(&links), "linked page"),
            Of::Embeds => (embeds.captured, counted(&embeds), "embed"),
            Of::All | Of::Versions => {
                (all.captured, counted(&all), things(counted(&links), counted(&embeds)))
            }
        }
    }
}

/// What the capture of more does to the figure of the sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Effect {
    of: Of,
    before: u64,
    after: u64,
    total: u64,
}

impl Effect {
    /// The effect; `None` where the sentence would show another figure afterwards, or versions decide, which nobody can foresee.
    /// `after` gives links or embeds, named by their kind, as they will be.
    pub(crate) fn of(
        site: &SiteAudit,
        after: impl Fn(&str, LinkCompleteness) -> LinkCompleteness,
    ) -> Option<Self> {
        let figure = Figure::of(site)?;
        let changed = Figure { links: after("link", figure.links), embeds: after("embed", figure.embeds) };
        let shown = |figure: Figure| {
            let parts = Parts::with(site, Some(figure.links), Some(figure.embeds));
            figure.shown(&parts, parts.band(bands::links_unknown(site)))
        };
        let (then, later) = (shown(figure), shown(changed));
        let same = Shown { figure: changed, ..then };
        let (before, total, _) = then.counted();
        let (after, ..) = same.counted();
        let all = changed.together();
        let is_shown = match (then.of, later.of) {
            (Of::Versions, _) => false,
            (Of::All, Of::Versions) => true,
            (a, b) if a == b => true,
            // "All 12 linked pages and embedded files were captured."
            _ => all.captured == counted(&all),
        };
        (is_shown && after > before).then_some(Effect { of: then.of, before, after, total })
    }

    pub(crate) fn shares(&self) -> (f64, f64) {
        let total = self.total.max(1) as f64;
        (self.before as f64 / total, self.after as f64 / total)
    }

    fn name(&self) -> &'static str {
        match self.of {
            Of::Links => "linked pages",
            Of::Embeds => "embeds",
            Of::All | Of::Versions => "complete",
        }
    }

    /// `complete 28 → 30 of 32`.
    pub(crate) fn in_counts(&self) -> String {
        let (before, after, total) = (number(self.before), number(self.after), number(self.total));
        format!("{} {before} → {after} of {total}", self.name())
    }

    /// `complete 88% → 94%`; in counts where they are few, or where percentages say too little.
    pub(crate) fn text(&self) -> String {
        let (before, after) = self.shares();
        let (before, after) = (percent(before), percent(after));
        let is_plain = |text: &str| text.starts_with(|letter: char| letter.is_ascii_digit());
        match self.total >= MIN_FOR_PERCENT && before != after && is_plain(&before) && is_plain(&after) {
            true => format!("{} {before} → {after}", self.name()),
            false => self.in_counts(),
        }
    }
}
