//! A small deflate compressor: fixed Huffman codes, matches found by a table of the last place of three bytes.
//!
//! Libraries give other bytes with every version, some with every processor; what this gives is committed, so it must
//! never change.

use std::collections::HashMap;

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    held: u64,
    count: u32,
}

impl Bits {
    /// The low `count` bits, lowest first, as extra bits go.
    fn push(&mut self, bits: u64, count: u32) {
        self.held |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// Huffman codes go highest bit first.
    fn code(&mut self, code: u64, count: u32) {
        self.push(code.reverse_bits() >> (64 - count), count);
    }

    fn symbol(&mut self, symbol: u64) {
        match symbol {
            0..=143 => self.code(0x30 + symbol, 8),
            144..=255 => self.code(0x190 + symbol - 144, 9),
            256..=279 => self.code(symbol - 256, 7),
            _ => self.code(0xc0 + symbol - 280, 8),
        }
    }

    /// A number under codes that double their span every `codes` codes: lengths (4) and distances (2).
    fn scaled(value: u64, codes: u64) -> (u64, u64, u32) {
        let mut extra = 0;
        while (value >> extra) >= 2 * codes {
            extra += 1;
        }
        (u64::from(extra) * codes + (value >> extra), value & ((1 << extra) - 1), extra)
    }

    fn pair(&mut self, length: usize, distance: usize) {
        let (code, extra, bits) = Self::scaled(length as u64 - 3, 4);
        self.symbol(257 + code);
        self.push(extra, bits);
        let (code, extra, bits) = Self::scaled(distance as u64 - 1, 2);
        self.code(code, 5);
        self.push(extra, bits);
    }
}

/// The deflate stream of `data`: one block.
pub fn deflate(data: &[u8]) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.push(0b011, 3);
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    let mut at = 0;
    while at < data.len() {
        let found = data
            .get(at..at + 3)
            .and_then(|start| places.insert(start, at))
            .filter(|place| at - place <= 32_768);
        let length = found.map_or(0, |place| {
            // The longest length, 258, has a code of its own; it is simply not used.
            data[at..].iter().zip(&data[place..]).take(257).take_while(|(a, b)| a == b).count()
        });
        match found {
            Some(place) if length >= 4 => {
                bits.pair(length, at - place);
                at += length;
            }
            _ => {
                bits.symbol(u64::from(data[at]));
                at += 1;
            }
        }
    }
    bits.symbol(256);
    bits.push(0, 7);
    bits.bytes
}
