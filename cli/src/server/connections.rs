//! How many clients are served at a time? A fixed number, and slow ones make way for new ones.

use std::collections::VecDeque;
use std::future::Future;
use std::time::Duration;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, timeout_at};

/// Connections that are served at a time; a browser opens six. Each has a socket, a file and some buffers, so that all of
/// them together stay below the 256 descriptors that macOS gives a process.
pub const MAX_CONNECTIONS: usize = 100;

/// A connection is never ended before it is this old. On one machine, a client that wants its file has it by then.
const MIN_TIME: Duration = Duration::from_secs(1);

/// The connections under way.
#[derive(Debug, Default)]
pub struct Connections {
    tasks: JoinSet<()>,
    /// When each of them began, oldest first.
    by_age: VecDeque<(Instant, AbortHandle)>,
}

impl Connections {
    /// Waits until there is room for one more connection.
    ///
    /// When all are taken, the oldest is ended, as soon as it is [`MIN_TIME`] old. Clients that do not read their
    /// responses thus cannot keep others out.
    pub async fn make_room(&mut self) {
        while self.tasks.try_join_next().is_some() {}
        self.by_age.retain(|(_, task)| !task.is_finished());
        while self.tasks.len() >= MAX_CONNECTIONS {
            let (since, oldest) = self.by_age.front().expect("each task has its age");
            if timeout_at(*since + MIN_TIME, self.tasks.join_next()).await.is_err() {
                oldest.abort();
                self.tasks.join_next().await;
            }
            self.by_age.retain(|(_, task)| !task.is_finished());
        }
    }

    /// Serves a connection.
    pub fn spawn(&mut self, connection: impl Future<Output = ()> + Send + 'static) {
        self.by_age.push_back((Instant::now(), self.tasks.spawn(connection)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn block_on(work: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work);
    }

    #[test]
    fn the_oldest_connections_make_way_and_quick_ones_are_kept() {
        block_on(async {
            let mut connections = Connections::default();
            let finished = Arc::new(AtomicUsize::new(0));
            let started = Instant::now();
            for _ in 0..MAX_CONNECTIONS {
                connections.make_room().await;
                connections.spawn(pending());
            }
            assert!(started.elapsed() < MIN_TIME);
            for _ in 0..MAX_CONNECTIONS {
                connections.make_room().await;
                assert!(connections.tasks.len() < MAX_CONNECTIONS);
                let finished = Arc::clone(&finished);
                connections.spawn(async move {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    finished.fetch_add(1, Ordering::Relaxed);
                });
            }
            assert!(started.elapsed() >= MIN_TIME);
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert_eq!(finished.load(Ordering::Relaxed), MAX_CONNECTIONS);
        });
    }
}
