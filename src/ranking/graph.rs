//! How much do the links of a hit's source speak for the hit?

use super::source_graph::{SourceGraph, SourceKey};
use crate::order::{Map, sort_by};

/// An edge adds its full weight to its source node and this share of it to its target.
const SHARE_OF_TARGET: f64 = 0.8;
/// The greatest weight of the graph in a score.
pub const MAX_GRAPH_WEIGHT: f64 = 0.75;
/// The weight of the graph in a score, where the caller gives none.
pub const DEFAULT_GRAPH_WEIGHT: f64 = 0.2;

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

/// Returns the signal of each node that has an edge, by the node's id: the sum of its edges' weights, divided by the greatest
/// sum. Signals are 0 to 1.
pub fn graph_signals(graph: &SourceGraph) -> Map<&str, f64> {
    let mut signals = Map::<&str, f64>::new();
    for edge in &graph.edges {
        let weight = relation_weight(&edge.relation);
        *signals.or_default(&edge.from) += weight;
        *signals.or_default(&edge.to) += SHARE_OF_TARGET * weight;
    }
    let most = signals.values().copied().fold(0.0, f64::max);
    signals.into_iter().map(|(id, signal)| (id, signal / most)).collect()
}

/// How much the graph counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphRerank {
    /// Whether the graph counts at all; it does by default.
    pub enabled: bool,
    /// The weight of the graph: 0 to 0.75, 0.2 by default. The score before the graph has the rest. Other numbers are clamped.
    pub weight: f64,
}

impl Default for GraphRerank {
    fn default() -> GraphRerank {
        GraphRerank { enabled: true, weight: DEFAULT_GRAPH_WEIGHT }
    }
}

/// Results in the order that the graph gives them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reranked {
    /// The results, best first.
    pub results: Vec<RerankedResult>,
    /// The number of results that moved.
    pub changed_ranks: usize,
}

/// A result with its new score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RerankedResult {
    /// The index of the result in the list that was given.
    pub index: usize,
    /// The new score.
    pub score: f64,
    /// The score before the graph.
    pub base: f64,
    /// The signal of the result's source, 0 to 1.
    pub signal: f64,
}

/// Reranks results, best first, by a graph of their sources (R10): score = (1 − weight) · base + weight · signal.
///
/// Equal scores keep their order. A source without edges has signal 0.
///
/// ```
/// use snapseek::primitives::{GraphOptions, GraphRerank, LinkedChunk, apply_graph_rerank, build_graph_payload};
///
/// let alone = LinkedChunk::of("thought", "t");
/// let member = LinkedChunk { context_id: Some("c".into()), ..LinkedChunk::of("action", "a") };
/// let context = LinkedChunk::of("context", "c");
/// let results = [alone, member];
/// let graph = build_graph_payload(&results, &[context], GraphOptions::default());
/// let scored = results.map(|chunk| (chunk.source(), 0.5));
/// let reranked = apply_graph_rerank(&scored, &graph, GraphRerank::default());
/// assert_eq!((reranked.results[0].index, reranked.changed_ranks), (1, 2));
/// ```
pub fn apply_graph_rerank(
    results: &[(SourceKey, f64)],
    graph: &SourceGraph,
    options: GraphRerank,
) -> Reranked {
    if !options.enabled {
        let unchanged = |(index, (_, score)): (usize, &(SourceKey, f64))| RerankedResult {
            index,
            score: *score,
            base: *score,
            signal: 0.0,
        };
        return Reranked { results: results.iter().enumerate().map(unchanged).collect(), changed_ranks: 0 };
    }
    // The comparison is false for NaN.
    let weight = if options.weight > 0.0 { options.weight.min(MAX_GRAPH_WEIGHT) } else { 0.0 };
    let signals = graph_signals(graph);
    let rerank = |(index, (source, base)): (usize, &(SourceKey, f64))| {
        let signal = signals.get(source.name().as_str()).copied().unwrap_or(0.0);
        RerankedResult { index, score: (1.0 - weight) * base + weight * signal, base: *base, signal }
    };
    let mut results = results.iter().enumerate().map(rerank).collect::<Vec<_>>();
    sort_by(&mut results, |a, b| (b.score + 0.0).total_cmp(&(a.score + 0.0)).then(a.index.cmp(&b.index)));
    let moved = |(rank, result): &(usize, &RerankedResult)| *rank != result.index;
    let changed_ranks = results.iter().enumerate().filter(moved).count();
    Reranked { results, changed_ranks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::source_graph::SourceEdge;

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

    fn graph(edges: &[(&str, &str, &str)]) -> SourceGraph {
        let edge = |(from, relation, to): &(&str, &str, &str)| SourceEdge {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
            relation: (*relation).to_owned(),
            weight: relation_weight(relation),
        };
        SourceGraph { edges: edges.iter().map(edge).collect(), ..SourceGraph::default() }
    }

    #[test]
    fn r10_an_edge_gives_its_weight_to_its_start_and_four_fifths_to_its_end() {
        let graph = graph(&[("a", "action_context", "b"), ("c", "thought_parent", "b")]);
        let signals = graph_signals(&graph);
        let most = 0.8 + 0.8 * 0.5;
        assert_eq!((signals["a"], signals["b"], signals["c"]), (1.0 / most, 1.0, 0.5 / most));
    }

    #[test]
    fn r10_without_edges_no_score_gains_and_no_rank_changes() {
        let source = |id: &str| SourceKey { source_type: "a".to_owned(), source_id: id.to_owned() };
        let results = [(source("1"), 0.5), (source("2"), 0.5), (source("3"), 0.25)];
        let reranked = apply_graph_rerank(&results, &graph(&[]), GraphRerank::default());
        assert_eq!(reranked.changed_ranks, 0);
        let scores = reranked.results.iter().map(|result| result.score).collect::<Vec<_>>();
        assert_eq!(scores, [0.8 * 0.5, 0.8 * 0.5, 0.8 * 0.25]);
    }

    #[test]
    fn r10_a_weight_beyond_its_range_is_clamped_and_a_disabled_rerank_changes_nothing() {
        let results = [(SourceKey { source_type: "a".to_owned(), source_id: "1".to_owned() }, 1.0)];
        let score = |enabled, weight| {
            let options = GraphRerank { enabled, weight };
            apply_graph_rerank(&results, &graph(&[("a:1", "x", "b:2")]), options).results[0].score
        };
        assert_eq!(score(true, 9.0), 1.0);
        assert_eq!(
            apply_graph_rerank(&results, &graph(&[]), GraphRerank { enabled: true, weight: 9.0 }).results[0]
                .score,
            0.25
        );
        assert_eq!(score(true, f64::NAN), 1.0);
        assert_eq!(score(false, 0.5), 1.0);
    }
}
