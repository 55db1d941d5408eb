//! Values → their one written form: compact JSON, as `JSON.stringify` gives it.

use super::Json;
use std::ops::RangeInclusive;

impl Json {
    /// Appends the value's one written form: compact JSON, as `JSON.stringify` gives it.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Json::Null => out.extend_from_slice(b"null"),
            Json::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
            Json::Integer(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Json::Float(number) => out.extend_from_slice(float_text(*number).as_bytes()),
            Json::String(text) => write_string(text, out),
            Json::Array(values) => {
                out.push(b'[');
                for (i, value) in values.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    value.write(out);
                }
                out.push(b']');
            }
            Json::Object(entries) => {
                out.push(b'{');
                for (i, (key, value)) in entries.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    write_string(key, out);
                    out.push(b':');
                    value.write(out);
                }
                out.push(b'}');
            }
        }
    }

    /// The value's one written form.
    pub fn to_text(&self) -> String {
        let mut out = Vec::new();
        self.write(&mut out);
        String::from_utf8(out).expect("JSON written from strings is UTF-8")
    }
}

/// The shortest digits that read back as `number`, placed as JavaScript places them.
pub(super) fn float_text(number: f64) -> String {
    placed(&format!("{number:e}"), -6..=20).unwrap_or_else(|| format!("{number}"))
}

/// A number in scientific notation, where its exponent is outside of `plain`.
pub(super) fn placed(scientific: &str, plain: RangeInclusive<i32>) -> Option<String> {
    let (digits, exponent) = scientific.split_once('e')?;
    let power = exponent.parse::<i32>().expect("an exponent is an integer");
    let sign = if power < 0 { "" } else { "+" };
    (!plain.contains(&power)).then(|| format!("{digits}e{sign}{exponent}"))
}

pub(super) fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut plain_from = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&bytes[plain_from..i]);
        plain_from = i + 1;
        let short = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x08 => b'b',
            0x0c => b'f',
            _ => {
                out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
    out.extend_from_slice(&bytes[plain_from..]);
    out.push(b'"');
}
