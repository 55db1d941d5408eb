//! Which page does the binary carry? The files that `js/page.mjs` left in `cli/page/` when the binary was compiled.

/// The files of the page, sorted by their path: `/index.html`, `/index.html.br`, `/pkg/web.js` and so on.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Whether the binary was compiled with its page.
pub fn is_present() -> bool {
    file("/index.html").is_some()
}

/// Returns the contents of a file of the page.
pub fn file(path: &str) -> Option<&'static [u8]> {
    FILES.binary_search_by_key(&path, |(path, _)| path).ok().map(|at| FILES[at].1)
}
