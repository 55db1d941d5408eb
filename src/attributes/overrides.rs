//! Values that stand in place of those of a column: what changed since a record was written.

use super::column::strings_of;
use super::{AttributeType, ColumnView, time_of};
use crate::json::Json;
use crate::order::Map;

/// By attribute and document, the value that counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides(Map<usize, Map<u32, Json>>);

impl Overrides {
    /// Lets a value stand in place of the column's.
    pub fn set(&mut self, attribute: usize, document: u32, value: Json) {
        self.0.or_default(attribute).insert(document, value);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The documents with another value than the column's, ascending, and that value.
    pub fn of(&self, attribute: usize) -> impl Iterator<Item = (usize, &Json)> {
        let own = self.0.get(&attribute).into_iter().flatten();
        own.map(|(document, value)| (*document as usize, value))
    }

    fn get(&self, attribute: usize, document: usize) -> Option<&Json> {
        self.0.get(&attribute)?.get(&u32::try_from(document).ok()?)
    }
}

/// The attributes of a segment's documents, as they are now.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    columns: Vec<ColumnView<'a>>,
    overrides: &'a Overrides,
}

impl<'a> Values<'a> {
    /// Columns, and what stands in place of their values.
    pub fn new(columns: Vec<ColumnView<'a>>, overrides: &'a Overrides) -> Values<'a> {
        Values { columns, overrides }
    }

    /// The column of an attribute, as it was written.
    pub fn column(&self, attribute: usize) -> Option<&ColumnView<'a>> {
        self.columns.get(attribute)
    }

    /// The documents whose value is another than the column's.
    pub fn overridden(&self, attribute: usize) -> impl Iterator<Item = (usize, &'a Json)> {
        self.overrides.of(attribute)
    }

    /// A document's number, or time in milliseconds.
    pub fn number(&self, attribute: usize, document: usize) -> Option<f64> {
        let column = self.columns.get(attribute)?;
        match self.overrides.get(attribute, document) {
            Some(value) => number_of(value, column.kind()),
            None => column.number(document),
        }
    }

    /// A document's boolean.
    pub fn bool(&self, attribute: usize, document: usize) -> Option<bool> {
        match self.overrides.get(attribute, document) {
            Some(Json::Bool(value)) => Some(*value),
            Some(_) => None,
            None => self.columns.get(attribute)?.bool(document),
        }
    }

    /// A document's strings.
    pub fn strings(&self, attribute: usize, document: usize) -> Vec<String> {
        let Some(column) = self.columns.get(attribute) else { return Vec::new() };
        match self.overrides.get(attribute, document) {
            Some(value) => texts_of(value, column.kind()),
            None => column.strings(document).map(str::to_owned).collect::<Vec<_>>(),
        }
    }

    /// What the first of a document's strings is worth that is worth anything.
    pub fn first_worth(
        &self,
        attribute: usize,
        document: usize,
        worth: &dyn Fn(&str) -> Option<f64>,
    ) -> Option<f64> {
        let column = self.columns.get(attribute)?;
        match self.overrides.get(attribute, document) {
            Some(value) => texts_of(value, column.kind()).iter().find_map(|text| worth(text)),
            None => column.strings(document).find_map(worth),
        }
    }
}

/// The number of a value, as a column of this type would hold it.
pub fn number_of(value: &Json, kind: AttributeType) -> Option<f64> {
    if kind == AttributeType::Time { time_of(value) } else { value.as_f64() }
}

/// The strings of a value, as a column of this type would hold them.
pub fn texts_of(value: &Json, kind: AttributeType) -> Vec<String> {
    strings_of(Some(value).filter(|value| **value != Json::Null), kind).unwrap_or_default()
}
