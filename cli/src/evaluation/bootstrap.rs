//! How sure is a mean difference? Paired bootstrap: queries are drawn again, with repetition.

/// The number of draws of all queries.
const DRAWS: usize = 10_000;
/// The share of draws on each side of a 95 % interval.
const TAIL: f64 = 0.025;

/// A 95 % interval of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The 2.5 % quantile.
    pub low: f64,
    /// The 97.5 % quantile.
    pub high: f64,
}

impl Interval {
    /// Returns the 95 % interval of the mean of per-query differences.
    ///
    /// The generator has a fixed seed, so the same differences give the same interval. Both ends are 0 if there are no
    /// differences.
    pub fn of_mean(differences: &[f64]) -> Interval {
        if differences.is_empty() {
            return Interval { low: 0.0, high: 0.0 };
        }
        let mut random = SplitMix(0x5eed);
        let mut means = Vec::with_capacity(DRAWS);
        for _ in 0..DRAWS {
            let drawn = (0..differences.len()).map(|_| differences[random.below(differences.len())]);
            means.push(drawn.sum::<f64>() / differences.len() as f64);
        }
        means.sort_by(f64::total_cmp);
        let tail = (TAIL * DRAWS as f64) as usize;
        Interval { low: means[tail], high: means[DRAWS - 1 - tail] }
    }
}

/// Sebastiano Vigna's SplitMix64: a small generator of pseudo-random numbers.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`. The bias is below `end` / 2⁶⁴.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_splitmix64() {
        let mut random = SplitMix(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn the_interval_is_that_of_the_normal_distribution_for_many_queries() {
        // Alternating ±1 around 0.1: the standard error of the mean is 1 / √400.
        let differences = (0..400).map(|i| 0.1 + if i % 2 == 0 { 1.0 } else { -1.0 }).collect::<Vec<_>>();
        let Interval { low, high } = Interval::of_mean(&differences);
        assert!((low - (0.1 - 1.96 / 20.0)).abs() < 0.005, "{low}");
        assert!((high - (0.1 + 1.96 / 20.0)).abs() < 0.005, "{high}");
    }

    #[test]
    fn the_same_differences_give_the_same_interval() {
        let differences = (0..37).map(|i| f64::from(i * i % 11) - 4.0).collect::<Vec<_>>();
        assert_eq!(Interval::of_mean(&differences), Interval::of_mean(&differences));
    }

    #[test]
    fn equal_differences_leave_no_doubt_and_none_give_zero() {
        assert_eq!(Interval::of_mean(&[0.25; 8]), Interval { low: 0.25, high: 0.25 });
        assert_eq!(Interval::of_mean(&[]), Interval { low: 0.0, high: 0.0 });
    }
}
