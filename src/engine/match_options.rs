//! The options of `match`.

use crate::json::Json;
use crate::options::{Options, OptionsError};

/// The options of [`Engine::matches`](crate::Engine::matches).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchOptions {
    /// The maximum number of rows, best first. All by default.
    pub limit: Option<usize>,
    /// The weights of the fields, in order, as bm25() takes them; 1 for the fields beyond. By default the schema's weights.
    pub weights: Option<Vec<f64>>,
    /// Adds a snippet to every row. Off by default.
    pub snippet: Option<MatchSnippet>,
    /// Adds a highlighted field to every row. Off by default.
    pub highlight: Option<HighlightOptions>,
    /// Conditions on attributes.
    pub filter: Option<Json>,
}

impl MatchOptions {
    /// Reads the options from a JSON object, or from null, which means all defaults.
    ///
    /// # Errors
    /// Fails when an option is unknown, has the wrong type, or is required and missing. The error names every fault.
    pub fn read(json: &Json) -> Result<MatchOptions, OptionsError> {
        let mut read = Options::of(json);
        let options = MatchOptions::take(&mut read);
        read.finish()?;
        Ok(options)
    }

    /// Reads the options from among the options of a call.
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

/// A field by number or name; number −1 stands for any field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// The number of the field, from 0, or −1 for any field.
    Number(i64),
    /// The name of the field.
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

/// The arguments of FTS5's snippet().
#[derive(Clone, Debug, PartialEq)]
pub struct MatchSnippet {
    /// The field to cut the snippet from; −1 for the best field.
    pub column: Column,
    /// The text to insert before a match.
    pub open: String,
    /// The text to insert after a match.
    pub close: String,
    /// The text that replaces left-out text.
    pub ellipsis: String,
    /// The maximum number of tokens.
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

/// The arguments of FTS5's highlight().
#[derive(Clone, Debug, PartialEq)]
pub struct HighlightOptions {
    /// The field to highlight.
    pub column: Column,
    /// The text to insert before a match.
    pub open: String,
    /// The text to insert after a match.
    pub close: String,
}

impl HighlightOptions {
    fn read(read: &mut Options) -> HighlightOptions {
        HighlightOptions { column: Column::read(read), open: text(read, "open"), close: text(read, "close") }
    }
}

/// Reads a required string.
fn text(read: &mut Options, name: &'static str) -> String {
    read.required_text(name).to_owned()
}
