//! `search`: words in, hits out.

use super::matching::{each_text, locate};
use super::{Engine, SearchError};
use crate::analysis::Purpose;
use crate::ids::FieldId;
use crate::json::Json;
use crate::presentation::{Markers, Markup, render};
use crate::query::{Phrase, Term};
use crate::recipe::{
    Completion, Explain, ExplainedPhrase, Facet, FacetValue, Hit, Interpretation, SearchOptions,
    SearchResponse, complete, interpret,
};
use crate::retrieval::{self, Corpus, Found, Place, Ranked, Retrieval};

/// A search gives at most this many hits.
pub const MAX_LIMIT: usize = 1000;
const DEFAULT_LIMIT: usize = 10;
/// A search leaves out at most this many hits.
pub const MAX_OFFSET: usize = 100_000;

impl Engine {
    /// The best records for a query of plain words.
    ///
    /// # Errors
    /// When an option or the filter cannot be used, or the snapshot is damaged.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Result<SearchResponse, SearchError> {
        let request = Request::check(self, options)?;
        self.with_corpus(|corpus| {
            let interpretation =
                interpret(query, corpus, &self.schema, &self.analyzer, options.as_you_type, options.typos)?;
            let allowed = self.allowed(corpus, options.filter.as_ref())?;
            let found = retrieval::search(
                corpus,
                &Retrieval {
                    query: &interpretation.query,
                    weights: &request.weights,
                    limit: request.offset + request.limit,
                    allowed: allowed.as_deref(),
                    wants_all: options.count || !request.facets.is_empty(),
                },
            )?;
            let hits = self.hits(corpus, &interpretation, &found, options, &request)?;
            let mut facets = Vec::new();
            for (name, place) in &request.facets {
                let values = retrieval::facet_counts(corpus, &found.matches, *place)?;
                let values = values.into_iter().map(|(value, count)| FacetValue { value, count }).collect();
                facets.push(Facet { attribute: name.clone(), values });
            }
            let total =
                options.count.then(|| found.matches.iter().map(|matches| matches.count() as u64).sum());
            Ok(SearchResponse {
                query: query.to_owned(),
                mode: "keyword",
                degraded: !interpretation.warnings.is_empty(),
                expression: interpretation.expression,
                corrected: interpretation.corrected,
                warnings: interpretation.warnings,
                total,
                hits,
                facets,
            })
        })
    }

    /// The most frequent words that start like the last word of `text`, at most `limit` of them.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn suggest(&self, text: &str, limit: usize) -> Result<Vec<(String, u64)>, SearchError> {
        let mut last = None;
        self.analyzer.spans(text, Purpose::Query, |span| last = Some(&text[span.start..span.end]));
        let Some(word) = last.filter(|word| text.ends_with(word)) else { return Ok(Vec::new()) };
        let mut form = Vec::new();
        self.analyzer.fold(word, &mut form);
        self.with_corpus(|corpus| {
            let completions = complete(corpus, &form)?;
            let word = |completion: Completion| {
                (String::from_utf8_lossy(&completion.form).into_owned(), completion.count)
            };
            Ok(completions.into_iter().take(limit).map(word).collect())
        })
    }

    fn hits(
        &self,
        corpus: &Corpus,
        interpretation: &Interpretation,
        found: &Found,
        options: &SearchOptions,
        request: &Request,
    ) -> Result<Vec<Hit>, SearchError> {
        let page = found.rows.get(request.offset..).unwrap_or_default();
        let mut hits = page.iter().map(|ranked| bare_hit(corpus, ranked)).collect::<Result<Vec<_>, _>>()?;
        let wants_text = options.snippet.tokens > 0 || !request.highlight.is_empty();
        if !(wants_text || options.explain || options.records) {
            return Ok(hits);
        }
        let markers = Markers {
            open: &options.snippet.open,
            close: &options.snippet.close,
            ellipsis: &options.snippet.ellipsis,
        };
        let markup = if options.snippet.raw { Markup::Plain } else { Markup::EscapedHtml };
        let lengths =
            corpus.parts.iter().map(|part| part.segment.lengths()).collect::<Result<Vec<_>, _>>()?;
        each_text(self, corpus, &interpretation.query, page, |number, text| {
            let hit = &mut hits[number];
            if options.snippet.tokens > 0 {
                let pieces = text.snippet(self, request.snippet_field, options.snippet.tokens);
                hit.snippet = pieces.map(|pieces| render(&pieces, markers, markup));
            }
            for (name, field) in &request.highlight {
                let pieces = text.highlight(self, *field);
                hit.highlights.push((name.clone(), pieces.map(|pieces| render(&pieces, markers, markup))));
            }
            if options.explain {
                let (part, document) = locate(corpus, &page[number]);
                let length = lengths[part].get(document as usize).copied().unwrap_or(0);
                let rank = page[number].rank;
                hit.explain =
                    Some(explain(interpretation, found, &text.places, length, rank, &request.weights));
            }
            if options.records {
                hit.record = Some(text.record.json().clone());
            }
        })?;
        Ok(hits)
    }
}

