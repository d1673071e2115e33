//! What is known of the change rates of many pages, and their rates: few as they are, many as compact bytes, which may be on
//! disk. Both are read in the order of the pages.

use std::io;

use crate::capture::bytes::{Reader, SharedNames, put_number};
use crate::capture::field::Field;
use crate::change::gamma::Estimate;
use crate::change::poisson::Looks;
use crate::change::rate::{Evidence, Pages, Rate, Source, Visit};
use crate::html::sitemap::ChangeFreq;
use crate::ingest::overflow::{Cursor, Overflow};

/// How many pages are held as they are at most.
const HELD: usize = 20_000;
/// About how many bytes one takes.
const PAGE: usize = 200;

/// How many pages are held as they are within `memory` bytes.
fn held(memory: usize) -> usize {
    HELD.min(memory / PAGE)
}

const FREQUENCIES: [ChangeFreq; 7] = [
    ChangeFreq::Always,
    ChangeFreq::Hourly,
    ChangeFreq::Daily,
    ChangeFreq::Weekly,
    ChangeFreq::Monthly,
    ChangeFreq::Yearly,
    ChangeFreq::Never,
];

/// What is known of the rates of the pages of a site.
#[derive(Debug)]
pub(crate) struct Known {
    held: Vec<Evidence>,
    /// The pages behind those.
    rest: Overflow,
}

impl Known {
    /// Holds about `memory` bytes.
    pub(crate) fn new(memory: usize) -> Self {
        Known { held: Vec::new(), rest: Overflow::new(memory) }
    }

    /// Adds what is known of the next page.
    pub(crate) fn push(&mut self, evidence: Evidence) -> io::Result<()> {
        if self.held.len() < held(self.rest.limit()) {
            self.held.push(evidence);
            return Ok(());
        }
        self.rest.push(|out| put_evidence(&evidence, out))
    }
}

impl Pages for Known {
    type List = RateList;
    type Error = io::Error;

    fn each(&self, visit: &mut Visit<'_, io::Error>) -> io::Result<()> {
        self.held.iter().try_for_each(&mut *visit)?;
        let mut cursor = self.rest.cursor();
        while let Some(bytes) = cursor.next()? {
            visit(&evidence(&mut Reader { rest: bytes }).ok_or(io::ErrorKind::InvalidData)?)?;
        }
        Ok(())
    }

    fn list(&self) -> RateList {
        RateList { held: Vec::new(), rest: Overflow::new(self.rest.limit()), count: 0 }
    }

    fn put(list: &mut RateList, rate: Rate) -> io::Result<()> {
        list.count += 1;
        if list.held.len() < held(list.rest.limit()) {
            list.held.push(rate);
            return Ok(());
        }
        list.rest.push(|out| put_rate(&rate, out))
    }
}

/// The rates of the pages of a site.
#[derive(Debug, Default)]
pub(crate) struct RateList {
    held: Vec<Rate>,
    /// The rates behind those.
    rest: Overflow,
    count: usize,
}

impl RateList {
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Reads them, from the first page on.
    pub(crate) fn reader(&self) -> RateReader<'_> {
        RateReader { list: self, rest: self.rest.cursor(), next: self.held.len() }
    }
}

/// Reads rates in the order of the pages.
pub(crate) struct RateReader<'a> {
    list: &'a RateList,
    rest: Cursor<'a>,
    /// The number of the next page that is not held.
    next: usize,
}

impl RateReader<'_> {
    /// The rate of a page, which has a greater number than the one before.
    pub(crate) fn of(&mut self, page: usize) -> io::Result<Option<Rate>> {
        if let Some(rate) = self.list.held.get(page) {
            return Ok(Some(*rate));
        }
        while let Some(bytes) = self.rest.next()? {
            self.next += 1;
            if self.next > page {
                let found = rate(&mut Reader { rest: bytes });
                return Ok(Some(found.ok_or(io::ErrorKind::InvalidData)?));
            }
        }
        Ok(None)
    }
}

