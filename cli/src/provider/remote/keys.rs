//! Which key does the next request carry?
//!
//! One key is used until it is throttled or refused; then the next one is. A throttled key rests, a refused one is
//! gone. All requests of a provider share one pool, so that what one of them learns the others know.

use super::secret::Secret;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The keys of one provider.
#[derive(Debug)]
pub struct KeyPool(Mutex<Pool>);

#[derive(Debug)]
struct Pool {
    keys: Vec<Slot>,
    /// The one in use.
    current: usize,
}

#[derive(Debug)]
struct Slot {
    /// `None` is no key: a server that asks for none.
    secret: Option<Secret>,
    rests_until: Option<Instant>,
    is_refused: bool,
}

/// A key taken from the pool, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyId(usize);

/// What a pool has for a request.
#[derive(Debug, PartialEq)]
pub enum Next {
    /// This key, now.
    Ready(KeyId, Option<Secret>),
    /// No key before this moment.
    Resting(Instant),
    /// No key any more: all were refused.
    Refused,
}

impl KeyPool {
    /// A pool of `secrets`; without any, requests carry no key.
    pub fn new(secrets: Vec<Secret>) -> KeyPool {
        let slot = |secret| Slot { secret, rests_until: None, is_refused: false };
        let keys = match secrets.is_empty() {
            true => vec![slot(None)],
            false => secrets.into_iter().map(Some).map(slot).collect(),
        };
        KeyPool(Mutex::new(Pool { keys, current: 0 }))
    }

    /// How many keys there were at first; at least one, if it is none.
    pub fn len(&self) -> usize {
        self.lock().keys.len()
    }

    /// The key in use if it is awake, else the next one that is.
    pub fn next(&self, now: Instant) -> Next {
        let mut pool = self.lock();
        let count = pool.keys.len();
        let order = (0..count).map(|step| (pool.current + step) % count);
        let usable = order.filter(|at| !pool.keys[*at].is_refused);
        let wakes = |at: usize| pool.keys[at].rests_until.filter(|until| *until > now);
        match usable.min_by_key(|at| wakes(*at)) {
            None => Next::Refused,
            Some(at) => match wakes(at) {
                Some(until) => Next::Resting(until),
                None => {
                    pool.current = at;
                    Next::Ready(KeyId(at), pool.keys[at].secret.clone())
                }
            },
        }
    }

    /// This key was throttled: it is not used before `until`, and it is the next one's turn.
    pub fn rest(&self, key: KeyId, until: Instant) {
        let mut pool = self.lock();
        let slot = &mut pool.keys[key.0];
        slot.rests_until = slot.rests_until.max(Some(until));
        // Several requests may say so of the same key, and the turn passes once.
        if pool.current == key.0 {
            pool.current = (key.0 + 1) % pool.keys.len();
        }
    }

    /// This key was refused: it is not used again.
    pub fn refuse(&self, key: KeyId) {
        self.lock().keys[key.0].is_refused = true;
    }

    /// `text` without any of the keys.
    pub fn redact(&self, text: &str) -> String {
        let pool = self.lock();
        let secrets = pool.keys.iter().filter_map(|slot| slot.secret.as_ref());
        secrets.fold(text.to_owned(), |text, secret| secret.redact(&text))
    }

    fn lock(&self) -> MutexGuard<'_, Pool> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn taken(pool: &KeyPool, now: Instant) -> KeyId {
        match pool.next(now) {
            Next::Ready(key, _) => key,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_key_is_used_until_it_is_throttled_and_again_when_it_has_rested_and_the_others_rest() {
        let pool = KeyPool::new(Secret::list("first,second"));
        let now = Instant::now();
        let second = |seconds| now + Duration::from_secs(seconds);
        let first = taken(&pool, now);
        assert_eq!(taken(&pool, now), first);
        pool.rest(first, second(10));
        let other = taken(&pool, now);
        assert_ne!(other, first);
        assert_eq!(taken(&pool, second(20)), other, "the key in use stays in use");
        pool.rest(other, second(30));
        assert_eq!(taken(&pool, second(20)), first);
    }

    #[test]
    fn when_all_have_rested_it_is_the_turn_of_the_one_after_the_last() {
        let pool = KeyPool::new(Secret::list("first,second,third"));
        let now = Instant::now();
        let later = now + Duration::from_secs(1);
        let (first, second) = (KeyId(0), KeyId(1));
        pool.rest(first, later);
        pool.rest(first, later);
        assert_eq!(taken(&pool, now), second);
        pool.rest(second, later);
        pool.rest(KeyId(2), later);
        assert_eq!(taken(&pool, now + Duration::from_secs(9)), first);
    }

    #[test]
    fn a_pool_at_rest_says_when_the_first_key_wakes() {
        let pool = KeyPool::new(Secret::list("first,second"));
        let now = Instant::now();
        pool.rest(KeyId(0), now + Duration::from_secs(9));
        pool.rest(KeyId(1), now + Duration::from_secs(5));
        assert_eq!(pool.next(now), Next::Resting(now + Duration::from_secs(5)));
    }

    #[test]
    fn refused_keys_are_gone_for_good() {
        let pool = KeyPool::new(Secret::list("first,second"));
        let now = Instant::now();
        pool.refuse(KeyId(0));
        assert_eq!(taken(&pool, now), KeyId(1));
        pool.refuse(KeyId(1));
        assert_eq!(pool.next(now), Next::Refused);
    }

    #[test]
    fn without_keys_a_request_carries_none_and_can_still_be_throttled() {
        let pool = KeyPool::new(Vec::new());
        let now = Instant::now();
        assert_eq!(pool.next(now), Next::Ready(KeyId(0), None));
        pool.rest(KeyId(0), now + Duration::from_secs(1));
        assert_eq!(pool.next(now), Next::Resting(now + Duration::from_secs(1)));
    }
}
