//! `acuity merge`: collections put together, nothing lost.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::at::rereadable;
use super::exit::Exit;
use super::files::Files;
use super::input::nothing_found;
use super::output::{self, Unwritable};
use super::rebuild::{Target, beside};
use crate::archive::blob::Blob;
use crate::archive::sniff::{Content, sniff};
use crate::archive::source::{Expansion, Source, expand};
use crate::archive::wacz::Wacz;
use crate::error::{Error, ErrorKind};
use crate::format::count;
use crate::ingest::fetch::open;
use crate::ingest::{Digests, MAX_NESTED_PACKAGES, Options, ProblemLog, read};
use crate::rebuild::compute::stamp;
use crate::rebuild::copy::Plan;
use crate::rebuild::merge::Merge;
use crate::rebuild::source::Opened;
use crate::rebuild::wacz::{self, Indexed};
use crate::rebuild::warcinfo::warcinfo;
use crate::report::escape::terminal;
use crate::time::Instant;

const EXAMPLES: &str = "\
Examples:
  acuity merge spring/ autumn/ -o all.warc.gz
  acuity merge a.wacz b.wacz c.warc.gz -o all.warc.gz --keep
  acuity diff a.wacz all.warc.gz";

/// Arguments of `acuity merge`.
///
/// Copies every record once. A response whose payload is stored already becomes a revisit record, unless --keep is given. The
/// records are those of the inputs, byte for byte, in their order, but originals come before their revisits; those of ARC files become
/// WARC records.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct MergeArgs {
    /// WARC, ARC and WACZ files, directories or globs, as for `acuity audit`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// The file to write: .warc.gz, .warc or .wacz
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Keep every payload: make no revisit records
    #[arg(long)]
    keep: bool,

    /// No summary
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn execute(args: &MergeArgs) -> anyhow::Result<Exit> {
    let target = Target::of(&args.output)?;
    let mut files = Files::default();
    files.write("--output", Some(&args.output))?;
    let sources = rereadable(&args.inputs, Expansion::default(), &mut files)?;
    files.read_sources(&sources)?;
    let mut merge = Merge::new(args.keep, target != Target::Plain);
    let (mut names, mut parts) = (Vec::new(), Vec::new());
    let (mut skipped, mut unread) = (0u64, 0u64);
    for source in &sources {
        match add(source, &mut merge, &mut names, &mut parts) {
            Ok(true) => {}
            Ok(false) => skipped += 1,
            Err(error) if matches!(error.kind(), ErrorKind::Usage(_)) => return Err(error.into()),
            Err(error) => {
                unread += 1;
                warn(&error.to_string());
            }
        }
    }
    let merged = merge.merged()?;
    if merged.items.is_empty() {
        return Err(nothing_found(sources.len()).into());
    }
    // Bytes that only a member of their own could hold.
    let tails = merged.tails.len() as u64;
    let lost = merge.first_damage.or(merged.tails.first().copied());
    let lost = lost.and_then(|(file, offset)| Some((parts.get(file)?.clone(), offset)));
    let newest = merge.newest.as_deref().and_then(Instant::parse).unwrap_or(Instant(0));
    let name = args.output.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let fields = [
        ("description", "several collections put together; every record is there once".to_owned()),
        ("payloads", if args.keep { "kept" } else { "stored once, else as revisits" }.to_owned()),
    ];
    let plan = Plan {
        warcinfo: warcinfo(&name, newest, &fields),
        files: merge.files,
        names,
        items: merged.items,
        is_gzip: target != Target::Plain,
    };
    let records = plan.items.len() as u64;
    if target == Target::Wacz {
        let data = beside(&args.output, "acuity-data.warc.gz");
        plan.write(&data).map_err(|error| Unwritable::or_source(&data, error))?;
        pack(&data, &args.output, newest)?;
        std::fs::remove_file(&data)?;
    } else {
        plan.write(&args.output).map_err(|error| Unwritable::or_source(&args.output, error))?;
    }
    if !args.quiet {
        output::write(None, |out| {
            writeln!(out, "{} written to {}.", count(records, "record"), args.output.display())?;
            writeln!(
                out,
                "{} stored already became revisits; {} twice and were written once.",
                count(merged.revisits, "payload"),
                count(merged.twice, "record")
            )?;
            if merged.mended > 0 {
                writeln!(
                    out,
                    "Written as they can be read, for their length was wrong or missing, or they are cut: {}.",
                    count(merged.mended, "record")
                )?;
            }
            if skipped > 0 {
                writeln!(out, "Skipped: {} that are not archives.", count(skipped, "file"))?;
            }
            Ok(())
        })?;
    }
    if merge.damaged + tails + merged.mended > 0 {
        warn(&match merge.damaged + tails {
            0 => format!("{} could not be copied byte for byte", count(merged.mended, "record")),
            places => {
                let first = lost.map_or_else(String::new, |(file, offset)| {
                    format!("; the first is at byte {offset} of {file}, or behind the record there")
                });
                format!("{} could not be copied: no record can be read there{first}", count(places, "place"))
            }
        });
        return Ok(Exit::Unreadable);
    }
    Ok(if unread > 0 { Exit::Unreadable } else { Exit::Done })
}

