//! Attributes of elements, by name.

use scraper::ElementRef;

/// Looks up attributes without interning their names, which takes longer than comparing the few that an element has.
pub trait Attributes<'a> {
    /// Returns the value of an attribute.
    fn attribute(&self, name: &str) -> Option<&'a str>;
}

impl<'a> Attributes<'a> for ElementRef<'a> {
    fn attribute(&self, name: &str) -> Option<&'a str> {
        self.value().attrs().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}
