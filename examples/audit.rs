//! Prints the three answers about an archive and what to do first: `cargo run --example audit -- fixtures/demo`.

#![allow(clippy::print_stdout, reason = "a program that prints what it finds")]

fn main() -> acuity::Result<()> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        println!("usage: audit PATH…");
        return Ok(());
    }
    let audit = acuity::Archive::open(&paths)?.audit()?;
    for answer in [&audit.answers.consistent, &audit.answers.complete, &audit.answers.record] {
        println!("{}", answer.sentence);
    }
    for action in &audit.actions {
        println!("- {}", action.text);
    }
    Ok(())
}
