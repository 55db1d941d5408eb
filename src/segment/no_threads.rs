//! Runs work items one after the other, on targets without threads.

/// Runs `work` for each number in `0..count` and returns the results in order.
pub fn on_threads<T>(_threads: usize, count: usize, work: impl Fn(usize) -> T) -> Vec<T> {
    (0..count).map(work).collect::<Vec<_>>()
}
