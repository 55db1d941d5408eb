//! The parameters of a unified search.

use super::parameters::{Booster, ShortCircuit, UnifiedFormat, UnifiedKind};
use crate::engine::SearchError;
use crate::json::Json;
use crate::options::{Clamps, Options};
use crate::pipeline::Stages;
use crate::retrieval::{Filter, Target, Test, TimeOrder};
use crate::schema::Schema;

/// The number of hits where the caller asks for none or 0.
const DEFAULT_LIMIT: usize = 20;
/// The greatest number of hits on a page.
pub(super) const MAX_LIMIT: usize = 100;
/// The greatest number of hits that a search skips.
const MAX_OFFSET: usize = 10_000;
/// The number of variants where the caller does not say, the query included.
const DEFAULT_EXPANSIONS: usize = 4;
/// The greatest number of variants, the query included.
const MAX_EXPANSIONS: usize = 10;
/// The scope of records that count in every project.
const GLOBAL: &str = "global";
/// The attribute that holds the moment of a record.
const TIME: &str = "createdAt";

/// The parameters of a unified search (U1). Every filter applies before the hits are cut to the limit.
#[derive(Clone, Debug, PartialEq)]
pub struct UnifiedQuery {
    /// The words to search for. The search trims it and collapses inner white space. If it is empty, the filters alone select
    /// records, newest first.
    pub query: String,
    /// The kind of records; all kinds by default.
    pub kind: Option<UnifiedKind>,
    /// The project of the records; all projects by default.
    pub project: Option<String>,
    /// Types of observations, one of which a record must have; any by default.
    pub obs_types: Vec<String>,
    /// Concepts, one of which a record must have; any by default.
    pub concepts: Vec<String>,
    /// Files, one of which a record must have; any by default.
    pub files: Vec<String>,
    /// The earliest moment, in milliseconds since 1970; no bound by default.
    pub date_start: Option<f64>,
    /// The latest moment, in milliseconds since 1970; no bound by default.
    pub date_end: Option<f64>,
    /// Orders the hits by time. By default the best come first.
    pub order: Option<TimeOrder>,
    /// The number of hits: clamped to 1 to 100; 0 stands for 20, the default.
    pub limit: usize,
    /// The number of hits to skip: 0 to 10,000, 0 by default.
    pub offset: usize,
    /// Whether hits carry their records; they do by default.
    pub format: UnifiedFormat,
    /// The scope of the records; all scopes by default.
    pub scope: Option<String>,
    /// Adds records of scope `global` to those of the project. Off by default.
    pub include_global: bool,
    /// Leaves out records that another one has superseded. Off by default.
    pub exclude_superseded: bool,
    /// When keyword results are confident enough to leave vectors out; none never leaves them out.
    pub short_circuit: Option<ShortCircuit>,
    /// Also searches for variants of the query. Off by default.
    pub expand: bool,
    /// The greatest number of variants, the query included: 1 to 10, 4 by default.
    pub expansions: usize,
    /// Whether words of the index may become variants; they may by default.
    pub vocabulary: bool,
    /// The model whose vectors are compared; the schema's first by default.
    pub model: Option<String>,
    /// The vector of the query. By default the snapshot embeds the query itself, if it can.
    pub vector: Option<Vec<f32>>,
    /// Makes it an error where the query has no usable vector. Off by default.
    pub strict: bool,
    /// Adds an explanation to every hit. Off by default.
    pub explain: bool,
    /// Steps that run after scoring.
    pub stages: Stages,
    /// The moment of the search, in milliseconds since 1970; the engine's clock by default. Only the age of cached answers
    /// depends on it.
    pub now: Option<f64>,
}

impl Default for UnifiedQuery {
    fn default() -> UnifiedQuery {
        UnifiedQuery {
            query: String::new(),
            kind: None,
            project: None,
            obs_types: Vec::new(),
            concepts: Vec::new(),
            files: Vec::new(),
            date_start: None,
            date_end: None,
            order: None,
            limit: DEFAULT_LIMIT,
            offset: 0,
            format: UnifiedFormat::Full,
            scope: None,
            include_global: false,
            exclude_superseded: false,
            short_circuit: Some(ShortCircuit::default()),
            expand: false,
            expansions: DEFAULT_EXPANSIONS,
            vocabulary: true,
            model: None,
            vector: None,
            strict: false,
            explain: false,
            stages: Stages::default(),
            now: None,
        }
    }
}

impl UnifiedQuery {
    /// Returns a query for words, with every other parameter at its default.
    pub fn of(query: &str) -> UnifiedQuery {
        UnifiedQuery { query: query.to_owned(), ..UnifiedQuery::default() }
    }

