//! Pages as users name them: by URL, by key, or by path as reports print it.

use std::collections::BTreeSet;

use crate::audit::Parameters;
use crate::capture::table::Table;
use crate::drive::Tabled;
use crate::error::Error;
use crate::format::{count, local};

/// Maximum number of pages compared with a name that matches none.
const MAX_COMPARED: usize = 100_000;
/// Maximum length of a path that is compared with a mistyped name.
const MAX_PATH: usize = 200;
/// Names less alike than this are not suggested.
const MIN_SIMILARITY: f64 = 0.6;

/// The URLs that names stand for: a path names a page of the one audited site that has it.
pub(super) fn named(
    tabled: &Tabled,
    parameters: &Parameters,
    names: &[String],
) -> crate::Result<Vec<String>> {
    let mut urls = Vec::new();
    for name in names {
        if !name.starts_with('/') {
            urls.push(name.clone());
            continue;
        }
        let mut found = Vec::new();
        tabled.for_each_table(&mut |table| {
            found.extend(
                paths(table, parameters).filter(|(_, path)| path == name).map(|(url, _)| url.to_owned()),
            );
            Ok(())
        })?;
        if found.is_empty() {
            // The audit tells whether it is missing.
            urls.push(name.clone());
            continue;
        }
        let sites: BTreeSet<String> =
            found.iter().filter_map(|url: &String| parameters.site_by.site_of(url)).collect();
        if let (Some(first), true) = (sites.first(), sites.len() > 1) {
            return Err(Error::usage(format!(
                "--explain {name}: {} have this page",
                count(sites.len() as u64, "site")
            ))
            .with_remedy(format!("name the site too: --site {first}")));
        }
        urls.extend(found);
    }
    Ok(urls)
}

/// That no page has this path; with the one that is most like it.
pub(super) fn none(tabled: &Tabled, parameters: &Parameters, name: &str) -> crate::Result<Error> {
    let mut near = Vec::new();
    tabled.for_each_table(&mut |table| {
        let room = MAX_COMPARED.saturating_sub(near.len());
        near.extend(paths(table, parameters).take(room).map(|(_, path)| path.to_owned()));
        Ok(())
    })?;
    let error = Error::usage(format!("--explain {name}: no such page"));
    Ok(match nearest(name, near.iter().map(String::as_str)) {
        Some(path) => error.with_remedy(format!("did you mean {path}?")),
        None => error.with_remedy("`acuity index` lists what was captured"),
    })
}

/// The pages of the audited sites: URL and path.
fn paths<'t>(table: &'t Table, parameters: &'t Parameters) -> impl Iterator<Item = (&'t str, &'t str)> {
    table.pages().iter().filter_map(|page| {
        let url = table.text(table.rows_of(page).first()?.url);
        let site = parameters.site_by.site_of(url)?;
        let wanted = parameters.site.as_ref().is_none_or(|only| *only == site);
        wanted.then(|| (url, local(url, &site)))
    })
}

/// The path most like a name that was typed.
pub(super) fn nearest<'p>(name: &str, paths: impl Iterator<Item = &'p str>) -> Option<&'p str> {
    let near = paths.take(MAX_COMPARED).filter(|path| path.len() <= MAX_PATH && name.len() <= MAX_PATH);
    let rated = near.map(|path| (strsim::normalized_damerau_levenshtein(name, path), path));
    let best = rated.fold(None, |best: Option<(f64, &str)>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    });
    best.filter(|(alike, _)| *alike >= MIN_SIMILARITY).map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_typing_error_leads_to_the_page_and_nonsense_to_none() {
        let paths = ["/", "/news/", "/contact.html"];
        assert_eq!(nearest("/nwes/", paths.into_iter()), Some("/news/"));
        assert_eq!(nearest("/contcat.html", paths.into_iter()), Some("/contact.html"));
        assert_eq!(nearest("/something-else-entirely", paths.into_iter()), None);
        assert_eq!(nearest(&format!("/{}", "x".repeat(5000)), paths.into_iter()), None);
    }
}
