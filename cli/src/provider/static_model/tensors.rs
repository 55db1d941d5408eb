//! What is in a safetensors file? Named arrays of numbers, behind a header in JSON.
//!
//! ```text
//! u64 length of the header · header: {name: {dtype, shape, data_offsets}} · data
//! ```

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A file in memory, and where its arrays stand.
pub struct Tensors {
    bytes: Vec<u8>,
    data: usize,
    entries: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

/// One array.
pub struct Tensor<'a> {
    /// The kind of its numbers, such as `F32`.
    pub dtype: &'a str,
    /// How many there are in each direction.
    pub shape: &'a [usize],
    bytes: &'a [u8],
}

impl Tensors {
    /// Reads the header, and checks that every array lies within the file.
    pub fn parse(bytes: Vec<u8>) -> Result<Tensors> {
        let len = bytes.first_chunk().map(|len| u64::from_le_bytes(*len)).context("it is too short")?;
        let data =
            usize::try_from(len).ok().and_then(|len| len.checked_add(8)).context("its header is too long")?;
        let header = bytes.get(8..data).context("it ends within its header")?;
        let mut header = serde_json::from_slice::<BTreeMap<String, serde_json::Value>>(header)
            .context("its header is not a JSON object")?;
        header.remove("__metadata__");
        let mut entries = BTreeMap::new();
        for (name, value) in header {
            let entry = serde_json::from_value::<Entry>(value).with_context(|| format!("array {name}"))?;
            let (start, end) = entry.data_offsets;
            let numbers = entry.shape.iter().try_fold(1usize, |product, side| product.checked_mul(*side));
            let len = numbers.and_then(|numbers| numbers.checked_mul(size_of_number(&entry.dtype)?));
            ensure!(
                len.is_some(),
                "array {name} has numbers of the kind {}, which is not supported",
                entry.dtype
            );
            let is_there = start <= end && end <= bytes.len() - data && Some(end - start) == len;
            ensure!(
                is_there,
                "array {name} does not lie within the file, or its size is not that of its shape"
            );
            entries.insert(name, entry);
        }
        Ok(Tensors { bytes, data, entries })
    }

    /// The first of these arrays that is there.
    pub fn get(&self, names: &[&str]) -> Option<Tensor<'_>> {
        let entry = names.iter().find_map(|name| self.entries.get(*name))?;
        let (start, end) = entry.data_offsets;
        let bytes = &self.bytes[self.data + start..self.data + end];
        Some(Tensor { dtype: &entry.dtype, shape: &entry.shape, bytes })
    }

    /// The names of all arrays.
    pub fn names(&self) -> Vec<&str> {
        self.entries.keys().map(String::as_str).collect()
    }
}

impl Tensor<'_> {
    /// The numbers as floats.
    pub fn floats(&self) -> Result<Vec<f32>> {
        Ok(match self.dtype {
            "F64" => self.chunks().map(|value| f64::from_le_bytes(value) as f32).collect(),
            "F32" => self.chunks().map(f32::from_le_bytes).collect(),
            "F16" => self.chunks().map(|value| half(u16::from_le_bytes(value))).collect(),
            "BF16" => self
                .chunks()
                .map(|value| f32::from_bits(u32::from(u16::from_le_bytes(value)) << 16))
                .collect(),
            "I8" => self.bytes.iter().map(|value| f32::from(i8::from_le_bytes([*value]))).collect(),
            other => bail!("numbers of the kind {other} are not vectors; F32, F16, BF16, F64 and I8 are"),
        })
    }

    /// The numbers as they are, if they are small integers.
    pub fn bytes(&self) -> Option<Vec<i8>> {
        (self.dtype == "I8").then(|| self.bytes.iter().map(|value| i8::from_le_bytes([*value])).collect())
    }

    /// The numbers as places in another array.
    pub fn places(&self) -> Result<Vec<usize>> {
        let values = match self.dtype {
            "I64" => self.chunks().map(i64::from_le_bytes).collect::<Vec<_>>(),
            "I32" => self.chunks().map(|value| i64::from(i32::from_le_bytes(value))).collect(),
            other => bail!("numbers of the kind {other} are not places; I32 and I64 are"),
        };
        values.into_iter().map(|value| usize::try_from(value).context("a place is negative")).collect()
    }

    fn chunks<const N: usize>(&self) -> impl Iterator<Item = [u8; N]> {
        self.bytes.as_chunks::<N>().0.iter().copied()
    }
}

fn size_of_number(dtype: &str) -> Option<usize> {
    match dtype {
        "F64" | "I64" | "U64" => Some(8),
        "F32" | "I32" | "U32" => Some(4),
        "F16" | "BF16" | "I16" | "U16" => Some(2),
        "I8" | "U8" | "BOOL" => Some(1),
        _ => None,
    }
}

/// A float of sixteen bits: one sign, five of exponent, ten of fraction.
fn half(bits: u16) -> f32 {
    let (sign, exponent, fraction) =
        (u32::from(bits >> 15) << 31, u32::from(bits >> 10 & 31), u32::from(bits & 1023));
    match exponent {
        // Subnormal: the fraction counts in units of 2⁻²⁴.
        0 => f32::from_bits(sign | (fraction as f32 / 16_777_216.0).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
    }

    #[test]
    fn halves_are_the_floats_that_they_are() {
        let known = [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x83ff, -6.097_555e-5),
            (0x7c00, f32::INFINITY),
        ];
        for (bits, value) in known {
            assert_eq!(half(bits), value, "{bits:04x}");
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn every_kind_of_float_is_read() {
        let header = r#"{"__metadata__":{"format":"pt"},
            "a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},
            "b":{"dtype":"BF16","shape":[1],"data_offsets":[8,10]},
            "c":{"dtype":"I8","shape":[2],"data_offsets":[10,12]},
            "d":{"dtype":"I32","shape":[1],"data_offsets":[12,16]}}"#;
        let data =
            [&1.5f32.to_le_bytes()[..], &(-2f32).to_le_bytes(), &[0x80, 0x3f], &[255, 7], &[9, 0, 0, 0]]
                .concat();
        let tensors = Tensors::parse(file(header, &data)).unwrap();
        assert_eq!(tensors.get(&["x", "a"]).unwrap().floats().unwrap(), [1.5, -2.0]);
        assert_eq!(tensors.get(&["b"]).unwrap().floats().unwrap(), [1.0]);
        assert_eq!(tensors.get(&["c"]).unwrap().bytes().unwrap(), [-1, 7]);
        assert_eq!(tensors.get(&["d"]).unwrap().places().unwrap(), [9]);
        assert!(tensors.get(&["d"]).unwrap().floats().is_err());
        assert_eq!(tensors.names(), ["a", "b", "c", "d"]);
    }

    #[test]
    fn damaged_files_are_errors() {
        let header = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
        let whole = file(header, &[0; 8]);
        assert!(Tensors::parse(whole.clone()).is_ok());
        for len in 0..whole.len() {
            assert!(Tensors::parse(whole[..len].to_vec()).is_err(), "accepted {len} bytes");
        }
        let forged = [
            r#"{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#,
            r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}"#,
            r#"{"a":{"dtype":"Q4","shape":[2],"data_offsets":[0,8]}}"#,
            r#"{"a":{"dtype":"F32","shape":[18446744073709551615,2],"data_offsets":[0,8]}}"#,
            r#"{"a":{"shape":[2],"data_offsets":[0,8]}}"#,
            "[]",
        ];
        for header in forged {
            assert!(Tensors::parse(file(header, &[0; 8])).is_err(), "{header}");
        }
    }
}