    /// Reads the parameters from among the options of a call. Faults stay in `read`.
    pub fn take(read: &mut Options) -> UnifiedQuery {
        read.host(&[("embed", "a function"), ("signal", "an AbortSignal")]);
        let usual = UnifiedQuery::default();
        let kind = read.word("type", &["", "observations", "sessions", "prompts"]);
        let order = read.word("orderBy", &["", "relevance", "date_desc", "date_asc"]);
        let format = read.word("format", &["full", "index"]);
        let vector = read.numbers("vector");
        UnifiedQuery {
            query: collapsed(read.text("query").unwrap_or_default()),
            kind: match kind {
                Some("observations") => Some(UnifiedKind::Observations),
                Some("sessions") => Some(UnifiedKind::Sessions),
                Some("prompts") => Some(UnifiedKind::Prompts),
                _ => None,
            },
            project: given(read.text("project")),
            obs_types: listed(read.texts("obsType")),
            concepts: listed(read.texts("concepts")),
            files: listed(read.texts("files")),
            date_start: read.time("dateStart"),
            date_end: read.time("dateEnd"),
            order: match order {
                Some("date_desc") => Some(TimeOrder::Newest),
                Some("date_asc") => Some(TimeOrder::Oldest),
                _ => None,
            },
            limit: limit(read),
            offset: read.count("offset", 0..=MAX_OFFSET).unwrap_or(usual.offset),
            format: if format == Some("index") { UnifiedFormat::Index } else { usual.format },
            scope: given(read.text("scope")),
            include_global: read.flag("includeGlobal").unwrap_or(usual.include_global),
            exclude_superseded: read.flag("excludeSuperseded").unwrap_or(usual.exclude_superseded),
            short_circuit: ShortCircuit::take(read),
            expand: read.flag("expand").unwrap_or(usual.expand),
            expansions: read.count("expansions", 1..=MAX_EXPANSIONS).unwrap_or(usual.expansions),
            vocabulary: read.flag("vocabulary").unwrap_or(usual.vocabulary),
            model: given(read.text("model")),
            vector: vector.map(|numbers| numbers.into_iter().map(|number| number as f32).collect()),
            strict: read.flag("strict").unwrap_or(usual.strict),
            explain: read.flag("explain").unwrap_or(usual.explain),
            stages: Stages::read(read),
            now: read.time("now"),
        }
    }

    /// Returns the query with the words of a booster appended; an empty query stays empty (U7).
    #[must_use]
    pub fn boosted(mut self, booster: Booster) -> UnifiedQuery {
        self.query = collapsed(&self.query);
        if !self.query.is_empty() {
            self.query = format!("{} {}", self.query, booster.words());
        }
        self
    }

    /// Returns the query as the search uses it: trimmed, and with the limit in its range. Also returns the limit that was
    /// clamped.
    ///
    /// # Errors
    /// When another number is out of its range.
    pub(super) fn checked(&self) -> Result<(UnifiedQuery, Clamps), SearchError> {
        let mut faults = Options::of(&Json::Null);
        if self.offset > MAX_OFFSET {
            faults.complain("offset", format!("must be 0 to {MAX_OFFSET}, not {}", self.offset));
        }
        if !(1..=MAX_EXPANSIONS).contains(&self.expansions) {
            faults.complain("expansions", format!("must be 1 to {MAX_EXPANSIONS}, not {}", self.expansions));
        }
        let is_share = |number: f64| (0.0..=1.0).contains(&number);
        if !self.short_circuit.is_none_or(|limits| is_share(limits.score) && is_share(limits.gap)) {
            faults.complain("shortCircuit", "score and gap must be 0 to 1");
        }
        faults.finish()?;
        let mut clamped = Clamps::default();
        let limit = match self.limit {
            0 => DEFAULT_LIMIT,
            given => {
                let given = given as f64;
                clamped.clamp("limit", given, given, 1.0..=MAX_LIMIT as f64) as usize
            }
        };
        Ok((UnifiedQuery { query: collapsed(&self.query), limit, ..self.clone() }, clamped))
    }

