//! The bundle: the records that an answer rests on, copied byte for byte, with the report, checksums, and a page that says how
//! a third party verifies it. A folder, or a WACZ package that replay programs open.
//!
//! ```text
//! archive/data.warc.gz, plain.warc    indexes/index.cdx    pages/pages.jsonl
//! evidence/  answer.json .txt .html .tsq (.sig .pub)  custody.json  captures.csv
//!            certificate.txt  certificate-neutral.txt  VERIFY.txt  SHA256SUMS
//! datapackage.json   datapackage-digest.json
//! ```
//!
//! Everything but the records, `answer.json`, `custody.json` and a signature follows from those: it is made again when a
//! bundle is checked, and compared byte for byte.

pub(crate) mod check;
pub(crate) mod collect;
pub(crate) mod files;
pub(crate) mod recompute;
pub(crate) mod words;

/// Records that are gzip members of their own.
pub(crate) const GZIP: &str = "archive/data.warc.gz";
/// Records that were stored otherwise: head and block without compression.
pub(crate) const PLAIN: &str = "archive/plain.warc";
pub(crate) const ANSWER: &str = "evidence/answer.json";
pub(crate) const CUSTODY: &str = "evidence/custody.json";
pub(crate) const SIGNATURE: &str = "evidence/answer.sig";
pub(crate) const PUBLIC_KEY: &str = "evidence/answer.pub";
pub(crate) const SUMS: &str = "evidence/SHA256SUMS";
pub(crate) const MANIFEST: &str = "datapackage.json";
pub(crate) const MANIFEST_DIGEST: &str = "datapackage-digest.json";
