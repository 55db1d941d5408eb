//! The Porter stemmer, as FTS5 ships it.
//!
//! The algorithm is from M. F. Porter, "An algorithm for suffix stripping", 1980, with the author's later rules `logi`
//! → `log` and `bli` → `ble`. It works on bytes, and a byte that is not an ASCII letter counts as a consonant. Other
//! Porter stemmers differ on some words, so this one follows `fts5_tokenize.c` rule by rule.
//!
//! Every condition asks about vowels and consonants in a prefix of the word, and cutting or replacing the end of the
//! word does not change the prefix. So the code computes one bit per letter once, and every condition is arithmetic on
//! these bits.

use std::ops::RangeInclusive;

/// The token lengths in bytes that FTS5 stems. The upper limit lets the bits of a word fit a `u64`.
const STEMMED_LENGTHS: RangeInclusive<usize> = 3..=64;

/// A suffix and its replacement.
type Rule = (&'static [u8], &'static [u8]);

/// Stems `word` in place.
pub(super) fn stem(word: &mut Vec<u8>) {
    if !STEMMED_LENGTHS.contains(&word.len()) || !may_change(word) {
        return;
    }
    let mut word = Word { consonants: consonants(word), letters: word };
    word.remove_plural();
    word.remove_past();
    word.replace_final_y();
    // All following rules require a non-zero measure of a prefix that is at least one letter shorter.
    if word.measure(word.letters.len() - 1) == 0 {
        return;
    }
    word.shorten_double_suffix();
    word.shorten_suffix();
    word.remove_suffix();
    word.remove_final_e();
    word.remove_double_l();
}

/// Reports whether `word` ends in a letter that some rule looks for. A quarter of English text does not.
fn may_change(word: &[u8]) -> bool {
    const LETTERS: u32 = letters(b"cdegilmnrstuy");
    word.last().is_some_and(|last| last.is_ascii_lowercase() && LETTERS >> (last - b'a') & 1 == 1)
}

/// Returns a set of lower-case letters as bits.
const fn letters(these: &[u8]) -> u32 {
    let mut letters = 0;
    let mut at = 0;
    while at < these.len() {
        letters |= 1 << (these[at] - b'a');
        at += 1;
    }
    letters
}

/// Returns one bit per letter, set when it is a consonant.
fn consonants(letters: &[u8]) -> u64 {
    let mut consonants = 0;
    let mut follows_consonant = false;
    for (place, &letter) in letters.iter().enumerate() {
        follows_consonant = is_consonant(letter, follows_consonant);
        consonants |= u64::from(follows_consonant) << place;
    }
    consonants
}

/// Reports whether `letter` is a consonant. A `y` is a vowel after a consonant and a consonant elsewhere.
fn is_consonant(letter: u8, follows_consonant: bool) -> bool {
    match letter {
        b'a' | b'e' | b'i' | b'o' | b'u' => false,
        b'y' => !follows_consonant,
        _ => true,
    }
}

/// A word being stemmed. The parameter `stem` of the methods is the length of a prefix of it.
struct Word<'a> {
    letters: &'a mut Vec<u8>,
    /// Bit n is set when letter n is a consonant. Bits past the end are undefined.
    consonants: u64,
}

