//! Which blocks are at hand? Those that were used last, up to so many bytes.

use crate::order::sort_indexes;

/// Packed blocks, and when each was used.
#[derive(Debug)]
pub struct BlockCache {
    most: usize,
    len: usize,
    clock: u64,
    /// By number. They mostly come in order, so that few have to move.
    blocks: Vec<Kept>,
}

#[derive(Debug)]
struct Kept {
    block: u32,
    used: u64,
    bytes: Vec<u8>,
}

impl BlockCache {
    /// A cache that [`BlockCache::trim`] brings to this many bytes.
    pub fn new(most: usize) -> BlockCache {
        BlockCache { most, len: 0, clock: 0, blocks: Vec::new() }
    }

    /// Sets how many bytes are kept.
    pub fn set_most(&mut self, most: usize) {
        self.most = most;
        self.trim();
    }

    /// Whether a block is at hand; does not count as a use.
    pub fn has(&self, block: u32) -> bool {
        self.place(block).is_ok()
    }

    /// A block, now the one that was used last.
    pub fn get(&mut self, block: u32) -> Option<&[u8]> {
        let place = self.place(block).ok()?;
        self.clock += 1;
        let kept = &mut self.blocks[place];
        kept.used = self.clock;
        Some(&kept.bytes)
    }

    /// Keeps a block, whatever it displaces once [`BlockCache::trim`] is called.
    pub fn insert(&mut self, block: u32, bytes: Vec<u8>) {
        self.clock += 1;
        self.len += bytes.len();
        let kept = Kept { block, used: self.clock, bytes };
        match self.place(block) {
            Ok(place) => self.len -= std::mem::replace(&mut self.blocks[place], kept).bytes.len(),
            Err(place) => self.blocks.insert(place, kept),
        }
    }

    /// Drops the blocks that were not used for longest where there are too many bytes; a few more than it has to, so that
    /// the next blocks do not cost it again.
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
