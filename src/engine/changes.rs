//! What was written since the snapshot, as bytes; and everything as a new snapshot.

use super::{Engine, LivePart, WriteError};
use crate::document::Key;
use crate::segment::{Segment, Source, merge_sections};
use crate::snapshot::{self, SectionKind, SnapshotError};
use crate::wire::{Reader, len32, put_bytes, put_varint};

impl Engine {
    /// Everything since the snapshot: records that were added, and keys that were removed.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn changes(&self) -> Result<Vec<u8>, WriteError> {
        let added = self.parts.iter().filter(|part| !part.is_base).map(LivePart::source).collect::<Vec<_>>();
        let mut sections = merge_sections(&self.schema, &added, 1)?;
        let mut removed = Vec::new();
        let mut count = 0;
        for part in self.parts.iter().filter(|part| part.is_base) {
            let keys = part.segment.keys()?;
            for document in part.dead.iter() {
                let key = keys.get(document)?;
                // One that was replaced comes with the added records.
                if self.find(key)?.is_none() {
                    put_bytes(&mut removed, key.id.as_bytes());
                    put_bytes(&mut removed, key.kind.as_bytes());
                    count += 1;
                }
            }
        }
        let mut section = Vec::new();
        put_varint(&mut section, len32(count));
        section.extend_from_slice(&removed);
        sections.push((SectionKind::Removed, section));
        Ok(snapshot::encode(&sections))
    }

    /// Brings back what [`Engine::changes`] gave: records replace those with the same key, keys are removed.
    ///
    /// # Errors
    /// When the bytes are no changes, or were made with another schema; then nothing is applied.
    pub fn apply(&mut self, changes: Vec<u8>) -> Result<(), WriteError> {
        let segment = Segment::open(changes)?;
        let mut schema = self.schema.clone();
        if !schema.settle_widths_of(segment.schema()) {
            return Err(WriteError::OtherSchema);
        }
        // Damage must show before anything is written.
        segment.verify()?;
        let removed = removed_keys(&segment)?;
        self.check_kinds(&segment, &removed)?;
        self.remove(removed.iter().map(|(id, kind)| Key { id, kind }))?;
        if segment.documents() > 0 {
            self.push(segment)?;
        }
        Ok(())
    }

    /// A fresh snapshot of all live records: the bytes that building from them gives.
    ///
    /// # Errors
    /// When the snapshot is damaged, or there is too much for one.
    pub fn snapshot(&self) -> Result<Vec<u8>, WriteError> {
        let all = self.parts.iter().map(LivePart::source).collect::<Vec<_>>();
        let mut sections = merge_sections(&self.schema, &all, 1)?;
        if let Some(part) = self.parts.first()
            && let Some(tables) = part.segment.snapshot().optional_section(SectionKind::Embedders)?
        {
            snapshot::insert_embedders(&mut sections, tables.to_vec());
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
