//! Which chunks surround a hit? Chunks before and after it join the results, with lower scores the further away they are.

use crate::order::{Map, sort_by};

/// The factor by which a score falls per chunk of distance.
const STEP: f64 = 0.85;

/// A chunk near a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearSeed {
    /// The chunk's row.
    pub row: u32,
    /// The seed's row.
    pub seed: u32,
    /// The distance from the seed, in chunks.
    pub distance: usize,
}

/// A seed, or a chunk near one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// The chunk's row.
    pub row: u32,
    /// The chunk's score.
    pub score: f64,
    /// The neighbourhood that gave the score; `None` for a seed with its own score.
    pub near: Option<NearSeed>,
}

/// Returns the share of a seed's score that a chunk at this distance gets.
pub fn share_at(distance: usize) -> f64 {
    (0..distance).fold(1.0, |share, _| share * STEP)
}

/// Returns the seeds and their neighbours, best first (R8).
///
/// A chunk near several seeds takes the best of its scores, and so does a seed near a better seed. Among equal scores, a
/// seed comes before its neighbours.
pub fn with_neighbours(seeds: &[(u32, f64)], near: &[NearSeed]) -> Vec<Placed> {
    let scores = seeds.iter().copied().collect::<Map<_, _>>();
    let own = |(row, score): (&u32, &f64)| (*row, Placed { row: *row, score: *score, near: None });
    let mut best = scores.iter().map(own).collect::<Map<_, _>>();
    let distance = |placed: &Placed| placed.near.map_or(0, |near| near.distance);
    for near in near {
        let Some(seed) = scores.get(&near.seed) else { continue };
        let score = seed * share_at(near.distance);
        let new = Placed { row: near.row, score, near: Some(*near) };
        let known = best.or_insert(near.row, new);
        let is_nearer = score == known.score && near.distance < distance(known);
        if score > known.score || is_nearer {
            *known = new;
        }
    }
    let mut placed = best.into_iter().map(|(_, placed)| placed).collect::<Vec<_>>();
    sort_by(&mut placed, |a, b| {
        let by_score = (b.score + 0.0).total_cmp(&(a.score + 0.0));
        by_score.then(distance(a).cmp(&distance(b))).then(a.row.cmp(&b.row))
    });
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(row: u32, seed: u32, distance: usize) -> NearSeed {
        NearSeed { row, seed, distance }
    }

    #[test]
    fn r8_a_neighbour_has_085_of_the_seeds_score_for_each_step() {
        let placed = with_neighbours(&[(5, 0.8)], &[near(4, 5, 1), near(6, 5, 1), near(7, 5, 2)]);
        let found = placed.iter().map(|placed| (placed.row, placed.score)).collect::<Vec<_>>();
        let (one, two) = (0.8 * 0.85, 0.8 * (0.85 * 0.85));
        assert_eq!(found, [(5, 0.8), (4, one), (6, one), (7, two)]);
    }

    #[test]
    fn r8_a_chunk_beside_two_seeds_takes_the_better_score() {
        let placed = with_neighbours(&[(1, 0.5), (3, 0.9)], &[near(2, 1, 1), near(2, 3, 1)]);
        let between = placed.iter().find(|placed| placed.row == 2).unwrap();
        assert_eq!((between.score, between.near), (0.9 * 0.85, Some(near(2, 3, 1))));
    }

    #[test]
    fn r8_a_seed_beside_a_better_one_is_raised_and_gives_its_neighbours_its_own_score() {
        let placed = with_neighbours(&[(1, 0.9), (2, 0.1)], &[near(2, 1, 1), near(1, 2, 1), near(3, 2, 1)]);
        let found = placed.iter().map(|placed| (placed.row, placed.score)).collect::<Vec<_>>();
        assert_eq!(found, [(1, 0.9), (2, 0.9 * 0.85), (3, 0.1 * 0.85)]);
    }

    #[test]
    fn r8_a_seed_never_loses_to_its_own_neighbour() {
        let placed = with_neighbours(&[(5, 0.0)], &[near(4, 5, 1), near(3, 5, 2)]);
        assert_eq!(placed.iter().map(|placed| placed.row).collect::<Vec<_>>(), [5, 4, 3]);
    }
}
