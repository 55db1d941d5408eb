//! The headings of a Markdown text. A Markdown parser finds them, because a `#` in code is no heading.

use super::page::Heading;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Returns the headings after `start` that are not within a list or a quotation, in order.
pub fn headings(text: &str, start: usize) -> Vec<Heading> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut headings = Vec::new();
    let mut open: Option<Heading> = None;
    let mut depth = 0;
    for (event, range) in Parser::new_ext(&text[start..], options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, id, .. }) if depth == 0 => {
                let at = start + range.start;
                let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1).max(start);
                let end = start + range.end;
                let anchor = id.map(|id| id.to_string()).filter(|id| !id.is_empty());
                open = Some(Heading { level: level as u8, at: line_start, end, name: String::new(), anchor });
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(TagEnd::Heading(_)) => {
                depth -= 1;
                headings.extend(open.take().map(with_attributes));
            }
            Event::End(_) => depth -= 1,
            Event::Text(piece) | Event::Code(piece) => {
                if let Some(heading) = &mut open {
                    heading.name.push_str(&piece);
                }
            }
            Event::InlineHtml(tag) => {
                if let Some(heading) = &mut open {
                    heading.anchor = heading.anchor.take().or_else(|| id_in(&tag));
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

/// Reads an attribute list of Python-Markdown at the end of a heading: `{: #install .wide }`.
fn with_attributes(mut heading: Heading) -> Heading {
    let list = heading.name.rfind("{:").filter(|_| heading.name.ends_with('}'));
    if let Some(start) = list {
        let words = heading.name[start + 2..heading.name.len() - 1].split_whitespace();
        let id = words.filter_map(|word| word.strip_prefix('#')).next().map(str::to_owned);
        heading.name.truncate(heading.name[..start].trim_end().len());
        heading.anchor = id.or(heading.anchor);
    }
    heading
}

/// Returns the id in a tag such as `<a id="install">` or `<a name="install">`.
fn id_in(tag: &str) -> Option<String> {
    ["id", "name"].iter().find_map(|name| {
        let at = tag.find(&format!(" {name}="))? + name.len() + 2;
        let value = tag[at..].trim_start_matches(['"', '\'']);
        let end = value.find(['"', '\'', '>', ' ', '/']).unwrap_or(value.len());
        (end > 0).then(|| value[..end].to_owned())
    })
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

    #[test]
    fn a_heading_may_name_its_anchor() {
        let text = "# A {#first}\n\n# B {: #second .wide }\n\n# <a id=\"third\"></a>C\n\n# D\n";
        let found =
            headings(text, 0).into_iter().map(|heading| (heading.name, heading.anchor.unwrap_or_default()));
        let expected = [("A", "first"), ("B", "second"), ("C", "third"), ("D", "")];
        assert_eq!(
            found.collect::<Vec<_>>(),
            expected.map(|(name, anchor)| (name.to_owned(), anchor.to_owned()))
        );
    }
}
