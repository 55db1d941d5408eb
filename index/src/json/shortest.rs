//! Which decimal number with the fewest digits reads back as a given double?
//!
//! The standard library's answer takes 17 kilobytes of WebAssembly, because it gives digits to any precision. This one
//! tries 15, 16 and 17 digits and asks [`Decimal`](super::decimal) whether they read back.

use super::decimal::{Big, TENS, nearest, parts};
use std::ops::RangeInclusive;

/// The number `digits · 10^exponent`. The digits do not end with a zero, unless they are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digits {
    pub digits: u64,
    pub exponent: i64,
}

/// The number of decimal digits that is enough for every double.
const MOST: u32 = 17;
/// A number with up to this number of digits survives the conversion to a double, unless that is subnormal.
const SURE: u32 = 15;

impl Digits {
    /// Appends the number as text.
    ///
    /// It is written without an exponent when the power of ten of its first digit lies in `plain`. A whole number
    /// written so ends in `.0` when `ends_in_fraction`.
    pub fn write(
        self,
        is_negative: bool,
        plain: RangeInclusive<i64>,
        ends_in_fraction: bool,
        out: &mut Vec<u8>,
    ) {
        let mut digits = Vec::new();
        write_integer(false, self.digits, &mut digits);
        let power = self.exponent + digits.len() as i64 - 1;
        let is_plain = plain.contains(&power);
        let zeros = |count: i64| &ZEROS[..usize::try_from(count).unwrap_or(0)];
        if is_negative {
            out.push(b'-');
        }
        if is_plain && power < 0 {
            return put(&[b"0.", zeros(-power - 1), &digits], out);
        }
        let (before, after) =
            digits.split_at(if is_plain { digits.len().min(power as usize + 1) } else { 1 });
        let (point, after): (&[u8], &[u8]) = match after {
            [] if is_plain && ends_in_fraction => (b".", b"0"),
            [] => (b"", b""),
            _ => (b".", after),
        };
        if is_plain {
            return put(&[before, zeros(self.exponent), point, after], out);
        }
        put(&[before, point, after, if power < 0 { b"e" } else { b"e+" }], out);
        write_integer(power < 0, power.unsigned_abs(), out);
    }
}

/// As many zeros as a number without an exponent can have before or after its digits.
const ZEROS: &[u8] = b"00000000000000000000";

#[inline(never)]
fn put(parts: &[&[u8]], out: &mut Vec<u8>) {
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

/// Appends the sign and the digits of a whole number.
#[inline(never)]
pub(super) fn write_integer(is_negative: bool, mut whole: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (whole % 10) as u8;
        whole /= 10;
        if whole == 0 {
            break;
        }
    }
    if is_negative {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

/// Returns the fewest digits that read back as the absolute value of a finite number.
///
/// Of several candidates it takes the nearest, and of two equally near ones the upper.
pub(super) fn shortest(number: f64) -> Digits {
    let number = number.abs();
    for (places, ten) in (0..).zip(TENS) {
        let scaled = number * ten;
        if scaled >= 1e15 {
            break;
        }
        if scaled.trunc() == scaled && scaled / ten == number {
            return stripped(scaled as u64, -places);
        }
    }
    let (mantissa, exponent) = parts(number);
    // Estimate the power of ten of the first digit as bits · log10(2). The estimate is exact or one too low for every
    // exponent of a double.
    let bits = exponent + i64::from(63 - mantissa.leading_zeros());
    let mut power = ((bits * 1_292_913_986) >> 32) - i64::from(MOST) + 1;
    let (mut digits, mut is_more) = scaled(mantissa, exponent, -power);
    if digits >= 10u64.pow(MOST) {
        power += 1;
        (digits, is_more) = scaled(mantissa, exponent, -power);
    }
    let first = if number < f64::MIN_POSITIVE { 1 } else { SURE };
    for count in first..MOST {
        let unit = 10u64.pow(MOST - count);
        let (below, is_upper) = (digits / unit, digits % unit >= unit / 2);
        for is_upper in [is_upper, !is_upper] {
            let (digits, power) = (below + u64::from(is_upper), power + i64::from(MOST - count));
            if nearest(digits, power) == number {
                return stripped(digits, power);
            }
        }
    }
    stripped(digits + u64::from(is_more), power)
}

fn stripped(mut digits: u64, mut exponent: i64) -> Digits {
    while digits != 0 && digits.is_multiple_of(10) {
        digits /= 10;
        exponent += 1;
    }
    Digits { digits, exponent }
}

/// Computes `mantissa · 2^exponent · 10^power`, which must be below 10^18.
///
/// Returns the whole part, and whether the fraction is at least a half.
fn scaled(mantissa: u64, exponent: i64, power: i64) -> (u64, bool) {
    let five = 5u64.checked_pow(power.unsigned_abs() as u32);
    let shift = exponent + power;
    if let Some(five) = five.filter(|_| power >= 0 && (-126..0).contains(&shift)) {
        let product = u128::from(mantissa) * u128::from(five);
        return ((product >> -shift) as u64, product >> (-shift - 1) & 1 == 1);
    }
    let (mut number, mut divisor) = (Big::of(mantissa), Big::of(1));
    let scaled = if power < 0 { &mut divisor } else { &mut number };
    scaled.multiply_tens(power.unsigned_abs());
    if exponent < 0 {
        divisor.double(-exponent)
    } else {
        number.double(exponent)
    }
    let places = (number.bits() - divisor.bits()).max(0);
    divisor.double(places);
    let digits = number.divide(&divisor, places + 1);
    // The remainder was doubled once more than the divisor, so it is twice the fraction.
    (digits, !number.is_less(&divisor))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the digits equal those of the standard library.
    fn check(number: f64) {
        let number = if number.is_finite() { number } else { 0.0 };
        let text = format!("{:e}", number.abs());
        let (digits, exponent) = text.split_once('e').unwrap();
        let places = digits.split_once('.').map_or(0, |(_, places)| places.len() as i64);
        let expected = Digits {
            digits: digits.replace('.', "").parse().unwrap(),
            exponent: exponent.parse::<i64>().unwrap() - places,
        };
        assert_eq!(shortest(number), expected, "{text}");
    }

    #[test]
    fn the_digits_equal_those_of_the_standard_library() {
        for exponent in -1074..1024 {
            let power = two_to_the(exponent);
            for number in
                [power, power.next_up(), power.next_down(), power * 1.5, power * 1.1, power * 1.0001]
            {
                check(number);
            }
        }
        for exponent in -330..310 {
            for digits in ["1", "5", "1.5", "9.999999999999999", "1.2345678901234567"] {
                check(format!("{digits}e{exponent}").parse().unwrap());
            }
        }
        let mut state = 9u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            check(f64::from_bits(state));
            check((state >> 32) as f64 / 1e4);
            check(state as f64 / 1e19);
            check((state >> 20) as f64 / 131_072.0);
            check((state >> 12) as f64 / (1u64 << (state % 60)) as f64);
            check(f64::from_bits(state >> 12 >> (state % 50)));
        }
    }

    fn two_to_the(exponent: i32) -> f64 {
        match exponent {
            -1022.. => f64::from_bits(((exponent + 1023) as u64) << 52),
            _ => f64::from_bits(1 << (exponent + 1074)),
        }
    }
}
