//! Which blocks are at hand? Those that were used last, up to so many bytes.

use std::collections::BTreeMap;

/// Packed blocks by number, and when each was used.
#[derive(Debug)]
pub struct BlockCache {
    most: usize,
    len: usize,
    clock: u64,
    blocks: BTreeMap<u32, (u64, Vec<u8>)>,
    by_use: BTreeMap<u64, u32>,
}

impl BlockCache {
    /// A cache that [`BlockCache::trim`] brings to this many bytes.
    pub fn new(most: usize) -> BlockCache {
        BlockCache { most, len: 0, clock: 0, blocks: BTreeMap::new(), by_use: BTreeMap::new() }
    }

    /// Sets how many bytes are kept.
    pub fn set_most(&mut self, most: usize) {
        self.most = most;
        self.trim();
    }

    /// Whether a block is at hand; does not count as a use.
    pub fn has(&self, block: u32) -> bool {
        self.blocks.contains_key(&block)
    }

    /// A block, now the one that was used last.
    pub fn get(&mut self, block: u32) -> Option<&[u8]> {
        self.clock += 1;
        let (used, bytes) = self.blocks.get_mut(&block)?;
        self.by_use.remove(used);
        *used = self.clock;
        self.by_use.insert(self.clock, block);
        Some(bytes)
    }

    /// Keeps a block, whatever it displaces once [`BlockCache::trim`] is called.
    pub fn insert(&mut self, block: u32, bytes: Vec<u8>) {
        self.clock += 1;
        self.len += bytes.len();
        if let Some((used, old)) = self.blocks.insert(block, (self.clock, bytes)) {
            self.len -= old.len();
            self.by_use.remove(&used);
        }
        self.by_use.insert(self.clock, block);
    }

    /// Drops the blocks that were not used for longest, until few enough bytes are left.
    pub fn trim(&mut self) {
        while self.len > self.most
            && let Some((_, block)) = self.by_use.pop_first()
            && let Some((_, bytes)) = self.blocks.remove(&block)
        {
            self.len -= bytes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_that_was_not_used_for_longest_goes_first() {
        let mut cache = BlockCache::new(20);
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
