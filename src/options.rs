//! How are options read, and what is said of those that cannot be used?
//!
//! Options are a JSON object. Each is asked for by name, with what it may be; complaints are collected and told together
//! (P6), and so is a name that nobody asked for.

use crate::attributes::time_of;
use crate::issues::format_issues;
use crate::json::{Json, float_text};
use crate::order::sort;
use serde::de::{Deserialize, Deserializer, Error};
use std::ops::RangeInclusive;

/// What is wrong with options, all of it: `limit: must be 1 to 100; mode: unknown mode "fuzzy"`.
pub type OptionsError = Box<OptionsFault>;

/// All that is wrong with options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", format_issues(.issues))]
pub struct OptionsFault {
    issues: Vec<(Vec<String>, String)>,
    is_unknown: bool,
}

impl OptionsFault {
    /// The first option that is complained about; none where it is the options as a whole.
    pub fn option(&self) -> Option<&str> {
        self.issues.first().and_then(|(path, _)| path.first()).map(String::as_str)
    }

    /// Whether nothing else is wrong than options that there are not.
    pub fn is_unknown(&self) -> bool {
        self.is_unknown
    }
}

/// Reads with serde what `read` reads from JSON.
pub(crate) fn deserialize<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    read: fn(&Json) -> Result<T, OptionsError>,
) -> Result<T, D::Error> {
    read(&Json::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// An object of options that is being read.
#[derive(Debug)]
pub struct Options<'a> {
    entries: &'a [(String, Json)],
    path: Vec<String>,
    asked: Vec<&'a str>,
    issues: Vec<(Vec<String>, String)>,
    nulls: Nulls,
}

/// What null means for an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nulls {
    /// It is absent.
    Absent,
    /// It is a mistake.
    Wrong,
}

