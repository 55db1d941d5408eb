//! Compares chunks with a naive twin that has no windows, and checks the rules in the module's documentation.

use super::*;
use std::time::Instant;

fn texts<'a>(chunks: &[Chunk<'a>]) -> Vec<&'a str> {
    chunks.iter().map(|chunk| chunk.text).collect()
}

/// Returns the start and end of each window, in characters, computed directly from the definition.
fn naive_windows(body: &str, size: usize, overlap: usize) -> Vec<(usize, usize)> {
    let by_byte = breaks_of(body);
    let mut breaks = body.char_indices().map(|(at, _)| by_byte[at]).collect::<Vec<_>>();
    breaks.push(Break::Sections);
    let len = breaks.len() - 1;
    let mut windows = Vec::new();
    let mut start = 0;
    while start < len {
        let limit = (start + size).min(len);
        let latest = |kind: Break| (start + 1..=limit).rev().find(|&at| breaks[at] >= kind);
        let end = if limit == len {
            len
        } else {
            let earliest = (start + size - size / 4).max(start + overlap + 1);
            let good = (earliest..=limit).filter(|&at| breaks[at] >= Break::Words);
            good.max_by_key(|&at| (breaks[at], at))
                .or_else(|| latest(Break::Graphemes))
                .or_else(|| latest(Break::InFenceLine))
                .unwrap_or(limit)
        };
        windows.push((start, end));
        if end == len {
            break;
        }
        let allowed = breaks[end].min(Break::Graphemes);
        let wanted = end.saturating_sub(overlap);
        let back = (start + 1..=wanted).rev().find(|&at| breaks[at] >= allowed);
        let on = || (wanted.max(start + 1)..=end).find(|&at| breaks[at] >= allowed);
        start = back.or_else(on).expect("the end itself is allowed");
    }
    windows
}

/// A deterministic random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)) % limit as u64) as usize
    }

    fn text(&mut self, pieces: usize) -> String {
        const PIECES: [&str; 24] = [
            "word",
            "a",
            " ",
            " ",
            "  ",
            "\n",
            "\n\n",
            "\r\n",
            "\r\n \r\n",
            ". ",
            "? ",
            "。",
            "漢字",
            "👨‍👩‍👧‍👦",
            "🇩🇪",
            "e\u{301}",
            "\u{302}",
            "각",
            "\n# H\n",
            "\n```rust x y\n",
            "\n```\n",
            "\u{a0}",
            "\t",
            "\u{0}",
        ];
        let mut text = String::new();
        for _ in 0..pieces {
            match self.below(60) {
                0 => text.push_str(&"\u{310}".repeat(self.below(60))),
                1 => text.push_str(&" ".repeat(self.below(60))),
                2 => text.push_str(&format!("\n~~~{}\n", "long ".repeat(self.below(12)))),
                3 => text.push_str(&"x".repeat(self.below(80))),
                4 => text.push(char::from_u32(self.below(0x11_0000) as u32).unwrap_or('\u{fffd}')),
                _ => text.push_str(PIECES[self.below(PIECES.len())]),
            }
        }
        text
    }
}

#[track_caller]
fn check_promises(body: &str, size: usize, overlap: usize) {
    let case = format!("size {size}, overlap {overlap}, {body:?}");
    let windows = naive_windows(body, size, overlap);
    let at = body.char_indices().map(|(at, _)| at).chain([body.len()]).collect::<Vec<_>>();
    let expected = windows.iter().map(|&(start, end)| (start, &body[at[start]..at[end]]));
    let expected = expected.filter(|(_, text)| !text.trim().is_empty()).collect::<Vec<_>>();
    let chunks = chunk_text(body, size, overlap).unwrap();
    let found = chunks.iter().map(|chunk| (chunk.char_offset, chunk.text)).collect::<Vec<_>>();
    assert_eq!(found, expected, "{case}");

    let mut covered = vec![false; at.len()];
    for (index, chunk) in chunks.iter().enumerate() {
        let len = chunk.text.chars().count();
        assert!(body[chunk.byte_offset..].starts_with(chunk.text), "{case}");
        assert_eq!(at[chunk.char_offset], chunk.byte_offset, "{case}");
        assert_eq!(chunk.index, index, "{case}");
        assert_eq!(chunk.token_count, chunk.text.encode_utf16().count().div_ceil(4), "{case}");
        assert!(len <= size, "{case}");
        covered[chunk.char_offset..chunk.char_offset + len].fill(true);
    }
    let is_lost = |(place, letter): (usize, char)| !covered[place] && !letter.is_whitespace();
    assert!(!body.chars().enumerate().any(is_lost), "{case}");
}

#[test]
fn r_chunks_random_texts_are_chunked_as_the_naive_twin_chunks_them_and_every_promise_holds() {
    let mut random = Random(7);
    for round in 0..4000 {
        let pieces = random.below(120);
        let body = random.text(pieces);
        let size = 1 + random.below(if round % 2 == 0 { 12 } else { 90 });
        let overlap = random.below(size);
        check_promises(&body, size, overlap);
    }
}

