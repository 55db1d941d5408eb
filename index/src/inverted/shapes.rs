//! How often does a term occur in each field of a document?
//!
//! bm25 weights occurrences by field, so a posting needs one count per field. Documents share few such tuples of counts
//! ("once in the body", "once in the title and twice in the body"), so each distinct tuple is stored once, as a
//! *shape*, and a posting refers to its shape by number. Shapes are numbered by frequency of use, so the common ones
//! take one or two bits per posting.

use super::Interner;
use crate::ids::{FieldId, FieldSet};
use crate::order::sort_indexes;
use crate::wire::{Malformed, Reader, len32, put_varint};

/// The number of occurrences per field. Fields are in order, and no count is zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    counts: Vec<(FieldId, u32)>,
    /// The sum of all counts. Stored, because reading positions sums it over all preceding documents.
    total: u32,
}

impl Shape {
    fn of(counts: Vec<(FieldId, u32)>) -> Shape {
        let total = counts.iter().map(|(_, count)| count).sum();
        Shape { counts, total }
    }

    /// Returns the count per field, in field order.
    #[inline]
    pub fn counts(&self) -> &[(FieldId, u32)] {
        &self.counts
    }

    /// Returns the number of occurrences in all fields.
    #[inline]
    pub fn total(&self) -> u32 {
        self.total
    }

    /// Reports whether a field has more than one occurrence.
    #[inline]
    pub fn repeats(&self) -> bool {
        self.total as usize > self.counts.len()
    }

    /// Reports whether there is an occurrence in one of `fields`.
    pub fn touches(&self, fields: FieldSet) -> bool {
        self.counts.iter().any(|(field, _)| fields.has(*field))
    }

    /// Returns the weighted frequency: the sum of the field weights of all occurrences in `fields`.
    ///
    /// The weights are added one by one in field order, as FTS5 does, because the order of additions decides the last
    /// bit. A field without an entry in `weights` has weight 1.
    pub fn frequency(&self, fields: FieldSet, weights: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (field, count) in self.counts.iter().filter(|(field, _)| fields.has(*field)) {
            let weight = weights.get(field.index()).copied().unwrap_or(1.0);
            sum = add_times(sum, weight, *count);
        }
        sum
    }
}

/// Returns `sum` after adding `weight` `count` times.
pub fn add_times(mut sum: f64, weight: f64, count: u32) -> f64 {
    // Sums of integers are not rounded, so the product is the same. And a hostile file must not cause a loop over a
    // count that no text can have.
    const LONGEST_LOOP: u32 = 1 << 16;
    if weight.fract() == 0.0 && sum.fract() == 0.0 || count > LONGEST_LOOP {
        return sum + weight * f64::from(count);
    }
    for _ in 0..count {
        sum += weight;
    }
    sum
}

/// Collects shapes and counts their uses while an index is written.
#[derive(Debug, Default)]
pub struct ShapesWriter {
    shapes: Vec<Shape>,
    uses: Vec<u64>,
    /// The encoded counts of each shape.
    names: Interner,
    /// A buffer for the encoded counts to look up.
    name: Vec<u8>,
}

impl ShapesWriter {
    /// Returns the provisional number of the shape with these counts.
    pub fn intern(&mut self, counts: &[(FieldId, u32)]) -> u32 {
        self.name.clear();
        for (field, count) in counts {
            self.name.push(field.0);
            put_varint(&mut self.name, *count);
        }
        let (number, is_new) = self.names.intern(&self.name);
        if is_new {
            self.shapes.push(Shape::of(counts.to_vec()));
            self.uses.push(0);
        }
        number
    }

    /// Counts one use of the shape with this provisional number.
    pub fn count_use(&mut self, shape: u32) {
        self.uses[shape as usize] += 1;
    }

    /// Adds shapes and their numbers of uses. Returns this writer's number for each of them.
    pub fn absorb(&mut self, shapes: &[Shape], uses: &[u64]) -> Vec<u32> {
        let renumbered = shapes.iter().map(|shape| self.intern(&shape.counts)).collect::<Vec<_>>();
        for (&id, uses) in renumbered.iter().zip(uses) {
            self.uses[id as usize] += uses;
        }
        renumbered
    }

    /// Returns the shapes by provisional number.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// Returns the number of uses of each shape.
    pub fn uses(&self) -> &[u64] {
        &self.uses
    }

