//! Starts threads, and continues without those that the system refuses.

use std::thread::{Builder, Scope};

/// Starts a thread; `false` if the system refuses.
pub(crate) fn start_thread<'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() + Send + 'scope,
) -> bool {
    #[cfg(test)]
    if !limit::allows_one_more() {
        return false;
    }
    Builder::new().spawn_scoped(scope, work).is_ok()
}

/// A limit of threads for tests: a system that has run out of them.
#[cfg(test)]
pub(crate) mod limit {
    use std::cell::Cell;

    thread_local! {
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    }

    /// Lets this thread start `count` others; `None`: any number.
    pub(crate) fn set(count: Option<usize>) {
        LEFT.set(count);
    }

    pub(super) fn allows_one_more() -> bool {
        let left = LEFT.get();
        LEFT.set(left.map(|left| left.saturating_sub(1)));
        left != Some(0)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::limit;
    use crate::archive::source::expand;
    use crate::ingest::{Options, ProblemLog, read};

    #[test]
    fn a_system_without_threads_gives_the_same_result() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..300 {
            let record = format!(
                "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n\
                 WARC-Target-URI: http://a/{number}\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"
            );
            fs::write(folder.path().join(format!("{number}.warc")), record.repeat(9)).unwrap();
        }
        let sources = expand(&[folder.path()]).unwrap();
        let options = Options { threads: 4, memory: 1 << 20, ..Options::default() };
        let all = |allowed: Option<usize>| {
            limit::set(allowed);
            let reading = read(&sources, &options, &mut ProblemLog::default(), &|_| {}).unwrap();
            let mut rendered = Vec::new();
            limit::set(allowed);
            let render = |observation: &crate::capture::Observation, out: &mut Vec<u8>| {
                out.extend_from_slice(observation.url.as_bytes());
                Ok(())
            };
            reading.observations.render(4, &render, &mut rendered).unwrap();
            limit::set(None);
            rendered
        };
        let expected = all(None);
        assert!(expected.len() > 10_000);
        for allowed in [0, 1, 3] {
            assert!(all(Some(allowed)) == expected, "{allowed} threads");
        }
    }
}
