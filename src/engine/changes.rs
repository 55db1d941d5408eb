//! Encodes the writes since a snapshot as changes, applies changes, and writes new snapshots.
//!
//! Changes hold the stamp of every write. Several writers can therefore apply each other's changes in any order: of two
//! versions of a record the later one stays, and rows are in the order in which they were written.
//!
//! A stamp never travels without the write that it belongs to. Changes hold, for each stamped key, either the record or
//! its removal. A compacted snapshot holds the records, and their stamps with them.

use super::writes::keys_of;
use super::{Engine, LivePart, WriteError, WriteFault};
use crate::bitmap::Bitmap;
use crate::document::Key;
use crate::order::sort_by_key;
use crate::segment::{MergeSource, Segment, merge, merge_sections};
use crate::snapshot::{self, SectionKind, SnapshotError};
use crate::state::{Stamps, State};
use crate::wire::{Reader, len32, put_bytes, put_varint};

impl Engine {
    /// Encodes the writes that the opened snapshot does not hold: added records, removed keys, and the state.
    ///
    /// ```
    /// use snapseek::json::Json;
    /// use snapseek::{Engine, Key, Record, Schema};
    ///
    /// let schema = Schema::of_fields([("title", 1.0)])?;
    /// let snapshot = Engine::empty(&schema)?.snapshot()?;
    /// let mut first = Engine::open(snapshot.clone())?;
    /// first.add([&Record::from_json(Json::parse(br#"{"id": "1", "title": "Foxes"}"#)?)?])?;
    ///
    /// let mut second = Engine::open(snapshot)?;
    /// second.apply(first.changes()?)?;
    /// assert!(second.record(Key { id: "1", kind: "document" })?.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn changes(&self) -> Result<Vec<u8>, WriteError> {
        let added = self.parts.iter().filter(|part| !part.is_base).map(LivePart::source).collect::<Vec<_>>();
        self.encode_changes(&self.state()?.since_snapshot(), &added)
    }

    /// Encodes every write that was made at run time, including the writes that [`Engine::compacted_snapshot`] put into
    /// the opened snapshot. Applied to the snapshot that was there before the first compaction, or to a newer edition
    /// of it, these changes restore all writes. Returns `None` if there were no writes.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn all_changes(&self) -> Result<Option<Vec<u8>>, WriteError> {
        let state = self.state()?;
        let written = state.since_first_snapshot();
        if written.is_empty() {
            return Ok(None);
        }
        let mut sources = Vec::new();
        let not_written;
        if let Some(base) = self.parts.first().filter(|part| part.is_base) {
            let mut excluded = base.dead.clone();
            for (document, key) in keys_of(&base.segment)?.into_iter().enumerate() {
                if !state.written(key).is_write() {
                    excluded.insert(document);
                }
            }
            if excluded.count() < excluded.len() {
                not_written = excluded;
                sources.push(MergeSource::Segment(&base.segment, &not_written));
            }
        }
        sources.extend(self.parts.iter().filter(|part| !part.is_base).map(LivePart::source));
        self.encode_changes(&written, &sources).map(Some)
    }

    /// Encodes changes: the records of `sources`, the keys in `written` that have no live record, and `written` itself.
    fn encode_changes(&self, written: &State, sources: &[MergeSource]) -> Result<Vec<u8>, WriteError> {
        let mut sections = merge_sections(&self.schema, sources, &[], 1)?;
        let mut removed = Vec::new();
        let mut count = 0;
        for key in written.written_keys() {
            // The sources hold the live records.
            if self.find(key)?.is_none() {
                put_bytes(&mut removed, key.id.as_bytes());
                put_bytes(&mut removed, key.kind.as_bytes());
                count += 1;
            }
        }
        let mut section = Vec::new();
        put_varint(&mut section, len32(count));
        section.extend_from_slice(&removed);
        sections.push((SectionKind::Removed, section));
        if !written.is_empty() {
            sections.push((SectionKind::State, written.encode(Stamps::Kept)));
        }
        Ok(snapshot::encode(&sections))
    }

    /// Applies changes that [`Engine::changes`] encoded. A record replaces the record with the same key, and a removed
    /// key removes it, unless this engine knows a later write of that key. [`Engine::changes`] has an example.
    ///
    /// # Errors
    /// Fails when the bytes are not changes, or were made with another schema; then nothing is applied.
    pub fn apply(&mut self, changes: Vec<u8>) -> Result<(), WriteError> {
        let segment = Segment::open(changes)?;
        let mut schema = self.schema.clone();
        if !schema.settle_widths_of(segment.schema()) {
            return Err(WriteFault::OtherSchema.into());
        }
        // Find all damage before anything is written.
        segment.verify()?;
        let incoming = segment.state()?;
        let removed = removed_keys(&segment)?;
        let is_news = |own: &State, key: Key| {
            let own = own.written(key);
            !own.is_write() || own < incoming.written(key)
        };
        let mut old = Bitmap::none(segment.documents() as usize);
        for (document, key) in keys_of(&segment)?.into_iter().enumerate() {
            old.set(document, !is_news(self.state()?, key));
        }
        let fresh = match old.count() {
            0 => segment,
            _ => Segment::open(merge(&self.schema, &[MergeSource::Segment(&segment, &old)], 1)?)?,
        };
        self.check_kinds(&fresh, &removed)?;
        for (id, kind) in &removed {
            let key = Key { id, kind };
            if is_news(self.state()?, key) {
                self.kill(key)?;
            }
        }
        self.state_mut()?.merge(&incoming);
        self.overrides.take();
        if fresh.documents() > 0 {
            self.push(fresh)?;
            self.order_rows()?;
        }
        Ok(())
    }

    /// Moves this engine to another snapshot, and applies its own changes there. Records that the new snapshot holds in
    /// a later version keep that version.
    ///
    /// # Errors
    /// Fails when the bytes are not a snapshot, are damaged, or have another schema; then this engine stays as it is.
    pub fn rebase(&mut self, snapshot: Vec<u8>) -> Result<(), WriteError> {
        let mut moved = Engine::open(snapshot)?.with_clock(self.clock).with_writer(self.writer);
        moved.verify_checksums()?;
        moved.apply(self.changes()?)?;
        moved.state_mut()?.advance(self.state()?.latest());
        self.schema = moved.schema;
        self.analyzer = moved.analyzer;
        self.parts = moved.parts;
        self.totals = moved.totals;
        self.state = moved.state;
        self.overrides = moved.overrides;
        self.slots.forget_derived();
        self.writes += 1;
        Ok(())
    }

    /// Sorts the rows written since the snapshot by their stamps, whichever engine wrote them.
    fn order_rows(&mut self) -> Result<(), WriteError> {
        let mut rows = Vec::new();
        for (number, part) in self.parts.iter().enumerate().filter(|(_, part)| !part.is_base) {
            for (document, key) in keys_of(&part.segment)?.into_iter().enumerate() {
                if !part.dead.has(document) {
                    rows.push((self.state()?.written(key), number, document));
                }
            }
        }
        if rows.is_sorted_by_key(|(stamp, ..)| *stamp) {
            return Ok(());
        }
        sort_by_key(&mut rows, |(stamp, ..)| *stamp);
        // A run of consecutive rows of one part becomes a merge source in which all other rows are dead.
        let mut runs: Vec<(usize, Bitmap)> = Vec::new();
        let mut last: Option<(usize, usize)> = None;
        for (_, number, document) in rows {
            if last.is_none_or(|last| last > (number, document) || last.0 != number) {
                runs.push((number, Bitmap::all(self.parts[number].segment.documents() as usize)));
            }
            runs.last_mut().expect("one was just pushed").1.set(document, false);
            last = Some((number, document));
        }
        let sources =
            runs.iter().map(|(number, dead)| MergeSource::Segment(&self.parts[*number].segment, dead));
        let merged = Segment::open(merge(&self.schema, &sources.collect::<Vec<_>>(), 1)?)?;
        self.parts.retain(|part| part.is_base);
        self.parts.push(LivePart::new(merged, false));
        self.overrides.take();
        Ok(())
    }

    /// Encodes a snapshot of all live records: the same bytes as building from these records.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged, or the records exceed a limit of the format.
    pub fn snapshot(&self) -> Result<Vec<u8>, WriteError> {
        let state = self.state()?;
        self.encode_snapshot(state.is_known().then(|| state.encode(Stamps::Left)))
    }

    /// Encodes a snapshot that also holds the stamps of all writes, tombstones included. An engine that opens it ignores
    /// older writes that arrive later, and makes later stamps than all of them.
    ///
    /// The stamps take about 20 bytes per record that was written at run time. A removed record takes 20 bytes plus the
    /// length of its id.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged, or the records exceed a limit of the format.
    pub fn compacted_snapshot(&self) -> Result<Vec<u8>, WriteError> {
        let state = self.state()?;
        self.encode_snapshot((!state.is_empty()).then(|| state.encode(Stamps::Mixed)))
    }

    fn encode_snapshot(&self, state: Option<Vec<u8>>) -> Result<Vec<u8>, WriteError> {
        let all = self.parts.iter().map(LivePart::source).collect::<Vec<_>>();
        let mut sections = merge_sections(&self.schema, &all, &[], 1)?;
        if let Some(part) = self.parts.first()
            && let Some(tables) = part.segment.snapshot().optional_section(SectionKind::Embedders)?
        {
            sections.push((SectionKind::Embedders, tables.to_vec()));
        }
        if let Some(state) = state {
            sections.push((SectionKind::State, state));
        }
        Ok(snapshot::encode(&sections))
    }
}

impl LivePart {
    fn source(&self) -> MergeSource<'_> {
        MergeSource::Segment(&self.segment, &self.dead)
    }
}

fn removed_keys(segment: &Segment) -> Result<Vec<(String, String)>, SnapshotError> {
    let mut reader =
        Reader::new(segment.snapshot().section(SectionKind::Removed)?, "the list of removed keys");
    let count = reader.varlen()?;
    let mut keys = Vec::new();
    for _ in 0..count {
        keys.push((reader.str()?.to_owned(), reader.str()?.to_owned()));
    }
    match reader.remaining() {
        0 => Ok(keys),
        _ => Err(reader.malformed().into()),
    }
}
