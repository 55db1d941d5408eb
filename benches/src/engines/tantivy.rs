//! tantivy, native: the fastest other engine that we know.
//!
//! Its stemmer is Snowball English, FTS5's is Porter. It scores each field separately, FTS5 the whole row. Its top 10
//! therefore differ, and the harness compares them by overlap only.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use tantivy::collector::TopDocs;
use tantivy::columnar::Column;
use tantivy::query::{BooleanQuery, PhrasePrefixQuery, PhraseQuery, Query as TantivyQuery, TermQuery};
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Index, IndexWriter, Searcher, TantivyDocument, Term};

use super::{BuildTime, Document, Engine, Hit, LIMIT};
use crate::queries::{Kind, Query};
use crate::records;

/// The tokenizer that folds to lower case and stems English.
const TOKENIZER: &str = "en_stem";
const FIELDS: [&str; 3] = ["title", "description", "section"];
/// The writer's memory per thread, enough to hold the whole benchmark in one segment.
const WRITER_BYTES: usize = 256 << 20;

pub struct Tantivy {
    searcher: Searcher,
    analyzer: TextAnalyzer,
    fields: Vec<Field>,
    /// The row of each document of the only segment.
    rows: Column<u64>,
}

impl Engine for Tantivy {
    /// Row and score.
    type Answer = Vec<(u64, f32)>;

    fn build(records: &str, index: &Path, threads: usize) -> Result<BuildTime> {
        let started = Instant::now();
        let mut schema = Schema::builder();
        let text = TextOptions::default().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer(TOKENIZER)
                .set_index_option(IndexRecordOption::WithFreqsAndPositions),
        );
        let [title, description, section] = FIELDS.map(|name| schema.add_text_field(name, text.clone()));
        let row_field = schema.add_u64_field("row", FAST);
        let index = Index::create_in_dir(index, schema.build())?;
        let mut writer: IndexWriter = index.writer_with_num_threads(threads, WRITER_BYTES * threads)?;
        for (row, record) in (0_u64..).zip(records::parse(records)) {
            let record = record?;
            let mut document = TantivyDocument::default();
            document.add_text(title, &record.title);
            document.add_text(description, &record.description);
            document.add_text(section, &record.section);
            document.add_u64(row_field, row);
            writer.add_document(document)?;
        }
        writer.commit()?;
        let build = started.elapsed();

        let started = Instant::now();
        let segments = index.searchable_segment_ids()?;
        if segments.len() > 1 {
            writer.merge(&segments).wait()?;
        }
        writer.garbage_collect_files().wait()?;
        writer.wait_merging_threads()?;
        Ok(BuildTime { build, compact: started.elapsed() })
    }

    fn open(index: &Path) -> Result<Tantivy> {
        let index = Index::open_in_dir(index)?;
        let schema = index.schema();
        let fields = FIELDS.iter().map(|name| schema.get_field(name)).collect::<tantivy::Result<_>>()?;
        let analyzer = index.tokenizers().get(TOKENIZER).context("tantivy brings its English tokenizer")?;
        let searcher = index.reader()?.searcher();
        ensure!(searcher.segment_readers().len() == 1, "the build merges all segments into one");
        let rows = searcher.segment_reader(0).fast_fields().u64("row")?;
        Ok(Tantivy { searcher, analyzer, fields, rows })
    }

    fn search(&mut self, query: &Query) -> Result<Self::Answer> {
        let query = self.query(query);
        let top = self.searcher.search(&query, &TopDocs::with_limit(usize::from(LIMIT)).order_by_score())?;
        Ok(top
            .into_iter()
            .map(|(score, address)| {
                (self.rows.first(address.doc_id).expect("every document has a row"), score)
            })
            .collect())
    }

    fn hits(&self, answer: Self::Answer) -> Result<Vec<Hit>> {
        Ok(answer.into_iter().map(|(row, score)| Hit(Document::Row(row), f64::from(score))).collect())
    }
}

impl Tantivy {
    fn query(&mut self, query: &Query) -> BooleanQuery {
        match query.kind {
            // One flat union over words and fields: tantivy uses block-max pruning only for unions of plain terms.
            Kind::Term | Kind::Or => {
                let terms = self.terms(&query.words);
                BooleanQuery::union(terms.iter().flat_map(|word| self.in_each_field(word)).collect())
            }
            Kind::And => {
                let terms = self.terms(&query.words);
                BooleanQuery::intersection(
                    terms.iter().map(|word| boxed(BooleanQuery::union(self.in_each_field(word)))).collect(),
                )
            }
            Kind::Phrase => {
                let terms = self.terms(&query.words);
                let phrase_in = |&field: &Field| {
                    boxed(PhraseQuery::new(
                        terms.iter().map(|word| Term::from_field_text(field, word)).collect(),
                    ))
                };
                BooleanQuery::union(self.fields.iter().map(phrase_in).collect())
            }
            // tantivy gives every prefix match the same score, so it does less work here than the other engines.
            Kind::Prefix => {
                let prefix_in = |&field: &Field| {
                    let mut prefix =
                        PhrasePrefixQuery::new(vec![Term::from_field_text(field, &query.words[0])]);
                    prefix.set_max_expansions(u32::MAX);
                    boxed(prefix)
                };
                BooleanQuery::union(self.fields.iter().map(prefix_in).collect())
            }
        }
    }

    fn terms(&mut self, words: &[String]) -> Vec<String> {
        let mut terms = Vec::with_capacity(words.len());
        for word in words {
            self.analyzer.token_stream(word).process(&mut |token| terms.push(token.text.clone()));
        }
        terms
    }

    fn in_each_field(&self, word: &str) -> Vec<Box<dyn TantivyQuery>> {
        let term_in = |&field: &Field| {
            boxed(TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::WithFreqs))
        };
        self.fields.iter().map(term_in).collect()
    }
}

fn boxed(query: impl TantivyQuery) -> Box<dyn TantivyQuery> {
    Box::new(query)
}
