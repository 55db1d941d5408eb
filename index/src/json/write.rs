//! Writes a value in its one form: compact JSON, as `JSON.stringify` gives it.

use super::Json;
use super::shortest::{shortest, write_integer};

impl Json {
    /// Appends the value in its one form: compact JSON, as `JSON.stringify` gives it.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Json::Null => out.extend_from_slice(b"null"),
            Json::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
            Json::Integer(number) => write_integer(*number < 0, number.unsigned_abs(), out),
            Json::Float(number) => write_float(*number, out),
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

    /// Returns the value in its one form; see [`Json::write`].
    pub fn to_text(&self) -> String {
        let mut out = Vec::new();
        self.write(&mut out);
        String::from_utf8(out).expect("JSON written from strings is UTF-8")
    }
}

/// Formats a number as JavaScript does: the fewest digits that read back as `number`.
///
/// Returns `inf`, `-inf` or `NaN` when the number is not finite.
pub fn float_text(number: f64) -> String {
    let mut out = Vec::new();
    write_float(number, &mut out);
    String::from_utf8(out).expect("a number is written in ASCII")
}

fn write_float(number: f64, out: &mut Vec<u8>) {
    if number.is_finite() {
        return shortest(number).write(number.is_sign_negative(), -6..=20, false, out);
    }
    out.extend_from_slice(match number {
        f64::INFINITY => b"inf",
        f64::NEG_INFINITY => b"-inf",
        _ => b"NaN",
    });
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
                let last = b"0123456789abcdef"[usize::from(byte & 15)];
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', b'0' + (byte >> 4), last]);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
    out.extend_from_slice(&bytes[plain_from..]);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_standard_library_writes_them_but_with_javascript_exponents() {
        let check = |number: f64| {
            let scientific = format!("{number:e}");
            let (digits, exponent) = scientific.split_once('e').unwrap();
            let expected = match exponent.parse::<i32>().unwrap() {
                -6..=20 => format!("{number}"),
                21.. => format!("{digits}e+{exponent}"),
                _ => scientific.clone(),
            };
            assert_eq!(float_text(number), expected);
        };
        for exponent in -30..30 {
            for digits in ["1", "-1", "1.5", "-9.999999999999999", "1.2345678901234567"] {
                check(format!("{digits}e{exponent}").parse().unwrap());
            }
        }
        [0.0, -0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e15 + 0.5].into_iter().for_each(check);
    }
}
