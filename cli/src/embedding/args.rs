//! What can be said on the command line about embedding?

use super::{Cache, EmbeddingError, Pipeline};
use crate::failure::UsageError;
use crate::print;
use crate::provider::remote::secret::Secret;
use crate::provider::{Cancel, EmbedSpec, Environment, ProviderError, process_environment, provider};
use anyhow::Result;
use std::path::PathBuf;
use std::time::Duration;

/// Who embeds, and how.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Embedding")]
pub struct EmbedArgs {
    /// Makes vectors with this: static:FOLDER, hash, bert:FOLDER, openai, voyage or ollama
    ///
    /// static is a table of token vectors that the snapshot carries, and hash needs no file: with both, queries are
    /// embedded offline wherever the snapshot is opened. With the others a query's vector comes from the caller. openai is text-embedding-3-small, voyage is voyage-3.5, ollama is nomic-embed-text; another model is named
    /// after a colon. bert computes the sentence-transformer in a folder (config.json, tokenizer.json,
    /// model.safetensors), on this machine.
    #[arg(long, value_name = "PROVIDER[:MODEL]")]
    pub embed: Option<String>,

    /// The server to ask [default: the provider's own, or OPENAI_BASE_URL, VOYAGE_BASE_URL, OLLAMA_HOST]
    #[arg(long, value_name = "URL", requires = "embed")]
    pub embed_base_url: Option<String>,

    /// A key; again for more, of which the next is used when one is throttled
    ///
    /// Other users of this machine can see arguments: OPENAI_API_KEY and VOYAGE_API_KEY are the better place. They
    /// may hold several keys, with commas between them.
    #[arg(long, value_name = "KEY", value_parser = parse_keys, requires = "embed")]
    pub api_key: Vec<Keys>,

    /// Texts a request [default: 100; bert: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), requires = "embed")]
    pub embed_batch: Option<u32>,

    /// Requests at a time [default: 4; bert: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), requires = "embed")]
    pub embed_parallel: Option<u16>,

    /// How long a request may take, in seconds [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, requires = "embed")]
    pub embed_timeout: Option<Duration>,

    /// How long a connection may take to come about, in seconds [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, requires = "embed")]
    pub embed_connect_timeout: Option<Duration>,

    /// Keeps vectors in this folder, so that only what changed is embedded again
    ///
    /// Without it, they are kept in SNAPSEEK_CACHE, or in snapseek under XDG_CACHE_HOME or ~/.cache.
    #[arg(long, value_name = "FOLDER", requires = "embed")]
    pub embed_cache: Option<PathBuf>,

    /// Embeds everything, and keeps nothing for the next time
    #[arg(long, requires = "embed", conflicts_with = "embed_cache")]
    pub no_embed_cache: bool,

    /// Stops where vectors cannot be made, instead of going on without any
    #[arg(long)]
    pub strict: bool,
}

/// The keys of one argument.
#[derive(Clone, Debug)]
pub struct Keys(Vec<Secret>);

fn parse_keys(text: &str) -> Result<Keys, std::convert::Infallible> {
    // It cannot fail, for an error would show the argument.
    Ok(Keys(Secret::list(text)))
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "a number of seconds, more than 0".to_owned())
}

impl EmbedArgs {
    /// What the arguments ask for, if it is anything.
    pub fn spec(&self) -> Option<EmbedSpec> {
        let mut spec = EmbedSpec::parse(self.embed.as_ref()?);
        spec.base_url = self.embed_base_url.clone();
        spec.keys = self.api_key.iter().flat_map(|keys| keys.0.clone()).collect();
        spec.batch = self.embed_batch.map(|batch| batch as usize);
        spec.timeouts.request = self.embed_timeout.unwrap_or(spec.timeouts.request);
        spec.timeouts.connect = self.embed_connect_timeout.unwrap_or(spec.timeouts.connect);
        Some(spec)
    }

    /// A pipeline that is ready, or nothing where nothing was asked for.
    ///
    /// Nothing, too, where the provider cannot start, with a warning; unless `--strict` was passed (V15).
    pub fn start(&self, cancel: &Cancel) -> Result<Option<Pipeline>> {
        let Some(spec) = self.spec() else { return Ok(None) };
        match self.pipeline(&spec, &process_environment, cancel) {
            Ok(pipeline) => Ok(Some(pipeline)),
            Err(error) => self.without_vectors(error).map(|()| None),
        }
    }

    /// Goes on without vectors, and says so; where that is not wanted, or nobody could want it, it is the error.
    pub fn without_vectors(&self, error: EmbeddingError) -> Result<()> {
        match error {
            EmbeddingError::Provider(error) if error.is_usage() => Err(UsageError(error.to_string()).into()),
            EmbeddingError::Interrupted { .. } | EmbeddingError::Provider(ProviderError::Cancelled) => {
                Err(error.into())
            }
            _ if self.strict => Err(error.into()),
            _ => {
                print::note(format_args!("warning: {error}"));
                print::note("warning: there will be no vectors; pass --strict to stop instead");
                Ok(())
            }
        }
    }

