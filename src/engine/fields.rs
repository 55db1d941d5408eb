//! A JSON object that is made field by field.

use crate::json::Json;

/// The fields so far.
#[derive(Default)]
pub(super) struct Fields(pub Vec<(String, Json)>);

impl Fields {
    pub fn put(&mut self, name: &str, value: Json) {
        self.0.push((name.to_owned(), value));
    }

    /// A text, where there is one.
    pub fn text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.put(name, Json::String(text.to_owned()));
        }
    }

    /// A number, where there is one.
    pub fn number(&mut self, name: &str, number: Option<f64>) {
        if let Some(number) = number {
            self.put(name, Json::from_f64(number));
        }
    }
}
