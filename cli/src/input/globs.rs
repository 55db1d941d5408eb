//! Patterns for the files of a folder.

use globset::{GlobBuilder, GlobMatcher};
use std::str::FromStr;

/// A pattern. Without a `/` it matches names at any depth; with one, paths from the top of the folder. A pattern that
/// matches a folder matches everything in it.
#[derive(Clone, Debug)]
pub struct PathGlob {
    matcher: GlobMatcher,
    text: String,
    is_of_names: bool,
}

impl FromStr for PathGlob {
    type Err = String;

    fn from_str(text: &str) -> Result<PathGlob, String> {
        let pattern = text.trim_start_matches("./").trim_matches('/');
        if pattern.is_empty() {
            return Err("the pattern is empty".to_owned());
        }
        let is_of_names = !text.trim_start_matches("./").trim_end_matches('/').contains('/');
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        let matcher = glob.map_err(|error| error.kind().to_string())?.compile_matcher();
        Ok(PathGlob { matcher, text: pattern.to_owned(), is_of_names })
    }
}

impl PathGlob {
    /// Whether the pattern contains a name as it is, not only by `*`.
    pub fn mentions(&self, name: &str) -> bool {
        self.text.contains(name)
    }

    /// Whether the pattern matches a path, or a folder that the path is in. Paths use `/`.
    pub fn is_match(&self, path: &str) -> bool {
        if self.is_of_names {
            return path.split('/').any(|name| self.matcher.is_match(name));
        }
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        folders.chain([path]).any(|part| self.matcher.is_match(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names_paths_and_folders() {
        let is_match = |pattern: &str, path: &str| pattern.parse::<PathGlob>().unwrap().is_match(path);
        let cases = [
            ("*.html", "a/b.html", true),
            ("*.html", "a/b.md", false),
            ("drafts", "a/drafts/b.md", true),
            ("drafts/", "drafts/b.md", true),
            ("/drafts", "a/drafts/b.md", false),
            ("guide/**", "guide/a/b.md", true),
            ("guide/*", "guide/a/b.md", true),
            ("guide/*.md", "guide/a/b.md", false),
            ("**/b.md", "guide/a/b.md", true),
            ("{en,de}/**", "de/a.md", true),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(is_match(pattern, path), expected, "{pattern} {path}");
        }
        assert!("a[".parse::<PathGlob>().is_err());
        assert!("/".parse::<PathGlob>().is_err());
    }
}
