//! usearch: an exact scan of all rows, or an HNSW graph.

use anyhow::{Result, anyhow};
use usearch::{IndexOptions, MetricKind, ScalarKind};

pub struct Index {
    index: usearch::Index,
    is_graph: bool,
}

impl Index {
    pub fn of(rows: &[Vec<f32>], is_graph: bool) -> Result<Index> {
        let options = IndexOptions {
            dimensions: rows.first().map_or(1, Vec::len),
            metric: MetricKind::Cos,
            quantization: ScalarKind::F32,
            ..IndexOptions::default()
        };
        let failed = |error: &dyn std::fmt::Display| anyhow!("usearch: {error}");
        let index = usearch::Index::new(&options).map_err(|error| failed(&error))?;
        index.reserve(rows.len()).map_err(|error| failed(&error))?;
        for (key, row) in (0..).zip(rows) {
            index.add(key, row).map_err(|error| failed(&error))?;
        }
        Ok(Index { index, is_graph })
    }

    pub fn search(&self, query: &[f32], limit: usize) -> Result<Vec<u32>> {
        let found = if self.is_graph {
            self.index.search(query, limit)
        } else {
            self.index.exact_search(query, limit)
        };
        let keys = found.map_err(|error| anyhow!("usearch: {error}"))?.keys;
        Ok(keys.into_iter().map(u32::try_from).collect::<Result<_, _>>()?)
    }
}
