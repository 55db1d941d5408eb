//! A folder of pages becomes search for a site: links, the preset for documents, grouping by page, and pages left out.

mod support;

use serde_json::{Value, json};
use support::{Folder, all};

fn page(title: &str, body: &str) -> String {
    format!(
        "<html lang=en><title>{title} | Fox Docs</title><nav>Menu</nav><main><h1 id=top>{title}</h1>{body}</main><footer>Foot</footer>"
    )
}

fn site() -> Folder {
    let folder = Folder::new();
    folder.write("site/index.html", page("Home", "<p>Welcome to the docs of the fox tool.</p>"));
    let guide = "<p>How to install the fox.</p><h2 id=linux>Linux</h2><p>Install the fox with apt.</p>\
        <h2 id=mac>macOS</h2><p>Install the fox with brew.</p><h2 id=windows>Windows</h2><p>Install the fox with winget.</p>\
        <h2 id=source>Source</h2><p>Install the fox with cargo.</p>";
    folder.write("site/guide/install.html", page("Install", guide));
    folder.write("site/guide/use.html", page("Use", "<p>Run the fox after you install it.</p>"));
    folder
}

fn hits(folder: &Folder, args: &[&str]) -> Vec<Value> {
    let args = [&["search", "a.snap"], args, &["--records", "--json"]].concat();
    folder.run(&args).expect_code(0).json()["hits"].as_array().unwrap().clone()
}

#[test]
fn a_folder_is_built_with_the_preset_for_documents() {
    let folder = site();
    folder.build(&["site"]).expect_code(0).expect_stderr("preset docs: text title, heading, text, important");
    let schema = &folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json()["schema"];
    assert_eq!((&schema["forms"], &schema["groupBy"]), (&json!(true), &json!(["url", "anchor"])));
    assert_eq!(schema["fields"]["title"]["weight"], 8.0);
    assert_eq!(
        (&schema["attributes"]["section"], &schema["fields"]["url"]),
        (&json!("keyword"), &json!(null))
    );
    folder.run(&["build", "site", "-o", "b.snap", "--preset", "docs"]).expect_code(0);
    assert!(folder.bytes("a.snap") == folder.bytes("b.snap"));
}

