//! Reads the weights of a model from a safetensors file, by name.

use super::error::BertError;
use crate::provider::tensors::{Tensor, Tensors};
use ndarray::Array2;

/// The tensors of a file.
#[derive(Debug)]
pub struct BertWeights<'f> {
    tensors: Tensors<'f>,
    /// The prefix of every name: empty, or the prefix of a model with a head.
    prefix: &'static str,
}

/// Every BERT has a tensor whose name ends like this. It shows the prefix.
const WORDS: &str = "embeddings.word_embeddings.weight";

impl<'f> BertWeights<'f> {
    /// Parses the header of a safetensors file.
    pub fn parse(bytes: &'f [u8]) -> Result<BertWeights<'f>, BertError> {
        let tensors = Tensors::parse(bytes).map_err(|error| bad(error.to_string()))?;
        let prefixes = ["", "bert.", "model.", "0.auto_model."];
        let prefix =
            prefixes.into_iter().find(|prefix| tensors.get(&[&format!("{prefix}{WORDS}")]).is_some());
        let prefix = prefix.ok_or_else(|| bad(format!("it has no {WORDS}; is it a BERT?")))?;
        Ok(BertWeights { tensors, prefix })
    }

    /// Returns a matrix with this number of columns, and of rows if that is known.
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

    /// Returns a vector of this length.
    pub fn row(&self, name: &str, len: usize) -> Result<Vec<f32>, BertError> {
        let tensor = self.tensor(name)?;
        match *tensor.shape() {
            [found] if found == len => numbers(name, &tensor),
            ref shape => Err(bad(format!("{name} has the shape {shape:?}, which config.json contradicts"))),
        }
    }

    fn tensor(&self, name: &str) -> Result<Tensor<'_>, BertError> {
        let name = format!("{}{name}", self.prefix);
        self.tensors.get(&[&name]).ok_or_else(|| bad(format!("it has no {name}")))
    }
}

fn bad(reason: String) -> BertError {
    BertError::Weights { reason }
}

fn numbers(name: &str, tensor: &Tensor) -> Result<Vec<f32>, BertError> {
    let numbers = tensor.floats().map_err(|error| bad(format!("{name}: {error}")))?;
    if !numbers.iter().all(|number| number.is_finite()) {
        return Err(bad(format!("{name} contains a value that is not a finite number")));
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_weights_are_refused() {
        for bytes in [&b""[..], b"not a file", &u64::MAX.to_le_bytes(), &[2, 0, 0, 0, 0, 0, 0, 0, b'{', b'}']]
        {
            assert!(matches!(BertWeights::parse(bytes), Err(BertError::Weights { .. })), "{bytes:?}");
        }
    }
}
