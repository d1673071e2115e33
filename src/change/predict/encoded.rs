//! Features as numbers, for the classifiers.

use super::features::{Features, Value};
use crate::capture::names::Names;

/// One feature of one page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell {
    Missing,
    Number(f64),
    Name(u32),
}

/// Pages as rows of cells, all of one length, with the class of each.
#[derive(Debug, Clone, Default)]
pub(super) struct Encoded {
    pub rows: Vec<Vec<Cell>>,
    pub classes: Vec<u32>,
    pub class_count: u32,
}

impl Encoded {
    pub(super) fn width(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// How many of the chosen pages are of each class.
    pub(super) fn counts(&self, chosen: &[u32]) -> Vec<f64> {
        let mut counts = vec![0.0; self.class_count as usize];
        chosen.iter().for_each(|row| counts[self.classes[*row as usize] as usize] += 1.0);
        counts
    }
}

/// Gives every name its number.
#[derive(Debug, Clone, Default)]
pub(super) struct Encoder {
    names: Names,
}

impl Encoder {
    /// The cells of a page, new names included.
    pub(super) fn learn(&mut self, features: &Features) -> Vec<Cell> {
        let names = &mut self.names;
        encode(features, |name| Cell::Name(names.intern(name)))
    }

    /// The cells of a page; a name never seen is ignored.
    pub(super) fn cells(&self, features: &Features) -> Vec<Cell> {
        encode(features, |name| self.names.find(name).map_or(Cell::Missing, Cell::Name))
    }
}

fn encode(features: &Features, mut name: impl FnMut(&str) -> Cell) -> Vec<Cell> {
    features
        .0
        .iter()
        .map(|value| match value {
            Value::Missing => Cell::Missing,
            Value::Number(number) if number.is_nan() => Cell::Missing,
            Value::Number(number) => Cell::Number(*number),
            Value::Name(text) => name(text),
        })
        .collect()
}
