//! Which attribute values changed after a record was written? Overrides replace the values of a column.

use super::column::strings_of;
use super::{AttributeType, ColumnView, time_of};
use crate::json::Json;
use crate::order::Map;

/// Replacement values, keyed by attribute and then by document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides(Map<usize, Map<u32, Json>>);

impl Overrides {
    /// Replaces the column's value of `attribute` for `document`.
    pub fn set(&mut self, attribute: usize, document: u32, value: Json) {
        self.0.or_default(attribute).insert(document, value);
    }

    /// Returns whether no value is replaced.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the replaced values of an attribute with their documents, in ascending order of documents.
    pub fn of(&self, attribute: usize) -> impl Iterator<Item = (usize, &Json)> {
        let own = self.0.get(&attribute).into_iter().flatten();
        own.map(|(document, value)| (*document as usize, value))
    }

    fn get(&self, attribute: usize, document: usize) -> Option<&Json> {
        self.0.get(&attribute)?.get(&u32::try_from(document).ok()?)
    }
}

/// Reads the current attribute values of a segment's documents: overrides first, columns otherwise.
#[derive(Clone, Debug)]
pub struct AttributeValues<'a> {
    columns: Vec<ColumnView<'a>>,
    overrides: &'a Overrides,
}

impl<'a> AttributeValues<'a> {
    /// Combines a segment's columns with the overrides that replace some of their values.
    pub fn new(columns: Vec<ColumnView<'a>>, overrides: &'a Overrides) -> AttributeValues<'a> {
        AttributeValues { columns, overrides }
    }

    /// Returns an attribute's column as it was written, without overrides.
    pub fn column(&self, attribute: usize) -> Option<&ColumnView<'a>> {
        self.columns.get(attribute)
    }

    /// Returns the documents whose value is replaced, with the replacement.
    pub fn overridden(&self, attribute: usize) -> impl Iterator<Item = (usize, &'a Json)> {
        self.overrides.of(attribute)
    }

    /// Returns a document's number, or its time in milliseconds since 1970.
    pub fn number(&self, attribute: usize, document: usize) -> Option<f64> {
        let column = self.columns.get(attribute)?;
        match self.overrides.get(attribute, document) {
            Some(value) => number_of(value, column.kind()),
            None => column.number(document),
        }
    }

    /// Returns a document's boolean.
    pub fn bool(&self, attribute: usize, document: usize) -> Option<bool> {
        match self.overrides.get(attribute, document) {
            Some(Json::Bool(value)) => Some(*value),
            Some(_) => None,
            None => self.columns.get(attribute)?.bool(document),
        }
    }

    /// Returns a document's strings.
    pub fn strings(&self, attribute: usize, document: usize) -> Vec<String> {
        let Some(column) = self.columns.get(attribute) else { return Vec::new() };
        match self.overrides.get(attribute, document) {
            Some(value) => texts_of(value, column.kind()),
            None => column.strings(document).map(str::to_owned).collect::<Vec<_>>(),
        }
    }

    /// Returns the first `Some` that `weight` returns for a document's strings, in their order.
    pub fn first_weight(
        &self,
        attribute: usize,
        document: usize,
        weight: &dyn Fn(&str) -> Option<f64>,
    ) -> Option<f64> {
        let column = self.columns.get(attribute)?;
        match self.overrides.get(attribute, document) {
            Some(value) => texts_of(value, column.kind()).iter().find_map(|text| weight(text)),
            None => column.strings(document).find_map(weight),
        }
    }
}

/// Converts a JSON value to the number that a column of type `kind` would store for it.
pub fn number_of(value: &Json, kind: AttributeType) -> Option<f64> {
    if kind == AttributeType::Time { time_of(value) } else { value.as_f64() }
}

/// Converts a JSON value to the strings that a column of type `kind` would store for it.
pub fn texts_of(value: &Json, kind: AttributeType) -> Vec<String> {
    strings_of(Some(value).filter(|value| **value != Json::Null), kind).unwrap_or_default()
}
