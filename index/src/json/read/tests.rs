//! Tests that the parser agrees with `serde_json`.

use super::*;

/// A pseudo-random generator with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

const NUMBERS: [&str; 26] = [
    "0",
    "-0",
    "-0.0",
    "0e9",
    "1",
    "-1",
    "10",
    "1.0",
    "1.5",
    "-2.25e3",
    "1e400",
    "-1E+400",
    "1e-400",
    "0.1",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "123456789012345678901234567890",
    "0.30000000000000004",
    "1e16",
    "1.7976931348623159e308",
    "2.2250738585072011e-308",
];
const STRINGS: [&str; 16] = [
    "",
    "a",
    "plain words",
    "eight888",
    "seven 7",
    "é",
    "日本語 text",
    "😀",
    r"\n",
    r#"\"\\\/\b\f\n\r\t"#,
    r"\u0041",
    r"\ud83d\ude00",
    r"\uD83D",
    r"\ude00",
    r"\ud83dx",
    r"\ud83d\u0041",
];
const SPACES: [&str; 6] = ["", "", "", " ", "\t \r", " \n "];

fn write_any(random: &mut Random, depth: usize, out: &mut String) {
    out.push_str(random.of(&SPACES));
    match random.below(if depth < 5 { 9 } else { 6 }) {
        0 | 1 => out.push_str(random.of(&NUMBERS)),
        2 => out.push_str(&format!("{}", f64::from_bits((random.below(1 << 31) as u64) << 32) * 1e9)),
        3 | 4 => write_string(random, out),
        5 => out.push_str(random.of(&["true", "false", "null"])),
        6 | 7 => {
            out.push('{');
            for place in 0..random.below(5) {
                out.push_str(if place > 0 { "," } else { "" });
                out.push_str(random.of(&SPACES));
                write_string(random, out);
                out.push_str(random.of(&SPACES));
                out.push(':');
                write_any(random, depth + 1, out);
            }
            out.push('}');
        }
        _ => {
            out.push('[');
            for place in 0..random.below(5) {
                out.push_str(if place > 0 { "," } else { "" });
                write_any(random, depth + 1, out);
            }
            out.push(']');
        }
    }
    out.push_str(random.of(&SPACES));
}

fn write_string(random: &mut Random, out: &mut String) {
    out.push('"');
    for _ in 0..random.below(4) {
        out.push_str(random.of(&STRINGS));
    }
    out.push('"');
}

/// Checks that the parser and `serde_json` return the same value or the same error.
fn check(text: &[u8]) {
    let shown = String::from_utf8_lossy(text);
    let theirs = serde_json::from_slice::<Json>(text);
    // `serde_json` refuses half a surrogate pair, which becomes U+FFFD here.
    if theirs.as_ref().is_err_and(|error| {
        let message = error.to_string();
        message.contains("surrogate") || message.contains("unexpected end of hex escape")
    }) {
        return;
    }
    match (Json::parse(text), theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{shown}"),
        (Err(ours), Err(theirs)) if !text.contains(&b'\n') && std::str::from_utf8(text).is_ok() => {
            if ours.reason() == "number out of range" {
                assert!(theirs.to_string().starts_with(ours.reason()), "{shown}");
                return;
            }
            assert_eq!(ours.to_string(), theirs.to_string(), "{shown}");
            assert_eq!((ours.is_eof(), ours.line()), (theirs.is_eof(), theirs.line()), "{shown}");
            assert_eq!(ours.column(), theirs.column(), "{shown}");
        }
        (ours, theirs) => assert_eq!(ours.is_ok(), theirs.is_ok(), "{shown}: {ours:?}, {theirs:?}"),
    }
}

