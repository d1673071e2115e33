//! Reports read back: the JSON that `acuity audit` or `acuity at` wrote, within the memory that is given.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use crate::at::model::{AT_SCHEMA, At};
use crate::at::page_list::holding;
use crate::audit::Audit;
use crate::audit::model::SCHEMA;
use crate::error::{Error, Result};
use crate::format::bytes;
use crate::report::json;

/// What a file holds.
pub(super) enum Report {
    Audit(Box<Audit>),
    At(Box<At>),
}

/// Reads a file, or standard input. The pages of an answer about a date go to disk where they are more than memory; an
/// audit has to fit into it.
pub(super) fn read(file: &Path, memory: usize) -> Result<Report> {
    let at = |error: Error| error.at_file(file);
    let length = file.metadata().ok().filter(|data| data.is_file()).map(|data| data.len());
    // A short file is read at once, which is faster.
    let Some(length) = length.filter(|length| *length > memory as u64 / 4) else {
        let text = contents(file, memory)?;
        return match json::schema(&text).map_err(at)?.as_str() {
            AT_SCHEMA => json::read_at(&text).map(|at| Report::At(Box::new(at))).map_err(at),
            _ => json::read(&text).map(|audit| Report::Audit(Box::new(audit))).map_err(at),
        };
    };
    let open = || File::open(file).map(BufReader::new).map_err(|error| at(Error::usage(error.to_string())));
    if json::schema_from(open()?).map_err(at)? == AT_SCHEMA {
        let answer = holding(memory / 8, || json::read_at_from(open()?).map_err(at))?;
        return Ok(Report::At(Box::new(answer)));
    }
    // In memory an audit takes some two thirds of its JSON.
    let needed = length / 4 * 3;
    if needed > memory as u64 {
        return Err(too_large(length, needed, memory).at_file(file));
    }
    json::read_from(open()?).map(|audit| Report::Audit(Box::new(audit))).map_err(at)
}

/// Reads the JSON of an audit; refuses one that needs more than `memory` bytes.
pub(super) fn read_audit(file: &Path, memory: usize) -> Result<Audit> {
    match read(file, memory)? {
        Report::Audit(audit) => Ok(*audit),
        Report::At(_) => Err(json::other_schema(AT_SCHEMA, SCHEMA).at_file(file)),
    }
}

/// All that a file, or standard input, holds.
pub(super) fn contents(file: &Path, memory: usize) -> Result<Vec<u8>> {
    let fault = |error: std::io::Error| match file.as_os_str() == "-" {
        true => Error::from(error).at_file(file),
        false => Error::usage(error.to_string()).at_file(file),
    };
    let mut text = Vec::new();
    let limit = (memory as u64).saturating_add(1);
    if file.as_os_str() == "-" {
        std::io::stdin().take(limit).read_to_end(&mut text).map_err(fault)?;
    } else {
        File::open(file).and_then(|file| file.take(limit).read_to_end(&mut text)).map_err(fault)?;
    }
    if text.len() > memory {
        let error = Error::usage(format!("it has more than the {} of --memory", bytes(memory as u64)));
        return Err(error
            .with_remedy("save it to a file and name that, or give more --memory")
            .at_file(file));
    }
    Ok(text)
}

fn too_large(length: u64, needed: u64, memory: usize) -> Error {
    let message = format!(
        "it has {}, and reading it takes about {}, more than the {} of --memory",
        bytes(length),
        bytes(needed),
        bytes(memory as u64)
    );
    Error::usage(message).with_remedy(format!(
        "give --memory {}M, or audit fewer sites at once; the pages of large sites are in the tables of --csv and --page-table",
        needed.div_ceil(1 << 20)
    ))
}
