//! Adding, replacing and removing records at run time.
//!
//! What is written becomes a segment of its own, encoded by the writer that encodes snapshots; what it replaces is marked
//! dead. Segments of like size are merged, so there are never many.

use super::{Engine, LivePart, WriteError};
use crate::document::{Key, MAX_KINDS, Record};
use crate::order::Set;
use crate::segment::{BatchWriter, MergeError, MergeFault, Segment, Source, merge};
use crate::snapshot::SnapshotError;

/// What a write did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Records that are now there.
    pub added: usize,
    /// Records that were there before, and are replaced or removed.
    pub replaced: usize,
}

/// A record, perhaps with its vector for the model in a place.
pub(crate) type NewRecord<'a> = (&'a Record, Option<(usize, &'a [f32])>);

impl Engine {
    /// Adds records; those with a key that is already there replace the one that has it. All are added, or none.
    ///
    /// # Errors
    /// When a record does not fit the schema or a limit.
    pub fn add<'a>(&mut self, records: impl IntoIterator<Item = &'a Record>) -> Result<Written, WriteError> {
        self.add_with(&records.into_iter().map(|record| (record, None)).collect::<Vec<_>>()[..], None)
    }

    /// As [`Engine::add`], at this time or now.
    pub(crate) fn add_with(
        &mut self,
        records: &[NewRecord],
        now: Option<f64>,
    ) -> Result<Written, WriteError> {
        let mut writer = BatchWriter::new(&self.schema)?;
        let embedders = self.embedders()?;
        for &(record, given) in records {
            let mut vectors = embedders.vectors(&self.schema, record);
            if let Some((model, vector)) = given {
                vectors[model] = Some(vector.to_vec());
            }
            writer.add_with(record, &vectors)?;
        }
        if writer.is_empty() {
            return Ok(Written::default());
        }
        let batch = writer.finish();
        let segment = Segment::open(merge(&self.schema, &[Source::Batch(&batch)], 1)?)?;
        self.check_kinds(&segment, &[])?;
        let stamp = self.stamp(now)?;
        for key in keys_of(&segment)? {
            self.state_mut()?.write_record(key, stamp);
        }
        self.push(segment)
    }

    /// Removes the records with these keys; those that are not there are passed over.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn remove<'a>(&mut self, keys: impl IntoIterator<Item = Key<'a>>) -> Result<Written, WriteError> {
        self.remove_all(&keys.into_iter().collect::<Vec<_>>())
    }

    fn remove_all(&mut self, keys: &[Key]) -> Result<Written, WriteError> {
        let mut written = Written::default();
        let stamp = self.stamp(None)?;
        for &key in keys {
            if self.kill(key)? {
                self.state_mut()?.write_record(key, stamp);
                written.replaced += 1;
            }
        }
        Ok(written)
    }

    /// Checks that the kinds of all records will fit into one segment when those of `segment` are added and those with the
    /// keys in `removed` are gone.
    pub(crate) fn check_kinds(
        &self,
        segment: &Segment,
        removed: &[(String, String)],
    ) -> Result<(), WriteError> {
        let own = segment.keys()?.kinds().iter().copied().collect::<Set<_>>();
        let mut kinds = own.clone();
        for part in &self.parts {
            for kind in part.segment.keys()?.kinds() {
                kinds.insert(*kind);
            }
        }
        if kinds.len() <= MAX_KINDS {
            return Ok(());
        }
        // Some may be those of dead records only.
        kinds = own;
        let removed = removed.iter().map(|(id, kind)| Key { id, kind }).collect::<Set<_>>();
        for part in &self.parts {
            for (document, key) in keys_of(&part.segment)?.into_iter().enumerate() {
                if !part.dead.has(document) && !removed.contains(&key) {
                    kinds.insert(key.kind);
                }
            }
        }
        if kinds.len() <= MAX_KINDS { Ok(()) } else { Err(MergeError::from(MergeFault::TooManyKinds).into()) }
    }

    /// Takes a segment of new records, whose kinds were checked.
    pub(crate) fn push(&mut self, segment: Segment) -> Result<Written, WriteError> {
        let mut written = Written { added: segment.documents() as usize, replaced: 0 };
        self.overrides.take();
        self.slots.forget_derived();
        for key in keys_of(&segment)? {
            written.replaced += usize::from(self.kill(key)?);
        }
        self.schema.settle_widths_of(segment.schema());
        let part = LivePart::new(segment, false);
        let totals = part.totals()?;
        self.totals.rows += totals.rows;
        self.totals.tokens = self.totals.tokens.saturating_add(totals.tokens);
        self.parts.push(part);
        self.merge_small()?;
        Ok(written)
    }

    /// Marks the live record with this key dead; whether there was one.
    pub(crate) fn kill(&mut self, key: Key) -> Result<bool, WriteError> {
        let Some((number, document)) = self.find(key)? else { return Ok(false) };
        let part = &mut self.parts[number];
        let tokens = part.segment.field_lengths()?.of_document(document as usize).map(u64::from).sum::<u64>();
        self.slots.forget_derived();
        part.dead.insert(document as usize);
        part.dead_count += 1;
        self.totals.rows -= 1;
        self.totals.tokens -= tokens.min(self.totals.tokens);
        Ok(true)
    }

    /// Merges the newest segments while the last is not much smaller than the one before it. The snapshot that was opened
    /// stays as it is.
    fn merge_small(&mut self) -> Result<(), WriteError> {
        while let [.., before, last] = &self.parts[..]
            && !before.is_base
            && last.live() * 2 >= before.live()
        {
            let sources = [before, last].map(|part| Source::Segment(&part.segment, &part.dead));
            let merged = Segment::open(merge(&self.schema, &sources, 1)?)?;
            self.parts.truncate(self.parts.len() - 2);
            self.parts.push(LivePart::new(merged, false));
        }
        Ok(())
    }
}

/// The keys of all records, in order.
pub(crate) fn keys_of(segment: &Segment) -> Result<Vec<Key<'_>>, SnapshotError> {
    let keys = segment.keys()?;
    let mut all = Vec::new();
    for document in 0..keys.len() {
        all.push(keys.get(document)?);
    }
    Ok(all)
}
