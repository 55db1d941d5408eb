//! Unpacks four values at a time with WebAssembly SIMD, with the same results as `scalar`.

use super::LANES;
use core::arch::wasm32::{
    u32x4, u32x4_extract_lane, u32x4_shl, u32x4_shr, u32x4_splat, v128, v128_and, v128_or,
};

/// Extracts one packed value per lane. A value starts at bit `shift` of `low` and may continue into `high`.
#[inline]
pub fn unpack_row(low: &[u8; 16], high: &[u8; 16], shift: u32, mask: u32) -> [u32; LANES] {
    // SIMD shifts are modulo 32, so a shift by 32 bits takes two steps.
    let spilled = u32x4_shl(u32x4_shl(load(high), 1), 31 - shift);
    let row = v128_and(v128_or(u32x4_shr(load(low), shift), spilled), u32x4_splat(mask));
    [
        u32x4_extract_lane::<0>(row),
        u32x4_extract_lane::<1>(row),
        u32x4_extract_lane::<2>(row),
        u32x4_extract_lane::<3>(row),
    ]
}

fn load(word: &[u8; 16]) -> v128 {
    let (lanes, _) = word.as_chunks::<4>();
    let lane = |lane: usize| u32::from_le_bytes(lanes[lane]);
    u32x4(lane(0), lane(1), lane(2), lane(3))
}
