//! A set of small integers, one bit each: for example the deleted documents, or those that pass a filter.

use std::ops::Range;

/// A set of integers below a fixed length, one bit per integer.
///
/// ```
/// use snapseek_index::bitmap::Bitmap;
///
/// let mut even = Bitmap::where_true(10, |number| number % 2 == 0);
/// let small = Bitmap::where_true(10, |number| number < 5);
/// even.intersect(&small);
/// assert_eq!(even.iter().collect::<Vec<_>>(), [0, 2, 4]);
/// assert_eq!(even.count(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    len: usize,
    words: Vec<u64>,
}

// Loops over all words are not inlined: the call costs little compared with the loop.
impl Bitmap {
    /// Creates the empty set of integers below `len`.
    #[inline(never)]
    pub fn none(len: usize) -> Bitmap {
        Bitmap { len, words: vec![0; len.div_ceil(64)] }
    }

    /// Creates the set of all integers below `len`.
    #[inline(never)]
    pub fn all(len: usize) -> Bitmap {
        Bitmap::of_words(len, vec![u64::MAX; len.div_ceil(64)])
    }

    /// Creates a set from its words: bit `i % 64` of word `i / 64` tells whether it contains `i`.
    ///
    /// Bits at `len` and above are ignored, and missing words are zero.
    #[inline(never)]
    pub fn of_words(len: usize, words: Vec<u64>) -> Bitmap {
        let mut bitmap = Bitmap { len, words };
        bitmap.words.resize(len.div_ceil(64), 0);
        bitmap.clear_past_the_end();
        bitmap
    }

    /// Creates the set of integers below `len` that pass `test`.
    pub fn where_true(len: usize, test: impl Fn(usize) -> bool) -> Bitmap {
        let mut bitmap = Bitmap::none(len);
        for (i, word) in bitmap.words.iter_mut().enumerate() {
            let in_word = (len - 64 * i).min(64);
            *word = (0..in_word).fold(0, |word, bit| word | u64::from(test(64 * i + bit)) << bit);
        }
        bitmap
    }

    /// Returns the fixed length: every member is below it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Reports whether the length is 0. A set of another length is not empty in this sense, even without members.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Reports whether the set contains `number`; false at the length and above.
    #[inline]
    pub fn has(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Adds `number`, which must be below the length. Returns whether it was absent.
    #[inline]
    pub fn insert(&mut self, number: usize) -> bool {
        let (word, bit) = (&mut self.words[number / 64], 1 << (number % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Adds or removes `number`, which must be below the length.
    pub fn set(&mut self, number: usize, held: bool) {
        self.insert(number);
        self.words[number / 64] &= !(u64::from(!held) << (number % 64));
    }

    /// Increases the length by one, and adds the new last number if `held`.
    pub fn push(&mut self, held: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        self.len += 1;
        if held {
            self.insert(self.len - 1);
        }
    }

    /// Returns the number of members.
    #[inline(never)]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Removes the members that are not in `other`.
    pub fn intersect(&mut self, other: &Bitmap) {
        self.combine(0, other, 0);
    }

    /// Adds the members of `other`: by De Morgan, the complement of the intersection of the complements.
    pub fn unite(&mut self, other: &Bitmap) {
        self.combine(u64::MAX, other, u64::MAX);
    }

    /// Removes the members of `other`.
    pub fn subtract(&mut self, other: &Bitmap) {
        self.combine(0, other, u64::MAX);
    }

    /// Computes `((self ^ flipped) & (other ^ flipped_in_other)) ^ flipped`, so that one loop serves all operations.
    #[inline(never)]
    fn combine(&mut self, flipped: u64, other: &Bitmap, flipped_in_other: u64) {
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine = (*mine ^ flipped) & (theirs ^ flipped_in_other) ^ flipped;
        }
    }

    /// Replaces the set by its complement below the length.
    #[inline(never)]
    pub fn invert(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self.clear_past_the_end();
    }

    /// Iterates over the members in ascending order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let mut words = self.words.iter();
        let (mut left, mut end) = (0u64, 0);
        std::iter::from_fn(move || {
            while left == 0 {
                left = *words.next()?;
                end += 64;
            }
            let number = end - 64 + left.trailing_zeros() as usize;
            left &= left - 1;
            Some(number)
        })
    }

    /// Calls `each` with the maximal runs of consecutive members, in ascending order.
    #[inline]
    pub fn each_run(&self, mut each: impl FnMut(Range<usize>)) {
        let mut end = 0;
        loop {
            let start = self.next(end, 0);
            end = self.next(start, u64::MAX);
            if start == end {
                return;
            }
            each(start..end);
        }
    }

    /// Returns the first number from `from` on that is a member, or, when `flipped` is all ones, that is not.
    ///
    /// Returns the length when there is none.
    #[inline(never)]
    fn next(&self, from: usize, flipped: u64) -> usize {
        let first = from / 64;
        let mut hidden = (1 << (from % 64)) - 1;
        for (number, word) in self.words.iter().enumerate().skip(first) {
            let word = (word ^ flipped) & !hidden;
            if word != 0 {
                return (64 * number + word.trailing_zeros() as usize).min(self.len);
            }
            hidden = 0;
        }
        self.len
    }

    fn clear_past_the_end(&mut self) {
        if let Some(last) = self.words.last_mut()
            && !self.len.is_multiple_of(64)
        {
            *last &= (1 << (self.len % 64)) - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_behave_as_sets() {
        for len in [0, 1, 63, 64, 65, 200] {
            let threes = Bitmap::where_true(len, |i| i % 3 == 0);
            let mut fives = Bitmap::none(len);
            (0..len).filter(|i| i % 5 == 0).for_each(|i| assert!(fives.insert(i)));
            let mut both = threes.clone();
            both.intersect(&fives);
            let mut either = threes.clone();
            either.unite(&fives);
            let mut neither = either.clone();
            neither.invert();
            let mut only_threes = threes.clone();
            only_threes.subtract(&fives);
            let listed = |test: &dyn Fn(usize) -> bool| (0..len).filter(|&i| test(i)).collect::<Vec<_>>();
            assert_eq!(both.iter().collect::<Vec<_>>(), listed(&|i| i % 15 == 0));
            assert_eq!(either.iter().collect::<Vec<_>>(), listed(&|i| i % 3 == 0 || i % 5 == 0));
            assert_eq!(neither.iter().collect::<Vec<_>>(), listed(&|i| i % 3 != 0 && i % 5 != 0));
            assert_eq!(only_threes.iter().collect::<Vec<_>>(), listed(&|i| i % 3 == 0 && i % 5 != 0));
            for set in [&threes, &either, &neither, &Bitmap::all(len), &Bitmap::none(len)] {
                let (mut runs, mut last) = (Vec::new(), None);
                set.each_run(|run| {
                    assert!(last.is_none_or(|last| last < run.start), "two runs are one");
                    last = Some(run.end);
                    runs.extend(run);
                });
                assert_eq!(runs, set.iter().collect::<Vec<_>>());
            }
            assert_eq!(Bitmap::all(len).count(), len);
            assert!(!Bitmap::all(len).has(len));
        }
    }

    #[test]
    fn pushing_grows_the_set() {
        let mut bitmap = Bitmap::none(0);
        (0..130).for_each(|i| bitmap.push(i % 2 == 0));
        assert_eq!((bitmap.len(), bitmap.count()), (130, 65));
    }
}
