//! Ratings and notes that people give to pages: read from a table, shown with the pages, carried over from audit to audit.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read;

use crate::audit::actions::without_reviewed;
use crate::audit::model::{Audit, PageAudit, RatingCount, Review, ReviewSummary};
use crate::audit::no_action;
use crate::change::run::PageState;
use crate::error::{Error, Result};
use crate::format::local;
use crate::url::Canon;

/// Longer cells are cut to this length.
const MAX_CELL_CHARS: usize = 4_000;
/// Pages that a new table begins with.
const PROPOSED: usize = 20;
/// The columns of the table.
pub(crate) const COLUMNS: [&str; 5] = ["url", "rating", "note", "by", "date"];

/// A table of reviews.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reviews {
    pub file: String,
    /// Pages as they were named, each with what was said of it; later rows last.
    pub rows: Vec<(String, Review)>,
}

impl Reviews {
    /// Reads a CSV table with the columns `url`, `rating`, `note`, and where wanted `by` and `date`, in any order.
    pub(crate) fn read(file: &str, input: impl Read) -> Result<Self> {
        let wrong = |error: csv::Error| Error::usage(format!("not a table of reviews: {error}"));
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(input);
        let head = reader.headers().map_err(wrong)?.clone();
        let place = |name: &str| {
            head.iter()
                .position(|column| column.trim_start_matches('\u{feff}').trim().eq_ignore_ascii_case(name))
        };
        let Some(url) = place("url").or_else(|| place("page")) else {
            return Err(Error::usage("not a table of reviews: it has no column `url`")
                .with_remedy("the columns are url,rating,note,by,date"));
        };
        let others = ["rating", "note", "by", "date"].map(place);
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(wrong)?;
            let cell = |place: Option<usize>| -> String {
                let text = place.and_then(|place| record.get(place)).unwrap_or("").trim();
                text.chars().take(MAX_CELL_CHARS).collect()
            };
            let [rating, note, by, date] = others.map(cell);
            let page = cell(Some(url));
            if page.is_empty() || rating.is_empty() && note.is_empty() {
                continue;
            }
            rows.push((page, Review { rating, note, by, date, carried_over: false }));
        }
        Ok(Reviews { file: file.to_owned(), rows })
    }
}

/// The pages of an audit, with their sites.
fn pages(audit: &mut Audit) -> impl Iterator<Item = (&str, &mut PageAudit)> {
    audit.sites.iter_mut().flat_map(|site| {
        let name = site.site.as_str();
        site.page_list.iter_mut().map(move |page| (name, page))
    })
}

/// Puts reviews beside the pages they are about. What the earlier audit holds is kept where the table says nothing.
pub(crate) fn attach(audit: &mut Audit, table: Option<&Reviews>, earlier: Option<&Audit>) -> Result<()> {
    let canon: Canon = audit.parameters.canon.parse()?;
    // A page is named by URL, by key, or by path as reports print it.
    let mut named: HashMap<String, (Review, bool)> = HashMap::new();
    let old = earlier.iter().flat_map(|audit| &audit.sites).flat_map(|site| &site.page_list);
    for page in old {
        if let Some(review) = &page.review {
            named.insert(page.key.clone(), (Review { carried_over: true, ..review.clone() }, false));
        }
    }
    for (name, review) in table.iter().flat_map(|table| &table.rows) {
        let key = if name.starts_with('/') { name.clone() } else { canon.key(name) };
        named.insert(key, (review.clone(), false));
    }
    if named.is_empty() && table.is_none() {
        return Ok(());
    }
    let mut summary = ReviewSummary { file: table.map(|table| table.file.clone()), ..Default::default() };
    let mut ratings: BTreeMap<String, u64> = BTreeMap::new();
    for (site, page) in pages(audit) {
        let path = local(&page.url, site);
        let by_path = path.starts_with('/') && named.contains_key(path);
        let Some((review, is_used)) = named.get_mut(if by_path { path } else { &page.key }) else { continue };
        *is_used = true;
        summary.pages += 1;
        summary.carried_over += u64::from(review.carried_over);
        if !review.rating.is_empty() {
            *ratings.entry(review.rating.clone()).or_default() += 1;
        }
        page.review = Some(review.clone());
    }
    summary.not_audited = named.values().filter(|(_, is_used)| !is_used).count() as u64;
    summary.ratings = ratings.into_iter().map(|(rating, pages)| RatingCount { rating, pages }).collect();
    summary.ratings.sort_by(|a, b| (b.pages, &a.rating).cmp(&(a.pages, &b.rating)));
    audit.review = Some(summary);
    audit.actions = without_reviewed(std::mem::take(&mut audit.actions), &audit.sites);
    if audit.actions.is_empty() {
        audit.no_action = Some(no_action::said(&audit.answers, &audit.sites));
    }
    Ok(())
}

