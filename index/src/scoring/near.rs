//! Which occurrences of several phrases are near each other?

use crate::ids::Spot;

const END: Spot = Spot(u64::MAX);

/// Returns the occurrences of each phrase that belong to a NEAR group; all lists are empty when there is no group.
///
/// `spots` holds the ascending occurrences of each phrase, `lengths` the number of terms per phrase. A group has one
/// occurrence per phrase, all in one field, and at most `distance` tokens between the end of each and the start of the
/// last one. The search is FTS5's: from each group, the phrase whose next occurrence comes first moves on.
pub fn near(spots: &[Vec<Spot>], lengths: &[usize], distance: u32) -> Vec<Vec<Spot>> {
    let mut chosen = vec![0; spots.len()];
    let mut kept = vec![Vec::new(); spots.len()];
    if spots.iter().any(Vec::is_empty) {
        return kept;
    }
    let at = |phrase: usize, place: usize| spots[phrase].get(place).copied().unwrap_or(END);
    loop {
        if !settle(&mut chosen, &at, lengths, distance) {
            return kept;
        }
        for (phrase, kept) in kept.iter_mut().enumerate() {
            let spot = at(phrase, chosen[phrase]);
            if kept.last() != Some(&spot) {
                kept.push(spot);
            }
        }
        let least = (0..spots.len()).min_by_key(|&phrase| at(phrase, chosen[phrase] + 1));
        let least = least.expect("a group has phrases");
        chosen[least] += 1;
        if at(least, chosen[least]) == END {
            return kept;
        }
    }
}

/// Moves the choices forward until they form a group. Returns false when there is no further group.
fn settle(
    chosen: &mut [usize],
    at: &impl Fn(usize, usize) -> Spot,
    lengths: &[usize],
    distance: u32,
) -> bool {
    let mut last = at(0, chosen[0]);
    loop {
        let mut is_group = true;
        for phrase in 0..chosen.len() {
            let reach = lengths[phrase] as u64 + u64::from(distance);
            let earliest = Spot(last.0.saturating_sub(reach));
            let spot = at(phrase, chosen[phrase]);
            if spot >= earliest && spot <= last {
                continue;
            }
            is_group = false;
            while at(phrase, chosen[phrase]) < earliest {
                chosen[phrase] += 1;
                if at(phrase, chosen[phrase]) == END {
                    return false;
                }
            }
            last = last.max(at(phrase, chosen[phrase]));
        }
        if is_group {
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::FieldId;

    #[test]
    fn a_group_lies_within_the_distance_and_in_one_field() {
        let spot = |field: u8, position: u32| Spot::new(FieldId(field), position);
        let spots =
            |positions: &[u32]| positions.iter().map(|&position| spot(0, position)).collect::<Vec<_>>();
        let kept = near(&[spots(&[0, 50]), spots(&[3, 90])], &[1, 1], 2);
        assert_eq!(kept, [spots(&[0]), spots(&[3])]);
        assert_eq!(near(&[spots(&[0]), spots(&[4])], &[1, 1], 2), [spots(&[]), spots(&[])]);
        assert_eq!(near(&[spots(&[0]), vec![spot(1, 0)]], &[1, 1], 1000), [spots(&[]), spots(&[])]);
    }
}
