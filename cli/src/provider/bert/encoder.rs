//! Computes a BERT: embeddings, then layers of attention and of two matrices with an activation between them.
//!
//! Several texts are computed together without padding. Their tokens are the rows of one matrix for the large products;
//! only attention treats each text separately.

use super::arithmetic::{Activation, normalize_layer, softmax};
use super::error::BertError;
use super::weights::BertWeights;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, Axis, Slice};
use serde::Deserialize;

/// The part of `config.json` that the computation depends on.
#[derive(Debug, Deserialize)]
pub struct Config {
    model_type: String,
    /// The number of values per token.
    pub hidden_size: usize,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    intermediate_size: usize,
    hidden_act: String,
    layer_norm_eps: f32,
    /// The largest number of tokens per text.
    pub max_position_embeddings: usize,
    position_embedding_type: Option<String>,
}

impl Config {
    fn activation(&self) -> Result<Activation, BertError> {
        match self.hidden_act.as_str() {
            "gelu" => Ok(Activation::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" => Ok(Activation::GeluTanh),
            "relu" => Ok(Activation::Relu),
            other => Err(BertError::Unsupported { what: format!("the activation {other}") }),
        }
    }

    fn check(&self) -> Result<(), BertError> {
        let unsupported = |what: String| Err(BertError::Unsupported { what });
        if self.model_type != "bert" {
            return unsupported(format!("a model of type {}", self.model_type));
        }
        match self.position_embedding_type.as_deref() {
            None | Some("absolute") => {}
            Some(other) => return unsupported(format!("the position embedding {other}")),
        }
        if self.num_attention_heads == 0 || !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let (size, heads) = (self.hidden_size, self.num_attention_heads);
            return unsupported(format!("a hidden size of {size} for {heads} heads"));
        }
        Ok(())
    }
}

/// A BERT with its weights.
#[derive(Debug)]
pub struct Encoder {
    words: Array2<f32>,
    /// The embedding of each position, plus that of the first segment, which every token belongs to.
    positions: Array2<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
    activation: Activation,
}

