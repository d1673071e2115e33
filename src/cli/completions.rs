//! Completion scripts, made from the arguments.

use super::args::command;
use super::exit::Exit;
use super::output;

/// Prints the completion script of a shell.
pub(super) fn print(shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "acuity", &mut script);
    output::write(None, |out| Ok(out.write_all(&script)?))?;
    Ok(Exit::Done)
}
