//! How does a long text become pieces that can be found, embedded and shown one by one?
//!
//! A window of `size` characters moves over the text. It ends at the best break in its last quarter: a heading first,
//! then a blank line, a line end, the end of a sentence, a space. Among breaks of the same kind the latest wins. Each
//! window starts `overlap` characters before the end of the previous one. Three rules adjust starts and ends:
//!
//! - No chunk starts or ends inside a grapheme, or inside the line that opens a code fence. Starts and ends move back;
//!   a start that would not advance if it moved back moves forward instead.
//! - If such a line fills a whole window, it is cut between graphemes. If a grapheme fills a whole window, it is cut
//!   between characters. So even a text of nothing but accents is cut, and no chunk is ever longer than `size`.
//! - A break is skipped if it is so close to the window's start that the next window would not advance.
//!
//! Time and memory are linear in the length of the text, whatever it contains. The memory is 1 byte per byte of text.

mod breaks;
mod error;

pub use error::ChunkError;

use crate::tokens::tokens_in_units;
use breaks::{Break, breaks_of};

/// The default size of a chunk, in characters.
pub const DEFAULT_SIZE: usize = 1200;
/// The default overlap of a chunk with the previous one, in characters.
pub const DEFAULT_OVERLAP: usize = 200;
/// The largest allowed size of a chunk, in characters.
pub const MAX_SIZE: usize = 6000;
/// The largest allowed overlap, in characters.
pub const MAX_OVERLAP: usize = 1000;

/// A piece of a longer text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The chunk's text, a slice of the original.
    pub text: &'a str,
    /// The chunk's position among all chunks, counted from 0.
    pub index: usize,
    /// The estimated number of language-model tokens: a quarter of the chunk's UTF-16 code units, rounded up.
    pub token_count: usize,
    /// The number of characters (code points) before the chunk.
    pub char_offset: usize,
    /// The number of bytes before the chunk.
    pub byte_offset: usize,
}

/// Checks the sizes that [`chunk_text`] takes.
///
/// # Errors
/// Fails when the size is not 1 to [`MAX_SIZE`], the overlap exceeds [`MAX_OVERLAP`], or the overlap is not less than
/// the size.
pub fn check_sizes(size: usize, overlap: usize) -> Result<(), ChunkError> {
    if !(1..=MAX_SIZE).contains(&size) {
        return Err(ChunkError::BadSize { size });
    }
    if overlap > MAX_OVERLAP {
        return Err(ChunkError::BadOverlap { overlap });
    }
    if overlap >= size {
        return Err(ChunkError::OverlapNotLess { size, overlap });
    }
    Ok(())
}

/// Cuts a text into chunks of at most `size` characters that overlap by `overlap` characters.
///
/// Characters are code points. Every character that is not white space is in some chunk. Chunks of nothing but white
/// space are left out and not counted. The [module](self) documents how starts and ends are chosen.
///
/// ```
/// use snapseek::chunking::chunk_text;
///
/// let chunks = chunk_text("One sentence. Another sentence.", 18, 0).unwrap();
/// assert_eq!(chunks[1].text, "Another sentence.");
/// assert_eq!(chunks[1].char_offset, 14);
/// ```
///
/// # Errors
/// Fails when [`check_sizes`] refuses the sizes.
pub fn chunk_text(body: &str, size: usize, overlap: usize) -> Result<Vec<Chunk<'_>>, ChunkError> {
    check_sizes(size, overlap)?;
    let mut chunks = Vec::new();
    let mut windows = Windows::new(body, size, overlap);
    // The first non-space character at or after the start. It is searched for only once, even if several chunks
    // share it.
    let mut non_space = first_non_space(body, 0);
    while let Some((start, end)) = windows.next() {
        if non_space < start.byte {
            non_space = first_non_space(body, start.byte);
        }
        if non_space >= end.byte {
            continue;
        }
        chunks.push(Chunk {
            text: &body[start.byte..end.byte],
            index: chunks.len(),
            token_count: tokens_in_units(end.units - start.units),
            char_offset: start.chars,
            byte_offset: start.byte,
        });
    }
    Ok(chunks)
}

fn first_non_space(body: &str, from: usize) -> usize {
    body[from..].find(|letter: char| !letter.is_whitespace()).map_or(body.len(), |len| from + len)
}

