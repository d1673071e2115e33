//! Counts what was captured while tables go by: by media type and status, month and host; samples, and what became of seeds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::audit::model::{
    HostRow, MonthRow, Profile, SampleRow, SeedOutcome, SeedRow, Seeds, SiteSeeds, TypeRow,
};
use crate::audit::params::Parameters;
use crate::capture::table::{Row, Table};
use crate::time::Interval;
use crate::url::{SiteBy, host};

/// Hosts that are listed.
pub(super) const HOSTS: usize = 20;
/// Pages to open.
pub(super) const SAMPLES: usize = 12;
/// Seeds that are listed.
const SEEDS: usize = 1_000;

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    urls: u64,
    captures: u64,
    bytes: Option<u64>,
}

/// The sum of what is known.
pub(super) fn plus(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}

impl Sum {
    fn add(&mut self, length: Option<u64>) {
        self.captures += 1;
        self.bytes = plus(self.bytes, length);
    }
}

/// What was captured so far, within the site and the dates that were asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    all: Sum,
    revisits: u64,
    unmeasured: u64,
    span: Option<Interval>,
    inputs: BTreeSet<u32>,
    types: BTreeMap<(usize, usize), Sum>,
    months: BTreeMap<(i64, u32), Sum>,
    hosts: HashMap<String, Sum>,
    /// By the hash of their keys, the smallest ones.
    samples: BTreeMap<(u64, String), SampleRow>,
    /// By key.
    seeds: BTreeMap<String, SeedRow>,
}

/// Kinds of media, as they are listed.
pub(super) const MEDIA: [&str; 13] = [
    "HTML",
    "Image",
    "CSS",
    "JavaScript",
    "JSON",
    "XML",
    "Text",
    "PDF",
    "Font",
    "Audio",
    "Video",
    "other",
    "unknown",
];
pub(super) const STATUSES: [&str; 5] = ["2xx", "3xx", "4xx", "5xx", "other"];

/// The place in [`MEDIA`] of a media type.
fn media(mime: Option<&str>) -> usize {
    let Some(mime) = mime else { return 12 };
    let mime = mime.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    let (class, kind) = mime.split_once('/').unwrap_or((&mime, ""));
    match (class, kind) {
        ("", _) | ("unk", _) | ("-", _) => 12,
        ("text", "html") | ("application", "xhtml+xml" | "vnd.wap.xhtml+xml") => 0,
        ("image", _) => 1,
        ("text", "css") => 2,
        (_, kind) if kind.contains("javascript") || kind.contains("ecmascript") => 3,
        (_, kind) if kind.ends_with("json") => 4,
        (_, kind) if kind.ends_with("xml") => 5,
        ("font", _) => 8,
        (_, kind) if kind.contains("font") => 8,
        ("text", _) => 6,
        ("application", "pdf" | "x-pdf") => 7,
        ("audio", _) => 9,
        ("video", _) => 10,
        _ => 11,
    }
}

/// The place in [`STATUSES`] of a status.
fn class(status: Option<u16>) -> usize {
    match status {
        Some(status @ 200..=599) => usize::from(status / 100) - 2,
        _ => 4,
    }
}

