//! What can be asked of a unified search?

use crate::options::Options;
use crate::pipeline::Stages;
use crate::retrieval::{Filter, Target, Test, TimeOrder};
use crate::schema::Schema;

/// A page has so many hits where none or 0 is asked for.
const DEFAULT_LIMIT: usize = 20;
/// And at most so many.
pub(super) const MAX_LIMIT: usize = 100;
/// A search leaves out at most so many hits.
const MAX_OFFSET: usize = 10_000;
/// The scope of what counts in all projects.
const GLOBAL: &str = "global";
/// The attribute that tells when.
const TIME: &str = "createdAt";

/// The parameters of a search (U1).
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// What is looked for: trimmed, inner whitespace collapsed. Where it is empty, filters alone select.
    pub query: String,
    /// Only records of this kind.
    pub kind: Option<&'static str>,
    /// Only this project.
    pub project: Option<String>,
    /// Only observations of one of these types.
    pub obs_types: Vec<String>,
    /// Only what has one of these concepts.
    pub concepts: Vec<String>,
    /// Only what has one of these files.
    pub files: Vec<String>,
    /// Nothing before this moment.
    pub date_start: Option<f64>,
    /// Nothing after this moment.
    pub date_end: Option<f64>,
    /// By time; none where the best come first.
    pub order: Option<TimeOrder>,
    /// How many hits, 1 to 100.
    pub limit: usize,
    /// How many to leave out before the first.
    pub offset: usize,
    /// Whether hits carry their record.
    pub is_full: bool,
    /// Only this scope.
    pub scope: Option<String>,
    /// Whether what is of global scope counts as of any project.
    pub includes_global: bool,
    /// Whether to leave out what something else has superseded.
    pub excludes_superseded: bool,
    /// Whether to look for variants of the query as well.
    pub expands: bool,
    /// Whose vectors are compared.
    pub model: Option<String>,
    /// Whether hits explain their scores.
    pub explains: bool,
    /// What happens to the hits once they are scored.
    pub stages: Stages,
}

impl Params {
    /// Reads them; complaints are collected in `options`.
    pub fn read(options: &mut Options) -> Params {
        let order = options.word("orderBy", &["", "relevance", "date_desc", "date_asc"]);
        let kind = options.word("type", &["", "observations", "sessions", "prompts"]);
        Params {
            query: collapsed(options.text("query").unwrap_or_default()),
            kind: match kind {
                Some("observations") => Some("observation"),
                Some("sessions") => Some("session"),
                Some("prompts") => Some("prompt"),
                _ => None,
            },
            project: given(options.text("project")),
            obs_types: listed(options.texts("obsType")),
            concepts: listed(options.texts("concepts")),
            files: listed(options.texts("files")),
            date_start: options.time("dateStart"),
            date_end: options.time("dateEnd"),
            order: match order {
                Some("date_desc") => Some(TimeOrder::Newest),
                Some("date_asc") => Some(TimeOrder::Oldest),
                _ => None,
            },
            limit: clamped(options.any_number("limit")),
            offset: options.count("offset", 0..=MAX_OFFSET).unwrap_or(0),
            is_full: options.word("format", &["index", "full"]) != Some("index"),
            scope: given(options.text("scope")),
            includes_global: options.flag("includeGlobal").unwrap_or(false),
            excludes_superseded: options.flag("excludeSuperseded").unwrap_or(false),
            expands: options.flag("expand").unwrap_or(false),
            model: given(options.text("model")),
            explains: options.flag("explain").unwrap_or(false),
            stages: Stages::read(options),
        }
    }

