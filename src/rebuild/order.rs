//! In which order records are merged: originals before the revisits that refer to them.
//!
//! Files keep the order of the inputs, except that one that holds originals comes before the one whose revisits refer to them: records
//! stay behind the warcinfo record of their file, and are copied in long pieces. Where two files refer to each other, or an original
//! stands behind its revisit in one file, it is put right before the revisit. Where several records are called alike, the first is the
//! original. A revisit that names nothing refers to a record of its digest.

use std::collections::{HashMap, HashSet};

use super::heads::Head;

/// A record: the number of its file, and its own among the records there.
type Place = (usize, usize);

/// The order of all records.
#[derive(Debug, Default)]
pub(super) struct Order {
    files: Vec<usize>,
    /// Originals that are put before a revisit.
    early: HashMap<Place, Vec<Place>>,
    moved: HashSet<Place>,
}

impl Order {
    /// The order of the records of these files.
    pub(super) fn of(files: &[Vec<Head>]) -> Self {
        let all = || files.iter().flatten();
        let named: HashSet<u64> =
            all().filter(|head| head.is_revisit).flat_map(|head| head.names.iter()).collect();
        if named.is_empty() {
            return Order { files: (0..files.len()).collect(), ..Order::default() };
        }
        let mut order = Order { files: order_of_files(files, &named), ..Order::default() };
        order.move_originals(files, &named);
        order
    }

    /// All records in order, with the numbers of their files.
    pub(super) fn records<'a>(&'a self, files: &'a [Vec<Head>]) -> impl Iterator<Item = (usize, Head)> + 'a {
        let places =
            self.files.iter().flat_map(|file| (0..files[*file].len()).map(move |record| (*file, record)));
        places.filter(|place| !self.moved.contains(place)).flat_map(|place| {
            let early = self.early.get(&place).into_iter().flatten().copied();
            early.chain([place]).map(|(file, record)| (file, files[file][record]))
        })
    }

    /// Puts originals that still stand behind a revisit before it.
    fn move_originals(&mut self, files: &[Vec<Head>], named: &HashSet<u64>) {
        let places = || {
            (0..).zip(&self.files).flat_map(|(rank, file)| {
                files[*file].iter().enumerate().map(move |(record, head)| ((rank, record), *file, head))
            })
        };
        let mut originals: HashMap<u64, ((usize, usize), usize)> = HashMap::new();
        for (rank, file, head) in places().filter(|(.., head)| !head.is_revisit) {
            for name in head.names.iter().filter(|name| named.contains(name)) {
                originals.entry(name).or_insert((rank, file));
            }
        }
        let (mut early, mut moved) = (HashMap::<Place, Vec<Place>>::new(), HashSet::new());
        for (rank, file, head) in places().filter(|(.., head)| head.is_revisit) {
            let originals = head.names.iter().filter_map(|name| originals.get(&name));
            for (of_original, file_of_original) in originals.filter(|(of_original, _)| *of_original > rank) {
                let original = (*file_of_original, of_original.1);
                if moved.insert(original) {
                    early.entry((file, rank.1)).or_default().push(original);
                }
            }
        }
        (self.early, self.moved) = (early, moved);
    }
}

/// The files, those that hold originals before those whose revisits refer to them, else in the order given.
fn order_of_files(files: &[Vec<Head>], named: &HashSet<u64>) -> Vec<usize> {
    let mut holders: HashMap<u64, Vec<usize>> = HashMap::new();
    for (file, heads) in files.iter().enumerate() {
        for head in heads.iter().filter(|head| !head.is_revisit) {
            for name in head.names.iter().filter(|name| named.contains(name)) {
                let holders = holders.entry(name).or_default();
                if holders.last() != Some(&file) {
                    holders.push(file);
                }
            }
        }
    }
    let mut states = vec![State::New; files.len()];
    let mut order = Vec::with_capacity(files.len());
    for first in 0..files.len() {
        // The files that wait for others, and up to which record each of them was looked through.
        let mut waiting = if states[first] == State::New { vec![(first, 0)] } else { Vec::new() };
        while let Some((file, from)) = waiting.last_mut() {
            states[*file] = State::Waiting;
            let wanted = files[*file].iter().enumerate().skip(*from).find_map(|(record, head)| {
                let names = head.names.iter().filter(|_| head.is_revisit);
                let mut holders = names.filter_map(|name| holders.get(&name));
                holders.find_map(|holders| first_needed(holders, *file, &states)).map(|other| (record, other))
            });
            match wanted {
                Some((record, other)) => {
                    *from = record;
                    waiting.push((other, 0));
                }
                None => {
                    states[*file] = State::Placed;
                    order.push(*file);
                    waiting.pop();
                }
            }
        }
    }
    order
}

/// Whether a file has its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// It has to wait for another one.
    Waiting,
    Placed,
}

/// Which of the files that hold an original has to be placed before this one; `None`: one of them is, or they all wait themselves.
fn first_needed(holders: &[usize], file: usize, states: &[State]) -> Option<usize> {
    if holders.iter().any(|holder| *holder == file || states[*holder] == State::Placed) {
        return None;
    }
    holders.iter().copied().find(|holder| states[*holder] == State::New)
}

#[cfg(test)]
mod tests {
    use super::super::heads::Names;
    use super::*;

    fn head(offset: u64, is_revisit: bool, names: &[u64]) -> Head {
        Head { offset, is_revisit, names: Names::of(names), ..Head::default() }
    }

    fn capture(offset: u64, names: &[u64]) -> Head {
        head(offset, false, names)
    }

    fn revisit(offset: u64, names: &[u64]) -> Head {
        head(offset, true, names)
    }

    fn ordered(files: &[Vec<Head>]) -> Vec<(usize, u64)> {
        Order::of(files).records(files).map(|(file, head)| (file, head.offset)).collect()
    }

    #[test]
    fn files_with_originals_come_first_and_the_others_keep_their_order() {
        let files = [
            vec![capture(0, &[]), revisit(1, &[7])],
            vec![capture(0, &[4])],
            vec![revisit(0, &[9]), capture(1, &[7])],
            vec![capture(0, &[9])],
        ];
        assert_eq!(ordered(&files), [(3, 0), (2, 0), (2, 1), (0, 0), (0, 1), (1, 0)]);
        let files = [files[3].clone(), files[2].clone(), files[0].clone()];
        assert_eq!(ordered(&files), [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1)], "as they were");
    }

    #[test]
    fn one_of_several_records_that_are_called_alike_is_enough() {
        let files = [vec![capture(0, &[7]), revisit(1, &[7])], vec![capture(0, &[7])]];
        assert_eq!(ordered(&files), [(0, 0), (0, 1), (1, 0)]);
    }

    #[test]
    fn files_that_refer_to_each_other_and_originals_behind_their_revisits_lose_nothing() {
        let files = [vec![revisit(0, &[7]), capture(1, &[8])], vec![revisit(0, &[8]), capture(1, &[7])]];
        assert_eq!(ordered(&files), [(0, 1), (1, 0), (1, 1), (0, 0)]);
        let files = [vec![capture(0, &[]), revisit(1, &[7, 8]), revisit(2, &[7]), capture(3, &[7])]];
        assert_eq!(ordered(&files), [(0, 0), (0, 3), (0, 1), (0, 2)]);
        let files = [vec![revisit(0, &[5])], vec![revisit(0, &[6])]];
        assert_eq!(ordered(&files), [(0, 0), (1, 0)], "their originals are nowhere");
    }
}