/// A hash that is the same on every machine: FNV-1a.
pub(super) fn hash(key: &str) -> u64 {
    key.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl Tally {
    pub(crate) fn new(parameters: &Parameters) -> Self {
        let seeds = parameters.seeds.iter().map(|url| {
            let row = SeedRow {
                url: url.clone(),
                outcome: SeedOutcome::NotCaptured,
                status: None,
                location: None,
                time: None,
            };
            (parameters.canon.key(url), row)
        });
        let wanted = |url: &str| {
            let Some(only) = &parameters.site else { return true };
            parameters.site_by.site_of(url).is_some_and(|site| site == *only)
        };
        Tally { seeds: seeds.filter(|(_, row)| wanted(&row.url)).collect(), ..Tally::default() }
    }

    /// Adds the captures of a URL that were asked for.
    pub(crate) fn add<'r>(&mut self, table: &Table, rows: impl Iterator<Item = &'r Row>) {
        let mut of_url = Sum::default();
        let mut first: Option<&Row> = None;
        let mut shown: Option<&Row> = None;
        for row in rows {
            first.get_or_insert(row);
            self.all.add(row.length);
            of_url.add(row.length);
            self.unmeasured += u64::from(row.length.is_none());
            self.revisits += u64::from(row.revisit);
            self.inputs.insert(row.input);
            let to = row.end.max(row.time);
            let span = self.span.unwrap_or(Interval { from: row.time, to });
            self.span = Some(Interval { from: span.from.min(row.time), to: span.to.max(to) });
            let mime = row.mime.map(|mime| table.text(mime));
            let place = (media(mime), class(row.status));
            self.types.entry(place).or_default().add(row.length);
            let (year, month, ..) = row.time.civil();
            self.months.entry((year, month)).or_default().add(row.length);
            if place == (0, 0) {
                shown = Some(row);
            }
            self.seed(table, row);
        }
        let Some(first) = first else { return };
        self.all.urls += 1;
        if let Some(host) = host(table.text(first.url)) {
            let sum = self.hosts.entry(host.to_ascii_lowercase()).or_default();
            *sum = Sum {
                urls: sum.urls + 1,
                captures: sum.captures + of_url.captures,
                bytes: plus(sum.bytes, of_url.bytes),
            };
        }
        if let Some(row) = shown {
            let key = table.text(row.key);
            let sample = SampleRow { url: table.text(row.url).to_owned(), time: row.time };
            self.samples.insert((hash(key), key.to_owned()), sample);
            if self.samples.len() > SAMPLES {
                self.samples.pop_last();
            }
        }
    }

    fn seed(&mut self, table: &Table, row: &Row) {
        if self.seeds.is_empty() {
            return;
        }
        let Some(seed) = self.seeds.get_mut(table.text(row.key)) else { return };
        let outcome = match row.status {
            Some(200..=299 | 304) => SeedOutcome::Reached,
            Some(300..=399) => SeedOutcome::Redirected,
            None if row.revisit => SeedOutcome::Reached,
            _ => SeedOutcome::Failed,
        };
        if outcome >= seed.outcome {
            seed.outcome = outcome;
            seed.status = row.status;
            seed.location = row.location.map(|location| table.text(location).to_owned());
            seed.time = Some(row.time);
        }
    }

    /// A tally of which only the numbers of captures and URLs are known.
    pub(crate) fn counted(captures: u64, urls: u64) -> Self {
        Tally { all: Sum { urls, captures, bytes: None }, ..Tally::default() }
    }

    /// What became of the seeds of a site; those at the keys `errors` look like error pages.
    pub(crate) fn seeds_of(
        &self,
        site: &str,
        site_by: &SiteBy,
        errors: &BTreeSet<String>,
    ) -> Option<SiteSeeds> {
        let of_site =
            self.seeds.iter().filter(|(_, seed)| site_by.site_of(&seed.url).as_deref() == Some(site));
        let (mut total, mut reached) = (0, 0);
        for (key, seed) in of_site {
            total += 1;
            let is_here = matches!(seed.outcome, SeedOutcome::Reached | SeedOutcome::Redirected);
            reached += u64::from(is_here && !errors.contains(key));
        }
        (total > 0).then_some(SiteSeeds { total, reached })
    }

    /// What became of all seeds, where any are known.
    pub(crate) fn all_seeds(&self) -> Option<SiteSeeds> {
        let is_here =
            |seed: &&SeedRow| matches!(seed.outcome, SeedOutcome::Reached | SeedOutcome::Redirected);
        let reached = self.seeds.values().filter(is_here).count() as u64;
        (!self.seeds.is_empty()).then_some(SiteSeeds { total: self.seeds.len() as u64, reached })
    }

    /// Counts the seeds at these keys as failed: what was captured there looks like an error page.
    pub(crate) fn fail_seeds(&mut self, errors: &BTreeSet<String>) {
        for key in errors {
            if let Some(seed) = self.seeds.get_mut(key).filter(|seed| seed.outcome == SeedOutcome::Reached) {
                seed.outcome = SeedOutcome::Failed;
            }
        }
    }

    pub(crate) fn captures(&self) -> u64 {
        self.all.captures
    }

    pub(crate) fn urls(&self) -> u64 {
        self.all.urls
    }

    /// The numbers of the inputs that hold captures.
    pub(crate) fn inputs(&self) -> &BTreeSet<u32> {
        &self.inputs
    }

    /// The first and the last capture.
    pub(crate) fn span(&self) -> Option<Interval> {
        self.span
    }

    pub(crate) fn finish(&self) -> Profile {
        let types = self.types.iter().map(|((media, status), sum)| TypeRow {
            media: MEDIA[*media].to_owned(),
            status: STATUSES[*status].to_owned(),
            captures: sum.captures,
            bytes: sum.bytes,
        });
        let months = self.months.iter().map(|((year, month), sum)| MonthRow {
            month: format!("{year:04}-{month:02}"),
            captures: sum.captures,
            bytes: sum.bytes,
        });
        let mut years: BTreeMap<i64, Sum> = BTreeMap::new();
        for ((year, _), sum) in &self.months {
            let all = years.entry(*year).or_default();
            all.captures += sum.captures;
            all.bytes = plus(all.bytes, sum.bytes);
        }
        let years = years.iter().map(|(year, sum)| MonthRow {
            month: format!("{year:04}"),
            captures: sum.captures,
            bytes: sum.bytes,
        });
        let mut hosts: Vec<(&String, &Sum)> = self.hosts.iter().collect();
        hosts.sort_by(|a, b| (b.1.captures, a.0).cmp(&(a.1.captures, b.0)));
        let hosts_left_out = hosts.len().saturating_sub(HOSTS) as u64;
        let hosts = hosts.into_iter().take(HOSTS).map(|(host, sum)| HostRow {
            host: host.clone(),
            urls: sum.urls,
            captures: sum.captures,
            bytes: sum.bytes,
        });
        Profile {
            captures: self.all.captures,
            revisits: self.revisits,
            bytes: self.all.bytes,
            unmeasured: self.unmeasured,
            types: types.collect(),
            months: months.collect(),
            years: years.collect(),
            hosts: hosts.collect(),
            hosts_left_out,
            samples: self.samples.values().cloned().collect(),
            seeds: (!self.seeds.is_empty()).then(|| seeds(self.seeds.values().cloned().collect())),
        }
    }
}