    /// What a record has to be; none where any may be a hit. An attribute that the schema lacks no record has, which
    /// `warnings` tells.
    pub fn filter(&self, schema: &Schema, warnings: &mut Vec<String>) -> Option<Filter> {
        let mut missing = Vec::new();
        let mut test = |name: &'static str, test: Test| match schema.attribute(name) {
            Some((place, _)) => Filter::Test(Target::Attribute(place), test),
            None => {
                missing.push(name);
                Filter::Any(Vec::new())
            }
        };
        let mut all = Vec::new();
        all.extend(self.kind.map(|kind| Filter::Test(Target::Kind, Test::AnyOf(vec![kind.to_owned()]))));
        if let Some(project) = &self.project {
            let own = test("project", Test::AnyOf(vec![project.clone()]));
            all.push(match self.includes_global {
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
        if self.excludes_superseded {
            // Either attribute tells; a schema that has neither has nothing to leave out.
            let told = [("isSuperseded", Test::Bool(true)), ("supersededBy", Test::Exists)];
            let told = told.into_iter().filter(|(name, _)| schema.attribute(name).is_some());
            let told = told.map(|(name, asked)| test(name, asked)).collect::<Vec<_>>();
            all.push(Filter::Not(Box::new(Filter::Any(told))));
        }
        all.extend(self.stages.filter(schema));
        let complaint = |name| format!("{name}: this snapshot has no such attribute, so no record has it");
        warnings.extend(missing.into_iter().map(complaint));
        (!all.is_empty()).then_some(Filter::All(all))
    }

    /// The attribute that tells when; none where the schema lacks it.
    pub fn time(schema: &Schema) -> Option<usize> {
        schema.attribute(TIME).map(|(place, _)| place)
    }
}

/// The text, trimmed, and with one space where it has several.
fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is empty counts as not given.
fn given(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

fn listed(texts: Option<Vec<String>>) -> Vec<String> {
    texts.unwrap_or_default().into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>()
}

/// 1 to 100; 20 where it is 0 or absent (U2).
fn clamped(limit: Option<f64>) -> usize {
    match limit {
        None | Some(0.0) => DEFAULT_LIMIT,
        Some(limit) => limit.clamp(1.0, MAX_LIMIT as f64) as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    fn read(text: &str) -> Params {
        let json = Json::parse(text.as_bytes()).unwrap();
        let mut options = Options::of(&json);
        let params = Params::read(&mut options);
        options.finish().unwrap();
        params
    }

    #[test]
    fn u2_inv_002_a_limit_is_clamped_and_zero_is_twenty() {
        let cases =
            [("0", 20), ("null", 20), ("1", 1), ("100", 100), ("101", 100), ("1e300", 100), ("-3", 1)];
        for (given, expected) in cases {
            assert_eq!(read(&format!(r#"{{"limit":{given}}}"#)).limit, expected, "{given}");
        }
        assert_eq!(read("{}").limit, 20);
    }

    #[test]
    fn u3_a_query_is_trimmed_and_its_inner_whitespace_collapsed() {
        assert_eq!(read(r#"{"query":"  why \t this\n\n way "}"#).query, "why this way");
        assert_eq!(read(r#"{"query":" \n\t "}"#).query, "");
    }

    #[test]
    fn what_is_empty_asks_for_nothing() {
        let empty = r#"{"query":"","type":"","project":"","obsType":"","concepts":[],"files":[""],"scope":"","orderBy":""}"#;
        assert_eq!(read(empty), read("{}"));
        assert_eq!(read("{}").filter(&Schema::of_fields([("title", 1.0)]).unwrap(), &mut Vec::new()), None);
    }

    #[test]
    fn u1_a_filter_on_an_attribute_that_the_schema_lacks_holds_for_nothing_and_says_so() {
        let mut warnings = Vec::new();
        let schema = Schema::of_fields([("title", 1.0)]).unwrap();
        let filter = read(r#"{"project":"web","excludeSuperseded":true}"#).filter(&schema, &mut warnings);
        let nothing = || Filter::Any(Vec::new());
        assert_eq!(filter, Some(Filter::All(vec![nothing(), Filter::Not(Box::new(nothing()))])));
        assert_eq!(warnings, ["project: this snapshot has no such attribute, so no record has it"]);
    }
}
