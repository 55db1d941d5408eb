//! Which recipe answers a query, and which hits does its response contain?

use crate::failure::UsageError;
use anyhow::{Context, Result};
use snapseek::json::Json;
use snapseek::schema::RecipeName;
use snapseek::{Engine, SearchOptions};
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
    Named(&'static str),
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
        Ok(if name == RecipeName::Hybrid { Recipe::Hybrid } else { Recipe::Named(name.name()) })
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

/// Searches with a named recipe. Returns the same JSON as the JavaScript API.
pub fn ask(
    engine: &mut Engine,
    recipe: &str,
    query: &str,
    options: Vec<(String, Json)>,
    vector: Option<Vec<f32>>,
) -> Result<Json> {
    let mut entries = vec![("query".to_owned(), Json::String(query.to_owned()))];
    entries.extend(options);
    let answer = engine.call(&format!("{recipe}.search"), &Json::Object(entries), vector)?;
    Json::parse(answer.as_bytes()).context("the response is not JSON")
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
    let unknown = || {
        let known = all.iter().map(|value| name_of(*value)).collect::<Vec<_>>().join(", ");
        UsageError(format!("--{argument}: unknown {argument} \"{name}\"; use one of {known}"))
    };
    Ok(Some(found.ok_or_else(unknown)?))
}

/// Reads options of the default search.
pub fn search_options(json: Option<&Json>) -> Result<SearchOptions> {
    let options = SearchOptions::read(json.unwrap_or(&Json::Null));
    options.map_err(|error| UsageError(format!("--options: {error}")).into())
}

/// The parts of a hit that all recipes share.
#[derive(Debug, PartialEq)]
pub struct RecipeHit<'a> {
    /// The record's id.
    pub id: &'a str,
    /// Its score.
    pub score: f64,
    /// The text to show.
    pub text: Option<&'a str>,
    /// How the score is made up.
    pub explain: Option<&'a Json>,
}

/// Returns the hits of a response, best first.
pub fn found(answer: &Json) -> Vec<RecipeHit<'_>> {
    let list = match answer {
        Json::Array(list) => list,
        _ => match answer.get("results").or_else(|| answer.get("hits")) {
            Some(Json::Array(list)) => list,
            _ => return Vec::new(),
        },
    };
    list.iter().filter_map(found_one).collect()
}

fn found_one(hit: &Json) -> Option<RecipeHit<'_>> {
    let inner = ["memory", "document", "entry", "record"]
        .iter()
        .find_map(|name| hit.get(name).filter(|value| matches!(value, Json::Object(_))));
    let field = |name: &str| {
        let own = hit.get(name).and_then(Json::as_str);
        own.or_else(|| inner.and_then(|inner| inner.get(name)).and_then(Json::as_str))
    };
    let highlight = match hit.get("highlights") {
        Some(Json::Array(all)) => all.first().and_then(Json::as_str),
        _ => None,
    };
    let texts = ["snippet", "title", "chunkText", "text", "content", "description"];
    Some(RecipeHit {
        id: field("id")?,
        score: hit.get("score").and_then(Json::as_f64)?,
        text: highlight.or_else(|| texts.iter().find_map(|name| field(name))),
        explain: hit.get("explain").or_else(|| hit.get("breakdown")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hits_of_every_answer_are_found() {
        let answer = |text: &str| Json::parse(text.as_bytes()).unwrap();
        for text in [
            r#"{"results":[{"memory":{"id":"a","content":"red"},"score":0.5}]}"#,
            r#"{"results":[{"entry":{"id":"a"},"score":0.5,"title":"red"}]}"#,
            r#"[{"id":"a","score":0.5,"highlights":["red"]}]"#,
            r#"{"hits":[{"id":"a","score":0.5,"snippet":"red"},{"score":1}]}"#,
        ] {
            let answer = answer(text);
            let found = found(&answer);
            assert_eq!(
                found,
                [RecipeHit { id: "a", score: 0.5, text: Some("red"), explain: None }],
                "{text}"
            );
        }
        assert!(found(&answer("7")).is_empty());
    }
}
