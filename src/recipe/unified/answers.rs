//! Which answers are still good? The last ones, for 30 seconds and until something is written (U8).

use super::parameters::{ShortCircuit, UnifiedFormat, UnifiedKind};
use super::query::UnifiedQuery;
use super::response::UnifiedResponse;
use crate::pipeline::Stages;
use crate::retrieval::TimeOrder;

/// How long an answer is good, in milliseconds.
const LIFETIME: f64 = 30_000.0;
/// The greatest number of answers.
const CAPACITY: usize = 200;
/// Above this number, the oldest answers are evicted.
const CROWDED: usize = CAPACITY / 5 * 4;
/// The number of answers that are evicted at once.
const EVICTED: usize = CAPACITY / 10;

/// Every parameter of a search, and their FNV-64a hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerKey {
    hash: u64,
    fields: Vec<u8>,
}

impl AnswerKey {
    /// Returns the key of a search: its parameters, the vector that the caller passed, and whether an `embed` function makes
    /// the vector. Which function does not matter: a model has one vector per text.
    pub fn of(query: &UnifiedQuery, vector: Option<&[f32]>, is_by_embed: bool) -> AnswerKey {
        let mut key = KeyWriter::default();
        key.query(query);
        key.vector(vector);
        key.flag(is_by_embed);
        AnswerKey { hash: fnv64a(&key.0), fields: key.0 }
    }
}

/// Fields one after the other, each preceded by its length, so that no two lists of fields have the same bytes.
#[derive(Default)]
struct KeyWriter(Vec<u8>);

impl KeyWriter {
    /// Writes every parameter of a query (INV-004). The patterns name all fields, so a new parameter does not compile until
    /// it is written here. `now` is left out: the age of an answer is checked apart.
    fn query(&mut self, query: &UnifiedQuery) {
        let UnifiedQuery {
            query,
            kind,
            project,
            obs_types,
            concepts,
            files,
            date_start,
            date_end,
            order,
            limit,
            offset,
            format,
            scope,
            include_global,
            exclude_superseded,
            short_circuit,
            expand,
            expansions,
            vocabulary,
            model,
            vector,
            strict,
            explain,
            stages,
            now: _,
        } = query;
        self.text(query);
        self.optional_text(kind.map(UnifiedKind::of_records));
        self.optional_text(project.as_deref());
        [obs_types, concepts, files].into_iter().for_each(|list| self.texts(list));
        [*date_start, *date_end].into_iter().for_each(|time| self.number(time));
        self.optional_text(order.map(|order| match order {
            TimeOrder::Newest => "newest",
            TimeOrder::Oldest => "oldest",
        }));
        [*limit, *offset, *expansions].into_iter().for_each(|count| self.count(Some(count)));
        self.optional_text(scope.as_deref());
        self.optional_text(model.as_deref());
        let is_index = *format == UnifiedFormat::Index;
        for flag in [is_index, *include_global, *exclude_superseded, *expand, *vocabulary, *strict, *explain]
        {
            self.flag(flag);
        }
        let ShortCircuit { score, gap } = short_circuit.unwrap_or_default();
        [score, gap].into_iter().for_each(|limit| self.number(short_circuit.map(|_| limit)));
        self.vector(vector.as_deref());
        let Stages { min_relevance, pinned, as_of, fold, diversity, max_tokens } = stages;
        [*min_relevance, *as_of, *fold, *diversity].into_iter().for_each(|number| self.number(number));
        self.texts(pinned);
        self.count(*max_tokens);
    }

    fn field(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.0.extend_from_slice(bytes);
    }

    fn flag(&mut self, flag: bool) {
        self.field(&[u8::from(flag)]);
    }

    fn text(&mut self, text: &str) {
        self.field(text.as_bytes());
    }

    fn optional_text(&mut self, text: Option<&str>) {
        self.flag(text.is_some());
        text.into_iter().for_each(|text| self.text(text));
    }

    fn texts(&mut self, texts: &[String]) {
        self.count(Some(texts.len()));
        texts.iter().for_each(|text| self.text(text));
    }

    fn count(&mut self, count: Option<usize>) {
        self.flag(count.is_some());
        count.into_iter().for_each(|count| self.field(&(count as u64).to_le_bytes()));
    }

    fn number(&mut self, number: Option<f64>) {
        self.flag(number.is_some());
        number.into_iter().for_each(|number| self.field(&number.to_le_bytes()));
    }

    fn vector(&mut self, vector: Option<&[f32]>) {
        self.flag(vector.is_some());
        let bytes = vector.into_iter().flatten().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
        self.field(&bytes);
    }
}

