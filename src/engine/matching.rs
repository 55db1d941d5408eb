//! Raw FTS5: MATCH, bm25, snippet() and highlight().

use super::asking::{each_record, passing};
use super::error::wrong;
use super::match_options::{Column, MatchOptions};
use super::{Engine, SearchError};
use crate::document::Record;
use crate::ids::FieldId;
use crate::json::Json;
use crate::options::Options;
use crate::order::sort;
use crate::presentation::{Markers, Markup, Piece, highlight, joined, passage, render, snippet, tokens};
use crate::query::Query;
use crate::retrieval::{
    self, Corpus, Filter, MatchFinder, PhraseMatch, Ranked, Retrieval, Target, Test, TextTokens, Wanted,
    keys_of, part_of,
};
use crate::snapshot::SnapshotError;
use serde::Serialize;

/// A row that matches an FTS5 expression.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchRow {
    /// The id of the record.
    pub id: String,
    /// The kind of the record.
    pub kind: String,
    /// The bm25() rank: negative, lower is better.
    pub rank: f64,
    /// The snippet(), if requested; null if the field is null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<Option<String>>,
    /// The highlight(), if requested; null if the field is null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlight: Option<Option<String>>,
}

impl Engine {
    /// Returns the rows that match an FTS5 expression, best rank first, ties in row order.
    ///
    /// ```
    /// use snapseek::json::Json;
    /// use snapseek::{Engine, MatchOptions, Record, Schema};
    ///
    /// let mut engine = Engine::empty(&Schema::of_fields([("title", 1.0), ("body", 1.0)])?)?;
    /// let record = br#"{"id": "1", "title": "Foxes", "body": "The quick brown fox jumps."}"#;
    /// engine.add([&Record::from_json(Json::parse(record)?)?])?;
    ///
    /// let rows = engine.matches("body : NEAR(quick fox, 2) NOT dog", &MatchOptions::default())?;
    /// assert_eq!(rows[0].id, "1");
    /// assert!(engine.matches("title : quick", &MatchOptions::default())?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails when the expression, an option or the filter is invalid, or the snapshot is damaged.
    pub fn matches(&self, expression: &str, options: &MatchOptions) -> Result<Vec<MatchRow>, SearchError> {
        let query = Query::parse(expression, &self.schema.field_names(), &self.analyzer)?;
        let weights = options.weights.clone().unwrap_or_else(|| self.schema.weights());
        let snippet_field = match &options.snippet {
            Some(snippet) => self.column("snippet.column", &snippet.column)?,
            None => None,
        };
        let highlight_field = match &options.highlight {
            Some(highlight) => self.column("highlight.column", &highlight.column)?,
            None => None,
        };
        self.with_corpus(|corpus| {
            let allowed = self.allowed(corpus, options.filter.as_ref())?;
            let found = retrieval::search(
                corpus,
                &Retrieval {
                    query: &query,
                    weights: &weights,
                    limit: options.limit.unwrap_or(usize::MAX),
                    allowed: allowed.as_deref(),
                    wants_all: false,
                },
            )?;
            let mut rows = keyed_rows(corpus, &found.rows)?;
            if options.snippet.is_some() || options.highlight.is_some() {
                let row_numbers = found.rows.iter().map(|ranked| ranked.row).collect::<Vec<_>>();
                each_text(self, corpus, &query, &row_numbers, &mut |number, text| {
                    let row = &mut rows[number];
                    row.snippet = options.snippet.as_ref().map(|options| {
                        let markers = Markers {
                            open: &options.open,
                            close: &options.close,
                            ellipsis: &options.ellipsis,
                        };
                        let pieces = text.snippet(self, snippet_field, options.tokens)?;
                        Some(render(&pieces, markers, Markup::Plain))
                    });
                    row.highlight = options.highlight.as_ref().map(|options| {
                        let markers = Markers { open: &options.open, close: &options.close, ellipsis: "" };
                        let Some(field) = highlight_field else { return Some(String::new()) };
                        Some(render(&text.highlight(self, field)?, markers, Markup::Plain))
                    });
                })?;
            }
            Ok(rows)
        })
    }

    /// Reads the expression and the options of `match` from one JSON object, and returns the rows.
    ///
    /// # Errors
    /// Fails as [`Engine::matches`] does.
    pub fn matches_json(&self, json: &Json) -> Result<Vec<MatchRow>, SearchError> {
        let mut read = Options::of(json);
        let expression = read.required_text("expression");
        let options = MatchOptions::take(&mut read);
        read.finish()?;
        self.matches(expression, &options)
    }

    /// Returns, for each segment, the documents that pass a filter and are not marked as deleted; `None` if there is neither
    /// a filter nor a deletion mark.
    pub(crate) fn allowed(
        &self,
        corpus: &Corpus,
        filter: Option<&Json>,
    ) -> Result<Option<Vec<crate::bitmap::Bitmap>>, SearchError> {
        let mut conditions = Vec::new();
        if let Some(json) = filter {
            conditions.push(Filter::parse(json, &self.schema)?);
        }
        if let Some((name, place)) = self.schema.deletion_mark()
            && !filter.is_some_and(|json| mentions(json, name))
        {
            let deleted = Filter::Test(Target::Attribute(place), Test::Bool(true));
            conditions.push(Filter::Not(Box::new(deleted)));
        }
        if conditions.is_empty() {
            return Ok(None);
        }
        Ok(Some(passing(corpus, &Filter::All(conditions))?))
    }

