//! How far rates, blur and versions of a site can be believed.
//!
//! Pages that differ within a minute, or at every one of many captures, are left out: the model does not fit
//! them. A figure is *unknown*, and no headline uses it, where no captures check it, where they cannot bound it from above, where the model
//! does not fit them, or where its value is one that only a misfit gives: more changes between two captures than
//! captures can show, more than one version off on average, or nearly all versions missed.

use crate::audit::model::{Basis, Blur, FigureBases, FigureBasis};
use crate::audit::page::Work;
use crate::audit::rate_list::RateList;
use crate::capture::Kind;
use crate::change::rate::{Rates, Source};
use crate::change::run::is_per_request;
use crate::format::duration;
use crate::quality::completeness::VersionCompleteness;
use crate::time::SECOND;

/// A mean blur above this many versions a page says that replay is wrong nearly everywhere: rates are not resolved.
const MAX_BLUR: f64 = 1.0;
/// A share of versions below this says the same.
const MIN_VERSIONS: f64 = 0.1;
/// A share of pages above this that changed between every two captures leaves blur without bound.
const MAX_RESTLESS: f64 = 0.12;
/// More expected changes than this between two captures cannot be distinguished from any other number.
const MAX_CHANGES_PER_CAPTURE: f64 = 1.0;

/// What the pages of a site say of its figures, gathered while they go by.
#[derive(Debug)]
pub(crate) struct Grounds {
    pages: u64,
    /// The rates of all pages are those of an exact history.
    told: bool,
    /// The versions of all pages were counted.
    counted: bool,
    /// The rates of all pages are assumed.
    pub assumed: bool,
    /// The rates of some pages are assumed.
    some_assumed: bool,
    /// The rates of some pages are those of an exact history.
    some_told: bool,
    /// All captures are known from an index only.
    only_index: bool,
    /// Expected changes between two captures of a page.
    changes: Vec<f64>,
    /// Pages with enough captures to see a pause in their changes, and how many of them had none.
    often_seen: u64,
    never_still: u64,
    /// Pages that the model does not fit.
    unfit: u64,
    /// Some page was seen unchanged.
    some_still: bool,
}

impl Default for Grounds {
    fn default() -> Self {
        Grounds {
            pages: 0,
            told: true,
            counted: true,
            assumed: true,
            some_assumed: false,
            some_told: false,
            only_index: true,
            changes: Vec::new(),
            often_seen: 0,
            never_still: 0,
            unfit: 0,
            some_still: false,
        }
    }
}

impl Grounds {
    /// Adds a page; `counted` says that its versions were counted.
    pub(crate) fn add(&mut self, work: &Work<'_>, counted: bool) {
        self.only_index &= work.record.answers.iter().all(|answer| answer.kind == Kind::Index);
        self.some_still |= work.versions.gaps().any(|gap| gap.link.is_none());
        let restless = work.is_restless();
        self.often_seen += u64::from(restless.is_some());
        self.never_still += u64::from(restless == Some(true));
        if work.is_unfit() {
            self.unfit += 1;
            return;
        }
        self.pages += 1;
        self.told &= work.rate.source == Source::History;
        self.counted &= counted;
        self.assumed &= work.rate.source == Source::Assumed;
        self.some_told |= work.rate.source == Source::History;
        self.some_assumed |= work.rate.source == Source::Assumed;
        if let ([first, .., last], Source::Looks) = (&work.versions.looks[..], work.rate.source) {
            let span = last.time.0.saturating_sub(first.time.0) as f64 / SECOND as f64;
            self.changes.push(work.rate.per_second() * span / (work.versions.looks.len() - 1) as f64);
        }
    }
}

