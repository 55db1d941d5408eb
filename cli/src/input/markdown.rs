//! The headings of a Markdown text. A Markdown parser finds them, because a `#` in code is no heading.

use super::document::Heading;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Returns the headings after `start` that are not within a list or a quotation, in order.
pub fn headings(text: &str, start: usize) -> Vec<Heading> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut headings = Vec::new();
    let mut open: Option<Heading> = None;
    let mut depth = 0;
    for (event, range) in Parser::new_ext(&text[start..], options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                let at = start + range.start;
                let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1).max(start);
                let end = start + range.end;
                open = Some(Heading { level: level as u8, at: line_start, end, name: String::new() });
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(TagEnd::Heading(_)) => {
                depth -= 1;
                headings.extend(open.take());
            }
            Event::End(_) => depth -= 1,
            Event::Text(piece) | Event::Code(piece) => {
                if let Some(heading) = &mut open {
                    heading.name.push_str(&piece);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut open {
                    heading.name.push(' ');
                }
            }
            _ => {}
        }
    }
    headings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(u8, String, &str)> {
        let headings = headings(text, 0).into_iter();
        headings.map(|heading| (heading.level, heading.name, &text[heading.at..heading.end])).collect()
    }

    #[test]
    fn headings_are_those_of_the_text_itself() {
        let text = "# One *two* `three`\n\n```\n# code\n```\n\n    # code too\n\n> # quoted\n\n- # item\n\n  ## Four {#four}\nFive\n===\n";
        let expected = [
            (1, "One two three".to_owned(), "# One *two* `three`\n"),
            (2, "Four".to_owned(), "  ## Four {#four}\n"),
            (1, "Five".to_owned(), "Five\n===\n"),
        ];
        assert_eq!(
            found(&text.replace("- # item\n\n", "- # item\n\n<!-- end of the list -->\n\n")),
            expected
        );
    }

    #[test]
    fn a_heading_may_be_empty_or_closed_by_marks() {
        assert_eq!(
            found("#\n\n### A ###\r\ntext"),
            [(1, String::new(), "#\n"), (3, "A".to_owned(), "### A ###\r\n"),]
        );
    }
}