    fn column(&self, option: &'static str, column: &Column) -> Result<Option<FieldId>, SearchError> {
        let unknown = || {
            let known = self.schema.field_names().join(", ");
            wrong(option, format!("there is no such field; there are {known}"))
        };
        match column {
            Column::Number(-1) => Ok(None),
            Column::Number(number) => {
                let field = u8::try_from(*number).ok().map(FieldId);
                field.filter(|field| field.index() < self.schema.field_count()).map(Some).ok_or_else(unknown)
            }
            Column::Name(name) => self.schema.field(name).map(Some).ok_or_else(unknown),
        }
    }
}

/// Returns whether a filter has a condition on an attribute.
fn mentions(filter: &Json, attribute: &str) -> bool {
    match filter {
        Json::Object(entries) => {
            entries.iter().any(|(name, value)| name == attribute || mentions(value, attribute))
        }
        Json::Array(values) => values.iter().any(|value| mentions(value, attribute)),
        _ => false,
    }
}

fn keyed_rows(corpus: &Corpus, ranked: &[Ranked]) -> Result<Vec<MatchRow>, SearchError> {
    let keys = keys_of(corpus, &ranked.iter().map(|ranked| ranked.row).collect::<Vec<_>>())?;
    let row = |(ranked, (id, kind)): (&Ranked, (String, String))| MatchRow {
        id,
        kind,
        rank: ranked.rank,
        snippet: None,
        highlight: None,
    };
    Ok(ranked.iter().zip(keys).map(row).collect::<Vec<_>>())
}

/// Calls `each` with every row's index in `rows` and its text, in row order.
pub(crate) fn each_text(
    engine: &Engine,
    corpus: &Corpus,
    query: &Query,
    rows: &[u32],
    each: &mut dyn FnMut(usize, MatchedText),
) -> Result<(), SnapshotError> {
    let mut in_order = rows.to_vec();
    sort(&mut in_order);
    let mut open: Option<(usize, MatchFinder)> = None;
    each_record(corpus, rows, &mut |number, record| {
        let (place, document) = part_of(corpus, rows[number]);
        if open.as_ref().is_none_or(|(open, _)| *open != place) {
            let all = in_order.iter().map(|row| part_of(corpus, *row));
            let own = all.filter(|(part, _)| *part == place).map(|(_, document)| document);
            let own = own.collect::<Vec<_>>();
            open = Some((place, MatchFinder::new(&corpus.parts[place], query, own, Wanted::Places)));
        }
        let (_, finder) = open.as_mut().expect("it was just opened");
        let mut text = MatchedText::of(engine, query, record);
        let matches = if corpus.parts[place].segment.is_in_pieces() {
            finder.matches_in(&TextTokens::of(&engine.analyzer, &text.texts))?
        } else {
            finder.matches(document)?
        };
        text.matches = matches.unwrap_or_default();
        each(number, text);
        Ok(())
    })
}

/// A document, and the matches of the query in its texts.
pub(crate) struct MatchedText {
    pub record: Record,
    texts: Vec<Option<String>>,
    pub matches: Vec<PhraseMatch>,
    phrase_lengths: Vec<u32>,
}

impl MatchedText {
    fn of(engine: &Engine, query: &Query, record: Record) -> MatchedText {
        let texts = engine.schema.field_names().into_iter().map(|name| record.text(name)).collect::<Vec<_>>();
        let lengths =
            query.phrases.iter().map(|phrase| u32::try_from(phrase.terms.len()).unwrap_or(u32::MAX));
        MatchedText { record, texts, matches: Vec::new(), phrase_lengths: lengths.collect::<Vec<_>>() }
    }

    pub fn snippet(&self, engine: &Engine, field: Option<FieldId>, length: i64) -> Option<Vec<Piece<'_>>> {
        let texts = self.texts.iter().map(Option::as_deref).collect::<Vec<_>>();
        snippet(&texts, &engine.analyzer, &self.matches, &self.phrase_lengths, field, length)
    }

    /// Returns the sentence with the greatest `nearness`, for a document that contains no word of the query.
    pub fn passage(
        &self,
        engine: &Engine,
        field: Option<FieldId>,
        length: i64,
        nearness: Option<&mut dyn FnMut(&str) -> f64>,
    ) -> Option<Vec<Piece<'_>>> {
        let texts = self.texts.iter().map(Option::as_deref).collect::<Vec<_>>();
        passage(&texts, &engine.analyzer, field, length, nearness)
    }

    pub fn highlight(&self, engine: &Engine, field: FieldId) -> Option<Vec<Piece<'_>>> {
        let text = self.texts[field.index()].as_deref()?;
        let own = self.matches.iter().filter(|found| found.field == field);
        let ranges = joined(own.map(|found| (found.position, self.phrase_lengths[found.phrase])));
        Some(highlight(text, &tokens(&engine.analyzer, text), &ranges))
    }
}
