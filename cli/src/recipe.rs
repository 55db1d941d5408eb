//! Which recipe answers a query, and which hits does its response contain?

use crate::failure::UsageError;
use anyhow::{Context, Result};
use snapseek::json::Json;
use snapseek::options::Options;
use snapseek::pipeline::Explain;
use snapseek::recipe::memory::{MemoryHit, MemoryQuery};
use snapseek::recipe::rag::{RagQuery, RagResponse, RagResult};
use snapseek::recipe::unified::{UnifiedHit, UnifiedQuery, UnifiedResponse};
use snapseek::recipe::vault::{VaultQuery, VaultResult};
use snapseek::schema::RecipeName;
use snapseek::{Embedded, Engine, SearchOptions};
use std::fs;
use std::path::Path;

/// A recipe.
#[derive(Debug)]
pub enum Recipe {
    /// The default search: keywords and vectors, fused.
    Hybrid,
    /// A recipe from a file, instead of the default fusion.
    Own(Json),
    /// A named recipe.
    Named(RecipeName),
}

impl Recipe {
    /// Returns the recipe with this name, or in this file; the snapshot's own if none is given.
    pub fn of(given: Option<&str>, engine: &Engine) -> Result<Recipe> {
        let name = match given {
            None => engine.schema().recipe(),
            Some(given) => match RecipeName::named(given) {
                Some(name) => name,
                None => return Recipe::in_file(given),
            },
        };
        Ok(if name == RecipeName::Hybrid { Recipe::Hybrid } else { Recipe::Named(name) })
    }

    fn in_file(path: &str) -> Result<Recipe> {
        if Path::new(path).extension().is_none_or(|extension| extension != "json") {
            let names = RecipeName::ALL.map(RecipeName::name).join(", ");
            let message = format!("there is no recipe {path:?}; there are {names}, or a .json file");
            return Err(UsageError(message).into());
        }
        let text = fs::read(path).with_context(|| format!("{path} cannot be read"))?;
        let json = Json::parse(&text).with_context(|| format!("{path} is not JSON"))?;
        Ok(Recipe::Own(json))
    }
}

/// Searches with a recipe of a source system.
pub fn ask(
    engine: &mut Engine,
    recipe: RecipeName,
    query: &str,
    options: Vec<(String, Json)>,
    vector: Option<Vec<f32>>,
) -> Result<RecipeAnswer> {
    let mut entries = vec![("query".to_owned(), Json::String(query.to_owned()))];
    entries.extend(options);
    let json = Json::Object(entries);
    let embedded = Embedded::from(vector);
    let mut read = Options::of(&json);
    Ok(match recipe {
        RecipeName::Memory => {
            let query = MemoryQuery::take(&mut read);
            read.finish()?;
            let response = engine.memory().search(&query, &embedded)?;
            let hits = response.results.iter().map(memory_hit).collect();
            RecipeAnswer {
                hits,
                warnings: response.warnings.clone(),
                response: serde_json::to_value(response)?,
            }
        }
        RecipeName::Rag => {
            let query = RagQuery::take(&mut read);
            let clamped = read.finish()?;
            let response = RagResponse { clamped, ..engine.rag().search(&query, &embedded)? };
            let hits = response.results.iter().map(rag_hit).collect();
            RecipeAnswer {
                hits,
                warnings: response.warnings.clone(),
                response: serde_json::to_value(response)?,
            }
        }
        RecipeName::Unified => {
            let query = UnifiedQuery::take(&mut read);
            let clamped = read.finish()?;
            let response = UnifiedResponse { clamped, ..engine.unified().search(&query, &embedded)? };
            let hits = response.hits.iter().map(unified_hit).collect();
            RecipeAnswer {
                hits,
                warnings: response.warnings.clone(),
                response: serde_json::to_value(response)?,
            }
        }
        RecipeName::Vault | RecipeName::Hybrid => {
            let query = VaultQuery::take(&mut read);
            read.finish()?;
            let response = engine.vault().search(&query, &embedded)?;
            let hits = response.results.iter().map(vault_hit).collect();
            RecipeAnswer {
                hits,
                warnings: response.warnings.clone(),
                response: serde_json::to_value(response)?,
            }
        }
    })
}

