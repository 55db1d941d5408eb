//! How similar are two texts if rare words count more than common ones?
//!
//! A text is a vector with one number per term: its frequency times its inverse document frequency. The similarity of two
//! texts is the cosine of their vectors. Sums run over terms in byte order, so that every caller gets the same bits.

/// Returns the inverse document frequency of a term (V5): ln((N + 1) / (df + 1)) + 1, where `with_term` is df.
pub fn idf(texts: u64, with_term: u64) -> f64 {
    libm::log((texts as f64 + 1.0) / (with_term as f64 + 1.0)) + 1.0
}

/// Returns the cosine of two vectors without negative numbers: 0 if one has length 0, and never above 1.
pub fn cosine_of(dot: f64, length: f64, other_length: f64) -> f64 {
    let lengths = length * other_length;
    if lengths > 0.0 { (dot / lengths).min(1.0) } else { 0.0 }
}

/// English words that say nothing about the subject of a text, in alphabetical order.
const STOP_WORDS: &str = "a about above after again against all also am an and any are as at be because been before \
    being below between both but by can could did do does doing down during each few for from further get got had has \
    have having he her here hers him his how if in into is it its itself just like may me might more most must my no \
    nor not now of off on once only or other our ours out over own same shall she should so some such than that the \
    their theirs them then there these they this those through to too under until up upon us very was we were what \
    when where which while who whom why will with without would you your yours";

/// Returns the words that are ignored when texts are compared.
pub fn stop_words() -> impl Iterator<Item = &'static str> {
    STOP_WORDS.split_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v5_a_rare_term_tells_more_and_one_that_all_have_tells_one() {
        assert_eq!(idf(9, 9), 1.0);
        assert_eq!(idf(0, 0), 1.0);
        assert_eq!(idf(9, 0), libm::log(10.0) + 1.0);
        assert_eq!(idf(9, 4), libm::log(2.0) + 1.0);
        assert!((0..100).all(|df| idf(100, df) > idf(100, df + 1)));
    }

    #[test]
    fn v5_a_cosine_lies_between_zero_and_one() {
        assert_eq!(cosine_of(12.0, 4.0, 6.0), 0.5);
        assert_eq!(cosine_of(1.0 + 1e-15, 1.0, 1.0), 1.0);
        assert_eq!([cosine_of(0.0, 0.0, 3.0), cosine_of(0.0, 3.0, 0.0)], [0.0, 0.0]);
    }

    #[test]
    fn stop_words_stand_in_order_and_once() {
        let words = stop_words().collect::<Vec<_>>();
        assert!(words.windows(2).all(|pair| pair[0] < pair[1]), "{words:?}");
        assert!(words.contains(&"how") && !words.contains(&"work"));
    }
}
