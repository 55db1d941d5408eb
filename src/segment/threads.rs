//! Runs work items on several threads.

use crate::order::sort_by_key;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs `work` for each number in `0..count` on `threads` threads, and returns the results in order.
pub fn on_threads<T: Send>(threads: usize, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if threads <= 1 {
        return (0..count).map(work).collect::<Vec<_>>();
    }
    let next = AtomicUsize::new(0);
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let worker = || {
            let mut mine = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= count {
                    return mine;
                }
                mine.push((i, work(i)));
            }
        };
        let workers = (0..threads).map(|_| scope.spawn(worker)).collect::<Vec<_>>();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a worker does not panic"))
            .collect::<Vec<_>>()
    });
    sort_by_key(&mut done, |(i, _)| *i);
    done.into_iter().map(|(_, answer)| answer).collect::<Vec<_>>()
}
