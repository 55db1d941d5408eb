//! Entry indexes in key order, independent of the types of keys and values, so that all maps share one code.
//!
//! The indexes are kept in runs of at most 512, so an insertion moves a few hundred indexes at most, at any map size.

use std::cmp::Ordering;

/// The maximum length of a run; a longer one is split in two.
const LONGEST: usize = 512;

/// Indexes of entries, sorted by the entries' keys. No run is empty.
#[derive(Clone)]
pub struct Numbers {
    runs: Vec<Vec<usize>>,
}

/// The index that means "no entry". Unlike an `Option`, it fits in one WebAssembly register.
pub const NOWHERE: usize = usize::MAX;

/// A position among the sorted indexes: a run and an offset in it.
///
/// The position after the last index of a run is the same as the first position of the next run.
#[derive(Clone, Copy)]
pub struct Place {
    run: usize,
    at: usize,
}

impl Place {
    const FIRST: Place = Place { run: 0, at: 0 };
}

/// The result of a lookup: the position of a key, or where it would be inserted, and its entry's index, or [`NOWHERE`].
pub struct Found {
    pub place: Place,
    pub number: usize,
}

// None of these methods is inlined, so that the binary contains them once and not once per map type.
impl Numbers {
    /// Creates an empty list of indexes.
    pub const fn new() -> Numbers {
        Numbers { runs: Vec::new() }
    }

    /// Looks a key up. `compare` compares the key of the entry with the given index to the key sought.
    #[inline(never)]
    pub fn find(&self, compare: &dyn Fn(usize) -> Ordering) -> Found {
        let Some(last) = self.runs.last() else { return Found { place: Place::FIRST, number: NOWHERE } };
        // Keys often arrive in ascending order.
        if compare(last[last.len() - 1]).is_lt() {
            let place = Place { run: self.runs.len() - 1, at: last.len() };
            return Found { place, number: NOWHERE };
        }
        let run = self.runs.partition_point(|run| compare(run[0]).is_le()).saturating_sub(1);
        match self.runs[run].binary_search_by(|&number| compare(number)) {
            Ok(at) => Found { place: Place { run, at }, number: self.runs[run][at] },
            Err(at) => Found { place: Place { run, at }, number: NOWHERE },
        }
    }

    /// Returns the index of a key's entry, or [`NOWHERE`].
    #[inline(never)]
    pub fn number_of(&self, compare: &dyn Fn(usize) -> Ordering) -> usize {
        self.find(compare).number
    }

    /// Returns the index of a key's entry. Inserts `next` and returns it when the key is absent.
    #[inline(never)]
    pub fn enter(&mut self, next: usize, compare: &dyn Fn(usize) -> Ordering) -> usize {
        let Found { place, number } = self.find(compare);
        if number != NOWHERE {
            return number;
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

    /// Removes the index of a key's entry and returns it, or [`NOWHERE`] when the key is absent.
    #[inline(never)]
    pub fn remove(&mut self, compare: &dyn Fn(usize) -> Ordering) -> usize {
        let Found { place, number } = self.find(compare);
        if number != NOWHERE {
            let run = &mut self.runs[place.run];
            run.remove(place.at);
            if run.is_empty() {
                self.runs.remove(place.run);
            }
        }
        number
    }

    /// Replaces the index of a key's entry by `number`, if the key is present.
    #[inline(never)]
    pub fn renumber(&mut self, number: usize, compare: &dyn Fn(usize) -> Ordering) {
        let found = self.find(compare);
        if found.number != NOWHERE {
            self.runs[found.place.run][found.place.at] = number;
        }
    }

    /// Iterates over all indexes in key order.
    #[inline(never)]
    pub fn all(&self) -> Between<'_> {
        self.between(Place::FIRST, self.end())
    }

    /// Iterates over the indexes from `first` up to but not including `end`.
    pub fn between(&self, first: Place, end: Place) -> Between<'_> {
        let mut between = Between { runs: &self.runs, first, end };
        between.settle();
        between
    }

    /// Returns the position after the last index.
    pub fn end(&self) -> Place {
        Place { run: self.runs.len(), at: 0 }
    }

    /// Returns all indexes as one list.
    #[inline(never)]
    pub fn into_list(self) -> Vec<usize> {
        self.runs.concat()
    }
}

/// A double-ended iterator over the indexes between two positions.
pub struct Between<'a> {
    runs: &'a Vec<Vec<usize>>,
    first: Place,
    end: Place,
}

impl Between<'_> {
    /// Moves the first position to the next run when it lies at the end of one, unless no run follows.
    fn settle(&mut self) {
        if self.runs.get(self.first.run).is_some_and(|run| self.first.at == run.len()) {
            self.first = Place { run: self.first.run + 1, at: 0 };
        }
    }

    fn is_done(&self) -> bool {
        (self.first.run, self.first.at) >= (self.end.run, self.end.at)
    }

    /// Returns the next index, or [`NOWHERE`] at the end.
    #[inline(never)]
    pub fn next(&mut self) -> usize {
        if self.is_done() {
            return NOWHERE;
        }
        let number = self.runs[self.first.run][self.first.at];
        self.first.at += 1;
        self.settle();
        number
    }

    /// Returns the last remaining index, or [`NOWHERE`] when none is left.
    #[inline(never)]
    pub fn next_back(&mut self) -> usize {
        if self.is_done() {
            return NOWHERE;
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
