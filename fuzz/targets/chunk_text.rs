//! Splits any text into chunks of any size; it must not panic. Every chunk must be the part of the text at its offset, and not
//! longer than the size. Chunks must ascend, and together they must hold everything except white space.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::chunking::{check_sizes, chunk_text};
use snapseek_fuzz::seeds;

// Input: u8 size, u8 overlap, then text.
fuzz_target!(
    init: seeds::write(seeds),
    |input: &[u8]| {
        let [size, overlap, rest @ ..] = input else { return };
        let (size, overlap) = (usize::from(*size), usize::from(*overlap));
        let text = snapseek_fuzz::text(rest);
        let chunks = match chunk_text(text, size, overlap) {
            Ok(chunks) => chunks,
            Err(error) => return assert_eq!(check_sizes(size, overlap), Err(error)),
        };
        let mut covered = 0;
        let mut last_start = None;
        for (index, chunk) in chunks.iter().enumerate() {
            let start = chunk.byte_offset;
            assert_eq!(chunk.index, index);
            assert!(text[start..].starts_with(chunk.text), "{chunk:?} is the text at its offset");
            assert_eq!(text[..start].chars().count(), chunk.char_offset);
            assert!(chunk.text.chars().count() <= size && !chunk.text.trim().is_empty());
            assert!(last_start < Some(start), "chunks ascend");
            last_start = Some(start);
            // Only white space may be between two chunks.
            assert!(start <= covered || text[covered..start].trim().is_empty());
            covered = covered.max(start + chunk.text.len());
        }
        assert!(text[covered..].trim().is_empty(), "all of the text is in chunks");
    }
);

fn seeds() -> Vec<Vec<u8>> {
    let files = [seeds::files("docs"), seeds::files("tests/golden")].concat();
    let texts = files.iter().map(|file| snapseek_fuzz::text(file).chars().take(2000).collect::<String>());
    let own =
        ["# A\n\nb c. d\n```rust x\ny\n```\n", "e\u{301}\u{302} 👨‍👩‍👧 🇩🇪🇫🇷 각\r\n\r\n", "「走れ！」彼は。次"];
    let texts = texts.chain(own.map(str::to_owned)).collect::<Vec<_>>();
    let sizes: [[u8; 2]; 4] = [[200, 40], [20, 19], [3, 0], [1, 0]];
    texts.iter().flat_map(|text| sizes.map(|size| [&size[..], text.as_bytes()].concat())).collect()
}