/// Hashes bytes with FNV-1a, 64 bits.
fn fnv64a(bytes: &[u8]) -> u64 {
    let offset = 0xcbf2_9ce4_8422_2325;
    bytes.iter().fold(offset, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The last answers, oldest first.
#[derive(Debug, Default)]
pub(super) struct Answers {
    entries: Vec<CachedAnswer>,
    /// The engine's count of writes when the answers were made.
    writes: u64,
}

#[derive(Debug)]
struct CachedAnswer {
    key: AnswerKey,
    /// When it was made, in milliseconds.
    at: f64,
    response: UnifiedResponse,
}

impl CachedAnswer {
    fn is_good(&self, now: f64) -> bool {
        (0.0..LIFETIME).contains(&(now - self.at))
    }
}

impl Answers {
    /// Returns the answer to a search, if it is still good. `writes` is the engine's count of writes.
    pub fn get(&mut self, key: &AnswerKey, writes: u64, now: f64) -> Option<&UnifiedResponse> {
        self.forget_unless(writes);
        let answer = self.entries.iter().find(|answer| answer.key == *key)?;
        answer.is_good(now).then_some(&answer.response)
    }

    /// Caches an answer that was made after `writes` writes, and drops all that were made before the last one.
    pub fn put(&mut self, key: AnswerKey, writes: u64, now: f64, response: UnifiedResponse) {
        self.forget_unless(writes);
        self.entries.retain(|answer| answer.key != key && answer.is_good(now));
        self.entries.push(CachedAnswer { key, at: now, response });
        if self.entries.len() > CROWDED {
            self.entries.drain(..EVICTED);
        }
    }

    fn forget_unless(&mut self, writes: u64) {
        if self.writes != writes {
            self.entries.clear();
            self.writes = writes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::response::UnifiedMode;
    use super::*;
    use crate::json::Json;
    use crate::options::Options;
    use crate::pipeline::Legs;

    fn query(text: &str) -> UnifiedQuery {
        let json = Json::parse(text.as_bytes()).unwrap();
        let mut options = Options::of(&json);
        let query = UnifiedQuery::take(&mut options);
        options.finish().unwrap();
        query
    }

    fn key(text: &str) -> AnswerKey {
        AnswerKey::of(&query(text), None, false)
    }

    fn numbered(number: usize) -> AnswerKey {
        key(&format!(r#"{{"query":"{number}"}}"#))
    }

    fn response(query: &str) -> UnifiedResponse {
        UnifiedResponse {
            query: query.to_owned(),
            mode: UnifiedMode::Filter,
            legs: Legs::default(),
            short_circuit: false,
            intent: None,
            variants: Vec::new(),
            limit: 20,
            offset: 0,
            clamped: Default::default(),
            degraded: false,
            warnings: Vec::new(),
            hits: Vec::new(),
        }
    }

    fn text<'a>(answers: &'a mut Answers, key: &AnswerKey, writes: u64, now: f64) -> Option<&'a str> {
        answers.get(key, writes, now).map(|answer| answer.query.as_str())
    }

    #[test]
    fn u8_the_hash_is_fnv_64a() {
        // The test values of the algorithm's authors.
        assert_eq!(fnv64a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv64a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv64a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn inv_004_every_parameter_is_in_the_key() {
        let values = [
            (r#""query""#, [r#""a""#, r#""b""#]),
            (r#""type""#, [r#""sessions""#, r#""prompts""#]),
            (r#""project""#, [r#""a""#, r#""b""#]),
            (r#""obsType""#, [r#""a""#, r#"["a","b"]"#]),
            (r#""concepts""#, [r#"["a,b"]"#, r#"["a","b"]"#]),
            (r#""files""#, [r#"["ab","c"]"#, r#"["a","bc"]"#]),
            (r#""dateStart""#, ["1", "2"]),
            (r#""dateEnd""#, ["1", "2"]),
            (r#""orderBy""#, [r#""date_asc""#, r#""date_desc""#]),
            (r#""limit""#, ["1", "11"]),
            (r#""offset""#, ["1", "11"]),
            (r#""scope""#, [r#""global""#, r#""project""#]),
            (r#""shortCircuit""#, ["false", r#"{"score":0.5}"#]),
            (r#""shortCircuit""#, [r#"{"gap":0.5}"#, r#"{"score":0.5,"gap":0.5}"#]),
            (r#""expansions""#, ["2", "3"]),
            (r#""model""#, [r#""a""#, r#""b""#]),
            (r#""vector""#, ["[1,2]", "[2,1]"]),
            (r#""asOf""#, ["1", "2"]),
            (r#""pinned""#, [r#"["a"]"#, r#"["a","b"]"#]),
            (r#""minRelevance""#, ["0.1", "0.2"]),
            (r#""fold""#, ["true", "0.5"]),
            (r#""diversity""#, ["0.1", "0.2"]),
            (r#""maxTokens""#, ["1", "2"]),
        ];
        let one = [
            r#"{"format":"index"}"#,
            r#"{"includeGlobal":true}"#,
            r#"{"excludeSuperseded":true}"#,
            r#"{"expand":true}"#,
            r#"{"vocabulary":false}"#,
            r#"{"strict":true}"#,
            r#"{"explain":true}"#,
        ];
        let mut keys = vec![key("{}")];
        keys.extend(values.iter().flat_map(|(name, values)| values.map(|v| key(&format!("{{{name}:{v}}}")))));
        keys.extend(one.map(key));
        keys.push(AnswerKey::of(&UnifiedQuery::default(), Some(&[1.0, 2.0]), false));
        keys.push(AnswerKey::of(&UnifiedQuery::default(), Some(&[2.0, 1.0]), false));
        keys.push(AnswerKey::of(&UnifiedQuery::default(), None, true));
        for (number, one) in keys.iter().enumerate() {
            assert!(keys[number + 1..].iter().all(|other| other.hash != one.hash), "{number}");
        }
    }

    #[test]
    fn inv_004_fields_that_differ_only_by_a_separator_are_two() {
        let pairs = [
            (r#"{"project":"a|b","scope":"c"}"#, r#"{"project":"a","scope":"b|c"}"#),
            (r#"{"project":"a\u0000scope","scope":"b"}"#, r#"{"project":"a","scope":"scope\u0000b"}"#),
            (r#"{"files":["a","b"]}"#, r#"{"files":["a\",\"b"]}"#),
            (r#"{"concepts":["a"],"files":["b"]}"#, r#"{"concepts":["a","b"]}"#),
        ];
        for (one, other) in pairs {
            assert_ne!(key(one), key(other));
        }
    }

    #[test]
    fn the_order_of_parameters_the_clock_and_defaults_do_not_count() {
        let one = r#"{"query":"a","limit":3,"now":5}"#;
        assert_eq!(key(one), key(r#"{"limit":3,"scope":"","expand":false,"query":" a","now":6}"#));
    }

    #[test]
    fn u8_an_answer_is_good_for_thirty_seconds() {
        let mut answers = Answers::default();
        answers.put(numbered(1), 0, 1000.0, response("one"));
        assert_eq!(text(&mut answers, &numbered(1), 0, 30_999.0), Some("one"));
        assert_eq!(text(&mut answers, &numbered(1), 0, 31_000.0), None);
        assert_eq!(text(&mut answers, &numbered(1), 0, 999.0), None, "a clock that was set back");
        assert_eq!(text(&mut answers, &numbered(2), 0, 1000.0), None);
    }

    #[test]
    fn u8_edge_5_above_four_fifths_the_oldest_tenth_goes() {
        let mut answers = Answers::default();
        for number in 0..160 {
            answers.put(numbered(number), 0, number as f64, response(""));
        }
        assert_eq!(answers.entries.len(), 160);
        // An answer that is made again is not old any more.
        answers.put(numbered(0), 0, 160.0, response(""));
        assert_eq!(answers.entries.len(), 160);
        answers.put(numbered(160), 0, 161.0, response(""));
        assert_eq!(answers.entries.len(), 141);
        let mut is_there = |number: usize| answers.get(&numbered(number), 0, 162.0).is_some();
        assert!((1..=20).all(|number| !is_there(number)));
        assert!(is_there(0) && (21..=160).all(is_there));
    }

    #[test]
    fn u8_a_write_drops_every_answer_whether_one_is_read_or_cached() {
        let mut answers = Answers::default();
        answers.put(numbered(1), 4, 0.0, response("one"));
        assert_eq!(text(&mut answers, &numbered(1), 4, 1.0), Some("one"));
        answers.put(numbered(2), 5, 1.0, response("two"));
        assert_eq!(text(&mut answers, &numbered(1), 5, 1.0), None);
        assert_eq!(text(&mut answers, &numbered(2), 5, 1.0), Some("two"));
        assert_eq!(text(&mut answers, &numbered(2), 6, 1.0), None);
        assert!(answers.entries.is_empty());
    }

    #[test]
    fn gotcha_002_keys_whose_hashes_collide_have_answers_of_their_own() {
        let (one, other) = (numbered(1), AnswerKey { hash: numbered(1).hash, ..numbered(2) });
        let mut answers = Answers::default();
        answers.put(one.clone(), 0, 0.0, response("one"));
        assert_eq!(text(&mut answers, &other, 0, 1.0), None);
        answers.put(other.clone(), 0, 0.0, response("other"));
        assert_eq!(text(&mut answers, &one, 0, 1.0), Some("one"));
        assert_eq!(text(&mut answers, &other, 0, 1.0), Some("other"));
    }
}
