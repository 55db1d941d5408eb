//! Serialises any serde value as JSON text, in the form that `serde_json` writes; tests compare the two.
//!
//! Unlike the [one written form](super::Json::write) of a value, a float keeps its fraction: a score of 1 is `1.0`.
//! When two texts of a number are equally short and equally near, this module may choose another one than `serde_json`.

use super::shortest::{shortest, write_integer};
use super::write::write_string;
use serde::ser::{self, Serialize, Serializer};
use std::fmt::Display;

/// Returns the JSON text of a value. Map keys must serialise as strings. Numbers that are not finite become `null`.
///
/// ```
/// use snapseek_index::json::text_of;
///
/// assert_eq!(text_of(&("fox", 1.0, f64::NAN, Some(3))), r#"["fox",1.0,null,3]"#);
/// ```
pub fn text_of(value: &(impl Serialize + ?Sized)) -> String {
    let mut out = Vec::new();
    match value.serialize(Writer { out: &mut out }) {
        Ok(()) => in_utf8(out),
        Err(never) => match never {},
    }
}

#[inline(never)]
fn in_utf8(out: Vec<u8>) -> String {
    String::from_utf8(out).expect("JSON written from strings is UTF-8")
}

/// The error type of a serializer that cannot fail, because it writes to memory.
#[derive(Debug)]
enum Never {}

impl Display for Never {
    fn fmt(&self, _: &mut std::fmt::Formatter) -> std::fmt::Result {
        match *self {}
    }
}

impl std::error::Error for Never {}

impl ser::Error for Never {
    fn custom<T: Display>(message: T) -> Never {
        panic!("serialising plain data never fails, but did: {message}")
    }
}

/// A serializer that appends one value.
///
/// Methods that do not depend on the type of the value are never inlined, so that the binary contains them once and not
/// once per type.
struct Writer<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> Writer<'a> {
    #[inline(never)]
    fn put(self, text: &str) -> Result<(), Never> {
        self.out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    /// Writes the opening bracket of an array or object.
    #[inline(never)]
    fn open(self, bracket: u8) -> Result<Parts<'a>, Never> {
        self.out.push(bracket);
        Ok(Parts { out: self.out })
    }

    /// Writes `{"name":` before the content of an enum variant.
    #[inline(never)]
    fn put_variant(&mut self, name: &str) {
        self.out.push(b'{');
        write_string(name, self.out);
        self.out.push(b':');
    }
}

impl<'a> Serializer for Writer<'a> {
    type Ok = ();
    type Error = Never;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    fn serialize_bool(self, value: bool) -> Result<(), Never> {
        self.put(if value { "true" } else { "false" })
    }

    fn serialize_i8(self, value: i8) -> Result<(), Never> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), Never> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), Never> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), Never> {
        write_integer(value < 0, value.unsigned_abs(), self.out);
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Result<(), Never> {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), Never> {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), Never> {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), Never> {
        write_integer(false, value, self.out);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Never> {
        self.serialize_f64(value.into())
    }

    #[inline(never)]
    fn serialize_f64(self, value: f64) -> Result<(), Never> {
        if !value.is_finite() {
            return self.serialize_unit();
        }
        shortest(value).write(value.is_sign_negative(), -5..=15, true, self.out);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Never> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Never> {
        write_string(value, self.out);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Never> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), Never> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Never> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Never> {
        self.put("null")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Never> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Never> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Never> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Never> {
        self.put_variant(variant);
        value.serialize(Writer { out: self.out })?;
        self.put("}")
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>, Never> {
        self.open(b'[')
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'a>, Never> {
        self.open(b'[')
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Never> {
        self.open(b'[')
    }

    fn serialize_tuple_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, Never> {
        self.put_variant(variant);
        self.open(b'[')
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'a>, Never> {
        self.open(b'{')
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Never> {
        self.open(b'{')
    }

    fn serialize_struct_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, Never> {
        self.put_variant(variant);
        self.open(b'{')
    }
}

/// Appends the elements of an array or the entries of an object.
struct Parts<'a> {
    out: &'a mut Vec<u8>,
}

impl Parts<'_> {
    /// Starts the next element, after a comma unless it is the first.
    #[inline(never)]
    fn next(&mut self) -> Writer<'_> {
        if !matches!(self.out.last(), Some(b'[' | b'{')) {
            self.out.push(b',');
        }
        Writer { out: self.out }
    }

    /// Writes a key and starts its value.
    #[inline(never)]
    fn under(&mut self, name: &str) -> Writer<'_> {
        write_string(name, self.next().out);
        self.value()
    }

    /// Writes the colon after a key and starts its value.
    #[inline(never)]
    fn value(&mut self) -> Writer<'_> {
        self.out.push(b':');
        Writer { out: self.out }
    }

    #[inline(never)]
    fn check_key(&self, start: usize) -> Result<(), Never> {
        assert!(self.out.get(start) == Some(&b'"'), "map keys must serialise as strings");
        Ok(())
    }

    fn close(self, brackets: &str) -> Result<(), Never> {
        Writer { out: self.out }.put(brackets)
    }
}

impl ser::SerializeSeq for Parts<'_> {
    type Ok = ();
    type Error = Never;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        value.serialize(self.next())
    }

    fn end(self) -> Result<(), Never> {
        self.close("]")
    }
}

