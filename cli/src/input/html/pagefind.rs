//! Pagefind's attributes that give a page fields: `data-pagefind-meta` and `data-pagefind-filter`.
//!
//! A value is a list of `name` (the text of the element), `name[attribute]` and `name:text`, separated by commas. A text
//! after a colon reaches to the end of the value.

use super::attributes::Attributes;
use super::chrome::text_of;
use super::head::non_empty;
use scraper::{ElementRef, Html};
use snapseek::json::Json;

/// The fields that a page's attributes give it.
#[derive(Debug, Default, PartialEq)]
pub struct PagefindFields {
    /// The title, if the page names one.
    pub title: Option<String>,
    /// One text for each name of `data-pagefind-meta`, and lists of texts for `data-pagefind-filter`.
    pub entries: Vec<(String, Json)>,
}

impl PagefindFields {
    /// Reads the attributes of a page.
    pub fn of(html: &Html) -> PagefindFields {
        let mut fields = PagefindFields::default();
        let mut defaults = Vec::new();
        for element in html.root_element().descendent_elements() {
            let attributes = ["data-pagefind-meta", "data-pagefind-default-meta", "data-pagefind-filter"]
                .map(|name| element.attribute(name));
            if attributes.iter().all(Option::is_none) || is_ignored(element) {
                continue;
            }
            let [meta, default, filter] = attributes;
            for (name, value) in pairs(element, meta) {
                fields.set(name, value);
            }
            defaults.extend(pairs(element, default));
            for (name, value) in pairs(element, filter) {
                fields.add(name, value);
            }
        }
        for (name, value) in defaults {
            let is_given = fields.entries.iter().any(|(known, _)| *known == name);
            let has_title = name == "title" && fields.title.is_some();
            if !is_given && !has_title {
                fields.set(name, value);
            }
        }
        fields
    }

    fn set(&mut self, name: String, value: String) {
        if name == "title" {
            self.title = Some(value);
            return;
        }
        match self.entries.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = Json::String(value),
            None => self.entries.push((name, Json::String(value))),
        }
    }

    fn add(&mut self, name: String, value: String) {
        let value = Json::String(value);
        match self.entries.iter_mut().find(|(known, _)| *known == name) {
            Some((_, Json::Array(values))) if !values.contains(&value) => values.push(value),
            Some((_, Json::Array(_))) => {}
            Some((_, known)) => *known = Json::Array(vec![value]),
            None => self.entries.push((name, Json::Array(vec![value]))),
        }
    }
}

/// Whether the element is within one that Pagefind ignores altogether.
fn is_ignored(element: ElementRef) -> bool {
    let is_all = |outer: ElementRef| outer.attribute("data-pagefind-ignore") == Some("all");
    is_all(element) || element.ancestors().filter_map(ElementRef::wrap).any(is_all)
}

/// Returns the names and texts in the value of an attribute.
fn pairs(element: ElementRef, value: Option<&str>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = value.unwrap_or_default().trim();
    while !rest.is_empty() {
        let colon = rest.find(':').unwrap_or(rest.len());
        let comma = rest.find(',').unwrap_or(rest.len());
        let text;
        let (name, after) = if colon < comma {
            text = non_empty(&rest[colon + 1..]);
            (&rest[..colon], "")
        } else {
            let (part, after) = (rest[..comma].trim(), rest.get(comma + 1..).unwrap_or_default());
            match part.split_once('[') {
                Some((name, attribute)) => {
                    text = element.attribute(attribute.trim_end_matches(']').trim()).and_then(non_empty);
                    (name, after)
                }
                None => {
                    text = non_empty(&text_of(element));
                    (part, after)
                }
            }
        };
        found.extend(non_empty(name).zip(text));
        rest = after.trim();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(html: &str) -> (Option<String>, String) {
        let fields = PagefindFields::of(&Html::parse_document(html));
        (fields.title, Json::Object(fields.entries).to_text())
    }

    #[test]
    fn meta_and_filters_are_texts_attributes_and_values() {
        let html = "<h1 data-pagefind-meta=title>The <b>fox</b></h1>\
            <img src=/fox.png alt='A fox' data-pagefind-meta='image[src], image_alt[alt]'>\
            <span data-pagefind-filter=author>Ann</span><span data-pagefind-filter=author>Ben</span>\
            <p data-pagefind-filter='topic, kind of page:How-to, in short' data-pagefind-meta='date:2024-05-01'>Animals</p>\
            <p data-pagefind-default-meta='image:/none.png, x'><div data-pagefind-ignore=all><i data-pagefind-filter=author>Eve</i></div>";
        let entries = r#"{"image":"/fox.png","image_alt":"A fox","author":["Ann","Ben"],"date":"2024-05-01","topic":["Animals"],"kind of page":["How-to, in short"]}"#;
        assert_eq!(fields(html), (Some("The fox".to_owned()), entries.to_owned()));
    }
}
