//! The `acuity` program: all of it lives in [`acuity::cli`].

fn main() -> std::process::ExitCode {
    acuity::cli::run()
}
