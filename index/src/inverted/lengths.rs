//! How many tokens does each document have in each field?
//!
//! Lengths are bit-packed per field, at the width of the longest one:
//!
//! ```text
//! lengths: u32 documents · u8 fields · fields × (u64 tokens in all · u8 width) · fields × packed lengths, padded to a byte
//! totals:  u32 documents · u64 tokens in all · u8 width · packed lengths of all fields together
//! ```
//!
//! Scores need only the totals. They are a section of their own, so that a reader of pieces need not read the lengths. In
//! format 1 there are no totals.

use crate::bits::{self, BitWriter, widest};
use crate::wire::{Malformed, Reader, len32};

/// Collects the lengths of documents. [`LengthsView`] reads them.
#[derive(Debug)]
pub struct LengthsWriter {
    by_field: Vec<Vec<u32>>,
}

impl LengthsWriter {
    /// Creates a writer for documents with `field_count` text fields.
    pub fn new(field_count: usize) -> LengthsWriter {
        LengthsWriter { by_field: vec![Vec::new(); field_count] }
    }

    /// Appends a document: the number of tokens in each field.
    pub fn push(&mut self, lengths: impl IntoIterator<Item = u32>) {
        for (field, length) in self.by_field.iter_mut().zip(lengths) {
            field.push(length);
        }
    }

    /// Returns the bytes of the totals, for `documents` documents.
    pub fn totals(&self, documents: usize) -> Vec<u8> {
        let mut totals = vec![0u32; documents];
        for field in &self.by_field {
            totals.iter_mut().zip(field).for_each(|(total, length)| *total = total.saturating_add(*length));
        }
        let tokens = self.by_field.iter().flatten().map(|&length| u64::from(length)).sum::<u64>();
        let mut out = len32(documents).to_le_bytes().to_vec();
        out.extend_from_slice(&tokens.to_le_bytes());
        out.push(widest(&totals).to_le_bytes()[0]);
        let mut writer = BitWriter::new(&mut out);
        writer.put(&totals, widest(&totals));
        writer.finish();
        out
    }

    /// Returns the bytes of the section, for `documents` documents.
    pub fn finish(self, documents: usize) -> Vec<u8> {
        let mut out = len32(documents).to_le_bytes().to_vec();
        out.push(u8::try_from(self.by_field.len()).expect("a schema has at most 64 fields"));
        for field in &self.by_field {
            let total = field.iter().map(|&length| u64::from(length)).sum::<u64>();
            out.extend_from_slice(&total.to_le_bytes());
            out.push(widest(field).to_le_bytes()[0]);
        }
        for field in &self.by_field {
            let mut writer = BitWriter::new(&mut out);
            writer.put(field, widest(field));
            writer.finish();
        }
        out
    }
}

/// The lengths of a segment, read in place. [`LengthsWriter`] writes them.
#[derive(Clone, Debug)]
pub struct LengthsView<'a> {
    documents: usize,
    fields: Vec<FieldLengths<'a>>,
}

#[derive(Clone, Debug)]
struct FieldLengths<'a> {
    total: u64,
    width: u32,
    packed: &'a [u8],
}

