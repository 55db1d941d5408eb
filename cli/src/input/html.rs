//! The text and the headings of an HTML page.
//!
//! Scripts, styles, navigation and hidden elements are left out. If the page has a `<main>`, only its contents count.
//! White space is as a browser shows it: each block starts on a new line, and blank lines separate paragraphs.

use super::chunk::count_lines;
use super::document::Heading;
use html5gum::{DefaultEmitter, EndTag, Span, StartTag, Token, Tokenizer};
use snapseek::json::Json;

/// The contents of a page.
#[derive(Debug, Default)]
pub struct Page {
    /// The text.
    pub text: String,
    /// The headings, in order.
    pub headings: Vec<Heading>,
    /// The text of `<title>`.
    pub title: Option<String>,
    /// The language, and the values of the usual `<meta>` elements.
    pub entries: Vec<(String, Json)>,
    /// Offsets in the text, and the lines of the page that they come from, in order.
    lines: Vec<(usize, u64)>,
}

/// The `<meta name="…">` elements that become fields of the same name.
const META: [&str; 4] = ["description", "author", "date", "keywords"];

impl Page {
    /// Parses a page. HTML has no syntax errors that stop a parser.
    pub fn parse(html: &str) -> Page {
        let mut emitter = DefaultEmitter::<usize>::new_with_span();
        emitter.naively_switch_states(true);
        let mut reader = Reader::default();
        let (mut line, mut counted) = (1, 0);
        for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
            match token {
                Token::StartTag(tag) => reader.start(&tag),
                Token::EndTag(tag) => reader.end(&tag),
                Token::String(text) => {
                    let Span { start, .. } = text.span;
                    let start = start.clamp(counted, html.len());
                    line += count_lines(&html.as_bytes()[counted..start]);
                    counted = start;
                    reader.line = line;
                    reader.text(&String::from_utf8_lossy(&text.value));
                }
                _ => {}
            }
        }
        reader.page
    }

    /// Returns the line of the page that the text at this offset comes from.
    pub fn line(&self, at: usize) -> u64 {
        let after = self.lines.partition_point(|&(place, _)| place <= at);
        after.checked_sub(1).map_or(1, |last| self.lines[last].1)
    }
}

/// The separation between the text so far and the next text, from the smallest to the largest.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    Nothing,
    Space,
    Line,
    Paragraph,
}

/// Whether the parser has reached the `<main>` of the page.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Main {
    #[default]
    NotYet,
    Within,
    Behind,
}

#[derive(Default)]
struct Reader {
    page: Page,
    line: u64,
    gap: Gap,
    main: Main,
    /// The element that is being skipped, and how many elements of its name are open.
    skipped: Option<(Vec<u8>, usize)>,
    /// The level of the open heading, and where its text starts.
    heading: Option<(u8, Option<usize>)>,
    preformatted: usize,
    is_pre_start: bool,
    title: Option<String>,
}

