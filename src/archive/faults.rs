//! Faults for tests: reads and writes that fail, come short, are interrupted or late, at every n-th call of this thread.

use std::cell::Cell;
use std::io;
use std::time::Duration;

/// What happens at a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The call fails, as on a broken disk.
    Fail,
    /// It handles one byte only.
    Short,
    /// EINTR.
    Interrupted,
    /// It takes a while.
    Late,
}

thread_local! {
    static PLAN: Cell<Option<(Fault, u64)>> = const { Cell::new(None) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// Injects `fault` at every `n`-th call of this thread from now on; returns the number of calls since the last change.
pub(crate) fn inject(plan: Option<(Fault, u64)>) -> u64 {
    PLAN.set(plan);
    CALLS.replace(0)
}

/// Runs a call on `length` bytes with the fault that is due.
pub(crate) fn call(length: usize, run: impl FnOnce(usize) -> io::Result<usize>) -> io::Result<usize> {
    CALLS.set(CALLS.get() + 1);
    let due = PLAN.get().filter(|(_, n)| CALLS.get().is_multiple_of(*n)).map(|(fault, _)| fault);
    match due {
        Some(Fault::Fail) => Err(io::Error::other("injected fault")),
        Some(Fault::Interrupted) => Err(io::ErrorKind::Interrupted.into()),
        Some(Fault::Short) => run(length.min(1)),
        Some(Fault::Late) => {
            std::thread::sleep(Duration::from_micros(50));
            run(length)
        }
        None => run(length),
    }
}
