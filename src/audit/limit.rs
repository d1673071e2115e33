//! Bars: what a job asks of every site, and which site falls short by how much.

use std::fmt;
use std::str::FromStr;

use crate::audit::model::{Audit, SiteAudit};
use crate::audit::words::figure;
use crate::error::{Error, Result};

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// The share of pages proven to stand together at the best instant: at least.
    Coherence,
    /// The share of pages that were the same at all looks, of those that could be judged: at least.
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

    /// The value for a site; `None` where it is not known.
    fn of(self, site: &SiteAudit) -> Option<f64> {
        let coherence = &site.coherence;
        let completeness = site.completeness.as_ref();
        match self {
            // What rests on an assumption alone is not known.
            Measure::Versions | Measure::Blur if site.rates.assumed => None,
            Measure::Versions => completeness?.versions.share,
            Measure::Links => completeness?.links?.share,
            Measure::Embeds => completeness?.embeds?.share,
            Measure::Coherence => coherence.best.share.filter(|_| coherence.provable),
            Measure::Sharp => coherence.sharc.share,
            Measure::Query => coherence.query.by_weight.map(|range| range.low).filter(|_| coherence.provable),
            Measure::Blur => site.blur.actual.mean,
        }
    }
}

/// One bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bar {
    /// What is measured.
    pub measure: Measure,
    /// What it has to reach (blur: not exceed).
    pub value: f64,
}

/// A site that does not meet a bar.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shortfall {
    /// The site; `None`: there is none, and so nothing that could meet it.
    pub site: Option<String>,
    /// The bar.
    pub bar: Bar,
    /// What it reached; `None`: nothing that could be proven.
    pub reached: Option<f64>,
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bar { measure, value } = self.bar;
        let (name, most) = (measure.name(), measure == Measure::Blur);
        let asked = format!("{} {} was asked for", if most { "at most" } else { "at least" }, figure(value));
        let site = self.site.as_deref().unwrap_or("no page was judged");
        match self.reached {
            Some(reached) => write!(
                f,
                "{site}: {name} is {}, {asked}: {} too {}",
                figure(reached),
                figure((reached - value).abs()),
                if most { "much" } else { "little" }
            ),
            None => write!(f, "{site}: {name} cannot be proven, {asked}"),
        }
    }
}

/// Reads `coherence=0.95,blur=0.1`.
pub(crate) fn parse(text: &str) -> Result<Vec<Bar>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let bars: Vec<Bar> = parts.map(Bar::from_str).collect::<Result<_>>()?;
    if bars.is_empty() {
        return Err(Error::usage("no bar is named").with_remedy("such as coherence=0.95,blur=0.1"));
    }
    Ok(bars)
}

impl FromStr for Bar {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let names = Measure::ALL.map(|(name, _)| name).join(", ");
        let fault = |what: String| Error::usage(what).with_remedy("such as coherence=0.95,blur=0.1");
        let (name, value) =
            text.split_once('=').ok_or_else(|| fault(format!("{text:?} is no bar: it needs name=value")))?;
        let measure = Measure::ALL.into_iter().find(|(known, _)| *known == name.trim());
        let (_, measure) =
            measure.ok_or_else(|| fault(format!("no such measure: {name:?}; there are {names}")))?;
        let value: f64 = value
            .trim()
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite() && *value >= 0.0)
            .ok_or_else(|| fault(format!("{value:?} is no number of 0 or more")))?;
        if measure != Measure::Blur && value > 1.0 {
            return Err(fault(format!("{name} is a share between 0 and 1, not {value}")));
        }
        Ok(Bar { measure, value })
    }
}

/// Which sites fall short. What is not known does not meet a bar, and where there is no site, nothing does.
pub(crate) fn check(audit: &Audit, bars: &[Bar]) -> Vec<Shortfall> {
    let short = |site: &SiteAudit, bar: Bar| {
        let reached = bar.measure.of(site);
        let met = reached.is_some_and(|reached| match bar.measure {
            Measure::Blur => reached <= bar.value,
            _ => reached >= bar.value,
        });
        (!met).then(|| Shortfall { site: Some(site.site.clone()), bar, reached })
    };
    if audit.sites.is_empty() {
        return bars.iter().map(|bar| Shortfall { site: None, bar: *bar, reached: None }).collect();
    }
    audit.sites.iter().flat_map(|site| bars.iter().filter_map(move |bar| short(site, *bar))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{AuditInput, Parameters, audit};
    use crate::capture::table::Table;
    use crate::capture::testing::look;

    #[test]
    fn a_bar_is_a_name_and_a_number() {
        assert_eq!(parse("coherence=0.95, blur=3").unwrap().len(), 2);
        for wrong in
            ["coherence", "shine=1", "coherence=much", "coherence=95", "blur=-1", "blur=NaN", "", ","]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_cannot_be_proven_does_not_meet_a_bar() {
        let once = Table::of(&[look("http://a.example/", "2024-01-01T00:00:00Z").body(1).build()]);
        let audit = audit(&once, &Parameters::default(), AuditInput::default());
        let short = check(&audit, &parse("coherence=0,blur=1").unwrap());
        assert_eq!(short.len(), 2);
        assert_eq!(short[0].to_string(), "a.example: coherence cannot be proven, at least 0 was asked for");
        // One look tells nothing of changes: what is expected of them is assumed.
        assert_eq!(short[1].to_string(), "a.example: blur cannot be proven, at most 1.00 was asked for");
        assert_eq!(check(&audit, &parse("versions=0").unwrap()).len(), 1);
    }

    #[test]
    fn where_nothing_was_judged_no_bar_is_met() {
        let none = audit(&Table::of(&[]), &Parameters::default(), AuditInput::default());
        let short = check(&none, &parse("coherence=0,blur=1").unwrap());
        let told: Vec<String> = short.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "no page was judged: coherence cannot be proven, at least 0 was asked for",
                "no page was judged: blur cannot be proven, at most 1.00 was asked for"
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
        assert_eq!(
            short[0].to_string(),
            "a.example: coherence is 0.500, at least 0.750 was asked for: 0.250 too little"
        );
    }
}
