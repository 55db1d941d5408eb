//! The arguments about embedding.

use super::{Cache, EmbeddingError, EmbeddingSettings, Pipeline};
use crate::failure::UsageError;
use crate::print;
use crate::provider::remote::secret::Secret;
use crate::provider::{Cancel, EmbedSpec, Environment, ProviderError, process_environment, provider};
use anyhow::Result;
use std::path::PathBuf;
use std::time::Duration;

/// Which provider embeds, and how.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Embedding")]
pub struct EmbedArgs {
    /// Makes vectors with a provider: static, hash, bert:FOLDER, openai, voyage or ollama
    ///
    /// static is a table of token vectors that the snapshot carries: the English one, which comes with the npm package
    /// or which SNAPSEEK_STATIC_MODEL names, or static:PATH, a folder or a file of `snapseek model`. hash needs no file.
    /// With these two, a snapshot embeds queries offline. With the others, pass --embed to search and eval too, or a
    /// vector from elsewhere.
    ///
    /// The default models are text-embedding-3-small of openai, voyage-3.5 of voyage and nomic-embed-text of ollama;
    /// name another after a colon. bert computes the sentence-transformer in a folder (config.json, tokenizer.json,
    /// model.safetensors) on this machine.
    #[arg(long, value_name = "PROVIDER[:MODEL]")]
    pub embed: Option<String>,

    /// The address of the server [default: the provider's own, or OPENAI_BASE_URL, VOYAGE_BASE_URL, OLLAMA_HOST]
    #[arg(long, value_name = "URL")]
    pub embed_base_url: Option<String>,

    /// An API key; repeat it for more keys, which take turns when one is throttled
    ///
    /// Other users of this machine can see arguments. Prefer OPENAI_API_KEY and VOYAGE_API_KEY, which may hold several
    /// keys, separated by commas.
    #[arg(long, value_name = "KEY", value_parser = parse_keys)]
    pub api_key: Vec<Keys>,

    /// The number of texts per request [default: 100; bert: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub embed_batch: Option<u32>,

    /// The number of concurrent requests [default: 4; bert: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub embed_parallel: Option<u16>,

    /// The timeout of a request, in seconds [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub embed_timeout: Option<Duration>,

    /// The timeout of a connection attempt, in seconds [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub embed_connect_timeout: Option<Duration>,

    /// Caches vectors in this folder, so that only changed texts are embedded again
    ///
    /// Without it, the cache is in SNAPSEEK_CACHE, or in snapseek below XDG_CACHE_HOME or ~/.cache.
    #[arg(long, value_name = "FOLDER")]
    pub embed_cache: Option<PathBuf>,

    /// Embeds everything, and caches nothing
    #[arg(long, conflicts_with = "embed_cache")]
    pub no_embed_cache: bool,

    /// Stops if vectors cannot be made, instead of continuing without them
    #[arg(long)]
    pub strict: bool,
}

/// The keys of one argument.
#[derive(Clone, Debug)]
pub struct Keys(Vec<Secret>);

fn parse_keys(text: &str) -> Result<Keys, std::convert::Infallible> {
    // This must not fail: clap would quote the argument in its message.
    Ok(Keys(Secret::list(text)))
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "pass a number of seconds above 0".to_owned())
}

impl EmbedArgs {
    /// Returns what to embed with; `None` if neither the arguments nor a schema file name a provider.
    ///
    /// An argument overrides the value of the file. If `--embed` names another provider than the file, the rest of the
    /// file's values is for that other provider and is not used.
    ///
    /// # Errors
    /// When an argument about embedding is given, and there is no provider that it could concern.
    pub fn spec(&self, settings: Option<&EmbeddingSettings>) -> Result<Option<EmbedSpec>> {
        let mut spec = match (&self.embed, settings) {
            (Some(embed), _) => EmbedSpec::parse(embed),
            (None, Some(settings)) => EmbedSpec::of(&settings.provider, settings.model.as_deref()),
            (None, None) => return self.check_unused().map(|()| None),
        };
        let settings = settings.filter(|settings| settings.provider == spec.provider);
        spec.base_url = self.embed_base_url.clone().or_else(|| settings?.base_url.clone());
        spec.keys = self.api_key.iter().flat_map(|keys| keys.0.clone()).collect();
        if spec.keys.is_empty() {
            spec.keys = settings.map_or_else(Vec::new, |settings| settings.keys.clone());
        }
        spec.batch = self.embed_batch.map(|batch| batch as usize).or_else(|| settings?.batch_size);
        spec.timeouts.request = self.embed_timeout.unwrap_or(spec.timeouts.request);
        spec.timeouts.connect = self.embed_connect_timeout.unwrap_or(spec.timeouts.connect);
        Ok(Some(spec))
    }

    /// Refuses arguments that concern a provider if there is none.
    fn check_unused(&self) -> Result<()> {
        let given = [
            ("--embed-base-url", self.embed_base_url.is_some()),
            ("--api-key", !self.api_key.is_empty()),
            ("--embed-batch", self.embed_batch.is_some()),
            ("--embed-parallel", self.embed_parallel.is_some()),
            ("--embed-timeout", self.embed_timeout.is_some()),
            ("--embed-connect-timeout", self.embed_connect_timeout.is_some()),
            ("--embed-cache", self.embed_cache.is_some()),
            ("--no-embed-cache", self.no_embed_cache),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => {
                let message = format!("{name} is for an embedding provider; name one with --embed");
                Err(UsageError(message).into())
            }
            None => Ok(()),
        }
    }

