//! Which documents may match at all? A filter's conditions on attributes become a bitmap before ranking starts.
//!
//! `{ project: "web", tags: { any: ["a", "b"] }, createdAt: { gte: 5 }, not: {…}, or: [{…}, {…}] }`

use super::LiveSegment;
use crate::attributes::{AttributeType, AttributeValues, ColumnView, number_of, texts_of, time_of};
use crate::bitmap::Bitmap;
use crate::codes::Codes;
use crate::json::Json;
use crate::schema::Schema;
use crate::snapshot::SnapshotError;
use std::cmp::Ordering;

/// The largest nesting depth of a filter.
const MAX_DEPTH: usize = 32;

/// A condition on a document's attributes.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// Matches documents that match every operand.
    All(Vec<Filter>),
    /// Matches documents that match at least one operand.
    Any(Vec<Filter>),
    /// Matches documents that do not match the operand.
    Not(Box<Filter>),
    /// Tests one attribute.
    Test(Target, Test),
}

/// The part of a record that is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The record's id.
    Id,
    /// The record's kind.
    Kind,
    /// An attribute, by its index in the schema.
    Attribute(usize),
}

/// A test of one value.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// The value has at least one of these strings.
    AnyOf(Vec<String>),
    /// The value has all of these strings.
    AllOf(Vec<String>),
    /// The value is one of these numbers.
    Numbers(Vec<f64>),
    /// The value is this boolean.
    Bool(bool),
    /// The value lies within all bounds that are given.
    Range {
        /// Greater than or equal to this.
        gte: Option<f64>,
        /// Greater than this.
        gt: Option<f64>,
        /// Less than or equal to this.
        lte: Option<f64>,
        /// Less than this.
        lt: Option<f64>,
    },
    /// The record has a value.
    Exists,
}

/// A boxed [`FilterFault`].
pub type FilterError = Box<FilterFault>;

/// The reasons why a filter is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterFault {
    /// The schema has no attribute with this name.
    #[error("{path}: there is no attribute \"{name}\"; {}", known_names(.known))]
    UnknownAttribute {
        /// The path within the filter.
        path: String,
        /// The unknown name.
        name: String,
        /// The names of all attributes.
        known: Vec<String>,
    },
    /// The operator is unknown for attributes of this type.
    #[error("{path}: there is no operator \"{operator}\" for {kind} attributes; use one of {allowed}")]
    UnknownOperator {
        /// The path within the filter.
        path: String,
        /// The unknown operator.
        operator: String,
        /// The attribute's type.
        kind: &'static str,
        /// The operators for this type.
        allowed: &'static str,
    },
    /// A value has the wrong type.
    #[error("{path}: expected {expected}, found {found}")]
    WrongType {
        /// The path within the filter.
        path: String,
        /// The expected type, with an article.
        expected: &'static str,
        /// The type of the value, with an article.
        found: &'static str,
    },
    /// The filter is nested too deeply.
    #[error("{path}: the filter is nested deeper than {MAX_DEPTH} levels; flatten it")]
    TooDeep {
        /// The path within the filter.
        path: String,
    },
}

fn known_names(known: &[String]) -> String {
    if known.is_empty() {
        "the schema has none: name some under [attributes]".to_owned()
    } else {
        format!("there are {}", known.join(", "))
    }
}

const STRING_OPERATORS: &str = "any, all, none, eq, ne, exists";
const NUMBER_OPERATORS: &str = "eq, ne, any, none, gt, gte, lt, lte, exists";
const BOOL_OPERATORS: &str = "eq, ne, exists";

impl Filter {
    /// Parses a filter for records of this schema.
    ///
    /// # Errors
    /// Fails when the filter names an unknown attribute or operator, has a value of the wrong type, or is nested too
    /// deeply.
    pub fn parse(json: &Json, schema: &Schema) -> Result<Filter, FilterError> {
        Parser { schema }.object(json, "filter", 0)
    }

    /// Returns the documents of a segment that match the filter, whether live or dead.
    ///
    /// # Errors
    /// Fails when the attributes are damaged.
    pub fn apply(&self, part: &LiveSegment) -> Result<Bitmap, SnapshotError> {
        self.evaluate(part, &part.values()?)
    }

