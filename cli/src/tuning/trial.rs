//! How good is each query's ranking with given settings?

use super::{Axis, LegsInUse, axes};
use crate::evaluation::{AskedQuery, Qrels, QueryRun, evaluate};
use crate::parallel;
use crate::progress::Progress;
use anyhow::{Context, Result};
use snapseek::recipe::hybrid::{Fusion, Mode};
use snapseek::{Engine, SearchOptions, SearchResponse};

/// The number of hits per query that nDCG@10 needs.
const DEPTH: usize = 10;

/// Judged queries that are searched again and again, with different settings.
#[derive(Debug)]
pub struct Trial<'a> {
    engine: &'a Engine,
    queries: Vec<(&'a AskedQuery<'a>, SearchOptions)>,
    qrels: &'a Qrels,
    axes: Vec<Axis>,
    progress: Progress,
}

impl<'a> Trial<'a> {
    /// Searches all queries once, to learn which settings can change anything. All of them must be judged.
    ///
    /// Ages count from `now`, in milliseconds since 1970, unless the options name another time.
    ///
    /// # Errors
    /// When a search fails.
    pub fn prepare(
        engine: &'a Engine,
        queries: impl IntoIterator<Item = &'a AskedQuery<'a>>,
        qrels: &'a Qrels,
        now: f64,
    ) -> Result<Trial<'a>> {
        let with_options = |asked: &'a AskedQuery<'a>| {
            let options = asked.search_options(DEPTH)?;
            Ok((asked, SearchOptions { now: options.now.or(Some(now)), ..options }))
        };
        let queries = queries.into_iter().map(with_options).collect::<Result<Vec<_>>>()?;
        let progress = Progress::searching();
        let mut trial = Trial { engine, queries, qrels, axes: Vec::new(), progress };
        let mut legs = LegsInUse::default();
        for response in trial.search(&[])? {
            if response.fusion == Some(Fusion::Auto.name()) {
                legs.fused_model = legs.fused_model.or(response.model);
            }
            legs.keywords |= response.mode != Mode::Vector;
        }
        if let Some((_, options)) = trial.queries.first() {
            trial.axes = axes(engine.schema(), options, &legs);
        }
        Ok(trial)
    }

    /// The settings that can change results.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Returns the ids of the queries.
    pub fn ids(&self) -> Vec<&'a str> {
        self.queries.iter().map(|(asked, _)| asked.query.id.as_str()).collect()
    }

    /// Returns nDCG@10 of each query, with one value per axis.
    ///
    /// # Errors
    /// When a search fails.
    pub fn measure(&self, choice: &[usize]) -> Result<Vec<f64>> {
        let responses = self.search(choice)?;
        let runs = self.queries.iter().zip(responses).map(|((asked, _), response)| {
            QueryRun::in_order(&asked.query.id, response.hits.into_iter().map(|hit| hit.id))
        });
        let report = evaluate(&runs.collect::<Vec<_>>(), self.qrels);
        Ok(report.queries.iter().map(|query| query.measures.ndcg).collect())
    }

    /// Searches all queries, on all cores.
    fn search(&self, choice: &[usize]) -> Result<Vec<SearchResponse>> {
        let mut responses = Vec::with_capacity(self.queries.len());
        let search = |(asked, options): &(&AskedQuery, SearchOptions)| {
            let mut options = options.clone();
            self.axes.iter().zip(choice).for_each(|(axis, value)| axis.apply(*value, &mut options));
            let response = self.engine.search(&asked.query.text, &options);
            response.with_context(|| format!("query {:?}", asked.query.id))
        };
        parallel::in_order(parallel::available_threads(), self.queries.iter().map(Ok), search, |response| {
            self.progress.advance(1);
            responses.push(response?);
            anyhow::Ok(())
        })?;
        Ok(responses)
    }
}
