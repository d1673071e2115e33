//! Says what is proven about a date: `cargo run --example at -- 2024-03-04T09:15:00Z fixtures/demo`.

#![allow(clippy::print_stdout, reason = "a program that prints what it finds")]

fn main() -> acuity::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [date, paths @ ..] = &arguments[..] else {
        println!("usage: at DATE PATH…");
        return Ok(());
    };
    let answer = acuity::Archive::open(paths)?.at(date)?;
    println!("{}: {} pages were judged", answer.verdict.words(), answer.pages.len());
    Ok(())
}
