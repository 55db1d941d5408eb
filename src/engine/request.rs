//! The options of a search, checked.

use super::asking::QueryVector;
use super::error::wrong;
use super::{Engine, SearchError};
use crate::attributes::AttributeType;
use crate::ids::FieldId;
use crate::json::{Json, float_text};
use crate::options::Options;
use crate::recipe::{Custom, Fusion, Mode, Recency, SearchOptions, Stages};
use crate::vector;
use std::ops::RangeInclusive;

/// A search gives at most this many hits.
pub const MAX_LIMIT: usize = 1000;
const DEFAULT_LIMIT: usize = 10;
/// A search leaves out at most this many hits.
pub const MAX_OFFSET: usize = 100_000;
/// A leg gives at most this many candidates.
pub const MAX_CANDIDATES: usize = 10_000;
const DEFAULT_CANDIDATES: usize = 100;
const DEFAULT_ALPHA: f64 = 0.5;
/// The attribute that tells how old a record is, where none is named.
const DEFAULT_TIME: &str = "createdAt";

/// Options that were checked.
pub(super) struct Request {
    pub limit: usize,
    pub offset: usize,
    pub candidates: usize,
    pub weights: Vec<f64>,
    pub facets: Vec<(String, usize)>,
    pub highlight: Vec<(String, FieldId)>,
    pub snippet_field: Option<FieldId>,
    pub fusion: Fusion,
    pub recency: Option<Recency>,
    /// The caller's own rule in place of fusion and fading.
    pub custom: Option<Custom>,
    /// What happens to the hits once they are scored.
    pub stages: Stages,
    pub mode: Mode,
    /// The place of the model, and the query's vector; none where only words are asked.
    pub vector: Option<(usize, vector::VectorQuery)>,
    /// What could not be done.
    pub warnings: Vec<String>,
}

impl Request {
    pub fn check(engine: &Engine, text: &str, options: &SearchOptions) -> Result<Request, SearchError> {
        let limit = options.limit.unwrap_or(DEFAULT_LIMIT);
        check_range("limit", limit, 1..=MAX_LIMIT)?;
        let offset = options.offset.unwrap_or(0);
        check_range("offset", offset, 0..=MAX_OFFSET)?;
        let custom = match options.recipe.as_ref().filter(|json| **json != Json::Null) {
            Some(json) => Some(Custom::read(json, &engine.schema)?),
            None => None,
        };
        let stages = stages(options, custom.as_ref())?;
        let own = options.candidates.or(custom.as_ref().and_then(|custom| custom.candidates));
        let candidates = own.unwrap_or(DEFAULT_CANDIDATES.max(2 * (limit + offset)));
        if options.candidates.is_some() {
            check_range("candidates", candidates, 1..=MAX_CANDIDATES)?;
        }
        check_range("typos", usize::from(options.typos), 0..=2)?;
        let field = |option: &'static str, name: &String| {
            let known = engine.schema.field_names().join(", ");
            let missing = || wrong(option, format!("there is no text field \"{name}\"; there are {known}"));
            engine.schema.field(name).ok_or_else(missing)
        };
        let facet = |name: &String| {
            let missing = || wrong("facets", format!("there is no attribute \"{name}\""));
            Ok::<_, SearchError>((name.clone(), engine.schema.attribute(name).ok_or_else(missing)?.0))
        };
        let highlight = |name: &String| Ok::<_, SearchError>((name.clone(), field("highlight", name)?));
        let mut warnings = Vec::new();
        let wanted = options.mode.as_deref().or(custom.as_ref().and_then(|custom| custom.mode));
        let (mode, vector) = legs(engine, text, wanted, options, &mut warnings)?;
        Ok(Request {
            custom,
            stages,
            limit,
            offset,
            candidates,
            weights: weights(engine, options.weights.as_ref())?,
            facets: options.facets.iter().map(facet).collect::<Result<Vec<_>, _>>()?,
            highlight: options.highlight.iter().map(highlight).collect::<Result<Vec<_>, _>>()?,
            snippet_field: match &options.snippet.field {
                Some(name) => Some(field("snippet.field", name)?),
                None => None,
            },
            fusion: fusion(options)?,
            recency: recency(engine, options)?,
            mode,
            vector,
            warnings,
        })
    }
}

fn check_range(option: &'static str, given: usize, range: RangeInclusive<usize>) -> Result<(), SearchError> {
    if range.contains(&given) {
        return Ok(());
    }
    Err(wrong(option, format!("must be {} to {}, not {given}", range.start(), range.end())))
}

