//! Unpacks four values on any target; the reference for the SIMD version.

use super::LANES;

/// Extracts one packed value per lane. A value starts at bit `shift` of `low` and may continue into `high`.
#[inline]
pub fn unpack_row(low: &[u8; 16], high: &[u8; 16], shift: u32, mask: u32) -> [u32; LANES] {
    let ((low, _), (high, _)) = (low.as_chunks::<4>(), high.as_chunks::<4>());
    let (low, high) = (|lane| u32::from_le_bytes(low[lane]), |lane| u32::from_le_bytes(high[lane]));
    // Most values end in the word in which they start.
    if mask.leading_zeros() >= shift {
        std::array::from_fn(|lane| low(lane) >> shift & mask)
    } else {
        std::array::from_fn(|lane| (low(lane) >> shift | high(lane) << (32 - shift)) & mask)
    }
}
