//! How are entries linked?
//!
//! A link is never deleted: its end is the field `validUntil`, so that it stays ended when older changes arrive.

use super::handle::{Vault, VaultMut};
use super::response::{VaultLinked, VaultUnlinked};
use super::update::{VaultLink, VaultUnlink};
use super::writes::not_found;
use crate::engine::SearchError;
use crate::json::Json;
use crate::options::Options;
use crate::state::{DEFAULT_RELATION, Link, Subject};

impl VaultMut<'_> {
    /// Links two entries, or changes the link between them.
    ///
    /// # Errors
    /// When an entry does not exist, both are the same, or the snapshot is damaged.
    pub fn link(&mut self, link: &VaultLink) -> Result<VaultLinked, SearchError> {
        let mut faults = Options::of(&Json::Null);
        link.check(&mut faults);
        faults.finish()?;
        let VaultLink { from, to, weight, .. } = link;
        for id in [from, to] {
            self.require_entry(id)?;
        }
        let now = self.engine.now(link.now);
        let relation = link.relation.as_deref().unwrap_or(DEFAULT_RELATION);
        let held =
            self.links(from, |held| held.from == from && held.to == to && held.relation == relation)?;
        let held = held.first();
        let is_live = held.is_some_and(|held| held.is_live(now));
        let held_end = held.and_then(|held| held.valid_until);
        let subject = Subject::Link { from: from.clone(), to: to.clone(), relation: relation.to_owned() };
        if !is_live {
            self.engine.set_subject(&subject, "at", Json::from_f64(now), Some(now))?;
        }
        if let Some(weight) = weight {
            self.engine.set_subject(&subject, "weight", Json::from_f64(*weight), Some(now))?;
        }
        let end = link.valid_until.unwrap_or(held_end.filter(|_| is_live));
        // The end is written even where it stays the same: this write must win over an earlier `unlink` elsewhere.
        let value = end.map_or(Json::Null, Json::from_f64);
        self.engine.set_subject(&subject, "validUntil", value, Some(now))?;
        Ok(VaultLinked {
            from: from.clone(),
            to: to.clone(),
            relation: relation.to_owned(),
            weight: weight.or(held.and_then(|held| held.weight)),
            valid_until: end,
            ..VaultLinked::default()
        })
    }

    /// Ends the links from one entry to another.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn unlink(&mut self, unlink: &VaultUnlink) -> Result<VaultUnlinked, SearchError> {
        let VaultUnlink { from, to, relation, now } = unlink;
        let now = self.engine.now(*now);
        let is_meant = |link: &Link| {
            link.from == from && link.to == to && relation.as_ref().is_none_or(|own| own == link.relation)
        };
        let unlinked = self.end_links(is_meant, from, now)?;
        let mut warnings = Vec::new();
        if unlinked == 0 {
            let named =
                relation.as_ref().map_or(String::new(), |relation| format!(" of relation \"{relation}\""));
            warnings.push(format!("there is no link{named} from \"{from}\" to \"{to}\""));
        }
        Ok(VaultUnlinked { unlinked, degraded: false, warnings })
    }

    /// Ends the live links of an id for which a condition holds, and returns their number.
    pub(super) fn end_links(
        &mut self,
        is_meant: impl Fn(&Link) -> bool,
        id: &str,
        now: f64,
    ) -> Result<usize, SearchError> {
        let mut ended = 0;
        for link in self.links(id, is_meant)?.iter().filter(|link| link.is_live(now)) {
            self.engine.set_subject(&link.subject, "validUntil", Json::from_f64(now), Some(now))?;
            ended += 1;
        }
        Ok(ended)
    }

    fn links(&self, id: &str, is_meant: impl Fn(&Link) -> bool) -> Result<Vec<HeldLink>, SearchError> {
        let links = self.engine.state()?.links_of(id).filter(is_meant).map(|link| HeldLink::of(&link));
        Ok(links.collect())
    }

    /// Returns an error unless an entry has this id.
    fn require_entry(&self, id: &str) -> Result<(), SearchError> {
        match (Vault { engine: self.engine }).kind_of(id, false)? {
            Some(_) => Ok(()),
            None => Err(not_found(id)),
        }
    }
}

/// A link of the state, with its fields at the moment of reading.
struct HeldLink {
    subject: Subject,
    weight: Option<f64>,
    valid_until: Option<f64>,
}

impl HeldLink {
    fn of(link: &Link) -> HeldLink {
        let (from, to, relation) = (link.from.to_owned(), link.to.to_owned(), link.relation.to_owned());
        HeldLink {
            subject: Subject::Link { from, to, relation },
            weight: link.weight,
            valid_until: link.valid_until,
        }
    }

    fn is_live(&self, now: f64) -> bool {
        self.valid_until.is_none_or(|end| end > now)
    }
}
