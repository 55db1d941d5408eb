//! How do items become a list, in little code?
//!
//! `collect` has a way of its own for each kind of iterator, all of them in line: twice the code of one that pushes. Loops
//! over many items, where that is quicker, still collect.

/// Lists of what iterators give.
pub trait Gather: Iterator + Sized {
    /// All items.
    fn gather(self) -> Vec<Self::Item> {
        let mut all = Vec::new();
        self.for_each(|item| all.push(item));
        all
    }

    /// All items, or the first error.
    ///
    /// # Errors
    /// The first of the items that is one.
    fn try_gather<T, E>(mut self) -> Result<Vec<T>, E>
    where
        Self: Iterator<Item = Result<T, E>>,
    {
        let mut all = Vec::new();
        self.try_for_each(|item| {
            all.push(item?);
            Ok(())
        })?;
        Ok(all)
    }
}

impl<I: Iterator> Gather for I {}
