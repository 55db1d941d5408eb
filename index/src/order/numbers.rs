//! In which order do entries stand, whatever they are? By their numbers, one piece of code for all maps.
//!
//! In runs, so that a new entry moves a few hundred numbers at most, however many there are.

use std::cmp::Ordering;

/// A run that grows longer than this becomes two.
const LONGEST: usize = 512;

/// Numbers of entries in the order of their keys, in runs, none of which is empty.
#[derive(Clone)]
pub struct Numbers {
    runs: Vec<Vec<usize>>,
}

/// No entry has this number. A number with a meaning of its own, and no `Option`, fits a register of WebAssembly.
pub const NOWHERE: usize = usize::MAX;

/// A place among the numbers; the one after the last of a run is also the first of the next run.
#[derive(Clone, Copy)]
pub struct Place {
    run: usize,
    at: usize,
}

impl Place {
    const FIRST: Place = Place { run: 0, at: 0 };
}

/// Where something is, or would be, and the number that stands there; [`NOWHERE`] where it is not there.
pub struct Found {
    pub place: Place,
    pub number: usize,
}

// None of these is inlined: they would stand anew in the code of every map.
impl Numbers {
    /// Those of nothing.
    pub const fn new() -> Numbers {
        Numbers { runs: Vec::new() }
    }

    /// Finds something; `compare` says how the entry with a number compares with it.
    #[inline(never)]
    pub fn find(&self, compare: &dyn Fn(usize) -> Ordering) -> Found {
        let Some(last) = self.runs.last() else { return Found { place: Place::FIRST, number: NOWHERE } };
        // What comes in order is common.
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

    /// The number of something; [`NOWHERE`] where it is not there.
    #[inline(never)]
    pub fn number_of(&self, compare: &dyn Fn(usize) -> Ordering) -> usize {
        self.find(compare).number
    }

    /// The number of something, which is the next one where it is not there yet.
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

    /// Takes out the number of something; [`NOWHERE`] where it is not there.
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

    /// Gives something another number, where it is there.
    #[inline(never)]
    pub fn renumber(&mut self, number: usize, compare: &dyn Fn(usize) -> Ordering) {
        let found = self.find(compare);
        if found.number != NOWHERE {
            self.runs[found.place.run][found.place.at] = number;
        }
    }

    /// The numbers from first to last.
    #[inline(never)]
    pub fn all(&self) -> Between<'_> {
        self.between(Place::FIRST, self.end())
    }

    /// The numbers from a place to before another.
    pub fn between(&self, first: Place, end: Place) -> Between<'_> {
        let mut between = Between { runs: &self.runs, first, end };
        between.settle();
        between
    }

    /// The place after the last number.
    pub fn end(&self) -> Place {
        Place { run: self.runs.len(), at: 0 }
    }

    /// The numbers as one list.
    #[inline(never)]
    pub fn into_list(self) -> Vec<usize> {
        self.runs.concat()
    }
}

/// Numbers from one place to before another.
pub struct Between<'a> {
    runs: &'a Vec<Vec<usize>>,
    first: Place,
    end: Place,
}

impl Between<'_> {
    /// Lets the first place be one where a number stands, unless it is the end of all.
    fn settle(&mut self) {
        if self.runs.get(self.first.run).is_some_and(|run| self.first.at == run.len()) {
            self.first = Place { run: self.first.run + 1, at: 0 };
        }
    }

    fn is_done(&self) -> bool {
        (self.first.run, self.first.at) >= (self.end.run, self.end.at)
    }

    /// The next number; [`NOWHERE`] at the end.
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

    /// The last number; [`NOWHERE`] where none is left.
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

    /// How many are left.
    #[inline(never)]
    pub fn len(&self) -> usize {
        if self.is_done() {
            return 0;
        }
        let whole = self.runs[self.first.run..self.end.run].iter().map(Vec::len).sum::<usize>();
        whole + self.end.at - self.first.at
    }
}
