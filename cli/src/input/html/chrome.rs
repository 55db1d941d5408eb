//! Which elements of a page are no text of the page? Navigation, sidebars, buttons, permalink signs, hidden elements.
//!
//! Some elements are certain by their tag, their role or their class. Others only look like navigation by a word in
//! their class; [`looks_like_chrome`] finds them, and [`super::content`] drops them only if their text agrees.

use super::attributes::Attributes;
use scraper::{ElementRef, Selector};
use std::borrow::Cow;

/// Elements whose contents are never text of the page.
#[rustfmt::skip]
const TEXTLESS_TAGS: [&str; 31] = [
    "label", "script", "style", "template", "noscript", "nav", "svg", "iframe", "frame", "object", "embed",
    "canvas", "audio", "video", "select", "input", "textarea", "datalist", "dialog",
    "annotation", "rp", "head", "title", "meta", "link", "base", "map", "progress", "meter", "portal",
    "applet",
];

/// The roles of elements around the text of a page.
#[rustfmt::skip]
const OUTSIDE_ROLES: [&str; 18] = [
    "navigation", "banner", "contentinfo", "complementary", "search", "searchbox", "menu", "menubar",
    "toolbar", "dialog", "alertdialog", "tablist", "tooltip", "button", "doc-toc", "doc-pagelist",
    "doc-index", "doc-credits",
];

/// Classes of elements that no generator uses for text of the page.
#[rustfmt::skip]
const OUTSIDE_CLASSES: [&str; 46] = [
    "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screen-reader-only",
    "skip-link", "skip-to-content", "skip-to-main", "skip-nav", "skip-navigation", "skiplink",
    "skiptranslate", "headerlink", "header-anchor", "heading-anchor", "hash-link", "anchorjs-link",
    "permalink-sign", "copybtn", "copy-button", "copy-btn", "copy-code-button", "btn-copy",
    "clipboard-button", "clipboard-copy", "btn-clipboard", "linenos", "lineno", "linenodiv", "line-number",
    "line-numbers-rows", "line-numbers-wrapper", "gutter", "viewcode-link", "viewcode-back",
    "sphinxsidebar", "wy-nav-side", "rst-versions", "katex-html", "hideme", "edit-this-page", "rightside",
    "srclink", "test-arrow", "notable-traits", "out-of-band",
];

/// Words in the classes and ids of elements around the text of a page.
#[rustfmt::skip]
const OUTSIDE_WORDS: [&str; 43] = [
    "sidebar", "sidenav", "sidemenu", "toc", "breadcrumb", "breadcrumbs", "pagination", "paginator",
    "pager", "navbar", "nav", "navigation", "navheader", "navfooter", "navpath", "navlinks", "menu",
    "footer", "copyright", "cookie", "cookies", "consent", "newsletter", "subscribe", "social", "share",
    "sharing", "disqus", "giscus", "utterances", "advert", "advertisement", "ads", "promo", "sponsor",
    "sponsors", "feedback", "searchbox", "toolbar", "backtotop", "tableofcontents", "topbar", "masthead",
];

/// Names that mean the same as a word of [`OUTSIDE_WORDS`], in several words.
#[rustfmt::skip]
const OUTSIDE_NAMES: [&str; 20] = [
    "table-of-contents", "on-this-page", "in-this-page", "prev-next", "next-prev", "previous-next",
    "edit-page", "edit-link", "edit-on-github", "last-updated", "last-update", "page-meta",
    "page-metadata", "page-actions", "back-to-top", "search-form", "search-box", "related-posts",
    "related-pages", "source-file",
];

/// Names that count only as a whole.
const OUTSIDE_WHOLE_NAMES: [&str; 4] = ["contents", "related", "header", "banner"];

/// The elements that hold blocks. Names of other elements say nothing about where they are.
const CONTAINERS: [&str; 12] =
    ["div", "section", "ul", "ol", "dl", "table", "p", "aside", "header", "footer", "form", "details"];

/// Words in the class of an `<aside>` that is a part of the text.
#[rustfmt::skip]
const NOTE_WORDS: [&str; 18] = [
    "admonition", "note", "tip", "warning", "caution", "danger", "important", "info", "hint", "callout",
    "alert", "footnote", "footnotes", "attention", "error", "seealso", "topic", "aside",
];

/// Where an element is, as far as it matters for its contents.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings {
    /// Whether it is within `<main>`, `<article>`, `<section>` or a root that the user chose.
    pub is_in_section: bool,
    /// Whether it is within a quotation or a figure.
    pub is_quoted: bool,
}

