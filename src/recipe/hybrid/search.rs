//! `search`: answers a query of plain words with ranked hits.

use super::options::{MAX_TYPOS, SearchOptions};
use super::ranking::{Retrieved, ScoredRow, retrieve};
use super::resolved::{ResolvedSearch, SearchLegs};
use super::response::{Facet, FacetValue, Hit, Mode, SearchResponse};
use crate::analysis::Purpose;
use crate::bitmap::Bitmap;
use crate::engine::{Embedded, Engine, MatchedText, SearchError, each_text, passing};
use crate::ids::FieldId;
use crate::json::Json;
use crate::options::Options;
use crate::pipeline::{
    Completion, Correction, Explain, Explained, ExplainedKeyword, ExplainedPhrase, ExplainedVector, Factor,
    Interpretation, KeywordDetails, Legs, ScorePart, Signal, WordRule, Words, complete, ids_of, interpret,
};
use crate::presentation::{Markers, Markup, Piece, render};
use crate::query::{Phrase, QueryTerm};
use crate::retrieval::{self, Corpus, Filter, KeywordResult, PhraseMatch, keys_of, part_of};
use crate::segment::Embedders;
use crate::snapshot::SnapshotError;

impl Engine {
    /// Returns the best records for a query of plain words.
    ///
    /// ```
    /// use snapseek::json::Json;
    /// use snapseek::{Builder, Engine, Record, Schema, SearchOptions};
    ///
    /// let schema = Schema::of_fields([("title", 1.0)])?;
    /// let mut builder = Builder::new(&schema)?;
    /// let json = Json::parse(br#"{"id": "1", "title": "A quick brown fox"}"#).expect("this is JSON");
    /// builder.add(&Record::from_json(json)?)?;
    /// let engine = Engine::open(builder.finish()?)?;
    /// let response = engine.search("quick fox", &SearchOptions::default())?;
    /// assert_eq!(response.hits[0].id, "1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails when an option or the filter is invalid, or the snapshot is damaged.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Result<SearchResponse, SearchError> {
        let mut faults = Options::of(&Json::Null);
        let resolved = ResolvedSearch::of(self, options, &mut faults);
        faults.finish()?;
        self.run_search(query, options, &resolved, &Embedded::from(options.vector.clone()))
    }

    /// Searches with the query and options of one JSON object.
    ///
    /// # Errors
    /// Fails as [`Engine::search`] does, and when an option has the wrong type.
    pub fn search_json(&self, json: &Json, embedded: Embedded) -> Result<SearchResponse, SearchError> {
        let mut reading = Options::of(json);
        let query = reading.required_text("query");
        let options = SearchOptions::take(&mut reading);
        let resolved = ResolvedSearch::of(self, &options, &mut reading);
        reading.finish()?;
        let vectors = embedded.vectors.or(options.vector.clone());
        self.run_search(query, &options, &resolved, &Embedded { vectors, ..embedded })
    }

    fn run_search(
        &self,
        query: &str,
        options: &SearchOptions,
        search: &ResolvedSearch,
        embedded: &Embedded,
    ) -> Result<SearchResponse, SearchError> {
        let wanted = options.mode.or(search.custom.as_ref().and_then(|custom| custom.mode));
        let legs = SearchLegs::of(self, query, options, wanted, embedded)?;
        self.with_corpus(|corpus| {
            let rule = search.custom.as_ref().map_or(WordRule::Any, |custom| custom.words);
            let mut interpretation = interpret(
                query,
                rule,
                corpus,
                &self.schema,
                &self.analyzer,
                options.as_you_type,
                options.typos as u8,
            )?;
            let allowed = self.allowed(corpus, options.filter.as_ref())?;
            let allowed = narrowed(corpus, allowed, search.stages.filter(&self.schema))?;
            let words = Words { query: &interpretation.query, weights: &search.weights };
            let context = self.context(corpus, query, search.now);
            let vector = legs.vector.as_ref().map(|(model, query)| (*model, query));
            let words = (legs.mode != Mode::Vector).then_some(words);
            let found = retrieve(&context, search, words, vector, allowed.as_deref())?;
            let matches = match &found.keyword {
                _ if found.is_nothing => &Vec::new(),
                Some(keyword) => &keyword.matches,
                None if search.wants_all => {
                    &comparable(corpus, vector.map(|(model, _)| model), allowed.as_deref())?
                }
                None => &Vec::new(),
            };
            let total = options.count.then(|| matches.iter().map(|matches| matches.count() as u64).sum());
            let matches_no_word = |scored: &ScoredRow| scored.keyword.is_none();
            let is_by_meaning = found
                .rows
                .iter()
                .any(|scored| matches_no_word(scored) || scored.children.iter().any(matches_no_word));
            let nearness = vector.filter(|_| is_by_meaning && options.snippet.tokens > 0);
            let nearness = nearness.map(|(model, _)| Nearness::of(self, model, query)).transpose()?;
            let hits = self.hits(corpus, &interpretation, &found, options, search, nearness.as_ref())?;
            let suggestions = match found.rows.is_empty() {
                true => self.spelled(query, rule, corpus)?,
                false => Vec::new(),
            };
            let keyword = found.keyword.as_ref().map(|found| found.rows.len());
            let model = vector.and_then(|(place, _)| self.schema.models().nth(place));
            let mut warnings = legs.warnings.clone();
            warnings.append(&mut interpretation.warnings);
            Ok(SearchResponse {
                query: query.to_owned(),
                mode: legs.mode,
                // A requested vector leg with nothing to compare counts as a leg with 0 candidates.
                legs: Legs {
                    keyword,
                    vector: (legs.mode != Mode::Keyword).then(|| found.vector.unwrap_or(0)),
                },
                model: model.map(|(name, _)| name.to_owned()),
                fusion: match &search.custom {
                    Some(_) => Some("custom"),
                    None => (legs.mode == Mode::Hybrid).then(|| search.fusion.name()),
                },
                degraded: !warnings.is_empty(),
                expression: interpretation.expression,
                corrected: interpretation.corrected,
                warnings,
                total,
                relevance: found.relevance,
                suggestions,
                hits,
                facets: facets(corpus, &search.facets, matches)?,
            })
        })
    }

    /// Returns the most frequent words that start with the last word of `text`, and their counts. At most `limit` words.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
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
            Ok(completions.into_iter().take(limit).map(word).collect::<Vec<_>>())
        })
    }

    /// Returns the query with its unknown words replaced by similar known ones; nothing if no word can be replaced.
    fn spelled(&self, query: &str, rule: WordRule, corpus: &Corpus) -> Result<Vec<String>, SearchError> {
        let typos = MAX_TYPOS as u8;
        let read = interpret(query, rule, corpus, &self.schema, &self.analyzer, false, typos)?;
        let mut spelled = query.to_owned();
        for Correction { word, instead } in &read.corrected {
            spelled = spelled.replacen(word, &instead[0], 1);
        }
        Ok(if read.corrected.is_empty() { Vec::new() } else { vec![spelled] })
    }

    fn hits(
        &self,
        corpus: &Corpus,
        interpretation: &Interpretation,
        found: &Retrieved,
        options: &SearchOptions,
        search: &ResolvedSearch,
        nearness: Option<&Nearness>,
    ) -> Result<Vec<Hit>, SearchError> {
        let page = found.rows.get(search.offset..).unwrap_or_default();
        // Children are presented as their parents are, and put under them at the end.
        let counts = page.iter().map(|scored| scored.children.len()).collect::<Vec<_>>();
        let page =
            page.iter().flat_map(|scored| [scored].into_iter().chain(&scored.children)).collect::<Vec<_>>();
        let rows = page.iter().map(|scored| scored.row).collect::<Vec<_>>();
        let keys = keys_of(corpus, &rows)?.into_iter().zip(&page);
        let mut hits =
            keys.map(|(key, scored)| bare_hit(corpus, key, scored)).collect::<Result<Vec<_>, _>>()?;
        let wants_text = options.snippet.tokens > 0 || !search.highlight.is_empty();
        if !(wants_text || options.explain || options.records) {
            return Ok(with_children(hits, &counts));
        }
        let markers = Markers {
            open: &options.snippet.open,
            close: &options.snippet.close,
            ellipsis: &options.snippet.ellipsis,
        };
        let markup = if options.snippet.raw { Markup::Plain } else { Markup::EscapedHtml };
        let lengths =
            corpus.parts.iter().map(|part| part.segment.lengths()).collect::<Result<Vec<_>, _>>()?;
        each_text(self, corpus, &interpretation.query, &rows, &mut |number, text| {
            let hit = &mut hits[number];
            if options.snippet.tokens > 0 {
                let (field, length) = (search.snippet_field, options.snippet.tokens);
                let pieces = match nearness.filter(|_| text.matches.is_empty()) {
                    Some(nearness) => nearness.passage(&text, field, length),
                    None => text.snippet(self, field, length),
                };
                hit.snippet = pieces.map(|pieces| render(&pieces, markers, markup));
            }
            for (name, field) in &search.highlight {
                let pieces = text.highlight(self, *field);
                hit.highlights.push((name.clone(), pieces.map(|pieces| render(&pieces, markers, markup))));
            }
            if options.explain {
                let (part, document) = part_of(corpus, rows[number]);
                let length = lengths[part].get(document as usize).copied().unwrap_or(0);
                let keyword = found.keyword.as_ref().zip(page[number].keyword).map(|(found, signal)| {
                    explain_keyword(interpretation, found, &text.matches, length, signal, &search.weights)
                });
                hit.explain = Some(explain(page[number], keyword));
            }
            if options.records {
                hit.record = Some(text.record.json().clone());
            }
        })?;
        Ok(with_children(hits, &counts))
    }
}

