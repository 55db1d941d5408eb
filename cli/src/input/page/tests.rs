use super::*;
use crate::input::document::{BadDocument, Document, DocumentMarkup, DocumentReading};
use crate::input::options::DocumentOptions;
use crate::input::split::Sizes;

fn read(markup: DocumentMarkup, path: &str, bytes: &[u8]) -> Result<Box<DocumentPage>, BadDocument> {
    let document = Document { markup, path: path.to_owned(), bytes: bytes.to_vec() };
    match document.read(&DocumentOptions::default().rules()) {
        DocumentReading::Page(page) => Ok(page),
        DocumentReading::Refused(refusal) => panic!("{path} is left out: {refusal:?}"),
        DocumentReading::Bad(bad) => Err(bad),
    }
}

fn records(markup: DocumentMarkup, path: &str, text: &str, size: usize) -> Vec<(u64, Json)> {
    read(markup, path, text.as_bytes()).unwrap().records(Sizes { size, overlap: 0 })
}

fn field(json: &Json, name: &str) -> String {
    json.get(name).map_or_else(String::new, |value| value.as_str().map_or(value.to_text(), str::to_owned))
}

fn pieces(text: &str) -> Vec<(String, String)> {
    let records = records(DocumentMarkup::Markdown, "a.md", text, 1200);
    records.iter().map(|(_, json)| (field(json, "heading"), field(json, "text"))).collect()
}

#[test]
fn chunks_do_not_reach_over_headings_and_know_where_they_stand() {
    let text = "intro\n# Guide\n## Install\nGet it.\n### Linux\nApt.\n#### Old\nAptitude.\n## Use\nRun it.\n";
    let expected = [
        ("", "intro\n"),
        ("Guide > Install", "# Guide\n## Install\nGet it.\n"),
        ("Guide > Install > Linux", "### Linux\nApt.\n"),
        ("Guide > Install > Linux > Old", "#### Old\nAptitude.\n"),
        ("Guide > Use", "## Use\nRun it.\n"),
    ];
    assert_eq!(pieces(text), expected.map(|(heading, text)| (heading.to_owned(), text.to_owned())));
}

#[test]
fn a_heading_that_its_equal_follows_is_a_chunk_of_its_own() {
    let found = pieces("## A\n## B\ntext\n## C\n");
    let headings = found.iter().map(|(heading, _)| heading.as_str()).collect::<Vec<_>>();
    assert_eq!(headings, ["A", "B", "C"]);
}

#[test]
fn deep_headings_name_the_chunks_that_start_with_them() {
    let text = "# A\none two three four\n#### Deep\nfive six seven eight nine ten\n";
    let found = records(DocumentMarkup::Markdown, "a.md", text, 30);
    let headings = found.iter().map(|(_, json)| field(json, "heading")).collect::<Vec<_>>();
    assert_eq!(headings, ["A", "A > Deep", "A > Deep"]);
}

#[test]
fn offsets_and_lines_are_those_of_the_source() {
    let text =
        "---\ntitle: é\n---\n\nÜber 😀 alles.\r\n\r\n# Zwei\r\nMehr Text über Füchse, und noch mehr davon.\n";
    for size in [1, 2, 7, 20, 1200] {
        for (line, json) in records(DocumentMarkup::Markdown, "a.md", text, size) {
            let offset = field(&json, "offset").parse::<usize>().unwrap();
            let rest = text.chars().skip(offset).collect::<String>();
            assert!(rest.starts_with(&field(&json, "text")), "{size} {json:?}");
            let before = text.chars().take(offset).filter(|letter| *letter == '\n').count();
            assert_eq!(line, before as u64 + 1, "{size} {json:?}");
        }
    }
}

#[test]
fn whatever_a_document_holds_its_chunks_are_where_they_say() {
    const PIECES: [&str; 34] = [
        "word ",
        "é",
        "\n",
        "\r\n",
        "\n\n",
        "# A\n",
        "## B {#b}\n",
        "### C\n",
        "#### D\n",
        "===\n",
        "---\n",
        "```\n",
        "> ",
        "- ",
        "    ",
        "<h1>",
        "</h1>",
        "<h2>x",
        "</h2>",
        "<p>",
        "<pre>\n",
        "</pre>",
        "<main>",
        "</main>",
        "<nav>",
        "</nav>",
        "<script>",
        "</script>",
        "&amp;",
        "<br>",
        "<div hidden>",
        "</div>",
        "a: b\n",
        "| a | b |\n",
    ];
    let mut state = 1_u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    for round in 0..3000 {
        let mut text = ["", "---\n", "+++\n"][below(3)].to_owned();
        (0..below(60)).for_each(|_| text.push_str(PIECES[below(PIECES.len())]));
        let sizes = Sizes { size: 1 + below(40), overlap: 0 };
        for markup in [DocumentMarkup::Markdown, DocumentMarkup::Html, DocumentMarkup::Plain] {
            // Front matter may be malformed. The fault then names a line of the text.
            let page = match read(markup, "a", text.as_bytes()) {
                Ok(page) => page,
                Err(bad) => {
                    assert!(bad.line <= text.lines().count() as u64 + 1, "{round} {text:?} {bad:?}");
                    continue;
                }
            };
            let records = page.records(sizes);
            let source = &page.text;
            for (line, json) in records {
                let offset = field(&json, "offset").parse::<usize>().unwrap();
                let rest = source.chars().skip(offset).collect::<String>();
                assert!(rest.starts_with(&field(&json, "text")), "{round} {markup:?} {text:?} {json:?}");
                assert!((1..=text.split('\n').count() as u64).contains(&line), "{round} {text:?} {line}");
            }
        }
    }
}

#[test]
fn every_chunk_carries_its_link() {
    let text = "intro\n# Guide\none\n## Use it\ntwo\n## Use it\nthree\n## Own {#mine}\nfour\n";
    let records = records(DocumentMarkup::Markdown, "docs/a b.md", text, 1200);
    let links = records.iter().map(|(_, json)| (field(json, "url"), field(json, "anchor")));
    let expected = ["", "guide", "use-it", "use-it-1", "mine"]
        .map(|anchor| ("/docs/a%20b.md".to_owned(), anchor.to_owned()));
    assert_eq!(links.collect::<Vec<_>>(), expected);
    assert!(records.iter().all(|(_, json)| !field(json, "id").contains('#')));
}

#[test]
fn several_terms_may_share_a_description() {
    let html = "<main><h2 id=h>H</h2><dl><dt id=a>a<dt id=b>b<dd>Both.<dt id=c>c<dd>Third.</dl>after</main>";
    let records = records(DocumentMarkup::Html, "a.html", html, 1200);
    let found =
        records.iter().map(|(_, json)| (field(json, "anchor"), field(json, "text").replace('\n', " ")));
    let found = found.map(|(anchor, text)| format!("{anchor}: {}", text.trim())).collect::<Vec<_>>();
    assert_eq!(found, ["b: H  a b Both.", "c: c Third.", "h: after"]);
}
