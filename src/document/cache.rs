//! Which blocks are kept in memory? The most recently used ones, up to a limit in bytes.

use crate::order::sort_indexes;

/// A least-recently-used cache of packed blocks.
#[derive(Debug)]
pub struct BlockCache {
    most: usize,
    len: usize,
    clock: u64,
    /// Sorted by block number. Blocks mostly arrive in that order, so insertions move few entries.
    blocks: Vec<CachedBlock>,
}

#[derive(Debug)]
struct CachedBlock {
    block: u32,
    used: u64,
    bytes: Vec<u8>,
}

impl BlockCache {
    /// Creates an empty cache with a limit of `most` bytes, which [`BlockCache::trim`] enforces.
    pub fn new(most: usize) -> BlockCache {
        BlockCache { most, len: 0, clock: 0, blocks: Vec::new() }
    }

    /// Sets the limit in bytes and trims the cache to it.
    pub fn set_most(&mut self, most: usize) {
        self.most = most;
        self.trim();
    }

    /// Returns whether a block is cached, without counting this as a use.
    pub fn has(&self, block: u32) -> bool {
        self.place(block).is_ok()
    }

    /// Returns a cached block and marks it as the most recently used one.
    pub fn get(&mut self, block: u32) -> Option<&[u8]> {
        let place = self.place(block).ok()?;
        self.clock += 1;
        let kept = &mut self.blocks[place];
        kept.used = self.clock;
        Some(&kept.bytes)
    }

    /// Inserts a block. The cache may exceed its limit until [`BlockCache::trim`] is called.
    pub fn insert(&mut self, block: u32, bytes: Vec<u8>) {
        self.clock += 1;
        self.len += bytes.len();
        let kept = CachedBlock { block, used: self.clock, bytes };
        match self.place(block) {
            Ok(place) => self.len -= std::mem::replace(&mut self.blocks[place], kept).bytes.len(),
            Err(place) => self.blocks.insert(place, kept),
        }
    }

    /// Drops the least recently used blocks if the cache exceeds its limit.
    ///
    /// It trims to 7/8 of the limit, so that the next insertions do not trigger another pass.
    pub fn trim(&mut self) {
        if self.len <= self.most {
            return;
        }
        let goal = self.most - self.most / 8;
        let mut by_use = (0..self.blocks.len()).collect::<Vec<_>>();
        sort_indexes(&mut by_use, &mut |a, b| self.blocks[a].used.cmp(&self.blocks[b].used));
        let mut last_dropped = 0;
        for place in by_use {
            if self.len <= goal {
                break;
            }
            last_dropped = self.blocks[place].used;
            self.len -= self.blocks[place].bytes.len();
        }
        self.blocks.retain(|kept| kept.used > last_dropped);
    }

    fn place(&self, block: u32) -> Result<usize, usize> {
        self.blocks.binary_search_by_key(&block, |kept| kept.block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_that_was_not_used_for_longest_goes_first() {
        let mut cache = BlockCache::new(24);
        (0..3).for_each(|block| cache.insert(block, vec![0; 10]));
        assert!(cache.has(0), "nothing goes before it is told to");
        cache.get(0);
        cache.trim();
        assert_eq!((0..3).map(|block| cache.has(block)).collect::<Vec<_>>(), [true, false, true]);
        cache.set_most(0);
        assert!(!cache.has(0) && !cache.has(2));
    }

    #[test]
    fn a_block_that_comes_twice_counts_once() {
        let mut cache = BlockCache::new(10);
        (0..5).for_each(|_| cache.insert(7, vec![1; 10]));
        cache.trim();
        assert_eq!(cache.get(7), Some(&[1; 10][..]));
    }
}
