//! How suitable is each byte of a text as a place to cut?
//!
//! Lines are parsed as lenient Markdown: a code fence may be indented or quoted, because a list or a quotation may
//! contain it. Text that is not Markdown seldom has lines that look like a heading or a fence.

use crate::unicode::Graphemes;

/// The kinds of places where a text can be cut, from the worst to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Break {
    /// Inside a grapheme cluster, which a reader takes for one character.
    InGrapheme,
    /// Inside the line that opens a code fence.
    InFenceLine,
    /// Between two graphemes, in the middle of a word.
    Graphemes,
    /// Between two words.
    Words,
    /// Between two sentences.
    Sentences,
    /// Between two lines.
    Lines,
    /// Between two paragraphs.
    Paragraphs,
    /// Before a heading.
    Sections,
}

/// Returns the kind of break before each byte of `text`, and after the last byte.
pub fn breaks_of(text: &str) -> Vec<Break> {
    let mut breaks = vec![Break::InGrapheme; text.len() + 1];
    let mut graphemes = Graphemes::default();
    for (at, _) in text.char_indices().filter(|&(_, c)| graphemes.starts(c)) {
        breaks[at] = Break::Graphemes;
    }
    breaks[text.len()] = Break::Graphemes;
    mark_words(text, &mut breaks);
    mark_lines(text, &mut breaks);
    breaks
}

/// Raises the break at `at` to `kind`, unless it lies inside a grapheme or a fence line.
fn raise(breaks: &mut [Break], at: usize, kind: Break) {
    if breaks[at] >= Break::Graphemes {
        breaks[at] = breaks[at].max(kind);
    }
}

/// How far the scan is past the end of a sentence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sentence {
    Within,
    /// After a mark that ends a sentence only if white space follows.
    MarkedEnd,
    /// After a mark that ends a sentence whatever follows.
    End,
}

fn mark_words(text: &str, breaks: &mut [Break]) {
    let mut sentence = Sentence::Within;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let after = at + letter.len_utf8();
        match letter {
            '\n' | '\r' => raise(breaks, after, Break::Lines),
            // No-break spaces join the words around them.
            '\u{a0}' | '\u{2007}' | '\u{202f}' => sentence = Sentence::Within,
            _ if letter.is_whitespace() && sentence == Sentence::Within => {
                raise(breaks, after, Break::Words);
            }
            _ if letter.is_whitespace() => raise(breaks, after, Break::Sentences),
            '.' | '!' | '?' | '…' => sentence = Sentence::MarkedEnd,
            '。' | '！' | '？' | '｡' => sentence = Sentence::End,
            _ if is_closing(letter) => {}
            _ => sentence = Sentence::Within,
        }
        let goes_on = letters.peek().is_some_and(|&(_, next)| is_closing(next) || is_end_mark(next));
        if sentence == Sentence::End && !goes_on {
            raise(breaks, after, Break::Sentences);
        }
    }
}

fn is_end_mark(letter: char) -> bool {
    matches!(letter, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '｡')
}

/// Returns whether this character may follow the end mark of a sentence and still belong to the sentence.
fn is_closing(letter: char) -> bool {
    matches!(
        letter,
        ')' | ']' | '}' | '"' | '\'' | '*' | '_' | '»' | '”' | '’' | '」' | '』' | '）' | '】' | '》'
    )
}

fn mark_lines(text: &str, breaks: &mut [Break]) {
    let mut fence: Option<Fence> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let content = line.trim_end_matches(['\n', '\r']);
        match &fence {
            Some(open) if open.is_closed_by(content) => fence = None,
            Some(_) => {}
            None if is_heading(content) => raise(breaks, start, Break::Sections),
            None => {
                fence = Fence::opened_by(content);
                if fence.is_some() {
                    forbid(&mut breaks[start + 1..=start + content.len()]);
                    // A cut after the opening line is allowed but never preferred: the code below it would lose its
                    // language.
                    breaks[end] = breaks[end].min(Break::Graphemes);
                }
            }
        }
        if content.trim().is_empty() {
            raise(breaks, end, Break::Paragraphs);
        }
        start = end;
    }
}

fn forbid(breaks: &mut [Break]) {
    for place in breaks {
        *place = (*place).min(Break::InFenceLine);
    }
}

/// An open code fence.
struct Fence {
    mark: char,
    len: usize,
}

