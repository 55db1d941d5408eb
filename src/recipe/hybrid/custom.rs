//! A scoring rule as data, which a caller passes in place of the built-in fusion.
//!
//! ```json
//! { "retrieve": { "mode": "hybrid", "words": "any", "candidates": 100 },
//!   "signals": { "bm25": { "weight": 0.25, "cap": 10 }, "vector": { "weight": 0.4 },
//!                "recency": { "weight": 0.15, "rate": 0.05 }, "salience": { "weight": 0.2 } },
//!   "factors": { "sector": { "measure": "field", "values": { "reflective": 1.2 }, "default": 1 } },
//!   "fuse": "sum", "clamp": true, "rerank": { "diversity": 0.7 } }
//! ```
//!
//! A signal is a measure with a weight. Explanations show its name. By default the name also selects the measure, or else
//! the attribute that the measure reads; `measure` and `field` override this.

use super::response::Mode;
use crate::attributes::AttributeType;
use crate::json::Json;
use crate::options::{Options, OptionsError};
use crate::order::{sort_by, sort_indexes};
use crate::pipeline::Candidate;
use crate::pipeline::Stages;
use crate::pipeline::WordRule;
use crate::pipeline::{Context, Curve, Decay, Explained, Formula, FormulaTerm, Measure, Rated, by_score};
use crate::ranking::RRF_K;
use crate::schema::Schema;
use crate::snapshot::SnapshotError;

/// The names of all measures.
const MEASURES: [&str; 9] =
    ["bm25", "vector", "place", "overlap", "recency", "field", "shared", "equal", "greatest"];
/// The maximum number of signals, and of factors.
const MAX_TERMS: usize = 32;
/// The salience of a record without one.
const DEFAULT_SALIENCE: f64 = 1.0;
const DEFAULT_TIME: &str = "createdAt";

/// A scoring rule that a caller wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Custom {
    /// The legs that run; by default both, if the query has a vector.
    pub mode: Option<Mode>,
    /// The rule by which the words of the query match.
    pub words: WordRule,
    /// The number of candidates per leg, 1 to 10,000.
    pub candidates: Option<usize>,
    /// The signals and factors.
    pub formula: Formula,
    /// The way the signals become a score.
    pub fuse: Fuse,
    /// The stages that run on the scored hits.
    pub stages: Stages,
}

/// The way the signals of a custom rule become a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fuse {
    /// The weighted sum of the signals.
    Sum,
    /// Reciprocal rank fusion: each signal ranks the candidates, and adds weight / (k + rank + 1), with ranks from 0. A
    /// candidate whose signal is 0 has no rank and gets nothing from it.
    Ranks {
        /// The constant k, 0 to 1,000,000; 60 by default.
        k: f64,
    },
}

impl Custom {
    /// Reads a scoring rule for records of this schema.
    ///
    /// # Errors
    /// Fails when an option, signal or attribute is invalid. The error names every fault.
    pub fn read(json: &Json, schema: &Schema) -> Result<Custom, OptionsError> {
        let mut options = Options::of(json);
        let retrieve = options.object("retrieve", |retrieve| {
            let words = match retrieve.word("words", &["any", "all", "prefix"]) {
                Some("all") => WordRule::All,
                Some("prefix") => WordRule::Prefix,
                _ => WordRule::Any,
            };
            let mode = retrieve.one_of("mode", "mode", &Mode::ALL, Mode::name);
            (mode, words, retrieve.count("candidates", 1..=10_000))
        });
        let (mode, words, candidates) = retrieve.unwrap_or_default();
        let terms = terms(&mut options, "signals", schema);
        if terms.is_empty() {
            options.complain("signals", "must name at least one signal");
        }
        let fuse = match options.word("fuse", &["sum", "rrf"]) {
            Some("rrf") => Fuse::Ranks { k: options.number("k", 0.0..=1e6).unwrap_or(RRF_K) },
            _ => Fuse::Sum,
        };
        let formula = Formula {
            terms,
            factors: self::terms(&mut options, "factors", schema),
            is_clamped: options.flag("clamp").unwrap_or(false),
        };
        let stages = options.object("rerank", Stages::read).unwrap_or_default();
        options.finish()?;
        Ok(Custom { mode, words, candidates, formula, fuse, stages })
    }

