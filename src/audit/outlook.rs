//! What the planned and the last order are expected to reach, in the words of the actions of an audit: for the screen of a
//! schedule.

use crate::audit::actions::{PlannedSites, compared};
use crate::audit::bands;
use crate::audit::model::{Band, SiteAudit};
use crate::format::{count, local};

/// What an audit says of the next crawl.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Outlook {
    /// The shares of importance expected consistent, and of which pages.
    pub orders: Option<Orders>,
    /// The same of each site, by its name.
    pub sites: Vec<(String, Orders)>,
    /// Whether captures show how often the pages of any site change, within times as short as the next crawl takes.
    pub is_known: bool,
    /// Whether pages of any site were compared, over longer times only.
    pub is_compared: bool,
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
}

/// The orders of a site, where its captures show how often its pages change.
fn of_site(site: &SiteAudit) -> Option<Orders> {
    let (planned, last) = compared(site).filter(|_| bands::consistent(site) != Band::CannotTell)?;
    let pages = site.reschedule.as_ref()?.compared_pages;
    Some(Orders { planned, last, on: format!("the {} of the last crawl", count(pages, "page")) })
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
                Orders { planned: found.planned, last: found.last, on }
            }),
        };
        let plans = || sites.iter().filter_map(|site| Some((site, site.reschedule.as_ref()?)));
        let first_new = plans().find_map(|(site, plan)| {
            plan.never_captured_pages.first().map(|url| local(url, &site.site).to_owned())
        });
        let judged = || sites.iter().filter(|site| bands::consistent(site) != Band::CannotTell);
        let is_shown = |site: &SiteAudit| site.reschedule.as_ref().is_none_or(|plan| plan.is_shown);
        Outlook {
            orders,
            sites: named,
            is_known: judged().any(is_shown),
            is_compared: judged().any(|site| !is_shown(site)),
            new_pages: plans().map(|(_, plan)| plan.never_captured).sum(),
            first_new,
        }
    }
}
