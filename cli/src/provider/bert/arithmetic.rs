//! The functions between the matrices: exp, softmax, GELU, layer normalisation.
//!
//! They have no branches, calls or tables, so that the compiler can vectorise them. Their errors are a few units in the
//! last place, which is less than the error of single-precision matrix products.

use std::f32::consts::{LOG2_E, SQRT_2};

/// Adding and subtracting it rounds to an integer.
const ROUNDING: f32 = 12_582_912.0;
/// The leading bits of ln 2. They are so few that products with small integers are exact.
const LN_2_HIGH: f32 = 0.693_359_4;
/// The rest of ln 2.
const LN_2_LOW: f32 = -0.000_212_194_44;
/// Beyond it, e^x is 0 or infinite in single precision.
const LARGEST_EXPONENT: f32 = 87.0;

/// The activation between the two large matrices of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// GELU with the error function.
    Gelu,
    /// GELU with the hyperbolic tangent, also known as `gelu_new` and `gelu_pytorch_tanh`.
    GeluTanh,
    /// Negative values become 0.
    Relu,
}

impl Activation {
    /// Applies the activation to every number.
    pub fn apply(self, numbers: &mut [f32]) {
        match self {
            Activation::Gelu => numbers.iter_mut().for_each(|x| *x = 0.5 * *x * (1.0 + erf(*x / SQRT_2))),
            Activation::GeluTanh => numbers.iter_mut().for_each(|x| {
                let inner = 0.797_884_6 * (*x + 0.044_715 * *x * *x * *x);
                // x / (1 + e^(-2 inner)) equals x / 2 · (1 + tanh(inner)).
                *x /= 1.0 + exp(-2.0 * inner);
            }),
            Activation::Relu => numbers.iter_mut().for_each(|x| *x = x.max(0.0)),
        }
    }
}

/// Computes e to the power of x.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let x = x.clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT);
    let shifted = x * LOG2_E + ROUNDING;
    let whole = shifted - ROUNDING;
    // At most half of ln 2, positive or negative.
    let rest = (x - whole * LN_2_HIGH) - whole * LN_2_LOW;
    // The series of e^x; the next term is below one unit in the last place.
    let series = 1.0 / 720.0;
    let series = series * rest + 1.0 / 120.0;
    let series = series * rest + 1.0 / 24.0;
    let series = series * rest + 1.0 / 6.0;
    let series = series * rest + 0.5;
    let series = series * rest + 1.0;
    let series = series * rest + 1.0;
    // 2^whole, from its bits: the rounding left `whole` in the lowest bits, and the shift removes all others.
    series * f32::from_bits(shifted.to_bits().wrapping_add(127) << 23)
}

/// Computes the error function by formula 7.1.26 of Abramowitz and Stegun; the error is at most 1.5e-7.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let a = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * a);
    let sum = 1.061_405_4_f32;
    let sum = sum * t - 1.453_152;
    let sum = sum * t + 1.421_413_7;
    let sum = sum * t - 0.284_496_74;
    let sum = sum * t + 0.254_829_6;
    (1.0 - sum * t * exp(-a * a)).copysign(x)
}

/// Turns scores into positive weights that sum to 1.
pub fn softmax(scores: &mut [f32]) {
    let largest = largest(scores);
    scores.iter_mut().for_each(|score| *score = exp(*score - largest));
    let scale = 1.0 / sum(scores);
    scores.iter_mut().for_each(|score| *score *= scale);
}