impl Word<'_> {
    /// Step 1a: `caresses` → `caress`, `ponies` → `poni`, `cats` → `cat`.
    fn remove_plural(&mut self) {
        let len = self.letters.len();
        let cut = match self.letters.as_slice() {
            [_, .., b's', b's', b'e', b's'] | [_, .., b'i', b'e', b's'] => 2,
            [.., b's', b's'] => 0,
            [.., b's'] => 1,
            _ => 0,
        };
        self.letters.truncate(len - cut);
    }

    /// Step 1b: `agreed` → `agree`, `plastered` → `plaster`, `hopping` → `hop`.
    fn remove_past(&mut self) {
        if let Some(stem) = self.stem_before(b"eed") {
            if self.measure(stem) > 0 {
                self.letters.truncate(stem + 2);
            }
            return;
        }
        match self.stem_before(b"ed").or_else(|| self.stem_before(b"ing")) {
            Some(stem) if self.has_vowel(stem) => self.letters.truncate(stem),
            _ => return,
        }
        // Restore a proper word ending: `conflat` → `conflate`, `hopp` → `hop`, `fil` → `file`.
        let len = self.letters.len();
        match self.letters.as_slice() {
            [_, .., b'a', b't'] | [_, .., b'b', b'l'] | [_, .., b'i', b'z'] => self.push(b'e'),
            [.., a, b] if a == b && !b"aeioulsz".contains(b) => self.letters.truncate(len - 1),
            _ if self.measure(len) == 1 && self.ends_short(len) => self.push(b'e'),
            _ => {}
        }
    }

    /// Step 1c: `happy` → `happi`, but `sky` stays.
    fn replace_final_y(&mut self) {
        if let Some((b'y', before)) = self.letters.split_last()
            && self.has_vowel(before.len())
        {
            self.replace(before.len(), b"i");
        }
    }

    /// Step 2: `relational` → `relate`, `digitizer` → `digitize`.
    fn shorten_double_suffix(&mut self) {
        let rules: &[Rule] = match self.last_but_one() {
            b'a' => &[(b"ational", b"ate"), (b"tional", b"tion")],
            b'c' => &[(b"enci", b"ence"), (b"anci", b"ance")],
            b'e' => &[(b"izer", b"ize")],
            b'g' => &[(b"logi", b"log")],
            b'l' => {
                &[(b"bli", b"ble"), (b"alli", b"al"), (b"entli", b"ent"), (b"eli", b"e"), (b"ousli", b"ous")]
            }
            b'o' => &[(b"ization", b"ize"), (b"ation", b"ate"), (b"ator", b"ate")],
            b's' => &[(b"alism", b"al"), (b"iveness", b"ive"), (b"fulness", b"ful"), (b"ousness", b"ous")],
            b't' => &[(b"aliti", b"al"), (b"iviti", b"ive"), (b"biliti", b"ble")],
            _ => return,
        };
        self.shorten(rules);
    }

    /// Step 3: `triplicate` → `triplic`, `hopeful` → `hope`.
    fn shorten_suffix(&mut self) {
        let rules: &[Rule] = match self.last_but_one() {
            b'a' => &[(b"ical", b"ic")],
            b's' => &[(b"ness", b"")],
            b't' => &[(b"icate", b"ic"), (b"iciti", b"ic")],
            b'u' => &[(b"ful", b"")],
            b'v' => &[(b"ative", b"")],
            b'z' => &[(b"alize", b"al")],
            _ => return,
        };
        self.shorten(rules);
    }

    /// Step 4: `revival` → `reviv`, `adoption` → `adopt`.
    fn remove_suffix(&mut self) {
        let suffixes: &[&[u8]] = match self.last_but_one() {
            b'a' => &[b"al"],
            b'c' => &[b"ance", b"ence"],
            b'e' => &[b"er"],
            b'i' => &[b"ic"],
            b'l' => &[b"able", b"ible"],
            b'n' => &[b"ant", b"ement", b"ment", b"ent"],
            b'o' => &[b"ion", b"ou"],
            b's' => &[b"ism"],
            b't' => &[b"ate", b"iti"],
            b'u' => &[b"ous"],
            b'v' => &[b"ive"],
            b'z' => &[b"ize"],
            _ => return,
        };
        let Some(stem) = suffixes.iter().find_map(|suffix| self.stem_before(suffix)) else { return };
        let is_ion = self.letters[stem..] == *b"ion";
        if self.measure(stem) > 1 && (!is_ion || matches!(self.letters[stem - 1], b's' | b't')) {
            self.letters.truncate(stem);
        }
    }

    /// Step 5a: `probate` → `probat`, `cease` → `ceas`, but `rate` stays.
    fn remove_final_e(&mut self) {
        let Some((b'e', before)) = self.letters.split_last() else { return };
        let stem = before.len();
        let measure = self.measure(stem);
        if measure > 1 || (measure == 1 && !self.ends_short(stem)) {
            self.letters.truncate(stem);
        }
    }

    /// Step 5b: `controll` → `control`, but `roll` stays.
    fn remove_double_l(&mut self) {
        let stem = self.letters.len() - 1;
        if self.letters.ends_with(b"ll") && self.measure(stem) > 1 {
            self.letters.truncate(stem);
        }
    }

    /// Applies the first rule whose suffix the word has, if the prefix has a vowel followed by a consonant.
    ///
    /// When the prefix has not, no later rule is tried.
    fn shorten(&mut self, rules: &[Rule]) {
        let found = rules.iter().find_map(|(suffix, by)| Some((self.stem_before(suffix)?, by)));
        if let Some((stem, by)) = found
            && self.measure(stem) > 0
        {
            self.replace(stem, by);
        }
    }

    /// Returns the length of the word without `suffix`, if it ends with the suffix and is longer.
    #[inline(never)]
    fn stem_before(&self, suffix: &[u8]) -> Option<usize> {
        // Most suffixes differ in the last letter, so comparing whole slices by a call would cost more than this loop.
        let has_suffix = self.letters.iter().rev().zip(suffix.iter().rev()).all(|(a, b)| a == b);
        (has_suffix && self.letters.len() > suffix.len()).then(|| self.letters.len() - suffix.len())
    }

    fn last_but_one(&self) -> u8 {
        match self.letters.as_slice() {
            [.., letter, _] => *letter,
            _ => 0,
        }
    }

    /// Porter's m: counts the consonants that follow a vowel in the first `stem` letters.
    fn measure(&self, stem: usize) -> u32 {
        let follows_vowel = !(self.consonants << 1 | 1);
        (self.consonants & follows_vowel & first(stem)).count_ones()
    }

    /// Porter's *v*: reports whether the first `stem` letters contain a vowel.
    fn has_vowel(&self, stem: usize) -> bool {
        !self.consonants & first(stem) != 0
    }

    /// Porter's *o: reports whether the first `stem` letters end in consonant, vowel, consonant, and the last is not w,
    /// x or y.
    fn ends_short(&self, stem: usize) -> bool {
        stem >= 3
            && self.consonants >> (stem - 3) & 0b111 == 0b101
            && !matches!(self.letters[stem - 1], b'w' | b'x' | b'y')
    }

    #[inline(never)]
    fn replace(&mut self, stem: usize, by: &[u8]) {
        self.letters.truncate(stem);
        for &letter in by {
            self.push(letter);
        }
    }

    #[inline(never)]
    fn push(&mut self, letter: u8) {
        let place = self.letters.len();
        let follows_consonant = place > 0 && self.consonants >> (place - 1) & 1 == 1;
        let bit = u64::from(is_consonant(letter, follows_consonant));
        self.consonants = self.consonants & !(1 << place) | bit << place;
        self.letters.push(letter);
    }
}