impl Reader {
    fn start(&mut self, tag: &StartTag<usize>) {
        let name = &tag.name[..];
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth += usize::from(skipped == name && !tag.self_closing);
            return;
        }
        if is_skipped(tag) {
            if !tag.self_closing {
                self.skipped = Some((name.to_vec(), 1));
            }
            return;
        }
        self.is_pre_start = false;
        self.gap = self.gap.max(gap_around(name));
        match name {
            b"html" => self.note("lang", attribute(tag, b"lang")),
            b"meta" => self.meta(tag),
            b"title" if self.page.title.is_none() => self.title = Some(String::new()),
            b"main" if self.main == Main::NotYet => self.start_main(),
            b"pre" => {
                self.preformatted += 1;
                self.is_pre_start = true;
            }
            b"br" if self.preformatted > 0 => self.text("\n"),
            b"img" => {
                let alternative = attribute(tag, b"alt").unwrap_or_default();
                self.text(&alternative);
            }
            _ => {}
        }
        if let Some(level) = heading_level(name) {
            self.heading = Some((level, None));
        }
    }

    fn start_main(&mut self) {
        self.main = Main::Within;
        let Page { title, entries, .. } = std::mem::take(&mut self.page);
        self.page = Page { title, entries, ..Page::default() };
        (self.gap, self.heading) = (Gap::Nothing, None);
    }

    fn end(&mut self, tag: &EndTag<usize>) {
        let name = &tag.name[..];
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth -= usize::from(skipped == name);
            if *depth == 0 {
                self.skipped = None;
            }
            return;
        }
        self.is_pre_start = false;
        match name {
            b"title" => {
                let title = self.title.take().unwrap_or_default();
                let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
                self.page.title = self.page.title.take().or(Some(title).filter(|title| !title.is_empty()));
            }
            b"main" if self.main == Main::Within => self.main = Main::Behind,
            b"pre" => self.preformatted = self.preformatted.saturating_sub(1),
            _ => {}
        }
        if heading_level(name).is_some() {
            self.end_heading();
        }
        self.gap = self.gap.max(gap_around(name));
    }

    fn end_heading(&mut self) {
        // Ignore headings without text.
        let Some((level, Some(at))) = self.heading.take() else { return };
        let end = self.page.text.len();
        let name = self.page.text[at..].split_whitespace().collect::<Vec<_>>().join(" ");
        self.page.headings.push(Heading { level, at, end, name });
    }

    fn note(&mut self, name: &str, value: Option<String>) {
        let is_known = self.page.entries.iter().any(|(known, _)| known == name);
        if let Some(value) = value.filter(|value| !is_known && !value.trim().is_empty()) {
            self.page.entries.push((name.to_owned(), Json::String(value.trim().to_owned())));
        }
    }

    fn meta(&mut self, tag: &StartTag<usize>) {
        let name = attribute(tag, b"name").unwrap_or_default().to_ascii_lowercase();
        let content = attribute(tag, b"content");
        match META.into_iter().find(|known| *known == name) {
            Some("keywords") => {
                let words = content.unwrap_or_default();
                let words = words.split(',').map(str::trim).filter(|word| !word.is_empty());
                let words = words.map(|word| Json::String(word.to_owned())).collect::<Vec<_>>();
                let is_known = self.page.entries.iter().any(|(known, _)| known == "keywords");
                if !words.is_empty() && !is_known {
                    self.page.entries.push(("keywords".to_owned(), Json::Array(words)));
                }
            }
            Some(name) => self.note(name, content),
            None => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        if let Some(title) = &mut self.title {
            title.push_str(text);
            return;
        }
        if self.main == Main::Behind {
            return;
        }
        if self.preformatted > 0 {
            // The line end directly after <pre> is not part of the text.
            let rest = text.strip_prefix('\n').filter(|_| self.is_pre_start);
            self.line += u64::from(rest.is_some());
            self.is_pre_start = false;
            let text = rest.unwrap_or(text);
            for line in text.split_inclusive('\n') {
                self.push(line);
                self.line += u64::from(line.ends_with('\n'));
            }
            return;
        }
        for piece in text.split_inclusive(is_collapsed) {
            let word = piece.trim_end_matches(is_collapsed);
            if !word.is_empty() {
                self.push(word);
            }
            if word.len() < piece.len() {
                self.gap = self.gap.max(Gap::Space);
            }
            self.line += u64::from(piece.ends_with('\n'));
        }
    }

    fn push(&mut self, text: &str) {
        let out = &mut self.page.text;
        if !out.is_empty() {
            out.push_str(match self.gap {
                Gap::Nothing => "",
                Gap::Space => " ",
                Gap::Line => "\n",
                Gap::Paragraph => "\n\n",
            });
        }
        self.gap = Gap::Nothing;
        let at = out.len();
        if self.page.lines.last().is_none_or(|&(_, line)| line != self.line) {
            self.page.lines.push((at, self.line));
        }
        if let Some((_, start @ None)) = &mut self.heading {
            *start = Some(at);
        }
        out.push_str(text);
    }
}

