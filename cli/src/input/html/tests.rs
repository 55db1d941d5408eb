use super::*;

fn read(html: &str) -> HtmlPage {
    HtmlPage::read(html, &HtmlRules::default()).unwrap()
}

fn text(html: &str) -> String {
    read(html).content.text
}

fn anchors(html: &str) -> Vec<(String, String)> {
    let headings = read(html).content.headings.into_iter();
    headings.map(|heading| (heading.name, heading.anchor.unwrap_or_default())).collect()
}

fn selector(css: &str) -> Selector {
    Selector::parse(css).unwrap()
}

#[test]
fn blocks_stand_on_lines_of_their_own_and_white_space_is_collapsed() {
    let cases = [
        ("<p>One  \n two</p><p>Three &amp; <b>fo</b>ur&nbsp;&eacute;</p>", "One two\n\nThree & four\u{a0}é"),
        ("<ul><li>a<li>b</ul>c<br>d", "a\nb\n\nc\nd"),
        ("<table><tr><td>1</td><td>2</td></tr><tr><td>3</table>", "1 | 2\n3"),
        ("<table><tr><th><p>1</p></th><td><p>2</p></td></tr><tr><td><p>3</p></table><p>x", "1 | 2\n3\n\nx"),
        ("<pre>\n  x\n    y</pre>z", "  x\n    y\n\nz"),
        ("<pre>x\n</pre><p>z", "x\n\nz"),
        ("<dl><dt>a<dd><p>b</p><dt>c<dd>d</dl>", "a\n\nb\n\nc\nd"),
        ("a <img src=x alt='a fox'> b", "a a fox b"),
        ("a <a href=/><img src=x alt='Fox logo'></a> b", "a b"),
        ("a<!-- no -->b &lt;c&gt; &#x1F600;", "ab <c> 😀"),
        ("soft&shy;ly zero&#8203;width", "softly zerowidth"),
        ("<p>unclosed <b>bold", "unclosed bold"),
    ];
    for (html, expected) in cases {
        assert_eq!(text(html), expected, "{html}");
    }
}

#[test]
fn what_is_no_text_of_the_page_is_left_out() {
    let html = "<script>if (a < b) '<p>no</p>'</script><style>p {}</style><nav>no <nav>no</nav> no</nav>\
        <div hidden>no <div>no</div> no</div><svg><title>no</title></svg><a aria-hidden=\"true\">no</a>\
        <div role=navigation>no</div><noscript>no</noscript><template><p>no</template><svg></svg>\
        <header>no <nav>no</nav></header><footer>no</footer><aside>no</aside><button>no</button>\
        <a class=skip-link href=#main>no</a><a href=#main>Skip to content</a><p style='display: none'>no</p>\
        <h1>yes <a class=headerlink href=#yes>¶</a><a href=#yes>#</a></h1>\
        <aside class='admonition note'><p>yes</p></aside><div role=tabpanel hidden>yes</div>\
        <blockquote>yes<footer>yes</footer></blockquote><div data-pagefind-ignore>no</div>";
    let text = text(html);
    assert!(!text.contains("no") && !text.contains('¶') && !text.contains('#'), "{text}");
    assert_eq!(text.matches("yes").count(), 5, "{text}");
}