#[test]
fn hits_of_one_page_are_one_hit_with_its_best_sections_as_children() {
    let folder = site();
    folder.build(&["site"]).expect_code(0);
    let found = hits(&folder, &["install", "fox"]);
    let urls = found.iter().map(|hit| hit["record"]["url"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(urls, ["/guide/install.html", "/guide/use.html", "/"]);
    let children = found[0]["children"].as_array().unwrap();
    assert_eq!(children.len(), 3, "{children:?}");
    assert!(children.iter().all(|child| child["snippet"].as_str().unwrap().contains("<mark>")));
    assert!(children.iter().all(|child| child["record"]["url"] == "/guide/install.html"));
    let all = hits(&folder, &["install", "fox", "--options", r#"{"groupBy": false}"#]);
    assert!(all.len() > found.len() && all.iter().all(|hit| hit["children"].is_null()), "{}", all.len());
    let args = ["search", "a.snap", "fox", "--options", r#"{"groupBy": ["tags"]}"#];
    folder.run(&args).expect_code(1).expect_stderr("groupBy: the attribute \"tags\" is not of type keyword");
}

#[test]
fn hits_are_printed_with_their_title_and_link() {
    let folder = site();
    folder.build(&["site", "--base-url", "https://fox.example/docs"]).expect_code(0);
    let ran = folder.run(&["search", "a.snap", "apt", "linux", "--limit", "1"]).expect_code(0);
    let lines = ran.stdout.lines().collect::<Vec<_>>();
    assert!(lines[0].ends_with("  Install > Linux"), "{}", ran.stdout);
    assert_eq!(lines[1], "   https://fox.example/docs/guide/install.html#linux");
}

#[test]
fn addresses_come_from_the_base_the_canonical_link_or_the_path() {
    let folder = Folder::new();
    folder.write("s/a.html", "<link rel=canonical href=https://x.example/a/><main>one</main>");
    folder.write("s/b/index.html", "<main>two</main>");
    assert_eq!(all(&folder.records(&["s"]), "url"), ["https://x.example/a/", "/b/"]);
    let based = folder.records(&["s", "--base-url", "https://y.example", "--clean-urls"]);
    assert_eq!(all(&based, "url"), ["https://y.example/a", "https://y.example/b/"]);
    folder.write("m/guide/use.md", "# Use it\n\ntext\n\n## Why not?\n\ntext\n");
    let records = folder.records(&["m", "--slugs", "mkdocs"]);
    assert_eq!(all(&records, "url"), ["/guide/use/", "/guide/use/"]);
    assert_eq!(all(&records, "anchor"), ["use-it", "why-not"]);
}

#[test]
fn globs_choose_files_and_generated_files_are_left_out() {
    let folder = Folder::new();
    for path in [
        "a.html",
        "guide/b.html",
        "guide/old/c.html",
        "_sources/a.html",
        "search.html",
        "genindex-A.html",
        "404.html",
    ] {
        folder.write(&format!("s/{path}"), format!("<main>words of {path}</main>"));
    }
    folder.write("s/robots.txt", "User-agent: *");
    folder.write("s/guide/b.md", "the source of b");
    folder.write("s/a.html.md", "another copy of a");
    let paths = |args: &[&str]| {
        let records = folder.records(&[&["s"], args].concat());
        all(&records, "path").join(" ")
    };
    assert_eq!(paths(&[]), "a.html guide/b.html guide/old/c.html");
    assert_eq!(paths(&["--include", "guide/**"]), "guide/b.html guide/old/c.html");
    assert_eq!(paths(&["--exclude", "old"]), "a.html guide/b.html");
    assert_eq!(paths(&["--include", "*.html", "--exclude", "guide"]), "a.html");
    assert_eq!(
        paths(&["--include", "**/_sources/**", "--include", "search.html"]),
        "_sources/a.html search.html"
    );
    assert_eq!(paths(&["--include", "guide/*.md"]), "guide/b.md");
    folder.build(&["s", "--exclude", "*"]).expect_code(1).expect_stderr("that --include and --exclude leave");
    folder.build(&["s", "--include", "a["]).expect_code(2).expect_stderr("--include");
}

#[test]
fn pages_that_repeat_another_or_ask_to_be_left_out_are_counted() {
    let folder = Folder::new();
    let long = "<p>The same words, again and again. ".repeat(20);
    folder.write("s/a.html", page("A", &long));
    folder.write("s/b.html", page("A", &long));
    folder.write("s/c.html", format!("<meta name=robots content=noindex>{}", page("C", "c")));
    folder.write("s/d.html", "<meta http-equiv=refresh content='0; url=a.html'>");
    folder.write("s/e.html", "<link rel=canonical href=/f.html><main>print version</main>");
    folder.write("s/f.html", "<link rel=canonical href=/f.html><main>original</main>");
    let ran = folder.build(&["s"]).expect_code(0);
    ran.expect_stderr("4 pages left out: 1 with noindex, 1 that redirect, 2 that repeat another page");
    let mut paths =
        folder.records(&["s"]).iter().map(|record| record["path"].to_string()).collect::<Vec<_>>();
    paths.dedup();
    assert_eq!(paths, ["\"a.html\"", "\"f.html\""]);
}

#[test]
fn a_pagefind_site_moves_without_edits() {
    let folder = Folder::new();
    folder.write(
        "s/a.html",
        "<nav>no</nav><article data-pagefind-body><h1>Foxes</h1><p data-pagefind-filter='topic:Animals'>Red</p>\
        <p data-pagefind-ignore>no</p><p data-pagefind-weight=10>vixen</p></article><time data-pagefind-meta='date[datetime]' datetime=2024-05-01>no</time>",
    );
    folder.write(
        "s/b.html",
        "<main data-pagefind-body><h1>Dogs</h1><p>A vixen is no dog, vixen, and vixen again.</p></main>",
    );
    folder.write("s/c.html", "<main>not marked</main>");
    let records = folder.records(&["s"]);
    assert_eq!(
        all(&records, "text"),
        ["Foxes\n\nRed\n\nvixen", "Dogs\n\nA vixen is no dog, vixen, and vixen again."]
    );
    assert_eq!((&records[0]["topic"], &records[0]["date"]), (&json!(["Animals"]), &json!("2024-05-01")));
    let ran = folder.build(&["s"]).expect_code(0);
    ran.expect_stderr("1 page left out: 1 without data-pagefind-body, which other pages have");
    let found = hits(&folder, &["vixen", "--filter", r#"{"topic": "Animals"}"#]);
    assert_eq!(found.len(), 1);
    assert_eq!(hits(&folder, &["vixen"])[0]["record"]["path"], "a.html");
}

#[test]
fn selectors_are_real_css_and_bad_ones_are_errors_of_the_command_line() {
    let folder = Folder::new();
    folder.write("s/a.html", "<main>no</main><div id=c><p>yes<p class='x ad-top'>no<p data-k=v>no</div>");
    folder.write("s/b.html", "<main>no</main>");
    let args = [
        "s",
        "--root-selector",
        "div#c:not(.x)",
        "--exclude-selector",
        "p[class*=ad]",
        "--exclude-selector",
        "[data-k=v]",
    ];
    assert_eq!(all(&folder.records(&args), "text"), ["yes"]);
    folder.build(&args).expect_code(0).expect_stderr("1 page left out: 1 without a match of --root-selector");
    let ran = folder.build(&["s", "--root-selector", "#none"]).expect_code(1);
    ran.expect_stderr("no page remains: 2 pages left out: 2 without a match of --root-selector");
    folder.build(&["s", "--root-selector", "p[["]).expect_code(2).expect_stderr("this is not a CSS selector");
    folder.write("a.jsonl", "{\"id\":1,\"t\":\"x\"}\n");
    let ran = folder.build(&["a.jsonl", "--base-url", "/"]).expect_code(2);
    ran.expect_stderr("--base-url is for Markdown, HTML and text; none is among the inputs");
}

#[test]
fn declared_charsets_and_facts_of_the_page_become_fields() {
    let folder = Folder::new();
    folder.write(
        "s/de/a.html",
        b"<html lang=de><meta charset=iso-8859-1><meta name=description content='\xdcber F\xfcchse'>\
        <meta property=og:image content=/fox.png><meta property=article:published_time content=2024-05-01T10:00:00Z><main><p>F\xfcchse</main>",
    );
    let records = folder.records(&["s"]);
    let expected = json!({
        "id": "de/a.html:0", "title": "a", "text": "Füchse", "url": "/de/a.html", "path": "de/a.html", "chunkIndex": 0,
        "offset": 0, "line": 1, "lang": "de", "description": "Über Füchse", "date": "2024-05-01T10:00:00Z", "image": "/fox.png",
    });
    assert_eq!(records, [expected]);
    let found = hits(&folder, &["Füchse", "--filter", r#"{"date": {"gte": "2024-01-01"}, "lang": "de"}"#]);
    assert_eq!(found.len(), 1);
}

#[test]
fn front_matter_becomes_facets() {
    let folder = Folder::new();
    folder.write("d/a.md", "---\nlevel: easy\norder: 1\ntags: x, y\ndate: someday\n---\n# A\nfox\n");
    folder.write("d/b.md", "---\nlevel: hard\norder: 2\n---\n# B\nfox\n");
    folder.build(&["d"]).expect_code(0);
    let found = folder.run(&[
        "search",
        "a.snap",
        "fox",
        "--facets",
        "level,tags",
        "--filter",
        r#"{"order": {"lt": 5}}"#,
        "--json",
    ]);
    let facets = found.expect_code(0).json()["facets"].clone();
    assert_eq!(facets[0]["values"], json!([{"value": "easy", "count": 1}, {"value": "hard", "count": 1}]));
    assert_eq!(facets[1]["values"].as_array().unwrap().len(), 2);
}
