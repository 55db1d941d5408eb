//! The address of a page: where a reader's browser finds it.

use super::document::DocumentMarkup;
use super::slug::SlugStyle;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// The characters that a path of a URL cannot contain as they are.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// How addresses are made from paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The address of the folder; it ends with `/`.
    base: String,
    /// Whether the user gave the base. Canonical addresses then do not count.
    is_given: bool,
    /// Whether addresses have no `.html`.
    is_clean: bool,
    style: SlugStyle,
}

impl Addresses {
    /// Makes addresses under `base`, or under `/`.
    pub fn new(base: Option<&str>, is_clean: bool, style: SlugStyle) -> Addresses {
        let given = base.map(|base| format!("{}/", base.trim_end_matches('/')));
        Addresses {
            is_given: given.is_some(),
            base: given.unwrap_or_else(|| "/".to_owned()),
            is_clean,
            style,
        }
    }

    /// Returns the address of a page: the canonical one, or that of its path if there is none or the user gave a base.
    pub fn of_page(&self, path: &str, markup: DocumentMarkup, canonical: Option<&str>) -> String {
        match canonical.filter(|_| !self.is_given) {
            Some(canonical) => self.resolved(path, markup, canonical),
            None => self.of_path(path, markup),
        }
    }

    /// Returns the address that a link on a page leads to, without its fragment.
    pub fn resolved(&self, path: &str, markup: DocumentMarkup, link: &str) -> String {
        let link = link.split('#').next().unwrap_or_default();
        if link.is_empty() {
            return self.of_path(path, markup);
        }
        let is_scheme =
            |scheme: &str| !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if link.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme)) || link.starts_with("//") {
            return link.to_owned();
        }
        let page = self.of_path(path, markup);
        // The path starts after the host.
        let host_end = page.find("://").map_or(0, |scheme| scheme + 3);
        let path_start = page[host_end..].find('/').map_or(page.len(), |slash| host_end + slash);
        let path_start = if page.starts_with('/') { 0 } else { path_start };
        if link.starts_with('/') {
            return format!("{}{link}", &page[..path_start]);
        }
        let folder = page[path_start..].rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut parts = folder.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>();
        for part in link.split('/') {
            match part {
                "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        format!("{}/{}", &page[..path_start], parts.join("/"))
    }

    /// Returns the address of a path below the base.
    pub fn of_path(&self, path: &str, markup: DocumentMarkup) -> String {
        let path = match markup {
            DocumentMarkup::Html => self.of_html(path),
            DocumentMarkup::Markdown => self.of_markdown(path),
            DocumentMarkup::Plain => path.to_owned(),
        };
        format!("{}{}", self.base, utf8_percent_encode(&path, ESCAPED))
    }

    fn of_html(&self, path: &str) -> String {
        let (folder, name) = split(path);
        match name.rsplit_once('.') {
            Some(("index", _)) => folder.to_owned(),
            Some((stem, _)) if self.is_clean => format!("{folder}{stem}"),
            _ => path.to_owned(),
        }
    }

    fn of_markdown(&self, path: &str) -> String {
        let numberless;
        let path = if self.style == SlugStyle::Docusaurus {
            numberless = path.split('/').map(without_number).collect::<Vec<_>>().join("/");
            &numberless
        } else {
            path
        };
        let (folder, name) = split(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let is_index = stem.eq_ignore_ascii_case("index");
        let is_readme = stem.eq_ignore_ascii_case("readme");
        match self.style {
            SlugStyle::Vitepress if is_index => folder.to_owned(),
            SlugStyle::Mkdocs | SlugStyle::Docusaurus if is_index || is_readme => folder.to_owned(),
            SlugStyle::Vitepress if !self.is_clean => format!("{folder}{stem}.html"),
            SlugStyle::Mkdocs => format!("{folder}{stem}/"),
            SlugStyle::Vitepress | SlugStyle::Docusaurus => format!("{folder}{stem}"),
            SlugStyle::Github | SlugStyle::None if self.is_clean && is_index => folder.to_owned(),
            SlugStyle::Github | SlugStyle::None if self.is_clean => format!("{folder}{stem}"),
            SlugStyle::Github | SlugStyle::None => path.to_owned(),
        }
    }
}

/// Splits a path into its folder with the `/`, and its name.
fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |slash| slash + 1))
}

