//! How does a number become decimal digits, and digits a number? Exactly, both ways, in little code.
//!
//! What is read is the double nearest to the digits, the even one of two; what is written is the shortest digits that
//! read back as the same double, and of those the nearest. Both are what the standard library gives, which tests
//! compare; it brings 24 kB of tables and code to a module (8 kB, brotli), to be quicker.

use std::cmp::Ordering;

/// Digits beyond these decide nothing, but that they are there: no double, nor the middle of two, has as many.
const MAX_DIGITS: usize = 800;
/// Powers of ten up to this are doubles, and so are the integers up to [`EXACT`].
const EXACT_POWER: i32 = 22;
const EXACT: u64 = 1 << 53;
/// 10⁹, the largest power of ten that is one digit of a [`Natural`].
const BILLION: u32 = 1_000_000_000;

/// The double nearest to a decimal number, infinite where it is too large; none where the text is no such number.
///
/// A number is written as in JSON: a sign or none, digits, and perhaps a point with digits, and an exponent.
pub fn parse(text: &str) -> Option<f64> {
    let (text, sign) = text.strip_prefix('-').map_or((text, 1.0), |text| (text, -1.0));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if ![whole, fraction, exponent.strip_prefix(['+', '-']).unwrap_or(exponent)].into_iter().all(is_digits) {
        return None;
    }
    // An exponent of ten digits is as good as endless, whatever the digits before it.
    let far = if exponent.starts_with('-') { i32::MIN / 2 } else { i32::MAX / 2 };
    let exponent = exponent.parse::<i32>().map_or(far, |exponent| exponent.clamp(i32::MIN / 2, i32::MAX / 2));
    let digits = whole.bytes().chain(fraction.bytes()).skip_while(|&digit| digit == b'0');
    let mut digits = digits.map(|digit| digit - b'0').collect::<Vec<_>>();
    let mut exponent = exponent.saturating_sub(i32::try_from(fraction.len()).unwrap_or(i32::MAX));
    while digits.pop_if(|digit| *digit == 0).is_some() {
        exponent = exponent.saturating_add(1);
    }
    if let Some(more) = digits.len().checked_sub(MAX_DIGITS) {
        digits.truncate(MAX_DIGITS);
        digits.push(1);
        exponent = exponent.saturating_add(i32::try_from(more).unwrap_or(i32::MAX)).saturating_sub(1);
    }
    Some(sign * nearest(&digits, exponent))
}

/// The double nearest to the integer of these digits, times ten to this power.
fn nearest(digits: &[u8], exponent: i32) -> f64 {
    let len = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let magnitude = exponent.saturating_add(len);
    if digits.is_empty() || magnitude < -330 {
        return 0.0;
    }
    if magnitude > 310 {
        return f64::INFINITY;
    }
    // Near enough: the first digits, in steps that neither overflow nor vanish before the last.
    let leading = &digits[..digits.len().min(19)];
    let leading_value = leading.iter().fold(0_u64, |value, &digit| value * 10 + u64::from(digit));
    let left = exponent + len - leading.len() as i32;
    let mut near = leading_value as f64;
    let mut rest = left;
    while rest != 0 {
        let step = rest.clamp(-EXACT_POWER, EXACT_POWER);
        let power = (0..step.abs()).fold(1.0, |power, _| power * 10.0);
        near = if step < 0 { near / power } else { near * power };
        rest -= step;
    }
    if leading.len() == digits.len() && leading_value <= EXACT && left.abs() <= EXACT_POWER {
        return near;
    }
    // Exactly: as long as the number is beyond the middle of two doubles, the next one is nearer.
    let mut number = Natural::default();
    digits.iter().for_each(|&digit| number.multiply(10, u32::from(digit)));
    let mut near = near.min(f64::MAX).to_bits();
    while is_beyond_middle(&number, exponent, near) {
        near += 1;
    }
    while near > 0 && !is_beyond_middle(&number, exponent, near - 1) {
        near -= 1;
    }
    f64::from_bits(near)
}

/// Whether `number` times ten to this power is nearer to the double after that of these bits than to it.
fn is_beyond_middle(number: &Natural, exponent: i32, bits: u64) -> bool {
    let (significand, power) = parts(bits);
    let mut number = number.clone();
    let mut middle = Natural::of(2 * significand + 1);
    let scaled = if exponent < 0 { &mut middle } else { &mut number };
    scaled.scale(exponent.unsigned_abs());
    let scaled = if power < 1 { &mut number } else { &mut middle };
    scaled.double((power - 1).unsigned_abs());
    match number.compare(&middle) {
        Ordering::Equal => significand % 2 == 1,
        order => order == Ordering::Greater,
    }
}

/// The significand, and the power of two that it is to be taken times.
fn parts(bits: u64) -> (u64, i32) {
    let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7ff) as i32);
    if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) }
}

