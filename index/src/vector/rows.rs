//! The vectors of one model: a row per document that has one.
//!
//! ```text
//! 0 u32 rows · 4 u32 width · 8 u8 encoding · 9 u8 metric · 10 u8 1 if some document has no row, else 0 · 11 zeros
//! 16 u32 × rows: each row's document, ascending; only if some document has no row
//!    bits × rows: 1 if the number is not negative, lowest bit first, padded to a multiple of 128 bits; only i1
//!    f32 × rows: each row's factor; not with encoding f32
//!    u32 × rows: the sum of the squares of the row's bytes; not with encoding f32 or metric cosine
//!    numbers × rows, padded to a multiple of 16 numbers: f32 with encoding f32, otherwise i8
//! ```
//! Each part starts at a multiple of 16 bytes. Padding is zero.
//!
//! The value of a component is its stored number times its row's factor. With the cosine, a row represents a vector of
//! length 1.

use super::encoding::{Encoding, MAX_WIDTH, Metric, VectorError, check_vector};
use super::kernel::LANES;
use crate::wire::{Malformed, Reader, len32, u32_at};
use std::ops::Range;

const HEADER_LEN: usize = 16;
const MALFORMED: Malformed = Malformed("the table of vectors");

/// Collects the rows of a model. [`RowsView`] reads the bytes it writes.
#[derive(Clone, Debug)]
pub struct RowsWriter {
    encoding: Encoding,
    metric: Metric,
    width: Option<usize>,
    /// The document of each row, 4 bytes each.
    documents: Vec<u8>,
    /// The factor of each row, 4 bytes each; empty with encoding f32.
    factors: Vec<u8>,
    /// The sum of squares of each row, 4 bytes each; empty with encoding f32 or metric cosine.
    squares: Vec<u8>,
    /// The padded numbers of all rows.
    numbers: Vec<u8>,
}

impl RowsWriter {
    /// Creates a writer without rows. If `width` is `None`, the first row sets it.
    pub fn new(encoding: Encoding, metric: Metric, width: Option<usize>) -> RowsWriter {
        let (documents, factors, squares, numbers) = Default::default();
        RowsWriter { encoding, metric, width, documents, factors, squares, numbers }
    }

    /// Returns the number of components per row, once it is known.
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// Appends the vector of a document. Documents must ascend.
    ///
    /// # Errors
    /// Returns an error when the vector is not usable or has another width; then nothing is appended.
    pub fn push(&mut self, document: u32, vector: &[f32]) -> Result<(), VectorError> {
        let length = check_vector(vector, self.width)?;
        self.width = Some(vector.len());
        self.documents.extend(document.to_le_bytes());
        let scale = if self.metric == Metric::Cosine { 1.0 / length } else { 1.0 };
        let padding = stride_of(vector.len()) - vector.len();
        if self.encoding == Encoding::F32 {
            // Multiply in f64 and round once, so that a vector of length 1 keeps its bits.
            let scaled = vector.iter().map(|&number| narrowed(f64::from(number) * scale));
            self.numbers.extend(scaled.flat_map(f32::to_le_bytes));
            self.numbers.resize(self.numbers.len() + 4 * padding, 0);
            return Ok(());
        }
        let (bytes, step) = quantised(vector);
        let square = bytes.iter().map(|&byte| i64::from(byte) * i64::from(byte)).sum::<i64>();
        let square = u32::try_from(square).expect("4,096 squares of at most 127 fit 32 bits");
        let factor = match self.metric {
            Metric::Cosine => 1.0 / f64::from(square).sqrt(),
            Metric::Dot | Metric::Euclidean => step,
        };
        self.factors.extend(narrowed(factor).to_le_bytes());
        if self.metric != Metric::Cosine {
            self.squares.extend(square.to_le_bytes());
        }
        self.numbers.extend(bytes.iter().map(|byte| byte.cast_unsigned()));
        self.numbers.resize(self.numbers.len() + padding, 0);
        Ok(())
    }

