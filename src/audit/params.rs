//! What decides the result of an audit.

use serde::{Deserialize, Serialize};

use crate::audit::site_rates::RatePriors;
use crate::capture::crawl::Division;
use crate::capture::page::PageFilter;
use crate::change::evidence::{Compare, Grade};
use crate::error::Result;
use crate::time::Instant;
use crate::url::{Canon, SiteBy};

/// The parameters of an audit, as the user gave them.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// How URLs become keys of pages.
    pub canon: Canon,
    /// What makes a site.
    pub site_by: SiteBy,
    /// Which URLs are pages.
    pub pages: PageFilter,
    /// The weakest grade of evidence that decides.
    pub evidence: Grade,
    /// Whether markup counts.
    pub compare: Compare,
    /// Observations before are not looked at.
    pub from: Option<Instant>,
    /// Observations from then on are not looked at.
    pub to: Option<Instant>,
    /// How observations are divided into crawls.
    pub division: Division,
    /// Only this site.
    pub site: Option<String>,
    /// Embedded resources count for completeness only where they lie on the site itself.
    pub embeds_of_site: bool,
    /// URLs (or keys) of the pages whose captures are explained one by one.
    pub explain: Vec<String>,
    /// How many other pages are explained too, worst first.
    pub stories: usize,
    /// The offset from UTC, in minutes, of the hours in patterns.
    pub utc_offset_minutes: i32,
    /// Changes of less importance count as none.
    pub ignore_below: Option<f64>,
    /// Inputs by number whose captures are of other sites: sites are judged by them, but they are not judged.
    pub companions: Vec<u32>,
    /// URLs that the crawl began with, to say which were reached.
    pub seeds: Vec<String>,
    /// Whether to profile what was captured, too.
    pub profile: bool,
    /// What was found of the rates of whole sites, of which these are parts.
    pub rate_priors: Option<Box<RatePriors>>,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            canon: Canon::Default,
            site_by: SiteBy::Host,
            pages: PageFilter::Html,
            evidence: Grade::NotModified,
            compare: Compare::Bytes,
            from: None,
            to: None,
            division: Division::Whole,
            site: None,
            embeds_of_site: false,
            explain: Vec::new(),
            stories: 0,
            utc_offset_minutes: 0,
            ignore_below: None,
            companions: Vec::new(),
            seeds: Vec::new(),
            profile: false,
            rate_priors: None,
        }
    }
}

/// The parameters as a report states them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stated {
    /// The name of the table of rules for URLs.
    pub canon: String,
    /// What makes a site: `host`, `domain` or `prefix:URL`.
    pub site_by: String,
    /// Which URLs are pages.
    pub pages: PageFilter,
    /// The weakest grade of evidence that decides.
    pub evidence: Grade,
    /// Whether markup counts.
    pub compare: Compare,
    /// Observations before are not looked at.
    pub from: Option<Instant>,
    /// Observations from then on are not looked at.
    pub to: Option<Instant>,
    /// How observations are divided into crawls: `whole`, `auto` or `sets`.
    pub crawls: String,
    /// The inputs of the visit, by number, where sets were given.
    pub visit: Vec<u32>,
    /// The inputs of the revisit, by number, where sets were given.
    pub revisit: Vec<u32>,
    /// The silence that splits crawls in seconds, where it was used.
    pub silence_seconds: Option<f64>,
    /// Only this site.
    pub site: Option<String>,
    /// Where weights of pages come from.
    pub weights: String,
    /// Which embedded resources count for completeness: `all` or `site`.
    #[serde(default)]
    pub embeds: String,
    /// Whether an exact history of changes was given.
    pub history: bool,
    /// The offset from UTC, in minutes, of the hours in patterns.
    #[serde(default)]
    pub utc_offset_minutes: i32,
    /// Changes of less importance count as none; null: every change counts.
    #[serde(default)]
    pub ignore_below: Option<f64>,
    /// Whether there were options that `acuity schedule` does not know.
    #[serde(default)]
    pub other_options: bool,
}

impl Stated {
    /// The parameters that it states, as far as commands name them.
    pub(crate) fn parameters(&self) -> Result<Parameters> {
        let division = match self.crawls.as_str() {
            "auto" => Division::Auto,
            "sets" => Division::Sets { visit: self.visit.clone(), revisit: self.revisit.clone() },
            _ => Division::Whole,
        };
        Ok(Parameters {
            canon: self.canon.parse()?,
            site_by: match self.site_by.as_str() {
                "host" => SiteBy::Host,
                "domain" => SiteBy::Domain,
                other => SiteBy::Prefix(other.trim_start_matches("prefix:").to_owned()),
            },
            pages: self.pages,
            evidence: self.evidence,
            compare: self.compare,
            from: self.from,
            to: self.to,
            division,
            site: self.site.clone(),
            embeds_of_site: self.embeds == "site",
            utc_offset_minutes: self.utc_offset_minutes,
            ignore_below: self.ignore_below,
            ..Parameters::default()
        })
    }
}

impl Parameters {
    /// The parameters as a report states them.
    pub fn state(&self, silence: Option<i64>, weights: &str, history: bool, other_options: bool) -> Stated {
        let (crawls, visit, revisit) = match &self.division {
            Division::Whole => ("whole", Vec::new(), Vec::new()),
            Division::Auto | Division::Given(_) => ("auto", Vec::new(), Vec::new()),
            Division::Sets { visit, revisit } => ("sets", visit.clone(), revisit.clone()),
        };
        Stated {
            canon: self.canon.name().to_owned(),
            site_by: match &self.site_by {
                SiteBy::Host => "host".to_owned(),
                SiteBy::Domain => "domain".to_owned(),
                SiteBy::Prefix(prefix) => format!("prefix:{prefix}"),
            },
            pages: self.pages,
            evidence: self.evidence,
            compare: self.compare,
            from: self.from,
            to: self.to,
            crawls: crawls.to_owned(),
            visit,
            revisit,
            silence_seconds: silence.map(|silence| silence as f64 / crate::time::SECOND as f64),
            site: self.site.clone(),
            weights: weights.to_owned(),
            embeds: if self.embeds_of_site { "site" } else { "all" }.to_owned(),
            history,
            utc_offset_minutes: self.utc_offset_minutes,
            ignore_below: self.ignore_below,
            other_options,
        }
    }
}
