//! What the planned and the last order are expected to reach, in the words of the actions of an audit: for the screen of a
//! schedule.

use std::sync::Arc;

use crate::audit::actions::{GAIN, PlannedSites, compared, is_doubtful, needs_plan};
use crate::audit::bands;
use crate::audit::model::{Band, Reschedule, SiteAudit};
use crate::format::{count, local, percent, percents};
use crate::schedule::model::{Caveat, Caveats};

/// What is said of shares that rest on pages of which it is unknown whether they are generated for each request.
pub(crate) const DOUBT: &str = "Less if pages that changed are generated for each request.";

/// What an audit says of the next crawl.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Outlook {
    /// The shares of importance expected consistent, and of which pages.
    pub orders: Option<Orders>,
    /// The same of each site, by its name.
    pub sites: Vec<(String, Orders)>,
    /// Why no share can be expected, as a sentence; `None` where captures show how often the pages of any site change, within times
    /// as short as the next crawl takes.
    pub why_unknown: Option<&'static str>,
    /// What captures of each site say against the chances of its pages.
    pub caveats: Caveats,
    /// How many pages were never captured, and the first of them.
    pub new_pages: u64,
    pub first_new: Option<String>,
}

/// Two orders on the same pages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Orders {
    pub planned: f64,
    pub last: f64,
    /// The pages that both orders have.
    pub on: String,
    /// Whether this rests on pages that may be generated for each request.
    pub is_doubtful: bool,
}

/// The orders of a site, where its captures show how often its pages change.
fn of_site(site: &SiteAudit) -> Option<Orders> {
    let (planned, last) = compared(site).filter(|_| bands::consistent(site) != Band::CannotTell)?;
    let pages = site.reschedule.as_ref()?.compared_pages;
    let on = match pages {
        1 => "the page of the last crawl".to_owned(),
        _ => format!("the {} of the last crawl", count(pages, "page")),
    };
    Some(Orders { planned, last, on, is_doubtful: is_doubtful(std::iter::once(site)) })
}

impl Orders {
    /// The shares in the last and the planned order, for people: more digits only where one order is better.
    pub(crate) fn shares(&self) -> (String, String) {
        match self.planned - self.last > GAIN {
            true => percents(self.last, self.planned),
            false => (percent(self.last), percent(self.planned)),
        }
    }
}

/// Why no share can be expected of the next crawl of any site.
fn why_unknown(sites: &[SiteAudit]) -> Option<&'static str> {
    let judged = || sites.iter().filter(|site| bands::consistent(site) != Band::CannotTell);
    let plans = || judged().filter_map(|site| Some((site, site.reschedule.as_ref()?)));
    let has_share = |plan: &Reschedule| plan.compared_pages == 0 || plan.last_crawl.is_some();
    let is_known =
        |site: &SiteAudit| site.reschedule.as_ref().is_none_or(|plan| plan.is_shown && has_share(plan));
    if judged().any(is_known) {
        return None;
    }
    let fits = |site: &SiteAudit| site.rates.check.is_none_or(|check| check.agrees);
    let is_far = |(site, plan): (&SiteAudit, &Reschedule)| !plan.is_shown && !plan.no_quicker && fits(site);
    Some(match judged().next() {
        None => {
            "How often these pages change is unknown until they are captured twice, so no share can be estimated."
        }
        Some(_) if plans().any(is_far) => {
            "Earlier captures are much further apart than those of this crawl, so no share can be estimated."
        }
        Some(_) if plans().any(|(_, plan)| !plan.is_shown) => {
            "Less stayed the same in the last crawl than change rates say, so no share can be estimated."
        }
        Some(_) => {
            "Captures show changes and hardly a page that stayed the same. How often these pages change is unknown, so no share \
             can be expected."
        }
    })
}

impl Outlook {
    pub(crate) fn of(sites: &[SiteAudit]) -> Self {
        let named: Vec<(String, Orders)> =
            sites.iter().filter_map(|site| Some((site.site.clone(), of_site(site)?))).collect();
        let orders = match sites {
            [only] => of_site(only),
            many => PlannedSites::of(many).map(|found| {
                let on = match found.only {
                    Some(only) => format!("the pages of {only}"),
                    None => format!("the {} that are not yet consistent", count(found.sites, "site")),
                };
                let is_doubtful = is_doubtful(many.iter().filter(|site| needs_plan(site)));
                Orders { planned: found.planned, last: found.last, on, is_doubtful }
            }),
        };
        let plans = || sites.iter().filter_map(|site| Some((site, site.reschedule.as_ref()?)));
        let first_new = plans().find_map(|(site, plan)| {
            plan.never_captured_pages.first().map(|url| local(url, &site.site).to_owned())
        });
        let why = why_unknown(sites);
        let refusal = |text: &str| Caveat { text: text.to_owned(), refuses: true };
        let of_others = why.map(refusal);
        let caveat = |site: &SiteAudit| match why_unknown(std::slice::from_ref(site)) {
            Some(why) => Some(refusal(why)),
            None => {
                is_doubtful(std::iter::once(site)).then(|| Caveat { text: DOUBT.to_owned(), refuses: false })
            }
        };
        let own = sites.iter().filter_map(|site| Some((Arc::from(site.site.as_str()), caveat(site)?)));
        Outlook {
            orders,
            sites: named,
            caveats: Caveats { by_lane: own.collect(), of_others },
            why_unknown: why,
            new_pages: plans().map(|(_, plan)| plan.never_captured).sum(),
            first_new,
        }
    }
}
