//! Who made a report, when, where and with what: the part that cannot be reproduced, unlike the answer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::at::model::{At, AtFile};
use crate::time::Instant;

/// The name and version of this model.
pub(crate) const CUSTODY_SCHEMA: &str = "acuity.custody/1";

/// What the copy of a whole file is called.
pub(crate) const WHOLE_FILE: &str = "whole file";

/// The circumstances of one report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Custody {
    /// [`CUSTODY_SCHEMA`].
    pub schema: String,
    /// SHA-256 of the file of the answer: the one hash that text, HTML, time stamp and signature refer to.
    pub answer_sha256: String,
    pub case: Option<String>,
    pub exhibit: Option<String>,
    pub examiner: Option<String>,
    /// The command line, as the program received it.
    pub command: Vec<String>,
    pub program: Program,
    /// When the report was made, by the clock of that machine.
    pub made: Instant,
    pub host: Option<String>,
    /// The files that were read, with their hashes.
    pub inputs: Vec<AtFile>,
    /// How records were copied into a bundle; empty without one.
    pub copies: Vec<Copy>,
    /// What only the circumstances show, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// The program that made a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    pub name: String,
    pub version: String,
    /// SHA-256 of its file.
    pub sha256: Option<String>,
}

/// A record that was copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copy {
    /// What it is: a record relied on, a request, a warcinfo record, another record of the address, a whole file.
    pub what: String,
    /// The label of the record in the answer, where it has one.
    pub label: Option<String>,
    pub from_file: String,
    /// `null` where it shares a compressed member and its place is known only there.
    pub from_offset: Option<u64>,
    pub to_file: String,
    pub to_offset: u64,
    pub length: u64,
    /// Whether the bytes are those of the source; else the record was uncompressed.
    pub as_stored: bool,
    /// SHA-256 of the record in the source, as the answer states it; `null` where it states none.
    pub from_sha256: Option<String>,
    /// SHA-256 of the bytes in the copy; the same where they were copied as they are.
    pub to_sha256: String,
}

impl Custody {
    /// What only the time of the report and the list of copies show: records dated later than the report, files copied whole.
    pub(crate) fn remarks(at: &At, made: Instant, copies: &[Copy]) -> Vec<String> {
        let mut later: BTreeMap<(usize, String), Instant> = BTreeMap::new();
        for page in &at.pages {
            let records = page.witnesses.iter().filter(|record| record.date > made);
            later.extend(records.map(|record| ((record.label.len(), record.label.clone()), record.date)));
        }
        let dated = later.into_iter().map(|((_, label), date)| {
            format!(
                "Record {label} is dated {date}, later than this report was made: its date, or the clock of this machine, is wrong."
            )
        });
        let whole = copies.iter().filter(|copy| copy.what == WHOLE_FILE).map(|copy| {
            format!(
                "{} is damaged, and copies of its records alone would not show the same. So it was copied whole, as {}.",
                copy.from_file, copy.to_file
            )
        });
        dated.chain(whole).collect()
    }

    /// The command line as a shell takes it.
    pub(crate) fn command_line(&self) -> String {
        let is_plain = |sign: char| {
            sign.is_ascii_alphanumeric()
                || matches!(sign, '-' | '_' | '.' | '/' | ':' | '=' | ',' | '+' | '@' | '%')
        };
        let quoted = |word: &String| match !word.is_empty() && word.chars().all(is_plain) {
            true => word.clone(),
            false => format!("'{}'", word.replace('\'', r"'\''")),
        };
        self.command.iter().map(quoted).collect::<Vec<_>>().join(" ")
    }

    /// The lines that a reader sees: heading and value.
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        let blank = || "not stated".to_owned();
        let mut lines = vec![
            ("Case", self.case.clone().unwrap_or_else(blank)),
            ("Exhibit", self.exhibit.clone().unwrap_or_else(blank)),
            ("Examiner", self.examiner.clone().unwrap_or_else(blank)),
            ("Made", format!("{}, on {}", self.made, self.host.as_deref().unwrap_or("an unnamed machine"))),
            ("Command", self.command_line()),
            (
                "Program",
                format!(
                    "{} {}, SHA-256 {}",
                    self.program.name,
                    self.program.version,
                    self.program.sha256.as_deref().unwrap_or("unknown")
                ),
            ),
        ];
        lines.extend(self.remarks.iter().map(|remark| ("Remark", remark.clone())));
        lines
    }
}
