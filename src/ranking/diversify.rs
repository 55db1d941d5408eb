//! Which hits fill a page? No group gets more than its share, unless the page would stay short.

use crate::order::{Map, sort};

/// Returns the indexes of the items on a page of `limit` items, ascending (R7).
///
/// `groups` holds the group of each item, best item first. The page takes the best `most` items of every group. If
/// these are fewer than `limit`, it adds the best of the remaining items.
pub fn diversified(groups: &[String], most: usize, limit: usize) -> Vec<usize> {
    let mut taken = Map::<&str, usize>::new();
    let mut is_within = |place: &usize| {
        let count = taken.or_default(&groups[*place]);
        *count += 1;
        *count <= most
    };
    let (mut page, overflow): (Vec<_>, Vec<_>) = (0..groups.len()).partition(|place| is_within(place));
    page.truncate(limit);
    let room = limit - page.len();
    page.extend(overflow.into_iter().take(room));
    sort(&mut page);
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(groups: &str, most: usize, limit: usize) -> Vec<usize> {
        diversified(&groups.chars().map(String::from).collect::<Vec<_>>(), most, limit)
    }

    #[test]
    fn r7_a_source_has_at_most_its_share_of_a_page() {
        assert_eq!(page("aaaabac", 3, 5), [0, 1, 2, 4, 6]);
        assert_eq!(page("aaabbbccc", 1, 3), [0, 3, 6]);
    }

    #[test]
    fn r7_the_overflow_refills_a_page_that_would_be_short() {
        assert_eq!(page("aaaaab", 2, 5), [0, 1, 2, 3, 5]);
        assert_eq!(page("aaa", 1, 10), [0, 1, 2]);
        assert_eq!(page("", 3, 10), [0usize; 0]);
    }
}
