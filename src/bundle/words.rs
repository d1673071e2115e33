//! The page of a bundle that says how a third party verifies it: with this program, with others, by hand.

use std::io::{self, Write};

use crate::at::custody::{Copy, Custody};
use crate::at::model::At;
use crate::bundle::{GZIP, is_whole};
use crate::report::at_json::{AnswerFile, in_groups};
use crate::report::layout::{paragraph, quoted};

/// Note on what a bundle cannot show.
pub(crate) const OF_THE_WHOLE: &str = "Only the whole archive can show that it has no other record of the addresses, how many \
    captures it holds, what was left out, and what is damaged in it.";

/// The page, as text.
pub(crate) fn verify_page(
    at: &At,
    file: &AnswerFile,
    custody: &Custody,
    is_signed: bool,
) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    writeln!(out, "HOW TO VERIFY THIS BUNDLE\n")?;
    quoted(&mut out, "Question  ", &at.question)?;
    quoted(&mut out, "Answer    ", &at.answer)?;
    writeln!(out, "SHA-256   {}", in_groups(&file.sha256))?;
    writeln!(out)?;
    paragraph(
        &mut out,
        "",
        "This SHA-256 is that of evidence/answer.json. Compare it with the one that you were given by other means, such as on \
         paper, in a time stamp, or in a signature. Anyone who can change this bundle can change all of it; only such a hash shows \
         that nobody did.",
    )?;
    writeln!(out, "\nIn the unpacked folder (a .wacz file is a zip file):\n")?;
    let mut number = 0;
    let mut step = |title: &str, lines: &[String]| -> io::Result<()> {
        number += 1;
        writeln!(out, "{number}  {title}")?;
        lines.iter().try_for_each(|line| writeln!(out, "     {line}"))?;
        writeln!(out)
    };
    step("All files are as they were", &["sha256sum -c evidence/SHA256SUMS".to_owned()])?;
    step(
        "The answer follows from the records, and every file from the answer",
        &["acuity verify .".to_owned()],
    )?;
    let archives: Vec<&str> = {
        let mut names: Vec<&str> = custody.copies.iter().map(|copy| copy.to_file.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let checks: Vec<String> = archives.iter().map(|name| format!("warcio check -v {name}")).collect();
    step("The records have the digests that they declare", &checks)?;
    let whole: Vec<&Copy> = custody.copies.iter().filter(|copy| is_whole(&copy.to_file)).collect();
    if !whole.is_empty() {
        let mut lines: Vec<String> = whole.iter().map(|copy| format!("sha256sum {}", copy.to_file)).collect();
        lines.push("must give the SHA-256 that evidence/answer.json states for the file".to_owned());
        lines.push("(it is damaged: other programs may stop where the damage begins)".to_owned());
        step("Damaged files are here whole, as they were given", &lines)?;
    }
    let labelled = |copy: &&Copy| copy.label.is_some() && copy.as_stored;
    let first = custody.copies.iter().filter(labelled).min_by_key(|copy| copy.label.as_ref());
    if let Some(copy) = first {
        step(
            &format!("Record {} by hand", copy.label.as_deref().unwrap_or_default()),
            &[
                format!(
                    "tail -c +{} {} | head -c {} | sha256sum",
                    copy.to_offset + 1,
                    copy.to_file,
                    copy.length
                ),
                "must give the SHA-256 that the report states for the record:".to_owned(),
                copy.to_sha256.clone(),
            ],
        )?;
        if copy.to_file == GZIP {
            step("Its content", &[format!("warcio extract --payload {} {}", copy.to_file, copy.to_offset)])?;
        }
    }
    step(
        "The time, where an authority replied to evidence/answer.tsq",
        &[
            "(keep the reply and ca.pem beside this folder: they are not part of the bundle)".to_owned(),
            "acuity verify evidence/answer.json --tsr ../answer.tsr --ca ../ca.pem".to_owned(),
            "openssl ts -verify -in ../answer.tsr -CAfile ../ca.pem \\".to_owned(),
            "  -data evidence/answer.json".to_owned(),
            "(openssl judges certificates now; -attime SECONDS judges them at the stamp)".to_owned(),
        ],
    )?;
    if is_signed {
        step(
            "The signature: is evidence/answer.pub the key of whom you think?",
            &[
                "openssl dgst -sha256 -verify evidence/answer.pub \\".to_owned(),
                "  -signature evidence/answer.sig evidence/answer.json".to_owned(),
            ],
        )?;
    }
    step("By eye", &["open the .wacz file at replayweb.page; its pages are listed there".to_owned()])?;
    paragraph(&mut out, "", OF_THE_WHOLE)?;
    paragraph(&mut out, "", "The files of the archive and their SHA-256 are in evidence/custody.json.")?;
    Ok(out)
}
