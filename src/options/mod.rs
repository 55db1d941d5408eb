//! How are the options of a call read, and how are faults reported?
//!
//! Options are a JSON object. A call asks for each option by its name and type. The reader collects every fault, unknown
//! names included, and reports all of them in one message (P6). `docs/api-contract.md` states the rules for callers.

mod clamps;
mod foreign;
#[cfg(test)]
mod tests;

pub use clamps::Clamps;
pub use foreign::FOREIGN;

use crate::attributes::time_of;
use crate::issues::format_issues;
use crate::json::{Json, float_text};
use crate::order::sort;
use foreign::{first_foreign, infinite, kind_of};
use serde::de::{Deserialize, Deserializer, Error};
use std::ops::RangeInclusive;

/// All faults of the options of one call: `limit: must be 1 to 100, not 500; mode: unknown mode "fuzzy"`.
pub type OptionsError = Box<OptionsFault>;

/// The faults behind an [`OptionsError`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", format_issues(.issues))]
pub struct OptionsFault {
    issues: Vec<(Vec<String>, String)>,
    is_unknown: bool,
}

impl OptionsFault {
    /// Returns the first option at fault; none where the fault lies with the options as a whole.
    pub fn option(&self) -> Option<&str> {
        self.issues.first().and_then(|(path, _)| path.first()).map(String::as_str)
    }

    /// Whether unknown names are the only faults.
    pub fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// Returns the part of an error code after `option/`: `unknown`, the name of the first option at fault, or `invalid`
    /// where the options are no object.
    pub fn code(&self) -> &str {
        if self.is_unknown { "unknown" } else { self.option().unwrap_or("invalid") }
    }
}

