//! Integer types that identify documents, fields, sets of fields and positions within fields.

/// A document within one segment, numbered from 0 in row order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocId(pub u32);

/// A text field, numbered from 0 in schema order. FTS5 calls it a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub u8);

impl FieldId {
    /// The maximum number of text fields per schema, chosen so that a [`FieldSet`] fits in 64 bits.
    pub const LIMIT: usize = 64;

    /// Returns the field number as an index into a slice with one entry per field.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A position in a field, packed into one integer: the field in the upper 32 bits, the position in the lower 32.
///
/// Positions of one phrase can therefore be compared by subtraction, and positions in different fields are always far
/// apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot(pub u64);

impl Spot {
    /// Packs a field and a position in tokens.
    #[inline]
    pub fn new(field: FieldId, position: u32) -> Spot {
        Spot(u64::from(field.0) << 32 | u64::from(position))
    }

    /// Returns the field.
    #[inline]
    pub fn field(self) -> FieldId {
        FieldId((self.0 >> 32) as u8)
    }

    /// Returns the position within the field, in tokens from 0.
    #[inline]
    pub fn position(self) -> u32 {
        self.0 as u32
    }
}

/// A set of text fields, such as the fields that a column filter of a query selects.
///
/// ```
/// use snapseek_index::ids::{FieldId, FieldSet};
///
/// let title_or_tags = FieldSet::only(FieldId(0)).or(FieldSet::only(FieldId(2)));
/// assert!(title_or_tags.has(FieldId(2)));
/// assert!(!title_or_tags.has(FieldId(1)));
/// assert!(title_or_tags.complement().has(FieldId(1)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldSet(u64);

impl FieldSet {
    /// The set of all 64 possible fields.
    pub const ALL: FieldSet = FieldSet(u64::MAX);
    /// The empty set.
    pub const NONE: FieldSet = FieldSet(0);

    /// Returns the set that contains only `field`.
    pub fn only(field: FieldId) -> FieldSet {
        FieldSet(1 << field.0)
    }

    /// Reports whether the set contains `field`.
    pub fn has(self, field: FieldId) -> bool {
        self.0 >> field.0 & 1 == 1
    }

    /// Returns the intersection of the two sets.
    pub fn and(self, other: FieldSet) -> FieldSet {
        FieldSet(self.0 & other.0)
    }

    /// Returns the union of the two sets.
    pub fn or(self, other: FieldSet) -> FieldSet {
        FieldSet(self.0 | other.0)
    }

    /// Returns the set of all fields that are not in this set.
    pub fn complement(self) -> FieldSet {
        FieldSet(!self.0)
    }

    /// Reports whether the set contains none of the first `field_count` fields.
    pub fn is_empty_among(self, field_count: usize) -> bool {
        self.and(FieldSet::first(field_count)) == FieldSet::NONE
    }

    /// Reports whether the set contains all of the first `field_count` fields.
    pub fn is_all_among(self, field_count: usize) -> bool {
        self.complement().is_empty_among(field_count)
    }

    fn first(field_count: usize) -> FieldSet {
        if field_count >= FieldId::LIMIT { FieldSet::ALL } else { FieldSet((1 << field_count) - 1) }
    }
}