/// Pages in the style of site generators. Each holds the words of `KEPT` in this order, and `noise` elsewhere.
const SITES: [(&str, &str); 8] = [
    (
        "Sphinx",
        r##"<body><div class="related" role="navigation"><ul><li><a href="genindex.html">noise</a></li></ul></div>
        <div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main">
        <section id="title"><h1>Title<a class="headerlink" href="#title" title="Permalink to this heading">¶</a></h1>
        <div class="contents topic"><p><a href="#first">noise</a></p></div><p>Intro.</p>
        <section id="first"><span id="label"></span><h2><a class="toc-backref" href="#id1" role="doc-backlink">First</a><a class="headerlink" href="#first">¶</a></h2>
        <div class="highlight-python notranslate"><div class="highlight"><pre><span></span>code()</pre></div></div>
        <div class="admonition note"><p class="admonition-title">Note</p><p>Careful.</p></div></section></section>
        <div class="clearer"></div></div></div></div>
        <div class="sphinxsidebar" role="navigation"><h3>noise</h3><p>noise</p></div></div>
        <div class="footer" role="contentinfo">© noise. Created using Sphinx.</div></body>"##,
    ),
    (
        "VitePress",
        r##"<div id="app"><div class="Layout"><span tabindex="-1"></span><a href="#VPContent" class="VPSkipLink visually-hidden">noise</a>
        <header class="VPNav"><div>noise</div></header><aside class="VPSidebar"><nav>noise</nav></aside>
        <div class="VPContent has-sidebar" id="VPContent"><div class="VPDoc has-sidebar has-aside"><div class="container">
        <div class="aside"><div class="VPDocAside"><nav class="VPDocAsideOutline"><div>noise</div></nav></div></div>
        <div class="content"><div class="content-container"><main class="main"><div class="vp-doc"><div>
        <h1 id="title" tabindex="-1">Title <a class="header-anchor" href="#title" aria-label="Permalink to &quot;Title&quot;">&#8203;</a></h1>
        <p>Intro.</p><h2 id="first" tabindex="-1">First <a class="header-anchor" href="#first">&#8203;</a></h2>
        <div class="language-js vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">js</span>
        <pre class="shiki"><code><span class="line">code()</span></code></pre></div>
        <div class="tip custom-block"><p class="custom-block-title">Note</p><p>Careful.</p></div></div></div></main>
        <footer class="VPDocFooter"><nav class="prev-next">noise</nav></footer></div></div></div></div></div></div></div>"##,
    ),
    (
        "Docusaurus",
        r##"<body class="navigation-with-keyboard"><div id="__docusaurus"><div role="region" aria-label="Skip to main content"><a class="skipToContent_fXgn" href="#__docusaurus_skipToContent_fallback">Skip to main content</a></div>
        <nav class="navbar navbar--fixed-top">noise</nav><div id="__docusaurus_skipToContent_fallback" class="main-wrapper"><div class="docsWrapper">
        <aside class="theme-doc-sidebar-container"><nav>noise</nav></aside><main class="docMainContainer"><div class="container"><div class="row"><div class="col docItemCol">
        <div class="docItemContainer"><article><nav class="theme-doc-breadcrumbs">noise</nav><div class="tocCollapsible theme-doc-toc-mobile"><button>On this page</button></div>
        <div class="theme-doc-markdown markdown"><header><h1>Title</h1></header><p>Intro.</p>
        <h2 class="anchor anchorWithStickyNavbar_LWe7" id="first">First<a href="#first" class="hash-link" aria-label="Direct link to First" title="Direct link to First">&#8203;</a></h2>
        <div class="language-js codeBlockContainer"><pre class="prism-code"><code><span class="token-line">code()<br></span></code></pre><div class="buttonGroup"><button>Copy</button></div></div>
        <div class="theme-admonition theme-admonition-note alert alert--secondary"><div class="admonitionHeading"><span>Note</span></div><div><p>Careful.</p></div></div></div>
        <footer class="theme-doc-footer"><a class="theme-edit-this-page">noise</a></footer></article><nav class="pagination-nav">noise</nav></div></div>
        <div class="col col--3"><div class="tableOfContents theme-doc-toc-desktop"><ul><li><a href="#first">noise</a></li></ul></div></div></div></div></main></div></div>
        <footer class="theme-layout-footer footer">noise</footer></div></body>"##,
    ),
    (
        "MkDocs Material",
        r##"<body><div data-md-component="skip"><a href="#title" class="md-skip">Skip to content</a></div><header class="md-header">noise</header>
        <div class="md-container"><main class="md-main" data-md-component="main"><div class="md-main__inner md-grid">
        <div class="md-sidebar md-sidebar--primary"><div class="md-sidebar__inner"><nav>noise</nav></div></div>
        <div class="md-sidebar md-sidebar--secondary"><nav class="md-nav md-nav--secondary">noise</nav></div>
        <div class="md-content"><article class="md-content__inner md-typeset"><a href="https://x/edit" title="Edit this page" class="md-content__button md-icon"><svg></svg></a>
        <h1 id="title">Title<a class="headerlink" href="#title" title="Permanent link">&para;</a></h1><p>Intro.</p>
        <h2 id="first">First<a class="headerlink" href="#first" title="Permanent link">&para;</a></h2>
        <div class="highlight"><table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre><span class="normal">noise</span></pre></div></td><td class="code"><div><pre><code>code()</code></pre></div></td></tr></table></div>
        <div class="admonition note"><p class="admonition-title">Note</p><p>Careful.</p></div>
        <aside class="md-source-file"><span>noise</span></aside></article></div></div></main><footer class="md-footer">noise</footer></div></body>"##,
    ),
    (
        "Hugo",
        r##"<body class="list"><header class="header"><nav class="nav"><div class="logo"><a href="/">noise</a></div></nav></header>
        <main class="main"><article class="post-single"><header class="post-header"><div class="breadcrumbs"><a href="/">noise</a> » <a href="/p">noise</a></div><h1 class="post-title">Title</h1></header>
        <div class="toc"><details><summary>Table of Contents</summary><ul><li><a href="#first">noise</a></li></ul></details></div>
        <div class="post-content"><p>Intro.</p><h2 id="first">First<a hidden class="anchor" aria-hidden="true" href="#first">#</a></h2>
        <div class="highlight"><pre tabindex="0"><code>code()</code></pre></div><blockquote><p>Note</p><p>Careful.</p></blockquote></div>
        <footer class="post-footer"><ul class="post-tags"><li><a href="/tags/x">noise</a></li></ul></footer></article></main><footer class="footer">noise</footer></body>"##,
    ),
    (
        "rustdoc",
        r##"<body class="rustdoc struct"><nav class="sidebar"><h2>noise</h2></nav><main><div class="width-limiter"><section id="main-content" class="content">
        <div class="main-heading"><h1>Title<button id="copy-path" title="Copy item path">Copy item path</button></h1><rustdoc-toolbar></rustdoc-toolbar></div>
        <details class="toggle top-doc" open><summary class="hideme"><span>noise</span></summary><div class="docblock"><p>Intro.</p>
        <h2 id="first"><a class="doc-anchor" href="#first">§</a>First</h2><div class="example-wrap"><pre class="rust rust-example-rendered"><code>code()</code></pre></div></div></details>
        <p>Note</p><p>Careful.</p></section></div></main></body>"##,
    ),
    (
        "DocBook",
        r##"<body><div class="navheader"><table width="100%"><tr><th colspan="3">noise</th></tr><tr><td><a accesskey="p" href="a.html">Prev</a></td><td><a href="b.html">Up</a></td><td><a href="c.html">Next</a></td></tr></table><hr></div>
        <div class="sect1" id="TITLE"><div class="titlepage"><div><div><h2 class="title" style="clear: both">Title</h2></div></div></div>
        <div class="toc"><dl class="toc"><dt><span class="sect2"><a href="a.html#FIRST">noise</a></span></dt></dl></div><p>Intro.</p>
        <div class="sect2" id="first"><div class="titlepage"><h3 class="title">First</h3></div><pre class="programlisting">code()</pre>
        <div class="note"><h4 class="title">Note</h4><p>Careful.</p></div></div></div>
        <div class="navfooter"><hr><table width="100%"><tr><td><a href="a.html">Prev</a></td><td><a href="b.html">noise</a></td><td><a href="c.html">Next</a></td></tr></table></div></body>"##,
    ),
    (
        "a page without landmarks",
        r##"<body><div id="wrap"><div id="top"><a href="/">noise</a> <a href="/docs">noise</a> <a href="/blog">noise</a></div>
        <div id="columns"><div id="left"><ul><li><a href="a">noise</a></li><li><a href="b">noise</a></li><li><a href="c">noise</a></li></ul></div>
        <div id="text"><h1>Title</h1><p>Intro.</p><h2><a name="first"></a>First</h2><pre>code()</pre><p>Note</p><p>Careful. And a few more words of prose.</p></div></div>
        <div id="footer">noise</div></div></body>"##,
    ),
];

