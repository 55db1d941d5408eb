//! How is a judged query asked? Arguments, vectors and conditions that all commands with judged queries share.

use super::JudgedQuery;
use crate::embedding::QueryEmbedder;
use crate::embedding::args::EmbedArgs;
use crate::failure::UsageError;
use crate::input::VectorFile;
use crate::print;
use crate::provider::Cancel;
use crate::recipe;
use anyhow::{Context, Result};
use snapseek::json::Json;
use snapseek::recipe::hybrid::Mode;
use snapseek::{Schema, SearchOptions};
use std::path::PathBuf;

/// The arguments that say how judged queries are asked.
#[derive(Debug, clap::Args)]
pub struct AskArgs {
    /// The queries' vectors, in their order, in a .f32 or .npy file
    #[arg(long, value_name = "MODEL=FILE", value_parser = crate::vectors::parse_file)]
    query_vectors: Option<(String, PathBuf)>,

    /// The mode: keyword, vector or hybrid [default: hybrid if queries have vectors]
    #[arg(long)]
    mode: Option<String>,

    /// Searches only records whose attribute of this name has the query's value
    #[arg(long, value_name = "NAME")]
    same: Vec<String>,

    /// Further search options of the JavaScript API
    #[arg(long, value_name = "JSON", value_parser = recipe::parse_options)]
    options: Option<Json>,

    #[command(flatten)]
    embed: EmbedArgs,
}

/// A query with everything that a search for it needs.
#[derive(Debug)]
pub struct AskedQuery<'a> {
    /// The query.
    pub query: &'a JudgedQuery,
    /// Its vector; `None` if it has none, or if the snapshot embeds it.
    pub vector: Option<Vec<f32>>,
    /// The conditions on attributes that come from the query.
    same: Vec<(String, Json)>,
    mode: Option<&'a str>,
    model: Option<String>,
    options: Option<&'a Json>,
}

impl AskArgs {
    /// Gives every query its vector and its conditions.
    ///
    /// # Errors
    /// When vectors cannot be read or made, or a query lacks an attribute that `--same` names.
    pub fn questions<'a>(
        &'a self,
        queries: &'a [JudgedQuery],
        schema: &Schema,
    ) -> Result<Vec<AskedQuery<'a>>> {
        let QueryVectors { vectors, model } = self.query_vectors(queries, schema)?;
        let asked = queries.iter().zip(vectors).map(|(query, vector)| {
            Ok(AskedQuery {
                query,
                vector,
                same: self.conditions(query).with_context(|| format!("query {:?}", query.id))?,
                mode: self.mode.as_deref(),
                model: model.clone(),
                options: self.options.as_ref(),
            })
        });
        asked.collect()
    }

    /// Gets the vectors of queries from a file, or from a provider.
    fn query_vectors(&self, queries: &[JudgedQuery], schema: &Schema) -> Result<QueryVectors> {
        if let Some((name, path)) = &self.query_vectors {
            if self.embed.embed.is_some() {
                let message = "--query-vectors and --embed both give the queries' vectors; pass one";
                return Err(UsageError(message.to_owned()).into());
            }
            let width = schema.model(name).and_then(|(_, model)| model.width);
            let mut file = VectorFile::open(path, Some(queries.len() as u64), width)?;
            let rows = (0..queries.len() as u64).map(|row| file.row(row).map(Some));
            return Ok(QueryVectors { vectors: rows.collect::<Result<_>>()?, model: Some(name.clone()) });
        }
        let cancel = Cancel::new();
        let _interruptible = self.embed.embed.is_some().then(|| cancel.on_interrupt());
        let Some(embedder) = QueryEmbedder::start(&self.embed, schema, None, &cancel)? else {
            return Ok(QueryVectors { vectors: vec![None; queries.len()], model: None });
        };
        let texts = queries.iter().map(|query| query.text.as_str()).collect::<Vec<_>>();
        let model = (schema.models().len() > 1).then(|| embedder.model().to_owned());
        Ok(QueryVectors { vectors: embedder.vectors(&texts)?, model })
    }

    fn conditions(&self, query: &JudgedQuery) -> Result<Vec<(String, Json)>> {
        let own = |name: &String| {
            let value = query.fields.get(name).with_context(|| format!("the query has no {name:?}"))?;
            Ok((name.clone(), value.clone()))
        };
        self.same.iter().map(own).collect()
    }
}

/// The vectors of queries, and the model that they are for.
struct QueryVectors {
    /// One per query; `None` for a query without a vector.
    vectors: Vec<Option<Vec<f32>>>,
    /// The name of the model; `None` takes the snapshot's first.
    model: Option<String>,
}

impl AskedQuery<'_> {
    /// Returns the options of the default search, for `limit` hits without snippets.
    pub fn search_options(&self, limit: usize) -> Result<SearchOptions> {
        let mut options = recipe::search_options(self.options)?;
        options.limit = Some(limit);
        options.snippet.tokens = 0;
        options.mode = recipe::named("mode", self.mode, &Mode::ALL, Mode::name)?.or(options.mode);
        options.model = self.model.clone().or(options.model);
        options.vector.clone_from(&self.vector);
        if !self.same.is_empty() {
            let same = self.same.iter().cloned();
            let mut all = same.map(|entry| Json::Object(vec![entry])).collect::<Vec<_>>();
            all.extend(options.filter.take());
            options.filter = Some(Json::Object(vec![("and".to_owned(), Json::Array(all))]));
        }
        Ok(options)
    }

    /// Returns the options of a named recipe, for `limit` hits. The conditions of the query are options of the same
    /// names.
    pub fn recipe_options(&self, limit: usize) -> Vec<(String, Json)> {
        let mut options = vec![("limit".to_owned(), Json::Integer(limit as i64))];
        options.extend(self.mode.map(|mode| ("mode".to_owned(), Json::String(mode.to_owned()))));
        options.extend(self.model.clone().map(|model| ("model".to_owned(), Json::String(model))));
        options.extend(self.same.iter().cloned());
        if let Some(Json::Object(given)) = self.options {
            options.retain(|(name, _)| !given.iter().any(|(known, _)| known == name));
            options.extend(given.iter().cloned());
        }
        options
    }
}

/// Warns about queries that do not count because nobody judged them.
pub fn warn_of_unjudged(unjudged: &[String], all: usize) {
    if let Some(first) = unjudged.first() {
        print::note(format_args!(
            "warning: skipped {} of {all} queries without judgments, such as {first:?}",
            unjudged.len()
        ));
    }
}