/// Puts the hits that follow a hit under it, as many as its count says.
fn with_children(hits: Vec<Hit>, counts: &[usize]) -> Vec<Hit> {
    let mut rest = hits.into_iter();
    let parent = |count: &usize| {
        let hit = rest.next()?;
        let children = rest.by_ref().take(*count).collect::<Vec<_>>();
        Some(Hit { children, ..hit })
    };
    counts.iter().filter_map(parent).collect::<Vec<_>>()
}

/// Finds the sentences that mean the same as the query, with the snapshot's own embedder.
struct Nearness<'a> {
    engine: &'a Engine,
    /// The index of the model that the search compared.
    model: usize,
    embedders: Embedders<'a>,
    /// The query's vector; empty if the model has no embedder.
    vector: Vec<f32>,
}

impl<'a> Nearness<'a> {
    fn of(engine: &'a Engine, model: usize, query: &str) -> Result<Nearness<'a>, SnapshotError> {
        let embedders = engine.embedders()?;
        let vector = embedders.embed(model, query).unwrap_or_default();
        Ok(Nearness { engine, model, embedders, vector })
    }

    /// Returns the passage of a document nearest to the query, or its beginning if no embedder can compare sentences.
    fn passage<'t>(
        &self,
        text: &'t MatchedText,
        field: Option<FieldId>,
        length: i64,
    ) -> Option<Vec<Piece<'t>>> {
        let mut near = |sentence: &str| {
            let own = self.embedders.embed(self.model, sentence).unwrap_or_default();
            own.iter().zip(&self.vector).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let nearness = (!self.vector.is_empty()).then_some(&mut near as &mut dyn FnMut(&str) -> f64);
        text.passage(self.engine, field, length, nearness)
    }
}

