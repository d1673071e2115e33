//! Limits that a job sets for every site, and which sites miss them by how much.

use std::fmt;
use std::str::FromStr;

use crate::audit::model::{Audit, SiteAudit};
use crate::error::{Error, Result};
use crate::format::{percent, precise};

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// The share of pages proven to stand together at the best instant: at least.
    Coherence,
    /// The share of pages that were the same at all captures, of those that could be judged: at least.
    Sharp,
    /// Query coherence by weight, its lower bound: at least.
    Query,
    /// The share of versions captured, by importance: at least.
    Versions,
    /// The share of links captured, by importance: at least.
    Links,
    /// The share of embedded resources captured, by importance: at least.
    Embeds,
    /// The expected blur of a page, on average: at most.
    Blur,
}

impl Measure {
    /// All of them with their names on the command line.
    pub(crate) const ALL: [(&'static str, Measure); 7] = [
        ("coherence", Measure::Coherence),
        ("sharp", Measure::Sharp),
        ("query", Measure::Query),
        ("versions", Measure::Versions),
        ("links", Measure::Links),
        ("embeds", Measure::Embeds),
        ("blur", Measure::Blur),
    ];

    fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, measure)| *measure == self).map_or("", |(name, _)| name)
    }

    /// The value for a site; `None` where it is unknown.
    fn of(self, site: &SiteAudit) -> Option<f64> {
        let coherence = &site.coherence;
        let completeness = site.completeness.as_ref();
        match self {
            Measure::Versions => site.versions_share(),
            Measure::Links => completeness?.links?.share,
            Measure::Embeds => completeness?.embeds?.share,
            Measure::Coherence => coherence.best.share.filter(|_| coherence.provable),
            Measure::Sharp => coherence.sharc.share,
            Measure::Query => coherence.query.by_weight.map(|range| range.low).filter(|_| coherence.provable),
            Measure::Blur => site.blur_mean(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limit {
    /// What is measured.
    pub measure: Measure,
    /// What it has to reach (blur: not exceed).
    pub value: f64,
}

/// A site that misses a limit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shortfall {
    /// `None`: the audit has no site at all.
    pub site: Option<String>,
    pub limit: Limit,
    /// What it reached; `None`: nothing that could be proven.
    pub reached: Option<f64>,
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Limit { measure, value } = self.limit;
        let (name, most) = (measure.name(), measure == Measure::Blur);
        let written = |value: f64| if most { precise(value) } else { percent(value) };
        let asked = format!("the limit is {} {}", if most { "at most" } else { "at least" }, written(value));
        let site = self.site.as_deref().unwrap_or("no page was judged");
        match self.reached {
            Some(reached) => write!(f, "{site}: {name} is {}, {asked}", written(reached)),
            None => write!(f, "{site}: {name} is unknown, which does not meet the limit; {asked}"),
        }
    }
}

/// Reads `coherence=0.95,blur=0.1`.
pub(crate) fn parse(text: &str) -> Result<Vec<Limit>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let limits: Vec<Limit> = parts.map(Limit::from_str).collect::<Result<_>>()?;
    if limits.is_empty() {
        return Err(Error::usage("no limit is given").with_remedy("such as coherence=0.95,blur=0.1"));
    }
    Ok(limits)
}

impl FromStr for Limit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let names = Measure::ALL.map(|(name, _)| name).join(", ");
        let fault = |what: String| Error::usage(what).with_remedy("such as coherence=0.95,blur=0.1");
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| fault(format!("{text:?} is not a limit: it needs name=value")))?;
        let measure = Measure::ALL.into_iter().find(|(known, _)| *known == name.trim());
        let (_, measure) =
            measure.ok_or_else(|| fault(format!("no such measure: {name:?}; there are {names}")))?;
        let value: f64 = value
            .trim()
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite() && *value >= 0.0)
            .ok_or_else(|| fault(format!("{value:?} is not a number of 0 or more")))?;
        if measure != Measure::Blur && value > 1.0 {
            return Err(fault(format!("{name} is a share between 0 and 1, not {value}")));
        }
        Ok(Limit { measure, value })
    }
}

/// Which sites fall short. What is unknown does not meet a limit, and without a site nothing does.
pub(crate) fn check(audit: &Audit, limits: &[Limit]) -> Vec<Shortfall> {
    let short = |site: &SiteAudit, limit: Limit| {
        let reached = limit.measure.of(site);
        let met = reached.is_some_and(|reached| match limit.measure {
            Measure::Blur => reached <= limit.value,
            _ => reached >= limit.value,
        });
        (!met).then(|| Shortfall { site: Some(site.site.clone()), limit, reached })
    };
    if audit.sites.is_empty() {
        return limits.iter().map(|limit| Shortfall { site: None, limit: *limit, reached: None }).collect();
    }
    audit.sites.iter().flat_map(|site| limits.iter().filter_map(move |limit| short(site, *limit))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{AuditInput, Parameters, audit};
    use crate::capture::table::Table;
    use crate::capture::testing::look;

    #[test]
    fn a_limit_is_a_name_and_a_number() {
        assert_eq!(parse("coherence=0.95, blur=3").unwrap().len(), 2);
        for wrong in
            ["coherence", "shine=1", "coherence=much", "coherence=95", "blur=-1", "blur=NaN", "", ","]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_cannot_be_proven_does_not_meet_a_limit() {
        let once = Table::of(&[look("http://a.example/", "2024-01-01T00:00:00Z").body(1).build()]);
        let audit = audit(&once, &Parameters::default(), AuditInput::default());
        let short = check(&audit, &parse("coherence=0,blur=1").unwrap());
        assert_eq!(short.len(), 2);
        assert_eq!(
            short[0].to_string(),
            "a.example: coherence is unknown, which does not meet the limit; the limit is at least 0%"
        );
        // One capture shows nothing about changes: what is expected of them is assumed.
        assert_eq!(
            short[1].to_string(),
            "a.example: blur is unknown, which does not meet the limit; the limit is at most 1.00"
        );
        assert_eq!(check(&audit, &parse("versions=0").unwrap()).len(), 1);
    }

    #[test]
    fn where_nothing_was_judged_no_limit_is_met() {
        let none = audit(&Table::of(&[]), &Parameters::default(), AuditInput::default());
        let short = check(&none, &parse("coherence=0,blur=1").unwrap());
        let told: Vec<String> = short.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "no page was judged: coherence is unknown, which does not meet the limit; the limit is at least 0%",
                "no page was judged: blur is unknown, which does not meet the limit; the limit is at most 1.00"
            ]
        );
    }

    #[test]
    fn a_shortfall_says_by_how_much() {
        let page =
            |name: &str, date: &str, body| look(&format!("http://a.example/{name}"), date).body(body).build();
        let table = Table::of(&[
            page("a", "2024-01-01T00:00:00Z", 1),
            page("a", "2024-01-02T00:00:00Z", 1),
            page("b", "2024-01-01T00:00:00Z", 2),
            page("b", "2024-01-02T00:00:00Z", 3),
        ]);
        let audit = audit(&table, &Parameters::default(), AuditInput::default());
        let short = check(&audit, &parse("coherence=0.75,sharp=0.5").unwrap());
        assert_eq!(short.len(), 1);
        assert_eq!(short[0].to_string(), "a.example: coherence is 50%, the limit is at least 75%");
    }
}
