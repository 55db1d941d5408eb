//! How close is an entry to others, by links?

use crate::order::{Map, Set};

/// The largest distance that counts, in links.
const FURTHEST: usize = 2;

/// Returns for each linked id its proximity to the nearest source (V8): 1/2 for one link, 1/3 for two.
///
/// A source is close to other sources, not to itself. `neighbours` returns the ids linked with an id in either
/// direction.
pub fn proximities(sources: &[String], neighbours: impl Fn(&str) -> Vec<String>) -> Map<String, f64> {
    let mut near = Map::<String, f64>::new();
    for source in sources {
        let mut reached = Set::new();
        reached.insert(source.clone());
        let mut edge = vec![source.clone()];
        for distance in 1..=FURTHEST {
            let proximity = 1.0 / (distance + 1) as f64;
            let mut fresh = edge.iter().flat_map(|id| neighbours(id)).collect::<Vec<_>>();
            // The first visit came by a shortest path.
            fresh.retain(|id| reached.insert(id.clone()));
            for id in &fresh {
                let best = near.or_insert(id.clone(), proximity);
                *best = best.max(proximity);
            }
            edge = fresh;
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKS: [(&str, &str); 6] = [("a", "b"), ("b", "c"), ("c", "d"), ("e", "c"), ("a", "a"), ("x", "y")];

    fn near(sources: &[&str]) -> Vec<(String, f64)> {
        let neighbours = |id: &str| {
            let ends = LINKS.iter().flat_map(|(from, to)| [(*from, *to), (*to, *from)]);
            ends.filter(|(from, _)| *from == id).map(|(_, to)| to.to_owned()).collect()
        };
        let sources = sources.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        proximities(&sources, neighbours).into_iter().collect()
    }

    fn expected(near: &[(&str, f64)]) -> Vec<(String, f64)> {
        near.iter().map(|(id, proximity)| ((*id).to_owned(), *proximity)).collect()
    }

    #[test]
    fn v8_one_link_is_a_half_and_two_are_a_third_whichever_way_they_lead() {
        assert_eq!(near(&["a"]), expected(&[("b", 0.5), ("c", 1.0 / 3.0)]));
        assert_eq!(near(&["c"]), expected(&[("a", 1.0 / 3.0), ("b", 0.5), ("d", 0.5), ("e", 0.5)]));
    }

    #[test]
    fn v8_the_nearest_of_several_sources_counts_and_a_source_is_near_to_the_others_only() {
        assert_eq!(near(&["a", "d"]), expected(&[("b", 0.5), ("c", 0.5), ("e", 1.0 / 3.0)]));
        let pair = near(&["a", "b"]);
        assert_eq!(pair, expected(&[("a", 0.5), ("b", 0.5), ("c", 0.5), ("d", 1.0 / 3.0), ("e", 1.0 / 3.0)]));
        assert_eq!(near(&["x", "z"]), expected(&[("y", 0.5)]));
        assert!(near(&[]).is_empty());
    }
}
