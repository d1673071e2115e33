//! The circumstances of a report: case, exhibit and examiner as given; command, program, time and machine as found.

use clap::Args;

use crate::archive::file_hashes::file_hashes;
use crate::at::custody::{CUSTODY_SCHEMA, Custody, Program};
use crate::at::model::{At, AtFile};
use crate::time::{Instant, SECOND};

/// For whom a report is made.
#[derive(Debug, Clone, Args)]
pub(super) struct CustodyArgs {
    /// The case number, printed on every page of the report
    #[arg(long, value_name = "NUMBER", help_heading = "Custody")]
    case: Option<String>,

    /// The exhibit number, printed on every page
    #[arg(long, value_name = "NUMBER", help_heading = "Custody")]
    exhibit: Option<String>,

    /// Who made the report
    #[arg(long, value_name = "NAME", help_heading = "Custody")]
    examiner: Option<String>,
}

impl CustodyArgs {
    /// What was given: heading and value.
    pub(super) fn given(&self) -> Vec<(&'static str, &str)> {
        let all = [("Case", &self.case), ("Exhibit", &self.exhibit), ("Examiner", &self.examiner)];
        all.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?))).collect()
    }

    /// The circumstances of an answer with this hash.
    pub(super) fn custody(&self, at: &At, answer_sha256: &str) -> Custody {
        let custody = self.custody_of(at.inputs.clone(), answer_sha256);
        Custody { remarks: Custody::remarks(at, custody.made, &[]), ..custody }
    }

    /// The circumstances of a report about these inputs.
    pub(super) fn custody_of(&self, inputs: Vec<AtFile>, answer_sha256: &str) -> Custody {
        let program =
            std::env::current_exe().ok().and_then(|path| file_hashes(&path.display().to_string()).ok());
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname")
            .ok()
            .or_else(|| std::env::var("HOSTNAME").ok());
        Custody {
            schema: CUSTODY_SCHEMA.to_owned(),
            answer_sha256: answer_sha256.to_owned(),
            case: self.case.clone(),
            exhibit: self.exhibit.clone(),
            examiner: self.examiner.clone(),
            command: std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect(),
            program: Program {
                name: "acuity".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                sha256: program.map(|(_, sha256)| sha256),
            },
            made: now(),
            host: host.map(|host| host.trim().to_owned()).filter(|host| !host.is_empty()),
            inputs,
            copies: Vec::new(),
            remarks: Vec::new(),
        }
    }
}

/// The time of the report; `SOURCE_DATE_EPOCH` replaces the clock where the same bytes are wanted twice.
pub(super) fn now() -> Instant {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse::<i64>().ok());
    let clock = || {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_secs()).unwrap_or(0)
    };
    Instant(fixed.unwrap_or_else(clock).saturating_mul(SECOND))
}
