//! Signals: an interrupted run removes its unfinished files, and a limit on file sizes is an error like a full disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

/// Unfinished files and folders of this process.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Watches for signals in a thread of its own. Where no thread can be started, signals end the process as usual, and the
/// next run removes the unfinished files.
pub(super) fn watch() {
    // Writing beyond RLIMIT_FSIZE then fails with EFBIG.
    // SAFETY: the handler does nothing.
    let _ = unsafe { low_level::register(SIGXFSZ, || {}) };
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            for path in &*UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) {
                let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            }
            // The parent process has to see that a signal ended this one.
            let _ = low_level::emulate_default_handler(signal);
        }
    });
}

/// Removes a file, or a folder with all that is in it, if a signal ends the process.
pub(super) fn remove_on_signal(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
}

/// It is complete, or already removed.
pub(super) fn forget(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|unfinished| unfinished != path);
}