/// Normalises `row` to mean 0 and variance 1, then applies `weight` and `bias`.
pub fn normalize_layer(row: &mut [f32], weight: &[f32], bias: &[f32], epsilon: f32) {
    let count = row.len() as f32;
    let mean = sum(row) / count;
    row.iter_mut().for_each(|x| *x -= mean);
    let variance = dot(row, row) / count;
    let scale = 1.0 / (variance + epsilon).sqrt();
    for ((x, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
        *x = *x * scale * weight + bias;
    }
}

/// Scales `row` to length 1; a row of zeros stays unchanged.
pub fn normalize_length(row: &mut [f32]) {
    let length = dot(row, row).sqrt();
    if length > 0.0 {
        row.iter_mut().for_each(|x| *x /= length);
    }
}

fn largest(numbers: &[f32]) -> f32 {
    let chunks = numbers.chunks_exact(8);
    let larger = |left: f32, right: f32| if left > right { left } else { right };
    let rest = chunks.remainder().iter().copied().fold(f32::NEG_INFINITY, larger);
    let mut found = [f32::NEG_INFINITY; 8];
    for chunk in chunks {
        for (found, x) in found.iter_mut().zip(chunk) {
            *found = larger(*found, *x);
        }
    }
    found.into_iter().fold(rest, larger)
}

fn sum(numbers: &[f32]) -> f32 {
    // Eight separate sums, because the compiler may not reorder additions.
    let chunks = numbers.chunks_exact(8);
    let rest = chunks.remainder().iter().sum::<f32>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += x;
        }
    }
    sums.iter().sum::<f32>() + rest
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    let (lefts, rights) = (left.chunks_exact(8), right.chunks_exact(8));
    let rest = lefts.remainder().iter().zip(rights.remainder()).map(|(l, r)| l * r).sum::<f32>();
    let mut sums = [0.0; 8];
    for (left, right) in lefts.zip(rights) {
        for ((sum, l), r) in sums.iter_mut().zip(left).zip(right) {
            *sum += l * r;
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns numbers across a wide range.
    fn numbers(from: f32, to: f32) -> impl Iterator<Item = f32> {
        (0..=100_000).map(move |step| from + (to - from) * step as f32 / 100_000.0)
    }

    #[test]
    fn exp_is_within_a_few_units_in_the_last_place() {
        for x in numbers(-80.0, 80.0) {
            let expected = f64::from(x).exp();
            let error = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(error < 4e-7, "e^{x} is wrong by {error}");
        }
        assert!(exp(-1000.0) < 1e-37 && exp(0.0) == 1.0);
    }

    #[test]
    fn the_activations_are_within_a_millionth_of_their_definitions() {
        // The error function as an integral, by Simpson's rule.
        let erf = |x: f64| {
            let (steps, mut sum) = (2_000, 0.0);
            let step = x / f64::from(steps);
            for at in 0..=steps {
                let weight = if at == 0 || at == steps {
                    1.0
                } else if at % 2 == 1 {
                    4.0
                } else {
                    2.0
                };
                sum += weight * (-(f64::from(at) * step).powi(2)).exp();
            }
            sum * step / 3.0 * 2.0 / std::f64::consts::PI.sqrt()
        };
        for x in (-60..=60).map(|step| f64::from(step) / 10.0) {
            let applied = |activation: Activation| {
                let mut numbers = [x as f32];
                activation.apply(&mut numbers);
                f64::from(numbers[0])
            };
            let gelu = x / 2.0 * (1.0 + erf(x / std::f64::consts::SQRT_2));
            assert!((applied(Activation::Gelu) - gelu).abs() < 1e-6, "gelu {x}");
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
            let tanh = x / 2.0 * (1.0 + inner.tanh());
            assert!((applied(Activation::GeluTanh) - tanh).abs() < 1e-6, "gelu by tanh {x}");
            assert_eq!(applied(Activation::Relu), f64::from((x as f32).max(0.0)));
        }
    }

    #[test]
    fn softmax_gives_weights_even_for_huge_scores() {
        let mut scores = [1000.0, 1001.0, -1000.0];
        softmax(&mut scores);
        assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((scores[1] / scores[0] - std::f32::consts::E).abs() < 1e-5);
    }

    #[test]
    fn a_normalised_layer_has_mean_0_and_variance_1() {
        let mut row = (0..13).map(|x| x as f32 * 3.0 + 7.0).collect::<Vec<_>>();
        normalize_layer(&mut row, &[1.0; 13], &[0.0; 13], 1e-12);
        assert!(sum(&row).abs() < 1e-5);
        assert!((dot(&row, &row) / 13.0 - 1.0).abs() < 1e-5);
    }
}
