//! How does a query get a vector that can be compared with those of a snapshot?
//!
//! The provider that embedded the records embeds the query. Some providers (Voyage) embed queries and documents differently,
//! so they are told which one a text is.

use super::Pipeline;
use super::args::EmbedArgs;
use crate::failure::UsageError;
use crate::print;
use crate::provider::{Cancel, ModelIdentity, TextPurpose};
use anyhow::Result;
use snapseek::Schema;
use snapseek::schema::VectorModel;

/// Said when a query has no vector.
const WITHOUT_VECTORS: &str = "queries are searched without vectors";

/// Embeds queries for one vector model of a snapshot.
#[derive(Debug)]
pub struct QueryEmbedder<'a> {
    args: &'a EmbedArgs,
    pipeline: Pipeline,
    model: String,
}

impl<'a> QueryEmbedder<'a> {
    /// Starts the provider that `--embed` names, for the model with the name `model`, or else for the snapshot's model
    /// whose id is the provider's.
    ///
    /// Returns `None` without `--embed`, and, after a warning, if the provider cannot start.
    ///
    /// # Errors
    /// When the snapshot has no vectors of the provider's model.
    pub fn start(
        args: &'a EmbedArgs,
        schema: &Schema,
        model: Option<&str>,
        cancel: &Cancel,
    ) -> Result<Option<QueryEmbedder<'a>>> {
        let Some(spec) = args.spec(None)? else { return Ok(None) };
        if spec.is_built_in() {
            let message = format!(
                "--embed {} is for build: the snapshot carries the model and embeds queries by itself; \
                 leave --embed out",
                spec.provider
            );
            return Err(UsageError(message).into());
        }
        let Some(pipeline) = args.start(&spec, cancel, WITHOUT_VECTORS)? else { return Ok(None) };
        let model = comparable(schema, model, pipeline.model()).map_err(UsageError)?;
        Ok(Some(QueryEmbedder { args, pipeline, model }))
    }

    /// The name of the snapshot's model that the vectors are for.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns a vector for each query that is not blank; none for any, after a warning, if the provider fails.
    pub fn vectors(&self, queries: &[&str]) -> Result<Vec<Option<Vec<f32>>>> {
        let embedded = queries.iter().enumerate().filter(|(_, query)| !query.trim().is_empty());
        let (places, texts): (Vec<_>, Vec<_>) =
            embedded.map(|(place, query)| (place, query.to_string())).unzip();
        let mut all = vec![None; queries.len()];
        match self.pipeline.embed(&texts, TextPurpose::Query) {
            Ok(vectors) => {
                places.into_iter().zip(vectors).for_each(|(place, vector)| all[place] = Some(vector));
            }
            Err(error) => self.args.without_vectors(error, WITHOUT_VECTORS)?,
        }
        Ok(all)
    }
}

/// Returns the name of the snapshot's model whose vectors can be compared with those of the provider.
fn comparable(schema: &Schema, wanted: Option<&str>, own: &ModelIdentity) -> Result<String, String> {
    let is_of = |model: &VectorModel| model.id.as_deref().is_none_or(|id| id == own.id);
    let found = match wanted {
        Some(wanted) => {
            let known = schema.models().find(|(name, _)| *name == wanted);
            let known = known.ok_or_else(|| {
                let names = schema.models().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
                format!(
                    "the snapshot has no vectors {wanted}; it has {}",
                    if names.is_empty() { "none" } else { &names }
                )
            })?;
            Some(known).filter(|(_, model)| is_of(model))
        }
        // A model that names its id is a better match than one that names none.
        None => {
            let named = schema.models().find(|(_, model)| model.id.as_deref() == Some(&own.id));
            named.or_else(|| schema.models().find(|(_, model)| is_of(model)))
        }
    };
    let Some((name, model)) = found else {
        let ids = schema.models().filter(|(name, _)| wanted.is_none_or(|wanted| wanted == *name));
        let ids = ids.filter_map(|(_, model)| model.id.as_deref()).collect::<Vec<_>>();
        return Err(match ids.as_slice() {
            [] => "the snapshot has no vectors; build it with --embed, or leave --embed out".to_owned(),
            ids => format!(
                "the snapshot's vectors are of {}, and --embed gives vectors of {}, which cannot be compared; \
                 pass --embed {}",
                ids.join(", "),
                own.id,
                ids[0]
            ),
        });
    };
    if model.fingerprint.as_ref().is_some_and(|fingerprint| *fingerprint != own.fingerprint) {
        print::note(format_args!(
            "warning: the snapshot's vectors come from another server, or another version, of {}; \
             similarities may be wrong",
            own.id
        ));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparable_with(models: &[(&str, Option<&str>)], wanted: Option<&str>) -> Result<String, String> {
        let mut schema = Schema::parse(br#"{"fields":{"t":{}}}"#).unwrap();
        for (name, id) in models {
            let model = VectorModel { id: id.map(str::to_owned), ..VectorModel::default() };
            schema = schema.with_vectors(name, model).unwrap();
        }
        let own = ModelIdentity { id: "voyage:lite".to_owned(), fingerprint: String::new(), width: None };
        comparable(&schema, wanted, &own)
    }

    #[test]
    fn the_model_with_the_id_of_the_provider_is_taken_or_one_without_an_id() {
        let models = [("file", None), ("small", Some("openai:small")), ("lite", Some("voyage:lite"))];
        assert_eq!(comparable_with(&models, None).unwrap(), "lite");
        assert_eq!(comparable_with(&models[..2], None).unwrap(), "file");
        assert_eq!(comparable_with(&models, Some("file")).unwrap(), "file");
    }

    #[test]
    fn models_that_cannot_be_compared_are_named() {
        let models = [("small", Some("openai:small")), ("lite", Some("voyage:lite"))];
        let message = "the snapshot's vectors are of openai:small, and --embed gives vectors of voyage:lite, which cannot \
                       be compared; pass --embed openai:small";
        assert_eq!(comparable_with(&models[..1], None).unwrap_err(), message);
        assert_eq!(comparable_with(&models, Some("small")).unwrap_err(), message);
        let unknown = comparable_with(&models, Some("x")).unwrap_err();
        assert_eq!(unknown, "the snapshot has no vectors x; it has small, lite");
        let none = comparable_with(&[], None).unwrap_err();
        assert!(none.starts_with("the snapshot has no vectors; build it with --embed"), "{none}");
    }
}