    /// Appends a copy of a stored row for a document. Documents must ascend.
    ///
    /// # Errors
    /// Returns an error when the row has another width; then nothing is appended.
    ///
    /// # Panics
    /// Panics when the view has another encoding or metric. Segments of one schema always agree.
    pub fn push_from(&mut self, document: u32, view: &RowsView, row: usize) -> Result<(), VectorError> {
        assert!(
            (view.encoding, view.metric) == (self.encoding, self.metric),
            "segments of one schema have the same encoding and metric"
        );
        if let Some(expected) = self.width.filter(|&width| width != view.width) {
            return Err(VectorError::OtherWidth { found: view.width, expected });
        }
        self.width = Some(view.width);
        self.documents.extend(document.to_le_bytes());
        self.factors.extend(view.factors.get(4 * row..4 * row + 4).unwrap_or_default());
        self.squares.extend(view.squares.get(4 * row..4 * row + 4).unwrap_or_default());
        self.numbers.extend(view.numbers(row));
        Ok(())
    }

    /// Returns a view of the rows collected so far, without their bits.
    pub fn view(&self) -> RowsView<'_> {
        let rows = self.documents.len() / 4;
        RowsView {
            encoding: self.encoding,
            metric: self.metric,
            rows,
            width: self.width.unwrap_or(0),
            documents: Some(&self.documents),
            bits: &[],
            factors: &self.factors,
            squares: &self.squares,
            numbers: &self.numbers,
        }
    }

    /// Appends the bytes of the rows to `out`, for a segment with `documents` documents. [`RowsView::parse`] reads
    /// them.
    pub fn encode(&self, documents: usize, out: &mut Vec<u8>) {
        let view = self.view();
        let start = out.len();
        let is_sparse = view.rows < documents;
        out.extend(len32(view.rows).to_le_bytes());
        out.extend(len32(view.width).to_le_bytes());
        out.extend([self.encoding as u8, self.metric as u8, u8::from(is_sparse)]);
        if is_sparse {
            put_part(out, start, &self.documents);
        }
        if self.encoding == Encoding::I1 {
            put_part(out, start, &[]);
            for row in self.numbers.chunks_exact(view.stride().max(1)) {
                out.extend_from_slice(&signs(row, view.width));
            }
        }
        for part in [&self.factors[..], &self.squares, &self.numbers, &[]] {
            put_part(out, start, part);
        }
    }
}

/// Appends a part at a multiple of 16 bytes from `start`.
#[inline(never)]
fn put_part(out: &mut Vec<u8>, start: usize, bytes: &[u8]) {
    out.resize(start + (out.len() - start).next_multiple_of(16), 0);
    out.extend_from_slice(bytes);
}

/// Quantises a vector to bytes. Returns them with the value of one unit.
pub(super) fn quantised(vector: &[f32]) -> (Vec<i8>, f64) {
    let largest = f64::from(vector.iter().fold(0f32, |largest, number| largest.max(number.abs())));
    let step = largest / 127.0;
    #[expect(clippy::cast_possible_truncation, reason = "a number is at most 127 steps")]
    let byte = |&number: &f32| (f64::from(number) / step).round_ties_even() as i8;
    (vector.iter().map(byte).collect(), step)
}

/// Rounds to the nearest f32.
#[expect(clippy::cast_possible_truncation, reason = "losing precision is the purpose")]
pub(super) fn narrowed(number: f64) -> f32 {
    number as f32
}

/// Returns the sign bits of a row of bytes: 1 if the number is not negative.
pub(super) fn signs(row: &[u8], width: usize) -> Vec<u8> {
    let mut bits = vec![0; bit_stride_of(width)];
    for (place, &byte) in row[..width].iter().enumerate() {
        bits[place / 8] |= u8::from(!byte.cast_signed().is_negative()) << (place % 8);
    }
    bits
}

/// Returns the number of components stored per row, including padding.
pub(super) fn stride_of(width: usize) -> usize {
    width.next_multiple_of(LANES)
}

