//! JSON values that keep the order of their keys and have exactly one written form.
//!
//! The same record must give the same bytes whether it came from a file or from a JavaScript object, so numbers are
//! written as JavaScript writes them: `1.0` and `1` are the same value and become `1`. Numbers are parsed and formatted
//! here because the standard library's versions take 10 and 17 kilobytes of WebAssembly.

mod decimal;
mod read;
mod serialize;
mod shortest;
mod write;

pub use read::JsonError;
pub use serialize::text_of;
pub use write::float_text;

use read::Repeats;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use shortest::{Digits, shortest};

/// The maximum number of keys per object; parsing refuses more.
pub const MAX_KEYS: usize = 4096;

/// A JSON value.
///
/// ```
/// use snapseek_index::json::Json;
///
/// let json = Json::parse(br#"{ "title": "Fox", "pages": 12.0, "tags": ["red", "quick"] }"#)?;
/// assert_eq!(json.get("title").and_then(Json::as_str), Some("Fox"));
/// assert_eq!(json.get("pages"), Some(&Json::Integer(12)));
/// assert_eq!(json.to_text(), r#"{"title":"Fox","pages":12,"tags":["red","quick"]}"#);
///
/// let error = Json::parse(b"[1, 2").unwrap_err();
/// assert_eq!(error.to_string(), "EOF while parsing a list at line 1 column 5");
/// # Ok::<(), snapseek_index::json::JsonError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number that fits 64 bits.
    Integer(i64),
    /// Any other number. It is always finite.
    Float(f64),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object. Keys are in the order of their first appearance, and each occurs once.
    Object(Vec<(String, Json)>),
}

/// All whole numbers below 2^53 are exact as doubles, and JavaScript writes them without an exponent.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// No number from here on fits an `i64`.
const TOO_LARGE: f64 = 1e19;

impl Json {
    /// Reads one value from JSON text.
    ///
    /// As in JavaScript, the last value of a repeated key wins, at the position of the first.
    ///
    /// # Errors
    /// Returns an error when the text is not JSON, when an object has more than [`MAX_KEYS`] keys, or when arrays and
    /// objects are nested 128 levels deep.
    pub fn parse(text: &[u8]) -> Result<Json, JsonError> {
        read::parse(text, Repeats::Replace)
    }

    /// Reads one value from JSON text in which no object repeats a key.
    ///
    /// # Errors
    /// Returns an error as [`Json::parse`] does, and when a key is repeated.
    pub fn parse_unrepeated(text: &[u8]) -> Result<Json, JsonError> {
        read::parse(text, Repeats::Refuse)
    }

    /// Converts a number to the value that its JavaScript text would have; `null` when it is not finite.
    pub fn from_f64(number: f64) -> Json {
        if !number.is_finite() {
            return Json::Null;
        }
        if number.fract() != 0.0 || number.abs() >= TOO_LARGE {
            return Json::Float(number);
        }
        if number.abs() < EXACT {
            return Json::Integer(number as i64);
        }
        // Take the integer that the written form reads back as: the shortest digits, which here have no fraction.
        let Digits { digits, exponent } = shortest(number);
        let whole = 10u64.checked_pow(exponent as u32).and_then(|ten| digits.checked_mul(ten));
        let integer = whole.and_then(|whole| integer(number.is_sign_negative(), whole));
        integer.map_or(Json::Float(number), Json::Integer)
    }

    /// Returns the value of `key`, or `None` when this is not an object or lacks the key.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Returns the string, or `None` when this is not a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the number, or `None` when this is not a number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Json::Integer(number) => Some(*number as f64),
            Json::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// Names the kind of this value with its article, for error messages: "a string", "null".
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Integer(_) | Json::Float(_) => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }
}

/// Applies the sign to a whole number. Returns `None` when the result does not fit.
fn integer(is_negative: bool, whole: u64) -> Option<i64> {
    if is_negative { 0i64.checked_sub_unsigned(whole) } else { 0i64.checked_add_unsigned(whole) }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        Json::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        let nearest = value as f64;
        Ok(i64::try_from(value).map_or(Json::Float(nearest), Json::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::from_f64(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Json, A::Error> {
        let mut array = Vec::new();
        while let Some(value) = values.next_element()? {
            array.push(value);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut object: Vec<(String, Json)> = Vec::new();
        while let Some((key, value)) = entries.next_entry::<String, Json>()? {
            // As in JavaScript, the last value of a repeated key wins, at the position of the first.
            match object.iter_mut().find(|(name, _)| *name == key) {
                Some(entry) => entry.1 = value,
                None => object.push((key, value)),
            }
            if object.len() > MAX_KEYS {
                return Err(serde::de::Error::custom(format_args!(
                    "an object has more than {MAX_KEYS} keys"
                )));
            }
        }
        Ok(Json::Object(object))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Integer(number) => serializer.serialize_i64(*number),
            Json::Float(number) => serializer.serialize_f64(*number),
            Json::String(text) => serializer.serialize_str(text),
            Json::Array(values) => {
                let mut array = serializer.serialize_seq(Some(values.len()))?;
                values.iter().try_for_each(|value| array.serialize_element(value))?;
                array.end()
            }
            Json::Object(entries) => {
                let mut object = serializer.serialize_map(Some(entries.len()))?;
                entries.iter().try_for_each(|(key, value)| object.serialize_entry(key, value))?;
                object.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        let cases = [
            ("1.0", "1"),
            ("-0.0", "0"),
            ("0.1", "0.1"),
            ("1e21", "1e+21"),
            ("123456789012345680000", "123456789012345680000"),
            ("1.5e300", "1.5e+300"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("0.00000123", "0.00000123"),
            ("9007199254740993", "9007199254740993"),
        ];
        for (text, written) in cases {
            assert_eq!(Json::parse(text.as_bytes()).unwrap().to_text(), written, "{text}");
        }
    }

    #[test]
    fn strings_are_escaped_as_javascript_escapes_them() {
        let text = r#""a\"b\\c\n\r\t\b\f\u0001\u001f\u007fé😀/""#;
        let written = "\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001\\u001f\u{7f}é😀/\"";
        assert_eq!(Json::parse(text.as_bytes()).unwrap().to_text(), written);
    }

    #[test]
    fn a_written_number_reads_back_as_the_same_value() {
        let numbers = [
            "1e16",
            "-1.2345678901234568e17",
            "9.3e18",
            "1e20",
            "9223372036854775807",
            "-9223372036854775808.0",
        ];
        for text in numbers {
            let json = Json::parse(text.as_bytes()).unwrap();
            assert_eq!(Json::parse(json.to_text().as_bytes()).unwrap(), json, "{text}");
        }
    }

    #[test]
    fn keys_keep_their_order_and_the_last_of_a_repeated_one_stays() {
        let json = Json::parse(br#"{"b":1,"a":2,"b":3}"#).unwrap();
        assert_eq!(json.to_text(), r#"{"b":3,"a":2}"#);
    }

    #[test]
    fn nesting_too_deep_and_too_many_keys_are_errors() {
        assert!(Json::parse("[".repeat(100_000).as_bytes()).is_err());
        let many = (0..=MAX_KEYS).map(|i| format!("\"k{i}\":0")).collect::<Vec<_>>().join(",");
        assert!(Json::parse(format!("{{{many}}}").as_bytes()).is_err());
    }
}
