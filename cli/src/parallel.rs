//! Shares work among threads, and returns the results in order.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Returns the number of threads that this machine runs at once; 1 if it is unknown.
pub fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Runs `work` on every job, on `threads` threads, and passes the results to `take` in the order of the jobs.
///
/// Jobs are drawn only as fast as results are taken, so few are in memory at a time. The first error, in the order of
/// the jobs, ends the work. With one thread, the caller does the work.
pub fn in_order<Job: Send, Done: Send, Error>(
    threads: usize,
    jobs: impl Iterator<Item = Result<Job, Error>>,
    work: impl Fn(Job) -> Done + Sync,
    mut take: impl FnMut(Done) -> Result<(), Error>,
) -> Result<(), Error> {
    if threads <= 1 {
        for job in jobs {
            take(work(job?))?;
        }
        return Ok(());
    }
    let (queue, waiting) = mpsc::channel::<(Job, SyncSender<Done>)>();
    let waiting = Mutex::new(waiting);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((job, answer)) = next_of(&waiting) {
                    // After an error, nobody receives the result.
                    let _ = answer.send(work(job));
                }
            });
        }
        let mut under_way: VecDeque<Receiver<Done>> = VecDeque::new();
        let mut take_first = |under_way: &mut VecDeque<Receiver<Done>>| match under_way.pop_front() {
            Some(first) => take(first.recv().expect("a worker answers every job it takes")),
            None => Ok(()),
        };
        // Moved in, so that returning early closes the queue and ends the workers.
        let queue = queue;
        let mut failure = None;
        for job in jobs {
            let job = match job {
                Ok(job) => job,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            };
            // One job per thread, and one that waits for the first free thread.
            if under_way.len() > threads {
                take_first(&mut under_way)?;
            }
            let (answer, answered) = mpsc::sync_channel(1);
            queue.send((job, answer)).expect("the workers live as long as the queue");
            under_way.push_back(answered);
        }
        drop(queue);
        while !under_way.is_empty() {
            take_first(&mut under_way)?;
        }
        failure.map_or(Ok(()), Err)
    })
}

fn next_of<T>(waiting: &Mutex<Receiver<T>>) -> Option<T> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_come_in_the_order_of_the_jobs_on_any_number_of_threads() {
        for threads in 1..5 {
            let mut taken = Vec::new();
            let work = |job: u64| {
                thread::sleep(Duration::from_millis(job * 7 % 5));
                job * 2
            };
            let keep = |done| {
                taken.push(done);
                Ok(())
            };
            in_order(threads, (0..40).map(Ok::<_, ()>), work, keep).unwrap();
            assert_eq!(taken, (0..40).map(|job| job * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_in_a_job_or_in_its_result_ends_everything() {
        for threads in 1..4 {
            let jobs = (0..1000).map(|job| if job == 500 { Err("job") } else { Ok(job) });
            assert_eq!(in_order(threads, jobs, |job| job, |_| Ok(())), Err("job"));
            // The result comes before the job, so its error is the first.
            let jobs = (0..1000).map(|job| if job == 6 { Err("job") } else { Ok(job) });
            let take = |done| if done == 5 { Err("result") } else { Ok(()) };
            assert_eq!(in_order(threads, jobs, |job| job, take), Err("result"));
        }
    }
}