/// Returns whether an element and its contents are certainly no text of the page.
pub fn is_chrome(element: ElementRef, around: Surroundings, excluded: &[Selector]) -> bool {
    let tag = element.value().name();
    if TEXTLESS_TAGS.contains(&tag) || excluded.iter().any(|selector| selector.matches(&element)) {
        return true;
    }
    let role = element.attribute("role").unwrap_or_default().to_ascii_lowercase();
    let is_by_tag = match tag {
        "header" if around.is_in_section => !has_heading(element),
        "header" => is_banner(element),
        "footer" => !around.is_quoted,
        "aside" => !is_note(element),
        "a" => is_permalink(element) || is_skip_link(element),
        "span" => is_language_name(element),
        "button" => !is_whole_heading(element),
        _ => false,
    };
    is_by_tag
        || OUTSIDE_ROLES.contains(&role.as_str()) && !(role == "complementary" && is_note(element))
        || is_hidden(element, &role)
        || names_of(element).any(|name| OUTSIDE_CLASSES.contains(&&*name))
        || is_ignored(element)
}

/// Returns whether an element is an admonition, a footnote or the like: beside the text, and a part of it.
pub fn is_note(element: ElementRef) -> bool {
    let is_by_role = matches!(
        element.attribute("role"),
        Some("note" | "doc-tip" | "doc-notice" | "doc-footnote" | "doc-endnotes" | "alert")
    );
    let is_word = |word: &str| NOTE_WORDS.contains(&word);
    is_by_role || names_of(element).any(|name| name != "aside" && name.split('-').any(is_word))
}

/// Returns whether a word in the class or the id of an element says that it is around the text of the page.
pub fn looks_like_chrome(element: ElementRef) -> bool {
    let tag = element.value().name();
    // The id of a section is made from its heading.
    let id = element.attribute("id").filter(|_| tag != "section").map(kebab);
    let is_outside = |name: &str| {
        let bounded = format!("-{name}-");
        name.split('-').any(|word| OUTSIDE_WORDS.contains(&word))
            || OUTSIDE_NAMES.iter().any(|known| bounded.contains(&format!("-{known}-")))
            || OUTSIDE_WHOLE_NAMES.contains(&name)
    };
    let is_container = CONTAINERS.contains(&tag) || tag.contains('-');
    is_container && names_of(element).chain(id).any(|name| is_outside(&name))
}

/// Whether Pagefind would leave the element out.
fn is_ignored(element: ElementRef) -> bool {
    let weight =
        element.attribute("data-pagefind-weight").and_then(|weight| weight.trim().parse::<f64>().ok());
    element.attribute("data-pagefind-ignore").is_some_and(|value| value != "false") || weight == Some(0.0)
}

fn is_hidden(element: ElementRef, role: &str) -> bool {
    // The panels behind the first tab are hidden until somebody chooses them. They are text of the page.
    if role == "tabpanel" {
        return false;
    }
    let has = |name: &str, value: &str| {
        element.attribute(name).is_some_and(|given| given.trim().eq_ignore_ascii_case(value))
    };
    let is_hidden = element.attribute("hidden").is_some() && !has("hidden", "until-found");
    let style = element.attribute("style").unwrap_or_default();
    let style = style.split_whitespace().collect::<String>().to_ascii_lowercase();
    is_hidden
        || has("aria-hidden", "true")
        || style.contains("display:none")
        || style.contains("visibility:hidden")
}

/// Whether a `<header>` belongs to the site and not to the text: it has links, and no heading that is not a link.
fn is_banner(header: ElementRef) -> bool {
    let is_title = |element: ElementRef| {
        let text = text_of(element);
        let links = element.descendent_elements().filter(|inner| inner.value().name() == "a");
        let linked = links.map(|link| text_of(link).len()).sum::<usize>();
        element.value().name() == "h1" && !text.is_empty() && linked < text.len()
    };
    let has_navigation = header.descendent_elements().any(|inner| inner.value().name() == "nav");
    has_navigation || !header.descendent_elements().any(is_title)
}

