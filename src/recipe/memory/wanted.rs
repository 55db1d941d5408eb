//! Which memories may be found at all (M3)? Worked out before anything is ranked, so that pages are full.

use super::ranking::{DOCUMENT, MEMORY, flag, number, word};
use super::salience::Fading;
use crate::bitmap::Bitmap;
use crate::document::Key;
use crate::options::Options;
use crate::pipeline::Context;
use crate::retrieval::{Filter, Target, Test};
use crate::snapshot::SnapshotError;

/// What has to hold for a memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// The kinds of records.
    pub kinds: Vec<&'static str>,
    /// Its project.
    pub project: Option<String>,
    /// Its sector is one of these.
    pub sectors: Option<Vec<String>>,
    /// Its tier is one of these.
    pub tiers: Option<Vec<String>>,
    /// It matters at least this much.
    pub min_salience: f64,
    /// The session that used it.
    pub session: Option<String>,
    /// Whether superseded ones are wanted, too.
    pub includes_superseded: bool,
    /// Whether what is not used fades (M13).
    pub decays: bool,
}

impl Wanted {
    /// Reads `projectId`, `sector`, `tier`, `minSalience`, `sessionId`, `includeSuperseded`, `includeDocuments` and
    /// `decay`.
    pub fn read(options: &mut Options) -> Wanted {
        let with_documents = options.flag("includeDocuments").unwrap_or(false);
        Wanted {
            kinds: if with_documents { vec![MEMORY, DOCUMENT] } else { vec![MEMORY] },
            project: options.id("projectId"),
            sectors: options.texts("sector"),
            tiers: options.texts("tier"),
            min_salience: options.number("minSalience", 0.0..=1.0).unwrap_or(0.0),
            session: options.id("sessionId"),
            includes_superseded: options.flag("includeSuperseded").unwrap_or(false),
            decays: options.flag("decay").unwrap_or(false),
        }
    }

    /// By segment, the documents that may be found.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn allowed(&self, context: &Context) -> Result<Vec<Bitmap>, SnapshotError> {
        let filter = self.filter(context);
        let mut allowed = Vec::new();
        for part in context.corpus.parts {
            allowed.push(filter.apply(part)?);
        }
        if let Some(session) = &self.session {
            self.keep_used(context, session, &mut allowed)?;
        }
        if self.decays && self.min_salience > 0.0 {
            self.keep_salient(context, &mut allowed)?;
        }
        Ok(allowed)
    }

    fn filter(&self, context: &Context) -> Filter {
        let schema = context.schema;
        let kinds = self.kinds.iter().map(|kind| (*kind).to_owned()).collect::<Vec<_>>();
        let mut all = vec![Filter::Test(Target::Kind, Test::AnyOf(kinds))];
        let project = self.project.as_ref().map(|project| vec![project.clone()]);
        for (name, wanted) in [("projectId", &project), ("sector", &self.sectors), ("tier", &self.tiers)] {
            if let Some(wanted) = wanted {
                all.push(test(word(schema, name), Test::AnyOf(wanted.clone())));
            }
        }
        if self.min_salience > 0.0 {
            let less = Test::Range { gte: None, gt: None, lte: None, lt: Some(self.min_salience) };
            all.push(not(test(number(schema, "salience"), less)));
        }
        if !self.includes_superseded {
            let past = Test::Range { gte: None, gt: None, lte: Some(context.now), lt: None };
            all.push(not(test(number(schema, "validUntil"), past)));
        }
        all.push(not(test(flag(schema, "isDeleted"), Test::Bool(true))));
        Filter::All(all)
    }

    /// Keeps what a session used.
    fn keep_used(
        &self,
        context: &Context,
        session: &str,
        allowed: &mut [Bitmap],
    ) -> Result<(), SnapshotError> {
        for (part, allowed) in context.corpus.parts.iter().zip(allowed) {
            let mut used = Bitmap::none(allowed.len());
            for id in context.corpus.state.used_in(session) {
                for kind in &self.kinds {
                    if let Some(document) = part.segment.keys()?.find(Key { id, kind })? {
                        used.set(document, true);
                    }
                }
            }
            allowed.intersect(&used);
        }
        Ok(())
    }

    /// Keeps what still matters enough. What is stored is an upper bound, and was looked at before.
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

/// What is asked of an attribute. It does not hold for one that the schema lacks: no record has a value there.
fn test(attribute: Option<usize>, test: Test) -> Filter {
    attribute.map_or(Filter::Any(Vec::new()), |place| Filter::Test(Target::Attribute(place), test))
}

fn not(filter: Filter) -> Filter {
    Filter::Not(Box::new(filter))
}
