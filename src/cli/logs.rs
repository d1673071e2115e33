//! Files that crawlers write beside their archives: crawl logs and lists of skipped pages, plain or gzip.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::sitemaps;
use crate::audit::Fates;
use crate::crawl::outcome::{Logged, MAX_LINE};
use crate::crawl::{log, skipped_pages};
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::url::Canon;

/// Maximum number of bad lines of one file that are reported one by one.
const TOLD: u64 = 20;

type ReadLine = fn(&[u8]) -> std::result::Result<Option<Logged>, Box<Problem>>;

/// Reads Heritrix logs and browsertrix lists of skipped pages.
pub(super) fn read(
    crawl_logs: &[PathBuf],
    skipped: &[PathBuf],
    canon: Canon,
    problem: &mut dyn FnMut(Problem) -> io::Result<()>,
) -> Result<Fates> {
    let mut fates = Fates::default();
    let logs = crawl_logs.iter().map(|path| (path, log::line as ReadLine));
    for (path, line) in logs.chain(skipped.iter().map(|path| (path, skipped_pages::line as ReadLine))) {
        let reader = BufReader::new(sitemaps::open(path)?);
        each_line(reader, path, line, &mut |logged| fates.tell(canon, &logged.url, logged.fate), problem)?;
    }
    Ok(fates)
}

fn each_line(
    mut reader: impl BufRead,
    path: &Path,
    read: ReadLine,
    tell: &mut dyn FnMut(Logged),
    problem: &mut dyn FnMut(Problem) -> io::Result<()>,
) -> Result<()> {
    let at = |error: io::Error| Error::from(error).at_file(path);
    let name = path.display().to_string();
    let (mut line, mut bad, mut good) = (Vec::new(), 0u64, 0u64);
    loop {
        line.clear();
        let limit = MAX_LINE as u64 + 1;
        if (&mut reader).take(limit).read_until(b'\n', &mut line).map_err(at)? == 0 {
            break;
        }
        if line.len() as u64 == limit && !line.ends_with(b"\n") {
            reader.skip_until(b'\n').map_err(at)?;
        }
        match read(&line) {
            Ok(logged) => {
                good += 1;
                logged.into_iter().for_each(&mut *tell);
            }
            Err(found) => {
                bad += 1;
                if bad <= TOLD {
                    problem(found.in_file(&name))?;
                }
            }
        }
    }
    if good == 0 && bad > 0 {
        return Err(Error::data("no line of the file can be read").at_file(path));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl::outcome::Fate;

    #[test]
    fn both_kinds_of_files_are_read_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).unwrap();
            folder.path().join(name)
        };
        let log =
            file("crawl.log", "2024-01-01T00:00:00Z -9998 - http://a.example/x L - unknown #1 - - - -\n?\n");
        let skipped = file("s.jsonl", "{\"url\":\"http://a.example/y\",\"reason\":\"pageLimit\"}\n");
        let mut problems = 0;
        let fates = read(&[log], &[skipped], Canon::Default, &mut |_| {
            problems += 1;
            Ok(())
        })
        .unwrap();
        let fate = |url: &str| fates.get(&Canon::Default.key(url)).unwrap();
        assert!(matches!(fate("http://a.example/x"), Fate::Excluded { .. }));
        assert!(matches!(fate("http://a.example/y"), Fate::Untried { .. }));
        assert_eq!(problems, 1);
        let none = file("none", "x\n");
        assert!(read(&[none], &[], Canon::Default, &mut |_| Ok(())).is_err());
    }
}