fn bare_hit(corpus: &Corpus, key: (String, String), scored: &ScoredRow) -> Result<Hit, SearchError> {
    let (id, kind) = key;
    Ok(Hit {
        id,
        kind,
        score: scored.score,
        snippet: None,
        highlights: Vec::new(),
        pinned: scored.is_pinned,
        folded: ids_of(corpus, &scored.folded)?,
        children: Vec::new(),
        explain: None,
        record: None,
    })
}

/// Intersects the allowed documents with those that pass another filter.
fn narrowed(
    corpus: &Corpus,
    allowed: Option<Vec<Bitmap>>,
    filter: Option<Filter>,
) -> Result<Option<Vec<Bitmap>>, SearchError> {
    let Some(filter) = filter else { return Ok(allowed) };
    let mut narrow = passing(corpus, &filter)?;
    for (narrow, allowed) in narrow.iter_mut().zip(allowed.iter().flatten()) {
        narrow.intersect(allowed);
    }
    Ok(Some(narrow))
}

/// Returns, for each segment, the documents that vectors alone can find: the allowed ones that have a vector.
fn comparable(
    corpus: &Corpus,
    model: Option<usize>,
    allowed: Option<&[Bitmap]>,
) -> Result<Vec<Bitmap>, SearchError> {
    let mut all = Vec::new();
    for (number, part) in corpus.parts.iter().enumerate() {
        let documents = part.segment.documents();
        let mut bitmap = Bitmap::none(documents as usize);
        if let Some(model) = model {
            let rows = part.segment.vectors()?[model];
            let found = (0..rows.len()).map(|row| rows.document(row));
            found.filter(|document| *document < documents && part.is_live(*document)).for_each(|document| {
                bitmap.insert(document as usize);
            });
        }
        if let Some(allowed) = allowed {
            bitmap.intersect(&allowed[number]);
        }
        all.push(bitmap);
    }
    Ok(all)
}