impl ser::SerializeTuple for Parts<'_> {
    type Ok = ();
    type Error = Never;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        value.serialize(self.next())
    }

    fn end(self) -> Result<(), Never> {
        self.close("]")
    }
}

impl ser::SerializeTupleStruct for Parts<'_> {
    type Ok = ();
    type Error = Never;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        value.serialize(self.next())
    }

    fn end(self) -> Result<(), Never> {
        self.close("]")
    }
}

impl ser::SerializeTupleVariant for Parts<'_> {
    type Ok = ();
    type Error = Never;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        value.serialize(self.next())
    }

    fn end(self) -> Result<(), Never> {
        self.close("]}")
    }
}

impl ser::SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = Never;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Never> {
        let start = self.next().out.len();
        key.serialize(Writer { out: self.out })?;
        self.check_key(start)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        value.serialize(self.value())
    }

    fn end(self) -> Result<(), Never> {
        self.close("}")
    }
}

impl ser::SerializeStruct for Parts<'_> {
    type Ok = ();
    type Error = Never;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Never> {
        value.serialize(self.under(key))
    }

    fn end(self) -> Result<(), Never> {
        self.close("}")
    }
}

impl ser::SerializeStructVariant for Parts<'_> {
    type Ok = ();
    type Error = Never;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Never> {
        value.serialize(self.under(key))
    }

    fn end(self) -> Result<(), Never> {
        self.close("}}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Json;
    use super::*;
    use std::collections::BTreeMap;

    fn check(value: &(impl Serialize + ?Sized)) {
        assert_eq!(text_of(value), serde_json::to_string(value).unwrap());
    }

    /// Checks that the text is as short as that of `serde_json` and reads back as the same number.
    fn check_length(number: &f64) {
        let (ours, theirs) = (text_of(number), serde_json::to_string(number).unwrap());
        assert_eq!(ours.len(), theirs.len(), "{ours} {theirs}");
        assert!(ours == "null" || ours.parse() == Ok(*number), "{ours} {theirs}");
    }

    #[test]
    fn numbers_are_written_as_serde_json_writes_them() {
        for exponent in -330..310 {
            for digits in ["1", "-1.5", "9.999999999999999", "1.2345678901234567"] {
                check(&format!("{digits}e{exponent}").parse::<f64>().unwrap());
            }
        }
        for number in [0.0, -0.0, f64::NAN, f64::INFINITY, 123.0, 0.1 + 0.2, 5e-324, f64::MAX, 1e15 + 0.5] {
            check(&number);
        }
        let mut state = 3u64;
        for _ in 0..30_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            check_length(&f64::from_bits(state));
            check_length(&(state as i64 as f64 / 1e12));
        }
        check(&(u64::MAX, i64::MIN, 0u8, -1i8, 7u16, -7i16, 8u32, -8i32));
    }

    #[derive(serde::Serialize)]
    #[serde(rename_all = "camelCase")]
    enum Kind {
        Plain,
        New(u8),
        Pair(u8, String),
        Named { first_one: u8, other: Option<bool> },
    }

    #[derive(serde::Serialize)]
    struct Unit;

    #[derive(serde::Serialize)]
    struct New(Vec<Kind>);

    #[derive(serde::Serialize)]
    struct Inner {
        of_inner: char,
    }

    #[derive(serde::Serialize)]
    struct All {
        kinds: New,
        unit: Unit,
        pair: (u8, &'static str),
        #[serde(flatten)]
        inner: Inner,
        #[serde(flatten)]
        more: BTreeMap<String, Json>,
        empty: (Vec<u8>, BTreeMap<String, u8>, Option<u8>, ()),
        #[serde(skip_serializing_if = "Option::is_none")]
        nothing: Option<u8>,
    }

    #[test]
    fn every_shape_is_written_as_serde_json_writes_it() {
        let json =
            Json::parse(r#"{"a":[1,2.5,1e300,{"b":null,"c":"x"}],"d":{},"e":[[]]}"#.as_bytes()).unwrap();
        let kinds = vec![
            Kind::Plain,
            Kind::New(1),
            Kind::Pair(2, "{".to_owned()),
            Kind::Named { first_one: 3, other: Some(true) },
        ];
        check(&All {
            kinds: New(kinds),
            unit: Unit,
            pair: (1, "["),
            inner: Inner { of_inner: 'é' },
            more: BTreeMap::from([("x".to_owned(), json), ("y\n".to_owned(), Json::Bool(false))]),
            empty: Default::default(),
            nothing: None,
        });
        check("\u{0}\u{1f}\u{7f}\u{2028}\"\\/\u{8}\u{c}\n\r\té😀");
    }

    #[test]
    #[should_panic(expected = "map keys must serialise as strings")]
    fn a_map_key_that_is_not_a_string_panics() {
        text_of(&BTreeMap::from([(1, 2)]));
    }
}
