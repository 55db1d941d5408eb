//! How salient is a memory now? Its stored salience, faded since the memory was last accessed (M13).

use super::ranking::{number, word};
use crate::attributes::{AttributeValues, time_of};
use crate::json::Json;
use crate::pipeline::{Candidate, Context, Measure};
use crate::ranking::faded;
use crate::retrieval::part_of;
use crate::schema::Schema;
use crate::snapshot::SnapshotError;

/// The salience of a memory without one.
pub(super) const NEW: f64 = 1.0;
/// The importance of a memory without one.
const IMPORTANCE: f64 = 0.5;
/// The exponents by which salience falls per day, by sector.
const RATES: [(&str, f64); 5] = [
    ("emotional", 0.003),
    ("semantic", 0.005),
    ("reflective", 0.008),
    ("procedural", 0.01),
    ("episodic", 0.02),
];
/// The exponent of other sectors.
const OTHER_RATE: f64 = 0.01;

fn rate_of(sector: Option<&str>) -> f64 {
    RATES.iter().find(|(name, _)| sector == Some(name)).map_or(OTHER_RATE, |(_, rate)| *rate)
}

/// The attributes that the salience of a memory depends on.
#[derive(Clone, Debug)]
pub(super) struct Fading {
    salience: Option<usize>,
    importance: Option<usize>,
    sector: Option<usize>,
    last_used: Vec<usize>,
}

impl Fading {
    /// Finds the attributes in a schema.
    pub fn of(schema: &Schema) -> Fading {
        let last_used = ["lastAccessed", "createdAt"].into_iter();
        Fading {
            salience: number(schema, "salience"),
            importance: number(schema, "importance"),
            sector: word(schema, "sector"),
            last_used: last_used.filter_map(|name| number(schema, name)).collect::<Vec<_>>(),
        }
    }

    /// Computes the salience of a document now.
    pub fn salience(&self, values: &AttributeValues, document: usize, now: f64) -> f64 {
        let own = |attribute: Option<usize>| values.number(attribute?, document);
        let stored = own(self.salience).unwrap_or(NEW);
        let Some(last_used) = self.last_used.iter().find_map(|&attribute| own(Some(attribute))) else {
            return stored;
        };
        let sector = self.sector.and_then(|sector| values.strings(sector, document).into_iter().next());
        let importance = own(self.importance).unwrap_or(IMPORTANCE);
        faded(stored, rate_of(sector.as_deref()), importance, last_used, now)
    }

    /// Measures the salience of candidates now.
    pub(super) fn measure(
        &self,
        context: &Context,
        candidates: &[Candidate],
    ) -> Result<Measure, SnapshotError> {
        let columns = context.values()?;
        let salience = |candidate: &Candidate| {
            let (part, document) = part_of(context.corpus, candidate.row);
            self.salience(&columns[part], document as usize, context.now)
        };
        Ok(Measure::Given(candidates.iter().map(salience).collect::<Vec<_>>()))
    }
}

/// Computes the salience of a memory now from its record. Without `decays` it is the stored one; a memory without any has 1.
pub fn salience_of(record: &Json, decays: bool, now: f64) -> f64 {
    let number = |name: &str| record.get(name).and_then(Json::as_f64);
    let stored = number("salience").unwrap_or(NEW);
    let last_used = ["lastAccessed", "createdAt"].into_iter().find_map(|name| time_of(record.get(name)?));
    match last_used.filter(|_| decays) {
        None => stored,
        Some(last_used) => {
            let sector = record.get("sector").and_then(Json::as_str);
            faded(stored, rate_of(sector), number("importance").unwrap_or(IMPORTANCE), last_used, now)
        }
    }
}

/// Returns the record of a memory as callers read it: with `decays`, its salience is the faded one (M13).
pub(super) fn as_read(mut record: Json, decays: bool, now: f64) -> Json {
    if decays {
        let salience = Json::from_f64(salience_of(&record, true, now));
        if let Json::Object(entries) = &mut record {
            match entries.iter_mut().find(|(name, _)| name == "salience") {
                Some((_, stored)) => *stored = salience,
                None => entries.push(("salience".to_owned(), salience)),
            }
        }
    }
    record
}

/// Returns a moment that a record holds, in milliseconds since 1970.
pub(super) fn time(record: &Json, name: &str) -> Option<f64> {
    time_of(record.get(name)?)
}