/// Returns a mask of the lowest `count` bits. A stem is shorter than its word, so `count` is below 64.
fn first(count: usize) -> u64 {
    !(u64::MAX << count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stemmed(word: &str) -> String {
        let mut word = word.as_bytes().to_vec();
        stem(&mut word);
        String::from_utf8(word).unwrap()
    }

    #[test]
    fn the_examples_in_the_comments_are_true() {
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("hopping", "hop"),
            ("filing", "file"),
            ("conflated", "conflat"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("digitizer", "digit"),
            ("triplicate", "triplic"),
            ("hopeful", "hope"),
            ("revival", "reviv"),
            ("adoption", "adopt"),
            ("probate", "probat"),
            ("cease", "ceas"),
            ("rate", "rate"),
            ("controll", "control"),
            ("roll", "roll"),
        ] {
            assert_eq!(stemmed(word), expected, "{word}");
        }
    }

    #[test]
    fn words_shorter_than_three_or_longer_than_sixty_four_bytes_stay() {
        assert_eq!(stemmed("as"), "as");
        assert_eq!(stemmed(&("x".repeat(63) + "s")), "x".repeat(63));
        assert_eq!(stemmed(&("x".repeat(64) + "s")), "x".repeat(64) + "s");
    }

    #[test]
    fn replacing_letters_updates_the_consonant_bits() {
        for word in ["sensibiliti", "happy", "playing", "yyyyed", "syzygy"] {
            let mut letters = word.as_bytes().to_vec();
            let mut word = Word { consonants: consonants(&letters), letters: &mut letters };
            word.remove_past();
            word.replace_final_y();
            word.shorten_double_suffix();
            let (kept, known) = (word.consonants & first(word.letters.len()), consonants(word.letters));
            assert_eq!(kept, known, "{}", String::from_utf8_lossy(word.letters));
        }
    }
}