#[test]
fn pages_of_site_generators_give_their_text_and_nothing_else() {
    for (generator, html) in SITES {
        let text = text(html);
        for noise in
            ["noise", "js", "Prev", "Skip", "¶", "§", "#", "Copy", "On this page", "Table of Contents"]
        {
            assert!(!text.contains(noise), "{generator}: {noise} is in:\n{text}");
        }
        let mut rest = text.as_str();
        for word in ["Title", "Intro.", "First", "code()", "Note", "Careful."] {
            let at = rest.find(word).unwrap_or_else(|| panic!("{generator}: {word} is missing in:\n{text}"));
            rest = &rest[at + word.len()..];
        }
    }
}

#[test]
fn the_second_heading_of_every_generator_has_its_anchor() {
    for (generator, html) in SITES {
        let found = anchors(html);
        assert_eq!(found[1], ("First".to_owned(), "first".to_owned()), "{generator}: {found:?}");
    }
}

#[test]
fn a_button_that_is_a_whole_heading_is_its_text() {
    let html = "<main><h3 id=q><button aria-expanded=false>Why?</button></h3><p>Because. <button>Copy</button></p></main>";
    assert_eq!(text(html), "Why?\n\nBecause.");
}

#[test]
fn an_anchor_is_that_of_the_heading_or_of_the_nearest_element_around_it() {
    let pairs = |html: &str| anchors(html).into_iter().map(|(_, anchor)| anchor).collect::<Vec<_>>();
    assert_eq!(pairs("<main><section id=a><h2 id=b>x</h2></section>"), ["b"]);
    assert_eq!(pairs("<main><section id=a><div><h2>x</h2></div></section>"), ["a"]);
    assert_eq!(pairs("<main><h2><a name=c>x</a></h2>"), ["c"]);
    assert_eq!(pairs("<main><h2>x <a href='#d%C3%A9'>¶</a></h2>"), ["dé"]);
    assert_eq!(pairs("<main><span id=e></span>\n<h2>x</h2>"), ["e"]);
    // An anchor of the whole text leads to its first heading alone.
    assert_eq!(pairs("<div id=app><main id=main><h2>x</h2><h2>y</h2></main></div>"), ["main", ""]);
    assert_eq!(pairs("<div id=app><main><h2>x</h2></main></div>"), [""]);
    // The title of an admonition is no heading.
    assert_eq!(pairs("<main><h2 id=a>x</h2><div class=note><h3>Note</h3><p>text</div>"), ["a"]);
}

