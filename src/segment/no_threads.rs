//! Work where there are no threads: one piece after the other.

/// Runs `work` for 0 to `count`; the answers are in order.
pub fn on_threads<T>(_threads: usize, count: usize, work: impl Fn(usize) -> T) -> Vec<T> {
    (0..count).map(work).collect::<Vec<_>>()
}
