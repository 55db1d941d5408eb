//! The values that parameters of a unified search can have.

use crate::json::Json;
use crate::options::Options;

/// The records that a search selects by their kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnifiedKind {
    /// Records of kind `observation`.
    Observations,
    /// Records of kind `session`.
    Sessions,
    /// Records of kind `prompt`.
    Prompts,
}

impl UnifiedKind {
    /// Returns the kind that the records have.
    pub fn of_records(self) -> &'static str {
        match self {
            UnifiedKind::Observations => "observation",
            UnifiedKind::Sessions => "session",
            UnifiedKind::Prompts => "prompt",
        }
    }
}

/// How much of a record a hit carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnifiedFormat {
    /// The whole record.
    #[default]
    Full,
    /// Title, project, type and time alone.
    Index,
}

/// The thresholds of the short circuit (INV-003): the best keyword score, normalised to 0 to 1, and its lead over the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShortCircuit {
    /// The least score of the best result: 0 to 1, 0.85 by default. No result reaches 1.
    pub score: f64,
    /// The least lead over the second result: 0 to 1, 0.15 by default. A lone result leads by its whole score.
    pub gap: f64,
}

impl Default for ShortCircuit {
    fn default() -> ShortCircuit {
        ShortCircuit { score: 0.85, gap: 0.15 }
    }
}

impl ShortCircuit {
    /// Reads the thresholds from among the options of a call: `false` turns the short circuit off, `true` stands for the
    /// defaults.
    pub(super) fn take(read: &mut Options) -> Option<ShortCircuit> {
        const NAME: &str = "shortCircuit";
        let usual = ShortCircuit::default();
        if read.rest().any(|(name, value)| name == NAME && matches!(value, Json::Bool(_))) {
            return read.flag(NAME).filter(|is_on| *is_on).map(|_| usual);
        }
        let own = read.object(NAME, |read| ShortCircuit {
            score: read.number("score", 0.0..=1.0).unwrap_or(usual.score),
            gap: read.number("gap", 0.0..=1.0).unwrap_or(usual.gap),
        });
        Some(own.unwrap_or(usual))
    }
}

/// The convenience searches, each of which appends words to its query (U7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Booster {
    /// Searches for decisions.
    Decisions,
    /// Searches for changes.
    Changes,
    /// Searches for explanations.
    HowItWorks,
}

impl Booster {
    /// Returns the words that a search appends to its query.
    pub fn words(self) -> &'static str {
        match self {
            Booster::Decisions => "decision chose architecture",
            Booster::Changes => "changed modified refactored",
            Booster::HowItWorks => "architecture design pattern implements",
        }
    }
}
