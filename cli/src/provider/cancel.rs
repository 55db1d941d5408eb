//! Stops work from outside, quickly and without losing results.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Work notices a cancellation within this time.
const NOTICE: Duration = Duration::from_millis(20);

/// The work that Ctrl-C cancels; see [`interrupt`].
static INTERRUPTIBLE: Mutex<Option<Cancel>> = Mutex::new(None);

/// A flag that stops work. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    is_cancelled: Arc<AtomicBool>,
    parent: Option<Arc<AtomicBool>>,
}

/// The work was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

impl Cancel {
    /// Creates a flag that is not set.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Creates a flag that is set together with this one, but can also be set alone.
    pub fn child(&self) -> Cancel {
        Cancel { is_cancelled: Arc::default(), parent: Some(self.is_cancelled.clone()) }
    }

    /// Sets the flag.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        is_set(&self.is_cancelled) || self.parent.as_ref().is_some_and(is_set)
    }

    /// Returns `Err` if the flag is set.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Sleeps, unless the work is cancelled.
    pub fn sleep(&self, wait: Duration) -> Result<(), Cancelled> {
        let end = Instant::now() + wait;
        loop {
            self.check()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(NOTICE));
        }
    }

    /// Waits for a value from another thread; `None` if that thread has ended.
    pub fn receive<T>(&self, receiver: &Receiver<T>) -> Result<Option<T>, Cancelled> {
        loop {
            self.check()?;
            match receiver.recv_timeout(NOTICE) {
                Ok(received) => return Ok(Some(received)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// Lets Ctrl-C set this flag, as long as the guard lives.
    pub fn on_interrupt(&self) -> Interruptible {
        *interruptible() = Some(self.clone());
        Interruptible(())
    }
}

/// While this guard lives, Ctrl-C cancels the work instead of ending the process.
#[derive(Debug)]
pub struct Interruptible(());

impl Drop for Interruptible {
    fn drop(&mut self) {
        *interruptible() = None;
    }
}

/// Handles Ctrl-C. Returns whether there is work that now ends by itself; a second Ctrl-C finds none.
pub fn interrupt() -> bool {
    match interruptible().take() {
        Some(cancel) => {
            cancel.cancel();
            true
        }
        None => false,
    }
}

fn interruptible() -> MutexGuard<'static, Option<Cancel>> {
    INTERRUPTIBLE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_child_is_cancelled_with_its_parent_and_not_the_other_way_round() {
        let (parent, other) = (Cancel::new(), Cancel::new());
        let child = parent.child();
        child.cancel();
        assert!(child.is_cancelled() && !parent.is_cancelled());
        let child = other.child();
        other.cancel();
        assert_eq!(child.check(), Err(Cancelled));
    }

    #[test]
    fn a_long_wait_ends_soon_after_it_was_cancelled() {
        let cancel = Cancel::new();
        let started = Instant::now();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| cancel.sleep(Duration::from_secs(600)));
            cancel.cancel();
            assert_eq!(waiting.join().unwrap(), Err(Cancelled));
        });
        assert!(started.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_sender_that_is_gone_is_no_endless_wait() {
        let (sender, receiver) = mpsc::channel::<()>();
        drop(sender);
        assert_eq!(Cancel::new().receive(&receiver), Ok(None));
    }

    #[test]
    fn an_interrupt_cancels_the_work_under_way_once() {
        let cancel = Cancel::new();
        let guard = cancel.on_interrupt();
        assert!(interrupt() && cancel.is_cancelled());
        assert!(!interrupt(), "the second one ends the process");
        drop(guard);
    }
}
