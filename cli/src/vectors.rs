//! Where do the vectors of records come from? For each model: a field of the record, a file, the snapshot's own
//! embedder, or a provider.

use crate::embedding::Pipeline;
use crate::embedding::args::EmbedArgs;
use crate::failure::UsageError;
use crate::input::{Entry, Inputs, VectorFile};
use crate::neighbours::with_neighbours;
use crate::parallel;
use crate::print;
use crate::provider::{Cancel, EmbedSpec, TextPurpose, english_model, process_environment, static_model};
use anyhow::{Context, Result, ensure};
use snapseek::embed::{Embedder, HashEmbedder, StaticModelView};
use snapseek::schema::{EmbedderKind, VectorModel};
use snapseek::segment::{Embedders, with_static_model};
use snapseek::vector::Encoding;
use snapseek::{Record, Schema};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The warning when a provider cannot start, or fails with its first text.
const WITHOUT_VECTORS: &str = "there will be no vectors";

/// The arguments about vectors.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Vectors")]
pub struct VectorArgs {
    /// Reads a model's vectors from a .f32 or .npy file, one row per record in their order
    #[arg(long, value_name = "MODEL=FILE", value_parser = parse_file, conflicts_with_all = ["chunk", "skip_bad"])]
    pub vectors: Vec<(String, PathBuf)>,

    /// The precision of vectors, if the schema does not set it: f32, i8 or i1 [default: i8]
    #[arg(long, value_name = "E", value_parser = parse_encoding)]
    pub encoding: Option<Encoding>,

    /// Stores only the tokens of a static model that occur in the records, and the tokens nearest to them
    ///
    /// The snapshot becomes smaller. A query still finds synonyms of the records' words, but words that are far from all
    /// of them have no effect.
    #[arg(long)]
    pub corpus_vocabulary: bool,

    #[command(flatten)]
    pub embed: EmbedArgs,
}

/// Parses `MODEL=FILE`.
pub fn parse_file(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((model, file)) if !model.is_empty() && !file.is_empty() => Ok((model.to_owned(), file.into())),
        _ => Err("pass a model and a file, such as minilm=vectors.f32".to_owned()),
    }
}

fn parse_encoding(text: &str) -> Result<Encoding, String> {
    let known = [Encoding::F32, Encoding::I8, Encoding::I1].into_iter();
    known.clone().find(|encoding| encoding.name() == text).ok_or_else(|| "pass f32, i8 or i1".to_owned())
}

/// The sources of a schema's vectors.
#[derive(Debug)]
pub struct Vectors {
    origins: Vec<Origin>,
    /// The tables of static models, one per model, empty for other models.
    tables: Vec<Vec<u8>>,
    /// For each model, which tokens occur in records; `None` if the table is stored whole.
    seen: Vec<Option<Mutex<Vec<bool>>>>,
}

#[derive(Debug)]
enum Origin {
    /// The record contains the vector, or has none.
    Record,
    /// A file, row by row.
    File { file: Box<Mutex<VectorFile>>, next: Mutex<u64> },
    /// The snapshot's own embedder.
    Own,
    /// A provider.
    Provider(Box<Pipeline>),
}

impl Vectors {
    /// Prepares all sources, and adds to the schema the models that only the arguments name.
    pub fn prepare(
        args: &VectorArgs,
        spec: Option<&EmbedSpec>,
        schema: &mut Schema,
        inputs: &mut Inputs,
        count: impl Fn() -> Result<Option<u64>>,
        cancel: &Cancel,
    ) -> Result<Vectors> {
        let encoding = args.encoding.unwrap_or_default();
        for (name, path) in &args.vectors {
            if schema.model(name).is_none() {
                let model = VectorModel { encoding, ..VectorModel::default() };
                *schema =
                    schema.clone().with_vectors(name, model).with_context(|| path.display().to_string())?;
            }
        }
        let mut vectors = Vectors { origins: Vec::new(), tables: Vec::new(), seen: Vec::new() };
        for (name, model) in schema.models() {
            vectors.origins.push(match args.vectors.iter().find(|(other, _)| other == name) {
                Some((_, path)) => Origin::file(path, model.width, &count)?,
                None if model.embedder.is_some() => Origin::Own,
                None => Origin::Record,
            });
            vectors.tables.push(Vec::new());
            vectors.seen.push(None);
        }
        if let Some(spec) = spec {
            vectors.add_embedder(args, spec, schema, inputs, cancel)?;
            vectors.count_texts(&count)?;
        }
        while let Some(place) = vectors.without_table(schema) {
            let table = static_table(None)?;
            let (name, model) = schema.models().nth(place).expect("the place is one of the schema's models");
            let (name, model) = (name.to_owned(), model.clone());
            *schema = schema
                .clone()
                .with_model(&name, with_static_model(model, &StaticModelView::parse(&table)?))?;
            vectors.set_table(place, table, args.corpus_vocabulary)?;
        }
        Ok(vectors)
    }

