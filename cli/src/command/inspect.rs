//! `snapseek inspect`: shows the contents of a snapshot, and the length of each part.

use crate::split::with_suffix;
use crate::{print, snapshot};
use anyhow::{Context, Result};
use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;
use snapseek::document::file_suffix;
use snapseek::schema::{EmbedderKind, VectorModel};
use snapseek::segment::Segment;
use snapseek::vector::RowsView;
use snapseek::{Schema, SnapshotError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub struct InspectArgs {
    /// The snapshot
    #[arg(value_name = "FILE.snap")]
    file: PathBuf,

    /// Prints one JSON document
    #[arg(long)]
    json: bool,
}

/// The description of a snapshot.
#[derive(Debug, Serialize)]
struct Report<'a> {
    format: u32,
    bytes: usize,
    records: u32,
    tokens: u64,
    terms: usize,
    /// The number of written forms; `None` if the schema does not store them.
    #[serde(skip_serializing_if = "Option::is_none")]
    forms: Option<usize>,
    fields: Vec<Field<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    models: Vec<Model<'a>>,
    schema: &'a Schema,
    sections: Vec<Section>,
    /// The files next to the snapshot that hold its documents.
    #[serde(rename = "documentFiles", skip_serializing_if = "Vec::is_empty")]
    document_files: Vec<DocumentFile>,
}

#[derive(Debug, Serialize)]
struct DocumentFile {
    name: String,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct Field<'a> {
    name: &'a str,
    weight: f64,
    tokens: u64,
}

/// The vectors of a model.
#[derive(Debug, Serialize)]
struct Model<'a> {
    name: &'a str,
    encoding: &'static str,
    metric: &'static str,
    width: Option<usize>,
    vectors: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<&'a str>,
    /// The embedder that the snapshot itself uses for queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    embedder: Option<EmbedderKind>,
}

#[derive(Debug, Serialize)]
struct Section {
    name: &'static str,
    offset: usize,
    bytes: usize,
}

pub fn run(args: &InspectArgs) -> Result<()> {
    let engine = snapshot::open(&args.file)?;
    let segment = engine.segments().next().context("the snapshot is empty")?;
    let report = Report::of(segment, &args.file).with_context(|| args.file.display().to_string())?;
    if args.json {
        return print::json(&report);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    report.print(&mut out)?;
    Ok(out.flush()?)
}

impl<'a> Model<'a> {
    fn of(name: &'a str, model: &'a VectorModel, rows: &RowsView) -> Model<'a> {
        Model {
            name,
            encoding: model.encoding.name(),
            metric: model.metric.name(),
            width: model.width,
            vectors: rows.len(),
            id: model.id.as_deref(),
            fingerprint: model.fingerprint.as_deref(),
            embedder: model.embedder,
        }
    }
}

impl Report<'_> {
    fn of<'a>(segment: &'a Segment, path: &Path) -> Result<Report<'a>, SnapshotError> {
        let schema = segment.schema();
        let lengths = segment.field_lengths()?;
        let weighted = schema.field_names().into_iter().zip(schema.weights()).enumerate();
        let fields =
            weighted.map(|(i, (name, weight))| Field { name, weight, tokens: lengths.total_of_field(i) });
        let fields = fields.collect::<Vec<_>>();
        let section = |section: &snapseek::snapshot::Section| Section {
            name: section.kind.name(),
            offset: section.range.start,
            bytes: section.range.len(),
        };
        let vectors = segment.vectors()?;
        let models = schema.models().zip(&vectors).map(|((name, model), rows)| Model::of(name, model, rows));
        let models = models.collect();
        Ok(Report {
            format: segment.snapshot().format(),
            bytes: segment.snapshot().file_len(),
            records: segment.documents(),
            tokens: fields.iter().map(|field| field.tokens).sum(),
            terms: segment.terms()?.len(),
            forms: segment.forms()?.map(|forms| forms.len()),
            fields,
            models,
            schema,
            sections: segment.snapshot().sections().iter().map(section).collect(),
            document_files: document_files(segment, path)?,
        })
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let count = |number: u64| HumanCount(number).to_string();
        writeln!(out, "format     {}", self.format)?;
        writeln!(out, "size       {}", HumanBytes(self.bytes as u64))?;
        writeln!(out, "records    {}", count(u64::from(self.records)))?;
        writeln!(out, "tokens     {}", count(self.tokens))?;
        writeln!(out, "terms      {}", count(self.terms as u64))?;
        if let Some(forms) = self.forms {
            writeln!(out, "forms      {}", count(forms as u64))?;
        }
        writeln!(out, "tokenizer  {}", print::plain(self.schema.tokenizer()))?;
        writeln!(out, "\nfields")?;
        for Field { name, weight, tokens } in &self.fields {
            writeln!(out, "  {:<20} weight {weight}, {} tokens", print::plain(name), count(*tokens))?;
        }
        if self.schema.attributes().len() > 0 {
            writeln!(out, "\nattributes")?;
        }
        for (name, kind) in self.schema.attributes() {
            writeln!(out, "  {:<20} {}", print::plain(name), kind.name())?;
        }
        if !self.models.is_empty() {
            writeln!(out, "\nvectors")?;
        }
        for Model { name, encoding, metric, width, vectors, id, .. } in &self.models {
            let width = width.map_or_else(String::new, |width| format!(" × {width}"));
            let id = id.map_or_else(String::new, |id| format!(", {}", print::plain(id)));
            let name = print::plain(name);
            writeln!(out, "  {name:<20} {}{width} {encoding}, {metric}{id}", count(*vectors as u64))?;
        }
        writeln!(out, "\nsections")?;
        for Section { name, bytes, .. } in &self.sections {
            writeln!(out, "  {name:<20} {:>12} {:>5.1}%", count(*bytes as u64), share(*bytes, self.bytes))?;
        }
        if !self.document_files.is_empty() {
            writeln!(out, "\ndocuments in other files")?;
        }
        for DocumentFile { name, bytes } in &self.document_files {
            writeln!(out, "  {:<20} {:>12}", print::plain(name), count(*bytes))?;
        }
        Ok(())
    }
}

fn document_files(segment: &Segment, path: &Path) -> Result<Vec<DocumentFile>, SnapshotError> {
    let lens = segment.stored()?.file_lens()?;
    let files = u32::try_from(lens.len()).unwrap_or(u32::MAX);
    let name = |file| with_suffix(path, &file_suffix(file, files)).file_name().unwrap_or_default().to_owned();
    let file = |(file, bytes)| DocumentFile { name: name(file).to_string_lossy().into_owned(), bytes };
    Ok((0..).zip(lens).map(file).collect())
}

#[expect(clippy::cast_precision_loss, reason = "a percentage with one decimal needs no more")]
fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole as f64
}
