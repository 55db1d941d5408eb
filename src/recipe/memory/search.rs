//! The four searches: memories, documents, and each leg by itself.

use super::MemoryRecipe;
use super::present::{fts_results, hits, vector_results};
use super::query::{
    MemoryDocumentQuery, MemoryFtsQuery, MemoryMode, MemoryQuery, MemoryVectorQuery, ResolvedMemorySearch,
};
use super::ranking::{MemoryPlan, RECALL, ranked, skipped};
use super::response::{MemoryDocumentResult, MemoryFtsResult, MemoryHit, MemoryResponse, MemoryVectorResult};
use crate::bitmap::Bitmap;
use crate::engine::{Embedded, Engine, QueryVector, SearchError, WriteError, passing};
use crate::pipeline::{Candidate, CandidateQuery, Candidates, Context, Legs, Words};
use crate::query::Query;
use crate::ranking::reinforced;
use crate::vector;

impl MemoryRecipe<'_> {
    /// Returns the best memories for a query, and the best documents where the query includes them. Reinforces the returned
    /// memories, unless the query says not to.
    ///
    /// # Errors
    /// When there is no such model, a vector is faulty or missing where it is required, or the snapshot is damaged.
    pub fn search(
        &mut self,
        query: &MemoryQuery,
        embedded: &Embedded,
    ) -> Result<MemoryResponse, SearchError> {
        let search = ResolvedMemorySearch::of_memories(self, query);
        let response = respond(self.engine, &search, embedded, &both_legs)?;
        if query.track {
            // Record the recall only after the response is built, so that it cannot affect this response's scores (M9).
            self.record_recall(query, search.now, &response.results)?;
        }
        Ok(response)
    }

    /// Returns the best documents for a query, each by its best chunk (M12).
    ///
    /// # Errors
    /// As [`MemoryRecipe::search`].
    pub fn search_documents(
        &self,
        query: &MemoryDocumentQuery,
        embedded: &Embedded,
    ) -> Result<MemoryResponse<MemoryDocumentResult>, SearchError> {
        let search = ResolvedMemorySearch::of_documents(self, query);
        respond(self.engine, &search, embedded, &|engine, context, search, legs, allowed| {
            let (counts, found) = both_legs(engine, context, search, legs, allowed)?;
            let documents = found.into_iter().filter_map(|hit| match hit {
                MemoryHit::Document(document) => Some(*document),
                MemoryHit::Memory(_) => None,
            });
            Ok((counts, documents.collect()))
        })
    }

    /// Returns the memories that the keyword leg finds, best first (M1).
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn search_fts(&self, query: &MemoryFtsQuery) -> Result<MemoryResponse<MemoryFtsResult>, SearchError> {
        let search = ResolvedMemorySearch::of_words(self, query);
        respond(self.engine, &search, &Embedded::default(), &|engine, context, search, legs, allowed| {
            let (counts, rows) = single_leg(context, search, legs, allowed)?;
            Ok((counts, fts_results(engine, context, search, &legs.query, &rows)?))
        })
    }

    /// Returns the memories that the vector leg finds, nearest first (M2).
    ///
    /// # Errors
    /// As [`MemoryRecipe::search`].
    pub fn search_vector(
        &self,
        query: &MemoryVectorQuery,
        embedded: &Embedded,
    ) -> Result<MemoryResponse<MemoryVectorResult>, SearchError> {
        let search = ResolvedMemorySearch::of_vector(self, query);
        respond(self.engine, &search, embedded, &|_, context, search, legs, allowed| {
            let (counts, rows) = single_leg(context, search, legs, allowed)?;
            Ok((counts, vector_results(context, &rows)?))
        })
    }

    /// Reinforces the memories among the results, and records the recall in the session (M9).
    fn record_recall(&mut self, query: &MemoryQuery, now: f64, hits: &[MemoryHit]) -> Result<(), WriteError> {
        let session = query.recall_session_id.as_ref().or(query.filter.session_id.as_ref());
        for hit in hits {
            let MemoryHit::Memory(result) = hit else { continue };
            self.set_salience(&result.id, reinforced(result.salience, RECALL), now)?;
            if let Some(session) = session {
                self.engine.note_usage(session, &result.id, "recalled", now)?;
            }
        }
        Ok(())
    }
}

/// The legs of a search, ready to run.
struct MemoryLegs {
    mode: MemoryMode,
    query: Query,
    field_weights: Vec<f64>,
    vector: Option<(usize, vector::VectorQuery)>,
    /// Whether the vector of the query has another width than the vectors of the model.
    is_of_other_width: bool,
    warnings: Vec<String>,
}