/// The table to go on with: what was said of pages, then the pages to look at first.
pub(crate) fn proposed(audit: &Audit) -> Vec<[String; 5]> {
    let listed = || audit.sites.iter().flat_map(|site| &site.page_list);
    let told = listed().filter_map(|page| {
        let review = page.review.as_ref()?;
        let Review { rating, note, by, date, .. } = review.clone();
        Some([page.url.clone(), rating, note, by, date])
    });
    let worst = audit.sites.iter().flat_map(|site| {
        site.findings.worst.iter().map(|page| (page.blur * page.weight.unwrap_or(1.0), &page.url))
    });
    let mut worst: Vec<(f64, &String)> = worst.collect();
    worst.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let mut rows: Vec<[String; 5]> = told.collect();
    // Where it is unknown how far pages are from what was online: what looks like an error page, what changed, then the heaviest.
    let mut others: Vec<&PageAudit> = listed().collect();
    others.sort_by(|a, b| {
        let kind = |page: &PageAudit| match page.state {
            _ if page.error_page.is_some() => 0,
            PageState::Changed => 1,
            PageState::Unknown => 2,
            PageState::Single | PageState::Sharp => 3,
        };
        kind(a).cmp(&kind(b)).then_with(|| b.weight.total_cmp(&a.weight)).then_with(|| a.url.cmp(&b.url))
    });
    let mut known: HashSet<String> = rows.iter().map(|row| row[0].clone()).collect();
    let open = worst.into_iter().map(|(_, url)| url).chain(others.into_iter().map(|page| &page.url));
    for url in open.filter(|url| known.insert((*url).clone())).take(PROPOSED) {
        rows.push([url.clone(), String::new(), String::new(), String::new(), String::new()]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{AuditInput, Parameters, audit};
    use crate::capture::table::Table;
    use crate::capture::testing::look;

    fn small() -> Audit {
        let page = |name: &str, body| {
            look(&format!("http://a.example/{name}"), "2024-01-01T00:00:00Z").body(body).build()
        };
        let parameters = Parameters { canon: Canon::Strict, ..Parameters::default() };
        audit(&Table::of(&[page("a", 1), page("b", 2)]), &parameters, AuditInput::default())
    }

    fn table(text: &str) -> Reviews {
        Reviews::read("review.csv", text.as_bytes()).unwrap()
    }

    #[test]
    fn reviews_stand_beside_their_pages_and_are_carried_over() {
        let mut first = small();
        let reviews = table("rating,url,note\ngood,http://a.example/a,\"all there, <b>\"\npoor,/c,\n,/b,\n");
        attach(&mut first, Some(&reviews), None).unwrap();
        let of = |audit: &Audit, place: usize| audit.sites[0].page_list[place].review.clone();
        assert_eq!(of(&first, 0).unwrap().note, "all there, <b>");
        assert_eq!(of(&first, 1), None, "a row without rating and note says nothing");
        let summary = first.review.clone().unwrap();
        assert_eq!((summary.pages, summary.not_audited), (1, 1));
        let mut next = small();
        attach(&mut next, Some(&table("url,rating\n/b,poor\n")), Some(&first)).unwrap();
        assert!(of(&next, 0).unwrap().carried_over);
        assert_eq!(of(&next, 1).unwrap().rating, "poor");
        assert_eq!(next.review.unwrap().carried_over, 1);
    }

    #[test]
    fn a_new_table_begins_with_pages_also_where_nothing_shows_how_far_they_are_away() {
        let audit = small();
        assert_eq!(audit.sites[0].findings.worst.len(), 0);
        let urls: Vec<String> = proposed(&audit).into_iter().map(|[url, ..]| url).collect();
        assert_eq!(urls, ["http://a.example/a", "http://a.example/b"]);
    }

    #[test]
    fn a_table_without_pages_is_refused() {
        let error = Reviews::read("x", "a,b\n1,2\n".as_bytes()).unwrap_err();
        assert!(error.to_string().contains("no column `url`"), "{error}");
    }
}