impl<'a> LengthsView<'a> {
    /// Reads the section.
    ///
    /// # Errors
    /// Returns an error when the size of the section differs from what its header states.
    pub fn parse(bytes: &'a [u8]) -> Result<LengthsView<'a>, Malformed> {
        let mut reader = Reader::new(bytes, "the table of lengths");
        let documents = reader.len32()?;
        let field_count = reader.u8()?;
        let mut fields = Vec::with_capacity(usize::from(field_count));
        for _ in 0..field_count {
            let total = reader.u64()?;
            let width = u32::from(reader.u8()?);
            if width > bits::MAX_WIDTH {
                return Err(reader.malformed());
            }
            fields.push(FieldLengths { total, width, packed: &[] });
        }
        for field in &mut fields {
            let bits = documents.checked_mul(field.width as usize).ok_or(reader.malformed())?;
            field.packed = reader.take(bits.div_ceil(8))?;
        }
        match reader.remaining() {
            0 => Ok(LengthsView { documents, fields }),
            _ => Err(reader.malformed()),
        }
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Returns the number of fields per document.
    pub fn field_count(&self) -> usize {
        self.fields.len()
    }

    /// Returns the number of tokens of one document in each field.
    pub fn of_document(&self, document: usize) -> impl Iterator<Item = u32> + '_ {
        self.fields
            .iter()
            .map(move |field| bits::get(field.packed, document * field.width as usize, field.width))
    }

    /// Returns the number of tokens of one field over all documents; 0 for an unknown field.
    pub fn total_of_field(&self, field: usize) -> u64 {
        self.fields.get(field).map_or(0, |field| field.total)
    }

    /// Reports whether the stored total of each field equals the sum over its documents.
    pub fn adds_up(&self) -> bool {
        self.fields.iter().all(|field| {
            let length = |document| bits::get(field.packed, document * field.width as usize, field.width);
            (0..self.documents).map(|document| u64::from(length(document))).sum::<u64>() == field.total
        })
    }

    /// Returns the number of tokens of each document over all fields, in document order: bm25's D.
    pub fn totals(&self) -> Vec<u32> {
        let mut totals = vec![0u32; self.documents];
        for field in &self.fields {
            for (document, total) in totals.iter_mut().enumerate() {
                let length = bits::get(field.packed, document * field.width as usize, field.width);
                *total = total.saturating_add(length);
            }
        }
        totals
    }
}

/// The lengths of documents over all fields, read in place. [`LengthsWriter::totals`] writes them.
#[derive(Clone, Copy, Debug)]
pub struct TotalLengths<'a> {
    documents: usize,
    tokens: u64,
    width: u32,
    packed: &'a [u8],
}

impl<'a> TotalLengths<'a> {
    /// Reads the section.
    ///
    /// # Errors
    /// Returns an error when the size of the section differs from what its header states.
    pub fn parse(bytes: &'a [u8]) -> Result<TotalLengths<'a>, Malformed> {
        let mut reader = Reader::new(bytes, "the table of lengths");
        let (documents, tokens) = (reader.len32()?, reader.u64()?);
        let width = u32::from(reader.u8()?);
        let bits = documents.checked_mul(width as usize).filter(|_| width <= bits::MAX_WIDTH);
        let packed = reader.take(bits.ok_or(reader.malformed())?.div_ceil(8))?;
        match reader.remaining() {
            0 => Ok(TotalLengths { documents, tokens, width, packed }),
            _ => Err(reader.malformed()),
        }
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Returns the number of tokens of all documents.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Returns the number of tokens of each document, in document order: bm25's D.
    pub fn lengths(&self) -> Vec<u32> {
        (0..self.documents)
            .map(|document| bits::get(self.packed, document * self.width as usize, self.width))
            .collect::<Vec<_>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_come_back_by_document_and_in_total() {
        let mut writer = LengthsWriter::new(3);
        let documents = [[3, 0, 900], [0, 0, 0], [31, 0, 7]];
        documents.iter().for_each(|lengths| writer.push(*lengths));
        let totals = writer.totals(3);
        let totals = TotalLengths::parse(&totals).unwrap();
        assert_eq!((totals.documents(), totals.tokens(), totals.lengths()), (3, 941, vec![903, 0, 38]));
        let bytes = writer.finish(3);
        let view = LengthsView::parse(&bytes).unwrap();
        for (i, lengths) in documents.iter().enumerate() {
            assert_eq!(view.of_document(i).collect::<Vec<_>>(), lengths);
        }
        assert_eq!(view.totals(), [903, 0, 38]);
        assert_eq!([view.total_of_field(0), view.total_of_field(2)], [34, 907]);
    }

    #[test]
    fn a_table_whose_size_differs_from_its_header_is_malformed() {
        let mut writer = LengthsWriter::new(1);
        writer.push([5]);
        let mut totals = writer.totals(1);
        totals.push(0);
        (0..=totals.len()).filter(|len| *len != totals.len() - 1).for_each(|len| {
            assert!(TotalLengths::parse(&totals[..len]).is_err());
        });
        let mut bytes = writer.finish(1);
        for len in 0..bytes.len() {
            assert!(LengthsView::parse(&bytes[..len]).is_err());
        }
        bytes.push(0);
        assert!(LengthsView::parse(&bytes).is_err());
    }
}
