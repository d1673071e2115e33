//! Remembers what was found in a page, for when the same body comes again: a second capture mostly has the body of the first,
//! and one body is often found at several addresses. It is looked up by digest before it is scanned.
//!
//! Bounded: first in, first out. What is remembered changes no result, only the time it takes.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use encoding_rs::Encoding;
use foldhash::fast::RandomState;

use crate::digest::BodyDigest;
use crate::html::foreign::Syntax;
use crate::html::page::Findings;

/// A body, the encoding that its response declares, and its language.
pub(crate) type PageKey = (BodyDigest, Option<&'static Encoding>, Syntax);

/// Maximum bytes remembered in total, and for one page.
const MAX_CACHE_BYTES: usize = 32 << 20;
const MAX_PAGE_BYTES: usize = MAX_CACHE_BYTES / 16;
/// Overhead of an entry in bytes: its key twice, and unused slots of the tables.
const ENTRY_OVERHEAD_BYTES: usize = 4 * size_of::<PageKey>();

/// Pages that were scanned, for all threads.
#[derive(Default)]
pub struct PageCache {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    found: HashMap<PageKey, Arc<Findings>, RandomState>,
    order: VecDeque<PageKey>,
    bytes: usize,
}

impl PageCache {
    /// What was found in that page.
    pub(crate) fn get(&self, page: &PageKey) -> Option<Arc<Findings>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).found.get(page).cloned()
    }

    pub(crate) fn keep(&self, page: PageKey, found: Arc<Findings>) {
        if found.size() > MAX_PAGE_BYTES {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Kept { found: by_page, order, bytes } = &mut *kept;
        // Another thread may have added it first.
        if by_page.contains_key(&page) {
            return;
        }
        *bytes += ENTRY_OVERHEAD_BYTES + found.size();
        by_page.insert(page, found);
        order.push_back(page);
        while *bytes > MAX_CACHE_BYTES
            && let Some(first) = order.pop_front()
        {
            *bytes -= by_page.remove(&first).map_or(0, |found| ENTRY_OVERHEAD_BYTES + found.size());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::page::PageScanner;

    fn found(html: &[u8]) -> Arc<Findings> {
        let mut scanner = PageScanner::new(None);
        scanner.feed(html);
        Arc::new(scanner.end().compact())
    }

    #[test]
    fn what_was_found_is_kept_up_to_a_limit() {
        let seen = PageCache::default();
        let key = |number: u32| {
            let mut digest = [0; 32];
            digest[..4].copy_from_slice(&number.to_le_bytes());
            (BodyDigest(digest), None, Syntax::Html)
        };
        let page = b"<title>T</title><a href=../x#1>one</a> <a href='../x#2'>two</a><img src=i.png>";
        let first = found(page);
        seen.keep(key(0), Arc::clone(&first));
        assert!(Arc::ptr_eq(&first, &seen.get(&key(0)).unwrap()));
        let mut scanner = PageScanner::new(None);
        scanner.feed(page);
        let (whole, compact) = (scanner.finish(b"http://a/b/c/"), first.at(b"http://a/b/c/"));
        assert_eq!((&whole.links, &whole.text, whole.shape), (&compact.links, &compact.text, compact.shape));
        assert_eq!(
            (compact.links.len(), first.link_count(), first.links_at(b"no address").0.len()),
            (2, 2, 0)
        );
        let long = found(format!("<a href='{}'>", "x".repeat(60_000)).as_bytes());
        for number in 1..1000 {
            seen.keep(key(number), Arc::clone(&long));
        }
        assert!(seen.get(&key(0)).is_none() && seen.get(&key(999)).is_some());
        let kept = seen.kept.lock().unwrap();
        assert!(kept.bytes <= MAX_CACHE_BYTES && kept.order.len() == kept.found.len(), "{}", kept.bytes);
        assert_eq!(
            kept.bytes,
            kept.found.values().map(|found| ENTRY_OVERHEAD_BYTES + found.size()).sum::<usize>()
        );
        // An address that is not a link counts too.
        let base = found(format!("<base href='{}'>", "x".repeat(60_000)).as_bytes());
        assert!(base.link_count() == 0 && base.size() > 60_000);
    }
}
