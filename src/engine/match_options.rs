//! What does a caller ask of `match`?

use crate::json::Json;
use crate::options::{Options, OptionsError};

/// What a caller asks of `match`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchOptions {
    /// How many rows, best first; all by default.
    pub limit: Option<usize>,
    /// The weights of the first fields, as bm25() takes them; 1 for the others. By default the schema's.
    pub weights: Option<Vec<f64>>,
    /// Whether and how a snippet is cut.
    pub snippet: Option<MatchSnippet>,
    /// Whether and how a field is highlighted.
    pub highlight: Option<HighlightOptions>,
    /// Conditions on attributes.
    pub filter: Option<Json>,
}

impl MatchOptions {
    /// Reads options from a JSON object; null has none.
    ///
    /// # Errors
    /// When one has the wrong type or is missing, or there is no such option.
    pub fn read(json: &Json) -> Result<MatchOptions, OptionsError> {
        let mut read = Options::of(json);
        let options = MatchOptions::take(&mut read);
        read.finish()?;
        Ok(options)
    }

    /// Takes its options from among others.
    pub fn take(read: &mut Options) -> MatchOptions {
        MatchOptions {
            limit: read.whole("limit"),
            weights: read.numbers("weights"),
            snippet: read.object("snippet", MatchSnippet::read),
            highlight: read.object("highlight", HighlightOptions::read),
            filter: read.filter("filter").cloned(),
        }
    }
}

/// A field, by number or name; −1 is any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// By number.
    Number(i64),
    /// By name.
    Name(String),
}

impl Column {
    fn read(read: &mut Options) -> Column {
        read.require("column");
        match read.json("column") {
            Some(Json::Integer(number)) => return Column::Number(*number),
            Some(Json::String(name)) => return Column::Name(name.clone()),
            Some(other) => {
                let message = format!("must be the name or number of a field, not {}", other.kind());
                read.complain("column", message);
            }
            None => {}
        }
        Column::Number(-1)
    }
}

/// The arguments of snippet().
#[derive(Clone, Debug, PartialEq)]
pub struct MatchSnippet {
    /// The field; −1 for any.
    pub column: Column,
    /// What stands before a match.
    pub open: String,
    /// What stands after a match.
    pub close: String,
    /// What stands where text is left out.
    pub ellipsis: String,
    /// The most tokens.
    pub tokens: i64,
}

impl MatchSnippet {
    fn read(read: &mut Options) -> MatchSnippet {
        read.require("tokens");
        MatchSnippet {
            column: Column::read(read),
            open: text(read, "open"),
            close: text(read, "close"),
            ellipsis: text(read, "ellipsis"),
            tokens: read.integer("tokens").unwrap_or_default(),
        }
    }
}

/// The arguments of highlight().
#[derive(Clone, Debug, PartialEq)]
pub struct HighlightOptions {
    /// The field.
    pub column: Column,
    /// What stands before a match.
    pub open: String,
    /// What stands after a match.
    pub close: String,
}

impl HighlightOptions {
    fn read(read: &mut Options) -> HighlightOptions {
        HighlightOptions { column: Column::read(read), open: text(read, "open"), close: text(read, "close") }
    }
}

/// A text that has to be there.
fn text(read: &mut Options, name: &'static str) -> String {
    read.required_text(name).to_owned()
}