impl<'a> Options<'a> {
    /// Reads a JSON object; null has no options.
    pub fn of(json: &'a Json) -> Options<'a> {
        Options::at(json, Vec::new(), Nulls::Absent)
    }

    /// Reads a JSON object in which nothing may be null.
    pub fn without_nulls(json: &'a Json) -> Options<'a> {
        Options::at(json, Vec::new(), Nulls::Wrong)
    }

    fn at(json: &'a Json, path: Vec<String>, nulls: Nulls) -> Options<'a> {
        let mut options = Options { entries: &[], path, asked: Vec::new(), issues: Vec::new(), nulls };
        match json {
            Json::Object(entries) => options.entries = entries,
            Json::Null if nulls == Nulls::Absent => {}
            other => {
                let message = format!("an object is wanted, not {}", other.kind());
                options.issues.push((options.path.clone(), message));
            }
        }
        options
    }

    /// Complains about an option.
    pub fn complain(&mut self, name: &str, message: impl Into<String>) {
        let path = [&self.path[..], &[name.to_owned()]].concat();
        self.issues.push((path, message.into()));
    }

    /// The value of an option; none where it is absent or null.
    pub fn json(&mut self, name: &'a str) -> Option<&'a Json> {
        self.asked.push(name);
        let (_, value) = self.entries.iter().find(|(known, _)| known == name)?;
        if *value != Json::Null {
            return Some(value);
        }
        if self.nulls == Nulls::Wrong {
            self.complain(name, "must not be null");
        }
        None
    }

    /// Complains where an option that has to be there is absent.
    pub fn require(&mut self, name: &str) {
        if self.entries.iter().all(|(known, value)| known != name || *value == Json::Null) {
            self.complain(name, "is missing");
        }
    }

    fn read<T>(&mut self, name: &'a str, wanted: &str, read: impl Fn(&'a Json) -> Option<T>) -> Option<T> {
        let value = self.json(name)?;
        let found = read(value);
        if found.is_none() {
            self.complain_about_kind(name, wanted, value);
        }
        found
    }

    fn complain_about_kind(&mut self, name: &str, wanted: &str, value: &Json) {
        self.complain(name, format!("{wanted} is wanted, not {}", value.kind()));
    }

    /// A text.
    pub fn text(&mut self, name: &'a str) -> Option<&'a str> {
        self.read(name, "a text", Json::as_str)
    }

    /// An id: a text, or an integer as one.
    pub fn id(&mut self, name: &'a str) -> Option<String> {
        self.read(name, "an id", |value| match value {
            Json::String(text) => Some(text.clone()),
            Json::Integer(number) => Some(number.to_string()),
            _ => None,
        })
    }

    /// A yes or no.
    pub fn flag(&mut self, name: &'a str) -> Option<bool> {
        self.read(name, "true or false", |value| match value {
            Json::Bool(flag) => Some(*flag),
            _ => None,
        })
    }

    /// A finite number within a range.
    pub fn number(&mut self, name: &'a str, range: RangeInclusive<f64>) -> Option<f64> {
        let number = self.any_number(name)?;
        if range.contains(&number) {
            return Some(number);
        }
        let [least, most, number] = [*range.start(), *range.end(), number].map(float_text);
        self.complain(name, format!("must be {least} to {most}, not {number}"));
        None
    }

    /// A finite number.
    pub fn any_number(&mut self, name: &'a str) -> Option<f64> {
        self.read(name, "a number", Json::as_f64)
    }

    /// A whole number.
    pub fn integer(&mut self, name: &'a str) -> Option<i64> {
        self.read(name, "a whole number", |value| match value {
            Json::Integer(number) => Some(*number),
            _ => None,
        })
    }

    /// A whole number that is not negative; the largest that there is, where it is larger.
    pub fn whole(&mut self, name: &'a str) -> Option<usize> {
        let number = self.integer(name)?;
        if number < 0 {
            self.complain(name, format!("must not be negative, and is {number}"));
            return None;
        }
        Some(usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// A whole number within a range.
    pub fn count(&mut self, name: &'a str, range: RangeInclusive<usize>) -> Option<usize> {
        let number = self.integer(name)?;
        let as_count = usize::try_from(number).ok().filter(|count| range.contains(count));
        if as_count.is_none() {
            self.complain(name, format!("must be {} to {}, not {number}", range.start(), range.end()));
        }
        as_count
    }

    /// A moment: milliseconds since 1970, or an ISO 8601 date.
    pub fn time(&mut self, name: &'a str) -> Option<f64> {
        self.read(name, "a time, milliseconds or an ISO 8601 date,", time_of)
    }

    /// One of some words.
    pub fn word(&mut self, name: &'a str, words: &[&'static str]) -> Option<&'static str> {
        self.place_of(name, name, words).map(|place| words[place])
    }

    /// One of some values, by its name; `what` they are.
    pub fn one_of<T: Copy>(
        &mut self,
        name: &'a str,
        what: &str,
        all: &[T],
        name_of: fn(T) -> &'static str,
    ) -> Option<T> {
        let names = all.iter().map(|value| name_of(*value)).collect::<Vec<_>>();
        self.place_of(name, what, &names).map(|place| all[place])
    }

    fn place_of(&mut self, name: &'a str, what: &str, words: &[&str]) -> Option<usize> {
        let text = self.text(name)?;
        let found = words.iter().position(|word| *word == text);
        if found.is_none() {
            self.complain(name, format!("unknown {what} \"{text}\"; there are {}", words.join(", ")));
        }
        found
    }

    /// Numbers.
    pub fn numbers(&mut self, name: &'a str) -> Option<Vec<f64>> {
        self.read(name, "an array of numbers", |value| match value {
            Json::Array(values) => each_of(values, Json::as_f64),
            _ => None,
        })
    }

    /// Texts; one alone is a list of one.
    pub fn texts(&mut self, name: &'a str) -> Option<Vec<String>> {
        self.read(name, "an array of texts", |value| match value {
            Json::String(text) => Some(vec![text.clone()]),
            Json::Array(values) => each_of(values, |value| value.as_str().map(str::to_owned)),
            _ => None,
        })
    }

    /// Options within options: `read` reads them.
    pub fn object<T>(&mut self, name: &'a str, read: impl FnOnce(&mut Options<'a>) -> T) -> Option<T> {
        let value = self.json(name)?;
        let mut inner = self.inner(value, &[name.to_owned()]);
        let found = read(&mut inner);
        self.leave(inner);
        Some(found)
    }

    /// An array of options: `read` reads each.
    pub fn objects<T>(
        &mut self,
        name: &'a str,
        mut read: impl FnMut(&mut Options<'a>) -> T,
    ) -> Option<Vec<T>> {
        let value = self.json(name)?;
        let Json::Array(values) = value else {
            self.complain_about_kind(name, "an array of objects", value);
            return None;
        };
        let mut all = Vec::new();
        for (place, value) in values.iter().enumerate() {
            let mut inner = self.inner(value, &[name.to_owned(), place.to_string()]);
            all.push(read(&mut inner));
            self.leave(inner);
        }
        Some(all)
    }

    fn inner(&self, value: &'a Json, names: &[String]) -> Options<'a> {
        Options::at(value, [&self.path, names].concat(), self.nulls)
    }

    fn leave(&mut self, mut inner: Options<'a>) {
        inner.complain_about_unknown();
        self.issues.append(&mut inner.issues);
    }

    /// An object whose keys are the caller's own: `read` reads the value of each.
    pub fn by_name<T>(
        &mut self,
        name: &'a str,
        mut read: impl FnMut(&mut Options<'a>, &'a str) -> Option<T>,
    ) -> Option<Vec<(String, T)>> {
        self.object(name, |inner| {
            let names = inner.entries.iter().map(|(name, _)| name.as_str());
            names.filter_map(|name| Some((name.to_owned(), read(inner, name)?))).collect::<Vec<_>>()
        })
    }

    /// An object whose keys are the caller's own: numbers by name.
    pub fn numbers_by_name(&mut self, name: &'a str) -> Option<Vec<(String, f64)>> {
        self.read(name, "an object of numbers", |value| match value {
            Json::Object(entries) => each_of(entries, |(key, value)| Some((key.clone(), value.as_f64()?))),
            _ => None,
        })
    }

    /// The options that nobody has asked for yet, with the caller's own names.
    pub fn rest(&self) -> impl Iterator<Item = (&'a str, &'a Json)> {
        let others = self.entries.iter().filter(|(name, _)| !self.asked.contains(&name.as_str()));
        others.map(|(name, value)| (name.as_str(), value))
    }

    fn complain_about_unknown(&mut self) {
        let unknown = self.rest().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
        let mut known = self.asked.clone();
        sort(&mut known);
        known.dedup();
        for name in unknown {
            self.complain(&name, format!("unknown option; there are {}", known.join(", ")));
        }
    }

    /// Ends reading.
    ///
    /// # Errors
    /// When an option could not be used, or one was not asked for.
    pub fn finish(mut self) -> Result<(), OptionsError> {
        let is_unknown = self.issues.is_empty();
        self.complain_about_unknown();
        if self.issues.is_empty() {
            Ok(())
        } else {
            Err(Box::new(OptionsFault { issues: self.issues, is_unknown }))
        }
    }
}

/// What `read` reads of each value; none where it cannot read one.
fn each_of<T, U>(values: &[T], read: impl Fn(&T) -> Option<U>) -> Option<Vec<U>> {
    let mut all = Vec::new();
    for value in values {
        all.push(read(value)?);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn p6_all_that_is_wrong_is_told_at_once() {
        let json = json(r#"{"limit":500,"mode":"fuzzy","query":7,"inner":{"lambda":2,"odd":1},"lmiit":1}"#);
        let mut options = Options::of(&json);
        assert_eq!(options.count("limit", 1..=100), None);
        assert_eq!(options.word("mode", &["hybrid", "keyword"]), None);
        assert_eq!(options.text("query"), None);
        options.object("inner", |inner| assert_eq!(inner.number("lambda", 0.0..=1.0), None));
        let error = options.finish().unwrap_err();
        assert_eq!(error.option(), Some("limit"));
        assert_eq!(
            error.to_string(),
            "limit: must be 1 to 100, not 500; mode: unknown mode \"fuzzy\"; there are hybrid, keyword; \
             query: a text is wanted, not a number; inner.lambda: must be 0 to 1, not 2; inner.odd: unknown option; \
             there are lambda; lmiit: unknown option; there are inner, limit, mode, query"
        );
    }

    #[test]
    fn what_is_absent_or_null_is_none_and_no_complaint() {
        let json = json(r#"{"limit":null,"tags":"one","at":"2026-01-01"}"#);
        let mut options = Options::of(&json);
        assert_eq!(options.count("limit", 1..=100), None);
        assert_eq!(options.flag("track"), None);
        assert_eq!(options.texts("tags"), Some(vec!["one".to_owned()]));
        assert_eq!(options.time("at"), Some(1_767_225_600_000.0));
        options.finish().unwrap();
    }

    #[test]
    fn complaints_about_one_of_many_name_its_place() {
        let json = json(r#"{"sources":[{"body":"x"},{"body":7,"odd":1},"y"],"more":{}}"#);
        let mut options = Options::of(&json);
        let bodies = options.objects("sources", |source| source.text("body"));
        assert_eq!(bodies, Some(vec![Some("x"), None, None]));
        assert_eq!(options.objects("more", |_| ()), None);
        assert_eq!(options.objects("none", |_| ()), None);
        assert_eq!(
            options.finish().unwrap_err().to_string(),
            "sources.1.body: a text is wanted, not a number; sources.1.odd: unknown option; there are body; \
             sources.2: an object is wanted, not a string; more: an array of objects is wanted, not an object"
        );
    }

    #[test]
    fn an_option_that_there_is_not_is_told_from_one_that_is_wrong() {
        let read = |text: &str| {
            let json = json(text);
            let mut options = Options::of(&json);
            options.whole("limit");
            options.finish().unwrap_err()
        };
        assert!(read(r#"{"lmiit":1}"#).is_unknown());
        assert!(!read(r#"{"limit":-1,"lmiit":1}"#).is_unknown());
        assert_eq!(read(r#"{"limit":-1}"#).to_string(), "limit: must not be negative, and is -1");
    }

    #[test]
    fn keys_of_the_callers_own_are_read_one_by_one() {
        let json = json(r#"{"sizes":{"b":1,"a":"x"},"others":null}"#);
        let mut options = Options::without_nulls(&json);
        let sizes = options.by_name("sizes", |sizes, name| sizes.any_number(name));
        assert_eq!(sizes, Some(vec![("b".to_owned(), 1.0)]));
        assert_eq!(options.by_name("others", |others, name| others.any_number(name)), None);
        options.require("more");
        assert_eq!(
            options.finish().unwrap_err().to_string(),
            "sizes.a: a number is wanted, not a string; others: must not be null; more: is missing"
        );
        let error = Options::without_nulls(&Json::Null).finish().unwrap_err();
        assert_eq!(error.to_string(), "(root): an object is wanted, not null");
    }

    #[test]
    fn options_that_are_no_object_are_a_complaint_about_the_whole() {
        let error = Options::of(&Json::Integer(3)).finish().unwrap_err();
        assert_eq!(error.to_string(), "(root): an object is wanted, not a number");
        assert_eq!(error.option(), None);
    }
}