/// Returns the number of bytes of a row's bits, including padding.
fn bit_stride_of(width: usize) -> usize {
    width.next_multiple_of(128) / 8
}

/// The rows of a model, read in place. [`RowsWriter`] writes them.
#[derive(Clone, Copy, Debug)]
pub struct RowsView<'a> {
    encoding: Encoding,
    metric: Metric,
    rows: usize,
    width: usize,
    /// The document of each row; `None` when every document has a row.
    documents: Option<&'a [u8]>,
    bits: &'a [u8],
    factors: &'a [u8],
    squares: &'a [u8],
    numbers: &'a [u8],
}

impl<'a> RowsView<'a> {
    /// Reads the rows in `bytes`, for a segment with `documents` documents. [`RowsWriter::encode`] reverses it.
    ///
    /// # Errors
    /// Returns an error when the header is invalid or the size does not match it.
    pub fn parse(bytes: &'a [u8], documents: usize) -> Result<RowsView<'a>, Malformed> {
        let mut reader = Reader::new(bytes, MALFORMED.0);
        let (rows, width) = (reader.len32()?, reader.len32()?);
        let encoding = Encoding::from_number(reader.u8()?).ok_or(MALFORMED)?;
        let metric = Metric::from_number(reader.u8()?).ok_or(MALFORMED)?;
        let is_sparse = reader.u8()?;
        let is_empty = rows == 0 && width <= MAX_WIDTH;
        let fits = is_empty || rows <= documents && (1..=MAX_WIDTH).contains(&width);
        if !fits || is_sparse != u8::from(rows < documents) {
            return Err(MALFORMED);
        }
        let mut reader = PartReader { bytes, at: HEADER_LEN };
        let ids = if is_sparse == 1 { Some(reader.part(rows, 4)?) } else { None };
        let is_f32 = encoding == Encoding::F32;
        let bits = if encoding == Encoding::I1 { reader.part(rows, bit_stride_of(width))? } else { &[] };
        let factors = if is_f32 { &[] } else { reader.part(rows, 4)? };
        let squares = if is_f32 || metric == Metric::Cosine { &[] } else { reader.part(rows, 4)? };
        let numbers = reader.part(rows, stride_of(width) * if is_f32 { 4 } else { 1 })?;
        if reader.at != bytes.len() {
            return Err(MALFORMED);
        }
        Ok(RowsView { encoding, metric, rows, width, documents: ids, bits, factors, squares, numbers })
    }

    /// Checks what [`RowsView::parse`] does not: every number, and that documents ascend.
    ///
    /// # Errors
    /// Returns an error when the rows differ from what the writer would write.
    pub fn verify(&self, documents: usize) -> Result<(), Malformed> {
        let mut last = None;
        for row in 0..self.rows {
            let document = self.document(row);
            if last.is_some_and(|last| last >= document) || document as usize >= documents {
                return Err(MALFORMED);
            }
            last = Some(document);
            if !self.is_sound(row) {
                return Err(MALFORMED);
            }
        }
        Ok(())
    }

    /// Reports whether the writer could have written this row.
    fn is_sound(&self, row: usize) -> bool {
        let numbers = self.numbers(row);
        if self.encoding == Encoding::F32 {
            let (numbers, _) = numbers.as_chunks::<4>();
            let (own, padding) = numbers.split_at(self.width);
            return own.iter().all(|bytes| f32::from_le_bytes(*bytes).is_finite())
                && padding.iter().all(|bytes| *bytes == [0; 4]);
        }
        let square = |byte: &u8| i64::from(byte.cast_signed()) * i64::from(byte.cast_signed());
        let sum = numbers.iter().map(square).sum::<i64>();
        let square = u32_at(self.squares, row).map(i64::from);
        let bits_fit = self.encoding != Encoding::I1 || self.bits(row) == signs(numbers, self.width);
        let factor = self.factor(row);
        let is_scaled = factor.is_finite() && factor > 0.0;
        numbers[self.width..].iter().all(|&byte| byte == 0)
            && bits_fit
            && is_scaled
            && square.is_none_or(|square| square == sum)
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Reports whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns the number of components per row, or `None` when it is not known yet.
    pub fn width(&self) -> Option<usize> {
        (self.width > 0).then_some(self.width)
    }

    /// Returns the precision of the rows.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the metric of the rows.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Reports whether every document has a row; then row and document numbers are equal.
    pub fn is_complete(&self) -> bool {
        self.documents.is_none()
    }

    /// Returns the document of a row.
    #[inline]
    pub fn document(&self, row: usize) -> u32 {
        match self.documents {
            None => len32(row),
            // A row past the end gives a number greater than any document.
            Some(documents) => u32_at(documents, row).unwrap_or(u32::MAX),
        }
    }

    /// Returns the row of a document, or `None` when it has no vector.
    pub fn row_of(&self, document: u32) -> Option<usize> {
        match self.documents {
            None => Some(document as usize).filter(|&row| row < self.rows),
            Some(documents) => {
                let (ids, _) = documents.as_chunks::<4>();
                ids.binary_search_by_key(&document, |id| u32::from_le_bytes(*id)).ok()
            }
        }
    }

    /// Returns the vector that a row represents.
    pub fn vector(&self, row: usize) -> Vec<f32> {
        let numbers = self.numbers(row);
        if self.encoding == Encoding::F32 {
            let (numbers, _) = numbers.as_chunks::<4>();
            return numbers[..self.width].iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        }
        let factor = self.factor(row);
        numbers[..self.width].iter().map(|byte| f32::from(byte.cast_signed()) * factor).collect()
    }

    fn stride(&self) -> usize {
        stride_of(self.width) * if self.encoding == Encoding::F32 { 4 } else { 1 }
    }

    /// Returns the stored numbers of each of these rows, in order.
    ///
    /// # Panics
    /// Panics when a row does not exist.
    #[inline]
    pub fn numbers_of(&self, rows: Range<usize>) -> impl ExactSizeIterator<Item = &'a [u8]> {
        let stride = self.stride();
        self.numbers[rows.start * stride..rows.end * stride].chunks_exact(stride.max(1))
    }

    /// Returns the stored numbers of a row.
    ///
    /// # Panics
    /// Panics when the row does not exist.
    #[inline]
    pub fn numbers(&self, row: usize) -> &'a [u8] {
        let stride = self.stride();
        &self.numbers[row * stride..(row + 1) * stride]
    }

