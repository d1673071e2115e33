//! What accompanies a report: a signature, templates for a certification, and a bundle with all of it.

use std::fs::{File, Permissions};
use std::io::{Read, Seek};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::files::Files;
use super::output;
use crate::archive::file_hashes::file_hashes;
use crate::archive::source::name_of;
use crate::archive::zip_writer::{Stored, ZipWriter};
use crate::at::custody::Custody;
use crate::at::model::At;
use crate::bundle::collect::{Extent, collect};
use crate::bundle::files::{Measured, derived, seals};
use crate::bundle::{PUBLIC_KEY, SIGNATURE, archives, recompute};
use crate::digest::sha256;
use crate::error::{Error, ErrorKind};
use crate::report::at_json::AnswerFile;
use crate::report::certificate::{self, Form};

/// Files beside a report.
#[derive(Debug, Clone, Args)]
pub(super) struct ExhibitArgs {
    /// Sign the report with this key (P-256 or P-384, PEM): writes FILE.sig and FILE.pub beside --json=FILE, or into the bundle
    ///
    /// `openssl dgst -sha256 -verify FILE.pub -signature FILE.sig FILE` checks it.
    #[arg(long, value_name = "KEY", help_heading = "Custody")]
    sign: Option<PathBuf>,

    /// Write a bundle that verifies without the archive: the records relied on, the report, checksums, and how to verify it
    ///
    /// A folder; or a WACZ package, if the name ends in `.wacz`. It must not be there yet.
    #[arg(long, value_name = "DIR|FILE.wacz", help_heading = "Custody")]
    bundle: Option<PathBuf>,

    /// Write a template for a certification, filled with what the program knows
    #[arg(long, value_name = "FILE", help_heading = "Custody")]
    certificate: Option<PathBuf>,

