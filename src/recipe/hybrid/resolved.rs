//! Options resolved against the schema: names become fields, attributes and models.

use super::custom::Custom;
use super::options::{Fusion, MAX_CANDIDATES, MAX_LIMIT, MAX_OFFSET, MAX_TYPOS, SearchOptions};
use super::response::Mode;
use crate::attributes::AttributeType;
use crate::engine::{Embedded, Engine, QueryVector, SearchError};
use crate::ids::FieldId;
use crate::json::float_text;
use crate::options::Options;
use crate::pipeline::Stages;
use crate::schema::{MAX_GROUPS, MAX_TRUST};
use crate::vector;
use std::ops::RangeInclusive;

const DEFAULT_LIMIT: usize = 10;
const DEFAULT_CANDIDATES: usize = 100;
/// How many times as many candidates a search takes if it groups them.
const GROUP_DEPTH: usize = 4;
const DEFAULT_ALPHA: f64 = 0.5;
/// The attribute that holds the time of a record unless the caller names another.
const DEFAULT_TIME: &str = "createdAt";

/// The options of a search after all checks.
#[derive(Debug)]
pub(super) struct ResolvedSearch {
    pub limit: usize,
    pub offset: usize,
    pub candidates: usize,
    pub weights: Vec<f64>,
    pub facets: Vec<(String, usize)>,
    pub highlight: Vec<(String, FieldId)>,
    pub snippet_field: Option<FieldId>,
    pub fusion: Fusion,
    pub alpha: f64,
    /// The weight of vectors in the default fusion, if the caller chose it.
    pub trust: Option<f64>,
    pub recency: Option<Recency>,
    /// The caller's own rule in place of fusion and recency.
    pub custom: Option<Custom>,
    pub stages: Stages,
    /// The indexes of the attributes that hits are grouped by.
    pub group_by: Vec<usize>,
    pub now: f64,
    /// Whether every matching row is needed, for counts and facets.
    pub wants_all: bool,
}

/// The resolved options of `recency`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recency {
    /// The index of the attribute that holds a record's time.
    pub attribute: usize,
    /// The least factor that multiplies a score.
    pub floor: f64,
}

/// The legs of a search.
#[derive(Debug)]
pub(super) struct SearchLegs {
    pub mode: Mode,
    /// The index of the model and the vector of the query; `None` if only the keyword leg runs.
    pub vector: Option<(usize, vector::VectorQuery)>,
    pub warnings: Vec<String>,
}

impl ResolvedSearch {
    /// Resolves options. Faults go into `faults`; ignore the result if there are any.
    pub fn of(engine: &Engine, options: &SearchOptions, faults: &mut Options) -> ResolvedSearch {
        let custom = options.recipe.as_ref().and_then(|json| match Custom::read(json, &engine.schema) {
            Ok(custom) => Some(custom),
            Err(error) => {
                faults.complain("recipe", error.to_string());
                None
            }
        });
        let limit = in_range(faults, "limit", options.limit.unwrap_or(DEFAULT_LIMIT), 1..=MAX_LIMIT);
        let offset = in_range(faults, "offset", options.offset.unwrap_or(0), 0..=MAX_OFFSET);
        let own = options.candidates.or(custom.as_ref().and_then(|custom| custom.candidates));
        let group_by = groups(engine, options, faults);
        let usual = DEFAULT_CANDIDATES.max(2 * (limit + offset));
        // Several candidates become one hit.
        let usual = if group_by.is_empty() { usual } else { (GROUP_DEPTH * usual).min(MAX_CANDIDATES) };
        if let Some(candidates) = options.candidates {
            in_range(faults, "candidates", candidates, 1..=MAX_CANDIDATES);
        }
        in_range(faults, "typos", options.typos, 0..=MAX_TYPOS);
        let alpha = options.alpha.unwrap_or(DEFAULT_ALPHA);
        if !(0.0..=1.0).contains(&alpha) {
            faults.complain("alpha", format!("must be 0 to 1, not {}", float_text(alpha)));
        }
        if let Some(trust) = options.trust.filter(|trust| !(0.0..=MAX_TRUST).contains(trust)) {
            faults.complain("trust", format!("must be 0 to 4, not {}", float_text(trust)));
        }
        ResolvedSearch {
            stages: stages(options, custom.as_ref()),
            limit,
            offset,
            candidates: own.unwrap_or(usual),
            weights: weights(engine, options, faults),
            facets: options.facets.iter().filter_map(|name| facet(engine, name, faults)).collect(),
            highlight: options
                .highlight
                .iter()
                .filter_map(|name| Some((name.clone(), field(engine, "highlight", name, faults)?)))
                .collect(),
            snippet_field: options
                .snippet
                .field
                .as_ref()
                .and_then(|name| field(engine, "snippet", name, faults)),
            fusion: options.fusion.unwrap_or_default(),
            alpha,
            trust: options.trust,
            recency: recency(engine, options, faults),
            custom,
            group_by,
            now: engine.now(options.now),
            wants_all: options.count || !options.facets.is_empty(),
        }
    }
}

fn in_range(faults: &mut Options, name: &str, given: usize, range: RangeInclusive<usize>) -> usize {
    if !range.contains(&given) {
        faults.complain(name, format!("must be {} to {}, not {given}", range.start(), range.end()));
    }
    given.min(*range.end())
}

