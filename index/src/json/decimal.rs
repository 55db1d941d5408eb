//! Which double is nearest to a decimal number?
//!
//! The standard library's answer needs 10 kilobytes of powers of five, which do not compress. This one has no tables: a
//! number with up to 19 digits and a moderate exponent is a product or a quotient of two integers, and everything else
//! is a long division, bit by bit.

use std::cmp::Ordering;

/// A non-negative decimal number as text: digits before and after the point, and a power of ten.
///
/// The digits before the point have no leading zero, unless zero is the only digit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal<'a> {
    pub whole: &'a [u8],
    pub fraction: &'a [u8],
    pub exponent: i64,
}

/// The powers of ten that are exact as doubles.
pub(super) const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// A number below this limit still fits 64 bits with one more digit.
const SHORT: u64 = 10u64.pow(18);
/// The maximum absolute exponent of ten for the fast path: 5^27 fits 63 bits.
const MODERATE: i64 = 27;
/// Digits after this number can only break ties: no point halfway between two doubles has more digits.
const TELLING: usize = 800;

impl Decimal<'_> {
    /// Returns the nearest double, or the even one of two equally near. Returns infinity on overflow.
    pub fn nearest(self) -> f64 {
        let (mut mantissa, mut left, mut is_exact) = (0, 0, true);
        for digits in [self.whole, self.fraction] {
            for digit in digits {
                if mantissa < SHORT {
                    mantissa = mantissa * 10 + u64::from(digit - b'0');
                } else {
                    left += 1;
                    is_exact &= *digit == b'0';
                }
            }
        }
        if mantissa == 0 {
            return 0.0;
        }
        let exponent = self.exponent - self.fraction.len() as i64 + left;
        if is_exact && mantissa < 1 << 53 && exponent.unsigned_abs() < TENS.len() as u64 {
            // Both operands are exact, so only the result is rounded.
            let ten = TENS[exponent.unsigned_abs() as usize];
            return if exponent < 0 { mantissa as f64 / ten } else { mantissa as f64 * ten };
        }
        if exponent.abs() <= MODERATE {
            let found = moderate(mantissa, exponent).nearest();
            // The digits left out amount to less than one unit of the last digit kept.
            if is_exact || found == moderate(mantissa + 1, exponent).nearest() {
                return found;
            }
        }
        match exponent + i64::from(mantissa.ilog10()) {
            ..-330 => 0.0,
            310.. => f64::INFINITY,
            _ => self.divided(),
        }
    }

    /// Computes the same by long division, for any number.
    #[inline(never)]
    fn divided(self) -> f64 {
        let mut number = Big::of(0);
        let (mut count, mut left, mut is_more) = (0, 0, false);
        for digits in [self.whole, self.fraction] {
            for digit in digits {
                if count < TELLING {
                    number.multiply_add(10, u32::from(digit - b'0'));
                    count += usize::from(!number.0.is_empty());
                } else {
                    left += 1;
                    is_more |= *digit != b'0';
                }
            }
        }
        let mut exponent = self.exponent - self.fraction.len() as i64 + left;
        if is_more {
            // The size of the rest does not matter, only that it is not zero.
            number.multiply_add(10, 1);
            exponent -= 1;
        }
        scaled_nearest(number, exponent)
    }
}

/// Returns the double nearest to `mantissa · 10^exponent`.
pub(super) fn nearest(mantissa: u64, exponent: i64) -> f64 {
    if exponent.abs() <= MODERATE {
        return moderate(mantissa, exponent).nearest();
    }
    scaled_nearest(Big::of(mantissa), exponent)
}

/// Returns the double nearest to `number · 10^exponent`.
fn scaled_nearest(mut number: Big, exponent: i64) -> f64 {
    let mut divisor = Big::of(1);
    let scaled = if exponent < 0 { &mut divisor } else { &mut number };
    scaled.multiply_tens(exponent.unsigned_abs());
    quotient(number, divisor).nearest()
}

/// Splits a positive double into `(mantissa, exponent)`, so that it equals `mantissa · 2^exponent`.
pub(super) fn parts(number: f64) -> (u64, i64) {
    let (power, rest) = (number.to_bits() >> 52, number.to_bits() & ((1 << 52) - 1));
    match power {
        0 => (rest, -1074),
        _ => (rest | 1 << 52, power as i64 - 1075),
    }
}

/// The number `mantissa · 2^(exponent - 63)`, plus a little when `is_more`. The highest bit of the mantissa is set.
#[derive(Clone, Copy, Debug)]
struct Binary {
    mantissa: u64,
    exponent: i64,
    is_more: bool,
}

