//! Does a schema name fields that no record has? Then the nearest name that records have is probably meant.

use crate::print;
use snapseek::json::Json;
use snapseek::{Record, Schema};
use std::collections::BTreeSet;

/// The names of the fields that records have.
#[derive(Debug, Default)]
pub struct SeenNames {
    names: BTreeSet<String>,
    /// The names of the last record, in order. Most records have the same names as the one before.
    last: Vec<String>,
}

impl SeenNames {
    /// Adds the names of a record.
    pub fn note(&mut self, record: &Record) {
        let Json::Object(entries) = record.json() else { return };
        if self.last.len() == entries.len()
            && self.last.iter().zip(entries).all(|(last, (name, _))| last == name)
        {
            return;
        }
        self.last = entries.iter().map(|(name, _)| name.clone()).collect();
        self.names.extend(self.last.iter().cloned());
    }

    /// Adds the names that another thread has seen.
    pub fn add(&mut self, other: SeenNames) {
        self.names.extend(other.names);
    }

    /// Prints a warning for each field and attribute of a schema that no record has.
    pub fn warn(&self, schema: &Schema) {
        let fields = schema.field_names().into_iter().map(|name| ("field", name));
        let attributes = schema.attributes().map(|(name, _)| ("attribute", name));
        let wanted = fields.chain(attributes).collect::<Vec<_>>();
        for (what, name) in wanted.iter().filter(|(_, name)| !self.names.contains(*name) && *name != "kind") {
            let unused = self.names.iter().filter(|seen| !wanted.iter().any(|(_, name)| name == seen));
            let advice =
                nearest(name, unused).map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
            print::note(format_args!("warning: no record has the {what} \"{name}\" of the schema{advice}"));
        }
    }
}

/// Returns the name with the fewest differences; `None` if all differ too much.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a String>) -> Option<&'a str> {
    let allowed = (name.chars().count() / 3).max(2);
    let near = names.map(|other| (differences(&name.to_lowercase(), &other.to_lowercase()), other));
    near.filter(|(count, _)| *count <= allowed).min().map(|(_, other)| other.as_str())
}

/// Counts the letters that have to be inserted, removed or replaced, or exchanged with their neighbour.
fn differences(one: &str, other: &str) -> usize {
    let (one, other) = (one.chars().collect::<Vec<_>>(), other.chars().collect::<Vec<_>>());
    let mut rows = vec![(0..=other.len()).collect::<Vec<_>>()];
    for (i, letter) in one.iter().enumerate() {
        let above = &rows[i];
        let mut row = vec![i + 1];
        for (j, with) in other.iter().enumerate() {
            let replaced = above[j] + usize::from(letter != with);
            let mut least = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *letter == other[j - 1] && one[i - 1] == *with {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        let names = ["title", "body", "createdAt"].map(str::to_owned);
        let near = |name| nearest(name, names.iter());
        assert_eq!(near("titel"), Some("title"));
        assert_eq!(near("Body"), Some("body"));
        assert_eq!(near("created_at"), Some("createdAt"));
        assert_eq!(near("summary"), None);
    }
}
