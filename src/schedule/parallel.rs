//! Independent jobs on any number of threads, their results in the order of the jobs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of threads that the machine runs at once.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs the jobs `0..jobs` and returns their results in order, whichever thread ran them.
pub(crate) fn jobs<T: Send>(threads: usize, jobs: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = threads.min(jobs);
    if threads <= 1 {
        return (0..jobs).map(work).collect();
    }
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(jobs)));
    let run = || loop {
        let job = next.fetch_add(1, Ordering::Relaxed);
        if job >= jobs {
            return;
        }
        let result = work(job);
        results.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((job, result));
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    let mut results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_by_key(|(job, _)| *job);
    results.into_iter().map(|(_, result)| result).collect()
}
