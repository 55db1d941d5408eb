//! Which document has a given key, and which key has a given document?
//!
//! ```text
//! u32 documents · varint kinds · kinds × string · kinds > 1: documents × u8 kind
//! · u32 id offset × (documents + 1) · u32 document × documents, sorted by (id, kind) · ids
//! ```

use super::record::MAX_ID_LEN;
use crate::order::sort_indexes;
use crate::wire::{Malformed, Reader, len32, put_bytes, put_varint, u32_at};
use std::cmp::Ordering;

/// The largest number of different kinds in one segment.
pub const MAX_KINDS: usize = 255;

/// The unique name of a record: no two live records share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key<'a> {
    /// The record's id.
    pub id: &'a str,
    /// The record's kind.
    pub kind: &'a str,
}

/// Collects keys in row order; [`KeysView`] reads them.
#[derive(Debug, Default)]
pub struct KeysWriter {
    kinds: Vec<String>,
    kind_of: Vec<u8>,
    ids: String,
    ends: Vec<u32>,
}

impl KeysWriter {
    /// Appends the key of the next document.
    ///
    /// Returns false and appends nothing when the key would add a kind beyond [`MAX_KINDS`].
    #[must_use]
    pub fn push(&mut self, key: Key) -> bool {
        let kind = match self.kinds.iter().position(|kind| kind == key.kind) {
            Some(kind) => kind,
            None if self.kinds.len() == MAX_KINDS => return false,
            None => {
                self.kinds.push(key.kind.to_owned());
                self.kinds.len() - 1
            }
        };
        self.kind_of.push(u8::try_from(kind).expect("at most 255 kinds"));
        self.ids.push_str(key.id);
        self.ends.push(len32(self.ids.len()));
        true
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the key of an appended document.
    pub fn get(&self, document: usize) -> Key<'_> {
        let start = document.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        Key {
            id: &self.ids[start..self.ends[document] as usize],
            kind: &self.kinds[usize::from(self.kind_of[document])],
        }
    }

    /// Encodes the section; [`KeysView::parse`] reverses it.
    pub fn finish(self) -> Vec<u8> {
        let mut sorted = (0..self.len()).collect::<Vec<_>>();
        sort_indexes(&mut sorted, &mut |a, b| self.get(a).cmp(&self.get(b)));
        let mut out = len32(self.len()).to_le_bytes().to_vec();
        put_varint(&mut out, len32(self.kinds.len()));
        self.kinds.iter().for_each(|kind| put_bytes(&mut out, kind.as_bytes()));
        if self.kinds.len() > 1 {
            out.extend_from_slice(&self.kind_of);
        }
        out.extend_from_slice(&0u32.to_le_bytes());
        self.ends.iter().for_each(|end| out.extend_from_slice(&end.to_le_bytes()));
        sorted.iter().for_each(|&document| out.extend_from_slice(&len32(document).to_le_bytes()));
        out.extend_from_slice(self.ids.as_bytes());
        out
    }
}

/// Reads the encoded keys; [`KeysWriter`] writes them.
#[derive(Clone, Debug)]
pub struct KeysView<'a> {
    documents: usize,
    kinds: Vec<&'a str>,
    kind_of: &'a [u8],
    offsets: &'a [u8],
    sorted: &'a [u8],
    ids: &'a [u8],
}

const WHAT: &str = "the table of ids";

impl<'a> KeysView<'a> {
    /// Reads the section's header and tables; [`KeysWriter::finish`] reverses it.
    ///
    /// # Errors
    /// Fails when the section is too short for the number of documents in its header, or has an invalid number of kinds.
    pub fn parse(bytes: &'a [u8]) -> Result<KeysView<'a>, Malformed> {
        let mut reader = Reader::new(bytes, WHAT);
        let documents = reader.len32()?;
        let kind_count = reader.varlen()?;
        if kind_count > MAX_KINDS || (kind_count == 0) != (documents == 0) {
            return Err(reader.malformed());
        }
        let kinds = (0..kind_count).map(|_| reader.str()).collect::<Result<Vec<_>, _>>()?;
        let kind_of = reader.take(if kind_count > 1 { documents } else { 0 })?;
        let words = |count: usize| count.checked_mul(4).ok_or(Malformed(WHAT));
        let offsets = reader.take(words(documents + 1)?)?;
        let sorted = reader.take(words(documents)?)?;
        Ok(KeysView { documents, kinds, kind_of, offsets, sorted, ids: reader.rest() })
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.documents
    }

    /// Returns whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// Returns the distinct kinds, in order of first use.
    pub fn kinds(&self) -> &[&'a str] {
        &self.kinds
    }

    /// Returns for each document the index of its kind in [`KeysView::kinds`]; empty if there is at most one kind.
    pub fn kind_numbers(&self) -> &'a [u8] {
        self.kind_of
    }

