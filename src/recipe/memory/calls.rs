//! The calls of the memory recipe: `memory.search` and its like.

use super::question::MemoryQuestion;
use super::shown::Results;
use crate::bitmap::Bitmap;
use crate::engine::{Embedded, Engine, SearchError};
use crate::engine::{QueryVector, passing};
use crate::json::Json;
use crate::pipeline::Fields;
use crate::pipeline::{CandidateQuery, Context, Legs, Words};
use crate::query::Query;
use crate::recipe::memory::{DOCUMENT, MemoryPlan, search, skipped};
use crate::vector;

/// How many results one leg gives by itself, where nobody says.
const LEG_LIMIT: usize = 20;
/// How many results a search gives, where nobody says.
const LIMIT: usize = 10;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Find {
    /// `memory.search`: memories, and documents where they are asked for.
    Memories,
    /// `memory.searchDocuments`: documents.
    Documents,
    /// `memory.searchFts`: what the keyword leg gives by itself (M1).
    ByWords,
    /// `memory.searchVector`: what the vector leg gives by itself (M2).
    ByVector,
}

/// Which legs run, and with what.
struct Asked {
    mode: &'static str,
    query: Query,
    weights: Vec<f64>,
    vector: Option<(usize, vector::VectorQuery)>,
    /// Whether there is a vector, but none as wide to compare it with.
    is_of_other_width: bool,
    warnings: Vec<String>,
}

impl Asked {
    fn words(&self) -> Option<Words<'_>> {
        (self.mode != "semantic").then_some(Words { query: &self.query, weights: &self.weights })
    }

    fn vector(&self) -> Option<(usize, &vector::VectorQuery)> {
        self.vector.as_ref().map(|(model, query)| (*model, query))
    }
}

/// The calls of the recipe.
pub(crate) const CALLS: &[&str] = &[
    "memory.search",
    "memory.searchDocuments",
    "memory.searchFts",
    "memory.searchVector",
    "memory.timeline",
    "memory.sessionContext",
    "memory.create",
    "memory.supersede",
    "memory.relate",
    "memory.reinforce",
    "memory.deemphasize",
    "memory.linkToSession",
    "memory.delete",
    "memory.session",
];

/// Answers a call of the recipe; none where it has no such call.
pub(crate) fn call(
    engine: &mut Engine,
    name: &str,
    options: &Json,
    embedded: &Embedded,
) -> Option<Result<String, SearchError>> {
    Some(match name {
        "memory.search" => engine.memory_find(Find::Memories, options, embedded),
        "memory.searchDocuments" => engine.memory_find(Find::Documents, options, embedded),
        "memory.searchFts" => engine.memory_find(Find::ByWords, options, embedded),
        "memory.searchVector" => engine.memory_find(Find::ByVector, options, embedded),
        "memory.timeline" => engine.memory_timeline(options),
        "memory.sessionContext" => engine.memory_session_context(options),
        "memory.create" => engine.memory_create(options, embedded),
        "memory.supersede" => engine.memory_supersede(options),
        "memory.relate" => engine.memory_relate(options),
        "memory.reinforce" => engine.memory_reinforce(options),
        "memory.deemphasize" => engine.memory_deemphasize(options),
        "memory.linkToSession" => engine.memory_link_to_session(options),
        "memory.delete" => engine.memory_delete(options),
        "memory.session" => engine.memory_session(options),
        _ => return None,
    })
}

impl Engine {
    /// Finds memories, documents, or what one leg gives.
    pub(crate) fn memory_find(
        &mut self,
        find: Find,
        options: &Json,
        embedded: &Embedded,
    ) -> Result<String, SearchError> {
        let limit = if matches!(find, Find::ByWords | Find::ByVector) { LEG_LIMIT } else { LIMIT };
        let mut question = MemoryQuestion::read(self, options, limit)?;
        match find {
            Find::Memories => {}
            Find::Documents => question.wanted.kinds = vec![DOCUMENT],
            Find::ByWords => question.mode = "keyword",
            Find::ByVector => question.mode = "semantic",
        }
        let (response, memories) = self.memory_answer(find, &question, embedded)?;
        // What is noted is noted after the answer is made, so that it does not change it (M9).
        if find == Find::Memories && question.tracks {
            self.note_recall(&question, &memories)?;
        }
        Ok(response.into_text())
    }

