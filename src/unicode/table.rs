//! Which class and lower case does each code point have? A packed table answers both; it is unpacked on first use.
//!
//! `cargo xtask gen-unicode` writes the bytes. All numbers are varints, and numbers of the same meaning are grouped:
//!
//! ```text
//! number of runs of code points that share a class other than 0
//! runs        per run: the gap after the previous run, and the number of code points
//! classes     1 byte per run: the grapheme class plus 16 times the sigma class
//! number of runs of code points that are equally far from their lower case
//! gaps        per run: the distance from the last code point of the previous run
//! counts      per run: twice the number of code points, plus 1 if it has only every second code point
//! distances   per run: the signed distance to the lower case, with the sign in the lowest bit
//! ```

use crate::wire::{Malformed, Reader};
use std::sync::OnceLock;

static BYTES: &[u8] = include_bytes!("table.bin");

struct Run {
    first: u32,
    count: u32,
    class: u8,
}

struct CaseRun {
    first: u32,
    count: u32,
    step: u32,
    distance: i32,
}

pub(super) struct Table {
    /// Sorted by `first`, as is `cases`.
    runs: Vec<Run>,
    cases: Vec<CaseRun>,
}

impl Table {
    /// Returns the table, and unpacks it on first use.
    pub fn get() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| Table::read().expect("the table in the library is valid"))
    }

    fn read() -> Result<Table, Malformed> {
        let mut reader = Reader::new(BYTES, "table of code points");
        let mut table = Table { runs: Vec::new(), cases: Vec::new() };
        let mut end = 0;
        for _ in 0..reader.varlen()? {
            let first = end + reader.varint()?;
            let count = reader.varint()?;
            table.runs.push(Run { first, count, class: 0 });
            end = first + count;
        }
        for run in &mut table.runs {
            run.class = reader.u8()?;
        }
        let mut last = 0;
        let count = reader.varlen()?;
        let mut gaps = Vec::with_capacity(count);
        for _ in 0..count {
            gaps.push(reader.varint()?);
        }
        for gap in gaps {
            let first = last + gap;
            let count = reader.varint()?;
            let (count, step) = (count >> 1, 1 + (count & 1));
            table.cases.push(CaseRun { first, count, step, distance: 0 });
            last = first + (count - 1) * step;
        }
        for run in &mut table.cases {
            let distance = reader.varint()?;
            run.distance = (distance >> 1) as i32 ^ -((distance & 1) as i32);
        }
        Ok(table)
    }

    pub fn class(&self, c: char) -> u8 {
        let c = u32::from(c);
        let after = self.runs.partition_point(|run| run.first <= c);
        self.runs[..after].last().filter(|run| c - run.first < run.count).map_or(0, |run| run.class)
    }

    /// Returns the lower case of a character; the first code point if there are two.
    pub fn lower(&self, c: char) -> char {
        let code = u32::from(c);
        let after = self.cases.partition_point(|run| run.first <= code);
        let run = self.cases[..after].last().filter(|run| {
            let past = code - run.first;
            past < run.count * run.step && past.is_multiple_of(run.step)
        });
        run.and_then(|run| char::from_u32(code.wrapping_add_signed(run.distance))).unwrap_or(c)
    }
}
