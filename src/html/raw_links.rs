//! The links of one page as written, in one buffer, without repetitions: menus and tables of contents
//! repeat links, and a fragment does not make another address.

use std::cell::Cell;
use std::collections::HashSet;

use super::links::LinkKind;
use crate::byte_search::find;

/// Maximum number of links kept per page.
pub(super) const MAX_LINKS: usize = 200_000;
/// Maximum bytes of link values kept per page.
const MAX_LINK_BYTES: usize = 16 * 1024 * 1024;

/// Link values, without fragments.
#[derive(Debug, Default)]
pub(crate) struct RawLinks {
    bytes: Vec<u8>,
    ends: Vec<(LinkKind, u32)>,
    /// Hash table: the hash of a link and its number + 1; 0 in free slots.
    slots: Vec<(u32, u32)>,
    /// The image that candidates belong to, by its first number, and whether the list ends with it and its candidates.
    image: Option<(u32, bool)>,
    /// Candidates already listed: the number of their image, and the hash of their value.
    candidates: HashSet<(u32, u32)>,
    /// Images listed with candidates, by their first number, and those of them that stand alone elsewhere in the page.
    with_candidates: HashSet<u32>,
    alone: HashSet<u32>,
    /// The last link repeats an image, perhaps with the same candidates.
    is_repeated: bool,
    /// Number of links beyond the limits.
    pub(crate) left_out: u64,
    /// The first `base`.
    pub(crate) base: Option<Vec<u8>>,
}

/// Buffers with more bytes, or more slots, are not kept for the next page.
const MAX_SPARE_BYTES: usize = 1 << 20;
const MAX_SPARE_SLOTS: usize = 1 << 14;

thread_local! {
    /// The buffers of this thread's last page, for the next one.
    static SPARE: Cell<Option<RawLinks>> = const { Cell::new(None) };
}

/// Slots probed for a repetition: values made to collide are kept twice, at no further cost.
const MAX_PROBES: usize = 8;
const MIN_SLOTS: usize = 256;

impl RawLinks {
    /// An empty list in the buffers of the last page.
    pub(crate) fn fresh() -> Self {
        SPARE.take().unwrap_or_default()
    }

    /// Keeps the buffers for the next page.
    pub(crate) fn leave(self) {
        let RawLinks { mut bytes, mut ends, mut slots, .. } = self;
        if bytes.capacity() <= MAX_SPARE_BYTES && slots.capacity() <= MAX_SPARE_SLOTS {
            bytes.clear();
            ends.clear();
            slots.clear();
            SPARE.set(Some(RawLinks { bytes, ends, slots, ..RawLinks::default() }));
        }
    }

    /// Adds a link unless it is already there.
    pub(crate) fn push(&mut self, kind: LinkKind, value: &[u8]) {
        if kind == LinkKind::Base {
            self.base.get_or_insert_with(|| value.to_vec());
            return;
        }
        let value = match find(b'#', value, 0) {
            // A link to a fragment of the page itself keeps its `#`, so that it is not empty.
            Some(fragment) => &value[..fragment.max(1)],
            None => value,
        };
        if matches!(kind, LinkKind::Candidate | LinkKind::Source) {
            return self.push_candidate(kind, value);
        }
        self.is_repeated = false;
        if self.ends.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let hash = hash(kind, value);
        let mut free = None;
        for slot in places(hash, self.slots.len()) {
            match self.slots[slot] {
                (_, 0) => {
                    free = Some(slot);
                    break;
                }
                (known, number) if known == hash && self.get(number as usize - 1) == (kind, value) => {
                    return self.repeat(number, kind, value);
                }
                _ => {}
            }
        }
        if !self.append(kind, value) {
            return;
        }
        self.image = Some((self.ends.len() as u32, true));
        if let Some(slot) = free {
            self.slots[slot] = (hash, self.ends.len() as u32);
        }
    }

    /// A link that is already listed. An image that was listed with candidates only is listed once more: here it may stand
    /// alone, and then no candidate will do in its place.
    fn repeat(&mut self, number: u32, kind: LinkKind, value: &[u8]) {
        let stands_alone = self.with_candidates.contains(&number) && self.alone.insert(number);
        self.is_repeated = stands_alone && self.append(kind, value);
        self.image = Some((number, self.is_repeated));
    }

    /// Adds a candidate of the last image, unless that image already has it. Candidates stand behind their image, so one that
    /// is repeated with another list is listed again.
    fn push_candidate(&mut self, kind: LinkKind, value: &[u8]) {
        let Some((image, is_last)) = self.image else { return };
        let is_repeated = std::mem::take(&mut self.is_repeated);
        if is_repeated {
            self.alone.remove(&image);
        }
        if self.with_candidates.insert(image) && !is_last {
            self.alone.insert(image);
        }
        if !self.candidates.insert((image, hash(LinkKind::Candidate, value))) {
            if is_repeated {
                self.ends.pop();
                self.bytes.truncate(self.ends.last().map_or(0, |last| last.1 as usize));
                self.image = Some((image, false));
            }
            return;
        }
        if !is_last {
            let (kind, value) = self.get(image as usize - 1);
            let value = value.to_vec();
            if !self.append(kind, &value) {
                return;
            }
            self.image = Some((image, true));
        }
        self.append(kind, value);
    }

    /// Adds a link at the end, unless a limit is reached.
    fn append(&mut self, kind: LinkKind, value: &[u8]) -> bool {
        if self.ends.len() >= MAX_LINKS || self.bytes.len() + value.len() > MAX_LINK_BYTES {
            self.left_out += 1;
            return false;
        }
        self.bytes.extend_from_slice(value);
        self.ends.push((kind, self.bytes.len() as u32));
        true
    }

