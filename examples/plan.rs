//! Plans the next crawl of an archive: `cargo run --example plan -- fixtures/demo`.

#![allow(clippy::print_stdout, reason = "a program that prints what it finds")]

fn main() -> acuity::Result<()> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        println!("usage: plan PATH…");
        return Ok(());
    }
    let archive = acuity::Archive::open(&paths)?;
    let mut captures = Vec::new();
    println!("{} captures", archive.index(&mut captures)?);
    let plan = archive.audit()?.schedule(1.0)?;
    for site in &plan.sites {
        println!("{:.0} s for the next crawl", site.length_seconds);
    }
    Ok(())
}
