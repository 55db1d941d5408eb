//! How are options read, and what is said of those that cannot be used?
//!
//! Options are a JSON object. Each is asked for by name, with what it may be; complaints are collected and told together
//! (P6), and so is a name that nobody asked for.

use crate::attributes::time_of;
use crate::decimal;
use crate::issues::format_issues;
use crate::json::Json;
use crate::order::sort;
use std::ops::RangeInclusive;

/// What is wrong with options, all of it: `limit: must be 1 to 100; mode: unknown mode "fuzzy"`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", format_issues(.issues))]
pub struct OptionsError {
    issues: Vec<(Vec<String>, String)>,
}

impl OptionsError {
    /// One complaint.
    pub fn new(option: &str, message: impl Into<String>) -> OptionsError {
        OptionsError { issues: vec![(vec![option.to_owned()], message.into())] }
    }

    /// The first option that is complained about; none where it is the options as a whole.
    pub fn option(&self) -> Option<&str> {
        self.issues.first().and_then(|(path, _)| path.first()).map(String::as_str)
    }
}

/// An object of options that is being read.
#[derive(Debug)]
pub struct Options<'a> {
    entries: &'a [(String, Json)],
    path: Vec<String>,
    asked: Vec<&'static str>,
    issues: Vec<(Vec<String>, String)>,
}

impl<'a> Options<'a> {
    /// Reads a JSON object; null has no options.
    pub fn of(json: &'a Json) -> Options<'a> {
        Options::at(json, Vec::new())
    }

    fn at(json: &'a Json, path: Vec<String>) -> Options<'a> {
        let mut options = Options { entries: &[], path, asked: Vec::new(), issues: Vec::new() };
        match json {
            Json::Object(entries) => options.entries = entries,
            Json::Null => {}
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
    pub fn json(&mut self, name: &'static str) -> Option<&'a Json> {
        self.asked.push(name);
        let entry = self.entries.iter().find(|(known, _)| known == name);
        entry.map(|(_, value)| value).filter(|value| **value != Json::Null)
    }

    fn read<T>(
        &mut self,
        name: &'static str,
        wanted: &str,
        read: impl Fn(&'a Json) -> Option<T>,
    ) -> Option<T> {
        let value = self.json(name)?;
        let found = read(value);
        if found.is_none() {
            self.complain(name, format!("{wanted} is wanted, not {}", value.kind()));
        }
        found
    }

    /// A text.
    pub fn text(&mut self, name: &'static str) -> Option<&'a str> {
        self.read(name, "a text", Json::as_str)
    }

    /// An id: a text, or an integer as one.
    pub fn id(&mut self, name: &'static str) -> Option<String> {
        self.read(name, "an id", |value| match value {
            Json::String(text) => Some(text.clone()),
            Json::Integer(number) => Some(number.to_string()),
            _ => None,
        })
    }

    /// A yes or no.
    pub fn flag(&mut self, name: &'static str) -> Option<bool> {
        self.read(name, "true or false", |value| match value {
            Json::Bool(flag) => Some(*flag),
            _ => None,
        })
    }

    /// A finite number within a range.
    pub fn number(&mut self, name: &'static str, range: RangeInclusive<f64>) -> Option<f64> {
        let number = self.any_number(name)?;
        if range.contains(&number) {
            return Some(number);
        }
        let [start, end, number] = [*range.start(), *range.end(), number].map(decimal::text);
        self.complain(name, format!("must be {start} to {end}, not {number}"));
        None
    }

    /// A finite number.
    pub fn any_number(&mut self, name: &'static str) -> Option<f64> {
        self.read(name, "a number", Json::as_f64)
    }

    /// A whole number within a range.
    pub fn count(&mut self, name: &'static str, range: RangeInclusive<usize>) -> Option<usize> {
        let number = self.read(name, "a whole number", |value| match value {
            Json::Integer(number) => Some(*number),
            _ => None,
        })?;
        let as_count = usize::try_from(number).ok().filter(|count| range.contains(count));
        if as_count.is_none() {
            self.complain(name, format!("must be {} to {}, not {number}", range.start(), range.end()));
        }
        as_count
    }

    /// A moment: milliseconds since 1970, or an ISO 8601 date.
    pub fn time(&mut self, name: &'static str) -> Option<f64> {
        self.read(name, "a time, milliseconds or an ISO 8601 date,", time_of)
    }

    /// One of some words.
    pub fn word(&mut self, name: &'static str, words: &[&'static str]) -> Option<&'static str> {
        let text = self.text(name)?;
        let word = words.iter().find(|word| **word == text).copied();
        if word.is_none() {
            self.complain(name, format!("unknown {name} {text:?}; there are {}", words.join(", ")));
        }
        word
    }

    /// Texts; one alone is a list of one.
    pub fn texts(&mut self, name: &'static str) -> Option<Vec<String>> {
        self.read(name, "an array of texts", |value| match value {
            Json::String(text) => Some(vec![text.clone()]),
            Json::Array(values) => {
                values.iter().map(|value| value.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
            }
            _ => None,
        })
    }

    /// Options within options: `read` reads them.
    pub fn object<T>(&mut self, name: &'static str, read: impl FnOnce(&mut Options<'a>) -> T) -> Option<T> {
        let value = self.json(name)?;
        let path = [&self.path[..], &[name.to_owned()]].concat();
        let mut inner = Options::at(value, path);
        let found = read(&mut inner);
        inner.complain_about_unknown();
        self.issues.append(&mut inner.issues);
        Some(found)
    }

    /// An array of options: `read` reads each.
    pub fn objects<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&mut Options<'a>) -> T,
    ) -> Option<Vec<T>> {
        let value = self.json(name)?;
        let Json::Array(values) = value else {
            self.complain(name, format!("an array of objects is wanted, not {}", value.kind()));
            return None;
        };
        let mut all = Vec::with_capacity(values.len());
        for (place, value) in values.iter().enumerate() {
            let path = [&self.path[..], &[name.to_owned(), place.to_string()]].concat();
            let mut inner = Options::at(value, path);
            all.push(read(&mut inner));
            inner.complain_about_unknown();
            self.issues.append(&mut inner.issues);
        }
        Some(all)
    }

    /// An object whose keys are the caller's own: numbers by name.
    pub fn numbers_by_name(&mut self, name: &'static str) -> Option<Vec<(String, f64)>> {
        self.read(name, "an object of numbers", |value| match value {
            Json::Object(entries) => {
                entries.iter().map(|(key, value)| Some((key.clone(), value.as_f64()?))).collect()
            }
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
        self.complain_about_unknown();
        if self.issues.is_empty() { Ok(()) } else { Err(OptionsError { issues: self.issues }) }
    }
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
    fn options_that_are_no_object_are_a_complaint_about_the_whole() {
        let error = Options::of(&Json::Integer(3)).finish().unwrap_err();
        assert_eq!(error.to_string(), "(root): an object is wanted, not a number");
        assert_eq!(error.option(), None);
    }
}
