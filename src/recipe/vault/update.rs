//! The options of the vault's writes.

use super::query::vector;
use super::ranking::MEMORY;
use crate::document::Record;
use crate::json::Json;
use crate::options::Options;

/// Options that `vault.add` and `vault.update` share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VaultWriteOptions {
    /// The vector of the entry; only with one entry.
    pub vector: Option<Vec<f32>>,
    /// The model that `vector` and `embed` make vectors for. By default the schema's first model without an embedder of its
    /// own.
    pub model: Option<String>,
    /// Makes it an error where an entry would have no vector of a model. Off by default.
    pub strict: bool,
    /// The moment of the write, in milliseconds since 1970. The engine's clock by default.
    pub now: Option<f64>,
}

impl VaultWriteOptions {
    fn take(read: &mut Options) -> VaultWriteOptions {
        read.host(&[("embed", "a function"), ("signal", "an AbortSignal")]);
        VaultWriteOptions {
            vector: vector(read),
            model: read.text("model").map(str::to_owned),
            strict: read.flag("strict").unwrap_or_default(),
            now: read.time("now"),
        }
    }
}

/// Entries to add. An entry with the id of another replaces it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VaultAdd {
    /// The entries: objects with an `id`.
    pub entries: Vec<Json>,
    /// How they are written.
    pub options: VaultWriteOptions,
}

impl VaultAdd {
    /// Adds these entries, with the default of every option.
    pub fn of(entries: impl IntoIterator<Item = Json>) -> VaultAdd {
        VaultAdd { entries: entries.into_iter().collect(), options: VaultWriteOptions::default() }
    }

    /// Reads the entries and options. Faults stay in `read`.
    pub fn take(read: &mut Options) -> VaultAdd {
        read.require("entries");
        let entries = match read.json("entries") {
            Some(Json::Array(entries)) => entries.clone(),
            Some(Json::Null) | None => Vec::new(),
            Some(one) => vec![one.clone()],
        };
        let mut add = VaultAdd::of(entries);
        add.check_entries(read);
        add.options = VaultWriteOptions::take(read);
        add.check_vector(read);
        add
    }

    /// Records the faults of entries that were not read from options.
    pub(super) fn check(&self, faults: &mut Options) {
        self.check_entries(faults);
        self.check_vector(faults);
    }

    fn check_entries(&self, faults: &mut Options) {
        for (place, entry) in self.entries.iter().enumerate() {
            match Record::from_json(entry.clone()) {
                Err(error) => faults.complain("entries", format!("entry {place}: {error}")),
                Ok(record) if record.kind() == MEMORY => faults.complain(
                    "entries",
                    format!("entry {place}: a record of kind \"{MEMORY}\" is no entry; use memory.create"),
                ),
                Ok(_) => {}
            }
        }
    }

    fn check_vector(&self, faults: &mut Options) {
        if self.options.vector.is_some() && self.entries.len() != 1 {
            let count = self.entries.len();
            faults.complain("vector", format!("belongs to one entry, and there are {count}"));
        }
    }
}

/// Fields of an entry to change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VaultUpdate {
    /// The id of the entry.
    pub id: String,
    /// The fields and their new values; null removes a field.
    pub fields: Vec<(String, Json)>,
    /// How the entry is written.
    pub options: VaultWriteOptions,
}

impl VaultUpdate {
    /// Reads the id, the fields and the options. Faults stay in `read`.
    pub fn take(read: &mut Options) -> VaultUpdate {
        let id = read.required_id("id");
        read.require("fields");
        let fields = match read.json("fields") {
            Some(Json::Object(fields)) => fields.clone(),
            Some(other) => {
                read.complain("fields", format!("must be an object of fields, not {}", other.kind()));
                Vec::new()
            }
            None => Vec::new(),
        };
        let mut update = VaultUpdate { id, fields, options: VaultWriteOptions::default() };
        update.check(read);
        update.options = VaultWriteOptions::take(read);
        update
    }

    /// Records the faults of the fields.
    pub(super) fn check(&self, faults: &mut Options) {
        for (name, _) in self.fields.iter().filter(|(name, _)| matches!(name.as_str(), "id" | "kind")) {
            faults.complain("fields", format!("the {name} of an entry cannot change"));
        }
    }
}