impl Binary {
    /// Rounds to the nearest double, ties to even.
    #[inline(never)]
    fn nearest(self) -> f64 {
        // A subnormal double has one bit less per power below 2^-1022. After dropping 65 bits, the rest is less than
        // half of the smallest double.
        let dropped = 11 + (-1022 - self.exponent).clamp(0, 54) as u32;
        let kept = self.mantissa.checked_shr(dropped).unwrap_or(0);
        let rest = self.mantissa.checked_shl(64u32.wrapping_sub(dropped)).unwrap_or(0);
        let is_up = match rest.cmp(&(1 << 63)) {
            Ordering::Less => false,
            Ordering::Equal => self.is_more || kept % 2 == 1,
            Ordering::Greater => true,
        };
        // The implicit leading bit adds one to the exponent field, and so does rounding up to the next power of two.
        let power = (self.exponent + 1022).max(0) as u64;
        let bits = (power << 52) + kept + u64::from(is_up);
        f64::from_bits(bits.min(f64::INFINITY.to_bits()))
    }
}

/// Computes `mantissa · 10^exponent` for an exponent of at most [`MODERATE`] in absolute value.
fn moderate(mantissa: u64, exponent: i64) -> Binary {
    let five = 5u64.pow(exponent.unsigned_abs() as u32);
    if exponent >= 0 {
        let product = u128::from(mantissa) * u128::from(five);
        let shift = product.leading_zeros();
        let product = product << shift;
        return Binary {
            mantissa: (product >> 64) as u64,
            exponent: 127 - i64::from(shift) + exponent,
            is_more: product as u64 != 0,
        };
    }
    let (ours, theirs) = (mantissa.leading_zeros(), five.leading_zeros());
    let (number, divisor) = (mantissa << ours, five << theirs);
    let power = exponent + i64::from(theirs) - i64::from(ours);
    // Shift so that the quotient has exactly 64 bits, whichever operand is larger.
    let (high, low, power) =
        if number < divisor { (number, 0, power - 1) } else { (number >> 1, number << 63, power) };
    let (mantissa, rest) = divide(high, low, divisor);
    Binary { mantissa, exponent: power, is_more: rest != 0 }
}

/// Divides `high · 2^64 + low` by `divisor` and returns the quotient and the remainder.
///
/// Requires that `high < divisor` and that the highest bit of the divisor is set. This is Knuth's algorithm D with two
/// digits of 32 bits; a 128-bit division would take a kilobyte of WebAssembly.
fn divide(high: u64, low: u64, divisor: u64) -> (u64, u64) {
    const LOW: u64 = u32::MAX as u64;
    let (upper, lower) = (divisor >> 32, divisor & LOW);
    let (mut quotient, mut rest) = (0, high);
    for part in [low >> 32, low & LOW] {
        let (mut digit, mut over) = (rest / upper, rest % upper);
        while over <= LOW && (digit > LOW || digit * lower > (over << 32 | part)) {
            digit -= 1;
            over += upper;
        }
        rest = (rest << 32 | part).wrapping_sub(digit.wrapping_mul(divisor));
        quotient = quotient << 32 | digit;
    }
    (quotient, rest)
}

/// Divides two positive integers and returns the first 64 bits of the quotient.
fn quotient(mut number: Big, mut divisor: Big) -> Binary {
    let mut exponent = number.bits() - divisor.bits();
    if exponent < 0 {
        number.double(-exponent)
    } else {
        divisor.double(exponent)
    }
    if number.is_less(&divisor) {
        number.double(1);
        exponent -= 1;
    }
    let mantissa = number.divide(&divisor, 64);
    Binary { mantissa, exponent, is_more: number.bits() > 0 }
}

/// An unsigned integer of any size: 32-bit digits, the lowest first, the last not zero.
#[derive(Clone, Debug)]
pub(super) struct Big(Vec<u32>);

impl Big {
    pub fn of(number: u64) -> Big {
        let mut digits = vec![number as u32, (number >> 32) as u32];
        digits.truncate((64 - number.leading_zeros()).div_ceil(32) as usize);
        Big(digits)
    }

    pub fn bits(&self) -> i64 {
        let unused = self.0.last().map_or(0, |digit| digit.leading_zeros());
        self.0.len() as i64 * 32 - i64::from(unused)
    }

    /// Multiplies by `10^power`.
    pub fn multiply_tens(&mut self, power: u64) {
        for _ in 0..power / 9 {
            self.multiply_add(1_000_000_000, 0);
        }
        self.multiply_add(10u32.pow((power % 9) as u32), 0);
    }

