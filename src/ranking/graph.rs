//! How much do the links of a hit support it?

/// An edge adds its full weight to its source node and this share of it to its target node.
const SHARE_OF_TARGET: f64 = 0.8;

/// Returns the weight of an edge with this relation (R10).
pub fn relation_weight(relation: &str) -> f64 {
    match relation {
        "action_context" => 1.0,
        "thought_action" | "thought_context" => 0.85,
        "context_member" => 0.75,
        "thought_parent" | "thought_child" => 0.5,
        "session_peer" => 0.35,
        _ => 0.25,
    }
}

/// Returns for each node the sum of its edges' weights, divided by the greatest sum: 0 to 1.
///
/// An edge is (from, to, weight).
pub fn graph_signals(nodes: usize, edges: &[(usize, usize, f64)]) -> Vec<f64> {
    let mut signals = vec![0.0; nodes];
    for (from, to, weight) in edges {
        signals[*from] += weight;
        signals[*to] += SHARE_OF_TARGET * weight;
    }
    let most = signals.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        signals.iter_mut().for_each(|signal| *signal /= most);
    }
    signals
}

/// Counts the positions at which the two orders differ.
pub fn changed_ranks(before: &[u32], after: &[u32]) -> usize {
    before.iter().zip(after).filter(|(before, after)| before != after).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r10_relations_have_the_documents_weights_and_others_a_quarter() {
        let weights = [
            ("action_context", 1.0),
            ("thought_action", 0.85),
            ("thought_context", 0.85),
            ("context_member", 0.75),
            ("thought_parent", 0.5),
            ("thought_child", 0.5),
            ("session_peer", 0.35),
            ("note_context", 0.25),
            ("", 0.25),
        ];
        for (relation, weight) in weights {
            assert_eq!(relation_weight(relation), weight, "{relation}");
        }
    }

    #[test]
    fn r10_an_edge_gives_its_weight_to_its_start_and_four_fifths_to_its_end() {
        let signals = graph_signals(4, &[(0, 1, 1.0), (2, 1, 0.5)]);
        let most = 0.8 + 0.8 * 0.5;
        assert_eq!(signals, [1.0 / most, 1.0, 0.5 / most, 0.0]);
    }

    #[test]
    fn r10_without_edges_there_is_no_signal() {
        assert_eq!(graph_signals(2, &[]), [0.0, 0.0]);
    }

    #[test]
    fn r10_changed_ranks_count_what_moved() {
        assert_eq!(changed_ranks(&[1, 2, 3], &[1, 2, 3]), 0);
        assert_eq!(changed_ranks(&[1, 2, 3], &[2, 1, 3]), 2);
    }
}
