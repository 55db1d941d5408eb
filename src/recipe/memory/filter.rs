//! Which memories may be found at all (M3)? The filter runs before each leg takes its best candidates, so that pages are full.

use super::ranking::{flag, number, word};
use super::salience::Fading;
use crate::bitmap::Bitmap;
use crate::document::Key;
use crate::options::Options;
use crate::pipeline::Context;
use crate::retrieval::{Filter, Target, Test};
use crate::schema::Schema;
use crate::snapshot::SnapshotError;

/// Conditions that every memory of a search meets. The default excludes deleted and superseded memories only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryFilter {
    /// The project of the memory.
    pub project_id: Option<String>,
    /// The sectors, of which the memory has one.
    pub sectors: Option<Vec<String>>,
    /// The tiers, of which the memory has one.
    pub tiers: Option<Vec<String>>,
    /// The least salience, 0 to 1.
    pub min_salience: f64,
    /// The session that used the memory.
    pub session_id: Option<String>,
    /// Whether superseded memories pass.
    pub include_superseded: bool,
}

impl MemoryFilter {
    /// Reads `projectId`, `sector`, `tier`, `minSalience`, `sessionId` and `includeSuperseded`.
    pub fn take(read: &mut Options) -> MemoryFilter {
        MemoryFilter {
            project_id: read.id("projectId"),
            sectors: read.texts("sector"),
            tiers: read.texts("tier"),
            min_salience: read.number("minSalience", 0.0..=1.0).unwrap_or(0.0),
            session_id: read.id("sessionId"),
            include_superseded: read.flag("includeSuperseded").unwrap_or(false),
        }
    }

    /// Returns, for each segment, the documents of these kinds that pass. `decays` says whether salience fades (M13).
    pub(super) fn allowed(
        &self,
        context: &Context,
        kinds: &[&str],
        decays: bool,
    ) -> Result<Vec<Bitmap>, SnapshotError> {
        let filter = self.conditions(context, kinds);
        let mut allowed = Vec::new();
        for part in context.corpus.parts {
            allowed.push(filter.apply(part)?);
        }
        if let Some(session) = &self.session_id {
            keep_used(context, session, kinds, &mut allowed)?;
        }
        if decays && self.min_salience > 0.0 {
            self.keep_salient(context, &mut allowed)?;
        }
        Ok(allowed)
    }

    /// Warns of conditions on attributes that the schema lacks: no record meets them.
    pub(super) fn warnings(&self, schema: &Schema) -> Vec<String> {
        let conditions = [
            ("projectId", self.project_id.is_some()),
            ("sector", self.sectors.is_some()),
            ("tier", self.tiers.is_some()),
        ];
        let missing =
            conditions.into_iter().filter(|(name, is_set)| *is_set && schema.attribute(name).is_none());
        missing
            .map(|(name, _)| {
                format!("{name}: the schema has no such attribute, so no record passes this filter")
            })
            .collect()
    }

    fn conditions(&self, context: &Context, kinds: &[&str]) -> Filter {
        let schema = context.schema;
        let kinds = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        let mut all = vec![Filter::Test(Target::Kind, Test::AnyOf(kinds))];
        let project = self.project_id.as_ref().map(|project| vec![project.clone()]);
        for (name, words) in [("projectId", &project), ("sector", &self.sectors), ("tier", &self.tiers)] {
            if let Some(words) = words {
                all.push(test(word(schema, name), Test::AnyOf(words.clone())));
            }
        }
        if self.min_salience > 0.0 {
            let less = Test::Range { gte: None, gt: None, lte: None, lt: Some(self.min_salience) };
            all.push(not(test(number(schema, "salience"), less)));
        }
        if !self.include_superseded {
            let past = Test::Range { gte: None, gt: None, lte: Some(context.now), lt: None };
            all.push(not(test(number(schema, "validUntil"), past)));
        }
        all.push(not(test(flag(schema, "isDeleted"), Test::Bool(true))));
        Filter::All(all)
    }

    /// Keeps the memories that are still salient enough. The stored salience is an upper bound, which the filter has checked.
    fn keep_salient(&self, context: &Context, allowed: &mut [Bitmap]) -> Result<(), SnapshotError> {
        let fading = Fading::of(context.schema);
        for (part, allowed) in context.corpus.parts.iter().zip(allowed) {
            let values = part.values()?;
            let is_salient = |document: usize| {
                allowed.has(document) && fading.salience(&values, document, context.now) >= self.min_salience
            };
            *allowed = Bitmap::where_true(allowed.len(), is_salient);
        }
        Ok(())
    }
}

/// Keeps the documents that a session used.
fn keep_used(
    context: &Context,
    session: &str,
    kinds: &[&str],
    allowed: &mut [Bitmap],
) -> Result<(), SnapshotError> {
    for (part, allowed) in context.corpus.parts.iter().zip(allowed) {
        let mut used = Bitmap::none(allowed.len());
        for id in context.corpus.state.used_in(session) {
            for kind in kinds {
                if let Some(document) = part.segment.keys()?.find(Key { id, kind })? {
                    used.set(document, true);
                }
            }
        }
        allowed.intersect(&used);
    }
    Ok(())
}

/// A condition on an attribute. It fails for an attribute that the schema lacks: no record has a value there.
fn test(attribute: Option<usize>, test: Test) -> Filter {
    attribute.map_or(Filter::Any(Vec::new()), |place| Filter::Test(Target::Attribute(place), test))
}

fn not(filter: Filter) -> Filter {
    Filter::Not(Box::new(filter))
}
