//! Generates seven classes of queries from the records, the same on every machine.
//!
//! Words consist of lower-case ASCII letters, so that no engine's query syntax or tokenizer treats them specially. Stop words
//! are included: people type them, and they are the expensive words.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::records;

/// The way the words of a query are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Term,
    Or,
    And,
    Phrase,
    Prefix,
}

/// One query, for engines that read FTS5's language (`expression`) and for those that do not (`kind`, `words`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Query {
    pub class: String,
    #[serde(rename = "match")]
    pub expression: String,
    pub words: Vec<String>,
    pub kind: Kind,
}

impl Query {
    fn new(class: &str, kind: Kind, words: Vec<String>) -> Query {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let expression = match kind {
            Kind::Term => quoted.concat(),
            Kind::Or => quoted.join(" OR "),
            Kind::And => quoted.join(" AND "),
            Kind::Phrase => format!("\"{}\"", words.join(" ")),
            Kind::Prefix => format!("{}*", quoted.concat()),
        };
        Query { class: class.to_owned(), expression, words, kind }
    }
}

/// The greatest length of a word. Longer words are file names and hashes, and tantivy drops tokens of more than forty bytes.
const LONGEST_WORD: usize = 30;
/// The class `common` draws from this many of the most widespread words.
const COMMON_WORDS: usize = 40;

/// The words of one record. A token that is not a plain word is kept as `None`, so that phrases do not span it.
struct Words {
    title: Vec<Option<String>>,
    body: Vec<Option<String>>,
}

impl Words {
    fn distinct_title(&self) -> Vec<String> {
        distinct(self.title.iter())
    }

    fn distinct_body(&self) -> Vec<String> {
        distinct(self.body.iter())
    }

    fn distinct(&self) -> Vec<String> {
        distinct(self.title.iter().chain(&self.body))
    }
}

fn distinct<'a>(tokens: impl Iterator<Item = &'a Option<String>>) -> Vec<String> {
    tokens.flatten().collect::<BTreeSet<_>>().into_iter().cloned().collect()
}

fn tokens(text: &str) -> Vec<Option<String>> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|token| !token.is_empty())
        .map(|token| {
            let is_word = token.len() <= LONGEST_WORD && token.bytes().all(|byte| byte.is_ascii_alphabetic());
            is_word.then(|| token.to_ascii_lowercase())
        })
        .collect()
}

/// Generates `per_class` different queries of each class from JSON-lines `records`.
///
/// # Errors
/// Fails when a line is not a record, or there are too few records for that number of different queries.
pub fn generate(records: &str, per_class: usize) -> Result<Vec<Query>> {
    let corpus: Vec<Words> = records::parse(records)
        .map(|record| {
            record.map(|record| Words { title: tokens(&record.title), body: tokens(&record.description) })
        })
        .collect::<Result<_>>()?;
    ensure!(!corpus.is_empty(), "there are no records to make queries from");
    let common = common_words(&corpus);

    let mut queries = Vec::new();
    let mut add = |class: &str, kind: Kind, draw: &dyn Fn(&mut Random, &Words) -> Option<Vec<String>>| {
        different(&corpus, per_class, draw)
            .map(|drawn| queries.extend(drawn.into_iter().map(|words| Query::new(class, kind, words))))
            .map_err(|error| error.context(format!("class {class}")))
    };
    add("one-term", Kind::Term, &|random, words| one_word(random, words).map(|word| vec![word]))?;
    add("or-2-5", Kind::Or, &half_title_half_body)?;
    add("or-5", Kind::Or, &|random, words| exactly(random, &words.distinct_body(), 5))?;
    add("common", Kind::Or, &|random, _| exactly(random, &common, 5))?;
    add("and", Kind::And, &|random, words| {
        let count = 2 + random.below(2);
        exactly(random, &words.distinct(), count)
    })?;
    add("phrase", Kind::Phrase, &phrase)?;
    add("prefix", Kind::Prefix, &prefix)?;
    Ok(queries)
}