    /// Scores candidates and returns them best first, each with the explanation of its score.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn rate(
        &self,
        context: &Context,
        candidates: &[Candidate],
    ) -> Result<Vec<(Rated, Explained)>, SnapshotError> {
        let formula = &self.formula;
        let mut rated = formula.rate(context, candidates)?;
        let gives = match self.fuse {
            Fuse::Sum => None,
            Fuse::Ranks { k } => Some(rank_gives(formula, &rated, k)),
        };
        if let Some(gives) = &gives {
            for (rated, gives) in rated.iter_mut().zip(gives) {
                let sum = gives.iter().fold(0.0, |sum, give| sum + give);
                let score = rated.factors.iter().fold(sum, |score, factor| score * factor);
                rated.score = if formula.is_clamped { score.clamp(0.0, 1.0) } else { score };
            }
        }
        let explained = rated.into_iter().enumerate().map(|(number, rated)| {
            let mut explained = formula.explain(&rated);
            if let Some(gives) = &gives {
                for (part, give) in explained.parts.iter_mut().zip(&gives[number]) {
                    part.product = *give;
                }
            }
            (rated, explained)
        });
        let mut explained = explained.collect::<Vec<_>>();
        sort_by(&mut explained, |(a, _), (b, _)| by_score(a, b));
        Ok(explained)
    }
}

/// Returns, for each candidate and signal, the amount that its rank adds to the score.
fn rank_gives(formula: &Formula, rated: &[Rated], k: f64) -> Vec<Vec<f64>> {
    let mut gives = rated.iter().map(|_| vec![0.0; formula.terms.len()]).collect::<Vec<_>>();
    for (number, term) in formula.terms.iter().enumerate() {
        let mut list = (0..rated.len()).filter(|at| rated[*at].values[number] > 0.0).collect::<Vec<_>>();
        sort_indexes(&mut list, &mut |a, b| {
            rated[b].values[number].total_cmp(&rated[a].values[number]).then(a.cmp(&b))
        });
        for (place, at) in list.into_iter().enumerate() {
            gives[at][number] = term.weight / (k + place as f64 + 1.0);
        }
    }
    gives
}

fn terms(options: &mut Options, name: &'static str, schema: &Schema) -> Vec<FormulaTerm> {
    let Some(json) = options.json(name) else { return Vec::new() };
    let Json::Object(entries) = json else {
        options.complain(name, format!("must be an object of signals, not {}", json.kind()));
        return Vec::new();
    };
    if entries.len() > MAX_TERMS {
        options.complain(name, format!("at most {MAX_TERMS} are allowed"));
    }
    let mut terms = Vec::new();
    for (signal, json) in entries.iter().take(MAX_TERMS) {
        let mut own = Options::of(json);
        let weight = own.any_number("weight").unwrap_or(1.0);
        let measure = measure(&mut own, signal, schema, 0);
        if let Err(error) = own.finish() {
            options.complain(name, format!("{signal}: {error}"));
        }
        match measure {
            Ok(measure) => terms.push(FormulaTerm { name: signal.clone(), measure, weight }),
            Err(reason) => options.complain(name, format!("{signal}: {reason}")),
        }
    }
    terms
}

