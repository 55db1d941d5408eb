//! How often does a term occur in each field of a document?
//!
//! bm25 weighs a term's occurrences by field, so a posting needs a count per field. Documents share few such
//! tuples of counts ("once in the body", "once in the title and twice in the body"), so each distinct tuple is a
//! *shape*, written once; a posting names its shape. Shapes are numbered by how often they are used, so
//! that the usual ones take one or two bits.

use super::Interner;
use crate::ids::{FieldId, FieldSet};
use crate::order::sort_numbers;
use crate::wire::{Malformed, Reader, len32, put_varint};

/// Occurrences per field, fields in order, none zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    counts: Vec<(FieldId, u32)>,
    /// Kept, because whoever reads positions adds up those of all documents before.
    total: u32,
}

impl Shape {
    fn of(counts: Vec<(FieldId, u32)>) -> Shape {
        let total = counts.iter().map(|(_, count)| count).sum();
        Shape { counts, total }
    }

    /// The counts by field, in field order.
    #[inline]
    pub fn counts(&self) -> &[(FieldId, u32)] {
        &self.counts
    }

    /// All occurrences together.
    #[inline]
    pub fn total(&self) -> u32 {
        self.total
    }

    /// Whether a field has more than one occurrence.
    #[inline]
    pub fn repeats(&self) -> bool {
        self.total as usize > self.counts.len()
    }

    /// Whether it has an occurrence in one of `fields`.
    pub fn touches(&self, fields: FieldSet) -> bool {
        self.counts.iter().any(|(field, _)| fields.has(*field))
    }

    /// The weights of its occurrences in `fields`, summed one by one in field order, as FTS5 sums them: the
    /// order of additions decides the last bit.
    pub fn frequency(&self, fields: FieldSet, weights: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (field, count) in self.counts.iter().filter(|(field, _)| fields.has(*field)) {
            let weight = weights.get(field.index()).copied().unwrap_or(1.0);
            sum = add_times(sum, weight, *count);
        }
        sum
    }
}

/// `sum` with `weight` added `count` times.
pub fn add_times(mut sum: f64, weight: f64, count: u32) -> f64 {
    // Whole numbers add without rounding, so their product is the same; and a count that no text could have,
    // from a hostile file, must not become a loop of its length.
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
    /// The counts of each, as they are written.
    names: Interner,
    /// Room for those that are looked for.
    name: Vec<u8>,
}

impl ShapesWriter {
    /// The provisional number of the shape with these counts.
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

    /// Counts a use of the shape with this provisional number.
    pub fn count_use(&mut self, shape: u32) {
        self.uses[shape as usize] += 1;
    }

    /// Takes over shapes with their uses; the answer maps their numbers to this writer's.
    pub fn absorb(&mut self, shapes: &[Shape], uses: &[u64]) -> Vec<u32> {
        let renumbered = shapes.iter().map(|shape| self.intern(&shape.counts)).collect::<Vec<_>>();
        for (&id, uses) in renumbered.iter().zip(uses) {
            self.uses[id as usize] += uses;
        }
        renumbered
    }

    /// The shapes by provisional number.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// How often each was used.
    pub fn uses(&self) -> &[u64] {
        &self.uses
    }

    /// Numbers the used shapes for good: most used first.
    ///
    /// The answer holds the shapes by final number, and for each provisional number the final one.
    pub fn finish(mut self) -> (Vec<Shape>, Vec<u32>) {
        let mut order = (0..self.shapes.len()).filter(|&id| self.uses[id] > 0).collect::<Vec<_>>();
        sort_numbers(&mut order, &mut |a, b| {
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

/// Encodes shapes in the order of their numbers; [`parse`] reverses it.
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

/// Reads what [`encode`] wrote, for a schema with `field_count` fields and documents of at most `most_tokens` tokens.
///
/// # Errors
/// When a count is zero or cannot be, or fields are unknown or out of order: the writer never writes that.
pub fn parse(bytes: &[u8], field_count: usize, most_tokens: usize) -> Result<Vec<Shape>, Malformed> {
    let mut reader = Reader::new(bytes, "the table of shapes");
    let len = reader.varlen()?;
    // Each shape takes three bytes at least: a length that claims more is a lie, and not allocated for.
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
        // Whoever reads positions allocates for as many as the shape says.
        if total as usize > most_tokens {
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
