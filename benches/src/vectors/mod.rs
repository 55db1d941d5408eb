//! The vector search benchmark: generates rows and queries, and measures native engines. `node/vectors.mjs` does the rest.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;
use snapseek::json::Json;
use snapseek::schema::VectorModel;
use snapseek::segment::BatchWriter;
use snapseek::vector::Encoding;
use snapseek::{Builder, Engine, Record, Schema, SearchOptions};

use crate::random::Random;

mod sqlite_vec;
mod usearch;

/// The number of clusters that the rows are drawn from, as texts cluster around topics.
const CENTRES: usize = 500;
const ENCODINGS: [Encoding; 3] = [Encoding::F32, Encoding::I8, Encoding::I1];
const TOP: usize = 10;
const WARM_UP: Duration = Duration::from_millis(500);

/// Writes rows.f32 and queries.f32, unless they exist, and a snapshot per encoding.
pub fn make(folder: &Path, rows: usize, width: usize, queries: usize) -> Result<()> {
    fs::create_dir_all(folder)?;
    let (rows_file, queries_file) = (folder.join("rows.f32"), folder.join("queries.f32"));
    if !rows_file.exists() {
        let mut random = Random::new(42);
        let centres: Vec<Vec<f32>> = (0..CENTRES).map(|_| gaussian(&mut random, width)).collect();
        let mut near = |_| {
            let centre = random.choice(&centres).clone();
            let noise = gaussian(&mut random, width);
            centre.iter().zip(&noise).map(|(c, n)| c + 0.8 * n).collect::<Vec<f32>>()
        };
        let all: Vec<Vec<f32>> = (0..rows + queries).map(&mut near).collect();
        fs::write(&rows_file, bytes_of(&all[..rows]))?;
        fs::write(&queries_file, bytes_of(&all[rows..]))?;
    }
    let all = read(&rows_file, width)?;
    for encoding in ENCODINGS {
        fs::write(folder.join(format!("{}.snap", encoding.name())), snapshot(&all, encoding)?)?;
    }
    Ok(())
}

fn snapshot(rows: &[Vec<f32>], encoding: Encoding) -> Result<Vec<u8>> {
    let model = VectorModel { encoding, ..VectorModel::default() };
    let schema = Schema::of_fields([("text", 1.0)])?.with_vectors("bench", model)?;
    let mut builder = Builder::new(&schema)?;
    for (chunk, vectors) in rows.chunks(10_000).enumerate() {
        let mut writer = BatchWriter::new(&schema)?;
        for (place, vector) in vectors.iter().enumerate() {
            let record = Json::parse(format!("{{\"id\":{}}}", chunk * 10_000 + place).as_bytes())?;
            writer.add_with(&Record::from_json(record)?, &[Some(vector.clone())])?;
        }
        builder.push(writer.finish())?;
    }
    Ok(builder.finish()?)
}

fn gaussian(random: &mut Random, width: usize) -> Vec<f32> {
    // The sum of twelve uniform numbers is close enough to a normal distribution.
    let mut uniform = || f32::from(u16::try_from(random.below(65_536)).expect("16 bits")) / 65_536.0;
    (0..width).map(|_| (0..12).map(|_| uniform()).sum::<f32>() - 6.0).collect()
}

fn bytes_of(rows: &[Vec<f32>]) -> Vec<u8> {
    rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect()
}

fn read(file: &Path, width: usize) -> Result<Vec<Vec<f32>>> {
    let bytes = fs::read(file).with_context(|| format!("reading {}", file.display()))?;
    let (numbers, _) = bytes.as_chunks::<4>();
    Ok(numbers.chunks_exact(width).map(|row| row.iter().map(|n| f32::from_le_bytes(*n)).collect()).collect())
}

/// Prints the nanoseconds of each query and the ids of its nearest rows.
pub fn measure(folder: &Path, what: &str, width: usize) -> Result<()> {
    let queries = read(&folder.join("queries.f32"), width)?;
    match what {
        "read" => {
            let bytes = fs::read(folder.join("rows.f32"))?;
            let (words, _) = bytes.as_chunks::<8>();
            report(&queries, |_| {
                black_box(black_box(words).iter().fold(0u64, |sum, word| sum ^ u64::from_le_bytes(*word)));
                Ok(Vec::new())
            })
        }
        "usearch-exact" | "usearch-hnsw" => {
            let index = usearch::Index::of(&read(&folder.join("rows.f32"), width)?, what == "usearch-hnsw")?;
            report(&queries, |query| index.search(query, TOP))
        }
        "sqlite-vec" => {
            let index = sqlite_vec::Index::of(&read(&folder.join("rows.f32"), width)?)?;
            report(&queries, |query| index.search(query, TOP))
        }
        _ => {
            let engine = Engine::open(fs::read(folder.join(format!("{what}.snap")))?)?;
            let mut options: SearchOptions =
                serde_json::from_value(json!({ "mode": "vector", "limit": TOP }))?;
            options.snippet.tokens = 0;
            report(&queries, |query| {
                let found =
                    engine.search("", &SearchOptions { vector: Some(query.clone()), ..options.clone() })?;
                Ok(found.hits.iter().map(|hit| hit.id.parse()).collect::<Result<_, _>>()?)
            })
        }
    }
}

fn report(queries: &[Vec<f32>], search: impl Fn(&Vec<f32>) -> Result<Vec<u32>>) -> Result<()> {
    let started = Instant::now();
    for query in queries.iter().cycle() {
        if started.elapsed() >= WARM_UP {
            break;
        }
        search(query)?;
    }
    let (mut nanoseconds, mut answers) = (Vec::new(), Vec::new());
    for query in queries {
        let started = Instant::now();
        let answer = search(query)?;
        nanoseconds.push(u64::try_from(started.elapsed().as_nanos())?);
        answers.push(answer);
    }
    println!("{}", json!({ "nanoseconds": nanoseconds, "answers": answers }));
    Ok(())
}