    /// Which template
    #[arg(long, value_enum, value_name = "FORM", default_value = "fre-902", help_heading = "Custody")]
    certificate_form: FormArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormArg {
    /// U.S. Fed. R. Evid. 902(13) and (14)
    #[value(name = "fre-902")]
    Fre902,
    /// Without the rules of any country
    Neutral,
}

/// What will be written beside a report.
pub(super) struct Exhibits {
    signer: Option<Signer>,
    /// The files of the signature beside that of the answer.
    beside: Option<(PathBuf, PathBuf)>,
    bundle: Option<PathBuf>,
    certificate: Option<(PathBuf, Form)>,
}

impl ExhibitArgs {
    /// Reads the key, and makes sure that nothing is written over.
    pub(super) fn prepare(&self, json: Option<&Path>, files: &mut Files) -> anyhow::Result<Exhibits> {
        let (mut signer, mut beside) = (None, None);
        if let Some(key) = &self.sign {
            files.read(Some(key))?;
            let json = json.filter(|json| json.as_os_str() != "-");
            if json.is_none() && self.bundle.is_none() {
                return Err(Error::usage("--sign signs the file of the answer, and none is written")
                    .with_remedy("add --json=FILE or --bundle DIR")
                    .into());
            }
            if let Some(json) = json {
                let with = |end: &str| {
                    let mut name = json.as_os_str().to_owned();
                    name.push(end);
                    PathBuf::from(name)
                };
                let (sig, public) = (with(".sig"), with(".pub"));
                files.write("--sign", Some(&sig))?;
                files.write("--sign", Some(&public))?;
                beside = Some((sig, public));
            }
            signer = Some(Signer::read(key)?);
        }
        if let Some(path) = &self.bundle {
            files.write("--bundle", Some(path))?;
            if path.symlink_metadata().is_ok() {
                return Err(Error::usage("it is there already, and a bundle is not written over anything")
                    .at_file(path)
                    .into());
            }
        }
        files.write("--certificate", self.certificate.as_deref())?;
        let form = match self.certificate_form {
            FormArg::Fre902 => Form::Fre902,
            FormArg::Neutral => Form::Neutral,
        };
        Ok(Exhibits {
            signer,
            beside,
            bundle: self.bundle.clone(),
            certificate: self.certificate.clone().map(|path| (path, form)),
        })
    }
}

impl Exhibits {
    /// Writes every output that was asked for.
    pub(super) fn write(&self, at: &At, file: &AnswerFile, custody: &Custody) -> anyhow::Result<()> {
        let signed = self.signer.as_ref().map(|signer| signer.sign(&file.bytes()?)).transpose()?;
        if let (Some((signature, key)), Some((sig, public))) = (&signed, &self.beside) {
            output::write(Some(sig), |out| Ok(out.write_all(signature)?))?;
            output::write(Some(public), |out| Ok(out.write_all(key.as_bytes())?))?;
        }
        if let Some(path) = &self.bundle {
            bundle(path, at, file, custody, signed.as_ref())?;
        }
        if let Some((path, form)) = &self.certificate {
            output::write(Some(path), |out| Ok(certificate::write(out, at, custody, *form)?))?;
        }
        Ok(())
    }
}

/// Writes a bundle: all of it in a folder beside its place, which then gets its name or is packed.
fn bundle(
    path: &Path,
    at: &At,
    file: &AnswerFile,
    custody: &Custody,
    signed: Option<&(Vec<u8>, String)>,
) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be written", path.display());
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let stage = tempfile::Builder::new()
        .prefix(".acuity-")
        .permissions(Permissions::from_mode(0o755))
        .tempdir_in(parent)
        .with_context(failed)?;
    let folder = stage.path();
    let said: serde_json::Value = serde_json::from_slice(&file.bytes()?)?;
    let mut custody = custody.clone();
    let mut captures = None;
    let mut refused = None;
    for extent in Extent::ALL {
        let is_last = extent == Extent::Files;
        if folder.join("archive").exists() {
            std::fs::remove_dir_all(folder.join("archive")).with_context(failed)?;
        }
        custody.copies = match collect(at, extent, folder) {
            Ok(copies) => copies,
            // A damaged file may be copied whole.
            Err(error) if !is_last && matches!(error.kind(), ErrorKind::Data(_)) => {
                refused = Some(error);
                continue;
            }
            Err(error) => return Err(refused.unwrap_or(error).into()),
        };
        let computed = recompute::compute(folder, at)?;
        let differences = recompute::compare(folder, &said, &computed.at, &custody.copies)?;
        match differences.first() {
            None => {
                captures = Some(computed.captures);
                break;
            }
            Some(first) => {
                let error = Error::data(
                    "the copied records alone do not reproduce this answer, so the bundle would fail verification",
                );
                refused = Some(error.with_remedy(format!(
                    "leave out --bundle to get the answer; the first difference is {first}"
                )));
            }
        }
    }
    if let (None, Some(error)) = (&captures, refused) {
        return Err(error.into());
    }
    custody.remarks = Custody::remarks(at, custody.made, &custody.copies);
    let captures = captures.unwrap_or_default();
    let mut files = derived(at, file, &custody, &captures, signed.is_some())?;
    if let Some((signature, key)) = signed {
        files.insert(SIGNATURE.to_owned(), signature.clone());
        files.insert(PUBLIC_KEY.to_owned(), key.clone().into_bytes());
    }
    let mut measured = Measured::new();
    for name in archives(folder).with_context(failed)? {
        let archive = folder.join(&name);
        let (_, hash) = file_hashes(&name_of(&archive))?;
        measured.insert(name, (archive.metadata().with_context(failed)?.len(), hash));
    }
    for (name, bytes) in &files {
        measured.insert(name.clone(), (bytes.len() as u64, sha256(bytes)));
    }
    let stored: Vec<String> = measured.keys().filter(|name| !files.contains_key(*name)).cloned().collect();
    files.extend(seals(measured, at, &custody)?);
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("wacz")) {
        return output::write(Some(path), |out| {
            let mut zip = ZipWriter::new(out);
            for name in &stored {
                let mut content = File::open(folder.join(name))?;
                let stored = measure(&mut content)?;
                content.rewind()?;
                zip.store(name, stored, &mut content)?;
            }
            for (name, bytes) in &files {
                zip.store(name, measure(&mut bytes.as_slice())?, &mut bytes.as_slice())?;
            }
            Ok(zip.finish()?)
        });
    }
    for (name, bytes) in &files {
        let target = folder.join(name);
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).with_context(failed)?;
        }
        output::write(Some(&target), |out| Ok(out.write_all(bytes)?))?;
    }
    std::fs::rename(folder, path).with_context(failed)?;
    // It has another name now, and nothing is left to remove.
    let _ = stage.keep();
    output::sync_folder(path);
    Ok(())
}

/// Length and checksum of what is packed.
fn measure(content: &mut dyn Read) -> std::io::Result<Stored> {
    let (mut crc, mut length) = (flate2::Crc::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = content.read(&mut buffer)?;
        if count == 0 {
            return Ok(Stored { crc: crc.sum(), length });
        }
        crc.update(&buffer[..count]);
        length += count as u64;
    }
}

/// The key of the user.
#[cfg(feature = "signatures")]
struct Signer(crate::signatures::sign::SigningKey);

#[cfg(feature = "signatures")]
impl Signer {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let pem =
            std::fs::read_to_string(path).map_err(|error| Error::usage(error.to_string()).at_file(path))?;
        let key = crate::signatures::sign::SigningKey::from_pem(&pem);
        Ok(Signer(key.map_err(|fault| Error::usage(fault).at_file(path))?))
    }

    /// The signature, and the public key in PEM.
    fn sign(&self, bytes: &[u8]) -> anyhow::Result<(Vec<u8>, String)> {
        let signed = self.0.sign(bytes).and_then(|signature| Ok((signature, self.0.public_pem()?)));
        Ok(signed.map_err(Error::data)?)
    }
}

/// Without signatures in the program there is no key.
#[cfg(not(feature = "signatures"))]
enum Signer {}

#[cfg(not(feature = "signatures"))]
impl Signer {
    fn read(_path: &Path) -> anyhow::Result<Self> {
        Err(Error::usage("this program was built without time stamps and signatures")
            .with_remedy("build it without `--no-default-features`, or use `openssl dgst -sign`")
            .into())
    }

    fn sign(&self, _bytes: &[u8]) -> anyhow::Result<(Vec<u8>, String)> {
        match *self {}
    }
}