/// A position between two characters, counted in bytes, characters and UTF-16 code units from the start of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TextPosition {
    byte: usize,
    chars: usize,
    units: usize,
}

/// Iterates over the windows of a text. Neither start nor limit ever moves back, so each passes every character once.
struct Windows<'a> {
    body: &'a str,
    breaks: Vec<Break>,
    size: usize,
    overlap: usize,
    start: TextPosition,
    /// The latest possible end of the window.
    limit: TextPosition,
    /// The last position up to the limit that is neither in a fence line nor in a grapheme, and the last one that is not
    /// in a grapheme.
    last_allowed: TextPosition,
    last_grapheme: TextPosition,
    is_done: bool,
}

impl<'a> Windows<'a> {
    fn new(body: &'a str, size: usize, overlap: usize) -> Windows<'a> {
        let origin = TextPosition::default();
        Windows {
            body,
            breaks: breaks_of(body),
            size,
            overlap,
            start: origin,
            limit: origin,
            last_allowed: origin,
            last_grapheme: origin,
            is_done: body.is_empty(),
        }
    }

    /// Returns the start and end of the next window.
    fn next(&mut self) -> Option<(TextPosition, TextPosition)> {
        if self.is_done {
            return None;
        }
        self.advance_limit();
        let start = self.start;
        if self.limit.byte == self.body.len() {
            self.is_done = true;
            return Some((start, self.limit));
        }
        let end = self.best_break().unwrap_or_else(|| self.hard_end());
        self.start = self.next_start(end);
        Some((start, end))
    }

    fn advance_limit(&mut self) {
        while self.limit.chars < self.start.chars + self.size && self.limit.byte < self.body.len() {
            self.limit = self.after(self.limit);
            let kind = self.breaks[self.limit.byte];
            if kind >= Break::InFenceLine {
                self.last_grapheme = self.limit;
            }
            if kind >= Break::Graphemes {
                self.last_allowed = self.limit;
            }
        }
    }

    /// Returns the best break in the last quarter of the window, the latest of its kind, or `None` if there is no break
    /// between words.
    fn best_break(&self) -> Option<TextPosition> {
        let last_quarter = self.start.chars + self.size - self.size / 4;
        let earliest = last_quarter.max(self.start.chars + self.overlap + 1);
        let (mut best, mut best_kind) = (None, Break::Graphemes);
        let mut place = self.limit;
        while place.chars >= earliest {
            let kind = self.breaks[place.byte];
            if kind > best_kind {
                (best, best_kind) = (Some(place), kind);
            }
            place = self.before(place);
        }
        best
    }

    /// Returns the end of a window without a good break.
    fn hard_end(&self) -> TextPosition {
        let places = [self.last_allowed, self.last_grapheme];
        places.into_iter().find(|place| place.byte > self.start.byte).unwrap_or(self.limit)
    }

    /// Returns the position `overlap` characters before `end`, or the nearest one whose break is no worse than the end's.
    fn next_start(&self, end: TextPosition) -> TextPosition {
        let allowed = self.breaks[end.byte].min(Break::Graphemes);
        let wanted = end.chars.saturating_sub(self.overlap);
        let mut last = None;
        let mut place = self.after(self.start);
        loop {
            let is_allowed = self.breaks[place.byte] >= allowed;
            if is_allowed && place.chars <= wanted {
                last = Some(place);
            }
            if place.chars >= wanted {
                match last {
                    Some(last) => return last,
                    None if is_allowed => return place,
                    None => {}
                }
            }
            place = self.after(place);
        }
    }

    fn after(&self, place: TextPosition) -> TextPosition {
        let letter =
            self.body[place.byte..].chars().next().expect("the position is before the end of the text");
        TextPosition {
            byte: place.byte + letter.len_utf8(),
            chars: place.chars + 1,
            units: place.units + letter.len_utf16(),
        }
    }

    fn before(&self, place: TextPosition) -> TextPosition {
        let letter =
            self.body[..place.byte].chars().next_back().expect("the position is after the start of the text");
        TextPosition {
            byte: place.byte - letter.len_utf8(),
            chars: place.chars - 1,
            units: place.units - letter.len_utf16(),
        }
    }
}

#[cfg(test)]
mod tests;