/// Which legs run, and with which vector. A leg that cannot run is never silent: it is an error where it alone was asked
/// for, otherwise a warning.
fn legs(
    engine: &Engine,
    text: &str,
    wanted: Option<&str>,
    options: &SearchOptions,
    warnings: &mut Vec<String>,
) -> Result<(Mode, Option<(usize, vector::VectorQuery)>), SearchError> {
    let wanted = match wanted {
        None => None,
        Some(name) => Some(Mode::named(name).ok_or_else(|| {
            wrong(
                "mode",
                format!("unknown mode \"{name}\"; there are \"keyword\", \"vector\" and \"hybrid\""),
            )
        })?),
    };
    if wanted == Some(Mode::Keyword) {
        return Ok((Mode::Keyword, None));
    }
    let has_models = engine.schema.models().len() > 0;
    if !has_models && options.vector.is_some() {
        return Err(wrong("vector", "this snapshot has no vectors to compare it with".to_owned()));
    }
    let vector = engine.query_vector(text, options.vector.as_deref(), options.model.as_deref())?;
    match (vector, wanted) {
        (QueryVector::Ready(place, query), _) => Ok((wanted.unwrap_or(Mode::Hybrid), Some((place, query)))),
        (QueryVector::NearNothing, _) => Ok((wanted.unwrap_or(Mode::Hybrid), None)),
        (QueryVector::Missing(_), None) if !has_models => Ok((Mode::Keyword, None)),
        (QueryVector::Missing(reason), Some(_)) if !has_models => {
            Err(wrong("mode", format!("{reason}; it answers \"keyword\"")))
        }
        (QueryVector::Missing(reason), Some(Mode::Vector)) => {
            Err(wrong("vector", format!("{reason}, and the snapshot cannot embed it; pass a vector")))
        }
        (QueryVector::Missing(reason), _) => {
            warnings.push(format!("vector: {reason}, so only words were looked for"));
            Ok((Mode::Keyword, None))
        }
    }
}

/// The stages that the options ask for, or else the recipe.
fn stages(options: &SearchOptions, custom: Option<&Custom>) -> Result<Stages, SearchError> {
    let given = [
        ("minRelevance", &options.min_relevance),
        ("pinned", &options.pinned),
        ("asOf", &options.as_of),
        ("fold", &options.fold),
        ("diversity", &options.diversity),
        ("maxTokens", &options.max_tokens),
    ];
    let given = given.iter().filter_map(|(name, json)| Some(((*name).to_owned(), (*json).clone()?)));
    let json = Json::Object(given.collect::<Vec<_>>());
    let mut options = Options::of(&json);
    let own = Stages::read(&mut options);
    options.finish()?;
    let usual = custom.map(|custom| custom.stages.clone()).unwrap_or_default();
    Ok(Stages {
        min_relevance: own.min_relevance.or(usual.min_relevance),
        pinned: if own.pinned.is_empty() { usual.pinned } else { own.pinned },
        as_of: own.as_of.or(usual.as_of),
        fold: own.fold.or(usual.fold),
        diversity: own.diversity.or(usual.diversity),
        max_tokens: own.max_tokens.or(usual.max_tokens),
    })
}

fn fusion(options: &SearchOptions) -> Result<Fusion, SearchError> {
    let alpha = options.alpha.unwrap_or(DEFAULT_ALPHA);
    if !(0.0..=1.0).contains(&alpha) {
        return Err(wrong("alpha", format!("must be 0 to 1, not {}", float_text(alpha))));
    }
    match options.fusion.as_deref().unwrap_or("auto") {
        "auto" => Ok(Fusion::Auto),
        "rrf" => Ok(Fusion::Rrf),
        "sum" => Ok(Fusion::Sum { alpha }),
        name => Err(wrong(
            "fusion",
            format!("unknown fusion \"{name}\"; there are \"auto\", \"rrf\" and \"sum\""),
        )),
    }
}

fn recency(engine: &Engine, options: &SearchOptions) -> Result<Option<Recency>, SearchError> {
    let Some(recency) = &options.recency else { return Ok(None) };
    let name = recency.field.as_deref().unwrap_or(DEFAULT_TIME);
    let attribute = match engine.schema.attribute(name) {
        Some((attribute, AttributeType::Time)) => attribute,
        Some(_) => return Err(wrong("recency", format!("\"{name}\" is no attribute of type time"))),
        None => {
            return Err(wrong("recency", format!("there is no attribute \"{name}\"; name one as its field")));
        }
    };
    if !(0.0..=1.0).contains(&recency.floor) {
        return Err(wrong("recency", format!("its floor must be 0 to 1, not {}", float_text(recency.floor))));
    }
    let Some(now) = options.now.filter(|now| now.is_finite()) else {
        return Err(wrong("now", "ages need a time to reckon from, in milliseconds since 1970".to_owned()));
    };
    Ok(Some(Recency { attribute, now, floor: recency.floor }))
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
            return Err(wrong("weights", format!("there is no text field \"{name}\"")));
        };
        let Some(weight) = value.as_f64() else {
            return Err(wrong("weights", format!("\"{name}\" is {}; a number is wanted", value.kind())));
        };
        weights[field.index()] = weight;
    }
    Ok(weights)
}
