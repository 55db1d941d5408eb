//! Which answers are still good? The last ones, for a short while (U8).
//!
//! An answer is kept as the text it was given out as, so that every caller has a copy of their own.

use crate::json::Json;
use crate::order;

/// How long an answer is good, in milliseconds.
const LIFETIME: f64 = 30_000.0;
/// There are never more answers.
const CAPACITY: usize = 200;
/// With more than so many, the oldest go.
const CROWDED: usize = CAPACITY / 5 * 4;
/// So many go at once.
const EVICTED: usize = CAPACITY / 10;

/// Options that say nothing of what is asked.
const NOT_ASKED: [&str; 3] = ["now", "warming", "embedFailed"];

/// What was asked: every parameter, and its FNV-64a hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerKey {
    hash: u64,
    fields: Vec<u8>,
}

impl AnswerKey {
    /// The key of a search with these options, this booster, and this vector where the caller gave one.
    ///
    /// Whatever is among the options counts (INV-004): a parameter that is new is in the key from its first day.
    pub fn of(booster: &str, options: &Json, vector: Option<&[f32]>) -> AnswerKey {
        let entries = if let Json::Object(entries) = options { &entries[..] } else { &[] };
        let mut entries = entries.iter().collect::<Vec<_>>();
        entries.retain(|(name, value)| *value != Json::Null && !NOT_ASKED.contains(&name.as_str()));
        order::sort_by(&mut entries, |a, b| a.0.cmp(&b.0));
        let mut fields = Vec::new();
        put(&mut fields, booster.as_bytes());
        for (name, value) in entries {
            put(&mut fields, name.as_bytes());
            put(&mut fields, value.to_text().as_bytes());
        }
        if let Some(vector) = vector {
            put(&mut fields, &vector.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>());
        }
        AnswerKey { hash: fnv64a(&fields), fields }
    }
}

/// Appends a field with its length before it, so that no two lists of fields look alike.
fn put(out: &mut Vec<u8>, field: &[u8]) {
    out.extend_from_slice(&(field.len() as u64).to_le_bytes());
    out.extend_from_slice(field);
}

/// FNV-1a with 64 bits.
fn fnv64a(bytes: &[u8]) -> u64 {
    let offset = 0xcbf2_9ce4_8422_2325;
    bytes.iter().fold(offset, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The last answers, oldest first.
#[derive(Debug, Default)]
pub struct Answers {
    entries: Vec<(AnswerKey, f64, String)>,
    /// The engine's count of writes when they were given.
    writes: u64,
}

impl Answers {
    /// Forgets everything if the engine was written to since.
    pub fn forget_unless(&mut self, writes: u64) {
        if self.writes != writes {
            self.entries.clear();
            self.writes = writes;
        }
    }

    /// The answer to this, if it is still good.
    pub fn get(&self, key: &AnswerKey, now: f64) -> Option<&str> {
        let (_, at, text) = self.entries.iter().find(|(known, ..)| known == key)?;
        (0.0..LIFETIME).contains(&(now - at)).then_some(text.as_str())
    }

    /// Keeps an answer.
    pub fn put(&mut self, key: AnswerKey, now: f64, text: String) {
        self.entries.retain(|(known, at, _)| *known != key && (0.0..LIFETIME).contains(&(now - at)));
        self.entries.push((key, now, text));
        if self.entries.len() > CROWDED {
            self.entries.drain(..EVICTED);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> AnswerKey {
        AnswerKey::of("", &Json::parse(text.as_bytes()).unwrap(), None)
    }

    fn numbered(number: usize) -> AnswerKey {
        key(&format!(r#"{{"query":"{number}"}}"#))
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
            (r#""format""#, [r#""index""#, r#""full""#]),
            (r#""scope""#, [r#""global""#, r#""project""#]),
            (r#""includeGlobal""#, ["true", "false"]),
            (r#""excludeSuperseded""#, ["true", "false"]),
            (r#""expand""#, ["true", "false"]),
            (r#""explain""#, ["true", "false"]),
            (r#""model""#, [r#""a""#, r#""b""#]),
            (r#""embedder""#, [r#""a""#, r#""b""#]),
            (r#""whatComesNext""#, ["1", "2"]),
        ];
        let mut keys = vec![key("{}")];
        keys.extend(values.iter().flat_map(|(name, values)| values.map(|v| key(&format!("{{{name}:{v}}}")))));
        keys.push(AnswerKey::of("", &Json::Null, Some(&[1.0, 2.0])));
        keys.push(AnswerKey::of("", &Json::Null, Some(&[2.0, 1.0])));
        keys.push(AnswerKey::of("decision", &Json::Null, None));
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
        ];
        for (one, other) in pairs {
            assert_ne!(key(one), key(other));
        }
    }

    #[test]
    fn the_order_of_parameters_the_clock_and_what_is_null_do_not_count() {
        assert_eq!(
            key(r#"{"query":"a","limit":3,"now":5}"#),
            key(r#"{"limit":3,"scope":null,"query":"a","now":6}"#)
        );
    }

    #[test]
    fn u8_an_answer_is_good_for_thirty_seconds() {
        let mut answers = Answers::default();
        answers.put(numbered(1), 1000.0, "one".into());
        assert_eq!(answers.get(&numbered(1), 30_999.0), Some("one"));
        assert_eq!(answers.get(&numbered(1), 31_000.0), None);
        assert_eq!(answers.get(&numbered(1), 999.0), None, "a clock that was put back");
        assert_eq!(answers.get(&numbered(2), 1000.0), None);
    }

    #[test]
    fn u8_edge_5_above_four_fifths_the_oldest_tenth_goes() {
        let mut answers = Answers::default();
        for number in 0..160 {
            answers.put(numbered(number), number as f64, String::new());
        }
        assert_eq!(answers.len(), 160);
        // What is asked for anew is not old any more.
        answers.put(numbered(0), 160.0, String::new());
        assert_eq!(answers.len(), 160);
        answers.put(numbered(160), 161.0, String::new());
        assert_eq!(answers.len(), 141);
        let is_there = |number: usize| answers.get(&numbered(number), 162.0).is_some();
        assert!((1..=20).all(|number| !is_there(number)));
        assert!(is_there(0) && (21..=160).all(is_there));
    }

    #[test]
    fn u8_a_write_forgets_everything() {
        let mut answers = Answers::default();
        answers.forget_unless(4);
        answers.put(numbered(1), 0.0, "one".into());
        answers.forget_unless(4);
        assert_eq!(answers.get(&numbered(1), 1.0), Some("one"));
        answers.forget_unless(5);
        assert!(answers.is_empty());
    }

    #[test]
    fn gotcha_002_keys_whose_hashes_collide_have_answers_of_their_own() {
        let (one, other) = (numbered(1), AnswerKey { hash: numbered(1).hash, ..numbered(2) });
        let mut answers = Answers::default();
        answers.put(one.clone(), 0.0, "one".into());
        assert_eq!(answers.get(&other, 1.0), None);
        answers.put(other.clone(), 0.0, "other".into());
        assert_eq!((answers.get(&one, 1.0), answers.get(&other, 1.0)), (Some("one"), Some("other")));
    }
}