fn facets(
    corpus: &Corpus,
    wanted: &[(String, usize)],
    matches: &[Bitmap],
) -> Result<Vec<Facet>, SearchError> {
    let mut facets = Vec::new();
    for (name, place) in wanted {
        let values = retrieval::facet_counts(corpus, matches, *place)?;
        let values = values.into_iter().map(|(value, count)| FacetValue { value, count }).collect();
        facets.push(Facet { attribute: name.clone(), values });
    }
    Ok(facets)
}

fn explain(scored: &ScoredRow, keyword: Option<ExplainedKeyword>) -> Explain {
    let vector = scored.vector.map(ExplainedVector::of);
    let part = |name: &str, signal: Option<Signal>, product: f64| {
        // Fusion can give an amount even to a candidate without a signal of the leg.
        let is_there = signal.is_some() || product != 0.0;
        let value = signal.map_or(0.0, |signal| signal.score);
        is_there.then(|| ScorePart { name: name.to_owned(), value, weight: None, product })
    };
    if let Some(score) = scored.explained.clone() {
        return Explain { keyword, vector, score };
    }
    let (of_words, of_vectors) = scored.parts;
    let parts = [part("keyword", scored.keyword, of_words), part("vector", scored.vector, of_vectors)];
    let factors = scored.recency.map(|value| Factor { name: "recency".to_owned(), value });
    let score = Explained {
        parts: parts.into_iter().flatten().collect::<Vec<_>>(),
        factors: factors.into_iter().collect::<Vec<_>>(),
    };
    Explain { keyword, vector, score }
}

fn explain_keyword(
    interpretation: &Interpretation,
    found: &KeywordResult,
    matches: &[PhraseMatch],
    length: u32,
    signal: Signal,
    weights: &[f64],
) -> ExplainedKeyword {
    let mut phrases = Vec::new();
    for (number, phrase) in interpretation.query.phrases.iter().enumerate() {
        let own = matches.iter().filter(|found| found.phrase == number);
        let weight = |field: FieldId| weights.get(field.index()).copied().unwrap_or(1.0);
        let frequency = own.fold(0.0, |sum, found| sum + weight(found.field));
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
    let average_length = found.bm25.average_length();
    let details = KeywordDetails { length, average_length, phrases };
    ExplainedKeyword { details: Some(details), ..ExplainedKeyword::of(signal) }
}

fn words_of(phrase: &Phrase) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let word = |term: &QueryTerm| match term {
        QueryTerm::Exact(bytes) => text(bytes),
        QueryTerm::Prefix(bytes) => format!("{}*", text(bytes)),
        QueryTerm::AnyOf(all) => all.iter().map(|bytes| text(bytes)).collect::<Vec<_>>().join("|"),
    };
    phrase.terms.iter().map(word).collect::<Vec<_>>().join(" ")
}
