//! The `acuity` program: all of it lives in [`acuity::cli`].

/// Observations are many small strings made by one thread and freed by another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    acuity::cli::run()
}
