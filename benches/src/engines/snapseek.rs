//! snapseek, native.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use snapseek::json::Json;
use snapseek::segment::{Batch, BatchWriter};
use snapseek::snapshot::{SectionKind, Snapshot};
use snapseek::{Builder, MatchOptions, Record, Schema};

use super::{BuildTime, Document, Engine, Hit, LIMIT};
use crate::queries::Query;

pub struct Snapseek {
    engine: snapseek::Engine,
    options: MatchOptions,
}

fn file(index: &Path) -> PathBuf {
    index.join("packages.snap")
}

fn schema() -> Result<Schema> {
    Ok(Schema::of_fields([("title", 1.0), ("description", 1.0), ("section", 1.0)])?)
}

fn batch(lines: &[&str], schema: &Schema) -> Result<Batch> {
    let mut writer = BatchWriter::new(schema)?;
    for line in lines {
        writer.add(&Record::from_json(Json::parse(line.as_bytes())?)?)?;
    }
    Ok(writer.finish())
}

impl Engine for Snapseek {
    /// Id and rank.
    type Answer = Vec<(String, f64)>;

    /// Builds the whole snapshot, including stored documents and ids, which the other engines leave out.
    fn build(records: &str, index: &Path, threads: usize) -> Result<BuildTime> {
        let started = Instant::now();
        let schema = schema()?;
        let lines = records.lines().collect::<Vec<_>>();
        // One run of lines per thread, in multiples of 32 documents: the builder copies full blocks without repacking them.
        let run = lines.len().div_ceil(threads).next_multiple_of(32);
        let batches = std::thread::scope(|scope| {
            let workers = lines.chunks(run).map(|lines| scope.spawn(|| batch(lines, &schema)));
            let workers = workers.collect::<Vec<_>>();
            workers
                .into_iter()
                .map(|worker| worker.join().expect("a worker does not panic"))
                .collect::<Result<Vec<_>>>()
        })?;
        let mut builder = Builder::new(&schema)?.with_threads(threads);
        for batch in batches {
            builder.push(batch)?;
        }
        fs::write(file(index), builder.finish()?)?;
        Ok(BuildTime { build: started.elapsed(), compact: std::time::Duration::ZERO })
    }

    fn index_bytes(index: &Path) -> Result<u64> {
        let snapshot = Snapshot::open(fs::read(file(index))?)?;
        let of_documents = [SectionKind::Keys, SectionKind::DocumentTable, SectionKind::Documents];
        let sections = snapshot.sections().iter().filter(|section| !of_documents.contains(&section.kind));
        Ok(sections.map(|section| section.range.len() as u64).sum())
    }

    fn open(index: &Path) -> Result<Snapseek> {
        let engine = snapseek::Engine::open(fs::read(file(index))?)?;
        Ok(Snapseek {
            engine,
            options: MatchOptions { limit: Some(LIMIT.into()), ..MatchOptions::default() },
        })
    }

    fn search(&mut self, query: &Query) -> Result<Self::Answer> {
        let rows = self.engine.matches(&query.expression, &self.options)?;
        Ok(rows.into_iter().map(|row| (row.id, row.rank)).collect())
    }

    fn hits(&self, answer: Self::Answer) -> Result<Vec<Hit>> {
        Ok(answer.into_iter().map(|(id, rank)| Hit(Document::Id(id), rank)).collect())
    }
}
