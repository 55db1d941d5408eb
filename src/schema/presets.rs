//! Which schema fits the records of a known system?
//!
//! There is one preset for each system whose records and ranking snapseek supports, and one for documents. A preset is a
//! schema with a default recipe. docs/presets.md lists the presets field by field.

use super::{Entries, Schema, TextField};
use crate::attributes::AttributeType::{self, Bool, Keyword, Keywords, Number, Time};
use serde::Serialize;

/// The recipes that a schema can name as its default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RecipeName {
    /// Fuses words and vectors.
    #[default]
    Hybrid,
    /// Ranks memories by salience, sectors and sessions.
    Memory,
    /// Ranks chunks of longer texts.
    Rag,
    /// Ranks observations, sessions and prompts.
    Unified,
    /// Ranks entries of a knowledge vault.
    Vault,
}

impl RecipeName {
    /// Lists every recipe.
    pub const ALL: [RecipeName; 5] =
        [RecipeName::Hybrid, RecipeName::Memory, RecipeName::Rag, RecipeName::Unified, RecipeName::Vault];

    /// Returns the name that schemas and requests use.
    pub fn name(self) -> &'static str {
        match self {
            RecipeName::Hybrid => "hybrid",
            RecipeName::Memory => "memory",
            RecipeName::Rag => "rag",
            RecipeName::Unified => "unified",
            RecipeName::Vault => "vault",
        }
    }

    /// Returns the recipe with this name.
    pub fn named(name: &str) -> Option<RecipeName> {
        RecipeName::ALL.into_iter().find(|recipe| recipe.name() == name)
    }

    pub(super) fn is_default(&self) -> bool {
        *self == RecipeName::default()
    }

    /// Returns the text fields of the preset with their weights, in FTS5's column order.
    fn fields(self) -> &'static [(&'static str, f64)] {
        match self {
            RecipeName::Hybrid => &[("title", 10.0), ("body", 1.0)],
            RecipeName::Memory => &[("content", 1.0), ("summary", 1.0)],
            RecipeName::Rag => &[("title", 1.0), ("text", 1.0)],
            RecipeName::Unified => &[("title", 1.0), ("content", 1.0), ("concepts", 1.0), ("files", 1.0)],
            RecipeName::Vault => {
                &[("id", 5.0), ("title", 10.0), ("description", 3.0), ("context", 1.0), ("tags", 2.0)]
            }
        }
    }

    /// Returns the attributes of the preset.
    fn attributes(self) -> &'static [(&'static str, AttributeType)] {
        match self {
            RecipeName::Hybrid => &[("project", Keyword), ("tags", Keywords), ("createdAt", Time)],
            RecipeName::Memory => &[
                ("projectId", Keyword),
                ("sector", Keyword),
                ("tier", Keyword),
                ("salience", Number),
                ("importance", Number),
                ("tags", Keywords),
                ("concepts", Keywords),
                ("files", Keywords),
                ("createdAt", Time),
                ("updatedAt", Time),
                ("lastAccessed", Time),
                ("validFrom", Time),
                ("validUntil", Time),
                ("isDeleted", Bool),
                // Attributes of the chunks of a longer document.
                ("parentId", Keyword),
                ("chunkIndex", Number),
                ("charOffset", Number),
            ],
            RecipeName::Rag => &[
                ("sourceType", Keyword),
                ("sourceId", Keyword),
                ("sessionId", Keyword),
                ("contextId", Keyword),
                ("actionId", Keyword),
                ("parentId", Keyword),
                ("contentHash", Keyword),
                ("chunkIndex", Number),
                ("charOffset", Number),
                ("tokenCount", Number),
                ("createdAt", Time),
            ],
            RecipeName::Unified => &[
                ("project", Keyword),
                ("obsType", Keyword),
                ("scope", Keyword),
                ("concepts", Keywords),
                ("files", Keywords),
                ("createdAt", Time),
                ("isSuperseded", Bool),
            ],
            RecipeName::Vault => &[
                ("type", Keyword),
                ("domain", Keyword),
                ("severity", Keyword),
                ("tier", Keyword),
                ("tags", Keywords),
                ("validFrom", Time),
                ("validUntil", Time),
                ("createdAt", Time),
                ("updatedAt", Time),
            ],
        }
    }

    /// Returns the text fields that the preset's models embed by default; empty means all.
    pub(super) fn embedded_fields(self) -> &'static [&'static str] {
        match self {
            RecipeName::Vault => &["title", "description", "context"],
            _ => &[],
        }
    }
}

/// The presets: one per recipe, and one for the pages of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresetName {
    /// The preset of a recipe.
    Recipe(RecipeName),
    /// Chunks of pages, grouped by page. The hybrid recipe ranks them.
    Docs,
}

impl PresetName {
    /// Lists every preset.
    pub const ALL: [PresetName; 6] = [
        PresetName::Recipe(RecipeName::Hybrid),
        PresetName::Recipe(RecipeName::Memory),
        PresetName::Recipe(RecipeName::Rag),
        PresetName::Recipe(RecipeName::Unified),
        PresetName::Recipe(RecipeName::Vault),
        PresetName::Docs,
    ];

