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
mod tests;