/// A link to make or change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VaultLink {
    /// The id of the entry that the link comes from.
    pub from: String,
    /// The id of the entry that the link leads to.
    pub to: String,
    /// The meaning of the link; `related` by default.
    pub relation: Option<String>,
    /// The strength of the link. By default it stays as it is.
    pub weight: Option<f64>,
    /// The moment at which the link ends, in milliseconds since 1970; `Some(None)` for never. By default a link that has not
    /// ended keeps its end, and any other link never ends.
    pub valid_until: Option<Option<f64>>,
    /// The moment of the write, in milliseconds since 1970. The engine's clock by default.
    pub now: Option<f64>,
}

impl VaultLink {
    /// Links two entries, with the default of every option.
    pub fn between(from: &str, to: &str) -> VaultLink {
        VaultLink { from: from.to_owned(), to: to.to_owned(), ..VaultLink::default() }
    }

    /// Reads the ends and options of a link. Faults stay in `read`.
    pub fn take(read: &mut Options) -> VaultLink {
        let (from, to) = ends(read);
        let link = VaultLink { from, to, ..VaultLink::default() };
        link.check(read);
        VaultLink {
            relation: relation(read),
            weight: read.any_number("weight"),
            valid_until: read.removable("validUntil", Options::time),
            now: read.time("now"),
            ..link
        }
    }

    /// Records a link of an entry with itself.
    pub(super) fn check(&self, faults: &mut Options) {
        if self.from == self.to && !self.from.is_empty() {
            faults.complain("to", "an entry cannot be linked with itself");
        }
    }
}

/// Links to end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VaultUnlink {
    /// The id of the entry that the links come from.
    pub from: String,
    /// The id of the entry that the links lead to.
    pub to: String,
    /// The meaning of the link to end; every link from one to the other by default.
    pub relation: Option<String>,
    /// The moment at which the links end, in milliseconds since 1970. The engine's clock by default.
    pub now: Option<f64>,
}

impl VaultUnlink {
    /// Ends every link from one entry to another.
    pub fn between(from: &str, to: &str) -> VaultUnlink {
        VaultUnlink { from: from.to_owned(), to: to.to_owned(), ..VaultUnlink::default() }
    }

    /// Reads the ends and options. Faults stay in `read`.
    pub fn take(read: &mut Options) -> VaultUnlink {
        let (from, to) = ends(read);
        VaultUnlink { from, to, relation: relation(read), now: read.time("now") }
    }
}

fn ends(read: &mut Options) -> (String, String) {
    read.host(&[("signal", "an AbortSignal")]);
    (read.required_id("from"), read.required_id("to"))
}

fn relation(read: &mut Options) -> Option<String> {
    let relation = read.text("relation")?;
    if relation.is_empty() {
        read.complain("relation", "must not be empty");
    }
    Some(relation.to_owned())
}

/// What a person did with a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VaultAction {
    /// Used it as it was.
    #[default]
    Accepted,
    /// Used it with changes.
    Modified,
    /// Did not use it.
    Dismissed,
    /// Could not judge it, because the system failed. Such feedback does not count.
    Failed,
}

impl VaultAction {
    /// All actions.
    pub const ALL: [VaultAction; 4] =
        [VaultAction::Accepted, VaultAction::Modified, VaultAction::Dismissed, VaultAction::Failed];

    /// Returns the name of the action.
    pub fn name(self) -> &'static str {
        match self {
            VaultAction::Accepted => "accepted",
            VaultAction::Modified => "modified",
            VaultAction::Dismissed => "dismissed",
            VaultAction::Failed => "failed",
        }
    }
}

/// Feedback on a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VaultFeedback {
    /// The query that found the result.
    pub query: String,
    /// The id of the result.
    pub entry_id: String,
    /// What the person did with it.
    pub action: VaultAction,
    /// The moment of the action, in milliseconds since 1970. By default `now`.
    pub created_at: Option<f64>,
    /// The moment of the write, in milliseconds since 1970. The engine's clock by default.
    pub now: Option<f64>,
}

impl VaultFeedback {
    /// Reads feedback. Faults stay in `read`.
    pub fn take(read: &mut Options) -> VaultFeedback {
        read.host(&[("signal", "an AbortSignal")]);
        let (query, entry_id) = (read.required_text("query").to_owned(), read.required_id("entryId"));
        read.require("action");
        VaultFeedback {
            query,
            entry_id,
            action: read.one_of("action", "action", &VaultAction::ALL, VaultAction::name).unwrap_or_default(),
            created_at: read.time("createdAt"),
            now: read.time("now"),
        }
    }
}