/// Draws words from random records until there are `count` different queries.
fn different(
    corpus: &[Words],
    count: usize,
    draw: &dyn Fn(&mut Random, &Words) -> Option<Vec<String>>,
) -> Result<Vec<Vec<String>>> {
    let mut random = Random::new(2);
    let mut seen = BTreeSet::new();
    let mut drawn = Vec::new();
    for _ in 0..count * 1000 {
        if drawn.len() == count {
            return Ok(drawn);
        }
        let record = random.choice(corpus);
        if let Some(words) = draw(&mut random, record)
            && seen.insert(words.clone())
        {
            drawn.push(words);
        }
    }
    anyhow::bail!("the records give only {} of {count} different queries; ask for fewer", drawn.len())
}

/// Draws a random token, so that frequent words are drawn often.
fn one_word(random: &mut Random, words: &Words) -> Option<String> {
    let side = if random.below(2) == 0 { &words.title } else { &words.body };
    if side.is_empty() { None } else { random.choice(side).clone() }
}

fn exactly(random: &mut Random, words: &[String], count: usize) -> Option<Vec<String>> {
    (words.len() >= count).then(|| random.choices(words, count))
}

/// Draws two to five words, half from the title and half from the body, like someone who remembers both vaguely.
fn half_title_half_body(random: &mut Random, words: &Words) -> Option<Vec<String>> {
    let count = 2 + random.below(4);
    let from_title = (count + random.below(2)) / 2;
    let mut chosen = exactly(random, &words.distinct_title(), from_title)?;
    let body: Vec<String> = words.distinct_body().into_iter().filter(|word| !chosen.contains(word)).collect();
    chosen.extend(exactly(random, &body, count - from_title)?);
    Some(chosen)
}

fn phrase(random: &mut Random, words: &Words) -> Option<Vec<String>> {
    let count = 2 + random.below(2);
    let side = if random.below(2) == 0 { &words.title } else { &words.body };
    let starts = side.len().checked_sub(count)? + 1;
    let start = random.below(starts);
    side[start..start + count].iter().cloned().collect()
}

fn prefix(random: &mut Random, words: &Words) -> Option<Vec<String>> {
    let length = 3 + random.below(3);
    let word = one_word(random, words)?;
    (word.len() > length).then(|| vec![word[..length].to_owned()])
}

/// Returns the words that occur in the most records, most frequent first.
fn common_words(corpus: &[Words]) -> Vec<String> {
    let mut records_with: BTreeMap<String, usize> = BTreeMap::new();
    for words in corpus {
        for word in words.distinct() {
            *records_with.entry(word).or_default() += 1;
        }
    }
    let mut counted: Vec<(String, usize)> = records_with.into_iter().collect();
    counted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counted.into_iter().take(COMMON_WORDS).map(|(word, _)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = include_str!("../sample/packages.jsonl");

    #[test]
    fn the_same_records_give_the_same_queries() {
        let expressions = |queries: Vec<Query>| queries.into_iter().map(|q| q.expression).collect::<Vec<_>>();
        assert_eq!(expressions(generate(SAMPLE, 30).unwrap()), expressions(generate(SAMPLE, 30).unwrap()));
    }

    #[test]
    fn every_word_is_ascii_letters_in_lower_case() {
        for query in generate(SAMPLE, 30).unwrap() {
            for word in &query.words {
                assert!(word.bytes().all(|byte| byte.is_ascii_lowercase()), "{word}");
            }
        }
    }

    #[test]
    fn phrases_do_not_span_a_number() {
        assert_eq!(tokens("Qt 5 bindings"), [Some("qt".to_owned()), None, Some("bindings".to_owned())]);
    }

    #[test]
    fn too_few_records_are_an_error_and_not_an_endless_loop() {
        let record = r#"{"title":"one word","description":"body","section":"misc"}"#;
        assert!(generate(record, 30).is_err());
    }
}