    fn evaluate(&self, part: &LiveSegment, values: &AttributeValues) -> Result<Bitmap, SnapshotError> {
        let len = part.segment.documents() as usize;
        Ok(match self {
            Filter::All(filters) => {
                let mut all = Bitmap::all(len);
                for filter in filters {
                    all.intersect(&filter.evaluate(part, values)?);
                }
                all
            }
            Filter::Any(filters) => {
                let mut any = Bitmap::none(len);
                for filter in filters {
                    any.unite(&filter.evaluate(part, values)?);
                }
                any
            }
            Filter::Not(filter) => {
                let mut bitmap = filter.evaluate(part, values)?;
                bitmap.invert();
                bitmap
            }
            Filter::Test(Target::Attribute(place), test) => {
                let Some(column) = values.column(*place) else { return Ok(Bitmap::none(len)) };
                let mut bitmap = test.of_column(column, len);
                for (document, value) in values.overridden(*place) {
                    bitmap.set(document, test.of_value(value, column.kind()));
                }
                bitmap
            }
            Filter::Test(target, test) => test.of_key(part, *target)?,
        })
    }
}

impl Test {
    fn of_column(&self, column: &ColumnView, len: usize) -> Bitmap {
        match self {
            Test::AnyOf(texts) => column.where_string(len, &wanted_codes(column, texts)),
            Test::AllOf(texts) => {
                let codes = texts.iter().filter_map(|text| column.code_of(text)).collect::<Vec<_>>();
                if codes.len() < texts.len() {
                    return Bitmap::none(len);
                }
                Bitmap::where_true(len, |document| {
                    codes.iter().all(|&wanted| column.codes(document).any(|code| code == wanted))
                })
            }
            Test::Numbers(numbers) => Bitmap::where_true(len, |document| {
                column.number(document).is_some_and(|number| numbers.contains(&number))
            }),
            Test::Bool(wanted) => column.where_bool(len, *wanted),
            Test::Range { .. } => column.where_number(len, |number| self.place(number)),
            Test::Exists => column.where_any(len),
        }
    }

    /// Compares a number with the range: below it, within it, or above it.
    fn place(&self, number: f64) -> Ordering {
        let Test::Range { gte, gt, lte, lt } = self else { return Ordering::Less };
        let is_from = gte.is_none_or(|bound| number >= bound) && gt.is_none_or(|bound| number > bound);
        let is_until = lte.is_none_or(|bound| number <= bound) && lt.is_none_or(|bound| number < bound);
        match (is_from, is_until) {
            (false, _) => Ordering::Less,
            (true, false) => Ordering::Greater,
            (true, true) => Ordering::Equal,
        }
    }

    /// Returns whether a value that overrides the column's passes the test.
    fn of_value(&self, value: &Json, kind: AttributeType) -> bool {
        let number = || number_of(value, kind);
        match self {
            Test::AnyOf(texts) => texts_of(value, kind).iter().any(|text| texts.contains(text)),
            Test::AllOf(texts) => {
                let own = texts_of(value, kind);
                texts.iter().all(|text| own.contains(text))
            }
            Test::Numbers(numbers) => number().is_some_and(|number| numbers.contains(&number)),
            Test::Bool(wanted) => *value == Json::Bool(*wanted),
            Test::Range { .. } => number().is_some_and(|number| self.place(number) == Ordering::Equal),
            Test::Exists => *value != Json::Null,
        }
    }

    fn of_key(&self, part: &LiveSegment, target: Target) -> Result<Bitmap, SnapshotError> {
        let keys = part.segment.keys()?;
        let len = keys.len();
        let is_wanted = |own: &str| match self {
            Test::AnyOf(texts) => texts.iter().any(|text| text == own),
            Test::AllOf(texts) => texts.iter().all(|text| text == own),
            Test::Exists => true,
            Test::Numbers(_) | Test::Bool(_) | Test::Range { .. } => false,
        };
        if target == Target::Kind {
            let wanted = keys.kinds().iter().map(|kind| is_wanted(kind)).collect::<Vec<_>>();
            // If all documents have the same kind, the segment stores no kind numbers.
            let codes = Codes::new(keys.kind_numbers(), if wanted.len() > 1 { u8::BITS } else { 0 });
            return Ok(codes.where_true(len, &|kind| wanted.get(kind as usize).copied().unwrap_or(false)));
        }
        Ok(Bitmap::where_true(len, |document| keys.get(document).is_ok_and(|key| is_wanted(key.id))))
    }
}