    /// Returns the condition that a record must meet; none where every record may be a hit. A condition on an attribute that
    /// the schema lacks holds for no record, and `warnings` says so.
    pub(super) fn filter(&self, schema: &Schema, warnings: &mut Vec<String>) -> Option<Filter> {
        let mut missing = Vec::new();
        let mut test = |name: &'static str, test: Test| match schema.attribute(name) {
            Some((place, _)) => Filter::Test(Target::Attribute(place), test),
            None => {
                missing.push(name);
                Filter::Any(Vec::new())
            }
        };
        let is_kind = |kind: UnifiedKind| Test::AnyOf(vec![kind.of_records().to_owned()]);
        let mut all = Vec::new();
        all.extend(self.kind.map(|kind| Filter::Test(Target::Kind, is_kind(kind))));
        if let Some(project) = &self.project {
            let own = test("project", Test::AnyOf(vec![project.clone()]));
            all.push(match self.include_global {
                true => Filter::Any(vec![own, test("scope", Test::AnyOf(vec![GLOBAL.to_owned()]))]),
                false => own,
            });
        }
        all.extend(self.scope.iter().map(|scope| test("scope", Test::AnyOf(vec![scope.clone()]))));
        let lists = [("obsType", &self.obs_types), ("concepts", &self.concepts), ("files", &self.files)];
        for (name, wanted) in lists.into_iter().filter(|(_, wanted)| !wanted.is_empty()) {
            all.push(test(name, Test::AnyOf(wanted.clone())));
        }
        if self.date_start.is_some() || self.date_end.is_some() {
            let range = Test::Range { gte: self.date_start, gt: None, lte: self.date_end, lt: None };
            all.push(test(TIME, range));
        }
        if self.exclude_superseded {
            // Either attribute marks a superseded record; a schema with neither has nothing to leave out.
            let marks = [("isSuperseded", Test::Bool(true)), ("supersededBy", Test::Exists)];
            let marks = marks.into_iter().filter(|(name, _)| schema.attribute(name).is_some());
            let marks = marks.map(|(name, mark)| test(name, mark)).collect::<Vec<_>>();
            all.push(Filter::Not(Box::new(Filter::Any(marks))));
        }
        all.extend(self.stages.filter(schema));
        let complaint = |name| format!("{name}: this snapshot has no such attribute, so no record has it");
        warnings.extend(missing.into_iter().map(complaint));
        (!all.is_empty()).then_some(Filter::All(all))
    }

    /// Returns the place of the attribute that holds the moment of a record; none where the schema lacks it.
    pub(super) fn time(schema: &Schema) -> Option<usize> {
        schema.attribute(TIME).map(|(place, _)| place)
    }
}