    #[inline]
    pub(super) fn bits(&self, row: usize) -> &'a [u8] {
        let stride = bit_stride_of(self.width);
        &self.bits[row * stride..(row + 1) * stride]
    }

    #[inline]
    pub(super) fn all_bits(&self) -> &'a [u8] {
        self.bits
    }

    #[inline]
    pub(super) fn factor(&self, row: usize) -> f32 {
        f32::from_bits(u32_at(self.factors, row).unwrap_or(0))
    }

    #[inline]
    pub(super) fn square(&self, row: usize) -> u32 {
        u32_at(self.squares, row).unwrap_or(0)
    }
}

/// Reads parts that start at multiples of 16 bytes.
struct PartReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> PartReader<'a> {
    fn part(&mut self, count: usize, len: usize) -> Result<&'a [u8], Malformed> {
        let end = count.checked_mul(len).and_then(|len| self.at.checked_add(len)).ok_or(MALFORMED)?;
        let part = self.bytes.get(self.at..end).ok_or(MALFORMED)?;
        let next = end.checked_next_multiple_of(16).ok_or(MALFORMED)?;
        let padding = self.bytes.get(end..next).ok_or(MALFORMED)?;
        if padding.iter().any(|&byte| byte != 0) {
            return Err(MALFORMED);
        }
        self.at = next;
        Ok(part)
    }
}

#[cfg(test)]
mod tests;
