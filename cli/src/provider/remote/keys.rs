//! Which key does the next request use?
//!
//! A key is used until the server throttles or refuses it; then the next one is used. A throttled key rests for a
//! while, a refused key is dropped. All requests of a provider share one pool, so each profits from the responses to
//! the others.

use super::secret::Secret;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The keys of one provider.
#[derive(Debug)]
pub struct KeyPool(Mutex<Pool>);

#[derive(Debug)]
struct Pool {
    keys: Vec<Slot>,
    /// The key in use.
    current: usize,
}

#[derive(Debug)]
struct Slot {
    /// `None` sends no key, to servers that need none.
    secret: Option<Secret>,
    rests_until: Option<Instant>,
    is_refused: bool,
}

/// The position of a key in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyId(usize);

/// The key for the next request.
#[derive(Debug, PartialEq)]
pub enum Next {
    /// Use this key now.
    Ready(KeyId, Option<Secret>),
    /// All keys rest until this moment.
    Resting(Instant),
    /// All keys were refused.
    Refused,
}

impl KeyPool {
    /// Creates a pool of `secrets`. If it is empty, requests carry no key.
    pub fn new(secrets: Vec<Secret>) -> KeyPool {
        let slot = |secret| Slot { secret, rests_until: None, is_refused: false };
        let keys = match secrets.is_empty() {
            true => vec![slot(None)],
            false => secrets.into_iter().map(Some).map(slot).collect(),
        };
        KeyPool(Mutex::new(Pool { keys, current: 0 }))
    }

    /// The number of keys at the start, at least one.
    pub fn len(&self) -> usize {
        self.lock().keys.len()
    }

    /// Returns the key in use if it does not rest, or else the next key that does not.
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

    /// Lets a throttled key rest until `until`, and moves on to the next key.
    pub fn rest(&self, key: KeyId, until: Instant) {
        let mut pool = self.lock();
        let slot = &mut pool.keys[key.0];
        slot.rests_until = slot.rests_until.max(Some(until));
        // Several requests may report the same key; move on only once.
        if pool.current == key.0 {
            pool.current = (key.0 + 1) % pool.keys.len();
        }
    }

    /// Drops a refused key.
    pub fn refuse(&self, key: KeyId) {
        self.lock().keys[key.0].is_refused = true;
    }

    /// Returns `text` without any of the keys.
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