/// Reads the measure of the signal called `name`.
fn measure(options: &mut Options, name: &str, schema: &Schema, depth: usize) -> Result<Measure, String> {
    let given = options.word("measure", &MEASURES);
    let measure = given.or_else(|| MEASURES.iter().find(|known| **known == name).copied()).unwrap_or("field");
    let attribute = options.text("field").unwrap_or(match measure {
        "recency" => DEFAULT_TIME,
        _ => name,
    });
    let default = options.any_number("default");
    // These measures read no attribute.
    match measure {
        "bm25" => return Ok(Measure::Bm25(curve(options, Curve::Plain))),
        "vector" => return Ok(Measure::Similarity(curve(options, Curve::Positive))),
        "place" => return Ok(Measure::Place),
        "overlap" => return Ok(Measure::Overlap),
        "greatest" => return greatest(options, schema, depth),
        _ => {}
    }
    let Some((place, kind)) = schema.attribute(attribute) else {
        return Err(format!("there is no attribute \"{attribute}\""));
    };
    match measure {
        "recency" if kind != AttributeType::Time => {
            Err(format!("the attribute \"{attribute}\" is not of type time"))
        }
        "recency" => {
            let rate = options.number("rate", 0.0..=1e6).map(|rate| Decay::Exponential { rate });
            let half_life = options.number("halfLife", 1e-6..=1e9).map(|days| Decay::HalfLife { days });
            let floor = options.number("floor", 0.0..=1.0).unwrap_or(0.0);
            let decay = rate.or(half_life).unwrap_or(Decay::Logarithmic { floor });
            Ok(Measure::Age { attributes: vec![place], decay, default: default.unwrap_or(0.0) })
        }
        "shared" => {
            let with = options.texts("with").unwrap_or_default();
            Ok(Measure::Shared { attribute: Some(place), with })
        }
        "equal" => {
            let to = options.text("to").ok_or("give the string to compare with as \"to\"")?;
            Ok(Measure::Equal { attribute: Some(place), to: to.to_owned() })
        }
        _ => field(options, (place, kind), name, default),
    }
}

/// Reads the measure `greatest`, which takes the greatest of several signals. It cannot be nested.
fn greatest(options: &mut Options, schema: &Schema, depth: usize) -> Result<Measure, String> {
    let Some(Json::Object(of)) = options.json("of").filter(|_| depth == 0) else {
        return Err(
            "name the signals to compare in an object \"of\"; \"greatest\" cannot be nested".to_owned()
        );
    };
    let mut all = Vec::new();
    for (name, json) in of.iter().take(MAX_TERMS) {
        let mut own = Options::of(json);
        let scale = own.any_number("scale").unwrap_or(1.0);
        all.push((scale, measure(&mut own, name, schema, depth + 1)?));
        own.finish().map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(Measure::Greatest(all))
}

/// Reads the measure `field`: a numeric attribute, or a number for each string of a keyword attribute.
fn field(
    options: &mut Options,
    (place, kind): (usize, AttributeType),
    name: &str,
    default: Option<f64>,
) -> Result<Measure, String> {
    let usual = if name == "salience" { DEFAULT_SALIENCE } else { 0.0 };
    let (attribute, default) = (Some(place), default.unwrap_or(usual));
    match (kind, options.numbers_by_name("values")) {
        (AttributeType::Number | AttributeType::Time, None) => Ok(Measure::Number { attribute, default }),
        (AttributeType::Keyword | AttributeType::Keywords, Some(values)) => {
            Ok(Measure::Word { attribute, values, default })
        }
        (AttributeType::Keyword | AttributeType::Keywords, None) => {
            Err("give a number for each string in an object \"values\"".to_owned())
        }
        _ => Err("only attributes of type number, time, keyword and keywords can be measured".to_owned()),
    }
}

/// Reads the curve of a signal; `usual` is the default.
fn curve(options: &mut Options, usual: Curve) -> Curve {
    let cap = options.number("cap", 1e-9..=1e9).map(Curve::Capped);
    let named =
        options.word("curve", &["plain", "saturated", "positive", "ofGreatest"]).map(|name| match name {
            "plain" => Curve::Plain,
            "saturated" => Curve::Saturated,
            "positive" => Curve::Positive,
            _ => Curve::OfGreatest,
        });
    cap.or(named).unwrap_or(usual)
}
