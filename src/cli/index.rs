//! `acuity index`: every capture as one line.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::collection::{self, Archives, Shard, TableFormat};
use super::exit::Exit;
use super::files::Files;
use super::input::{InputArgs, sources};
use super::name_as::{Names, Pattern};
use super::output;
use crate::archive::source::Expansion;
use crate::capture::Observation;
use crate::error::Error;
use crate::format::count;
use crate::ingest::Wanted;
use crate::report::observations::{CdxjWriter, CsvWriter, ObservationWriter};

/// Arguments of `acuity index`.
#[derive(Debug, Args)]
pub(super) struct IndexArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Write to FILE instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write one table per archive into the folder DIR, a collection; run again, it reads only new and changed archives
    ///
    /// `acuity audit DIR` and all other commands read the collection. Problems are tables too. A run that was killed is
    /// continued by the same command.
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    out: Option<PathBuf>,

    /// With --out: read only this part of the archives, such as 3/16, so that several processes share the work
    #[arg(long, value_name = "K/N", requires = "out")]
    shard: Option<Shard>,

    /// With --out: find out by their hashes which archives changed, not by size and time of modification
    #[arg(long, requires = "out")]
    rehash: bool,

    /// Write PATTERN for the names of archives, such as s3://bucket/{name}: where they really live, if these are copies
    ///
    /// `{path}` is the path of an archive as it is read, `{name}` its last part. With --fetch other commands read the archives
    /// under these names.
    #[arg(long, value_name = "PATTERN", value_parser = Pattern::parse)]
    name_as: Option<Pattern>,

    /// Also read bodies: fingerprints of visible text, signs of soft 404s, links, entries of sitemaps
    ///
    /// An audit of the index then equals one of the archives in what it says about text, links and sitemaps too.
    #[arg(long)]
    content: bool,

    /// Format of the lines
    #[arg(long, value_enum, default_value = "jsonl")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object per line: everything that is known; `acuity` reads it back
    Jsonl,
    /// As pywb and OutbackCDX take it (pywb wants it sorted: `LC_ALL=C sort`)
    Cdxj,
    /// Comma-separated values with a header line
    Csv,
    /// Tables of columns for DuckDB, Spark and others, in the folder that --out names; `acuity` reads them back
    #[cfg(feature = "parquet")]
    Parquet,
}

pub(super) fn execute(args: &IndexArgs) -> anyhow::Result<Exit> {
    let wanted = Wanted { text: args.content, links: args.content, sitemaps: args.content, walls: true };
    let mut files = Files::default();
    if let Some(folder) = &args.out {
        let format = match args.format {
            Format::Jsonl => TableFormat::Jsonl,
            #[cfg(feature = "parquet")]
            Format::Parquet => TableFormat::Parquet,
            Format::Cdxj | Format::Csv => {
                let error = Error::usage("a collection (--out) is written as jsonl or parquet");
                return Err(error.with_remedy("use -o FILE for other formats").into());
            }
        };
        let output = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let how = Expansion { output: Some(output), ..args.input.reading.expansion() };
        let sources = sources(&args.input.inputs, how, &mut files)?;
        return collection::update(
            folder,
            &sources,
            (args.content, format),
            Archives { shard: args.shard, name_as: args.name_as.as_ref(), rehash: args.rehash },
            &args.input.reading,
            &mut files,
        );
    }
    // Clap does not ask for --out where -o forbids it.
    if args.shard.is_some() || args.rehash {
        let option = if args.shard.is_some() { "--shard" } else { "--rehash" };
        let error = Error::usage(format!("{option} is for collections, and there is no --out"));
        return Err(error.with_remedy("name the folder of the collection with --out instead of -o").into());
    }
    #[cfg(feature = "parquet")]
    if args.format == Format::Parquet {
        let error = Error::usage("Parquet tables are written into a folder");
        return Err(error.with_remedy("name it with --out DIR").into());
    }
    files.write("--output", Some(args.output.as_deref().unwrap_or(Path::new("-"))))?;
    let input = args.input.read(wanted, args.content, &mut files)?;
    let reading = input.reading;
    let names = Names::new(args.name_as.as_ref(), &reading.inputs)?;
    output::write_while_read(args.output.as_deref(), |out| {
        let mut writer: Box<dyn ObservationWriter> = match args.format {
            Format::Jsonl => {
                let threads = args.input.reading.threads();
                let line = |observation: &Observation, line: &mut Vec<u8>| {
                    names.apply(observation).json_line(line);
                    Ok(())
                };
                return Ok(reading.observations.render(threads, &line, out)?);
            }
            Format::Cdxj => Box::new(CdxjWriter::new(out, args.name_as.is_some())),
            Format::Csv => Box::new(CsvWriter::new(out)?),
            #[cfg(feature = "parquet")]
            Format::Parquet => return Ok(()),
        };
        reading.observations.for_each(&mut |observation, _| writer.write(&names.apply(observation)))?;
        Ok(writer.finish()?)
    })?;
    args.input.reading.report_problems(&input.log);
    if !args.input.reading.quiet && args.output.is_some() {
        let observations = count(reading.observations.len(), "observation");
        let files = count(reading.inputs.len() as u64, "file");
        let _ = writeln!(std::io::stderr(), "{observations} from {files}");
    }
    Ok(args.input.reading.exit(&input.log, Exit::Done))
}
