//! The anchors that a site generator gives to headings without an id of their own.

use std::collections::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;

/// The program that turns Markdown into pages. It decides the anchors of headings and the addresses of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum SlugStyle {
    /// GitHub, and Hugo: install-it.
    #[default]
    Github,
    /// VitePress.
    Vitepress,
    /// Docusaurus: anchors as GitHub's, addresses without file names.
    Docusaurus,
    /// MkDocs.
    Mkdocs,
    /// No anchors but those that a page has.
    None,
}

/// Gives out the anchors of one page. No anchor occurs twice.
#[derive(Debug)]
pub struct Slugs {
    style: SlugStyle,
    /// How often each slug was given out.
    counts: HashMap<String, usize>,
    taken: HashSet<String>,
}

impl Slugs {
    /// Starts a page. `ids` are the anchors that its headings name themselves.
    pub fn new<'a>(style: SlugStyle, ids: impl Iterator<Item = &'a str>) -> Slugs {
        Slugs { style, counts: HashMap::new(), taken: ids.map(str::to_owned).collect() }
    }

    /// Returns the anchor of the next heading without one; `None` if nothing of its name is left.
    pub fn next(&mut self, name: &str) -> Option<String> {
        let slug = match self.style {
            SlugStyle::None => return None,
            SlugStyle::Github | SlugStyle::Docusaurus => github(name),
            SlugStyle::Vitepress => vitepress(name),
            SlugStyle::Mkdocs => return Some(self.numbered_by_mkdocs(mkdocs(name))),
        };
        let count = self.counts.entry(slug.clone()).or_insert(0);
        let mut unique = if *count == 0 { slug.clone() } else { format!("{slug}-{count}") };
        *count += 1;
        while self.taken.contains(&unique) {
            unique = format!("{slug}-{count}");
            *count += 1;
        }
        self.taken.insert(unique.clone());
        (!slug.is_empty()).then_some(unique)
    }

    /// Python-Markdown counts with an underscore, from the number that a slug ends with.
    fn numbered_by_mkdocs(&mut self, mut slug: String) -> String {
        while slug.is_empty() || self.taken.contains(&slug) {
            let numbered = slug.rsplit_once('_').and_then(|(stem, number)| {
                let number = number.parse::<u64>().ok()?;
                Some(format!("{stem}_{}", number + 1))
            });
            slug = numbered.unwrap_or_else(|| format!("{slug}_1"));
        }
        self.taken.insert(slug.clone());
        slug
    }
}

/// Keeps letters, digits, `-` and `_`, and turns each space into `-`.
fn github(name: &str) -> String {
    let kept = name.chars().flat_map(char::to_lowercase).filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        letter if letter.is_alphanumeric() || is_mark(letter) => Some(letter),
        _ => None,
    });
    kept.collect()
}

/// Whether a character combines with the letter before it, as an accent does.
fn is_mark(letter: char) -> bool {
    unicode_normalization::char::is_combining_mark(letter)
}

/// Removes accents, and turns each run of spaces and signs into one `-`.
fn vitepress(name: &str) -> String {
    const SIGNS: &str = "~`!@#$%^&*()-_+=[]{}|\\;:\"'“”‘’<>,.?/";
    let plain =
        name.nfkd().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter) && !letter.is_control());
    let plain = plain.collect::<String>();
    let words = plain.split(|letter: char| letter.is_whitespace() || SIGNS.contains(letter));
    let slug = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    let slug =
        if slug.starts_with(|letter: char| letter.is_ascii_digit()) { format!("_{slug}") } else { slug };
    slug.to_lowercase()
}

/// Keeps ASCII letters, digits and `_`, and turns each run of spaces and `-` into one `-`.
fn mkdocs(name: &str) -> String {
    let ascii = name.nfkd().filter(char::is_ascii);
    let kept = ascii.filter(|letter| {
        letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-') || letter.is_whitespace()
    });
    let kept = kept.collect::<String>().trim().to_ascii_lowercase();
    let mut slug = String::with_capacity(kept.len());
    for letter in kept.chars() {
        let is_gap = letter == '-' || letter.is_whitespace();
        if !is_gap {
            slug.push(letter);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slugs that the generators make of these headings.
    #[test]
    fn slugs_are_those_of_the_generators() {
        let cases = [
            ("Install it", "install-it", "install-it", "install-it"),
            ("What's new in 2.0?", "whats-new-in-20", "what-s-new-in-2-0", "whats-new-in-20"),
            ("Über uns – mehr", "über-uns--mehr", "uber-uns-–-mehr", "uber-uns-mehr"),
            ("1. First step", "1-first-step", "_1-first-step", "1-first-step"),
            ("`foo_bar()` & co", "foo_bar--co", "foo-bar-co", "foo_bar-co"),
            ("日本語", "日本語", "日本語", "_1"),
            ("C++ / Rust", "c--rust", "c-rust", "c-rust"),
        ];
        for (name, on_github, in_vitepress, in_mkdocs) in cases {
            let slug = |style| Slugs::new(style, std::iter::empty()).next(name).unwrap_or_default();
            assert_eq!(slug(SlugStyle::Github), on_github, "{name}");
            assert_eq!(slug(SlugStyle::Docusaurus), on_github, "{name}");
            assert_eq!(slug(SlugStyle::Vitepress), in_vitepress, "{name}");
            assert_eq!(slug(SlugStyle::Mkdocs), in_mkdocs, "{name}");
        }
    }

    #[test]
    fn headings_of_the_same_name_are_numbered() {
        let all = |style| {
            let mut slugs = Slugs::new(style, ["use-2"].into_iter());
            ["Use", "Use", "Use", "Use"].map(|name| slugs.next(name).unwrap())
        };
        assert_eq!(all(SlugStyle::Github), ["use", "use-1", "use-3", "use-4"]);
        assert_eq!(all(SlugStyle::Mkdocs), ["use", "use_1", "use_2", "use_3"]);
        assert_eq!(Slugs::new(SlugStyle::Github, std::iter::empty()).next("!?"), None);
    }
}
