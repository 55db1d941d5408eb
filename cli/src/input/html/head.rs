//! The facts that a page states about itself: title, language, address, date, and whether it may be indexed.

use super::attributes::Attributes;
use scraper::{ElementRef, Html, Node};
use snapseek::attributes::time_of;
use snapseek::json::Json;

/// The facts in the head of a page.
#[derive(Debug, Default, PartialEq)]
pub struct Head {
    /// The text of `<title>`.
    pub title: Option<String>,
    /// The Open Graph title.
    pub shared_title: Option<String>,
    /// Fields of the page's records.
    pub entries: Vec<(String, Json)>,
    /// The address in `<link rel="canonical">`, as written.
    pub canonical: Option<String>,
    /// Whether the page asks search engines to leave it out.
    pub is_noindex: bool,
    /// Whether the page sends its readers to another page at once.
    pub is_redirect: bool,
}

/// The `<meta>` elements that become fields: the field, and the names or properties, the best first.
const META: [(&str, &[&str]); 7] = [
    ("description", &["description", "og:description", "twitter:description", "dc.description"]),
    ("author", &["author", "article:author", "dc.creator"]),
    (
        "date",
        &[
            "article:published_time",
            "og:published_time",
            "date",
            "dc.date",
            "dcterms.created",
            "article:modified_time",
            "og:updated_time",
            "last-modified",
        ],
    ),
    ("image", &["og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"]),
    ("section", &["article:section"]),
    ("keywords", &["keywords"]),
    ("tags", &["article:tag"]),
];

impl Head {
    /// Reads the facts of a page.
    pub fn of(html: &Html) -> Head {
        let mut head = Head::default();
        let mut metas = Vec::new();
        let mut lang = None;
        for element in html.root_element().descendent_elements() {
            match element.value().name() {
                "html" => lang = element.attribute("lang").or(element.attribute("xml:lang")),
                // An <svg> may have a title, too.
                "title" if head.title.is_none() && is_in_html(element) => {
                    head.title = non_empty(&element.text().collect::<String>());
                }
                "link" if is_canonical(element) && head.canonical.is_none() => {
                    head.canonical = element.attribute("href").and_then(non_empty);
                }
                "meta" => {
                    head.note_directive(element);
                    let name = element
                        .attribute("property")
                        .or(element.attribute("name"))
                        .or(element.attribute("itemprop"));
                    let content = element.attribute("content").and_then(non_empty);
                    metas.extend(name.map(str::to_ascii_lowercase).zip(content));
                }
                _ => {}
            }
        }
        let values = |name: &str| {
            let name = name.to_owned();
            metas.iter().filter(move |(known, _)| *known == name).map(|(_, value)| value.as_str())
        };
        head.shared_title = values("og:title").next().map(str::to_owned);
        let lang = lang.or_else(|| values("content-language").next());
        head.entries.extend(lang.and_then(non_empty).map(|lang| ("lang".to_owned(), Json::String(lang))));
        for (field, names) in META {
            let value = match field {
                "keywords" => list(names.iter().flat_map(|name| values(name)).flat_map(|all| all.split(','))),
                "tags" => list(names.iter().flat_map(|name| values(name))),
                "date" => {
                    let all = names.iter().flat_map(|name| values(name));
                    let mut all = all.map(|value| Json::String(value.to_owned()));
                    all.find(|value| time_of(value).is_some())
                }
                _ => names
                    .iter()
                    .flat_map(|name| values(name))
                    .next()
                    .map(|value| Json::String(value.to_owned())),
            };
            head.entries.extend(value.map(|value| (field.to_owned(), value)));
        }
        head
    }

    fn note_directive(&mut self, meta: ElementRef) {
        let content = meta.attribute("content").unwrap_or_default().to_ascii_lowercase();
        let has_name = |names: &[&str], attribute| {
            meta.attribute(attribute)
                .is_some_and(|name| names.iter().any(|known| name.eq_ignore_ascii_case(known)))
        };
        if has_name(&["robots", "googlebot"], "name") {
            self.is_noindex |= content.split(',').any(|word| matches!(word.trim(), "noindex" | "none"));
        }
        if has_name(&["refresh"], "http-equiv") {
            // "0; url=other.html" leads away at once; "300" reloads the same page.
            let (delay, target) = content.split_once(';').unwrap_or((&content, ""));
            let is_at_once = delay.trim().parse::<f64>().is_ok_and(|seconds| seconds <= 5.0);
            self.is_redirect |= is_at_once && target.contains("url");
        }
    }
}

/// Returns the words of a list, each once.
fn list<'a>(words: impl Iterator<Item = &'a str>) -> Option<Json> {
    let mut found: Vec<Json> = Vec::new();
    for word in words.filter_map(non_empty).map(Json::String) {
        if !found.contains(&word) {
            found.push(word);
        }
    }
    (!found.is_empty()).then_some(Json::Array(found))
}

fn is_canonical(link: ElementRef) -> bool {
    let relations = link.attribute("rel").unwrap_or_default();
    relations.split_ascii_whitespace().any(|relation| relation.eq_ignore_ascii_case("canonical"))
}

fn is_in_html(element: ElementRef) -> bool {
    let is_svg = |node: &Node| node.as_element().is_some_and(|element| element.name() == "svg");
    !element.ancestors().any(|node| is_svg(node.value()))
}

/// Returns a text with its white space collapsed; `None` if nothing is left.
pub fn non_empty(text: &str) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(html: &str) -> Head {
        Head::of(&Html::parse_document(html))
    }

    #[test]
    fn a_page_says_what_it_is() {
        let html = "<html lang=de><meta name=Description content=' About\n foxes '><meta name=keywords content='a, b,,a'>\
            <meta name=viewport content=x><meta name=author content=''><meta property=og:image content=/fox.png>\
            <meta property=article:published_time content=2024-05-01T10:00:00+02:00><meta name=date content=soon>\
            <meta property=article:tag content=x><meta property=article:tag content=y>\
            <link rel='alternate canonical' href=' https://a.example/fox '><svg><title>no</title></svg><title> A \n page </title>";
        let head = head(html);
        let entries = r#"{"lang":"de","description":"About foxes","date":"2024-05-01T10:00:00+02:00","image":"/fox.png","keywords":["a","b"],"tags":["x","y"]}"#;
        assert_eq!(Json::Object(head.entries).to_text(), entries);
        assert_eq!(head.title.as_deref(), Some("A page"));
        assert_eq!(head.canonical.as_deref(), Some("https://a.example/fox"));
    }

    #[test]
    fn pages_that_must_not_be_indexed_and_pages_that_lead_away_say_so() {
        for content in ["noindex", "follow, NOINDEX", "none"] {
            assert!(head(&format!("<meta name=Robots content='{content}'>")).is_noindex, "{content}");
        }
        assert!(!head("<meta name=robots content='index, follow, max-snippet:-1'>").is_noindex);
        assert!(head("<meta http-equiv=Refresh content='0; URL=x.html'>").is_redirect);
        assert!(!head("<meta http-equiv=refresh content=300>").is_redirect);
    }
}
