//! How much does a memory matter now? What is stored, faded since it was last used (M13).

use super::ranking::{number, word};
use crate::attributes::{AttributeValues, time_of};
use crate::json::Json;
use crate::pipeline::Candidate;
use crate::pipeline::{Context, Measure};
use crate::ranking::faded;
use crate::retrieval::part_of;
use crate::schema::Schema;
use crate::snapshot::SnapshotError;

/// What a memory matters that does not say.
pub(super) const NEW: f64 = 1.0;
/// How important a memory is that does not say.
const IMPORTANCE: f64 = 0.5;
/// What a memory loses a day, by sector.
const RATES: [(&str, f64); 5] = [
    ("emotional", 0.003),
    ("semantic", 0.005),
    ("reflective", 0.008),
    ("procedural", 0.01),
    ("episodic", 0.02),
];
/// And in another sector.
const OTHER_RATE: f64 = 0.01;

fn rate_of(sector: Option<&str>) -> f64 {
    RATES.iter().find(|(name, _)| sector == Some(name)).map_or(OTHER_RATE, |(_, rate)| *rate)
}

/// The attributes that say how much a memory matters.
#[derive(Clone, Debug)]
pub struct Fading {
    salience: Option<usize>,
    importance: Option<usize>,
    sector: Option<usize>,
    last_used: Vec<usize>,
}

impl Fading {
    /// Those of a schema.
    pub fn of(schema: &Schema) -> Fading {
        let last_used = ["lastAccessed", "createdAt"].into_iter();
        Fading {
            salience: number(schema, "salience"),
            importance: number(schema, "importance"),
            sector: word(schema, "sector"),
            last_used: last_used.filter_map(|name| number(schema, name)).collect::<Vec<_>>(),
        }
    }

    /// What a document matters now.
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

    /// What candidates matter now.
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

/// What a memory matters now, by its record.
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