/// Whether a link only names the place where it is, as `¶` after a heading does.
fn is_permalink(link: ElementRef) -> bool {
    let heading = link.ancestors().take(3).filter_map(ElementRef::wrap).find(|outer| is_heading(*outer));
    // From a footnote back to the text. A heading leads back to the table of contents.
    if link.attribute("role") == Some("doc-backlink") && heading.is_none() {
        return true;
    }
    let Some(target) = link.attribute("href") else { return false };
    if !target.contains('#') {
        return false;
    }
    let text = text_of(link);
    if !text.chars().any(char::is_alphanumeric) {
        return !text.is_empty();
    }
    let says_so = |label: &str| {
        let label = label.to_ascii_lowercase();
        ["permalink", "permanent link", "link to this", "direct link", "link to heading", "anchor"]
            .iter()
            .any(|start| label.starts_with(start))
    };
    let is_named = ["title", "aria-label"].iter().filter_map(|name| link.attribute(name)).any(says_so)
        || names_of(link).any(|name| matches!(&*name, "permalink" | "anchor" | "anchor-link" | "doc-anchor"))
        || says_so(&text);
    // Some generators make the whole heading a link to itself.
    is_named && target.starts_with('#') && heading.is_some_and(|heading| text_of(heading) != text)
}

/// Whether a button is all of a heading, as in an accordion.
fn is_whole_heading(button: ElementRef) -> bool {
    let heading = button.ancestors().take(3).filter_map(ElementRef::wrap).find(|outer| is_heading(*outer));
    heading.is_some_and(|heading| text_of(heading) == text_of(button))
}

/// Whether an element names the language of the code after it, in the corner of a code block.
fn is_language_name(element: ElementRef) -> bool {
    let is_code = |outer: ElementRef| outer.value().classes().any(|class| class.starts_with("language-"));
    element.value().classes().any(|class| class == "lang")
        && element.parent().and_then(ElementRef::wrap).is_some_and(is_code)
}

fn is_skip_link(link: ElementRef) -> bool {
    let is_local = link.attribute("href").is_some_and(|target| target.starts_with('#'));
    let text = text_of(link).to_ascii_lowercase();
    is_local && ["skip to ", "jump to content", "back to top"].iter().any(|start| text.starts_with(start))
}

/// Returns whether an element is a heading or a term of a definition list.
pub fn is_heading(element: ElementRef) -> bool {
    heading_level(element).is_some() || element.value().name() == "dt"
}

/// Returns the level of a heading, 1 to 6.
pub fn heading_level(element: ElementRef) -> Option<u8> {
    if let [b'h', level @ b'1'..=b'6'] = element.value().name().as_bytes() {
        return Some(level - b'0');
    }
    let level = element.attribute("aria-level").and_then(|level| level.trim().parse().ok()).unwrap_or(2_u8);
    (element.attribute("role") == Some("heading")).then_some(level.clamp(1, 6))
}

fn has_heading(element: ElementRef) -> bool {
    element.descendent_elements().any(|inner| heading_level(inner).is_some())
}

/// Returns the text of an element, trimmed, without characters that show nothing.
pub fn text_of(element: ElementRef) -> String {
    let text =
        element.text().flat_map(str::chars).filter(|letter| !is_invisible(*letter)).collect::<String>();
    text.trim().to_owned()
}

/// Returns whether a character shows nothing and joins words: soft hyphens and zero-width characters.
pub fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// Returns the classes of an element in lower case, with `-` between words.
fn names_of<'a>(element: ElementRef<'a>) -> impl Iterator<Item = Cow<'a, str>> + use<'a> {
    element.value().classes().map(kebab)
}

/// Converts `VPDocFooter` and `doc_footer` to `vp-doc-footer` and `doc-footer`.
fn kebab(name: &str) -> Cow<'_, str> {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if name.split('-').all(is_word) {
        return Cow::Borrowed(name);
    }
    let letters = name.chars().collect::<Vec<_>>();
    let mut out = String::with_capacity(name.len() + 4);
    for (place, &letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            out.push('-');
            continue;
        }
        let before = place.checked_sub(1).map(|before| letters[before]);
        let starts_word = letter.is_uppercase()
            && before.is_some_and(|before| {
                let is_followed_by_small = letters.get(place + 1).is_some_and(|next| next.is_lowercase());
                before.is_lowercase()
                    || before.is_ascii_digit()
                    || before.is_uppercase() && is_followed_by_small
            });
        if starts_word {
            out.push('-');
        }
        out.extend(letter.to_lowercase());
    }
    // BEM writes block__element and block--modifier.
    Cow::Owned(out.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        for (name, words) in [
            ("VPDocFooter", "vp-doc-footer"),
            ("md-sidebar__inner", "md-sidebar-inner"),
            ("tocLink", "toc-link"),
            ("menuselection", "menuselection"),
            ("nav--primary", "nav-primary"),
        ] {
            assert_eq!(kebab(name), words);
        }
    }
}