    fn pipeline(
        &self,
        spec: &EmbedSpec,
        environment: &Environment,
        cancel: &Cancel,
    ) -> Result<Pipeline, EmbeddingError> {
        let provider = provider(spec, environment, cancel).map_err(EmbeddingError::Provider)?;
        let folder = self.cache_folder(environment);
        let fingerprint = provider.model().fingerprint.clone();
        let mut pipeline = Pipeline::new(provider, cancel.clone());
        if let Some(parallel) = self.embed_parallel {
            pipeline = pipeline.with_parallel(usize::from(parallel));
        }
        match folder.map(|folder| Cache::open(&folder, &fingerprint)) {
            None => Ok(pipeline),
            Some(Ok(cache)) => pipeline.with_cache(cache),
            // Nobody asked for this place; a home that cannot be written to is no reason to stop.
            Some(Err(error)) if self.embed_cache.is_none() => {
                print::note(format_args!("warning: {error}; vectors are not kept for the next time"));
                Ok(pipeline)
            }
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// Where vectors are kept, if they are.
    fn cache_folder(&self, environment: &Environment) -> Option<PathBuf> {
        if self.no_embed_cache {
            return None;
        }
        let named =
            |variable: &str| environment(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        let own = || named("SNAPSEEK_CACHE");
        let shared = || Some(named("XDG_CACHE_HOME")?.join("snapseek"));
        let home = || Some(named("HOME").or_else(|| named("USERPROFILE"))?.join(".cache/snapseek"));
        let folder = self.embed_cache.clone().or_else(own).or_else(shared).or_else(home)?;
        Some(folder.join("embeddings"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Purpose;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        embed: EmbedArgs,
    }

    fn parse(args: &[&str]) -> Result<EmbedArgs, clap::Error> {
        Command::try_parse_from([&["snapseek"], args].concat()).map(|command| command.embed)
    }

    #[test]
    fn v15_everything_that_is_said_reaches_the_spec() {
        let args = "--embed openai:large --embed-base-url http://x --api-key a,b --api-key c --embed-batch 7 \
            --embed-timeout 1.5 --embed-connect-timeout 0.5";
        let args = parse(&args.split_whitespace().collect::<Vec<_>>()).unwrap();
        let spec = args.spec().unwrap();
        assert_eq!((spec.provider.as_str(), spec.model.as_deref()), ("openai", Some("large")));
        assert_eq!((spec.keys.len(), spec.batch), (3, Some(7)));
        assert_eq!(spec.base_url.as_deref(), Some("http://x"));
        assert_eq!(spec.timeouts.request, Duration::from_millis(1500));
        assert_eq!(spec.timeouts.connect, Duration::from_millis(500));
        assert!(parse(&[]).unwrap().spec().is_none());
    }

    #[test]
    fn keys_are_not_shown_with_the_arguments() {
        let args = parse(&["--embed", "openai", "--api-key", "sk-hush"]).unwrap();
        assert!(!format!("{args:?} {:?}", args.spec()).contains("hush"));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for args in [
            &["--embed", "openai", "--embed-timeout", "0"][..],
            &["--embed", "openai", "--embed-timeout", "soon"],
            &["--embed", "openai", "--embed-batch", "0"],
            &["--embed", "openai", "--embed-cache", "x", "--no-embed-cache"],
            &["--api-key", "x"],
        ] {
            assert!(parse(args).is_err(), "{args:?}");
        }
    }

    #[test]
    fn the_cache_is_where_it_is_said_to_be_then_where_caches_are() {
        let folder = |args: &[&str], variables: &[(&str, &str)]| {
            let value =
                |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, v)| v.to_string());
            let args = parse(&[&["--embed", "openai"], args].concat()).unwrap();
            args.cache_folder(&value).map(|path| path.to_string_lossy().into_owned())
        };
        let all = [("SNAPSEEK_CACHE", "/own"), ("XDG_CACHE_HOME", "/xdg"), ("HOME", "/home/me")];
        assert_eq!(folder(&["--embed-cache", "here"], &all).unwrap(), "here/embeddings");
        assert_eq!(folder(&[], &all).unwrap(), "/own/embeddings");
        assert_eq!(folder(&[], &all[1..]).unwrap(), "/xdg/snapseek/embeddings");
        assert_eq!(folder(&[], &all[2..]).unwrap(), "/home/me/.cache/snapseek/embeddings");
        assert_eq!(folder(&[], &[]), None);
        assert_eq!(folder(&["--no-embed-cache"], &all), None);
    }

    #[test]
    fn a_pipeline_starts_with_its_provider_and_its_cache() {
        let folder = tempfile::tempdir().unwrap();
        let model = concat!("bert:", env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tiny-bert");
        let args =
            ["--embed", model, "--embed-parallel", "3", "--embed-cache", folder.path().to_str().unwrap()];
        let pipeline = parse(&args).unwrap().start(&Cancel::new()).unwrap().unwrap();
        assert_eq!(pipeline.model().id, "bert:tiny-bert");
        let texts = (0..40).map(|number| format!("the fox {number}")).collect::<Vec<_>>();
        let vectors = pipeline.embed(&texts, Purpose::Document).unwrap();
        let again = parse(&args).unwrap().start(&Cancel::new()).unwrap().unwrap();
        assert_eq!(again.embed(&texts, Purpose::Document).unwrap(), vectors);
        assert_eq!((again.tally().cached, again.width()), (40, Some(8)));
        assert!(parse(&[]).unwrap().start(&Cancel::new()).unwrap().is_none());
    }

    #[test]
    fn v15_a_provider_that_cannot_start_is_a_warning_or_strictly_an_error() {
        let cannot_start =
            || EmbeddingError::Provider(ProviderError::KeyMissing { provider: "openai", variable: "K" });
        assert!(EmbedArgs::default().without_vectors(cannot_start()).is_ok());
        let strict = EmbedArgs { strict: true, ..EmbedArgs::default() };
        assert!(strict.without_vectors(cannot_start()).is_err());
        let unknown = EmbeddingError::Provider(ProviderError::UnknownProvider { name: "x".to_owned() });
        assert!(EmbedArgs::default().without_vectors(unknown).unwrap_err().is::<UsageError>());
    }
}