impl Fence {
    fn opened_by(line: &str) -> Option<Fence> {
        let line = without_indent(line);
        let item = ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet));
        let line = item.map_or(line, without_indent);
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let len = line.chars().take_while(|&other| other == mark).count();
        // Backticks around code on one line do not open a fence.
        let is_inline = mark == '`' && line.as_bytes()[len..].contains(&b'`');
        (len >= 3 && !is_inline).then_some(Fence { mark, len })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = without_indent(line).trim_end();
        line.len() >= self.len && line.chars().all(|mark| mark == self.mark)
    }
}

fn without_indent(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '>'])
}

/// Returns whether the line is a heading such as `## Install`.
fn is_heading(line: &str) -> bool {
    let marks = line.trim_start_matches(' ');
    let name = marks.trim_start_matches('#');
    let level = marks.len() - name.len();
    line.len() - marks.len() <= 3
        && (1..=6).contains(&level)
        && (name.is_empty() || name.starts_with([' ', '\t']))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns, for each break of this kind, the text before it.
    fn places(text: &str, kind: Break) -> Vec<&str> {
        let breaks = breaks_of(text);
        (0..=text.len()).filter(|&at| breaks[at] == kind).map(|at| &text[..at]).collect()
    }

    #[test]
    fn sentences_end_after_the_space_that_follows_their_mark() {
        let text = "Pi is 3.14. \"Really?\"  Yes…no. (Ok.) x";
        let expected = ["Pi is 3.14. ", "Pi is 3.14. \"Really?\" ", "Pi is 3.14. \"Really?\"  "];
        assert_eq!(places(text, Break::Sentences)[..3], expected);
        assert_eq!(places(text, Break::Sentences).len(), 5);
    }

    #[test]
    fn chinese_and_japanese_sentences_need_no_space() {
        assert_eq!(places("「走れ！」彼は。次", Break::Sentences), ["「走れ！」", "「走れ！」彼は。"]);
    }

    #[test]
    fn words_are_not_parted_at_spaces_that_hold_together() {
        assert_eq!(places("a 5\u{a0}km b", Break::Words), ["a ", "a 5\u{a0}km "]);
    }

    #[test]
    fn nothing_is_marked_within_a_grapheme() {
        // A space with an accent of its own, a flag, a family, a two-character line end, and a letter with two accents.
        for grapheme in [" \u{301}", "🇩🇪", "👨‍👩‍👧", "\r\n", "e\u{301}\u{302}"] {
            let text = format!("a{grapheme}b");
            let breaks = breaks_of(&text);
            let within = &breaks[2..1 + grapheme.len()];
            assert!(within.iter().all(|&kind| kind == Break::InGrapheme), "{grapheme:?} {within:?}");
        }
    }

    #[test]
    fn a_blank_line_ends_a_paragraph_and_every_line_end_a_line() {
        let text = "a\nb\r\n \t\r\nc\rd";
        assert_eq!(places(text, Break::Paragraphs), ["a\nb\r\n \t\r\n"]);
        assert_eq!(places(text, Break::Lines), ["a\n", "a\nb\r\n", "a\nb\r\n \t\r\nc\r"]);
    }

    #[test]
    fn headings_are_lines_of_one_to_six_marks_outside_of_fences() {
        let text = "# A\n#b\n####### c\n   ## D\n    # e\n```sh\n# f\n```\n#\n";
        let sections = places(text, Break::Sections);
        let lines = sections.iter().map(|before| text[before.len()..].lines().next().unwrap());
        assert_eq!(lines.collect::<Vec<_>>(), ["# A", "   ## D", "#"]);
    }

    #[test]
    fn the_line_that_opens_a_fence_is_whole_wherever_it_stands() {
        for fence in ["```rust no run", "~~~ a`b", "  - `````", "> ```js", "\t```"] {
            let breaks = breaks_of(&format!("x y\n{fence}\n# z\n"));
            assert_eq!(breaks[4], Break::Lines);
            assert!(breaks[5..=4 + fence.len()].iter().all(|&kind| kind == Break::InFenceLine), "{fence}");
            assert!(!breaks.contains(&Break::Sections), "{fence}");
        }
        assert!(!breaks_of("```inline``` code\nand more").contains(&Break::InFenceLine));
    }

    #[test]
    fn a_fence_ends_at_as_many_marks_of_its_own() {
        let text = "````\n```\n~~~~\n# a\n`````\n# b\n";
        assert_eq!(places(text, Break::Sections), [&text[..text.len() - 4]]);
    }
}
