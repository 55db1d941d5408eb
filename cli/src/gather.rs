//! Turns entries into a batch: the work of one thread of `build`.

use crate::input::{Entry, EntryChunk, Fault};
use crate::names::SeenNames;
use crate::pieces::Cuts;
use crate::print;
use crate::vectors::Vectors;
use anyhow::Result;
use indicatif::HumanCount;
use snapseek::segment::{Batch, BatchWriter};
use snapseek::state::{Stamp, State};
use snapseek::{Key, Record, Schema};
use std::sync::Arc;

/// The number of bad records that are shown.
const SHOWN_FAULTS: usize = 5;

/// The treatment of a bad record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnBad {
    /// Stop the build.
    Stop,
    /// Skip and count it.
    Skip,
}

/// A run of entries as a batch.
#[derive(Debug)]
pub struct Gathered {
    /// The batch.
    pub batch: Batch,
    /// The length of the entries in bytes.
    pub len: u64,
    /// The counts of the entries.
    pub tally: Tally,
    /// The outcomes of `--chunk`.
    pub cuts: Cuts,
    /// Links, sessions, usages and feedback.
    pub state: State,
    /// The names of the records' fields.
    pub names: SeenNames,
}

impl Gathered {
    /// Parses a run of entries, and gets the vectors of its records.
    ///
    /// # Errors
    /// When a source of vectors fails.
    pub fn of(run: Vec<EntryChunk>, schema: &Schema, vectors: &Vectors, on_bad: OnBad) -> Result<Gathered> {
        let mut writer = BatchWriter::new(schema).expect("the schema was checked");
        let mut tally = Tally::default();
        let mut cuts = Cuts::default();
        let mut state = State::default();
        let mut names = SeenNames::default();
        let mut len = 0;
        'run: for chunk in run {
            len += chunk.text_len() as u64;
            let name = Arc::clone(chunk.name());
            let entries = chunk.into_entries(schema).collect::<Vec<_>>();
            let records = entries.iter().filter_map(|located| match &located.entry {
                Ok(Entry::Record(record)) => Some(record),
                _ => None,
            });
            let mut vectors = vectors.of(&records.collect::<Vec<_>>(), schema)?.into_iter();
            for located in entries {
                let taken = located.entry.and_then(|entry| match entry {
                    Entry::Record(record) => {
                        let own = vectors.next().expect("every record has its vectors");
                        writer.add_with(&record, &own).map_err(|error| error.to_string())?;
                        names.note(&record);
                        tally.records += 1;
                        Ok(())
                    }
                    Entry::Delete(record) => {
                        tally.deletes += 1;
                        writer.remove(key(&record));
                        Ok(())
                    }
                    Entry::Vector(line) => writer.add_vector(&line).map_err(|error| error.to_string()),
                    Entry::Beside { mark, json } => {
                        state.take_line(&mark, &json, Stamp::BASE).map_err(|error| error.to_string())
                    }
                    Entry::Cut { id, kind, cut } => {
                        cuts.note(id, kind, cut);
                        Ok(())
                    }
                });
                let Err(reason) = taken else { continue };
                tally.note(Fault { name: Arc::clone(&name), place: located.place, reason });
                if on_bad == OnBad::Stop {
                    break 'run;
                }
            }
        }
        Ok(Gathered { batch: writer.finish(), len, tally, cuts, state, names })
    }
}

fn key(record: &Record) -> Key<'_> {
    Key { id: record.id(), kind: record.kind() }
}

/// Counts of entries.
#[derive(Debug, Default)]
pub struct Tally {
    records: u64,
    deletes: u64,
    faults: u64,
    shown: Vec<Fault>,
}

impl Tally {
    fn note(&mut self, fault: Fault) {
        self.faults += 1;
        if self.shown.len() < SHOWN_FAULTS {
            self.shown.push(fault);
        }
    }

    /// Adds the counts of a later batch.
    pub fn add(&mut self, other: Tally) {
        self.records += other.records;
        self.deletes += other.deletes;
        self.faults += other.faults;
        self.shown.extend(other.shown);
        self.shown.truncate(SHOWN_FAULTS);
    }

    /// Prints the bad records that were skipped.
    pub fn report(&self) {
        if self.faults == 0 {
            return;
        }
        for fault in &self.shown {
            print::note(fault);
        }
        let more = if self.faults > self.shown.len() as u64 { ", the first of them above" } else { "" };
        print::note(format_args!("{} skipped{more}", print::counted(self.faults, "bad record")));
    }

    /// Returns the first bad record.
    pub fn first_fault(&self) -> Option<&Fault> {
        self.shown.first()
    }

    /// Describes how many records were replaced or deleted.
    pub fn replaced(&self, live: u64) -> String {
        let gone = self.records.saturating_sub(live);
        match (gone, self.deletes) {
            (0, _) => String::new(),
            (_, 0) => format!("; {} replaced by later ones", HumanCount(gone)),
            _ => format!("; {} replaced or deleted by later lines", HumanCount(gone)),
        }
    }
}