/// Judges the figures of a site.
pub(crate) fn of_site(
    rates: &Rates<RateList>,
    mut grounds: Grounds,
    blur: &Blur,
    versions: &VersionCompleteness,
) -> FigureBases {
    let Grounds { told, counted, assumed, .. } = grounds;
    let too_fast = too_fast(&mut grounds.changes);
    let misfit = misfit(rates, &grounds);
    // All pages that could be judged are left out.
    let unfit = (grounds.unfit > 0).then(|| differ(grounds.unfit));
    let of = |exact: bool, value: Option<f64>, absurd: Option<String>| {
        let unknown = |reason: Option<String>| FigureBasis { basis: Basis::Unknown, reason };
        match (value, misfit.clone(), absurd) {
            (None, Some(reason), _) if grounds.unfit > 0 => unknown(Some(reason)),
            (None, ..) => unknown(unfit.clone()),
            _ if exact => FigureBasis { basis: Basis::Known, reason: None },
            (_, Some(reason), _) => unknown(Some(reason)),
            _ if assumed => {
                let reason = Some("nothing is known of how this site changes".to_owned());
                FigureBasis { basis: Basis::Assumed, reason }
            }
            (.., Some(reason)) => unknown(Some(reason)),
            _ => FigureBasis::default(),
        }
    };
    let restless = restless(&grounds);
    let mean = blur.actual.mean;
    let share = versions.share;
    FigureBases {
        rates: of(
            told,
            (grounds.pages > 0).then_some(0.0),
            too_fast.clone().or_else(|| never_changed(rates, &grounds)),
        ),
        blur: of(
            blur.actual.exact,
            mean,
            too_fast.clone().or(restless).or_else(|| {
                let reason =
                    "over 1 version per page: the captures are too far apart to show how often pages change";
                (mean > Some(MAX_BLUR)).then(|| reason.to_owned())
            }),
        ),
        versions: of(
            counted,
            share,
            too_fast.or_else(|| {
                let reason = "under 10% of versions: the captures do not resolve how often pages change";
                share.filter(|share| *share < MIN_VERSIONS).map(|_| reason.to_owned())
            }),
        ),
    }
}

/// Why it is unknown how often a page changes, by the basis of the rates of its site; `None` where it is known.
pub(crate) fn unknown_rate(work: &Work<'_>, rates: &FigureBasis) -> Option<String> {
    let nothing = "nothing shows how the pages of this site change";
    match (work.rate.source, work.versions.differs_always()) {
        (Source::History, _) => None,
        (_, Some(seconds)) if is_per_request(seconds) => Some(format!(
            "it is probably generated for each request, or comes from several servers: captures {} apart differ",
            duration(seconds)
        )),
        (_, Some(seconds)) => {
            Some(format!("it differs at every capture, even at captures {} apart", duration(seconds)))
        }
        (Source::Assumed, None) => Some(nothing.to_owned()),
        _ if rates.is_usable() => None,
        _ => Some(rates.reason.clone().unwrap_or_else(|| nothing.to_owned())),
    }
}

/// Why the change rates of the site are not to be used.
fn misfit(rates: &Rates<RateList>, grounds: &Grounds) -> Option<String> {
    if rates.unbounded {
        let except = if grounds.some_still { ", except at captures close together" } else { "" };
        return Some(match grounds.only_index {
            true => format!(
                "every page captured twice differs{except}; this index probably leaves unchanged captures out"
            ),
            false => {
                format!("every page captured twice differs{except}, so nothing bounds how often pages change")
            }
        });
    }
    let check = &rates.check;
    if check.pages == 0 && !grounds.assumed && !grounds.some_told {
        return Some(
            "no two captures of a page compare, so nothing checks how often pages change".to_owned(),
        );
    }
    if grounds.some_assumed && !grounds.assumed {
        let reason =
            "no page was seen to change, so the Last-Modified of pages captured once cannot be checked";
        return Some(reason.to_owned());
    }
    (check.pages > 0 && !check.agrees()).then(|| {
        format!(
            "change rates do not fit the captures: {} of {} pages changed, about {:.0} were expected",
            check.changed, check.pages, check.expected
        )
    })
}

/// Why rates are unknown: captures show pages unchanged only, which bounds how often they change but does not tell it.
fn never_changed(rates: &Rates<RateList>, grounds: &Grounds) -> Option<String> {
    (!rates.are_checked() && !grounds.some_told).then(|| match grounds.unfit {
        0 => "no page was seen to change".to_owned(),
        unfit => format!("{}, and no other was seen to change", differ(unfit)),
    })
}

/// What is said of pages that the model does not fit.
fn differ(unfit: u64) -> String {
    match unfit {
        1 => "1 page differs within a minute or at every capture".to_owned(),
        _ => format!("{unfit} pages differ within a minute or at every capture"),
    }
}

/// Why blur cannot be bounded: too many pages changed between every two captures. How often those change, no capture shows, and
/// they blur most.
fn restless(grounds: &Grounds) -> Option<String> {
    let Grounds { often_seen, never_still, .. } = *grounds;
    (never_still as f64 > MAX_RESTLESS * often_seen as f64).then(|| {
        format!(
            "{never_still} of {often_seen} pages changed between every two captures: how often these change is not bounded, so blur is \
             higher than estimated"
        )
    })
}

/// Why rates cannot be resolved: the median page is expected to change more than once between two captures.
fn too_fast(changes: &mut [f64]) -> Option<String> {
    changes.sort_by(f64::total_cmp);
    let median = changes.get(changes.len() / 2)?;
    (*median > MAX_CHANGES_PER_CAPTURE)
        .then(|| "a typical page changed more often than it was captured".to_owned())
}
