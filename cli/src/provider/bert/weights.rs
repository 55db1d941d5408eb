//! Where are the numbers of a model? In a safetensors file, by their names.

use super::error::BertError;
use ndarray::Array2;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

/// The tensors of a file.
#[derive(Debug)]
pub struct Weights<'f> {
    tensors: SafeTensors<'f>,
    /// Before every name: nothing, or what a model with a head on top puts there.
    prefix: &'static str,
}

/// A tensor whose name ends like this is in every BERT, and tells how the names begin.
const WORDS: &str = "embeddings.word_embeddings.weight";

impl<'f> Weights<'f> {
    /// Reads the table of a safetensors file.
    pub fn parse(bytes: &'f [u8]) -> Result<Weights<'f>, BertError> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| bad(error.to_string()))?;
        let prefixes = ["", "bert.", "model.", "0.auto_model."];
        let prefix = prefixes.into_iter().find(|prefix| tensors.tensor(&format!("{prefix}{WORDS}")).is_ok());
        let prefix = prefix.ok_or_else(|| bad(format!("it has no {WORDS}; is it a BERT?")))?;
        Ok(Weights { tensors, prefix })
    }

    /// The matrix of that name, with that many columns, and that many rows if it is known how many.
    pub fn matrix(&self, name: &str, rows: Option<usize>, columns: usize) -> Result<Array2<f32>, BertError> {
        let tensor = self.tensor(name)?;
        match *tensor.shape() {
            [found, width] if width == columns && rows.is_none_or(|rows| rows == found) => {
                let numbers = numbers(name, &tensor)?;
                Ok(Array2::from_shape_vec((found, columns), numbers).expect("the file was checked"))
            }
            ref shape => Err(bad(format!("{name} has the shape {shape:?}, which config.json contradicts"))),
        }
    }

    /// The row of that name and length.
    pub fn row(&self, name: &str, len: usize) -> Result<Vec<f32>, BertError> {
        let tensor = self.tensor(name)?;
        match *tensor.shape() {
            [found] if found == len => numbers(name, &tensor),
            ref shape => Err(bad(format!("{name} has the shape {shape:?}, which config.json contradicts"))),
        }
    }

    fn tensor(&self, name: &str) -> Result<TensorView<'_>, BertError> {
        let name = format!("{}{name}", self.prefix);
        self.tensors.tensor(&name).map_err(|_| bad(format!("it has no {name}")))
    }
}

fn bad(reason: String) -> BertError {
    BertError::Weights { reason }
}

fn numbers(name: &str, tensor: &TensorView) -> Result<Vec<f32>, BertError> {
    let bytes = tensor.data();
    let pairs = || bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair));
    let numbers = match tensor.dtype() {
        Dtype::F32 => bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect(),
        Dtype::F16 => pairs().map(from_half).collect(),
        Dtype::BF16 => pairs().map(|bits| f32::from_bits(u32::from(bits) << 16)).collect::<Vec<f32>>(),
        other => return Err(bad(format!("{name} is made of {other}, and F32, F16 and BF16 are read"))),
    };
    if !numbers.iter().all(|number| number.is_finite()) {
        return Err(bad(format!("{name} holds something that is no finite number")));
    }
    Ok(numbers)
}

/// A number of half precision: one bit of sign, five of exponent, ten of fraction.
fn from_half(bits: u16) -> f32 {
    let bits = u32::from(bits);
    let sign = (bits & 0x8000) << 16;
    let (exponent, fraction) = (bits >> 10 & 0x1f, bits & 0x3ff);
    let size = match exponent {
        // Without the leading one: so many times the smallest number.
        0 => (fraction as f32 * 2f32.powi(-24)).to_bits(),
        0x1f => 0x7f80_0000 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_is_read_as_its_definition_says() {
        for bits in 0..=u16::MAX {
            let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
            let size = match exponent {
                0 => fraction / 1024.0 * 2f64.powi(-14),
                0x1f if fraction == 0.0 => f64::INFINITY,
                0x1f => f64::NAN,
                _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
            };
            let expected = if bits & 0x8000 == 0 { size } else { -size } as f32;
            let found = from_half(bits);
            assert!(found == expected || (found.is_nan() && expected.is_nan()), "{bits:#x}");
        }
    }

    #[test]
    fn bytes_that_are_no_weights_are_refused() {
        for bytes in [&b""[..], b"not a file", &u64::MAX.to_le_bytes(), &[2, 0, 0, 0, 0, 0, 0, 0, b'{', b'}']]
        {
            assert!(matches!(Weights::parse(bytes), Err(BertError::Weights { .. })), "{bytes:?}");
        }
    }
}
