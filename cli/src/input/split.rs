//! How does a long record become several? `--chunk FIELD` cuts the text of a field, and each piece becomes a record.

use super::page::number;
use snapseek::Record;
use snapseek::chunking::{DEFAULT_OVERLAP, DEFAULT_SIZE, check_sizes, chunk_text};
use snapseek::json::Json;
use std::str::FromStr;

/// The length of pieces, and the overlap of neighbours, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub size: usize,
    pub overlap: usize,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { size: DEFAULT_SIZE, overlap: DEFAULT_OVERLAP }
    }
}

/// Which field to cut, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldSplit {
    pub field: String,
    pub sizes: Sizes,
}

/// The fields that a piece has in addition to those of its record.
const OWN_FIELDS: [&str; 4] = ["parentId", "chunkIndex", "charOffset", "tokenCount"];

impl FromStr for FieldSplit {
    type Err = String;

    fn from_str(text: &str) -> Result<FieldSplit, String> {
        let mut parts = text.split(':');
        let field = parts.next().unwrap_or_default().to_owned();
        let mut count = |what: &str| match parts.next() {
            Some(part) => part.parse().map(Some).map_err(|_| format!("{part:?} is not a valid {what}")),
            None => Ok(None),
        };
        let size = count("size")?.unwrap_or(DEFAULT_SIZE);
        // A size alone keeps the ratio of the defaults.
        let overlap = count("overlap")?.unwrap_or(DEFAULT_OVERLAP.min(size * DEFAULT_OVERLAP / DEFAULT_SIZE));
        if field.is_empty() || parts.next().is_some() {
            return Err("it must be FIELD, FIELD:SIZE or FIELD:SIZE:OVERLAP".to_owned());
        }
        if field == "id" || field == "kind" || OWN_FIELDS.contains(&field.as_str()) {
            return Err(format!("\"{field}\" cannot be cut; name a field of text"));
        }
        check_sizes(size, overlap).map_err(|error| error.to_string())?;
        Ok(FieldSplit { field, sizes: Sizes { size, overlap } })
    }
}

impl FieldSplit {
    /// Returns the pieces of a record in order, or the record itself if it has no text to cut.
    pub fn pieces(&self, record: Record) -> Result<Pieces, String> {
        let text = match record.json().get(&self.field) {
            None | Some(Json::Null) => return Ok(Pieces::Whole(record)),
            Some(Json::String(text)) => text,
            Some(other) => {
                return Err(format!("\"{}\" is {}; --chunk cuts text", self.field, other.kind()));
            }
        };
        let chunks = chunk_text(text, self.sizes.size, self.sizes.overlap)
            .expect("the sizes were checked with the arguments");
        if chunks.is_empty() {
            return Ok(Pieces::Whole(record));
        }
        let Json::Object(entries) = record.json() else { return Ok(Pieces::Whole(record)) };
        if let Some(taken) =
            OWN_FIELDS.into_iter().find(|name| entries.iter().any(|(known, _)| known == name))
        {
            return Err(format!("the record has a field \"{taken}\", which --chunk writes; rename it"));
        }
        let mut pieces = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let copied = entries.iter().map(|(name, value)| {
                let value = match name.as_str() {
                    "id" => Json::String(format!("{}#{}", record.id(), chunk.index)),
                    field if field == self.field => Json::String(chunk.text.to_owned()),
                    _ => value.clone(),
                };
                (name.clone(), value)
            });
            let own = [
                Json::String(record.id().to_owned()),
                number(chunk.index),
                number(chunk.char_offset),
                number(chunk.token_count),
            ];
            let own = OWN_FIELDS.into_iter().map(str::to_owned).zip(own);
            let piece = Record::from_json(Json::Object(copied.chain(own).collect()));
            pieces.push(piece.map_err(|error| error.to_string())?);
        }
        Ok(Pieces::Cut(pieces))
    }
}

/// The result of cutting a record.
#[derive(Debug, PartialEq)]
pub enum Pieces {
    /// The record, uncut.
    Whole(Record),
    /// The pieces.
    Cut(Vec<Record>),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(split: &str, record: &str) -> Result<Vec<String>, String> {
        let record = Record::from_json(Json::parse(record.as_bytes()).unwrap()).unwrap();
        Ok(match split.parse::<FieldSplit>()?.pieces(record)? {
            Pieces::Whole(record) => vec![record.json().to_text()],
            Pieces::Cut(pieces) => pieces.iter().map(|piece| piece.json().to_text()).collect(),
        })
    }

    #[test]
    fn every_piece_is_a_record_with_the_other_fields_of_its_own() {
        let found =
            pieces("body:12:0", r#"{"id":7,"kind":"note","body":"one two. three four.","tags":["x"]}"#);
        assert_eq!(
            found.unwrap(),
            [
                r##"{"id":"7#0","kind":"note","body":"one two. ","tags":["x"],"parentId":"7","chunkIndex":0,"charOffset":0,"tokenCount":3}"##,
                r##"{"id":"7#1","kind":"note","body":"three four.","tags":["x"],"parentId":"7","chunkIndex":1,"charOffset":9,"tokenCount":3}"##,
            ]
        );
    }

    #[test]
    fn a_record_without_text_in_the_field_stays_whole() {
        for record in [r#"{"id":"a","t":"x"}"#, r#"{"id":"a","body":null}"#, r#"{"id":"a","body":" \n"}"#] {
            assert_eq!(pieces("body", record).unwrap(), [record]);
        }
    }

    #[test]
    fn what_cannot_be_cut_says_why() {
        let cases = [
            (r#"{"id":"a","body":["x"]}"#, "\"body\" is an array; --chunk cuts text"),
            (
                r#"{"id":"a","body":"x","parentId":1}"#,
                "the record has a field \"parentId\", which --chunk writes; rename it",
            ),
        ];
        for (record, reason) in cases {
            assert_eq!(pieces("body", record).unwrap_err(), reason);
        }
    }

    #[test]
    fn sizes_are_read_and_checked() {
        let sizes =
            |text: &str| text.parse::<FieldSplit>().map(|split| (split.sizes.size, split.sizes.overlap));
        assert_eq!(sizes("body"), Ok((1200, 200)));
        assert_eq!(sizes("body:600"), Ok((600, 100)));
        assert_eq!(sizes("body:6000"), Ok((6000, 200)));
        assert_eq!(sizes("body:600:0"), Ok((600, 0)));
        for bad in ["", ":5", "body:x", "body:0", "body:10:10", "body:1:0:2", "id", "chunkIndex", "body:7000"]
        {
            assert!(sizes(bad).is_err(), "{bad}");
        }
    }
}