    /// Returns the first model that has the embedder `static` and no table yet.
    fn without_table(&self, schema: &Schema) -> Option<usize> {
        let is_static = |(_, model): (&str, &VectorModel)| model.embedder == Some(EmbedderKind::Static);
        (0..)
            .zip(schema.models())
            .find(|(place, model)| is_static(*model) && self.tables[*place].is_empty())
            .map(|(place, _)| place)
    }

    fn set_table(&mut self, place: usize, table: Vec<u8>, corpus_vocabulary: bool) -> Result<()> {
        if corpus_vocabulary {
            let tokens = StaticModelView::parse(&table)?.token_count();
            self.seen[place] = Some(Mutex::new(vec![false; tokens as usize]));
        }
        self.tables[place] = table;
        Ok(())
    }

    fn add_embedder(
        &mut self,
        args: &VectorArgs,
        spec: &EmbedSpec,
        schema: &mut Schema,
        inputs: &mut Inputs,
        cancel: &Cancel,
    ) -> Result<()> {
        let encoding = args.encoding.unwrap_or_default();
        let added = match spec.provider.as_str() {
            "hash" => {
                let width = match spec.model.as_deref().map(str::parse) {
                    None => HashEmbedder::WIDTH,
                    Some(Ok(width)) if (1..=4096).contains(&width) => width,
                    Some(_) => {
                        return Err(
                            UsageError("pass a width from 1 to 4096, as in hash:256".to_owned()).into()
                        );
                    }
                };
                let own = HashEmbedder::new(width);
                let model = VectorModel {
                    encoding,
                    width: Some(width),
                    embedder: Some(EmbedderKind::Hash),
                    id: Some(own.id().to_owned()),
                    fingerprint: Some(own.fingerprint_text()),
                    ..VectorModel::default()
                };
                (model, Origin::Own, Vec::new())
            }
            "static" => {
                let table = static_table(spec.model.as_deref())?;
                let model = VectorModel { encoding, ..VectorModel::default() };
                (with_static_model(model, &StaticModelView::parse(&table)?), Origin::Own, table)
            }
            _ => {
                let Some(pipeline) = started(args, spec, schema, inputs, cancel)? else { return Ok(()) };
                let model = VectorModel {
                    encoding,
                    width: pipeline.width(),
                    id: Some(pipeline.model().id.clone()),
                    fingerprint: Some(pipeline.model().fingerprint.clone()),
                    ..VectorModel::default()
                };
                (model, Origin::Provider(Box::new(pipeline)), Vec::new())
            }
        };
        let (model, origin, table) = added;
        // Fill a model of the schema that has no other source, or else add a model. One that waits for a table comes first.
        let waiting = self.without_table(schema).filter(|_| !table.is_empty());
        let free = |known: &VectorModel| known.field.is_none() && known.embedder.is_none();
        let is_filled = |place: usize| !matches!(self.origins[place], Origin::Record);
        let is_free = |place: usize, known: &VectorModel| match waiting {
            Some(waiting) => place == waiting,
            None => free(known) && !is_filled(place),
        };
        let free = schema.models().enumerate().find(|(place, (_, known))| is_free(*place, known));
        let place = match free.map(|(place, (name, known))| (place, name.to_owned(), known.clone())) {
            Some((place, name, known)) => {
                let VectorModel { encoding, text, trust, field, .. } = known;
                let model = VectorModel { encoding, text, trust, field, ..model };
                *schema = schema.clone().with_model(&name, model)?;
                place
            }
            None => {
                *schema = schema.clone().with_vectors(&spec.provider, model)?;
                self.origins.push(Origin::Record);
                self.tables.push(Vec::new());
                self.seen.push(None);
                self.origins.len() - 1
            }
        };
        self.origins[place] = origin;
        if table.is_empty() {
            return Ok(());
        }
        self.set_table(place, table, args.corpus_vocabulary)
    }

    /// Tells the provider the number of texts, if it is known.
    fn count_texts(&mut self, count: impl Fn() -> Result<Option<u64>>) -> Result<()> {
        let origins = std::mem::take(&mut self.origins);
        for origin in origins {
            self.origins.push(match origin {
                Origin::Provider(pipeline) => Origin::Provider(match count()? {
                    Some(count) => Box::new(pipeline.with_progress(count)),
                    None => pipeline,
                }),
                other => other,
            });
        }
        Ok(())
    }

    /// Whether a provider shows its progress.
    pub fn show_progress(&self) -> bool {
        self.origins
            .iter()
            .any(|origin| matches!(origin, Origin::Provider(pipeline) if pipeline.shows_progress()))
    }

    /// Whether records must be processed in order, on one thread.
    pub fn are_ordered(&self) -> bool {
        self.origins.iter().any(|origin| matches!(origin, Origin::File { .. } | Origin::Provider(_)))
    }