#[test]
fn terms_with_an_id_are_headings_and_the_outer_heading_returns_after_their_list() {
    let html = "<main><h2 id=f>Functions</h2><p>All.</p><dl><dt id=f.one>one()</dt><dd>First.\
        <dl><dt id=f.one.x>x</dt><dd>Part.</dd></dl><p>More.</p></dd><dt id=f.two>two()</dt><dd>Second.</dd></dl>\
        <p>After.</p><dl><dt>plain</dt><dd>text</dd></dl></main>";
    let page = read(html);
    let found =
        page.content.headings.iter().map(|heading| (heading.level, heading.anchor.as_deref().unwrap_or("")));
    let expected = [(2, "f"), (7, "f.one"), (8, "f.one.x"), (7, "f.one"), (7, "f.two"), (2, "f")];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn only_the_main_part_counts_where_there_is_one() {
    let html = "<title> A \n page </title><h1>Site</h1>before<main><h1>Page</h1>text</main>after<h2>End</h2>";
    let page = read(html);
    assert_eq!((page.title.as_deref(), page.content.text.as_str()), (Some("A page"), "Page\n\ntext"));
    let several = "<body><article><h2>A</h2>one</article><article><h2>B</h2>two</article></body>";
    assert_eq!(text(several), "A\n\none\n\nB\n\ntwo");
    let empty = "<body><main></main><div><h1>A</h1><p>text</p></div></body>";
    assert_eq!(text(empty), "A\n\ntext");
}

#[test]
fn selectors_choose_and_exclude_elements() {
    let html = "<main>no</main><div class='post x'><p>one</p><p class=ad>no</p></div><div id=more><p>two<div class=post>three</div></div>";
    let rules =
        HtmlRules { root: Some(selector(".post, #more > p")), excluded: vec![selector("p[class^=ad]")] };
    let page = HtmlPage::read(html, &rules).unwrap();
    assert_eq!(page.content.text, "one\n\ntwo\n\nthree");
    let rules = HtmlRules { root: Some(selector("#none")), excluded: Vec::new() };
    assert_eq!(HtmlPage::read(html, &rules).unwrap_err(), PageRefusal::NoRoot);
}

#[test]
fn a_text_that_the_page_marks_counts_alone() {
    let html = "<main>no<div data-pagefind-body><h1>Yes</h1><i data-pagefind-ignore>no</i><b data-pagefind-weight=5>big</b> \
        <u data-pagefind-weight=0>no</u></div></main><aside data-pagefind-body>and this</aside>";
    let page = read(html);
    assert_eq!(page.content.text, "Yes\n\nbig\n\nand this");
    let important = page.content.important.iter().map(|part| page.content.text[part.clone()].trim());
    assert_eq!(important.collect::<Vec<_>>(), ["big"]);
    assert!(page.is_marked);
}

#[test]
fn the_name_of_the_site_is_no_part_of_the_title() {
    let title = |html: &str| read(html).title.unwrap_or_default();
    assert_eq!(title("<title>Install | Fox Docs</title><main><h1>Install</h1>x</main>"), "Install");
    assert_eq!(title("<title>a — B — Fox 1.0 documentation</title><main><h1>a — B</h1>x</main>"), "a — B");
    assert_eq!(title("<title>Use it - Fox</title><main><h2>Use it</h2>x</main>"), "Use it");
    assert_eq!(title("<title>Installing</title><main><h1>Install</h1>x</main>"), "Installing");
    assert_eq!(
        title("<title>Vec in std - Rust</title><meta property=og:title content=Vec><h1>Other</h1>"),
        "Vec in std - Rust"
    );
    assert_eq!(title("<meta property=og:title content=Shared><h1>Other</h1>"), "Shared");
    assert_eq!(title("<title>x</title><h1 data-pagefind-meta=title>Marked</h1>"), "Marked");
}

#[test]
fn every_place_knows_its_line_in_the_page() {
    let html = "<html>\n<p>one\ntwo\n\n<p\nclass=x>three\n<pre>a\nb</pre>";
    let content = read(html).content;
    for (word, line) in [("one", 2), ("two", 3), ("three", 6), ("a\n", 7), ("b", 8)] {
        let at = content.text.find(word).unwrap();
        let after = content.lines.partition_point(|&(place, _)| place <= at);
        assert_eq!(content.lines[after - 1].1, line, "{word}");
    }
}
