//! Says what is proven about a date: `cargo run --example at -- 2024-03-04T09:15:00Z fixtures/demo`.

#![allow(clippy::print_stdout, reason = "a program that prints what it finds")]

fn main() -> acuity::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let date = arguments.next().unwrap_or_default();
    let answer = acuity::Archive::open(arguments)?.at(&date)?;
    println!("{:?}: {} pages were judged", answer.verdict, answer.pages.len());
    Ok(())
}