fn bare_hit(corpus: &Corpus, ranked: &Ranked) -> Result<Hit, SearchError> {
    let (part, document) = locate(corpus, ranked);
    let key = corpus.parts[part].segment.keys()?.get(document as usize)?;
    Ok(Hit {
        id: key.id.to_owned(),
        kind: key.kind.to_owned(),
        // Negating a zero would show as −0.
        score: 0.0 - ranked.rank,
        snippet: None,
        highlights: Vec::new(),
        explain: None,
        record: None,
    })
}

/// Options that were checked.
struct Request {
    limit: usize,
    offset: usize,
    weights: Vec<f64>,
    facets: Vec<(String, usize)>,
    highlight: Vec<(String, FieldId)>,
    snippet_field: Option<FieldId>,
}

impl Request {
    fn check(engine: &Engine, options: &SearchOptions) -> Result<Request, SearchError> {
        let limit = options.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(wrong("limit", format!("must be 1 to {MAX_LIMIT}, not {limit}")));
        }
        let offset = options.offset.unwrap_or(0);
        if offset > MAX_OFFSET {
            return Err(wrong("offset", format!("must be 0 to {MAX_OFFSET}, not {offset}")));
        }
        if options.typos > 2 {
            return Err(wrong("typos", format!("must be 0 to 2, not {}", options.typos)));
        }
        if let Some(mode) = options.mode.as_deref().filter(|mode| *mode != "keyword") {
            return Err(wrong("mode", format!("unknown mode {mode:?}; this snapshot answers \"keyword\"")));
        }
        let field = |option: &'static str, name: &String| {
            let known = engine.schema.field_names().join(", ");
            let missing = || wrong(option, format!("there is no text field {name:?}; there are {known}"));
            engine.schema.field(name).ok_or_else(missing)
        };
        let facet = |name: &String| {
            let missing = || wrong("facets", format!("there is no attribute {name:?}"));
            Ok((name.clone(), engine.schema.attribute(name).ok_or_else(missing)?.0))
        };
        let highlight = |name: &String| Ok((name.clone(), field("highlight", name)?));
        Ok(Request {
            limit,
            offset,
            weights: weights(engine, options.weights.as_ref())?,
            facets: options.facets.iter().map(facet).collect::<Result<_, SearchError>>()?,
            highlight: options.highlight.iter().map(highlight).collect::<Result<_, SearchError>>()?,
            snippet_field: match &options.snippet.field {
                Some(name) => Some(field("snippet.field", name)?),
                None => None,
            },
        })
    }
}

fn wrong(option: &'static str, reason: String) -> SearchError {
    SearchError::Option { option, reason }
}

fn weights(engine: &Engine, json: Option<&Json>) -> Result<Vec<f64>, SearchError> {
    let mut weights = engine.schema.weights();
    let Some(json) = json.filter(|json| **json != Json::Null) else { return Ok(weights) };
    let Json::Object(entries) = json else {
        return Err(wrong(
            "weights",
            format!("an object of field names and numbers is wanted, not {}", json.kind()),
        ));
    };
    for (name, value) in entries {
        let Some(field) = engine.schema.field(name) else {
            return Err(wrong("weights", format!("there is no text field {name:?}")));
        };
        let Some(weight) = value.as_f64() else {
            return Err(wrong("weights", format!("{name:?} is {}; a number is wanted", value.kind())));
        };
        weights[field.index()] = weight;
    }
    Ok(weights)
}

fn explain(
    interpretation: &Interpretation,
    found: &Found,
    places: &[Place],
    length: u32,
    rank: f64,
    weights: &[f64],
) -> Explain {
    let mut phrases = Vec::new();
    for (number, phrase) in interpretation.query.phrases.iter().enumerate() {
        let own = places.iter().filter(|place| place.phrase == number);
        let weight = |field: FieldId| weights.get(field.index()).copied().unwrap_or(1.0);
        let frequency = own.fold(0.0, |sum, place| sum + weight(place.field));
        let mut only = vec![0.0; interpretation.query.phrases.len()];
        only[number] = frequency;
        phrases.push(ExplainedPhrase {
            phrase: words_of(phrase),
            hits: found.hits[number],
            idf: found.bm25.idf[number],
            frequency,
            part: 0.0 - found.bm25.rank(&only, length),
        });
    }
    Explain { bm25: rank, length, average_length: found.bm25.average_length(), phrases }
}

fn words_of(phrase: &Phrase) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let word = |term: &Term| match term {
        Term::Exact(bytes) => text(bytes),
        Term::Prefix(bytes) => format!("{}*", text(bytes)),
        Term::AnyOf(all) => all.iter().map(|bytes| text(bytes)).collect::<Vec<_>>().join("|"),
    };
    phrase.terms.iter().map(word).collect::<Vec<_>>().join(" ")
}