fn field(engine: &Engine, option: &str, name: &str, faults: &mut Options) -> Option<FieldId> {
    let found = engine.schema.field(name);
    if found.is_none() {
        let known = engine.schema.field_names().join(", ");
        faults.complain(option, format!("there is no text field \"{name}\"; the text fields are {known}"));
    }
    found
}

fn facet(engine: &Engine, name: &str, faults: &mut Options) -> Option<(String, usize)> {
    let found = engine.schema.attribute(name);
    if found.is_none() {
        faults.complain("facets", format!("there is no attribute \"{name}\""));
    }
    Some((name.to_owned(), found?.0))
}

fn weights(engine: &Engine, options: &SearchOptions, faults: &mut Options) -> Vec<f64> {
    let mut weights = engine.schema.weights();
    for (name, weight) in &options.weights {
        if let Some(field) = field(engine, "weights", name, faults) {
            weights[field.index()] = *weight;
        }
    }
    weights
}

/// Returns the indexes of the attributes that hits are grouped by.
fn groups(engine: &Engine, options: &SearchOptions, faults: &mut Options) -> Vec<usize> {
    let names = options.group_by.as_deref().unwrap_or(engine.schema.group_by());
    if names.len() > MAX_GROUPS {
        faults.complain("groupBy", format!("at most {MAX_GROUPS} attributes can be named"));
    }
    let mut places = Vec::new();
    for name in names {
        match engine.schema.attribute(name) {
            Some((place, AttributeType::Keyword)) => places.push(place),
            Some(_) => faults.complain("groupBy", format!("the attribute \"{name}\" is not of type keyword")),
            None => faults.complain("groupBy", format!("there is no attribute \"{name}\"")),
        }
    }
    places
}

/// Returns the stages of the options, with the scoring rule's stages as defaults.
fn stages(options: &SearchOptions, custom: Option<&Custom>) -> Stages {
    let own = options.stages.clone();
    let usual = custom.map(|custom| custom.stages.clone()).unwrap_or_default();
    Stages {
        min_relevance: own.min_relevance.or(usual.min_relevance),
        pinned: if own.pinned.is_empty() { usual.pinned } else { own.pinned },
        as_of: own.as_of.or(usual.as_of),
        fold: own.fold.or(usual.fold),
        diversity: own.diversity.or(usual.diversity),
        max_tokens: own.max_tokens.or(usual.max_tokens),
    }
}

fn recency(engine: &Engine, options: &SearchOptions, faults: &mut Options) -> Option<Recency> {
    let recency = options.recency.as_ref()?;
    let name = recency.field.as_deref().unwrap_or(DEFAULT_TIME);
    match engine.schema.attribute(name) {
        Some((attribute, AttributeType::Time)) => return Some(Recency { attribute, floor: recency.floor }),
        Some(_) => faults.complain("recency", format!("the attribute \"{name}\" is not of type time")),
        None => faults.complain("recency", format!("there is no attribute \"{name}\"; name one as `field`")),
    }
    None
}

impl SearchLegs {
    /// Decides which legs run, and with which vector. If the vector leg cannot run, the search fails if the caller requested
    /// this leg alone, and carries a warning otherwise.
    pub fn of(
        engine: &Engine,
        text: &str,
        options: &SearchOptions,
        wanted: Option<Mode>,
        embedded: &Embedded,
    ) -> Result<SearchLegs, SearchError> {
        let legs = |mode, vector, warnings| Ok(SearchLegs { mode, vector, warnings });
        if wanted == Some(Mode::Keyword) {
            return legs(Mode::Keyword, None, Vec::new());
        }
        let has_models = engine.schema.models().len() > 0;
        if !has_models {
            return match (wanted, &embedded.vectors) {
                (_, Some(_)) if !embedded.is_by_embed => Err(crate::engine::wrong(
                    "vector",
                    "this snapshot has no vectors to compare it with".to_owned(),
                )),
                (Some(_), _) => Err(crate::engine::wrong(
                    "mode",
                    "this snapshot has no vectors; use the mode \"keyword\"".to_owned(),
                )),
                (None, _) => legs(Mode::Keyword, None, Vec::new()),
            };
        }
        let vector = engine.query_vector(text, embedded, options.model.as_deref())?;
        let has_failed = embedded.failure().is_some() || embedded.is_by_embed;
        let is_strict = options.strict || (wanted == Some(Mode::Vector) && has_failed);
        match vector.strictly(is_strict)? {
            QueryVector::Ready(place, query) => {
                legs(wanted.unwrap_or(Mode::Hybrid), Some((place, query)), Vec::new())
            }
            QueryVector::NearNothing => legs(wanted.unwrap_or(Mode::Hybrid), None, Vec::new()),
            QueryVector::Missing(reason) if wanted == Some(Mode::Vector) => {
                let reason = format!("{reason}, and the snapshot cannot embed it; pass a vector");
                Err(crate::engine::wrong("vector", reason))
            }
            QueryVector::Missing(reason) => {
                legs(Mode::Keyword, None, vec![format!("{reason}; only keywords were searched")])
            }
        }
    }
}