/// Whether a browser collapses this white space into one space.
fn is_collapsed(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

fn attribute(tag: &StartTag<usize>, name: &[u8]) -> Option<String> {
    let value = tag.attributes.get(name)?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// Whether an element and its contents are no text of the page.
fn is_skipped(tag: &StartTag<usize>) -> bool {
    match &tag.name[..] {
        b"script" | b"style" | b"template" | b"noscript" | b"nav" | b"svg" | b"iframe" | b"object" => true,
        // Only elements with a required end tag: skipping would otherwise never end.
        b"a" | b"aside" | b"button" | b"div" | b"i" | b"section" | b"span" | b"ul" => {
            attribute(tag, b"role").is_some_and(|role| role == "navigation")
                || attribute(tag, b"aria-hidden").is_some_and(|hidden| hidden == "true")
                || tag.attributes.contains_key(&b"hidden"[..])
        }
        _ => false,
    }
}

/// Returns the separation of an element from the text before and after it.
fn gap_around(name: &[u8]) -> Gap {
    match name {
        b"p" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"blockquote" | b"dl" | b"figure" | b"hr"
        | b"ol" | b"pre" | b"table" | b"ul" => Gap::Paragraph,
        b"address" | b"article" | b"aside" | b"body" | b"br" | b"caption" | b"dd" | b"details"
        | b"dialog" | b"div" | b"dt" | b"fieldset" | b"figcaption" | b"footer" | b"form" | b"header"
        | b"legend" | b"li" | b"main" | b"option" | b"section" | b"summary" | b"tbody" | b"tfoot"
        | b"thead" | b"tr" => Gap::Line,
        b"td" | b"th" | b"img" => Gap::Space,
        _ => Gap::Nothing,
    }
}

fn heading_level(name: &[u8]) -> Option<u8> {
    match name {
        [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_stand_on_lines_of_their_own_and_white_space_is_collapsed() {
        let cases = [
            (
                "<p>One  \n two</p><p>Three &amp; <b>fo</b>ur&nbsp;&eacute;</p>",
                "One two\n\nThree & four\u{a0}é",
            ),
            ("<ul><li>a<li>b</ul>c<br>d", "a\nb\n\nc\nd"),
            ("<table><tr><td>1</td><td>2</td></tr><tr><td>3</table>", "1 2\n3"),
            ("<pre>\n  x\n    y</pre>z", "  x\n    y\n\nz"),
            ("a <img src=x alt='a fox'> b", "a a fox b"),
            ("a<!-- no -->b &lt;c&gt; &#x1F600;", "ab <c> 😀"),
            ("<p>unclosed <b>bold", "unclosed bold"),
        ];
        for (html, text) in cases {
            assert_eq!(Page::parse(html).text, text, "{html}");
        }
    }

    #[test]
    fn what_is_no_text_of_the_page_is_left_out() {
        let html = "<script>if (a < b) '<p>no</p>'</script><style>p {}</style><nav>no <nav>no</nav> no</nav>\
            <div hidden>no <div>no</div> no</div><svg><title>no</title></svg><a aria-hidden=\"true\">no</a>\
            <div role=navigation>no</div><noscript>no</noscript><template><p>no</template><svg/><p>yes";
        assert_eq!(Page::parse(html).text, "yes");
    }

    #[test]
    fn only_the_main_part_counts_where_there_is_one() {
        let html =
            "<title> A \n page </title><h1>Site</h1>before<main><h1>Page</h1>text</main>after<h2>End</h2>";
        let page = Page::parse(html);
        assert_eq!((page.title.as_deref(), page.text.as_str()), (Some("A page"), "Page\n\ntext"));
        assert_eq!(page.headings.iter().map(|heading| heading.name.as_str()).collect::<Vec<_>>(), ["Page"]);
    }

    #[test]
    fn headings_have_their_place_in_the_text() {
        let page = Page::parse("<p>intro<h2>One <i>two</i></h2>text<h3> </h3><h4>Three<br>four</h4>");
        let found = page.headings.iter().map(|heading| (heading.level, &page.text[heading.at..heading.end]));
        assert_eq!(found.collect::<Vec<_>>(), [(2, "One two"), (4, "Three\nfour")]);
        assert_eq!(page.headings[1].name, "Three four");
    }

    #[test]
    fn a_page_says_what_it_is() {
        let html = "<html lang=de><meta name=Description content=' About foxes '><meta name=keywords content='a, b,,'>\
            <meta name=viewport content=x><meta name=author content=''><title></title>";
        let page = Page::parse(html);
        let entries = Json::Object(page.entries).to_text();
        assert_eq!(entries, r#"{"lang":"de","description":"About foxes","keywords":["a","b"]}"#);
        assert_eq!(page.title, None);
    }

    #[test]
    fn every_place_knows_its_line_in_the_page() {
        let html = "<html>\n<p>one\ntwo\n\n<p\nclass=x>three\n<pre>\na\nb</pre>";
        let page = Page::parse(html);
        for (word, line) in [("one", 2), ("two", 3), ("three", 6), ("a\n", 8), ("b", 9)] {
            assert_eq!(page.line(page.text.find(word).unwrap()), line, "{word}");
        }
    }
}
