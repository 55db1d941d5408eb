//! How precisely is a vector kept, and what does near mean?

use serde::Serialize;

/// A vector has at most this many numbers.
pub const MAX_WIDTH: usize = 4096;

/// How precisely vectors are kept; the numbers are those in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[repr(u8)]
pub enum Encoding {
    /// Four bytes a number: as they came.
    #[serde(rename = "f32")]
    F32 = 1,
    /// A byte a number, and a factor for each row.
    #[default]
    #[serde(rename = "i8")]
    I8 = 2,
    /// A bit a number for a first look at all rows, and `i8` for a second at the best of them.
    #[serde(rename = "i1")]
    I1 = 3,
}

impl Encoding {
    /// All of them.
    pub const ALL: [Encoding; 3] = [Encoding::F32, Encoding::I8, Encoding::I1];

    /// The encoding with this number.
    pub fn from_number(number: u8) -> Option<Encoding> {
        Encoding::ALL.into_iter().find(|encoding| *encoding as u8 == number)
    }

    /// Its name, as schemas have it.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::F32 => "f32",
            Encoding::I8 => "i8",
            Encoding::I1 => "i1",
        }
    }
}

/// What near means; the numbers are those in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Metric {
    /// The cosine of the angle, −1 to 1. Lengths do not count, and are not kept.
    #[default]
    Cosine = 1,
    /// The inner product.
    Dot = 2,
    /// The distance. As a similarity it counts against: −distance.
    Euclidean = 3,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 3] = [Metric::Cosine, Metric::Dot, Metric::Euclidean];

    /// The metric with this number.
    pub fn from_number(number: u8) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| *metric as u8 == number)
    }

    /// Its name, as schemas have it.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Cosine => "cosine",
            Metric::Dot => "dot",
            Metric::Euclidean => "euclidean",
        }
    }
}

/// Why numbers are no vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VectorError {
    /// It has no numbers, or too many.
    #[error("it has {found} numbers; 1 to {MAX_WIDTH} are allowed")]
    BadWidth {
        /// How many.
        found: usize,
    },
    /// It has another width than the others of its model.
    #[error("it has {found} numbers, the model's vectors have {expected}")]
    OtherWidth {
        /// How many.
        found: usize,
        /// How many the others have.
        expected: usize,
    },
    /// A number is infinite, or none.
    #[error("number {place} of it is not finite")]
    NotFinite {
        /// Which, from 0.
        place: usize,
    },
    /// All its numbers are zero, or so small or large that it has no length.
    #[error("it has no direction: its length is zero, or cannot be reckoned with")]
    Zero,
}

/// The vector's length, if it is a vector; a model's `width` once it is known.
///
/// # Errors
/// When it is not.
pub fn checked(vector: &[f32], width: Option<usize>) -> Result<f64, VectorError> {
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
    // Below the smallest normal number its reciprocal would not be finite as an f32.
    if length < f64::from(f32::MIN_POSITIVE) { Err(VectorError::Zero) } else { Ok(length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_vector_is_refused_with_the_reason() {
        let cases = [
            (vec![], None, VectorError::BadWidth { found: 0 }),
            (vec![1.0; 4097], None, VectorError::BadWidth { found: 4097 }),
            (vec![1.0; 3], Some(4), VectorError::OtherWidth { found: 3, expected: 4 }),
            (vec![1.0, f32::NAN], None, VectorError::NotFinite { place: 1 }),
            (vec![f32::INFINITY], Some(1), VectorError::NotFinite { place: 0 }),
            (vec![0.0, -0.0], None, VectorError::Zero),
        ];
        for (vector, width, error) in cases {
            assert_eq!(checked(&vector, width), Err(error));
        }
        assert_eq!(checked(&[3.0, 4.0], Some(2)), Ok(5.0));
        assert!(checked(&[f32::MAX; 4096], None).is_ok_and(f64::is_finite));
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