    /// Assigns final numbers to the used shapes, most used first.
    ///
    /// Returns the shapes by final number, and the final number of each provisional one, `u32::MAX` for an unused
    /// shape.
    pub fn finish(mut self) -> (Vec<Shape>, Vec<u32>) {
        let mut order = (0..self.shapes.len()).filter(|&id| self.uses[id] > 0).collect::<Vec<_>>();
        sort_indexes(&mut order, &mut |a, b| {
            self.uses[b].cmp(&self.uses[a]).then_with(|| self.shapes[a].cmp(&self.shapes[b]))
        });
        let mut numbers = vec![u32::MAX; self.shapes.len()];
        let mut shapes = Vec::with_capacity(order.len());
        for id in order {
            numbers[id] = len32(shapes.len());
            shapes.push(Shape::of(std::mem::take(&mut self.shapes[id].counts)));
        }
        (shapes, numbers)
    }
}

/// Encodes shapes in the order of their numbers. [`parse`] reverses it.
pub fn encode(shapes: &[Shape]) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, len32(shapes.len()));
    for shape in shapes {
        put_varint(&mut out, len32(shape.counts.len()));
        for (field, count) in &shape.counts {
            out.push(field.0);
            put_varint(&mut out, *count);
        }
    }
    out
}

/// Decodes shapes that [`encode`] wrote, for `field_count` fields and at most `max_tokens` tokens per document.
///
/// # Errors
/// Returns an error when a count is zero or too large, or when fields are unknown or out of order. The writer never
/// writes such shapes.
pub fn parse(bytes: &[u8], field_count: usize, max_tokens: usize) -> Result<Vec<Shape>, Malformed> {
    let mut reader = Reader::new(bytes, "the table of shapes");
    let len = reader.varlen()?;
    // Each shape takes at least three bytes. A larger count is false, and nothing is allocated for it.
    if len > reader.remaining() / 3 {
        return Err(reader.malformed());
    }
    let mut shapes = Vec::with_capacity(len);
    for _ in 0..len {
        let fields = reader.varlen()?;
        if fields == 0 || fields > field_count {
            return Err(reader.malformed());
        }
        let mut counts = Vec::with_capacity(fields);
        let mut total = 0u32;
        for _ in 0..fields {
            let field = FieldId(reader.u8()?);
            let count = reader.varint()?;
            let in_order = counts.last().is_none_or(|(last, _)| *last < field);
            total = total.checked_add(count).ok_or(reader.malformed())?;
            if count == 0 || field.index() >= field_count || !in_order {
                return Err(reader.malformed());
            }
            counts.push((field, count));
        }
        // Readers of positions allocate as many as the shape states.
        if total as usize > max_tokens {
            return Err(reader.malformed());
        }
        shapes.push(Shape { counts, total });
    }
    match reader.remaining() {
        0 => Ok(shapes),
        _ => Err(reader.malformed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(counts: &[(u8, u32)]) -> Vec<(FieldId, u32)> {
        counts.iter().map(|&(field, count)| (FieldId(field), count)).collect()
    }

    #[test]
    fn the_most_used_shape_gets_the_smallest_number() {
        let mut writer = ShapesWriter::default();
        let rare = writer.intern(&shape(&[(0, 1)]));
        let usual = writer.intern(&shape(&[(1, 1)]));
        let unused = writer.intern(&shape(&[(2, 1)]));
        [rare, usual, usual].into_iter().for_each(|id| writer.count_use(id));
        let (shapes, numbers) = writer.finish();
        assert_eq!(shapes.len(), 2);
        assert_eq!([numbers[usual as usize], numbers[rare as usize]], [0, 1]);
        assert_eq!(numbers[unused as usize], u32::MAX);
        assert_eq!(parse(&encode(&shapes), 2, 9).unwrap(), shapes);
    }

    #[test]
    fn shapes_that_no_writer_writes_are_malformed() {
        let zero_count = [1, 1, 0, 0];
        let unknown_field = [1, 1, 9, 1];
        let out_of_order = [1, 2, 1, 1, 0, 1];
        let too_many = [200, 1, 1, 0, 1];
        let too_often = [1, 1, 0, 10];
        for bytes in
            [&zero_count[..], &unknown_field, &out_of_order, &too_many, &too_often, &[1, 1, 0, 1, 0], &[]]
        {
            assert!(parse(bytes, 3, 9).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn a_frequency_sums_the_weights_of_the_fields_that_count() {
        let shape = Shape::of(shape(&[(0, 2), (2, 3)]));
        assert_eq!(shape.frequency(FieldSet::ALL, &[10.0, 1.0, 0.5]), 21.5);
        assert_eq!(shape.frequency(FieldSet::only(FieldId(2)), &[10.0]), 3.0);
        assert_eq!(shape.total(), 5);
    }
}
