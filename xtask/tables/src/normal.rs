//! Which code points do only some hosts normalise? Generates `src/embed/normal/later.rs`.
//!
//! Hosts with an old Unicode leave code points alone that version 14 or later added. Perl knows the code points of version
//! 13; the crate unicode-normalization knows what the others become.

use std::error::Error;
use std::process::Command;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// The generated file, from the root of the repository.
pub(crate) const FILE: &str = "src/embed/normal/later.rs";

/// Prints the ranges of code points that Unicode 13 has: first and last in hexadecimal, one range per line.
const PERL: &str = r#"
    no warnings;
    my ($first, $last);
    for my $code (0 .. 0xD7FF, 0xE000 .. 0x110000) {
        my $is_known = $code < 0x110000 && chr($code) =~ /\p{Present_In: 13.0}/;
        if ($is_known) { $first //= $code; $last = $code }
        elsif (defined $first) { printf "%x %x\n", $first, $last; undef $first }
    }"#;

/// The text of [`FILE`].
///
/// # Errors
/// When perl cannot be run or its answer cannot be read.
pub(crate) fn table() -> Result<String, Box<dyn Error>> {
    let perl = Command::new("perl").args(["-e", PERL]).output()?;
    if !perl.status.success() {
        return Err(format!("perl failed: {}", String::from_utf8_lossy(&perl.stderr).trim()).into());
    }
    let text = String::from_utf8(perl.stdout)?;
    let mut known = Vec::new();
    for line in text.lines() {
        let (first, last) = line.split_once(' ').ok_or("a line is a first and a last code point")?;
        known.push(u32::from_str_radix(first, 16)?..=u32::from_str_radix(last, 16)?);
    }
    let is_later = |c: char| !known.iter().any(|range| range.contains(&u32::from(c)));
    // What changes, what changes its place, and what either is made of.
    let mut later = Vec::new();
    for c in ('\0'..=char::MAX).filter(|c| is_later(*c)) {
        let parts = c.nfkd().collect::<Vec<_>>();
        if parts != [c] || canonical_combining_class(c) != 0 {
            later.push(c);
            later.extend(parts.into_iter().filter(|part| is_later(*part)));
        }
    }
    later.sort_unstable();
    later.dedup();
    let mut out = String::from(
        "//! Which code points do only some hosts normalise? Those that Unicode added in version 14 or later.\n\
         //!\n\
         //! Written by `cargo xtask gen-normal`; ranges are inclusive and ascending.\n\n\
         pub(super) static LATER: &[(char, char)] = &[\n",
    );
    for range in later.chunk_by(|a, b| u32::from(*a) + 1 == u32::from(*b)) {
        let (first, last) = (range[0].escape_unicode(), range[range.len() - 1].escape_unicode());
        out += &format!("    ('{first}', '{last}'),\n");
    }
    out += "];\n";
    Ok(out)
}
