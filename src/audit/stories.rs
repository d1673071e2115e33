//! Which pages are explained in full: those asked for by name, and as many more as a report has room for.

use std::collections::HashSet;

use crate::audit::model::PageBlur;
use crate::audit::page::Work;
use crate::capture::table::Table;
use crate::change::run::PageState;

/// For every page, whether its captures are explained one by one: those named in `keys`, and of the others the `more` that hurt most. Pages that
/// changed or could not be compared go before the rest, then the greatest blur, then the key.
pub(crate) fn chosen(
    table: &Table,
    works: &[Work<'_>],
    blurs: &[Option<PageBlur>],
    keys: &HashSet<String>,
    more: usize,
) -> Vec<bool> {
    let mut told: Vec<bool> = works.iter().map(|work| keys.contains(work.key(table))).collect();
    if more == 0 {
        return told;
    }
    let mut others: Vec<usize> = (0..works.len()).filter(|page| !told[*page]).collect();
    let rank = |page: usize| match works[page].versions.state {
        PageState::Changed => 0,
        PageState::Unknown => 1,
        PageState::Sharp | PageState::Single => 2,
    };
    let blur = |page: usize| blurs[page].map_or(0.0, |blur| blur.actual.expected);
    let key = |page: usize| works[page].key(table);
    others.sort_by(|a, b| {
        let by_blur = blur(*b).total_cmp(&blur(*a));
        rank(*a).cmp(&rank(*b)).then(by_blur).then_with(|| key(*a).cmp(key(*b)))
    });
    for page in others.into_iter().take(more) {
        told[page] = true;
    }
    told
}

#[cfg(test)]
mod tests {
    use crate::audit::{AuditInput, Parameters, audit};
    use crate::capture::table::Table;
    use crate::capture::testing::look;

    #[test]
    fn changed_pages_have_their_stories_told_first() {
        let page = |name: &str, minute: u32, body: u8| {
            look(&format!("http://a.example/{name}"), &format!("2024-01-01T00:{minute:02}:00Z"))
                .body(body)
                .build()
        };
        let looks = [page("a", 0, 1), page("a", 9, 1), page("b", 1, 2), page("b", 8, 3), page("c", 2, 4)];
        let told = |stories: usize| -> Vec<String> {
            let parameters = Parameters { stories, ..Parameters::default() };
            let audit = audit(&Table::of(&looks), &parameters, AuditInput::default());
            let pages = audit.sites[0].page_list.iter().filter(|page| page.story.is_some());
            pages.map(|page| page.url.clone()).collect()
        };
        assert_eq!(told(0), Vec::<String>::new());
        assert_eq!(told(1), ["http://a.example/b"]);
        assert_eq!(told(9).len(), 3);
    }
}
