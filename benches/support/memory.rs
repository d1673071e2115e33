//! The memory of this process.

/// The most that this process ever held, in megabytes; `None` where the system does not tell.
pub fn peak_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024 / 1_000_000)
}