    /// Returns the vectors of records, by record and model.
    pub fn of(&self, records: &[&Record], schema: &Schema) -> Result<Vec<Vec<Option<Vec<f32>>>>> {
        let embedders = Embedders::with_tables(schema, &self.tables)?;
        let mut all: Vec<Vec<_>> = records.iter().map(|record| embedders.vectors(schema, record)).collect();
        for (model, origin) in self.origins.iter().enumerate() {
            match origin {
                Origin::Record => {}
                Origin::Own => self.note_tokens(model, records, schema)?,
                Origin::File { file, next } => {
                    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                    let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
                    for vectors in &mut all {
                        vectors[model] = Some(file.row(*next)?);
                        *next += 1;
                    }
                }
                Origin::Provider(pipeline) => {
                    let texts = records.iter().map(|record| schema.embedded_text(model, record));
                    let (places, texts): (Vec<_>, Vec<_>) =
                        texts.enumerate().filter(|(_, text)| !text.trim().is_empty()).unzip();
                    let vectors = pipeline.embed(&texts, TextPurpose::Document)?;
                    places
                        .into_iter()
                        .zip(vectors)
                        .for_each(|(place, vector)| all[place][model] = Some(vector));
                }
            }
        }
        Ok(all)
    }

    fn note_tokens(&self, model: usize, records: &[&Record], schema: &Schema) -> Result<()> {
        let Some(seen) = &self.seen[model] else { return Ok(()) };
        let view = StaticModelView::parse(&self.tables[model])?;
        let mut own = Vec::new();
        for record in records {
            view.tokens(&schema.embedded_text(model, record), |token| own.extend(token));
        }
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        own.into_iter().for_each(|token| seen[token as usize] = true);
        Ok(())
    }

    /// Returns the tables to store in the snapshot. Call it after all records.
    pub fn tables(&self, threads: usize) -> Result<Vec<Vec<u8>>> {
        let mut tables = self.tables.clone();
        for (table, seen) in tables.iter_mut().zip(&self.seen) {
            if let Some(seen) = seen {
                let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                let model = StaticModelView::parse(table)?;
                let is_kept = with_neighbours(&model, &seen, threads);
                *table = model.part(|token| is_kept[token as usize]);
            }
        }
        Ok(tables)
    }

    /// Checks that no file has vectors left over. Returns a note for each provider.
    pub fn finish(&self) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        for origin in &self.origins {
            match origin {
                Origin::File { file, next } => {
                    let file = file.lock().unwrap_or_else(PoisonError::into_inner);
                    let used = *next.lock().unwrap_or_else(PoisonError::into_inner);
                    ensure!(
                        used == file.count(),
                        "{} has {} vectors; there are {used} records",
                        file.name(),
                        file.count()
                    );
                }
                Origin::Provider(pipeline) => {
                    let embedded = print::counted(pipeline.tally().embedded as u64, "text");
                    notes.push(format!("{}: {embedded} embedded", pipeline.model().id));
                }
                Origin::Record | Origin::Own => {}
            }
        }
        Ok(notes)
    }
}

/// Reads the table of the static model in this folder or file, by default of the English model.
fn static_table(model: Option<&str>) -> Result<Vec<u8>> {
    match model {
        Some(path) => static_model::encoded(Path::new(path)),
        None => static_model::encoded(&english_model::find(&process_environment)?),
    }
}

impl Origin {
    fn file(path: &Path, width: Option<usize>, count: impl Fn() -> Result<Option<u64>>) -> Result<Origin> {
        let is_npy = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"));
        // A .f32 file shows its width only together with its number of rows.
        let count = if is_npy || width.is_some() { None } else { count()? };
        let file = Box::new(Mutex::new(VectorFile::open(path, count, width)?));
        Ok(Origin::File { file, next: Mutex::new(0) })
    }
}

/// Starts a pipeline and embeds a first text; `None`, after a warning, if that fails.
fn started(
    args: &VectorArgs,
    spec: &EmbedSpec,
    schema: &Schema,
    inputs: &mut Inputs,
    cancel: &Cancel,
) -> Result<Option<Pipeline>> {
    let Some(pipeline) = args.embed.start(spec, cancel, WITHOUT_VECTORS)? else { return Ok(None) };
    let probe = schema.clone().with_vectors("probe", VectorModel::default())?;
    let place = probe.models().len() - 1;
    let text = inputs.first_record().map(|record| probe.embedded_text(place, &record));
    let Some(first) = text.filter(|text| !text.trim().is_empty()) else { return Ok(Some(pipeline)) };
    match pipeline.embed(&[first], TextPurpose::Document) {
        Ok(_) => Ok(Some(pipeline)),
        Err(error) => args.embed.without_vectors(error, WITHOUT_VECTORS).map(|()| None),
    }
}

/// Counts the records in these inputs; `None` if the inputs can be read only once.
pub fn count_records(inputs: Inputs, schema: &Schema, threads: usize) -> Result<Option<u64>> {
    if inputs.total().is_none() {
        return Ok(None);
    }
    let mut count = 0;
    let records = |run: Vec<crate::input::EntryChunk>| {
        let entries = run.into_iter().flat_map(|chunk| chunk.into_entries(schema).collect::<Vec<_>>());
        entries.filter(|located| matches!(located.entry, Ok(Entry::Record(_)))).count() as u64
    };
    parallel::in_order(threads, inputs, records, |of_run| {
        count += of_run;
        anyhow::Ok(())
    })?;
    Ok(Some(count))
}
