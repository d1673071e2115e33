//! How far rates, blur and versions of a site can be believed.
//!
//! A figure is *unknown*, and no headline uses it, where the captures cannot bound it from above, where the model
//! does not fit them, or where its value is one that only a misfit gives: more changes between two captures than
//! captures can show, more than one version off on average, or nearly all versions missed.

use crate::audit::model::{Basis, Blur, FigureBases, FigureBasis, PageAudit};
use crate::audit::site::SiteInput;
use crate::capture::Kind;
use crate::change::rate::Source;
use crate::quality::completeness::VersionCompleteness;
use crate::time::SECOND;

/// A mean blur above this many versions a page says that replay is wrong nearly everywhere: rates are not resolved.
const MAX_BLUR: f64 = 1.0;
/// A share of versions below this says the same.
const MIN_VERSIONS: f64 = 0.1;
/// More expected changes than this between two captures cannot be distinguished from any other number.
const MAX_CHANGES_PER_CAPTURE: f64 = 1.0;

/// Judges the figures of a site.
pub(crate) fn of_site(
    input: &SiteInput<'_>,
    assumed: bool,
    blur: &Blur,
    versions: &VersionCompleteness,
    pages: &[PageAudit],
) -> FigureBases {
    let told = pages.iter().all(|page| page.rate.source == Source::History);
    let counted = pages.iter().all(|page| page.completeness.is_none_or(|found| found.exact));
    let misfit = misfit(input);
    let of = |exact: bool, value: Option<f64>, absurd: Option<String>| {
        let unknown = |reason: Option<String>| FigureBasis { basis: Basis::Unknown, reason };
        match (value, misfit.clone(), absurd) {
            (None, ..) => unknown(None),
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
    let mean = blur.actual.mean;
    let share = versions.share.map(|share| share.value);
    let too_fast = too_fast(input);
    FigureBases {
        rates: of(told, (!pages.is_empty()).then_some(0.0), too_fast.clone()),
        blur: of(
            blur.actual.exact,
            mean,
            too_fast.clone().or_else(|| {
                let reason =
                    "more than one version a page: the captures do not resolve how often pages change";
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

/// Why the change rates of the site are not to be used.
fn misfit(input: &SiteInput<'_>) -> Option<String> {
    let rates = input.rates;
    if rates.unbounded {
        let only_index =
            input.works.iter().flat_map(|work| work.rows.iter()).all(|row| row.kind == Kind::Index);
        let reason = match only_index {
            true => "every page captured twice differs; this index probably leaves unchanged captures out",
            false => "every page captured twice differs, so nothing bounds how often pages change",
        };
        return Some(reason.to_owned());
    }
    let check = &rates.check;
    (check.pages > 0 && !check.agrees()).then(|| {
        format!(
            "change rates do not fit the captures: {} of {} pages changed, {:.1} were expected to",
            check.changed, check.pages, check.expected
        )
    })
}

/// Why rates cannot be resolved: the median page is expected to change more than once between two captures.
fn too_fast(input: &SiteInput<'_>) -> Option<String> {
    let mut changes: Vec<f64> = input
        .works
        .iter()
        .filter(|work| work.rate.source == Source::Looks && work.versions.looks.len() > 1)
        .map(|work| {
            let looks = &work.versions.looks;
            let span = looks[looks.len() - 1].time.0.saturating_sub(looks[0].time.0) as f64 / SECOND as f64;
            work.rate.per_second() * span / (looks.len() - 1) as f64
        })
        .collect();
    changes.sort_by(f64::total_cmp);
    let median = changes.get(changes.len() / 2)?;
    (*median > MAX_CHANGES_PER_CAPTURE)
        .then(|| "a typical page changed more often than it was captured".to_owned())
}