fn put_evidence(evidence: &Evidence, out: &mut Vec<u8>) {
    let Evidence { told, looks, exact, change_freq, class } = evidence;
    let frequency = change_freq.and_then(|freq| FREQUENCIES.iter().position(|known| *known == freq));
    let has_own = looks != told;
    out.push(u8::from(*exact) | u8::from(has_own) << 1 | frequency.map_or(0, |place| place as u8 + 1) << 2);
    put_number(out, u64::from(*class));
    told.encode(out, &mut SharedNames::default());
    if has_own {
        looks.encode(out, &mut SharedNames::default());
    }
}

fn evidence(reader: &mut Reader<'_>) -> Option<Evidence> {
    let flags = reader.byte()?;
    let class = reader.number()?.try_into().ok()?;
    let names = SharedNames::default();
    let told = Looks::decode(reader, &names)?;
    let looks = if flags & 2 == 0 { told.clone() } else { Looks::decode(reader, &names)? };
    let change_freq =
        usize::from(flags >> 2).checked_sub(1).and_then(|place| FREQUENCIES.get(place).copied());
    Some(Evidence { told, looks, exact: flags & 1 == 1, change_freq, class })
}

fn put_rate(rate: &Rate, out: &mut Vec<u8>) {
    let Estimate { mean, low, high, variance, shared } = rate.estimate;
    out.push(Source::ALL.iter().position(|source| *source == rate.source).unwrap_or_default() as u8);
    [mean, low, high, variance, shared].iter().for_each(|value| out.extend(value.to_bits().to_le_bytes()));
}

fn rate(reader: &mut Reader<'_>) -> Option<Rate> {
    let source = *Source::ALL.get(usize::from(reader.byte()?))?;
    let mut value = || reader.take(8)?.try_into().ok().map(u64::from_le_bytes).map(f64::from_bits);
    let estimate =
        Estimate { mean: value()?, low: value()?, high: value()?, variance: value()?, shared: value()? };
    Some(Rate { estimate, source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::rate::{estimate, estimate_all};

    /// Pages of three folders, some with stamps, some with a sitemap, some with a history.
    fn pages(count: usize) -> Vec<Evidence> {
        let page = |place: usize| {
            let mut looks = Looks::default();
            for look in 0..place % 4 {
                let seconds = 86_400.0 * (1 + look) as f64 + place as f64;
                looks.gap(seconds, (place * 7 + look).is_multiple_of(3 + place % 5));
            }
            let mut told = looks.clone();
            if place.is_multiple_of(7) {
                told.pin(1e6 + place as f64);
            }
            let class = place as u32 % 3;
            if place.is_multiple_of(100) {
                return Evidence::exact(3, 1e6, class);
            }
            let change_freq = place.is_multiple_of(11).then(|| FREQUENCIES[place % 7]);
            Evidence { told, looks, change_freq, class, exact: false }
        };
        (0..count).map(page).collect()
    }

    #[test]
    fn many_pages_have_the_rates_that_the_same_pages_have_in_memory() {
        let pages = pages(HELD + 3000);
        let whole = estimate(&pages);
        for memory in [0, usize::MAX] {
            let mut known = Known::new(memory);
            pages.iter().for_each(|page| known.push(page.clone()).unwrap());
            let mut again = Vec::new();
            known
                .each(&mut |page| {
                    again.push(page.clone());
                    Ok(())
                })
                .unwrap();
            assert!(again == pages);
            let found = estimate_all(&known).unwrap();
            assert_eq!((&found.priors, found.check), (&whole.priors, whole.check));
            assert_eq!(found.rates.len(), pages.len());
            let mut reader = found.rates.reader();
            // Pages may be skipped.
            for place in (0..pages.len()).filter(|place| place % 5 != 2) {
                assert_eq!(reader.of(place).unwrap(), Some(whole.rates[place]), "{place}");
            }
            assert_eq!(reader.of(pages.len()).unwrap(), None);
        }
    }
}
