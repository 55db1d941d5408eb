//! What was written since the snapshot, as bytes; and everything as a new snapshot.
//!
//! Changes know when each record and field was written, so those of several writers can be applied in any order: of two
//! versions the later stays, and rows stand in the order in which they were written.

use super::writes::keys_of;
use super::{Engine, LivePart, WriteError, WriteFault};
use crate::bitmap::Bitmap;
use crate::document::Key;
use crate::order::sort_by_key;
use crate::segment::{Segment, Source, merge, merge_sections};
use crate::snapshot::{self, SectionKind, SnapshotError};
use crate::state::{Stamps, State};
use crate::wire::{Reader, len32, put_bytes, put_varint};

impl Engine {
    /// Everything since the snapshot: records that were added, and keys that were removed.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn changes(&self) -> Result<Vec<u8>, WriteError> {
        let added = self.parts.iter().filter(|part| !part.is_base).map(LivePart::source).collect::<Vec<_>>();
        let mut sections = merge_sections(&self.schema, &added, &[], 1)?;
        let mut removed = Vec::new();
        let mut count = 0;
        for key in self.state()?.written_keys() {
            // What is there comes with the added records.
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
        let since = self.state()?.since_snapshot();
        if !since.is_empty() {
            snapshot::insert(&mut sections, SectionKind::State, since.encode(Stamps::Kept));
        }
        Ok(snapshot::encode(&sections))
    }

    /// Brings back what [`Engine::changes`] gave: records replace those with the same key, keys are removed, unless what
    /// is there was written later.
    ///
    /// # Errors
    /// When the bytes are no changes, or were made with another schema; then nothing is applied.
    pub fn apply(&mut self, changes: Vec<u8>) -> Result<(), WriteError> {
        let segment = Segment::open(changes)?;
        let mut schema = self.schema.clone();
        if !schema.settle_widths_of(segment.schema()) {
            return Err(WriteFault::OtherSchema.into());
        }
        // Damage must show before anything is written.
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
            _ => Segment::open(merge(&self.schema, &[Source::Segment(&segment, &old)], 1)?)?,
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

    /// Puts the rows since the snapshot in the order in which they were written, whoever wrote them.
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
        // A run of rows that stand together in a part is a part in which all others are dead.
        let mut runs: Vec<(usize, Bitmap)> = Vec::new();
        let mut last: Option<(usize, usize)> = None;
        for (_, number, document) in rows {
            if last.is_none_or(|last| last > (number, document) || last.0 != number) {
                runs.push((number, Bitmap::all(self.parts[number].segment.documents() as usize)));
            }
            runs.last_mut().expect("one was just pushed").1.set(document, false);
            last = Some((number, document));
        }
        let sources = runs.iter().map(|(number, dead)| Source::Segment(&self.parts[*number].segment, dead));
        let merged = Segment::open(merge(&self.schema, &sources.collect::<Vec<_>>(), 1)?)?;
        self.parts.retain(|part| part.is_base);
        self.parts.push(LivePart::new(merged, false));
        self.overrides.take();
        Ok(())
    }

    /// A fresh snapshot of all live records: the bytes that building from them gives.
    ///
    /// # Errors
    /// When the snapshot is damaged, or there is too much for one.
    pub fn snapshot(&self) -> Result<Vec<u8>, WriteError> {
        let all = self.parts.iter().map(LivePart::source).collect::<Vec<_>>();
        let mut sections = merge_sections(&self.schema, &all, &[], 1)?;
        if let Some(part) = self.parts.first()
            && let Some(tables) = part.segment.snapshot().optional_section(SectionKind::Embedders)?
        {
            snapshot::insert(&mut sections, SectionKind::Embedders, tables.to_vec());
        }
        let state = self.state()?;
        if state.is_known() {
            snapshot::insert(&mut sections, SectionKind::State, state.encode(Stamps::Left));
        }
        Ok(snapshot::encode(&sections))
    }
}

impl LivePart {
    fn source(&self) -> Source<'_> {
        Source::Segment(&self.segment, &self.dead)
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