    fn grow(&mut self) {
        let count = (self.slots.len() * 4).max(MIN_SLOTS);
        self.slots.clear();
        self.slots.resize(count, (0, 0));
        for number in 0..self.ends.len() {
            let (kind, value) = self.get(number);
            if matches!(kind, LinkKind::Candidate | LinkKind::Source) {
                continue;
            }
            let hash = hash(kind, value);
            if let Some(slot) = places(hash, count).find(|slot| self.slots[*slot].1 == 0) {
                self.slots[slot] = (hash, number as u32 + 1);
            }
        }
    }

    fn get(&self, number: usize) -> (LinkKind, &[u8]) {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before].1 as usize);
        let (kind, end) = self.ends[number];
        (kind, &self.bytes[start..end as usize])
    }

    /// A copy without spare capacity or hash table; no link is added to it.
    pub(crate) fn compact(&self) -> Self {
        let RawLinks { bytes, ends, left_out, base, .. } = self;
        RawLinks {
            bytes: bytes.as_slice().to_vec(),
            ends: ends.as_slice().to_vec(),
            left_out: *left_out,
            base: base.clone(),
            ..RawLinks::default()
        }
    }

    /// Approximate size in bytes.
    pub(crate) fn memory(&self) -> usize {
        let (links, bytes) = self.size();
        links * size_of::<(LinkKind, u32)>() + bytes + self.base.as_ref().map_or(0, Vec::len)
    }

    /// The number of links and their total bytes.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.ends.len(), self.bytes.len())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (LinkKind, &[u8])> {
        let mut start = 0;
        self.ends.iter().map(move |&(kind, end)| {
            let value = &self.bytes[start..end as usize];
            start = end as usize;
            (kind, value)
        })
    }
}

/// The slots of a hash, among `count`, a power of two.
#[inline(always)]
fn places(hash: u32, count: usize) -> impl Iterator<Item = usize> {
    (0..MAX_PROBES).map(move |probe| (hash as usize + probe) & (count - 1))
}

/// Eight bytes per step: values are short, and bounded probing makes collisions harmless.
#[inline(always)]
fn hash(kind: LinkKind, value: &[u8]) -> u32 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix =
        |hash: u64, word: &[u8; 8]| (hash ^ u64::from_le_bytes(*word)).wrapping_mul(ODD).rotate_left(29);
    let start = (kind as u64) << 32 ^ value.len() as u64;
    let (words, rest) = value.as_chunks();
    let hash = words.iter().fold(start, mix);
    let hash = match value.last_chunk() {
        // Overlaps the last word; faster than hashing the rest byte by byte.
        Some(last) => mix(hash, last),
        None => {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            mix(hash, &word)
        }
    };
    (hash ^ hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_stay_with_their_image_however_often_it_is_repeated() {
        use LinkKind::*;
        let mut links = RawLinks::default();
        for (kind, value) in [
            (Image, "a"),
            (Image, "b"),
            (Candidate, "c"),
            (Image, "a"),
            (Candidate, "c"),
            (Source, "d"),
            (Image, "b"),
            (Candidate, "c"),
            (Image, "a"),
            (Source, "d"),
        ] {
            links.push(kind, value.as_bytes());
        }
        let found: Vec<_> = links.iter().map(|(kind, value)| (kind, value[0])).collect();
        let expected = [
            (Image, b'a'),
            (Image, b'b'),
            (Candidate, b'c'),
            (Image, b'a'),
            (Candidate, b'c'),
            (Source, b'd'),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_image_that_also_stands_alone_is_listed_so_once_before_or_after_its_candidates() {
        use LinkKind::*;
        let listed = |links: &[(LinkKind, &str)]| {
            let mut list = RawLinks::default();
            links.iter().for_each(|(kind, value)| list.push(*kind, value.as_bytes()));
            list.iter().map(|(_, value)| value[0] as char).collect::<String>()
        };
        let set = [(Image, "a"), (Candidate, "b"), (Candidate, "c")];
        let alone = [(Image, "a"), (Anchor, "x")];
        assert_eq!(listed(&[&set[..], &alone, &alone, &set, &alone].concat()), "abcax");
        assert_eq!(listed(&[&alone[..], &set, &alone, &set].concat()), "axabc");
        assert_eq!(listed(&[&set[..], &set, &set].concat()), "abc");
        assert_eq!(listed(&[&set[..], &[(Image, "a"), (Candidate, "d")], &alone].concat()), "abcadax");
    }

    #[test]
    fn links_are_kept_once_in_their_order_whatever_their_number() {
        let mut links = RawLinks::fresh();
        for round in 0..3 {
            for number in 0..5_000 {
                let name = "n".repeat(number % 40);
                links.push(LinkKind::Anchor, format!("{name}{number}#{round}").as_bytes());
                links.push(LinkKind::Image, format!("{name}{number}").as_bytes());
            }
            links.push(LinkKind::Anchor, format!("#{round}").as_bytes());
            links.push(LinkKind::Base, format!("/{round}/").as_bytes());
        }
        let expected = (0..5_000).flat_map(|number| {
            let name = format!("{}{number}", "n".repeat(number % 40)).into_bytes();
            [(LinkKind::Anchor, name.clone()), (LinkKind::Image, name)]
        });
        let expected: Vec<_> = expected.chain([(LinkKind::Anchor, b"#".to_vec())]).collect();
        let found: Vec<_> = links.iter().map(|(kind, value)| (kind, value.to_vec())).collect();
        assert!(found == expected);
        assert_eq!((links.base.as_deref(), links.left_out), (Some(&b"/0/"[..]), 0));
        links.leave();
        assert_eq!(RawLinks::fresh().size(), (0, 0));
    }
}
