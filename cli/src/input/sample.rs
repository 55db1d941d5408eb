//! Which records decide a schema? A sample of all inputs, not only of the first.

use super::chunk::{Located, Stride};
use super::document::DocumentReading;
use super::format::Format;
use super::rows::RowReader;
use super::source::InputSource;
use super::{Entry, EntryChunk, Fault, Inputs, Open, Waiting};
use anyhow::Result;
use snapseek::Record;
use std::collections::VecDeque;

impl Inputs {
    /// Returns records from all inputs: at most about `count`, from at most about `len` bytes. The iterator over the inputs
    /// gives them out again, together with the faults between them.
    ///
    /// Files of entries are sampled from the start to the end, documents by one record each. A table and stdin, which can
    /// be read only once, are sampled at their start.
    pub fn sample(&mut self, count: usize, len: usize) -> Vec<Record> {
        self.sample_until(count, len, usize::MAX)
    }

    /// Returns the first record; `None` if there is none.
    pub fn first_record(&mut self) -> Option<Record> {
        self.sample_until(1, 1, 1).into_iter().next()
    }

    /// Samples the inputs in order until there are `enough` records.
    fn sample_until(&mut self, count: usize, len: usize, enough: usize) -> Vec<Record> {
        let share = (count / self.waiting.len().max(1)).max(1);
        let files = self.waiting.iter().filter_map(Waiting::file_len).sum::<u64>();
        let mut records = Vec::new();
        let mut waiting = std::mem::take(&mut self.waiting);
        for input in &mut waiting {
            if records.len() >= enough {
                break;
            }
            match input {
                // A pipe has no length, and can be read only once.
                Waiting::Entries(source, format) if Waiting::len_of(source).is_some() => {
                    let own = Waiting::len_of(source).unwrap_or(0);
                    let part =
                        |whole: usize| (whole as u128 * u128::from(own) / u128::from(files.max(1))) as usize;
                    let stride = Stride::new(own, part(count).max(1), part(len).max(1));
                    // A fault is reported when the input is read.
                    let _ = self.sample_file(source, *format, stride, enough, &mut records);
                }
                Waiting::Read(_, DocumentReading::Page(page)) => {
                    let first = page.first_records(self.sizes, 1).into_iter().next();
                    records.extend(first.and_then(|(_, json)| Record::from_json(json).ok()));
                }
                Waiting::Read(..) | Waiting::Document(_) => {}
                Waiting::Entries(..) | Waiting::Table(..) | Waiting::Started(..) => {
                    self.sample_start(input, share, len, &mut records);
                }
            }
        }
        self.waiting = waiting;
        records
    }

    fn sample_file(
        &self,
        source: &InputSource,
        format: Format,
        mut stride: Stride,
        enough: usize,
        records: &mut Vec<Record>,
    ) -> Result<()> {
        let mut reader = self.reader(source, format)?;
        while records.len() < enough
            && let Some(chunk) = reader.next(self.run_len)?
        {
            records.extend(self.equipped(chunk).sampled(&mut stride));
        }
        Ok(())
    }

    /// Opens an input that can be read only once, and keeps what it reads of it.
    fn sample_start(&self, input: &mut Waiting, count: usize, len: usize, records: &mut Vec<Record>) {
        if !matches!(input, Waiting::Started(..)) {
            let unopened = std::mem::replace(input, Waiting::Started(Open::Nothing, VecDeque::new()));
            let opened = match unopened {
                Waiting::Entries(source, format) => self.reader(&source, format).map(Open::Entries),
                Waiting::Table(name, table) => Ok(Open::Rows(RowReader::start(name, table))),
                other => {
                    *input = other;
                    return;
                }
            };
            *input = Waiting::Started(opened.unwrap_or_else(Open::Failed), VecDeque::new());
        }
        let Waiting::Started(open, held) = input else { return };
        let (mut seen_count, mut seen_len) = (0, 0);
        let mut is_enough = |located: &Located| {
            seen_count += usize::from(matches!(located.entry, Ok(Entry::Record(_))));
            seen_len += located.len;
            seen_count >= count || seen_len >= len
        };
        let mut has_enough = held.iter_mut().any(|chunk| chunk.look_at(&mut is_enough));
        while !has_enough {
            match open.next(self.run_len) {
                Ok(Some(chunk)) => {
                    let mut chunk = self.equipped(chunk);
                    has_enough = chunk.look_at(&mut is_enough);
                    held.push_back(chunk);
                }
                Ok(None) => break,
                Err(error) => {
                    *open = Open::Failed(error);
                    break;
                }
            }
        }
        records.extend(held.iter().flat_map(EntryChunk::seen_records).cloned());
    }

    /// Reads all inputs, and returns the first bad entry; `None` if there is none.
    ///
    /// # Errors
    /// When the inputs cannot be read to the end, and there is no bad entry before.
    pub fn first_fault(&mut self) -> Result<Option<Fault>> {
        for run in self {
            for mut chunk in run? {
                chunk.look_at(|located| located.entry.is_err());
                if let Some(fault) = chunk.first_seen_fault() {
                    return Ok(Some(fault));
                }
            }
        }
        Ok(None)
    }
}
