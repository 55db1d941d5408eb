//! What does each code point decompose to, and which two are one? A table, unpacked when it is first asked.
//!
//! The bytes are written by `scripts/gen-normal`, all numbers as varints, like numbers together, since that is what
//! compresses best on the way to a browser:
//!
//! ```text
//! number of decompositions
//! gaps       how far each code point is from the one before
//! kinds      a byte each: kind, and four times the number of parts
//! parts      signed, low bit last: how far each part is from the part at its place in the decomposition before
//! number of runs of code points that have one combining class, not 0
//! runs       how far each is from the end of the one before, and how many code points it has
//! classes    a byte each
//! ```

use crate::order::sort;
use crate::wire::{Malformed, Reader};
use std::sync::OnceLock;

static BYTES: &[u8] = include_bytes!("table.bin");

/// What a decomposition is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A replacement that looks otherwise.
    Compatible,
    /// The same, in parts.
    Canonical,
    /// The same, in parts that are never put together again.
    NeverComposed,
}

struct Decomposition {
    whole: char,
    kind: Kind,
    /// Where its parts end in [`Table::parts`]; they start where those of the one before end.
    end: usize,
}

pub(super) struct Table {
    /// By `whole`.
    decompositions: Vec<Decomposition>,
    parts: Vec<char>,
    /// Two code points and what they are together, sorted.
    compositions: Vec<(char, char, char)>,
    /// First and last code point, and their class, sorted.
    classes: Vec<(char, char, u8)>,
}

impl Table {
    /// The one table.
    pub fn get() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| Table::read().expect("the table that the library carries is whole"))
    }

    fn read() -> Result<Table, Malformed> {
        let mut reader = Reader::new(BYTES, "table of decompositions");
        let mut table = Table {
            decompositions: Vec::new(),
            parts: Vec::new(),
            compositions: Vec::new(),
            classes: Vec::new(),
        };
        table.read_decompositions(&mut reader)?;
        table.compose();
        table.read_classes(&mut reader)?;
        Ok(table)
    }

    fn read_decompositions(&mut self, reader: &mut Reader) -> Result<(), Malformed> {
        let count = reader.varlen()?;
        let mut code = 0;
        for _ in 0..count {
            code += reader.varint()?;
            let whole = char::from_u32(code).ok_or(reader.malformed())?;
            self.decompositions.push(Decomposition { whole, kind: Kind::Compatible, end: 0 });
        }
        let kinds = reader.take(count)?;
        let mut before = 0..0;
        for (decomposition, kind) in self.decompositions.iter_mut().zip(kinds) {
            decomposition.kind =
                [Kind::Compatible, Kind::Canonical, Kind::NeverComposed][usize::from(kind & 3)];
            let start = self.parts.len();
            for at in 0..usize::from(kind >> 2) {
                let like = self.parts[before.clone()].get(at).or(self.parts[before.clone()].last());
                let step = reader.varint()?;
                let step = (step >> 1) as i32 ^ -((step & 1) as i32);
                let part = like.map_or(0, |&like| u32::from(like)).wrapping_add_signed(step);
                self.parts.push(char::from_u32(part).ok_or(reader.malformed())?);
            }
            before = start..self.parts.len();
            decomposition.end = self.parts.len();
        }
        Ok(())
    }

    /// Finds the two code points that each composed one is made of. The first may be composed itself: then it has fewer
    /// parts, and was found before.
    fn compose(&mut self) {
        let longest = 4;
        for len in 2..=longest {
            let mut found = Vec::new();
            for decomposition in &self.decompositions {
                let Some((Kind::Canonical, parts)) = self.decomposition(decomposition.whole) else {
                    continue;
                };
                if parts.len() == len
                    && let Some((&last, before)) = parts.split_last()
                    && let Some(first) = self.joined(before)
                {
                    found.push((first, last, decomposition.whole));
                }
            }
            self.compositions.extend(found);
            sort(&mut self.compositions);
        }
    }

    fn joined(&self, parts: &[char]) -> Option<char> {
        let (&first, rest) = parts.split_first()?;
        rest.iter().try_fold(first, |whole, &part| self.composition(whole, part))
    }

    fn read_classes(&mut self, reader: &mut Reader) -> Result<(), Malformed> {
        let count = reader.varlen()?;
        let mut end = 0;
        for _ in 0..count {
            let first = end + reader.varint()?;
            end = first + reader.varint()?;
            let whole = |code| char::from_u32(code).ok_or(reader.malformed());
            self.classes.push((whole(first)?, whole(end - 1)?, 0));
        }
        let classes = reader.take(count)?;
        self.classes.iter_mut().zip(classes).for_each(|(run, &class)| run.2 = class);
        Ok(())
    }

    /// What a code point decomposes to, in full; of a Hangul syllable it knows nothing.
    pub fn decomposition(&self, c: char) -> Option<(Kind, &[char])> {
        let at = self.decompositions.binary_search_by_key(&c, |decomposition| decomposition.whole).ok()?;
        let start = at.checked_sub(1).map_or(0, |before| self.decompositions[before].end);
        let found = &self.decompositions[at];
        Some((found.kind, &self.parts[start..found.end]))
    }

    /// What the two are together.
    pub fn composition(&self, first: char, second: char) -> Option<char> {
        let at =
            self.compositions.binary_search_by_key(&(first, second), |&(first, second, _)| (first, second));
        Some(self.compositions[at.ok()?].2)
    }

    /// The canonical combining class: 0 for what is no mark.
    pub fn class(&self, c: char) -> u8 {
        let after = self.classes.partition_point(|run| run.0 <= c);
        self.classes[..after].last().filter(|run| c <= run.1).map_or(0, |run| run.2)
    }
}
