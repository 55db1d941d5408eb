use super::*;
use crate::input::options::DocumentOptions;
use crate::input::page::DocumentPage;
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

#[test]
fn titles_come_from_the_front_matter_the_first_heading_or_the_name() {
    let title = |markup, text| field(&records(markup, "docs/read.me.md", text, 100)[0].1, "title");
    assert_eq!(title(DocumentMarkup::Markdown, "---\ntitle: 2024\n---\n# Other\n"), "2024");
    assert_eq!(title(DocumentMarkup::Markdown, "## Two\n# One\n# Another\n"), "One");
    assert_eq!(title(DocumentMarkup::Markdown, "text"), "read.me");
    assert_eq!(title(DocumentMarkup::Html, "<title>Page</title><h1>Other</h1>"), "Page");
    assert_eq!(title(DocumentMarkup::Html, "<h1>Other</h1>"), "Other");
    assert_eq!(title(DocumentMarkup::Plain, "# no heading"), "read.me");
}

#[test]
fn front_matter_becomes_fields_and_never_one_of_our_own() {
    let text =
        "---\nid: mine\nkind: guide\npath: x\ntags: [a, 2024, null]\nnone: ~\nmeta: {a: [1]}\n---\ntext";
    let found = records(DocumentMarkup::Markdown, "a.md", text, 100);
    let expected = r#"{"id":"a.md:0","title":"a","text":"text","url":"/a.md","path":"a.md","chunkIndex":0,"offset":82,"line":9,"kind":"guide","tags":["a","2024"],"meta":{"a":[1]},"frontMatter":{"id":"mine","path":"x"}}"#;
    assert_eq!(found[0].1.to_text(), expected);
}

#[test]
fn documents_that_are_no_text_say_where() {
    let bad = |bytes: &[u8]| read(DocumentMarkup::Plain, "a", bytes).unwrap_err();
    assert_eq!((bad(b"a\nb\xff").line, bad(b"\xff\xfea\0").line), (2, 1));
    assert!(bad(b"\xff\xfea\0").reason.contains("UTF-16"));
}

#[test]
fn attributes_of_the_preset_have_its_types_and_other_values_are_kept_apart() {
    let text = "---\ntags: a, b\ndate: soon\nauthor: {name: x}\nlang: {de: 1}\nlayout: post\n---\ntext";
    let page = read(DocumentMarkup::Markdown, "guide/a.md", text.as_bytes()).unwrap();
    let expected = r#"{"tags":["a","b"],"layout":"post","frontMatter":{"date":"soon","author":{"name":"x"},"lang":{"de":1}},"section":"guide"}"#;
    assert_eq!(Json::Object(page.entries).to_text(), expected);
}

#[test]
fn the_section_is_the_first_telling_folder() {
    let section = |path: &str, lang: &str| {
        section(path, &[("lang".to_owned(), Json::String(lang.to_owned()))]).unwrap_or_default()
    };
    assert_eq!(section("guide/a/b.html", "en"), "guide");
    assert_eq!(section("en/v1.2/docs/api/b.html", "en-GB"), "api");
    assert_eq!(section("index.html", "en"), "");
}

#[test]
fn front_matter_may_name_the_address_and_keep_a_page_out() {
    let url = |text: &str| read(DocumentMarkup::Markdown, "posts/a.md", text.as_bytes()).unwrap().url;
    assert_eq!(url("---\npermalink: /about/\n---\nx"), "/about/");
    assert_eq!(url("---\nurl: https://a.example/x\n---\nx"), "https://a.example/x");
    assert_eq!(url("---\npermalink: /:year/:title/\n---\nx"), "/posts/a.md");
    for matter in ["noindex: true", "search: false", "search: {exclude: true}", "robots: noindex"] {
        let bytes = format!("---\n{matter}\n---\nx").into_bytes();
        let document = Document { markup: DocumentMarkup::Markdown, path: "a".to_owned(), bytes };
        let reading = document.read(&DocumentOptions::default().rules());
        assert!(matches!(reading, DocumentReading::Refused(PageRefusal::NoIndex)), "{matter}");
    }
}

#[test]
fn an_address_that_readers_cannot_open_is_none() {
    let html = |canonical: &str| format!("<link rel=canonical href='{canonical}'><main>x</main>");
    let url = |canonical: &str| read(DocumentMarkup::Html, "a.html", html(canonical).as_bytes()).unwrap().url;
    assert_eq!(url("file:///usr/share/doc/a.html"), "/a.html");
    assert_eq!(url("https://a.example/a"), "https://a.example/a");
}
