//! Which tokens of a static model are near a token? Those whose vectors have the greatest cosines with its own.

use super::StaticModelView;
use crate::vector::kernel::{LANES, dot_f32};

/// The unit vectors of all tokens of a static model, to compare each with all others.
#[derive(Debug)]
pub struct TokenNeighbours {
    /// One vector per token, padded with zeros to a whole number of lanes.
    vectors: Vec<Vec<f32>>,
    /// The same vectors as little-endian bytes.
    rows: Vec<Vec<u8>>,
}

impl TokenNeighbours {
    /// Computes the vectors of all tokens of `model`.
    pub fn of(model: &StaticModelView<'_>) -> TokenNeighbours {
        let padded = |token| {
            let mut vector = model.token_vector(token);
            vector.resize(vector.len().next_multiple_of(LANES), 0.0);
            vector
        };
        let vectors = (0..model.token_count()).map(padded).collect::<Vec<_>>();
        let bytes = |vector: &Vec<f32>| vector.iter().flat_map(|value| value.to_le_bytes()).collect();
        let rows = vectors.iter().map(bytes).collect();
        TokenNeighbours { vectors, rows }
    }

    /// Returns the `count` tokens nearest to `token`, nearest first, without the token itself.
    ///
    /// Equally near tokens come in the order of their numbers. Tokens with a cosine of 0 or less are not near. The result is
    /// empty if the number is out of range or the token has no vector.
    pub fn nearest(&self, token: usize, count: usize) -> Vec<usize> {
        let Some(vector) = self.vectors.get(token) else { return Vec::new() };
        let mut best = Vec::with_capacity(count + 1);
        for (other, row) in self.rows.iter().enumerate() {
            let cosine = dot_f32(vector, row);
            let is_better = best.len() < count || best.last().is_some_and(|&(least, _)| cosine > least);
            if cosine > 0.0 && is_better && other != token {
                let place = best.partition_point(|&(better, _)| better >= cosine);
                best.insert(place, (cosine, other));
                best.truncate(count);
            }
        }
        best.into_iter().map(|(_, other)| other).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ModelTokenizer, StaticModel, WordPieceOptions};
    use super::*;

    /// Tokens 0 to 3 around one axis, 4 and 5 around another, and token 6 without a vector.
    fn neighbours() -> TokenNeighbours {
        let rows = [[9, 0, 0], [9, 0, 1], [9, 0, 4], [9, 0, 2], [0, 9, 0], [0, 9, 1], [0, 0, 0]];
        let tokens = ["a", "b", "c", "d", "e", "f", "g"].map(str::to_owned).to_vec();
        let tokenizer = ModelTokenizer::WordPiece {
            options: WordPieceOptions::default(),
            continuing_prefix: "##".to_owned(),
        };
        let model = StaticModel {
            id: "axes".to_owned(),
            tokenizer,
            tokens,
            width: 3,
            rows: rows.concat(),
            scales: vec![0.5; 7],
        };
        TokenNeighbours::of(&StaticModelView::parse(&model.encode().unwrap()).unwrap())
    }

    #[test]
    fn the_nearest_tokens_come_first_and_others_not_at_all() {
        let neighbours = neighbours();
        assert_eq!(neighbours.nearest(0, 9), [1, 3, 2]);
        assert_eq!(neighbours.nearest(0, 2), [1, 3]);
        assert_eq!(neighbours.nearest(4, 9), [5]);
        assert_eq!(neighbours.nearest(0, 0), [0; 0]);
    }

    #[test]
    fn a_token_without_a_vector_has_no_neighbours_and_is_none() {
        let neighbours = neighbours();
        assert_eq!((neighbours.nearest(6, 9), neighbours.nearest(7, 9)), (vec![], vec![]));
        assert!((0..6).all(|token| !neighbours.nearest(token, 9).contains(&6)));
    }
}