    #[inline(never)]
    fn multiply_add(&mut self, factor: u32, more: u32) {
        let mut carry = u64::from(more);
        for digit in &mut self.0 {
            let product = u64::from(*digit) * u64::from(factor) + carry;
            (*digit, carry) = (product as u32, product >> 32);
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Multiplies by `2^times`.
    #[inline(never)]
    pub fn double(&mut self, times: i64) {
        let (digits, bits) = ((times / 32) as usize, (times % 32) as u32);
        self.multiply_add(1 << bits, 0);
        if digits > 0 && !self.0.is_empty() {
            let mut shifted = vec![0; digits];
            shifted.extend_from_slice(&self.0);
            self.0 = shifted;
        }
    }

    #[inline(never)]
    pub fn is_less(&self, other: &Big) -> bool {
        match self.0.len().cmp(&other.0.len()) {
            Ordering::Equal => self.0.iter().rev().lt(other.0.iter().rev()),
            order => order == Ordering::Less,
        }
    }

    /// Divides `self` by `divisor` and returns the first `bits` bits of the quotient. Requires `divisor > self / 2`.
    ///
    /// The remainder is left in `self`, multiplied by `2^bits`.
    #[inline(never)]
    pub fn divide(&mut self, divisor: &Big, bits: i64) -> u64 {
        let mut quotient = 0;
        for _ in 0..bits {
            quotient <<= 1;
            if !self.is_less(divisor) {
                self.subtract(divisor);
                quotient |= 1;
            }
            self.double(1);
        }
        quotient
    }

    /// Subtracts `other`, which must not be larger.
    fn subtract(&mut self, other: &Big) {
        let mut borrow = false;
        for (place, digit) in self.0.iter_mut().enumerate() {
            let (less, is_below) = digit.overflowing_sub(other.0.get(place).copied().unwrap_or(0));
            let (less, is_still_below) = less.overflowing_sub(u32::from(borrow));
            (*digit, borrow) = (less, is_below | is_still_below);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a number reads as the same double as in the standard library.
    fn check(text: &str) {
        let (number, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let (whole, fraction) = (whole.as_bytes(), fraction.as_bytes());
        let decimal = Decimal { whole, fraction, exponent: exponent.parse().unwrap() };
        let expected = text.parse::<f64>().unwrap();
        assert_eq!(decimal.nearest().to_bits(), expected.to_bits(), "{text}");
        if expected.is_normal() {
            assert_eq!(decimal.divided().to_bits(), expected.to_bits(), "{text} by long division");
        }
    }

    #[test]
    fn numbers_near_a_rounding_boundary_round_to_the_right_side() {
        let borders = [
            "0",
            "0.0e999999",
            "1e-400",
            "1e400",
            "1e99999999999",
            "1e-99999999999",
            "2.47e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "4.9e-324",
            "2.2250738585072011e-308",
            "2.2250738585072012e-308",
            "2.2250738585072014e-308",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880e0",
            "9007199254740993",
            "9007199254740993.00000000000000000000000000000000000000000000000000000001",
            "9007199254740992.99999999999999999999999999999999999999999999999999999999",
            "0.500000000000000166533453693773481063544750213623046875",
            "3.518437208883201171875e13",
            "8.5e26",
            "123456789012345678901234567890",
            "6929495644600919.5",
            "3.4027687e-27",
            "1e23",
            "8.41e21",
            "5e-324",
            "0.1",
        ];
        borders.into_iter().for_each(check);
        check(&format!("1.{}1e0", "0".repeat(2000)));
        check(&format!("0.{}1e2001", "0".repeat(2000)));
        check(&format!("{}e-2000", "1234567890".repeat(200)));
        // Exactly halfway between zero and the smallest double, and slightly above.
        let halfway = format!("{:.1100}", f64::from_bits(1)).trim_end_matches('0').to_owned();
        let digits = halfway.trim_start_matches("0.").trim_start_matches('0').to_owned();
        for more in ["", "1", "0000000000000000000000000001"] {
            check(&format!("{digits}{more}e{}", -(halfway.len() as i64 - 2) - more.len() as i64));
        }
    }

    #[test]
    fn any_digits_and_exponent_parse_as_in_the_standard_library() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        for _ in 0..40_000 {
            let mut digits = |most: usize| {
                let count = random() % most;
                (0..count).map(|_| char::from(b'0' + (random() % 10) as u8)).collect::<String>()
            };
            let (whole, fraction) = (digits(24), digits(24));
            let range = [5, 40, 330][random() % 3];
            check(&format!("{whole}0.{fraction}0e{}", random() as i64 % (2 * range) - range));
            let any = f64::from_bits((random() as u64) << 32 | random() as u64);
            if any.is_finite() {
                check(&format!("{any:e}"));
                check(&format!("{any:.17e}"));
            }
        }
    }
}