fn wanted_codes(column: &ColumnView, texts: &[String]) -> Bitmap {
    let mut wanted = Bitmap::none(column.string_count());
    for code in texts.iter().filter_map(|text| column.code_of(text)) {
        wanted.insert(code);
    }
    wanted
}

struct Parser<'a> {
    schema: &'a Schema,
}

impl Parser<'_> {
    fn object(&self, json: &Json, path: &str, depth: usize) -> Result<Filter, FilterError> {
        if depth > MAX_DEPTH {
            return Err(FilterFault::TooDeep { path: path.to_owned() }.into());
        }
        let Json::Object(entries) = json else {
            return Err(wrong_type(path, "an object", json));
        };
        let mut all = Vec::with_capacity(entries.len());
        for (name, value) in entries {
            let path = format!("{path}.{name}");
            all.push(match name.as_str() {
                "not" => Filter::Not(Box::new(self.object(value, &path, depth + 1)?)),
                "or" => Filter::Any(self.array(value, &path, depth)?),
                "and" => Filter::All(self.array(value, &path, depth)?),
                _ => self.attribute(name, value, &path)?,
            });
        }
        Ok(Filter::All(all))
    }

    fn array(&self, json: &Json, path: &str, depth: usize) -> Result<Vec<Filter>, FilterError> {
        let Json::Array(values) = json else {
            return Err(wrong_type(path, "an array of filters", json));
        };
        let numbered = values.iter().enumerate();
        numbered
            .map(|(i, value)| self.object(value, &format!("{path}.{i}"), depth + 1))
            .collect::<Result<Vec<_>, _>>()
    }

    fn attribute(&self, name: &str, value: &Json, path: &str) -> Result<Filter, FilterError> {
        let (target, kind) = match (name, self.schema.attribute(name)) {
            ("id", _) => (Target::Id, AttributeType::Keyword),
            ("kind", _) => (Target::Kind, AttributeType::Keyword),
            (_, Some((place, kind))) => (Target::Attribute(place), kind),
            (_, None) => {
                let known = self.schema.attributes().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
                return Err(FilterFault::UnknownAttribute {
                    path: path.to_owned(),
                    name: name.to_owned(),
                    known,
                }
                .into());
            }
        };
        let test = |test| Filter::Test(target, test);
        match value {
            Json::Null => Ok(Filter::Not(Box::new(test(Test::Exists)))),
            Json::Object(operators) => {
                let parsed = operators.iter().map(|(operator, operand)| {
                    operator_test(target, kind, operator, operand, &format!("{path}.{operator}"), path)
                });
                Ok(Filter::All(parsed.collect::<Result<Vec<_>, _>>()?))
            }
            _ => Ok(test(any_of(kind, value, path)?)),
        }
    }
}

fn operator_test(
    target: Target,
    kind: AttributeType,
    operator: &str,
    operand: &Json,
    path: &str,
    attribute_path: &str,
) -> Result<Filter, FilterError> {
    let test = |test| Filter::Test(target, test);
    let is_number = matches!(kind, AttributeType::Number | AttributeType::Time);
    let is_string = matches!(kind, AttributeType::Keyword | AttributeType::Keywords);
    Ok(match operator {
        "eq" | "any" if operator == "eq" || kind != AttributeType::Bool => test(any_of(kind, operand, path)?),
        "ne" | "none" if operator == "ne" || kind != AttributeType::Bool => {
            Filter::Not(Box::new(test(any_of(kind, operand, path)?)))
        }
        "all" if is_string => match any_of(kind, operand, path)? {
            Test::AnyOf(texts) => test(Test::AllOf(texts)),
            other => test(other),
        },
        "exists" => match operand {
            Json::Bool(true) => test(Test::Exists),
            Json::Bool(false) => Filter::Not(Box::new(test(Test::Exists))),
            other => return Err(wrong_type(path, "true or false", other)),
        },
        "gte" | "gt" | "lte" | "lt" if is_number => {
            let bound = number(kind, operand, path)?;
            let of = |other: &str| (operator == other).then_some(bound);
            test(Test::Range { gte: of("gte"), gt: of("gt"), lte: of("lte"), lt: of("lt") })
        }
        _ => {
            let allowed = match kind {
                AttributeType::Bool => BOOL_OPERATORS,
                _ if is_number => NUMBER_OPERATORS,
                _ => STRING_OPERATORS,
            };
            return Err(FilterFault::UnknownOperator {
                path: attribute_path.to_owned(),
                operator: operator.to_owned(),
                kind: kind.name(),
                allowed,
            }
            .into());
        }
    })
}

