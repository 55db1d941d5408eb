//! What is each code point? A table, unpacked when it is first asked.
//!
//! The bytes are written by `cargo xtask gen-unicode`, all numbers as varints, like numbers together:
//!
//! ```text
//! number of runs of code points of one class, not 0
//! runs        how far each is from the end of the one before, and how many code points it has
//! classes     a byte each: what it is to a grapheme, and 16 times what it is to a sigma
//! number of runs of code points whose lower case is equally far
//! gaps        how far each is from the last of the one before
//! counts      twice as many as it has, and one more where it has every second code point only
//! distances   signed, low bit last
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
    /// By `first`, as are the others.
    runs: Vec<Run>,
    cases: Vec<CaseRun>,
}

impl Table {
    /// The one table.
    pub fn get() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| Table::read().expect("the table that the library carries is whole"))
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

    /// The lower case, of one code point: the first, where there are two.
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