/// The response of a recipe, and the parts of it that the terminal shows.
#[derive(Debug)]
pub struct RecipeAnswer {
    /// The hits, best first.
    pub hits: Vec<RecipeHit>,
    /// The reasons why a part of the search could not be done.
    pub warnings: Vec<String>,
    /// The whole response, as the JavaScript API returns it.
    pub response: serde_json::Value,
}

/// The parts of a hit that all recipes share.
#[derive(Debug, PartialEq)]
pub struct RecipeHit {
    /// The record's id.
    pub id: String,
    /// Its score.
    pub score: f64,
    /// The text to show.
    pub text: Option<String>,
    /// How the score is made up.
    pub explain: Option<Explain>,
}

fn memory_hit(hit: &MemoryHit) -> RecipeHit {
    let (fields, text) = match hit {
        MemoryHit::Memory(result) => (&result.hit, text_in(&result.memory, &["content"])),
        MemoryHit::Document(result) => (&result.hit, Some(result.chunk.text.clone())),
    };
    RecipeHit {
        id: hit.id().to_owned(),
        score: hit.score(),
        text: fields.highlights.first().cloned().or(text),
        explain: fields.explain.clone(),
    }
}

fn rag_hit(hit: &RagResult) -> RecipeHit {
    RecipeHit {
        id: text_in(&hit.record, &["id"]).unwrap_or_default(),
        score: hit.score,
        text: text_in(&hit.record, &["title", "text"]),
        explain: hit.explain.clone(),
    }
}

fn unified_hit(hit: &UnifiedHit) -> RecipeHit {
    let title = hit.title.as_ref().and_then(Json::as_str).map(str::to_owned);
    RecipeHit {
        id: hit.id.clone(),
        score: hit.score,
        text: title.or_else(|| text_in(hit.record.as_ref()?, &["content"])),
        explain: hit.explain.clone(),
    }
}

fn vault_hit(hit: &VaultResult) -> RecipeHit {
    let scan = hit.scan.as_ref().map(|scan| scan.title.clone());
    RecipeHit {
        id: hit.id.clone(),
        score: hit.score,
        text: scan.or_else(|| text_in(hit.entry.as_ref()?, &["title", "content", "description"])),
        explain: hit.explain.clone(),
    }
}

/// Returns the first of these fields that a record has as text.
fn text_in(record: &Json, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| record.get(name).and_then(Json::as_str)).map(str::to_owned)
}

/// Parses options: a JSON object of names and values.
pub fn parse_options(text: &str) -> Result<Json, String> {
    match Json::parse(text.as_bytes()) {
        Ok(json @ Json::Object(_)) => Ok(json),
        Ok(json) => Err(format!("pass a JSON object such as {{\"limit\": 5}}, not {}", json.kind())),
        Err(error) => Err(format!("this is not JSON: {error}")),
    }
}

/// Finds a value by the name that an argument gives.
pub fn named<T: Copy>(
    argument: &str,
    name: Option<&str>,
    all: &[T],
    name_of: fn(T) -> &'static str,
) -> Result<Option<T>> {
    let Some(name) = name else { return Ok(None) };
    let found = all.iter().copied().find(|value| name_of(*value) == name);
    let known = || all.iter().map(|value| name_of(*value)).collect::<Vec<_>>().join(", ");
    let unknown = || format!("{argument}: unknown {argument} \"{name}\"; use one of {}", known());
    found.map(Some).with_context(unknown)
}

/// Reads options of the default search.
pub fn search_options(json: Option<&Json>) -> Result<SearchOptions> {
    let options = SearchOptions::read(json.unwrap_or(&Json::Null));
    options.map_err(|error| UsageError(format!("--options: {error}")).into())
}
