//! Reads safetensors files: named arrays of numbers.

use anyhow::{Context, Result, bail, ensure};
use half::{bf16, f16};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

/// The arrays of a file.
#[derive(Debug)]
pub struct Tensors<'f>(SafeTensors<'f>);

/// One array.
#[derive(Debug)]
pub struct Tensor<'f>(TensorView<'f>);

impl<'f> Tensors<'f> {
    /// Parses the header, and checks that every array lies within the file.
    pub fn parse(bytes: &'f [u8]) -> Result<Tensors<'f>> {
        SafeTensors::deserialize(bytes).map(Tensors).context("it is not a safetensors file, or it is damaged")
    }

    /// Returns the first of these arrays that exists.
    pub fn get(&self, names: &[&str]) -> Option<Tensor<'_>> {
        names.iter().find_map(|name| self.0.tensor(name).ok()).map(Tensor)
    }

    /// Returns the names of all arrays, sorted.
    pub fn names(&self) -> Vec<&str> {
        let mut names = self.0.names();
        names.sort_unstable();
        names
    }
}

impl Tensor<'_> {
    /// The length of each dimension.
    pub fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// Converts the numbers to floats.
    pub fn floats(&self) -> Result<Vec<f32>> {
        Ok(match self.0.dtype() {
            Dtype::F64 => self.chunks().map(|number| f64::from_le_bytes(number) as f32).collect(),
            Dtype::F32 => self.chunks().map(f32::from_le_bytes).collect(),
            Dtype::F16 => self.chunks().map(|number| f16::from_le_bytes(number).to_f32()).collect(),
            Dtype::BF16 => self.chunks().map(|number| bf16::from_le_bytes(number).to_f32()).collect(),
            Dtype::I8 => self.chunks().map(|number| f32::from(i8::from_le_bytes(number))).collect(),
            other => bail!("its numbers are {other}; F64, F32, F16, BF16 and I8 can be read"),
        })
    }

    /// Returns the numbers unchanged if they are 8-bit integers.
    pub fn bytes(&self) -> Option<Vec<i8>> {
        (self.0.dtype() == Dtype::I8).then(|| self.chunks().map(i8::from_le_bytes).collect())
    }

    /// Returns the values of an array that packs four into each byte: −3, −1, 1 and 3 as 0 to 3, the first in the lowest
    /// bits.
    pub fn two_bit_values(&self) -> Result<Vec<i8>> {
        ensure!(self.0.dtype() == Dtype::U8, "its values of 2 bits are in {}, not in U8", self.0.dtype());
        let value = |byte: u8, place: u32| 2 * (byte >> (2 * place) & 3).cast_signed() - 3;
        Ok(self.0.data().iter().flat_map(|&byte| (0..4).map(move |place| value(byte, place))).collect())
    }

    /// Converts the numbers to indices.
    pub fn places(&self) -> Result<Vec<usize>> {
        let places = match self.0.dtype() {
            Dtype::I64 => self.chunks().map(i64::from_le_bytes).collect::<Vec<_>>(),
            Dtype::I32 => self.chunks().map(|place| i64::from(i32::from_le_bytes(place))).collect(),
            other => bail!("its indices are {other}; I32 and I64 can be read"),
        };
        places.into_iter().map(|place| usize::try_from(place).context("an index is negative")).collect()
    }

    fn chunks<const N: usize>(&self) -> impl Iterator<Item = [u8; N]> {
        self.0.data().as_chunks::<N>().0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
    }

    #[test]
    fn every_kind_of_number_is_read() {
        let header = r#"{"__metadata__":{"format":"pt"},
            "a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},
            "b":{"dtype":"BF16","shape":[1],"data_offsets":[8,10]},
            "c":{"dtype":"I8","shape":[2],"data_offsets":[10,12]},
            "d":{"dtype":"I32","shape":[1],"data_offsets":[12,16]},
            "e":{"dtype":"F16","shape":[2],"data_offsets":[16,20]},
            "f":{"dtype":"U8","shape":[1,2],"data_offsets":[20,22]}}"#;
        let data = [
            &1.5f32.to_le_bytes()[..],
            &(-2f32).to_le_bytes(),
            &[0x80, 0x3f],
            &[255, 7],
            &[9, 0, 0, 0],
            &[0x00, 0xc0, 0x01, 0x00],
            &[0b11_10_01_00, 0b00_00_11_10],
        ];
        let bytes = file(header, &data.concat());
        let tensors = Tensors::parse(&bytes).unwrap();
        let floats = |name: &str| tensors.get(&["x", name]).unwrap().floats();
        assert_eq!(floats("a").unwrap(), [1.5, -2.0]);
        assert_eq!(floats("b").unwrap(), [1.0]);
        assert_eq!(floats("e").unwrap(), [-2.0, 5.960_464_5e-8]);
        assert_eq!(tensors.get(&["c"]).unwrap().bytes().unwrap(), [-1, 7]);
        assert_eq!(tensors.get(&["d"]).unwrap().places().unwrap(), [9]);
        assert_eq!(tensors.get(&["f"]).unwrap().two_bit_values().unwrap(), [-3, -1, 1, 3, 1, 3, -3, -3]);
        assert!(floats("d").is_err());
        assert!(tensors.get(&["c"]).unwrap().two_bit_values().is_err());
        assert_eq!(tensors.get(&["a"]).unwrap().shape(), [1, 2]);
        assert_eq!(tensors.names(), ["a", "b", "c", "d", "e", "f"]);
    }

    #[test]
    fn damaged_files_are_errors() {
        let whole = file(r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#, &[0; 8]);
        assert!(Tensors::parse(&whole).is_ok());
        for len in 0..whole.len() {
            assert!(Tensors::parse(&whole[..len]).is_err(), "accepted {len} bytes");
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
            assert!(Tensors::parse(&file(header, &[0; 8])).is_err(), "{header}");
        }
    }
}