#[derive(Debug)]
struct Layer {
    /// The query, key and value matrices of all heads, side by side.
    attention: Linear,
    attention_out: Linear,
    attention_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

/// A matrix and a bias.
#[derive(Debug)]
struct Linear {
    /// One column per output, stored row by row. The file stores the transposed matrix.
    weight: Array2<f32>,
    bias: Array1<f32>,
}

#[derive(Debug)]
struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl Encoder {
    /// Takes the weights that `config` describes.
    pub fn new(config: &Config, weights: &BertWeights) -> Result<Encoder, BertError> {
        config.check()?;
        let hidden = config.hidden_size;
        let norm = |name: &str| {
            let weight = weights.row(&format!("{name}.LayerNorm.weight"), hidden)?;
            let bias = weights.row(&format!("{name}.LayerNorm.bias"), hidden)?;
            Ok(Norm { weight, bias, epsilon: config.layer_norm_eps })
        };
        let linear = |name: &str, out: usize, inner: usize| {
            let weight = weights.matrix(&format!("{name}.weight"), Some(out), inner)?;
            let weight = weight.t().as_standard_layout().into_owned();
            let bias = weights.row(&format!("{name}.bias"), out)?.into();
            Ok::<_, BertError>(Linear { weight, bias })
        };
        let layer = |number: usize| {
            let name = |part: &str| format!("encoder.layer.{number}.{part}");
            let parts = ["query", "key", "value"]
                .map(|part| linear(&name(&format!("attention.self.{part}")), hidden, hidden));
            let [query, key, value] = parts;
            Ok(Layer {
                attention: Linear::side_by_side(&[query?, key?, value?]),
                attention_out: linear(&name("attention.output.dense"), hidden, hidden)?,
                attention_norm: norm(&name("attention.output"))?,
                wide: linear(&name("intermediate.dense"), config.intermediate_size, hidden)?,
                narrow: linear(&name("output.dense"), hidden, config.intermediate_size)?,
                norm: norm(&name("output"))?,
            })
        };
        let count = config.max_position_embeddings;
        let mut positions = weights.matrix("embeddings.position_embeddings.weight", Some(count), hidden)?;
        let segments = weights.matrix("embeddings.token_type_embeddings.weight", None, hidden)?;
        let first = segments.rows().into_iter().next();
        let first = first.ok_or_else(|| BertError::Weights { reason: "there is no segment".to_owned() })?;
        positions.rows_mut().into_iter().for_each(|mut position| position += &first);
        Ok(Encoder {
            words: weights.matrix("embeddings.word_embeddings.weight", None, hidden)?,
            positions,
            norm: norm("embeddings")?,
            layers: (0..config.num_hidden_layers).map(layer).collect::<Result<_, BertError>>()?,
            heads: config.num_attention_heads,
            activation: config.activation()?,
        })
    }

    /// The number of tokens in the vocabulary.
    pub fn vocabulary_len(&self) -> usize {
        self.words.nrows()
    }

    /// Returns the vectors of the last layer, one row per token of each text. No text may have more tokens than there
    /// are positions.
    pub fn encode(&self, texts: &[Vec<u32>]) -> Array2<f32> {
        let mut rows = self.embeddings(texts);
        let lengths = texts.iter().map(Vec::len).collect::<Vec<_>>();
        for layer in &self.layers {
            let attended = self.attend(&layer.attention.apply(&rows), &lengths);
            rows += &layer.attention_out.apply(&attended);
            layer.attention_norm.apply(&mut rows);
            let mut wide = layer.wide.apply(&rows);
            self.activation.apply(flat(&mut wide));
            rows += &layer.narrow.apply(&wide);
            layer.norm.apply(&mut rows);
        }
        rows
    }

    fn embeddings(&self, texts: &[Vec<u32>]) -> Array2<f32> {
        let count = texts.iter().map(Vec::len).sum();
        let mut rows = Array2::zeros((count, self.words.ncols()));
        let tokens = texts.iter().flat_map(|text| text.iter().enumerate());
        for (mut row, (position, token)) in rows.rows_mut().into_iter().zip(tokens) {
            row.assign(&self.words.row(*token as usize));
            row += &self.positions.row(position);
        }
        self.norm.apply(&mut rows);
        rows
    }

    /// For each token and head, returns the mean of its text's values, weighted by how well the token's query matches
    /// their keys.
    fn attend(&self, projected: &Array2<f32>, lengths: &[usize]) -> Array2<f32> {
        let hidden = projected.ncols() / 3;
        let width = hidden / self.heads;
        let scale = 1.0 / (width as f32).sqrt();
        let mut attended = Array2::zeros((projected.nrows(), hidden));
        let mut start = 0;
        for len in lengths {
            let text = start..start + len;
            let mut scores = Array2::zeros((*len, *len));
            for head in 0..self.heads {
                let part = |number: usize| {
                    let first = number * hidden + head * width;
                    let mut part = projected.view();
                    part.slice_axis_inplace(Axis(0), Slice::from(text.clone()));
                    part.slice_axis_inplace(Axis(1), Slice::from(first..first + width));
                    part
                };
                let (query, key, value) = (part(0), part(1), part(2));
                general_mat_mul(scale, &query, &key.t(), 0.0, &mut scores);
                flat(&mut scores).chunks_exact_mut(*len).for_each(softmax);
                let mut out = attended.view_mut();
                out.slice_axis_inplace(Axis(0), Slice::from(text.clone()));
                out.slice_axis_inplace(Axis(1), Slice::from(head * width..(head + 1) * width));
                general_mat_mul(1.0, &scores, &value, 0.0, &mut out);
            }
            start = text.end;
        }
        attended
    }
}

impl Linear {
    fn side_by_side(parts: &[Linear]) -> Linear {
        let weights = parts.iter().map(|part| part.weight.view()).collect::<Vec<_>>();
        let biases = parts.iter().map(|part| part.bias.view()).collect::<Vec<_>>();
        let weight = ndarray::concatenate(Axis(1), &weights).expect("the parts are equally high");
        Linear {
            weight: weight.as_standard_layout().into_owned(),
            bias: ndarray::concatenate(Axis(0), &biases).expect("rows have one axis"),
        }
    }

    fn apply(&self, rows: &Array2<f32>) -> Array2<f32> {
        let shape = (rows.nrows(), self.bias.len());
        let mut out = self.bias.broadcast(shape).expect("a row of it for each row").to_owned();
        general_mat_mul(1.0, rows, &self.weight, 1.0, &mut out);
        out
    }
}

impl Norm {
    fn apply(&self, rows: &mut Array2<f32>) {
        let width = self.weight.len();
        for row in flat(rows).chunks_exact_mut(width) {
            normalize_layer(row, &self.weight, &self.bias, self.epsilon);
        }
    }
}

/// Returns the numbers of a matrix, row after row.
fn flat(matrix: &mut Array2<f32>) -> &mut [f32] {
    matrix.as_slice_mut().expect("our matrices are made row by row")
}
