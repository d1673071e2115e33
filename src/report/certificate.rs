//! Templates for a certification: filled with what the program knows, blank where only a person can know.
//!
//! The order is that of the Internet Archive's affidavit: who, with what, on what, which result, and what is not certified.
//! What the program did is kept apart from what the archive did. A lawyer reads it before it is used.

use std::io::{self, Write};

use crate::at::custody::Custody;
use crate::at::model::At;
use crate::report::at_json::in_groups;
use crate::report::layout::{paragraph, quoted};

/// Which template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// For U.S. Fed. R. Evid. 902(13) and (14), in the form of 28 U.S.C. § 1746.
    Fre902,
    /// Without the rules of any country.
    Neutral,
}

const BLANK: &str = "____________________";

/// Writes a template.
pub(crate) fn write(out: &mut dyn Write, at: &At, custody: &Custody, form: Form) -> io::Result<()> {
    let title = match form {
        Form::Fre902 => "CERTIFICATION UNDER FED. R. EVID. 902(13) AND 902(14)",
        Form::Neutral => "STATEMENT ABOUT A REPORT FROM A WEB ARCHIVE",
    };
    writeln!(out, "{title}")?;
    let given = |value: &Option<String>| value.clone().unwrap_or_else(|| BLANK.to_owned());
    quoted(out, "Case     ", &given(&custody.case))?;
    quoted(out, "Exhibit  ", &given(&custody.exhibit))?;
    writeln!(out)?;
    let (copied, generated) = match form {
        Form::Fre902 => ("(902(14)) ", "(902(13)) "),
        Form::Neutral => ("", ""),
    };
    let program = &custody.program;
    let hash = program.sha256.as_deref().map_or_else(|| BLANK.to_owned(), in_groups);
    let points = [
        format!("I am {BLANK} (name, position, employer). My training and experience: {BLANK}."),
        format!(
            "I ran {} {} (SHA-256 of the program: {hash}) on {}, by the clock of the machine, at {BLANK} (place). The command line \
             and a description of the method are in Annex A. I know that it gives accurate results from {BLANK}.",
            program.name, program.version, custody.made
        ),
        format!(
            "{copied}It read the files in Annex B. I compared their SHA-256 with those of {BLANK} (source, keeper, date \
             received); they were identical."
        ),
        format!(
            "{generated}It produced the report whose answer (answer.json) has the SHA-256 {}, Exhibit {}. I checked it with \
             \"acuity verify\" on {BLANK}: every statement was confirmed.",
            in_groups(&custody.answer_sha256),
            given(&custody.exhibit)
        ),
        format!(
            "I have / have no (strike out one) knowledge of how the records were captured and kept: {BLANK} (or: see the \
             declaration of {BLANK}, keeper of the archive)."
        ),
        "I do not certify that the content is true, or who wrote it.".to_owned(),
    ];
    for (place, point) in points.iter().enumerate() {
        paragraph(out, &format!("{}. ", place + 1), point)?;
        writeln!(out)?;
    }
    let end = match form {
        Form::Fre902 => {
            "I declare under penalty of perjury [outside the United States: under the laws of the United States of America] that \
             the foregoing is true and correct."
        }
        Form::Neutral => "The above is true to the best of my knowledge.",
    };
    paragraph(out, "", end)?;
    writeln!(out, "\nExecuted on {BLANK}      {BLANK}______ (signature)\n")?;
    writeln!(out, "ANNEX A: COMMAND LINE AND METHOD\n")?;
    quoted(out, "  ", &custody.command_line())?;
    writeln!(out)?;
    for (title, sentences) in
        [("Method", &at.method), ("Assumed", &at.assumptions), ("Not shown", &at.limits)]
    {
        writeln!(out, "  {title}")?;
        sentences.iter().try_for_each(|sentence| paragraph(out, "  - ", sentence))?;
    }
    writeln!(out, "\nANNEX B: FILES READ\n")?;
    for input in &at.inputs {
        quoted(out, "  ", &input.path)?;
        writeln!(out, "    {} bytes, SHA-256", input.bytes)?;
        let groups = in_groups(&input.sha256);
        let (first, second) = groups.split_at(groups.len().min(36));
        writeln!(out, "    {first}\n    {second}")?;
    }
    paragraph(out, "", "\u{2014} This is a template. A lawyer should read it before it is signed or filed.")?;
    Ok(())
}
