//! Extras of an audit: an earlier audit, reviews by people, and links to a replay service.

use std::fs::File;
use std::path::Path;

use super::files::Files;
use super::output;
use super::report_file::read_audit;
use super::screen::ShowArgs;
use crate::audit::comparison::compare;
use crate::audit::model::Audit;
use crate::audit::review::{COLUMNS, Reviews, attach, proposed};
use crate::error::Error;

/// An earlier audit, and the name of its file.
pub(super) struct Earlier {
    pub audit: Audit,
    pub name: String,
}

impl Earlier {
    /// Reads what `acuity audit --json=FILE` wrote.
    pub(super) fn read(path: &Path, memory: usize) -> crate::Result<Self> {
        let audit = read_audit(path, memory)?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Earlier { audit, name })
    }
}

/// A pattern that makes the address of a capture in a replay service.
pub(super) fn parse_replay(text: &str) -> Result<String, String> {
    let is_web = text.starts_with("http://") || text.starts_with("https://");
    // Without the time, a link would show the page of another day.
    if is_web && text.contains("{url}") && text.contains("{timestamp}") && !text.contains(char::is_whitespace)
    {
        return Ok(text.to_owned());
    }
    Err("write the address of a replay service, such as http://localhost:8080/all/{timestamp}/{url}"
        .to_owned())
}

impl ShowArgs {
    /// Names the file of reviews: read where it is there, else written.
    pub(super) fn name_review(&self, files: &mut Files) -> crate::Result<()> {
        let Some(path) = &self.review else { return Ok(()) };
        if path.exists() { files.read(Some(path)) } else { files.write("--review", Some(path)) }
    }

    /// Puts beside the audit what was asked for.
    pub(super) fn put_beside(&self, audit: &mut Audit, earlier: Option<&Earlier>) -> anyhow::Result<()> {
        if let Some(pattern) = &self.replay {
            audit.replay = Some(pattern.clone());
        }
        let table = match &self.review {
            Some(path) if path.exists() => {
                let at = |error: Error| error.at_file(path);
                let file = File::open(path).map_err(|error| at(Error::usage(error.to_string())))?;
                Some(Reviews::read(&path.display().to_string(), file).map_err(at)?)
            }
            _ => None,
        };
        attach(audit, table.as_ref(), earlier.map(|earlier| &earlier.audit))?;
        if let Some(earlier) = earlier {
            audit.comparison = Some(compare(&earlier.audit, audit, &earlier.name));
        }
        if let Some(path) = self.review.as_ref().filter(|path| !path.exists()) {
            output::write(Some(path), |out| {
                let mut writer = csv::Writer::from_writer(out);
                writer.write_record(COLUMNS)?;
                proposed(audit).iter().try_for_each(|row| writer.write_record(row))?;
                Ok(writer.flush()?)
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::parse_replay;

    #[test]
    fn a_replay_pattern_leads_to_the_web_and_names_the_page() {
        assert!(parse_replay("http://localhost:8080/all/{timestamp}/{url}").is_ok());
        for wrong in [
            "javascript:{url}",
            "{timestamp}/{url}",
            "https://a.example/",
            "http://x/{url}",
            "http://a b/{timestamp}/{url}",
        ] {
            assert!(parse_replay(wrong).is_err(), "{wrong}");
        }
    }
}
