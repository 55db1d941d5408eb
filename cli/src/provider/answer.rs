//! Checks the response of a server: the right number of vectors, of one width, with finite values.

use super::error::WrongAnswer;
use serde::Deserialize;

/// The largest width of a vector in a snapshot.
pub const MAX_WIDTH: usize = 4096;

/// One vector in a response with the interface of OpenAI.
#[derive(Debug, Deserialize)]
pub struct Embedding {
    /// The number of its text; some servers leave it out.
    index: Option<usize>,
    /// A `null` stands for NaN or an infinity, which JSON cannot express.
    embedding: Vec<Option<f32>>,
}

/// Returns the vectors in the order of the texts.
pub fn in_order(embeddings: Vec<Embedding>, asked: usize) -> Result<Vec<Vec<f32>>, WrongAnswer> {
    let got = embeddings.len();
    if got != asked {
        return Err(WrongAnswer::Count { asked, got });
    }
    let mut placed = vec![None; asked];
    for (at, Embedding { index, embedding }) in embeddings.into_iter().enumerate() {
        let index = index.unwrap_or(at);
        match placed.get_mut(index) {
            Some(place @ None) => *place = Some(numbers(at, embedding)?),
            _ => return Err(WrongAnswer::Index { index, asked }),
        }
    }
    Ok(placed.into_iter().map(|vector| vector.expect("as many vectors as places, none twice")).collect())
}

/// Returns the values of a vector, if none is missing.
pub fn numbers(at: usize, embedding: Vec<Option<f32>>) -> Result<Vec<f32>, WrongAnswer> {
    let numbers = embedding.into_iter().collect::<Option<Vec<f32>>>();
    numbers.ok_or(WrongAnswer::NotANumber { at })
}

/// Checks that there is one vector per text, with finite values and the width `width`, or the width of the first.
/// Returns the width.
pub fn check(vectors: &[Vec<f32>], asked: usize, width: Option<usize>) -> Result<usize, WrongAnswer> {
    if vectors.len() != asked {
        return Err(WrongAnswer::Count { asked, got: vectors.len() });
    }
    let expected = width.unwrap_or_else(|| vectors.first().map_or(1, Vec::len));
    if !(1..=MAX_WIDTH).contains(&expected) {
        return Err(WrongAnswer::WidthOutOfRange { got: expected, most: MAX_WIDTH });
    }
    for (at, vector) in vectors.iter().enumerate() {
        if vector.len() != expected {
            return Err(WrongAnswer::Width { at, got: vector.len(), expected });
        }
        if !vector.iter().all(|number| number.is_finite()) {
            return Err(WrongAnswer::NotANumber { at });
        }
    }
    Ok(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embeddings(json: &str) -> Vec<Embedding> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn vectors_are_placed_by_their_index_or_else_by_their_order() {
        let shuffled = r#"[{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}]"#;
        assert_eq!(in_order(embeddings(shuffled), 2).unwrap(), [[1.0], [2.0]]);
        let plain = r#"[{"embedding": [2]}, {"embedding": [1]}]"#;
        assert_eq!(in_order(embeddings(plain), 2).unwrap(), [[2.0], [1.0]]);
    }

    #[test]
    fn an_index_twice_or_beyond_the_texts_is_refused() {
        let twice = r#"[{"index": 0, "embedding": [2]}, {"index": 0, "embedding": [1]}]"#;
        assert_eq!(in_order(embeddings(twice), 2), Err(WrongAnswer::Index { index: 0, asked: 2 }));
        let beyond = r#"[{"index": 1, "embedding": [2]}]"#;
        assert_eq!(in_order(embeddings(beyond), 1), Err(WrongAnswer::Index { index: 1, asked: 1 }));
    }

    #[test]
    fn counts_widths_and_numbers_are_checked() {
        assert_eq!(check(&[vec![1.0]], 2, None), Err(WrongAnswer::Count { asked: 2, got: 1 }));
        let ragged = [vec![1.0], vec![1.0, 2.0]];
        assert_eq!(check(&ragged, 2, None), Err(WrongAnswer::Width { at: 1, got: 2, expected: 1 }));
        assert_eq!(check(&[vec![1.0]], 1, Some(2)), Err(WrongAnswer::Width { at: 0, got: 1, expected: 2 }));
        assert_eq!(check(&[vec![f32::INFINITY]], 1, None), Err(WrongAnswer::NotANumber { at: 0 }));
        let (got, most) = (MAX_WIDTH + 1, MAX_WIDTH);
        assert_eq!(check(&[vec![0.0; got]], 1, None), Err(WrongAnswer::WidthOutOfRange { got, most }));
        assert_eq!(check(&[vec![]], 1, None), Err(WrongAnswer::WidthOutOfRange { got: 0, most }));
        assert_eq!(check(&[vec![1.0, 2.0]], 1, None), Ok(2));
    }
}