/// Reads a value through serde with a function that reads it from JSON.
pub(crate) fn deserialize<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    read: fn(&Json) -> Result<T, OptionsError>,
) -> Result<T, D::Error> {
    read(&Json::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// An object of options while a call reads it.
#[derive(Debug)]
pub struct Options<'a> {
    entries: &'a [(String, Json)],
    path: Vec<String>,
    asked: Vec<&'a str>,
    issues: Vec<(Vec<String>, String)>,
    clamps: Clamps,
}

impl<'a> Options<'a> {
    /// Starts to read a JSON object. `null` stands for an object without options.
    pub fn of(json: &'a Json) -> Options<'a> {
        match json {
            Json::Null => Options::empty(Vec::new()),
            json => Options::at(json, Vec::new()),
        }
    }

    /// Starts to read a JSON object that must be present.
    pub fn of_required(json: &'a Json) -> Options<'a> {
        Options::at(json, Vec::new())
    }

    fn empty(path: Vec<String>) -> Options<'a> {
        Options { entries: &[], path, asked: Vec::new(), issues: Vec::new(), clamps: Clamps::default() }
    }

    /// Starts to read a JSON object at a path; `null` is no object.
    fn at(json: &'a Json, path: Vec<String>) -> Options<'a> {
        let mut options = Options::empty(path);
        match json {
            Json::Object(entries) if kind_of(json) == "an object" => options.entries = entries,
            other => {
                let message = format!("must be an object, not {}", kind_of(other));
                options.issues.push((options.path.clone(), message));
            }
        }
        options
    }

    /// Records a fault of an option.
    pub fn complain(&mut self, name: &str, message: impl Into<String>) {
        let path = [&self.path[..], &[name.to_owned()]].concat();
        self.issues.push((path, message.into()));
    }

    /// Returns the raw value of an option; none where it is absent. `null` is a fault.
    fn value(&mut self, name: &'a str) -> Option<&'a Json> {
        self.asked.push(name);
        let (_, value) = self.entries.iter().find(|(known, _)| known == name)?;
        if *value == Json::Null {
            self.complain(name, "must not be null");
            return None;
        }
        Some(value)
    }

    /// Returns an option whose parts the caller reads itself. A value in it that JSON cannot hold, such as a function or
    /// NaN, is a fault.
    pub fn json(&mut self, name: &'a str) -> Option<&'a Json> {
        let value = self.value(name)?;
        if let Some((path, kind)) = first_foreign(value) {
            let mut whole = [&self.path[..], &[name.to_owned()]].concat();
            whole.extend(path);
            self.issues.push((whole, format!("must not be {kind}")));
            return None;
        }
        Some(value)
    }

    /// Returns a filter: an object that the filter parser reads.
    pub fn filter(&mut self, name: &'a str) -> Option<&'a Json> {
        let value = self.json(name)?;
        if !matches!(value, Json::Object(_)) {
            self.complain_about_kind(name, "an object of conditions", value);
            return None;
        }
        Some(value)
    }

    /// Records a fault where an option is absent that a call cannot do without.
    pub fn require(&mut self, name: &str) {
        if self.entries.iter().all(|(known, _)| known != name) {
            self.complain(name, "is required");
        }
    }

    /// Declares options that the host reads itself, such as functions and signals. The host passes on only those that it
    /// cannot use, so each one that is present here is a fault.
    pub fn host(&mut self, options: &[(&'a str, &'static str)]) {
        for (name, wanted) in options {
            self.read(name, wanted, |_| None::<()>);
        }
    }

    fn read<T>(&mut self, name: &'a str, wanted: &str, read: impl Fn(&'a Json) -> Option<T>) -> Option<T> {
        let value = self.value(name)?;
        let found = read(value);
        if found.is_none() {
            self.complain_about_kind(name, wanted, value);
        }
        found
    }

    fn complain_about_kind(&mut self, name: &str, wanted: &str, value: &Json) {
        self.complain(name, format!("must be {wanted}, not {}", kind_of(value)));
    }

    /// Reads a string.
    pub fn text(&mut self, name: &'a str) -> Option<&'a str> {
        self.read(name, "a string", Json::as_str)
    }

    /// Reads a string that must be present; the empty string stands in after a fault.
    pub fn required_text(&mut self, name: &'a str) -> &'a str {
        self.require(name);
        self.text(name).unwrap_or_default()
    }

    /// Reads an id: a string, or an integer that becomes one.
    pub fn id(&mut self, name: &'a str) -> Option<String> {
        self.read(name, "an id (a string or an integer)", id_of)
    }

    /// Reads an id that must be present; the empty string stands in after a fault.
    pub fn required_id(&mut self, name: &'a str) -> String {
        self.require(name);
        self.id(name).unwrap_or_default()
    }

    /// Reads a boolean.
    pub fn flag(&mut self, name: &'a str) -> Option<bool> {
        self.read(name, "true or false", |value| match value {
            Json::Bool(flag) => Some(*flag),
            _ => None,
        })
    }

    /// Reads a number within a range; a number outside of it is a fault.
    pub fn number(&mut self, name: &'a str, range: RangeInclusive<f64>) -> Option<f64> {
        let number = self.number_or_infinity(name)?;
        if range.contains(&number) {
            return Some(number);
        }
        let [least, most, number] = [*range.start(), *range.end(), number].map(number_text);
        self.complain(name, format!("must be {least} to {most}, not {number}"));
        None
    }

    /// Reads a finite number.
    pub fn any_number(&mut self, name: &'a str) -> Option<f64> {
        let number = self.number_or_infinity(name)?;
        if !number.is_finite() {
            self.complain(name, format!("must be finite, not {}", number_text(number)));
            return None;
        }
        Some(number)
    }

    fn number_or_infinity(&mut self, name: &'a str) -> Option<f64> {
        self.read(name, "a number", |value| value.as_f64().or_else(|| infinite(value)))
    }

    /// Reads an integer.
    pub fn integer(&mut self, name: &'a str) -> Option<i64> {
        self.read(name, "an integer", |value| match value {
            Json::Integer(number) => Some(*number),
            _ => None,
        })
    }

    /// Reads an integer that is not negative. One that no `usize` can hold becomes the largest `usize`.
    pub fn whole(&mut self, name: &'a str) -> Option<usize> {
        let number = self.integer(name)?;
        if number < 0 {
            self.complain(name, format!("must be 0 or more, not {number}"));
            return None;
        }
        Some(usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// Reads an integer within a range; one outside of it is a fault.
    pub fn count(&mut self, name: &'a str, range: RangeInclusive<usize>) -> Option<usize> {
        let number = self.number(name, *range.start() as f64..=*range.end() as f64)?;
        if number.fract() != 0.0 {
            self.complain(name, format!("must be an integer, not {}", number_text(number)));
            return None;
        }
        Some(number as usize)
    }

    /// Reads a number and clamps it to a range. [`Options::finish`] returns every number that was clamped.
    pub fn clamped_number(&mut self, name: &'static str, range: RangeInclusive<f64>) -> Option<f64> {
        let given = self.number_or_infinity(name)?;
        Some(self.clamps.clamp(name, given, given, range))
    }

    /// Reads a number, rounds it down and clamps it to a range. [`Options::finish`] returns every number that was changed.
    pub fn clamped_count(&mut self, name: &'static str, range: RangeInclusive<usize>) -> Option<usize> {
        let given = self.number_or_infinity(name)?;
        let range = *range.start() as f64..=*range.end() as f64;
        Some(self.clamps.clamp(name, given, given.floor(), range) as usize)
    }

    /// Reads a moment: milliseconds since 1970, or an ISO 8601 date.
    pub fn time(&mut self, name: &'a str) -> Option<f64> {
        self.read(name, "a time (milliseconds or an ISO 8601 date)", time_of)
    }

    /// Reads one word of a list.
    pub fn word(&mut self, name: &'a str, words: &[&'static str]) -> Option<&'static str> {
        self.place_of(name, name, words).map(|place| words[place])
    }

    /// Reads one value of a list by its name. Faults call the value `what`.
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
            let known = words.iter().filter(|word| !word.is_empty()).copied().collect::<Vec<_>>();
            self.complain(name, format!("unknown {what} \"{text}\"; use one of {}", known.join(", ")));
        }
        found
    }

    /// Reads an array of numbers.
    pub fn numbers(&mut self, name: &'a str) -> Option<Vec<f64>> {
        self.read(name, "an array of numbers", |value| match value {
            Json::Array(values) => values.iter().map(Json::as_f64).collect(),
            _ => None,
        })
    }

    /// Reads an array of strings. A single string counts as an array of one.
    pub fn texts(&mut self, name: &'a str) -> Option<Vec<String>> {
        self.read(name, "an array of strings", |value| match value {
            Json::String(text) => Some(vec![text.clone()]),
            Json::Array(values) => values.iter().map(|value| value.as_str().map(str::to_owned)).collect(),
            _ => None,
        })
    }

    /// Reads an array of ids. A single id counts as an array of one.
    pub fn ids(&mut self, name: &'a str) -> Option<Vec<String>> {
        self.read(name, "an array of ids (strings or integers)", |value| match value {
            Json::Array(values) => values.iter().map(id_of).collect(),
            one => id_of(one).map(|id| vec![id]),
        })
    }

    /// Reads an object of options within these options.
    pub fn object<T>(&mut self, name: &'a str, read: impl FnOnce(&mut Options<'a>) -> T) -> Option<T> {
        let value = self.value(name)?;
        let mut inner = self.inner(value, &[name.to_owned()]);
        let found = read(&mut inner);
        self.leave(inner);
        Some(found)
    }

    /// Reads an array of objects of options. A single object counts as an array of one.
    pub fn objects<T>(
        &mut self,
        name: &'a str,
        mut read: impl FnMut(&mut Options<'a>) -> T,
    ) -> Option<Vec<T>> {
        let value = self.value(name)?;
        let values = match value {
            Json::Array(values) => &values[..],
            one if kind_of(one) == "an object" => std::slice::from_ref(one),
            other => {
                self.complain_about_kind(name, "an array of objects", other);
                return None;
            }
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
        Options::at(value, [&self.path, names].concat())
    }

    fn leave(&mut self, mut inner: Options<'a>) {
        inner.complain_about_unknown();
        self.issues.append(&mut inner.issues);
    }

    /// Reads an option that `null` removes: `Some(None)` stands for `null`, `None` for an absent option.
    pub fn removable<T>(
        &mut self,
        name: &'a str,
        read: impl FnOnce(&mut Options<'a>, &'a str) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.entries.iter().any(|(known, value)| known == name && *value == Json::Null) {
            self.asked.push(name);
            return Some(None);
        }
        read(self, name).map(Some)
    }

    /// Reads an object whose keys the caller chose, one value after the other.
    pub fn by_name<T>(
        &mut self,
        name: &'a str,
        mut read: impl FnMut(&mut Options<'a>, &'a str) -> Option<T>,
    ) -> Option<Vec<(String, T)>> {
        self.object(name, |inner| {
            let names = inner.entries.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
            names.into_iter().filter_map(|name| Some((name.to_owned(), read(inner, name)?))).collect()
        })
    }

    /// Reads an object of numbers whose keys the caller chose.
    pub fn numbers_by_name(&mut self, name: &'a str) -> Option<Vec<(String, f64)>> {
        self.by_name(name, |inner, key| inner.any_number(key))
    }

    /// Returns the options that no call has asked for yet.
    pub fn rest(&self) -> impl Iterator<Item = (&'a str, &'a Json)> {
        let others = self.entries.iter().filter(|(name, _)| !self.asked.contains(&name.as_str()));
        others.map(|(name, value)| (name.as_str(), value))
    }

    fn complain_about_unknown(&mut self) {
        let unknown = self.rest().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
        if unknown.is_empty() {
            return;
        }
        let mut known = self.asked.clone();
        sort(&mut known);
        known.dedup();
        for name in unknown {
            self.complain(&name, format!("unknown option; the options are {}", known.join(", ")));
        }
    }

    /// Ends reading, and returns the numbers that were clamped.
    ///
    /// # Errors
    /// When an option is faulty or unknown.
    pub fn finish(mut self) -> Result<Clamps, OptionsError> {
        let is_unknown = self.issues.is_empty();
        self.complain_about_unknown();
        if self.issues.is_empty() {
            Ok(self.clamps)
        } else {
            Err(Box::new(OptionsFault { issues: self.issues, is_unknown }))
        }
    }
}

fn id_of(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Writes a number as JavaScript does.
fn number_text(number: f64) -> String {
    match number {
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "-Infinity".to_owned(),
        number => float_text(number),
    }
}