/// The shortest digits that read back as `number`, which is positive and finite, and where the point is: `0.digits`
/// times ten to that power. Steele and White's way, with Dybvig's estimate.
fn shortest(number: f64) -> (Vec<u8>, i32) {
    let (significand, power) = parts(number.to_bits());
    let takes_middle = significand % 2 == 0;
    // The number, the distances to the middles of it and its neighbours, and what is one, all in the same unit.
    let is_nearer_below = significand == 1 << 52 && power > -1074;
    let unit = if is_nearer_below { 2 } else { 1 };
    let mut rest = Natural::of(2 * unit * significand);
    let (mut below, mut above) = (Natural::of(1), Natural::of(unit));
    let mut one = Natural::of(2 * unit);
    if power < 0 {
        one.double(power.unsigned_abs());
    } else {
        for scaled in [&mut rest, &mut below, &mut above] {
            scaled.double(power.unsigned_abs());
        }
    }
    let bits = 64 - significand.leading_zeros() as i32;
    // At most one too small; 1233 / 4096 is a little less than log 2.
    let mut point = ((power + bits - 1) * 1233) >> 12;
    if point > 0 {
        one.scale(point.unsigned_abs());
    } else {
        for scaled in [&mut rest, &mut below, &mut above] {
            scaled.scale(point.unsigned_abs());
        }
    }
    let reaches_one = |rest: &Natural, above: &Natural, one: &Natural| match rest.plus(above).compare(one) {
        Ordering::Equal => takes_middle,
        order => order == Ordering::Greater,
    };
    while reaches_one(&rest, &above, &one) {
        one.multiply(10, 0);
        point += 1;
    }
    let mut digits = Vec::new();
    loop {
        for scaled in [&mut rest, &mut below, &mut above] {
            scaled.multiply(10, 0);
        }
        let mut digit = 0;
        while rest.compare(&one) != Ordering::Less {
            rest.subtract(&one);
            digit += 1;
        }
        let is_low = match rest.compare(&below) {
            Ordering::Equal => takes_middle,
            order => order == Ordering::Less,
        };
        let is_high = reaches_one(&rest, &above, &one);
        if is_high && (!is_low || rest.plus(&rest).compare(&one) != Ordering::Less) {
            digit += 1;
        }
        digits.push(b'0' + digit);
        if is_low || is_high {
            return (digits, point);
        }
    }
}

/// A number as JavaScript writes it: the shortest digits that read back as the same. What is not finite is `inf`,
/// `-inf` or `NaN`.
pub fn text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if number == 0.0 || number.is_infinite() {
        return format!("{sign}{}", if number == 0.0 { "0" } else { "inf" });
    }
    let (digits, point) = shortest(number.abs());
    let digits = String::from_utf8(digits).expect("digits are ASCII");
    let zeros = |count: usize| "0".repeat(count);
    match usize::try_from(point) {
        Ok(point @ 1..=21) if digits.len() <= point => {
            format!("{sign}{digits}{}", zeros(point - digits.len()))
        }
        Ok(point @ 1..=21) => format!("{sign}{}.{}", &digits[..point], &digits[point..]),
        _ if (-5..=0).contains(&point) => format!("{sign}0.{}{digits}", zeros(point.unsigned_abs() as usize)),
        _ => {
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            let plus = if point > 0 { "+" } else { "" };
            format!("{sign}{first}{dot}{rest}e{plus}{}", point - 1)
        }
    }
}

/// An integer of any size; its digits to the base 2³², the last first, the first not 0.
#[derive(Clone, Default)]
struct Natural(Vec<u32>);

impl Natural {
    fn of(value: u64) -> Natural {
        let mut natural = Natural(vec![value as u32, (value >> 32) as u32]);
        natural.trim();
        natural
    }

    fn trim(&mut self) {
        while self.0.pop_if(|digit| *digit == 0).is_some() {}
    }