/// What became of seeds, from what became of each.
pub(super) fn seeds(mut list: Vec<SeedRow>) -> Seeds {
    let of = |outcome: SeedOutcome| list.iter().filter(|seed| seed.outcome == outcome).count() as u64;
    let told = Seeds {
        total: list.len() as u64,
        reached: of(SeedOutcome::Reached),
        redirected: of(SeedOutcome::Redirected),
        failed: of(SeedOutcome::Failed),
        not_captured: of(SeedOutcome::NotCaptured),
        list: Vec::new(),
    };
    list.sort_by(|a, b| (a.outcome, &a.url).cmp(&(b.outcome, &b.url)));
    list.truncate(SEEDS);
    Seeds { list, ..told }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::look;
    use crate::url::Canon;

    fn tally(parameters: &Parameters, table: &Table) -> Tally {
        let mut tally = Tally::new(parameters);
        for page in table.pages() {
            tally.add(table, table.rows_of(page).iter());
        }
        tally
    }

    #[test]
    fn captures_are_counted_by_type_status_month_and_host() {
        let mut image = look("http://b.example/i.png", "2024-02-01T00:00:00Z").build();
        image.mime = Some("image/png".into());
        image.length = Some(70);
        let mut page = look("http://a.example/", "2024-01-31T00:00:00Z").body(1).build();
        page.mime = Some("text/html; charset=utf-8".into());
        page.length = Some(30);
        let gone = look("http://a.example/x", "2024-02-02T00:00:00Z").status(404).build();
        let table = Table::of(&[page, image, gone]);
        let seeds = ["http://a.example/", "http://a.example/x", "http://c.example/"];
        let parameters = Parameters {
            seeds: seeds.map(str::to_owned).to_vec(),
            canon: Canon::Strict,
            ..Parameters::default()
        };
        let profile = tally(&parameters, &table).finish();
        assert_eq!((profile.captures, profile.types.iter().map(|row| row.captures).sum::<u64>()), (3, 3));
        let cell = |media: &str, status: &str| {
            profile
                .types
                .iter()
                .find(|row| row.media == media && row.status == status)
                .map(|row| row.captures)
        };
        assert_eq!((cell("HTML", "2xx"), cell("Image", "2xx")), (Some(1), Some(1)));
        let months: Vec<(&str, u64)> =
            profile.months.iter().map(|row| (row.month.as_str(), row.captures)).collect();
        assert_eq!(months, [("2024-01", 1), ("2024-02", 2)]);
        let hosts: Vec<(&str, u64, u64)> =
            profile.hosts.iter().map(|row| (row.host.as_str(), row.urls, row.captures)).collect();
        assert_eq!(hosts, [("a.example", 2, 2), ("b.example", 1, 1)]);
        // The size of one capture is unknown, and of a host nothing else is.
        let sizes: Vec<Option<u64>> = profile.months.iter().map(|row| row.bytes).collect();
        assert_eq!((profile.bytes, sizes, profile.unmeasured), (Some(100), vec![Some(30), Some(70)], 1));
        let missing = profile.types.iter().find(|row| row.status == "4xx").unwrap();
        assert_eq!((missing.captures, missing.bytes), (1, None));
        let seeds = profile.seeds.unwrap();
        assert_eq!((seeds.total, seeds.reached, seeds.failed, seeds.not_captured), (3, 1, 1, 1));
        assert_eq!(seeds.list[0].url, "http://c.example/");
    }

    #[test]
    fn media_types_are_read_however_they_are_written() {
        let names = |mime| MEDIA[media(Some(mime))];
        assert_eq!(names("TEXT/HTML;charset=x"), "HTML");
        assert_eq!(names("application/x-javascript"), "JavaScript");
        assert_eq!(names("image/svg+xml"), "Image");
        assert_eq!(names("application/rss+xml"), "XML");
        assert_eq!(names("application/font-woff2"), "Font");
        assert_eq!(names("application/zip"), "other");
        assert_eq!(names(""), "unknown");
        assert_eq!(MEDIA[media(None)], "unknown");
    }
}
