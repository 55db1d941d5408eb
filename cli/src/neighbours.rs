//! Which words may a query use for the words of the records? The tokens of a static model whose vectors are nearest.

use crate::parallel;
use snapseek::embed::{StaticModelView, TokenNeighbours};
use std::convert::Infallible;

/// The number of nearest tokens that are kept for each token of the records. models/snapseek-static-en-v2/README.md says
/// how little 4 of them lose.
const NEAREST: usize = 4;
/// The tokens that a thread compares with all others at a time.
const TOKENS_PER_JOB: usize = 64;

/// Marks the tokens that are nearest to each marked token, by cosine, in addition to the marked ones.
///
/// The result does not depend on the number of threads.
pub fn with_neighbours(model: &StaticModelView<'_>, is_used: &[bool], threads: usize) -> Vec<bool> {
    let neighbours = TokenNeighbours::of(model);
    let used = (0..is_used.len()).filter(|&token| is_used[token]).collect::<Vec<_>>();
    let nearest_of = |tokens: &[usize]| {
        tokens.iter().flat_map(|&token| neighbours.nearest(token, NEAREST)).collect::<Vec<_>>()
    };
    let mut is_kept = is_used.to_vec();
    let jobs = used.chunks(TOKENS_PER_JOB).map(Ok::<_, Infallible>);
    let kept = parallel::in_order(threads, jobs, nearest_of, |near| {
        near.into_iter().for_each(|token| is_kept[token] = true);
        Ok(())
    });
    match kept {
        Ok(()) => is_kept,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use snapseek::embed::{ModelTokenizer, StaticModel, WordPieceOptions};

    /// Six tokens around each of two axes, and one without a vector.
    fn model() -> Vec<u8> {
        let tokens = "car auto truck vehicle bus van cat kitten dog pet lion puma nothing";
        let tokens = tokens.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let row = |token: i8| match token {
            12 => [0, 0, 0],
            0..6 => [100, 0, 3 * token],
            _ => [0, 100, 3 * token],
        };
        let tokenizer = ModelTokenizer::WordPiece {
            options: WordPieceOptions::default(),
            continuing_prefix: "##".to_owned(),
        };
        let scales = vec![0.5; tokens.len()];
        let rows = (0..13).flat_map(row).collect();
        StaticModel { id: "axes".to_owned(), tokenizer, tokens, width: 3, rows, scales }.encode().unwrap()
    }

    fn kept(used: &[&str], threads: usize) -> Vec<String> {
        let bytes = model();
        let model = StaticModelView::parse(&bytes).unwrap();
        let name = |token: usize| model.token(token as u32).unwrap().0.to_owned();
        let all = 0..model.token_count() as usize;
        let is_used = all.clone().map(|token| used.contains(&name(token).as_str())).collect::<Vec<_>>();
        let is_kept = with_neighbours(&model, &is_used, threads);
        let mut names = all.filter(|&token| is_kept[token]).map(name).collect::<Vec<_>>();
        names.sort_unstable();
        names
    }

    #[test]
    fn words_of_the_same_kind_survive_and_others_do_not() {
        assert_eq!(kept(&["car"], 1), ["auto", "bus", "car", "truck", "vehicle"]);
        assert_eq!(kept(&["kitten"], 1), ["cat", "dog", "kitten", "lion", "pet"]);
        assert_eq!(kept(&["van", "nothing"], 1), ["auto", "bus", "nothing", "truck", "van", "vehicle"]);
        assert_eq!(kept(&[], 1), Vec::<String>::new());
    }

    #[test]
    fn the_number_of_threads_makes_no_difference() {
        let used = ["car", "van", "cat", "puma", "nothing"];
        for threads in 2..5 {
            assert_eq!(kept(&used, threads), kept(&used, 1));
        }
    }
}