/// Returns the test for a value, or for any value of an array.
fn any_of(kind: AttributeType, value: &Json, path: &str) -> Result<Test, FilterError> {
    let values = match value {
        Json::Array(values) => &values[..],
        value => std::slice::from_ref(value),
    };
    match kind {
        AttributeType::Keyword | AttributeType::Keywords => {
            let text = |value: &Json| match value {
                Json::String(text) => Ok(text.clone()),
                Json::Integer(_) | Json::Float(_) | Json::Bool(_) => Ok(value.to_text()),
                other => Err(wrong_type(path, "a string", other)),
            };
            Ok(Test::AnyOf(values.iter().map(text).collect::<Result<Vec<_>, _>>()?))
        }
        AttributeType::Number | AttributeType::Time => Ok(Test::Numbers(
            values.iter().map(|value| number(kind, value, path)).collect::<Result<Vec<_>, _>>()?,
        )),
        AttributeType::Bool => match value {
            Json::Bool(wanted) => Ok(Test::Bool(*wanted)),
            other => Err(wrong_type(path, "true or false", other)),
        },
    }
}

fn number(kind: AttributeType, value: &Json, path: &str) -> Result<f64, FilterError> {
    if kind == AttributeType::Time {
        return time_of(value).ok_or_else(|| wrong_type(path, "milliseconds or an ISO 8601 date", value));
    }
    value.as_f64().ok_or_else(|| wrong_type(path, "a number", value))
}

fn wrong_type(path: &str, expected: &'static str, found: &Json) -> FilterError {
    Box::new(FilterFault::WrongType { path: path.to_owned(), expected, found: found.kind() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Filter, String> {
        let schema = Schema::of_fields([("title", 1.0)]).unwrap();
        let schema = schema.with_attribute("tags", AttributeType::Keywords).unwrap();
        let schema = schema.with_attribute("size", AttributeType::Number).unwrap();
        let schema = schema.with_attribute("open", AttributeType::Bool).unwrap();
        let schema = schema.with_attribute("createdAt", AttributeType::Time).unwrap();
        Filter::parse(&Json::parse(text.as_bytes()).unwrap(), &schema).map_err(|error| error.to_string())
    }

    #[test]
    fn filters_that_cannot_be_used_name_the_place_and_the_remedy() {
        let cases = [
            ("[]", "filter: expected an object, found an array"),
            (
                r#"{"title":"x"}"#,
                "filter.title: there is no attribute \"title\"; there are tags, size, open, createdAt",
            ),
            (r#"{"size":{"any":["x"]}}"#, "filter.size.any: expected a number, found a string"),
            (
                r#"{"or":[{"size":{"above":1}}]}"#,
                "filter.or.0.size: there is no operator \"above\" for number attributes; use one of eq, ne, any, none, gt, gte, lt, lte, exists",
            ),
            (r#"{"open":"yes"}"#, "filter.open: expected true or false, found a string"),
            (
                r#"{"createdAt":{"gte":"soon"}}"#,
                "filter.createdAt.gte: expected milliseconds or an ISO 8601 date, found a string",
            ),
            (r#"{"tags":[{}]}"#, "filter.tags: expected a string, found an object"),
            (
                r#"{"tags":{"gte":"a"}}"#,
                "filter.tags: there is no operator \"gte\" for keywords attributes; use one of any, all, none, eq, ne, exists",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(parse(text).unwrap_err(), message);
        }
        let deep = format!("{}{}{}", "{\"not\":".repeat(40), "{}", "}".repeat(40));
        assert!(
            parse(&deep).unwrap_err().ends_with("the filter is nested deeper than 32 levels; flatten it")
        );
    }

    #[test]
    fn every_operator_is_understood() {
        let texts = [
            r#"{"tags":"a"}"#,
            r#"{"tags":["a","b"]}"#,
            r#"{"tags":{"all":["a"],"none":["b"]}}"#,
            r#"{"tags":null}"#,
            r#"{"size":5,"open":true}"#,
            r#"{"size":{"gt":1,"lte":3}}"#,
            r#"{"createdAt":{"gte":"2024-01-01","lt":5}}"#,
            r#"{"not":{"kind":"memory"},"or":[{"id":"x"},{"size":{"exists":false}}],"and":[]}"#,
        ];
        for text in texts {
            assert!(parse(text).is_ok(), "{text}");
        }
    }
}