impl MemoryLegs {
    /// Decides which legs run (M2, M6). Without a usable vector only keywords are searched, and a warning says so.
    fn of(
        engine: &Engine,
        search: &ResolvedMemorySearch,
        embedded: &Embedded,
    ) -> Result<MemoryLegs, SearchError> {
        let query = Query::parse(&search.expression(), &engine.schema.field_names(), &engine.analyzer)?;
        let mut legs = MemoryLegs {
            mode: search.mode,
            query,
            field_weights: engine.schema.weights(),
            vector: None,
            is_of_other_width: false,
            warnings: search.filter.warnings(&engine.schema),
        };
        if legs.mode == MemoryMode::Keyword {
            return Ok(legs);
        }
        let model = search.model.as_deref();
        let vector = match (&embedded.vectors, engine.model_width(model)?) {
            (Some(vector), Some(width)) if vector.len() != width => {
                legs.is_of_other_width = true;
                let len = vector.len();
                QueryVector::Missing(format!(
                    "vector: it has {len} numbers, and the model's vectors have {width}"
                ))
            }
            _ => engine.query_vector(&search.query, embedded, model)?,
        };
        match vector.strictly(search.strict)? {
            QueryVector::Ready(place, query) => legs.vector = Some((place, query)),
            QueryVector::NearNothing => {}
            QueryVector::Missing(reason) if search.is_single_leg => legs.warnings.push(reason),
            QueryVector::Missing(reason) => {
                legs.mode = MemoryMode::Keyword;
                legs.warnings.push(format!("{reason}; only keywords were searched"));
            }
        }
        Ok(legs)
    }

    fn words(&self) -> Option<Words<'_>> {
        let words = Words { query: &self.query, weights: &self.field_weights };
        (self.mode != MemoryMode::Semantic).then_some(words)
    }

    fn vector(&self) -> Option<(usize, &vector::VectorQuery)> {
        self.vector.as_ref().map(|(model, query)| (*model, query))
    }

    /// Returns the numbers of candidates. A vector leg that had nothing to compare returned none.
    fn counts(&self, keyword: Option<usize>, vector: Option<usize>) -> Legs {
        Legs { keyword, vector: (self.mode != MemoryMode::Keyword).then(|| vector.unwrap_or(0)) }
    }
}

/// Finds results among the allowed documents, and counts the candidates of each leg.
type Finding<'a, R> = dyn Fn(
        &Engine,
        &Context,
        &ResolvedMemorySearch,
        &MemoryLegs,
        &[Bitmap],
    ) -> Result<(Legs, Vec<R>), SearchError>
    + 'a;

fn respond<R>(
    engine: &Engine,
    search: &ResolvedMemorySearch,
    embedded: &Embedded,
    find: &Finding<R>,
) -> Result<MemoryResponse<R>, SearchError> {
    let legs = MemoryLegs::of(engine, search, embedded)?;
    engine.with_corpus(|corpus| {
        let context = engine.context(corpus, &search.query, search.at());
        let mut allowed = search.filter.allowed(&context, search.kinds, search.decays)?;
        if let Some(filter) = search.stages.filter(&engine.schema) {
            let narrow = passing(corpus, &filter)?;
            allowed.iter_mut().zip(&narrow).for_each(|(allowed, narrow)| allowed.intersect(narrow));
        }
        let (counts, results) = find(engine, &context, search, &legs, &allowed)?;
        let compared = legs.vector().map(|(model, _)| model);
        let skipped = match compared.is_some() || legs.is_of_other_width {
            true => skipped(corpus, &allowed, compared)?,
            false => 0,
        };
        let model = compared.and_then(|model| engine.schema.models().nth(model));
        Ok(MemoryResponse {
            query: search.query.clone(),
            mode: legs.mode,
            legs: counts,
            model: model.map(|(name, _)| name.to_owned()),
            degraded: !legs.warnings.is_empty(),
            warnings: legs.warnings.clone(),
            skipped,
            results,
        })
    })
}

fn both_legs(
    engine: &Engine,
    context: &Context,
    search: &ResolvedMemorySearch,
    legs: &MemoryLegs,
    allowed: &[Bitmap],
) -> Result<(Legs, Vec<MemoryHit>), SearchError> {
    let plan = MemoryPlan {
        words: legs.words(),
        vector: legs.vector(),
        limit: search.limit,
        allowed,
        weights: &search.weights,
        decays: search.decays,
        stages: &search.stages,
    };
    let page = ranked(context, &plan)?;
    let results = hits(engine, context, search, &legs.query, &page)?;
    Ok((legs.counts(page.keyword, page.vector), results))
}

/// Returns the candidates of one leg, in row order.
fn single_leg(
    context: &Context,
    search: &ResolvedMemorySearch,
    legs: &MemoryLegs,
    allowed: &[Bitmap],
) -> Result<(Legs, Vec<Candidate>), SearchError> {
    let ask = CandidateQuery {
        words: legs.words(),
        vector: legs.vector(),
        depth: search.limit,
        allowed: Some(allowed),
        wants_all: false,
    };
    let Candidates { rows, keyword, vector } = ask.candidates(context.corpus)?;
    Ok((legs.counts(keyword.map(|found| found.rows.len()), vector), rows))
}