#[test]
fn any_text_is_read_or_refused_as_serde_json_does() {
    let mut random = Random(1);
    for _ in 0..20_000 {
        let mut text = String::new();
        write_any(&mut random, 0, &mut text);
        let mut bytes = text.into_bytes();
        check(&bytes);
        for _ in 0..=random.below(3) {
            let place = random.below(bytes.len() + 1);
            let byte =
                b"{}[]:,\"\\u0123456789abcdefDE+-. \t\x00\x1f\x7f\xff\xc3truefalsenull"[random.below(50)];
            match random.below(4) {
                0 => bytes.truncate(place),
                1 => bytes.insert(place, byte),
                2 if place < bytes.len() => bytes[place] = byte,
                _ if place < bytes.len() => drop(bytes.remove(place)),
                _ => bytes.push(byte),
            }
            check(&bytes);
        }
    }
}

#[test]
fn every_beginning_of_a_text_is_refused_as_serde_json_does() {
    let text = br#" {"a": [true, false, null, -1.5e+10, "x\n\u00e9\ud83d\ude00"], "b": {}, "a": 01} "#;
    for len in 0..=text.len() {
        check(&text[..len]);
    }
}

#[test]
fn the_nesting_limit_is_that_of_serde_json() {
    for depth in [126, 127, 128, 129, 100_000] {
        check(format!("{}{}", "[".repeat(depth), "]".repeat(depth)).as_bytes());
        check(format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth)).as_bytes());
        check(format!("[{}1{}]", r#"[{"a":"#.repeat(depth / 2), "}]".repeat(depth / 2)).as_bytes());
        check("[".repeat(depth).as_bytes());
    }
}

#[test]
fn strings_of_every_length_end_where_they_should() {
    for len in 0..40 {
        for end in ["\"", "\\n\"", "\n\"", "\\", ""] {
            check(format!("\"{}{end}", "é7".repeat(len)).as_bytes());
            check(format!("\"{}{end}", "a".repeat(len)).as_bytes());
        }
    }
}

#[test]
fn errors_name_line_and_column() {
    let error = Json::parse(b"{\n  \"a\": 1,\n  b}").unwrap_err();
    assert_eq!(error.to_string(), "key must be a string at line 3 column 3");
    assert_eq!((error.reason(), error.line(), error.column()), ("key must be a string", 3, 3));
    let error = Json::parse(b"[\"\xff\"]").unwrap_err();
    assert_eq!(error.to_string(), "invalid unicode code point at line 1 column 3");
}

#[test]
fn too_many_keys_are_refused_and_repeated_ones_on_request() {
    let keys = |count: usize| {
        let keys = (0..count).map(|key| format!("\"{key}\":0")).collect::<Vec<_>>();
        format!("{{{},\"0\":1}}", keys.join(","))
    };
    assert!(Json::parse(keys(MAX_KEYS).as_bytes()).is_ok());
    let error = Json::parse(keys(MAX_KEYS + 1).as_bytes()).unwrap_err();
    assert_eq!(error.reason(), format!("an object has more than {MAX_KEYS} keys"));
    let error = Json::parse_unrepeated(br#"{"a":{"b":1,"b":2}}"#).unwrap_err();
    assert_eq!(error.to_string(), "a key is repeated at line 1 column 18");
    assert!(Json::parse_unrepeated(br#"{"a":{"a":1},"b":{"a":2}}"#).is_ok());
}

#[test]
fn half_a_surrogate_pair_becomes_the_replacement_character() {
    let read = |text: &str| Json::parse(text.as_bytes()).unwrap();
    for (text, expected) in [
        (r#""\ud83d""#, "\u{fffd}"),
        (r#""\ude00""#, "\u{fffd}"),
        (r#""a\ud83db""#, "a\u{fffd}b"),
        (r#""\ud83d\u0041""#, "\u{fffd}A"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        (r#""\ud83d\n""#, "\u{fffd}\n"),
    ] {
        assert_eq!(read(text), Json::String(expected.to_owned()), "{text}");
    }
    assert!(Json::parse(br#""\ud83d\u00""#).is_err());
}