#[test]
fn r_chunks_ends_are_pulled_back_to_the_best_break_of_the_last_quarter() {
    // Windows have 20 characters, so the last quarter starts after the fifteenth.
    let cases = [
        ("aaaaaaaaaaaaaaaa\n# B c. d\n\ne f", "aaaaaaaaaaaaaaaa\n"),
        ("aaaaaaaaaaaaa. \n\nb c d e f", "aaaaaaaaaaaaa. \n\n"),
        ("aaaaaaaaaaaaaaaa\nb. c d e f", "aaaaaaaaaaaaaaaa\n"),
        ("aaaaaaaaaaaaaaa. b c d e f", "aaaaaaaaaaaaaaa. "),
        ("aaaaaaaaaaaaaaa b c d e f", "aaaaaaaaaaaaaaa b c "),
        ("aaaaaaaa\n\naaaaaaaaaaaaaaaaaaa", "aaaaaaaa\n\naaaaaaaaaa"),
    ];
    for (body, first) in cases {
        assert_eq!(chunk_text(body, 20, 0).unwrap()[0].text, first, "{body:?}");
    }
}

#[test]
fn r_chunks_the_next_chunk_starts_the_overlap_before_the_end() {
    let body = "one two three four five six seven eight nine ten";
    let chunks = chunk_text(body, 20, 6).unwrap();
    assert_eq!(
        texts(&chunks),
        ["one two three four ", " four five six ", "e six seven eight ", "eight nine ten"]
    );
    assert_eq!(chunks[1].char_offset, chunks[0].text.len() - 6);
}

#[test]
fn r_chunks_a_text_that_fits_is_one_chunk_and_white_space_is_none() {
    assert_eq!(texts(&chunk_text("all of it", 1200, 200).unwrap()), ["all of it"]);
    assert_eq!(chunk_text("", 1200, 200).unwrap(), []);
    assert_eq!(chunk_text(" \n\u{2003}\t", 2, 1).unwrap(), []);
    let body = format!("a{}b", " ".repeat(30));
    let chunks = chunk_text(&body, 10, 0).unwrap();
    assert_eq!(
        chunks.iter().map(|chunk| (chunk.index, chunk.char_offset)).collect::<Vec<_>>(),
        [(0, 0), (1, 30)]
    );
}

#[test]
fn r_chunks_a_grapheme_longer_than_a_chunk_is_cut_between_characters() {
    let body = format!("ab{}c", "\u{301}".repeat(9));
    let chunks = chunk_text(&body, 4, 1).unwrap();
    assert_eq!(chunks[0].text, "a");
    assert!(chunks.iter().all(|chunk| chunk.text.chars().count() <= 4));
    assert_eq!(chunks.last().map(|chunk| chunk.text.ends_with('c')), Some(true));
}

#[test]
fn r_chunks_the_opening_line_of_a_fence_is_cut_only_where_it_fills_a_window() {
    let body = "some text\n```rust ignore\nlet x = 1;\n```\n";
    for size in 16..40 {
        for overlap in 0..size.min(20) {
            for chunk in chunk_text(body, size, overlap).unwrap() {
                let end = chunk.char_offset + chunk.text.len();
                let is_within = |at: usize| (11..25).contains(&at);
                assert!(!is_within(chunk.char_offset) && !is_within(end), "{size} {overlap} {chunk:?}");
            }
        }
    }
    assert_eq!(chunk_text(body, 8, 0).unwrap()[2].text, "```rust ");
}

#[test]
fn r_chunks_sizes_out_of_range_are_refused() {
    let cases = [
        (0, 0, "a chunk cannot have 0 characters; 1 to 6000 are allowed"),
        (6001, 0, "a chunk cannot have 6001 characters; 1 to 6000 are allowed"),
        (6000, 1001, "chunks cannot overlap by 1001 characters; 0 to 1000 are allowed"),
        (
            200,
            200,
            "chunks of 200 characters cannot overlap by 200; the overlap has to be less than the size",
        ),
    ];
    for (size, overlap, message) in cases {
        assert_eq!(chunk_text("text", size, overlap).unwrap_err().to_string(), message);
    }
    chunk_text("text", 6000, 1000).unwrap();
}

#[test]
fn a_megabyte_of_anything_takes_time_that_grows_with_its_length_alone() {
    let len = 1_000_000;
    let unkind = ["x", "\u{301}", "🇩🇪", " ", "\n", "# \n", "a. ", "```", "`", "\n```x", "👨‍", "क्", "\u{600}"];
    for piece in unkind {
        let body = piece.repeat(len / piece.len());
        for (size, overlap) in [(1200, 200), (6000, 1000), (1001, 1000), (1, 0)] {
            let started = Instant::now();
            let chunks = chunk_text(&body, size, overlap).unwrap();
            // A run takes at most half a second; a quadratic algorithm would take minutes.
            assert!(started.elapsed().as_secs() < 20, "{piece:?} {size} {overlap}");
            let longest = chunks.iter().map(|chunk| chunk.text.len()).max().unwrap_or(0);
            assert!(longest <= size * 4, "{piece:?}");
        }
    }
}