/// Removes a number that only orders files: `01-intro.md`.
fn without_number(part: &str) -> &str {
    let after_digits = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let rest = after_digits.trim_start().trim_start_matches(['-', '_', '.']).trim_start();
    let has_number = after_digits.len() < part.len() && rest.len() < after_digits.trim_start().len();
    // "1.2" is a version, and no numbered name.
    if has_number && !rest.starts_with(|letter: char| letter.is_ascii_digit()) && !rest.is_empty() {
        rest
    } else {
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DocumentMarkup::{Html, Markdown, Plain};

    fn of(
        base: Option<&str>,
        is_clean: bool,
        style: SlugStyle,
        path: &str,
        markup: DocumentMarkup,
    ) -> String {
        Addresses::new(base, is_clean, style).of_page(path, markup, None)
    }

    #[test]
    fn index_pages_are_named_by_their_folder_and_extensions_go_on_request() {
        let html =
            |is_clean, path| of(Some("https://a.example/docs"), is_clean, SlugStyle::Github, path, Html);
        assert_eq!(html(false, "index.html"), "https://a.example/docs/");
        assert_eq!(html(false, "guide/index.htm"), "https://a.example/docs/guide/");
        assert_eq!(html(false, "guide/use it.html"), "https://a.example/docs/guide/use%20it.html");
        assert_eq!(html(true, "guide/use.html"), "https://a.example/docs/guide/use");
        assert_eq!(of(None, true, SlugStyle::Github, "a/b.html", Html), "/a/b");
        assert_eq!(of(None, true, SlugStyle::Github, "a/b.txt", Plain), "/a/b.txt");
    }

    #[test]
    fn markdown_has_the_address_that_its_generator_gives_it() {
        let of = |style, is_clean, path| of(None, is_clean, style, path, Markdown);
        assert_eq!(of(SlugStyle::Github, false, "guide/README.md"), "/guide/README.md");
        assert_eq!(of(SlugStyle::Vitepress, false, "guide/use.md"), "/guide/use.html");
        assert_eq!(of(SlugStyle::Vitepress, true, "guide/use.md"), "/guide/use");
        assert_eq!(of(SlugStyle::Vitepress, false, "guide/index.md"), "/guide/");
        assert_eq!(of(SlugStyle::Mkdocs, false, "guide/use.md"), "/guide/use/");
        assert_eq!(of(SlugStyle::Mkdocs, false, "README.md"), "/");
        assert_eq!(of(SlugStyle::Docusaurus, false, "01-guide/2_use.mdx"), "/guide/use");
        assert_eq!(of(SlugStyle::Docusaurus, false, "1.2/use.md"), "/1.2/use");
    }

    #[test]
    fn a_canonical_address_counts_unless_the_user_gave_a_base() {
        let canonical = |base, link: &str| {
            Addresses::new(base, false, SlugStyle::Github).of_page("a/b/c.html", Html, Some(link))
        };
        assert_eq!(canonical(None, "https://x.example/y#z"), "https://x.example/y");
        assert_eq!(canonical(None, "/y"), "/y");
        assert_eq!(canonical(None, "../y.html"), "/a/y.html");
        assert_eq!(canonical(None, "./"), "/a/b/");
        assert_eq!(
            canonical(Some("https://b.example/"), "https://x.example/y"),
            "https://b.example/a/b/c.html"
        );
        let based = Addresses::new(Some("https://b.example/docs/"), false, SlugStyle::Github);
        assert_eq!(based.resolved("a/c.html", Html, "/y"), "https://b.example/y");
        assert_eq!(based.resolved("a/c.html", Html, "../../y"), "https://b.example/y");
    }
}
