//! Builds a JSON object field by field.

use super::{Explained, Factor, Legs, ScorePart};
use crate::json::{Json, text_of};

/// A JSON object under construction. Every method appends one field; optional values append nothing if absent.
#[derive(Default)]
pub(crate) struct Fields(pub Vec<(String, Json)>);

impl Fields {
    pub fn put(&mut self, name: &str, value: Json) {
        self.0.push((name.to_owned(), value));
    }

    /// Returns the JSON text of the object.
    pub fn into_text(self) -> String {
        text_of(&Json::Object(self.0))
    }

    /// Appends a nested object.
    pub fn object(&mut self, name: &str, fields: Fields) {
        self.put(name, Json::Object(fields.0));
    }

    pub fn flag(&mut self, name: &str, flag: bool) {
        self.put(name, Json::Bool(flag));
    }

    /// Appends a string, if present.
    pub fn text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.put(name, Json::String(text.to_owned()));
        }
    }

    /// Appends a number, if present. Whole numbers are written without a fraction.
    pub fn number(&mut self, name: &str, number: Option<f64>) {
        if let Some(number) = number {
            self.put(name, Json::from_f64(number));
        }
    }

    /// Appends a number that is written with its fraction, even a zero fraction.
    pub fn float(&mut self, name: &str, number: f64) {
        self.put(name, Json::Float(number));
    }

    /// Appends a count.
    pub fn count(&mut self, name: &str, count: usize) {
        self.put(name, Json::Integer(count as i64));
    }

    /// Appends an array of strings, unless it is empty.
    pub fn texts(&mut self, name: &str, texts: Vec<String>) {
        if !texts.is_empty() {
            self.put(name, Json::Array(texts.into_iter().map(Json::String).collect::<Vec<_>>()));
        }
    }

    /// Appends the number of candidates of each leg that ran.
    pub fn legs(&mut self, legs: Legs) {
        let mut own = Fields::default();
        legs.keyword.into_iter().for_each(|count| own.count("keyword", count));
        legs.vector.into_iter().for_each(|count| own.count("vector", count));
        self.object("legs", own);
    }

    /// Appends the parts and factors of a score.
    pub fn explained(&mut self, Explained { parts, factors }: &Explained) {
        let part = |part: &ScorePart| {
            let mut fields = Fields::default();
            fields.text("name", Some(&part.name));
            fields.float("value", part.value);
            part.weight.into_iter().for_each(|weight| fields.float("weight", weight));
            fields.float("product", part.product);
            Json::Object(fields.0)
        };
        let factor = |factor: &Factor| {
            let mut fields = Fields::default();
            fields.text("name", Some(&factor.name));
            fields.float("value", factor.value);
            Json::Object(fields.0)
        };
        self.put("parts", Json::Array(parts.iter().map(part).collect::<Vec<_>>()));
        self.put("factors", Json::Array(factors.iter().map(factor).collect()));
    }
}