    /// Returns the name that schemas and requests use.
    pub fn name(self) -> &'static str {
        match self {
            PresetName::Recipe(recipe) => recipe.name(),
            PresetName::Docs => "docs",
        }
    }

    fn recipe(self) -> RecipeName {
        match self {
            PresetName::Recipe(recipe) => recipe,
            PresetName::Docs => RecipeName::Hybrid,
        }
    }

    fn fields(self) -> &'static [(&'static str, f64)] {
        match self {
            PresetName::Recipe(recipe) => recipe.fields(),
            PresetName::Docs => &[("title", 8.0), ("heading", 4.0), ("text", 1.0), ("important", 4.0)],
        }
    }

    fn attributes(self) -> &'static [(&'static str, AttributeType)] {
        match self {
            PresetName::Recipe(recipe) => recipe.attributes(),
            PresetName::Docs => &[
                ("url", Keyword),
                ("anchor", Keyword),
                ("lang", Keyword),
                ("section", Keyword),
                ("tags", Keywords),
                ("author", Keywords),
                ("date", Time),
            ],
        }
    }

    fn group_by(self) -> &'static [&'static str] {
        match self {
            PresetName::Recipe(_) => &[],
            PresetName::Docs => &["url", "anchor"],
        }
    }
}

impl Schema {
    /// Returns the schema of a preset: `hybrid`, `memory`, `rag`, `unified`, `vault` or `docs`.
    ///
    /// ```
    /// use snapseek::schema::{RecipeName, Schema};
    ///
    /// let schema = Schema::preset("vault").unwrap();
    /// assert_eq!(schema.recipe(), RecipeName::Vault);
    /// assert_eq!(schema.field_names(), ["id", "title", "description", "context", "tags"]);
    /// assert!(Schema::preset("attic").is_none());
    /// ```
    pub fn preset(name: &str) -> Option<Schema> {
        PresetName::ALL.into_iter().find(|preset| preset.name() == name).map(Schema::of_preset)
    }

    /// Returns the schema of a preset.
    pub(super) fn of_preset(preset: PresetName) -> Schema {
        let field = |(name, weight): &(&str, f64)| ((*name).to_owned(), TextField { weight: *weight });
        let attribute = |(name, kind): &(&str, AttributeType)| ((*name).to_owned(), *kind);
        Schema {
            recipe: preset.recipe(),
            forms: preset == PresetName::Docs,
            group_by: preset.group_by().iter().map(|name| (*name).to_owned()).collect(),
            fields: Entries(preset.fields().iter().map(field).collect::<Vec<_>>()),
            attributes: Entries(preset.attributes().iter().map(attribute).collect::<Vec<_>>()),
            ..Schema::bare()
        }
    }

    /// Returns the name and place of the attribute that marks a record as deleted without removing it; none where the
    /// schema has no such mark. Plain searches do not return records that carry the mark.
    pub fn deletion_mark(&self) -> Option<(&'static str, usize)> {
        let mark = "isDeleted";
        match (self.recipe, self.attribute(mark)) {
            (RecipeName::Memory, Some((place, Bool))) => Some((mark, place)),
            _ => None,
        }
    }

    /// Returns the default recipe; [`RecipeName::Hybrid`] if the schema names none.
    pub fn recipe(&self) -> RecipeName {
        self.recipe
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::VectorModel;

    #[test]
    fn every_preset_is_a_schema_that_can_be_used_and_read_again() {
        for preset in PresetName::ALL {
            let schema = Schema::preset(preset.name()).unwrap();
            assert_eq!(schema.check(), Ok(()));
            assert_eq!((schema.recipe(), schema.tokenizer()), (preset.recipe(), "porter unicode61"));
            let text = serde_json::to_string(&schema).unwrap();
            assert_eq!(Schema::parse(text.as_bytes()), Ok(schema));
        }
        assert!(Schema::preset("Memory").is_none());
    }

    #[test]
    fn a_schema_names_its_recipe_unless_it_is_the_default() {
        let written = |name| serde_json::to_string(&Schema::preset(name).unwrap()).unwrap();
        assert!(written("rag").starts_with(r#"{"tokenizer":"porter unicode61","recipe":"rag","fields":"#));
        assert!(written("hybrid").starts_with(r#"{"tokenizer":"porter unicode61","fields":"#));
        let unknown = Schema::parse(br#"{"recipe":"soup","fields":{"a":{}}}"#).unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "recipe: unknown recipe \"soup\"; use one of hybrid, memory, rag, unified, vault"
        );
    }

    #[test]
    fn v2_the_fields_of_a_vault_have_their_weights_in_column_order() {
        let vault = Schema::preset("vault").unwrap();
        assert_eq!(vault.field_names(), ["id", "title", "description", "context", "tags"]);
        assert_eq!(vault.weights(), [5.0, 10.0, 3.0, 1.0, 2.0]);
    }

    #[test]
    fn v14_a_model_of_a_vault_embeds_title_description_and_context() {
        let model = |schema: Schema, text: &[&str]| {
            let text = text.iter().map(|name| (*name).to_owned()).collect();
            let schema = schema.with_vectors("m", VectorModel { text, ..VectorModel::default() }).unwrap();
            schema.model("m").unwrap().1.text.clone()
        };
        let vault = || Schema::preset("vault").unwrap();
        assert_eq!(model(vault(), &[]), ["title", "description", "context"]);
        assert_eq!(model(vault(), &["title"]), ["title"]);
        assert!(model(Schema::preset("memory").unwrap(), &[]).is_empty());
        let bare = Schema::parse(br#"{"recipe":"vault","fields":{"title":{},"body":{}}}"#).unwrap();
        assert!(model(bare, &[]).is_empty(), "a schema without these fields embeds all");
    }
}
