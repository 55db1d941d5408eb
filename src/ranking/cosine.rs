//! How similar are the directions of two vectors?
//!
//! This function is for single pairs. The kernels of `vector` scan whole matrices, and add in another order.

/// Returns the cosine of two vectors (P8), from −1 to 1.
///
/// Returns 0 if their lengths differ, if one is all zeros, or if a number is not finite.
///
/// ```
/// use snapseek::ranking::cosine_similarity;
///
/// assert_eq!(cosine_similarity(&[1.0, 0.0], &[3.0, 0.0]), 1.0);
/// assert_eq!(cosine_similarity(&[1.0, 0.0], &[0.0, 2.0]), 0.0);
/// ```
pub fn cosine_similarity(a: &[f32], b: &[f32]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    // The squares of f32 values neither overflow nor underflow in f64.
    let dot =
        |a: &[f32], b: &[f32]| a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + f64::from(*a) * f64::from(*b));
    let norm = (dot(a, a) * dot(b, b)).sqrt();
    let cosine = dot(a, b) / norm;
    // Division by a zero norm gives NaN.
    if cosine.is_finite() { cosine.clamp(-1.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p8_equal_directions_give_one_and_opposite_ones_minus_one() {
        let vector = [0.1, -0.7, 0.3];
        assert_eq!(cosine_similarity(&vector, &vector), 1.0);
        assert_eq!(cosine_similarity(&vector, &vector.map(|x| -2.0 * x)), -1.0);
        assert_eq!(cosine_similarity(&[1.0, 0.0], &[0.0, 5.0]), 0.0);
        assert_eq!(cosine_similarity(&[3.0, 4.0], &[4.0, 3.0]), 0.96);
    }

    #[test]
    fn p8_vectors_of_different_lengths_give_zero() {
        assert_eq!(cosine_similarity(&[1.0, 2.0], &[1.0]), 0.0);
        assert_eq!(cosine_similarity(&[], &[1.0]), 0.0);
    }

    #[test]
    fn p8_a_vector_of_zeros_gives_zero() {
        assert_eq!(cosine_similarity(&[0.0, 0.0], &[1.0, 1.0]), 0.0);
        assert_eq!(cosine_similarity(&[], &[]), 0.0);
    }

    #[test]
    fn p8_the_result_is_a_number_from_minus_one_to_one_whatever_is_given() {
        let odd = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::MAX,
            f32::MIN,
            f32::MIN_POSITIVE,
            1e-45,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ];
        for a in odd {
            for b in odd {
                for c in odd {
                    let cosine = cosine_similarity(&[a, b], &[c, a]);
                    assert!((-1.0..=1.0).contains(&cosine), "{a} {b} {c}: {cosine}");
                }
            }
        }
        assert_eq!(cosine_similarity(&[1e-45, 0.0], &[1e-45, 0.0]), 1.0);
        assert_eq!(cosine_similarity(&[f32::MAX; 2], &[f32::MAX; 2]), 1.0);
    }
}