fn warn(message: &str) {
    // Standard error may be closed; the exit code still says it.
    let _ = io::Write::write_all(&mut io::stderr(), format!("acuity: {}\n", terminal(message)).as_bytes());
}

/// Adds the records of a source; whether it is an archive.
fn add(
    source: &Source,
    merge: &mut Merge,
    names: &mut Vec<String>,
    files: &mut Vec<String>,
) -> crate::Result<bool> {
    let at = |error: io::Error| Error::from(error).at_file(source.path().into_owned());
    if let Some(fault) = &source.fault {
        return Err(at(io::Error::other(fault.clone())));
    }
    let blob = open(&source.name).map_err(at)?;
    let (_, content) = sniff(&blob).map_err(at)?;
    let parts = match content {
        Content::Records => vec![source.name.clone()],
        Content::Zip => archives_in(&source.name, blob, MAX_NESTED_PACKAGES).map_err(at)?,
        Content::Empty => return Ok(false),
        Content::Text if !source.named => return Ok(false),
        // Binary data in a folder of archives may be an archive that was destroyed.
        Content::Text | Content::Unknown(_) => {
            let message = "it holds no known archive format, and was not merged";
            return Err(Error::data(message).at_file(source.path().into_owned()));
        }
        _ if source.named => {
            return Err(Error::usage("only WARC and ARC files and packages of them can be merged")
                .at_file(source.path().into_owned()));
        }
        _ => return Ok(false),
    };
    if parts.is_empty() {
        return Err(Error::data("no archive in the package can be read").at_file(source.path().into_owned()));
    }
    for part in parts {
        merge.add(Opened::new(&part).map_err(at)?).map_err(at)?;
        names.push(stamp(&part));
        files.push(part);
    }
    Ok(true)
}

/// The names of the archives in a package, and in packages in it.
fn archives_in(name: &str, package: Blob, depth: usize) -> io::Result<Vec<String>> {
    let package = Wacz::open(package)?;
    let mut found = Vec::new();
    for entry in package.archives() {
        let inner = format!("{name}#{}", entry.name);
        match sniff(&package.start(entry))? {
            (_, Content::Zip) if depth > 0 => {
                found.extend(archives_in(&inner, package.read(entry)?.0, depth - 1)?);
            }
            _ => found.push(inner),
        }
    }
    Ok(found)
}

/// Packs a written WARC file: its index is read from it again.
fn pack(data: &Path, path: &Path, newest: Instant) -> anyhow::Result<()> {
    let sources = expand(&[data.as_os_str().to_owned()])?;
    let options = Options { digests: Digests::Declared, ..Options::default() };
    let reading = read(&sources, &options, &mut ProblemLog::new(None), &|_| {})?;
    let mut lines = Vec::new();
    reading.observations.for_each(&mut |capture, _| {
        if let (Some(time), Some(offset), Some(length)) = (capture.time, capture.offset, capture.length) {
            lines.push(Indexed { offset, length, ..Indexed::of(capture, time) });
        }
        Ok(())
    })?;
    wacz::leave_out_not_modified(&mut lines);
    let mut file = File::open(data)?;
    let title = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    output::write(Some(path), |out| Ok(wacz::write(out, &mut file, lines, &title, newest)?))
}
