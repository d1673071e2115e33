//! The program, run in a folder.

use std::io::{self, BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The program with these arguments, to be started in `folder`.
pub fn acuity(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acuity"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

/// Its output.
pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    acuity(folder, arguments).output().unwrap()
}

/// The audit that it makes, as JSON.
pub fn audit(folder: &Path, arguments: &[&str]) -> Value {
    let words = [&["audit"], arguments, &["--json", "-q"]].concat();
    let output = run(folder, &words);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// What a command prints, on one line: where a sentence breaks is another matter.
pub fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(!text.is_empty(), "{output:?}");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs the crawl that a schedule for Wget describes, against servers of this machine alone.
pub fn crawl_with_wget(folder: &Path) {
    let script = folder.join("crawl.sh");
    let run = Command::new("sh").arg(script).arg("--no-proxy").env("no_proxy", "*").output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

/// Reads the head of a request: gives the path that it asks for, and the stream to answer on.
pub fn requested_path(stream: TcpStream) -> io::Result<(String, TcpStream)> {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
    Ok((path, reader.into_inner()))
}