/// Trims a text, and collapses each run of white space to one space.
fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Treats an empty text as absent.
fn given(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Treats empty texts in a list as absent.
fn listed(texts: Option<Vec<String>>) -> Vec<String> {
    texts.unwrap_or_default().into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>()
}

/// Reads the limit: clamped to 1 to 100, and 20 where it is 0 or absent (U2). 0 is no clamp: it asks for the default.
fn limit(read: &mut Options) -> usize {
    let is_zero = read.rest().any(|(name, value)| name == "limit" && value.as_f64() == Some(0.0));
    let limit = match is_zero {
        true => read.count("limit", 0..=0).and(None),
        false => read.clamped_count("limit", 1..=MAX_LIMIT),
    };
    limit.unwrap_or(DEFAULT_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::text_of;

    fn read(text: &str) -> (UnifiedQuery, String) {
        let json = Json::parse(text.as_bytes()).unwrap();
        let mut options = Options::of(&json);
        let query = UnifiedQuery::take(&mut options);
        (query, text_of(&options.finish().unwrap()))
    }

    fn fault(text: &str) -> String {
        let json = Json::parse(text.as_bytes()).unwrap();
        let mut options = Options::of(&json);
        UnifiedQuery::take(&mut options);
        options.finish().unwrap_err().to_string()
    }

    #[test]
    fn u2_inv_002_a_limit_is_clamped_and_reported_and_zero_is_the_default() {
        let clamp = |given: &str, used: u8| format!(r#"{{"limit":{{"given":{given},"used":{used}}}}}"#);
        for (given, used, clamped) in [
            ("0", 20, "{}".to_owned()),
            ("1", 1, "{}".to_owned()),
            ("100", 100, "{}".to_owned()),
            ("101", 100, clamp("101", 100)),
            ("1e300", 100, clamp("1e300", 100)),
            ("-1", 1, clamp("-1", 1)),
            ("2.5", 2, clamp("2.5", 2)),
            (r#"{"$snapseek":"Infinity"}"#, 100, clamp("null", 100)),
        ] {
            let (query, found) = read(&format!(r#"{{"limit":{given}}}"#));
            assert_eq!(query.limit, used, "{given}");
            assert_eq!(Json::parse(found.as_bytes()), Json::parse(clamped.as_bytes()), "{given}");
        }
        assert_eq!(read("{}").0.limit, 20);
        for wrong in ["null", r#""many""#, r#"{"$snapseek":"NaN"}"#] {
            assert!(fault(&format!(r#"{{"limit":{wrong}}}"#)).starts_with("limit: must "), "{wrong}");
        }
    }

    #[test]
    fn u2_a_limit_given_in_rust_is_clamped_and_reported_too() {
        let checked = |limit| UnifiedQuery { limit, ..UnifiedQuery::default() }.checked().unwrap();
        assert_eq!((checked(0).0.limit, checked(0).1.is_empty()), (20, true));
        assert_eq!((checked(500).0.limit, checked(500).1.is_empty()), (100, false));
    }

    #[test]
    fn numbers_out_of_range_that_are_given_in_rust_are_errors() {
        let gap = ShortCircuit { gap: f64::NAN, ..ShortCircuit::default() };
        for query in [
            UnifiedQuery { offset: 10_001, ..UnifiedQuery::default() },
            UnifiedQuery { expansions: 0, ..UnifiedQuery::default() },
            UnifiedQuery { short_circuit: Some(gap), ..UnifiedQuery::default() },
        ] {
            assert!(query.checked().is_err());
        }
    }

    #[test]
    fn inv_003_the_thresholds_of_the_short_circuit_are_options() {
        let thresholds = |text: &str| read(text).0.short_circuit.map(|limits| (limits.score, limits.gap));
        assert_eq!(thresholds("{}"), Some((0.85, 0.15)));
        assert_eq!(thresholds(r#"{"shortCircuit":true}"#), Some((0.85, 0.15)));
        assert_eq!(thresholds(r#"{"shortCircuit":false}"#), None);
        assert_eq!(thresholds(r#"{"shortCircuit":{"score":0.5}}"#), Some((0.5, 0.15)));
        assert_eq!(thresholds(r#"{"shortCircuit":{"gap":0}}"#), Some((0.85, 0.0)));
        let found = fault(r#"{"shortCircuit":{"score":2,"gap":{"$snapseek":"NaN"},"lead":1}}"#);
        for part in ["shortCircuit.score: must be 0 to 1, not 2", "shortCircuit.gap: ", "shortCircuit.lead: "]
        {
            assert!(found.contains(part), "{part} in {found}");
        }
        assert!(fault(r#"{"shortCircuit":"never"}"#).starts_with("shortCircuit: must be an object"));
    }

    #[test]
    fn u3_a_query_is_trimmed_and_its_inner_whitespace_collapsed() {
        assert_eq!(read(r#"{"query":"  why \t this\n\n way "}"#).0.query, "why this way");
        assert_eq!(read(r#"{"query":" \n\t "}"#).0.query, "");
        assert_eq!(UnifiedQuery::of(" a  b ").checked().unwrap().0.query, "a b");
    }

    #[test]
    fn u7_a_booster_is_appended_unless_there_is_nothing_to_boost() {
        let boosted = |booster| UnifiedQuery::of(" auth").boosted(booster).query;
        assert_eq!(boosted(Booster::Decisions), "auth decision chose architecture");
        assert_eq!(boosted(Booster::Changes), "auth changed modified refactored");
        assert_eq!(boosted(Booster::HowItWorks), "auth architecture design pattern implements");
        assert_eq!(UnifiedQuery::of("  ").boosted(Booster::Changes).query, "");
    }

    #[test]
    fn an_empty_value_is_an_absent_one() {
        let empty = r#"{"query":"","type":"","project":"","obsType":"","concepts":[],"files":[""],"scope":"","orderBy":""}"#;
        assert_eq!(read(empty), read("{}"));
        assert_eq!(read("{}").0, UnifiedQuery::default());
        let schema = Schema::of_fields([("title", 1.0)]).unwrap();
        assert_eq!(UnifiedQuery::default().filter(&schema, &mut Vec::new()), None);
    }

    #[test]
    fn u1_a_filter_on_an_attribute_that_the_schema_lacks_holds_for_nothing_and_says_so() {
        let mut warnings = Vec::new();
        let schema = Schema::of_fields([("title", 1.0)]).unwrap();
        let filter = read(r#"{"project":"web","excludeSuperseded":true}"#).0.filter(&schema, &mut warnings);
        let nothing = || Filter::Any(Vec::new());
        assert_eq!(filter, Some(Filter::All(vec![nothing(), Filter::Not(Box::new(nothing()))])));
        assert_eq!(warnings, ["project: this snapshot has no such attribute, so no record has it"]);
    }
}
