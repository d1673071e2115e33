//! Man pages and completions, made from the arguments.

use std::path::Path;

use super::args::command;
use super::exit::Exit;
use super::output;

/// Writes the man pages of all commands to `directory`.
pub(super) fn pages(directory: &Path) -> anyhow::Result<Exit> {
    let mut root = command();
    root.build();
    page(&root, "acuity", directory)?;
    let shown = |subcommand: &&clap::Command| !subcommand.is_hide_set() && subcommand.get_name() != "help";
    for subcommand in root.get_subcommands().filter(shown) {
        page(subcommand, &format!("acuity-{}", subcommand.get_name()), directory)?;
    }
    Ok(Exit::Done)
}

fn page(command: &clap::Command, name: &str, directory: &Path) -> anyhow::Result<()> {
    let command = command.clone().name(name.to_owned());
    let page = clap_mangen::Man::new(command)
        .title(name.to_uppercase())
        .source(concat!("acuity ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render(&mut text)?;
    std::fs::write(directory.join(format!("{name}.1")), text)?;
    Ok(())
}

/// Prints a completion script.
pub(super) fn completions(shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "acuity", &mut script);
    output::write(None, |out| Ok(out.write_all(&script)?))?;
    Ok(Exit::Done)
}