    /// The answer, and the memories in it: their ids, and what each matters.
    fn memory_answer(
        &self,
        find: Find,
        question: &MemoryQuestion,
        embedded: &Embedded,
    ) -> Result<(Fields, Vec<(String, f64)>), SearchError> {
        let asked = self.memory_asked(find, question, embedded)?;
        self.with_corpus(|corpus| {
            let context = self.context(corpus, &question.query, question.at());
            let mut allowed = question.wanted.allowed(&context)?;
            if let Some(filter) = question.stages.filter(&self.schema) {
                let narrow = passing(corpus, &filter)?;
                allowed.iter_mut().zip(&narrow).for_each(|(allowed, narrow)| allowed.intersect(narrow));
            }
            let (legs, results) = match find {
                Find::ByWords | Find::ByVector => self.of_leg(&context, question, &asked, &allowed)?,
                Find::Memories | Find::Documents => {
                    self.of_both_legs(&context, question, &asked, &allowed)?
                }
            };
            let compared = asked.vector().map(|(model, _)| model);
            let skipped = match compared.is_some() || asked.is_of_other_width {
                true => skipped(corpus, &allowed, compared)?,
                false => 0,
            };
            let model = compared.and_then(|model| self.schema.models().nth(model));
            let mut response = Fields::default();
            response.text("query", Some(&question.query));
            response.text("mode", Some(asked.mode));
            response.legs(legs);
            response.text("model", model.map(|(name, _)| name));
            response.flag("degraded", !asked.warnings.is_empty());
            response.texts("warnings", asked.warnings);
            // How many of those that may be found have vectors, but none that could be compared.
            response.count("skipped", skipped);
            response.put("results", Json::Array(results.shown));
            Ok((response, results.memories))
        })
    }

    /// Which legs can run (M2, M6). Without a vector to compare, words alone are looked for, and the answer says so.
    fn memory_asked(
        &self,
        find: Find,
        question: &MemoryQuestion,
        embedded: &Embedded,
    ) -> Result<Asked, SearchError> {
        let query = Query::parse(&question.expression(), &self.schema.field_names(), &self.analyzer)?;
        let mut asked = Asked {
            mode: question.mode,
            query,
            weights: self.schema.weights(),
            vector: None,
            is_of_other_width: false,
            warnings: question.warnings(&self.schema),
        };
        if asked.mode == "keyword" {
            return Ok(asked);
        }
        let place = self.model(question.model.as_deref())?;
        let width = place.and_then(|place| self.schema.models().nth(place)?.1.width);
        let reason = match (&embedded.vectors, width) {
            (Some(vector), Some(width)) if vector.len() != width => {
                asked.is_of_other_width = true;
                let len = vector.len();
                Some(format!("vector: it has {len} numbers, and those to compare it with have {width}"))
            }
            _ => match self.query_vector(&question.query, embedded, question.model.as_deref())? {
                QueryVector::Missing(reason) => Some(format!("vector: {reason}")),
                QueryVector::NearNothing => None,
                QueryVector::Ready(place, query) => {
                    asked.vector = Some((place, query));
                    None
                }
            },
        };
        match reason {
            Some(reason) if find == Find::ByVector => asked.warnings.push(reason),
            Some(reason) => {
                asked.mode = "keyword";
                asked.warnings.push(format!("{reason}; only words were looked for"));
            }
            None => {}
        }
        Ok(asked)
    }

    fn of_both_legs(
        &self,
        context: &Context,
        question: &MemoryQuestion,
        asked: &Asked,
        allowed: &[Bitmap],
    ) -> Result<(Legs, Results), SearchError> {
        let plan = MemoryPlan {
            words: asked.words(),
            vector: asked.vector(),
            limit: question.limit,
            allowed,
            weights: &question.weights,
            decays: question.wanted.decays,
            stages: &question.stages,
        };
        let found = search(context, &plan)?;
        // A vector leg that was asked for and had nothing to compare gave no candidates.
        let vector = (asked.mode != "keyword").then(|| found.vector.unwrap_or(0));
        let legs = Legs { keyword: found.keyword, vector };
        Ok((legs, self.shown_memories(context, question, &asked.query, &found)?))
    }

    fn of_leg(
        &self,
        context: &Context,
        question: &MemoryQuestion,
        asked: &Asked,
        allowed: &[Bitmap],
    ) -> Result<(Legs, Results), SearchError> {
        let (words, vector, depth) = (asked.words(), asked.vector(), question.limit);
        let ask = CandidateQuery { words, vector, depth, allowed: Some(allowed), wants_all: false };
        let found = ask.candidates(context.corpus)?;
        let keyword = found.keyword.map(|found| found.rows.len());
        let vector = words.is_none().then(|| found.vector.unwrap_or(0));
        let results = self.shown_candidates(context, question, &asked.query, found.rows)?;
        Ok((Legs { keyword, vector }, results))
    }
}
