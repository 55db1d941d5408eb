//! At which precision are vectors stored, and how is nearness measured?

use serde::Serialize;

/// The maximum width: the number of components of a vector.
pub const MAX_WIDTH: usize = 4096;

/// The precision at which vectors are stored. The discriminants are the numbers in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[repr(u8)]
pub enum Encoding {
    /// Four bytes per number, unchanged.
    #[serde(rename = "f32")]
    F32 = 1,
    /// One byte per number, and one factor per row.
    #[default]
    #[serde(rename = "i8")]
    I8 = 2,
    /// One bit per number for a first pass over all rows, and `i8` to compare the best of them.
    #[serde(rename = "i1")]
    I1 = 3,
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Encoding; 3] = [Encoding::F32, Encoding::I8, Encoding::I1];

    /// Returns the encoding with this number in the file.
    pub fn from_number(number: u8) -> Option<Encoding> {
        Encoding::ALL.into_iter().find(|encoding| *encoding as u8 == number)
    }

    /// Returns the name used in schemas.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::F32 => "f32",
            Encoding::I8 => "i8",
            Encoding::I1 => "i1",
        }
    }
}

/// The measure of nearness. The discriminants are the numbers in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Metric {
    /// The cosine of the angle, from −1 to 1. Vector lengths are neither used nor stored.
    #[default]
    Cosine = 1,
    /// The inner product.
    Dot = 2,
    /// The Euclidean distance. As a similarity it is negated, so that higher is nearer.
    Euclidean = 3,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Metric; 3] = [Metric::Cosine, Metric::Dot, Metric::Euclidean];

    /// Returns the metric with this number in the file.
    pub fn from_number(number: u8) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| *metric as u8 == number)
    }

    /// Returns the name used in schemas.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Cosine => "cosine",
            Metric::Dot => "dot",
            Metric::Euclidean => "euclidean",
        }
    }
}

/// Why a list of numbers cannot be used as a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VectorError {
    /// The vector is empty or too long.
    #[error("it has {found} numbers; 1 to {MAX_WIDTH} are allowed")]
    BadWidth {
        /// The number of components.
        found: usize,
    },
    /// The vector's width differs from that of the model's other vectors.
    #[error("it has {found} numbers, the model's vectors have {expected}")]
    OtherWidth {
        /// The number of components.
        found: usize,
        /// The number of components of the model's other vectors.
        expected: usize,
    },
    /// A component is infinite or NaN.
    #[error("its number at index {place} is not finite")]
    NotFinite {
        /// The index of the component, from 0.
        place: usize,
    },
    /// The vector's length is zero, or too small for its reciprocal to be finite.
    #[error("it has no direction: its length is zero or too small")]
    Zero,
}

/// Checks that a vector is usable and returns its length. `width` is the model's width, once it is known.
///
/// # Errors
/// Returns an error when the width is wrong, a component is not finite, or the length is zero.
pub fn check_vector(vector: &[f32], width: Option<usize>) -> Result<f64, VectorError> {
    let found = vector.len();
    if let Some(expected) = width.filter(|&width| width != found) {
        return Err(VectorError::OtherWidth { found, expected });
    }
    if found == 0 || found > MAX_WIDTH {
        return Err(VectorError::BadWidth { found });
    }
    if let Some(place) = vector.iter().position(|number| !number.is_finite()) {
        return Err(VectorError::NotFinite { place });
    }
    let square = vector.iter().map(|&number| f64::from(number) * f64::from(number)).sum::<f64>();
    let length = square.sqrt();
    // The reciprocal of a subnormal length would not be finite as an f32.
    if length < f64::from(f32::MIN_POSITIVE) { Err(VectorError::Zero) } else { Ok(length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unusable_vector_is_refused_with_the_reason() {
        let cases = [
            (vec![], None, VectorError::BadWidth { found: 0 }),
            (vec![1.0; 4097], None, VectorError::BadWidth { found: 4097 }),
            (vec![1.0; 3], Some(4), VectorError::OtherWidth { found: 3, expected: 4 }),
            (vec![1.0, f32::NAN], None, VectorError::NotFinite { place: 1 }),
            (vec![f32::INFINITY], Some(1), VectorError::NotFinite { place: 0 }),
            (vec![0.0, -0.0], None, VectorError::Zero),
        ];
        for (vector, width, error) in cases {
            assert_eq!(check_vector(&vector, width), Err(error));
        }
        assert_eq!(check_vector(&[3.0, 4.0], Some(2)), Ok(5.0));
        assert!(check_vector(&[f32::MAX; 4096], None).is_ok_and(f64::is_finite));
    }

    #[test]
    fn numbers_in_the_file_come_back() {
        for encoding in [Encoding::F32, Encoding::I8, Encoding::I1] {
            assert_eq!(Encoding::from_number(encoding as u8), Some(encoding));
        }
        for metric in [Metric::Cosine, Metric::Dot, Metric::Euclidean] {
            assert_eq!(Metric::from_number(metric as u8), Some(metric));
        }
        assert_eq!((Encoding::from_number(0), Metric::from_number(4)), (None, None));
    }
}
