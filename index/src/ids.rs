//! The small numbers that name things: documents, fields, sets of fields, places in fields.

/// A document within one segment: its place in row order, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocId(pub u32);

/// A text field: its place in the schema, from 0. FTS5 calls it a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub u8);

impl FieldId {
    /// A schema holds at most this many text fields, so that a [`FieldSet`] is one word.
    pub const LIMIT: usize = 64;

    /// This field as an index into a slice that has one entry a field.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A position in a field, as one number: the field above, the position below, so that another field is far away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot(pub u64);

impl Spot {
    /// The spot of a position in a field.
    #[inline]
    pub fn new(field: FieldId, position: u32) -> Spot {
        Spot(u64::from(field.0) << 32 | u64::from(position))
    }

    /// The field.
    #[inline]
    pub fn field(self) -> FieldId {
        FieldId((self.0 >> 32) as u8)
    }

    /// The position.
    #[inline]
    pub fn position(self) -> u32 {
        self.0 as u32
    }
}

/// A set of text fields: what a column filter in a query leaves to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldSet(u64);

impl FieldSet {
    /// Every field there can be.
    pub const ALL: FieldSet = FieldSet(u64::MAX);
    /// No field.
    pub const NONE: FieldSet = FieldSet(0);

    /// The set of this one field.
    pub fn only(field: FieldId) -> FieldSet {
        FieldSet(1 << field.0)
    }

    /// Whether `field` is in the set.
    pub fn has(self, field: FieldId) -> bool {
        self.0 >> field.0 & 1 == 1
    }

    /// The fields in both sets.
    pub fn and(self, other: FieldSet) -> FieldSet {
        FieldSet(self.0 & other.0)
    }

    /// The fields in either set.
    pub fn or(self, other: FieldSet) -> FieldSet {
        FieldSet(self.0 | other.0)
    }

    /// The fields that are not in this set.
    pub fn complement(self) -> FieldSet {
        FieldSet(!self.0)
    }

    /// Whether no field of the first `field_count` is in the set.
    pub fn is_empty_among(self, field_count: usize) -> bool {
        self.and(FieldSet::first(field_count)) == FieldSet::NONE
    }

    /// Whether all of the first `field_count` fields are in the set.
    pub fn is_all_among(self, field_count: usize) -> bool {
        self.complement().is_empty_among(field_count)
    }

    fn first(field_count: usize) -> FieldSet {
        if field_count >= FieldId::LIMIT { FieldSet::ALL } else { FieldSet((1 << field_count) - 1) }
    }
}
