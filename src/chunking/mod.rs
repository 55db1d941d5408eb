//! How does a long text become pieces that can be found, embedded and shown one by one?
//!
//! A window of `size` characters passes over the text. Its end is pulled back to the best break in its last quarter:
//! a heading, then a blank line, a line end, the end of a sentence, a space; of the best kind, the latest. Each window
//! starts `overlap` characters before the end of the one before. What parts something that belongs together is moved:
//!
//! - No chunk starts or ends within a grapheme, or within the line that opens a code fence. An end moves back, and so
//!   does a start; a start that cannot move back without standing still moves on.
//! - A line of that kind that fills a window is cut between graphemes, and a grapheme that fills one between
//!   characters: a text of nothing but accents is cut like any other, and no chunk is ever longer than `size`.
//! - A break so near to the window's start that the next one would not get on is passed over.
//!
//! Time is linear in the text, whatever it holds; so is the memory, a byte for each byte of it.

mod breaks;
mod error;

pub use error::ChunkError;

use crate::tokens::tokens_in_units;
use breaks::{Break, breaks_of};

/// The characters of a chunk where nobody says otherwise.
pub const DEFAULT_SIZE: usize = 1200;
/// The characters that a chunk shares with the one before, where nobody says otherwise.
pub const DEFAULT_OVERLAP: usize = 200;
/// No chunk has more characters than this.
pub const MAX_SIZE: usize = 6000;
/// No two chunks share more characters than this.
pub const MAX_OVERLAP: usize = 1000;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The piece, as it stands in the text.
    pub text: &'a str,
    /// Its place among the chunks, from 0.
    pub index: usize,
    /// About how many tokens it is for a language model: a quarter of its UTF-16 units, rounded up.
    pub token_count: usize,
    /// The characters (code points) of the text before it.
    pub char_offset: usize,
    /// The bytes of the text before it.
    pub byte_offset: usize,
}

/// Refuses sizes that [`chunk_text`] refuses.
///
/// # Errors
/// When the size is not 1 to [`MAX_SIZE`], or the overlap more than [`MAX_OVERLAP`] or not less than the size.
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

/// The chunks of a text, in order: of at most `size` characters, each sharing `overlap` with the one before.
///
/// Characters are code points. Every character that is no white space is in some chunk; chunks of nothing but white
/// space are left out, and not counted. How ends are chosen is told above.
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
/// When the sizes are refused; see [`check_sizes`].
pub fn chunk_text(body: &str, size: usize, overlap: usize) -> Result<Vec<Chunk<'_>>, ChunkError> {
    check_sizes(size, overlap)?;
    let mut chunks = Vec::new();
    let mut windows = Windows::new(body, size, overlap);
    // The first character at or after the start that is no white space; it is looked for once, however many chunks
    // share it.
    let mut solid = first_solid(body, 0);
    while let Some((start, end)) = windows.next() {
        if solid < start.byte {
            solid = first_solid(body, start.byte);
        }
        if solid >= end.byte {
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

fn first_solid(body: &str, from: usize) -> usize {
    body[from..].find(|letter: char| !letter.is_whitespace()).map_or(body.len(), |len| from + len)
}

/// A place between two characters: what is before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    byte: usize,
    chars: usize,
    /// UTF-16 units.
    units: usize,
}

/// A window on its way over a text. Its limit never moves back, and nor does its start, so each passes every character
/// once.
struct Windows<'a> {
    body: &'a str,
    breaks: Vec<Break>,
    size: usize,
    overlap: usize,
    start: Place,
    /// Where the window ends at the latest.
    limit: Place,
    /// The last place up to the limit that parts no fence line, and the last that parts no grapheme.
    last_allowed: Place,
    last_grapheme: Place,
    is_done: bool,
}

impl<'a> Windows<'a> {
    fn new(body: &'a str, size: usize, overlap: usize) -> Windows<'a> {
        let origin = Place::default();
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

    /// The start and end of the next window.
    fn next(&mut self) -> Option<(Place, Place)> {
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

    /// The best break in the last quarter, the latest of its kind; none where only words would be parted.
    fn best_break(&self) -> Option<Place> {
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

    /// Where the window ends, when there is no good place.
    fn hard_end(&self) -> Place {
        let places = [self.last_allowed, self.last_grapheme];
        places.into_iter().find(|place| place.byte > self.start.byte).unwrap_or(self.limit)
    }

    /// The overlap before the end, or the nearest place to it that parts nothing more than the end does.
    fn next_start(&self, end: Place) -> Place {
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

    fn after(&self, place: Place) -> Place {
        let letter = self.body[place.byte..].chars().next().expect("a place before the end of the text");
        Place {
            byte: place.byte + letter.len_utf8(),
            chars: place.chars + 1,
            units: place.units + letter.len_utf16(),
        }
    }

    fn before(&self, place: Place) -> Place {
        let letter =
            self.body[..place.byte].chars().next_back().expect("a place after the start of the text");
        Place {
            byte: place.byte - letter.len_utf8(),
            chars: place.chars - 1,
            units: place.units - letter.len_utf16(),
        }
    }
}

#[cfg(test)]
mod tests;