    fn kind_number(&self, document: usize) -> usize {
        self.kind_of.get(document).map_or(0, |&kind| usize::from(kind))
    }

    /// Returns a document's key.
    ///
    /// # Errors
    /// Fails when the table is malformed or `document` is out of range.
    pub fn get(&self, document: usize) -> Result<Key<'a>, Malformed> {
        let start = u32_at(self.offsets, document).ok_or(Malformed(WHAT))? as usize;
        let end = u32_at(self.offsets, document + 1).ok_or(Malformed(WHAT))? as usize;
        let id = self.ids.get(start..end).filter(|id| id.len() <= MAX_ID_LEN).ok_or(Malformed(WHAT))?;
        let id = std::str::from_utf8(id).map_err(|_| Malformed(WHAT))?;
        let kind = self.kinds.get(self.kind_number(document)).ok_or(Malformed(WHAT))?;
        Ok(Key { id, kind })
    }

    /// Returns the last document with this key, or `None`.
    ///
    /// # Errors
    /// Fails when the table is malformed.
    pub fn find(&self, key: Key) -> Result<Option<usize>, Malformed> {
        let (mut low, mut high) = (0, self.documents);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(self.sorted_at(middle)?)?.cmp(&key) {
                Ordering::Greater => high = middle,
                Ordering::Less | Ordering::Equal => low = middle + 1,
            }
        }
        let Some(place) = low.checked_sub(1) else { return Ok(None) };
        let document = self.sorted_at(place)?;
        Ok((self.get(document)? == key).then_some(document))
    }

    fn sorted_at(&self, place: usize) -> Result<usize, Malformed> {
        u32_at(self.sorted, place).map(|document| document as usize).ok_or(Malformed(WHAT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_at_its_document_and_no_other_is() {
        let keys = [("b", "note"), ("a", "document"), ("b", "document"), ("zoë", "note")];
        let mut writer = KeysWriter::default();
        keys.iter().for_each(|&(id, kind)| assert!(writer.push(Key { id, kind })));
        let bytes = writer.finish();
        let view = KeysView::parse(&bytes).unwrap();
        for (document, &(id, kind)) in keys.iter().enumerate() {
            assert_eq!(view.find(Key { id, kind }), Ok(Some(document)));
            assert_eq!(view.get(document), Ok(Key { id, kind }));
        }
        for (id, kind) in [("a", "note"), ("", "document"), ("zz", "note")] {
            assert_eq!(view.find(Key { id, kind }), Ok(None));
        }
    }

    #[test]
    fn an_id_longer_than_a_record_may_have_is_malformed() {
        let mut writer = KeysWriter::default();
        let long = "x".repeat(MAX_ID_LEN);
        assert!(writer.push(Key { id: &long, kind: "a" }) && writer.push(Key { id: "y", kind: "a" }));
        let mut bytes = writer.finish();
        assert_eq!(KeysView::parse(&bytes).unwrap().get(0), Ok(Key { id: &long, kind: "a" }));
        // u32 documents · varint kinds · a string of one letter · offsets; this increments the second offset.
        bytes[11] += 1;
        assert_eq!(KeysView::parse(&bytes).unwrap().get(0), Err(Malformed(WHAT)));
    }

    #[test]
    fn truncated_tables_are_errors() {
        let mut writer = KeysWriter::default();
        assert!(writer.push(Key { id: "a", kind: "x" }) && writer.push(Key { id: "b", kind: "y" }));
        let bytes = writer.finish();
        for len in 0..bytes.len() {
            let read = KeysView::parse(&bytes[..len]).and_then(|view| view.get(1).map(|_| ()));
            assert!(read.is_err(), "accepted {len} bytes");
        }
    }
}