    /// Starts a pipeline.
    ///
    /// Returns `None`, after a warning, if the provider cannot start; with `--strict` that is an error (V15).
    pub fn start(&self, spec: &EmbedSpec, cancel: &Cancel, instead: &str) -> Result<Option<Pipeline>> {
        match self.pipeline(spec, &process_environment, cancel) {
            Ok(pipeline) => Ok(Some(pipeline)),
            Err(error) => self.without_vectors(error, instead).map(|()| None),
        }
    }

    /// Warns that there are no vectors, and says what happens `instead`.
    ///
    /// # Errors
    /// The error itself with `--strict`, after Ctrl-C, and when the command line is wrong.
    pub fn without_vectors(&self, error: EmbeddingError, instead: &str) -> Result<()> {
        match error {
            EmbeddingError::Provider(error) if error.is_usage() => Err(UsageError(error.to_string()).into()),
            EmbeddingError::Interrupted { .. } | EmbeddingError::Provider(ProviderError::Cancelled) => {
                Err(error.into())
            }
            _ if self.strict => Err(error.into()),
            _ => {
                print::note(format_args!("warning: {error}"));
                print::note(format_args!("warning: {instead}; pass --strict to stop instead"));
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
            // Nobody asked for this folder, so continue without a cache.
            Some(Err(error)) if self.embed_cache.is_none() => {
                print::note(format_args!("warning: {error}; vectors are not cached"));
                Ok(pipeline)
            }
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// Returns the folder of the cache; `None` if nothing is cached.
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
    use crate::provider::TextPurpose;
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
        let spec = args.spec(None).unwrap().unwrap();
        assert_eq!((spec.provider.as_str(), spec.model.as_deref()), ("openai", Some("large")));
        assert_eq!((spec.keys.len(), spec.batch), (3, Some(7)));
        assert_eq!(spec.base_url.as_deref(), Some("http://x"));
        assert_eq!(spec.timeouts.request, Duration::from_millis(1500));
        assert_eq!(spec.timeouts.connect, Duration::from_millis(500));
        assert!(parse(&[]).unwrap().spec(None).unwrap().is_none());
    }

    #[test]
    fn keys_are_not_shown_with_the_arguments() {
        let args = parse(&["--embed", "openai", "--api-key", "sk-hush"]).unwrap();
        assert!(!format!("{args:?} {:?}", args.spec(None)).contains("hush"));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for args in [
            &["--embed", "openai", "--embed-timeout", "0"][..],
            &["--embed", "openai", "--embed-timeout", "soon"],
            &["--embed", "openai", "--embed-batch", "0"],
            &["--embed", "openai", "--embed-cache", "x", "--no-embed-cache"],
        ] {
            assert!(parse(args).is_err(), "{args:?}");
        }
        for args in [&["--api-key", "x"][..], &["--embed-batch", "3"], &["--no-embed-cache"]] {
            let error = parse(args).unwrap().spec(None).unwrap_err();
            assert!(error.is::<UsageError>() && error.to_string().starts_with(args[0]), "{args:?}: {error}");
        }
    }

    #[test]
    fn v15_an_argument_overrides_the_schema_file_and_another_provider_all_of_it() {
        let table = serde_json::json!({
            "provider": "openai", "model": "large", "apiKey": "a", "keys": ["b"],
            "baseUrl": "http://file", "batchSize": 7,
        });
        let settings = EmbeddingSettings::read(&table).unwrap();
        let spec = |args: &[&str]| parse(args).unwrap().spec(Some(&settings)).unwrap().unwrap();
        let file = spec(&[]);
        assert_eq!((file.provider.as_str(), file.model.as_deref()), ("openai", Some("large")));
        assert_eq!((file.keys.len(), file.batch), (2, Some(7)));
        assert_eq!(file.base_url.as_deref(), Some("http://file"));
        let some = spec(&["--api-key", "c", "--embed-base-url", "http://x"]);
        assert_eq!((some.model.as_deref(), some.batch), (Some("large"), Some(7)));
        assert_eq!((some.keys, some.base_url.as_deref()), (Secret::list("c"), Some("http://x")));
        let model = spec(&["--embed", "openai:small"]);
        assert_eq!((model.model.as_deref(), model.keys.len()), (Some("small"), 2));
        let other = spec(&["--embed", "voyage"]);
        assert_eq!((other.provider.as_str(), other.model, other.batch), ("voyage", None, None));
        assert!(other.keys.is_empty() && other.base_url.is_none());
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
        let start = |args: &EmbedArgs| {
            let spec = args.spec(None).unwrap().unwrap();
            args.start(&spec, &Cancel::new(), "no vectors").unwrap().unwrap()
        };
        let pipeline = start(&parse(&args).unwrap());
        assert_eq!(pipeline.model().id, "bert:tiny-bert");
        let texts = (0..40).map(|number| format!("the fox {number}")).collect::<Vec<_>>();
        let vectors = pipeline.embed(&texts, TextPurpose::Document).unwrap();
        let again = start(&parse(&args).unwrap());
        assert_eq!(again.embed(&texts, TextPurpose::Document).unwrap(), vectors);
        assert_eq!((again.tally().cached, again.width()), (40, Some(8)));
    }

    #[test]
    fn v15_a_provider_that_cannot_start_is_a_warning_or_strictly_an_error() {
        let cannot_start =
            || EmbeddingError::Provider(ProviderError::KeyMissing { provider: "openai", variable: "K" });
        assert!(EmbedArgs::default().without_vectors(cannot_start(), "none").is_ok());
        let strict = EmbedArgs { strict: true, ..EmbedArgs::default() };
        assert!(strict.without_vectors(cannot_start(), "none").is_err());
        let unknown = EmbeddingError::Provider(ProviderError::UnknownProvider { name: "x".to_owned() });
        assert!(EmbedArgs::default().without_vectors(unknown, "none").unwrap_err().is::<UsageError>());
    }
}
