//! Entry indexes in key order, independent of the types of keys and values, so that all maps share one code.
//!
//! The indexes are kept in runs of at most 512, so an insertion moves a few hundred indexes at most, at any map size.

use std::cmp::Ordering;

/// The maximum length of a run; a longer one is split in two.
const LONGEST: usize = 512;

/// Indexes of entries, sorted by the entries' keys. No run is empty.
#[derive(Clone)]
pub struct SortedIndexes {
    runs: Vec<Vec<usize>>,
}

/// The index that means "no entry". Unlike an `Option`, it fits in one WebAssembly register.
pub const ABSENT: usize = usize::MAX;

/// A position among the sorted indexes: a run and an offset in it.
///
/// The position after the last index of a run is the same as the first position of the next run.
#[derive(Clone, Copy)]
pub struct IndexPosition {
    run: usize,
    at: usize,
}

impl IndexPosition {
    const FIRST: IndexPosition = IndexPosition { run: 0, at: 0 };
}

/// The result of a lookup: the position of a key, or where it would be inserted, and its entry's index, or [`ABSENT`].
pub struct IndexLookup {
    pub place: IndexPosition,
    pub index: usize,
}

// None of these methods is inlined, so that the binary contains them once and not once per map type.
impl SortedIndexes {
    /// Creates an empty list of indexes.
    pub const fn new() -> SortedIndexes {
        SortedIndexes { runs: Vec::new() }
    }

    /// Looks a key up. `compare` compares the key of the entry with the given index to the key sought.
    #[inline(never)]
    pub fn find(&self, compare: &dyn Fn(usize) -> Ordering) -> IndexLookup {
        let Some(last) = self.runs.last() else {
            return IndexLookup { place: IndexPosition::FIRST, index: ABSENT };
        };
        // Keys often arrive in ascending order.
        if compare(last[last.len() - 1]).is_lt() {
            let place = IndexPosition { run: self.runs.len() - 1, at: last.len() };
            return IndexLookup { place, index: ABSENT };
        }
        let run = self.runs.partition_point(|run| compare(run[0]).is_le()).saturating_sub(1);
        match self.runs[run].binary_search_by(|&index| compare(index)) {
            Ok(at) => IndexLookup { place: IndexPosition { run, at }, index: self.runs[run][at] },
            Err(at) => IndexLookup { place: IndexPosition { run, at }, index: ABSENT },
        }
    }

    /// Returns the index of a key's entry, or [`ABSENT`].
    #[inline(never)]
    pub fn index_of(&self, compare: &dyn Fn(usize) -> Ordering) -> usize {
        self.find(compare).index
    }

    /// Returns the index of a key's entry. Inserts `next` and returns it when the key is absent.
    #[inline(never)]
    pub fn enter(&mut self, next: usize, compare: &dyn Fn(usize) -> Ordering) -> usize {
        let IndexLookup { place, index } = self.find(compare);
        if index != ABSENT {
            return index;
        }
        let Some(run) = self.runs.get_mut(place.run) else {
            self.runs.push(vec![next]);
            return next;
        };
        run.insert(place.at, next);
        if run.len() > LONGEST {
            let half = run.split_off(LONGEST / 2);
            self.runs.insert(place.run + 1, half);
        }
        next
    }

    /// Removes the index of a key's entry and returns it, or [`ABSENT`] when the key is absent.
    #[inline(never)]
    pub fn remove(&mut self, compare: &dyn Fn(usize) -> Ordering) -> usize {
        let IndexLookup { place, index } = self.find(compare);
        if index != ABSENT {
            let run = &mut self.runs[place.run];
            run.remove(place.at);
            if run.is_empty() {
                self.runs.remove(place.run);
            }
        }
        index
    }

    /// Replaces the index of a key's entry by `index`, if the key is present.
    #[inline(never)]
    pub fn replace(&mut self, index: usize, compare: &dyn Fn(usize) -> Ordering) {
        let found = self.find(compare);
        if found.index != ABSENT {
            self.runs[found.place.run][found.place.at] = index;
        }
    }

    /// Iterates over all indexes in key order.
    #[inline(never)]
    pub fn all(&self) -> IndexRange<'_> {
        self.between(IndexPosition::FIRST, self.end())
    }

    /// Iterates over the indexes from `first` up to but not including `end`.
    pub fn between(&self, first: IndexPosition, end: IndexPosition) -> IndexRange<'_> {
        let mut between = IndexRange { runs: &self.runs, first, end };
        between.settle();
        between
    }

    /// Returns the position after the last index.
    pub fn end(&self) -> IndexPosition {
        IndexPosition { run: self.runs.len(), at: 0 }
    }

    /// Returns all indexes as one list.
    #[inline(never)]
    pub fn into_list(self) -> Vec<usize> {
        self.runs.concat()
    }
}

/// A double-ended iterator over the indexes between two positions.
pub struct IndexRange<'a> {
    runs: &'a Vec<Vec<usize>>,
    first: IndexPosition,
    end: IndexPosition,
}

impl IndexRange<'_> {
    /// Moves the first position to the next run when it lies at the end of one, unless no run follows.
    fn settle(&mut self) {
        if self.runs.get(self.first.run).is_some_and(|run| self.first.at == run.len()) {
            self.first = IndexPosition { run: self.first.run + 1, at: 0 };
        }
    }

    fn is_done(&self) -> bool {
        (self.first.run, self.first.at) >= (self.end.run, self.end.at)
    }

    /// Returns the next index, or [`ABSENT`] at the end.
    #[inline(never)]
    pub fn next(&mut self) -> usize {
        if self.is_done() {
            return ABSENT;
        }
        let index = self.runs[self.first.run][self.first.at];
        self.first.at += 1;
        self.settle();
        index
    }

    /// Returns the last remaining index, or [`ABSENT`] when none is left.
    #[inline(never)]
    pub fn next_back(&mut self) -> usize {
        if self.is_done() {
            return ABSENT;
        }
        if self.end.at == 0 {
            self.end.run -= 1;
            self.end.at = self.runs[self.end.run].len();
        }
        self.end.at -= 1;
        self.runs[self.end.run][self.end.at]
    }

    /// Returns the number of remaining indexes.
    #[inline(never)]
    pub fn len(&self) -> usize {
        if self.is_done() {
            return 0;
        }
        let whole = self.runs[self.first.run..self.end.run].iter().map(Vec::len).sum::<usize>();
        whole + self.end.at - self.first.at
    }
}