    fn multiply(&mut self, by: u32, add: u32) {
        let mut carry = u64::from(add);
        for digit in &mut self.0 {
            carry += u64::from(*digit) * u64::from(by);
            *digit = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Multiplies by ten to this power.
    fn scale(&mut self, power: u32) {
        (0..power / 9).for_each(|_| self.multiply(BILLION, 0));
        (0..power % 9).for_each(|_| self.multiply(10, 0));
    }

    /// Multiplies by two to this power.
    fn double(&mut self, power: u32) {
        self.multiply(1 << (power % 32), 0);
        if !self.0.is_empty() {
            self.0.splice(0..0, std::iter::repeat_n(0, (power / 32) as usize));
        }
    }

    fn plus(&self, other: &Natural) -> Natural {
        let mut sum = Vec::with_capacity(self.0.len() + 1);
        let mut carry = 0;
        for at in 0..self.0.len().max(other.0.len()) {
            let digit = |natural: &Natural| u64::from(natural.0.get(at).copied().unwrap_or(0));
            carry += digit(self) + digit(other);
            sum.push(carry as u32);
            carry >>= 32;
        }
        if carry > 0 {
            sum.push(carry as u32);
        }
        Natural(sum)
    }

    /// Takes away what is not more.
    fn subtract(&mut self, other: &Natural) {
        let mut borrow = 0;
        for (at, digit) in self.0.iter_mut().enumerate() {
            let less = i64::from(other.0.get(at).copied().unwrap_or(0)) + borrow;
            let left = i64::from(*digit) - less;
            *digit = left as u32;
            borrow = i64::from(left < 0);
        }
        self.trim();
    }

    fn compare(&self, other: &Natural) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random() -> impl FnMut() -> u64 {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        move || {
            state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x2545_f491_4f6c_dd1d);
            state ^ state >> 29
        }
    }

    /// Every power of two and its neighbours, the ends of all ranges, what people write, and numbers at random.
    fn doubles() -> Vec<f64> {
        let mut random = random();
        let mut bits = (0..0x7ff_u64).map(|exponent| exponent << 52).collect::<Vec<_>>();
        bits.extend((0..52).map(|bit| 1_u64 << bit));
        let around = bits.iter().flat_map(|&bits| [bits.saturating_sub(1), bits, bits + 1]);
        let mut doubles = around.map(f64::from_bits).collect::<Vec<_>>();
        doubles.extend((0..60_000).map(|_| f64::from_bits(random() >> 1)));
        doubles.extend((0..60_000).map(|_| random() as f64 / u64::MAX as f64));
        doubles.extend((0..20_000).map(|_| f64::from(random() as f32 / u64::MAX as f32)));
        doubles.extend((0..20_000).map(|_| (random() % 1_000_000) as f64 / 1000.0));
        doubles.extend((0..20_000).map(|_| (random() >> (random() % 64)) as f64));
        doubles.extend([f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e21, 1e-7, 9_007_199_254_740_993.0]);
        doubles.retain(|double| double.is_finite());
        doubles
    }

    fn check(text: &str) {
        let expected = text.parse::<f64>().unwrap();
        assert_eq!(parse(text).map(f64::to_bits), Some(expected.to_bits()), "{text}");
    }

    #[test]
    fn what_is_written_is_what_the_standard_library_writes() {
        for double in doubles().into_iter().filter(|&double| double > 0.0) {
            let (digits, point) = shortest(double);
            let digits = String::from_utf8(digits).unwrap();
            let dot = if digits.len() > 1 { "." } else { "" };
            let scientific = format!("{}{dot}{}e{}", &digits[..1], &digits[1..], point - 1);
            assert_eq!(scientific, format!("{double:e}"));
        }
    }

    #[test]
    fn what_is_read_is_what_the_standard_library_reads() {
        for double in doubles() {
            check(&format!("{double:e}"));
            check(&format!("{:.15e}", -double));
            check(&format!("{double:.16e}"));
            check(&format!("{double:.25}"));
        }
    }

    #[test]
    fn the_middle_of_two_doubles_is_the_even_one_and_a_little_more_the_next() {
        for double in doubles().into_iter().step_by(37) {
            let (significand, power) = parts(double.to_bits());
            // The digits of the middle, in full: five for every half.
            let mut middle = Natural::of(2 * significand + 1);
            let halves = (1 - power).max(0).unsigned_abs();
            middle.double((power - 1).max(0).unsigned_abs());
            (0..halves).for_each(|_| middle.multiply(5, 0));
            let mut digits = Vec::new();
            while !middle.0.is_empty() {
                let mut left = 0;
                for digit in middle.0.iter_mut().rev() {
                    let value = left << 32 | u64::from(*digit);
                    *digit = (value / 10) as u32;
                    left = value % 10;
                }
                middle.trim();
                digits.push(b'0' + left as u8);
            }
            let digits = String::from_utf8(digits.into_iter().rev().collect()).unwrap();
            check(&format!("{digits}e-{halves}"));
            check(&format!("{digits}.{}1e-{halves}", "0".repeat(900)));
            check(&format!("{digits}9e-{}", halves + 1));
        }
    }

    #[test]
    fn odd_numbers_are_read_and_what_is_no_number_is_not() {
        let odd =
            ["0", "-0", "0.0e5", "00012", "1e400", "-1e400", "1e-400", "1e99999999999", "1e-99999999999"];
        odd.into_iter().for_each(check);
        check("0.000000000000000000000000000000000000000000000000000000000000000000000000000123e70");
        check(&format!("1{}e-1000", "0".repeat(1000)));
        check(&format!("0.{}1e1001", "0".repeat(1000)));
        for text in
            ["", "-", ".5", "5.", "1e", "1e+", "e5", "+1", "inf", "NaN", "1_0", " 1", "1.2.3", "1e5e5", "--1"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_placed_as_javascript_places_them() {
        let cases = [
            (1e21, "1e+21"),
            (1e20, "100000000000000000000"),
            (-1.5e300, "-1.5e+300"),
            (1e-6, "0.000001"),
            (-1e-7, "-1e-7"),
            (1.23e-6, "0.00000123"),
            (0.1, "0.1"),
            (-12.5, "-12.5"),
            (120.0, "120"),
            (-0.0, "-0"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "NaN"),
        ];
        for (number, written) in cases {
            assert_eq!(text(number), written);
        }
    }
}
