//! How do ranking weights adapt to feedback about answers?

/// The smallest number of feedback rows that changes the weights.
const FEWEST: usize = 30;
/// The difference of the first weight between an acceptance of 0 and of 1.
const SLOPE: f64 = 0.30;
/// The largest change of the first weight, up or down.
const FURTHEST: f64 = 0.15;

/// A summary of the feedback about answers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Acceptance {
    /// The number of feedback rows, without `failed` ones.
    pub n: usize,
    /// The share of accepted answers, 0 to 1; a modified answer counts half. `None` without feedback.
    pub accept: Option<f64>,
}

/// Summarises feedback actions: `accepted`, `modified` and `dismissed`. `failed` rows had no answer and do not count.
pub fn acceptance<'a>(actions: impl Iterator<Item = &'a str>) -> Acceptance {
    let (mut n, mut sum) = (0, 0.0);
    for action in actions.filter(|action| *action != "failed") {
        n += 1;
        sum += match action {
            "accepted" => 1.0,
            "modified" => 0.5,
            _ => 0.0,
        };
    }
    Acceptance { n, accept: (n > 0).then(|| sum / n as f64) }
}

/// Adapts weights to feedback (V9).
///
/// The first weight rises with the acceptance and falls without it. The weight at index `kept` stays, and the others
/// are scaled so that all weights sum to 1. With fewer than 30 feedback rows, `base` is returned unchanged.
pub fn adapted<const N: usize>(base: [f64; N], kept: usize, acceptance: Acceptance) -> [f64; N] {
    let Some(accept) = acceptance.accept.filter(|_| acceptance.n >= FEWEST) else { return base };
    let first = base[0] + ((accept - 0.5) * SLOPE).clamp(-FURTHEST, FURTHEST);
    let others = (1..N).filter(|place| *place != kept).fold(0.0, |sum, place| sum + base[place]);
    let scale = (1.0 - first - base[kept]) / others;
    std::array::from_fn(|place| match place {
        0 => first,
        place if place == kept => base[place],
        place => base[place] * scale,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: [f64; 4] = [0.35, 0.0, 0.35, 0.2];

    fn after(accepted: usize, modified: usize, dismissed: usize, failed: usize) -> (Acceptance, [f64; 4]) {
        let rows =
            [("accepted", accepted), ("modified", modified), ("dismissed", dismissed), ("failed", failed)];
        let rows = rows.into_iter().flat_map(|(action, count)| std::iter::repeat_n(action, count));
        let acceptance = acceptance(rows);
        (acceptance, adapted(BASE, 1, acceptance))
    }

    #[test]
    fn v9_fewer_than_thirty_rows_change_nothing_and_failures_do_not_count() {
        assert_eq!(after(29, 0, 0, 50), (Acceptance { n: 29, accept: Some(1.0) }, BASE));
        assert_eq!(after(0, 0, 0, 9), (Acceptance { n: 0, accept: None }, BASE));
        assert_ne!(after(30, 0, 0, 0).1, BASE);
    }

    #[test]
    fn v9_the_first_weight_follows_the_accepted_share_and_all_add_up_to_one() {
        for (accepted, modified, dismissed, accept, first) in [
            (40, 0, 0, 1.0, 0.5),
            (0, 0, 40, 0.0, 0.2),
            (15, 0, 15, 0.5, 0.35),
            (10, 20, 10, 0.5, 0.35),
            (20, 20, 0, 0.75, 0.425),
        ] {
            let (acceptance, weights) = after(accepted, modified, dismissed, 3);
            assert_eq!(acceptance, Acceptance { n: accepted + modified + dismissed, accept: Some(accept) });
            assert!((weights[0] - first).abs() < 1e-15, "{weights:?}");
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-15, "{weights:?}");
            assert!(
                (weights[2] / weights[3] - BASE[2] / BASE[3]).abs() < 1e-12,
                "the others keep their proportion"
            );
        }
    }

    #[test]
    fn v9_a_weight_that_is_kept_stays() {
        let all = Acceptance { n: 30, accept: Some(1.0) };
        let weights = adapted([0.2, 0.15, 0.4, 0.15], 1, all);
        assert_eq!((weights[0], weights[1]), (0.35, 0.15));
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }
}
