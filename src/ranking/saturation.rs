//! How does an unbounded score become a score below 1?

/// The greatest f64 below 1.
const BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

/// Returns |x| / (1 + |x|) (P7): 0 for 0, a half for 1, and below 1 for every number. Returns 0 if `x` is not finite.
///
/// FTS5's ranks are negative, so the sign is ignored.
///
/// ```
/// use snapseek::ranking::bm25_normalize;
///
/// assert_eq!(bm25_normalize(-3.0), 0.75);
/// ```
pub fn bm25_normalize(x: f64) -> f64 {
    if !x.is_finite() {
        return 0.0;
    }
    // From 2⁵³ on, adding 1 has no effect, and the quotient would be 1.
    (x.abs() / (1.0 + x.abs())).min(BELOW_ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p7_edge_6_a_score_of_either_sign_is_divided_by_one_more_than_its_magnitude() {
        assert_eq!([0.0, 1.0, 3.0, 9.0].map(bm25_normalize), [0.0, 0.5, 0.75, 0.9]);
        assert_eq!(bm25_normalize(-3.0), 0.75);
    }

    #[test]
    fn p7_u12_inv_005_the_result_is_at_least_zero_and_below_one() {
        let exponents = -1074..1024;
        for x in exponents.map(|exponent| libm::exp2(f64::from(exponent))).chain([0.0, f64::MAX]) {
            for x in [x, -x, x * 1.9] {
                assert!((0.0..1.0).contains(&bm25_normalize(x)), "{x}");
            }
        }
    }

    #[test]
    fn p7_what_is_not_finite_gives_zero() {
        assert_eq!([f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(bm25_normalize), [0.0; 3]);
    }

    #[test]
    fn p7_a_greater_score_never_gives_less() {
        let scores = (0..10_000).map(|step| bm25_normalize(f64::from(step) * 0.37)).collect::<Vec<_>>();
        assert!(scores.is_sorted());
    }
}
