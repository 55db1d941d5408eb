//! Which chunks stand next to a hit, and how much of its score do they get?

use crate::order::{Map, sort_by};

/// The share of a score that is left one chunk away.
const STEP: f64 = 0.85;
/// Neighbours are at most this many chunks away.
pub const MAX_WINDOW: usize = 5;

/// A chunk near a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearSeed {
    /// The row of the chunk.
    pub row: u32,
    /// The row of the seed.
    pub seed: u32,
    /// The number of chunks from the seed to this one.
    pub distance: usize,
}

/// A seed, or a chunk near one, with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// The row of the chunk.
    pub row: u32,
    /// The score.
    pub score: f64,
    /// The seed that the score comes from; none for a seed with a score of its own.
    pub near: Option<NearSeed>,
}

/// Splits the id of a chunk, such as `note:7#2`, into the id of the whole and the number of the chunk. None for other ids.
pub fn numbered_chunk(id: &str) -> Option<(&str, usize)> {
    let (whole, index) = id.rsplit_once('#')?;
    let number = index.parse::<usize>().ok()?;
    // Signs and leading zeros make another id.
    (number.to_string() == index).then_some((whole, number))
}

/// Returns the share of a seed's score at this distance: 0.85 per chunk.
pub fn share_at(distance: usize) -> f64 {
    (0..distance).fold(1.0, |share, _| share * STEP)
}

/// Returns seeds and the chunks near them, best first (R8). `seeds` has rows and scores, best first.
///
/// A chunk near several seeds, or a seed near a better one, takes the best score. Equal scores go by distance, then by the
/// order of the seeds, then by row, so a seed never loses to its own neighbour.
pub fn with_neighbours(seeds: &[(u32, f64)], near: &[NearSeed]) -> Vec<Placed> {
    let ranks = seeds.iter().enumerate().map(|(rank, (row, _))| (*row, rank)).collect::<Map<_, _>>();
    let own = |(row, score): &(u32, f64)| (*row, Placed { row: *row, score: *score, near: None });
    let mut best = seeds.iter().map(own).collect::<Map<_, _>>();
    let distance = |placed: &Placed| placed.near.map_or(0, |near| near.distance);
    for near in near {
        let Some(rank) = ranks.get(&near.seed) else { continue };
        let score = seeds[*rank].1 * share_at(near.distance);
        let new = Placed { row: near.row, score, near: Some(*near) };
        let known = best.or_insert(near.row, new);
        let is_nearer = score == known.score && near.distance < distance(known);
        if score > known.score || is_nearer {
            *known = new;
        }
    }
    let mut placed = best.into_iter().map(|(_, placed)| placed).collect::<Vec<_>>();
    let rank = |placed: &Placed| ranks.get(&placed.near.map_or(placed.row, |near| near.seed)).copied();
    sort_by(&mut placed, |a, b| {
        let by_score = (b.score + 0.0).total_cmp(&(a.score + 0.0));
        by_score.then(distance(a).cmp(&distance(b))).then(rank(a).cmp(&rank(b))).then(a.row.cmp(&b.row))
    });
    placed
}

/// A seed or neighbour that [`expand_with_neighbor_chunks`] returns.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpandedChunk {
    /// The id of the chunk.
    pub id: String,
    /// The score: the chunk's own, or the seed's times 0.85 per chunk of distance.
    pub score: f64,
    /// The id of the seed that the score comes from, and the distance to it; none for a seed with a score of its own.
    pub neighbor: Option<(String, usize)>,
}

/// Adds to results, best first, the chunks up to `window` before and after each of them (R8). `neighbours` has the ids of all
/// chunks that may be added; a neighbour's id differs from a result's in the number after the last `#` alone.
///
/// Windows beyond 5 count as 5.
///
/// ```
/// use snapseek::primitives::expand_with_neighbor_chunks;
///
/// let expanded = expand_with_neighbor_chunks(&[("guide#1", 1.0)], 1, &["guide#0", "guide#3"]);
/// assert_eq!(expanded.len(), 2);
/// assert_eq!((expanded[1].id.as_str(), expanded[1].score), ("guide#0", 0.85));
/// ```
pub fn expand_with_neighbor_chunks(
    results: &[(&str, f64)],
    window: usize,
    neighbours: &[&str],
) -> Vec<ExpandedChunk> {
    let ids = results.iter().map(|(id, _)| *id).chain(neighbours.iter().copied()).collect::<Vec<_>>();
    let mut rows = Map::<&str, u32>::new();
    for (row, id) in ids.iter().enumerate() {
        rows.or_insert(*id, row as u32);
    }
    let is_first = |(row, (id, _)): &(usize, &(&str, f64))| rows[*id] == *row as u32;
    let seeds = results.iter().enumerate().filter(is_first).map(|(row, (_, score))| (row as u32, *score));
    let seeds = seeds.collect::<Vec<_>>();
    let find = |id: &str| rows.get(id).copied();
    let near = seeds.iter().flat_map(|(seed, _)| near_seed(ids[*seed as usize], *seed, window, find));
    let near = near.collect::<Vec<_>>();
    let expanded = |placed: Placed| ExpandedChunk {
        id: ids[placed.row as usize].to_owned(),
        score: placed.score,
        neighbor: placed.near.map(|near| (ids[near.seed as usize].to_owned(), near.distance)),
    };
    with_neighbours(&seeds, &near).into_iter().map(expanded).collect()
}

fn near_seed(id: &str, seed: u32, window: usize, find: impl Fn(&str) -> Option<u32>) -> Vec<NearSeed> {
    let found = neighbour_ids(id, window).into_iter();
    found.filter_map(|(id, distance)| Some(NearSeed { row: find(&id)?, seed, distance })).collect()
}

/// Returns the ids of the chunks up to `window` before and after a chunk, nearest first, each with its distance.
pub fn neighbour_ids(id: &str, window: usize) -> Vec<(String, usize)> {
    let Some((whole, index)) = numbered_chunk(id) else { return Vec::new() };
    let mut ids = Vec::new();
    for distance in 1..=window.min(MAX_WINDOW) {
        for other in [index.checked_sub(distance), index.checked_add(distance)].into_iter().flatten() {
            ids.push((format!("{whole}#{other}"), distance));
        }
    }
    ids
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
        let placed = with_neighbours(&[(3, 0.9), (1, 0.5)], &[near(2, 1, 1), near(2, 3, 1)]);
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

    #[test]
    fn r8_seeds_with_equal_scores_keep_their_order_and_so_do_their_neighbours() {
        let near = [near(8, 9, 1), near(2, 1, 1)];
        let placed = with_neighbours(&[(9, 0.5), (1, 0.5)], &near);
        assert_eq!(placed.iter().map(|placed| placed.row).collect::<Vec<_>>(), [9, 1, 8, 2]);
    }
}
