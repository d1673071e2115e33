//! Which pages are explained in full: those asked for by name, and as many more as a report has room for.

use std::collections::HashSet;

use crate::audit::page::Work;
use crate::change::history::History;
use crate::change::run::PageState;
use crate::time::Interval;

/// Chooses pages while they go by, in the order of their keys.
pub(crate) struct Choice<'a> {
    /// The keys of pages that were asked for.
    asked: &'a HashSet<String>,
    /// How many of the others are explained too.
    more: usize,
    chosen: HashSet<String>,
    /// The others: how much they hurt, and their keys.
    others: Vec<(u8, f64, String)>,
}

impl<'a> Choice<'a> {
    /// Those named in `asked`, and of the others the `more` that hurt most. Pages that changed or could not be compared go before
    /// the rest, then the greatest blur, then the key.
    pub(crate) fn new(asked: &'a HashSet<String>, more: usize) -> Self {
        Choice { asked, more, chosen: HashSet::new(), others: Vec::new() }
    }

    pub(crate) fn add(&mut self, work: &Work<'_>, window: Interval, history: Option<&History>) {
        if self.asked.contains(work.key()) {
            self.chosen.insert(work.key().to_owned());
        } else if self.more > 0 {
            let rank = match work.versions.state {
                PageState::Changed => 0,
                PageState::Unknown => 1,
                PageState::Sharp | PageState::Single => 2,
            };
            let changes = history.and_then(|history| history.changes(work.url(), work.key()));
            let blur = work.blur(window, changes).map_or(0.0, |blur| blur.actual.expected);
            self.others.push((rank, blur, work.key().to_owned()));
            if self.others.len() >= 8 * self.more.max(64) {
                self.keep_worst();
            }
        }
    }

    fn keep_worst(&mut self) {
        self.others.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then_with(|| a.2.cmp(&b.2)));
        self.others.truncate(self.more);
    }

    /// The keys of the pages that are explained.
    pub(crate) fn finish(mut self) -> HashSet<String> {
        self.keep_worst();
        self.chosen.extend(self.others.into_iter().map(|(_, _, key)| key));
        self.chosen
    }
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
