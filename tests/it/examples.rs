//! The programs in `examples/` run on the demo and say what they are for.

use std::path::Path;
use std::process::Command;

fn example(name: &str, arguments: &[&str]) -> String {
    // `cargo test` builds them beside the program; `cargo test --test it` alone does not.
    let built = Path::new(env!("CARGO_BIN_EXE_acuity")).with_file_name("examples").join(name);
    let mut command = match built.exists() {
        true => Command::new(built),
        false => {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args(["run", "--quiet", "--locked", "--example", name, "--"]);
            cargo
        }
    };
    let output = command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn each_example_runs_on_the_demo() {
    let text = example("audit", &["fixtures/demo"]);
    assert!(text.starts_with("20 of 25 pages") && text.contains("- "), "{text}");
    let text = example("at", &["2024-03-04T09:15:00Z", "fixtures/demo"]);
    assert!(text.contains("pages were judged"), "{text}");
    let text = example("plan", &["fixtures/demo"]);
    for name in ["audit", "at", "plan"] {
        assert!(example(name, &[]).starts_with(&format!("usage: {name} ")), "{name}");
    }
    assert!(text.starts_with("63 captures") && text.contains("s for the next crawl"), "{text}");
}
