//! How is a point in time written? As milliseconds since 1970 or as an ISO 8601 date.

use crate::json::Json;

/// Converts a JSON value to milliseconds since 1970, or returns `None` if it is no valid time.
///
/// Numbers are milliseconds. Strings are ISO 8601 as JavaScript's `Date` accepts it: `2024-05-01` (UTC),
/// `2024-05-01T12:30Z`, `2024-05-01T12:30:15.250+02:00`. A time of day without a zone is UTC.
pub fn time_of(value: &Json) -> Option<f64> {
    match value {
        Json::Integer(_) | Json::Float(_) => value.as_f64(),
        Json::String(text) => parse(text),
        _ => None,
    }
}

fn parse(text: &str) -> Option<f64> {
    let (date, clock) = match text.split_once(['T', 't', ' ']) {
        Some((date, clock)) => (date, Some(clock)),
        None => (text, None),
    };
    let days = parse_date(date)?;
    let millis = clock.map_or(Some(0.0), parse_clock)?;
    Some(days * 86_400_000.0 + millis)
}

fn parse_date(date: &str) -> Option<f64> {
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4)?;
    let month = digits(parts.next()?, 2)?;
    let day = digits(parts.next()?, 2)?;
    let days_in_month = [31, 28 + i64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let longest = *days_in_month.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    if parts.next().is_some() || !(1..=longest).contains(&day) {
        return None;
    }
    // Count days since 1970-01-01 in the proleptic Gregorian calendar. Years start in March, which makes the leap
    // day the last day of its year.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    i32::try_from(days).ok().map(f64::from)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn parse_clock(clock: &str) -> Option<f64> {
    let zone_at = clock.find(['Z', 'z', '+', '-']).unwrap_or(clock.len());
    let (clock, zone) = clock.split_at(zone_at);
    let offset = parse_zone(zone)?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut parts = clock.split(':');
    let hour = digits(parts.next()?, 2)?;
    let minute = digits(parts.next()?, 2)?;
    let second = parts.next().map_or(Some(0), |part| digits(part, 2))?;
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 || fraction.len() > 9 {
        return None;
    }
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let millis = digits(&format!("{fraction:0<3}")[..3], 3)?;
    let total = ((hour * 60 + minute - offset) * 60 + second) * 1000 + millis;
    i32::try_from(total).ok().map(f64::from)
}

/// Parses a zone suffix and returns its offset in minutes east of UTC.
fn parse_zone(zone: &str) -> Option<i64> {
    let (sign, digits_of_zone) = match zone.chars().next() {
        None => return Some(0),
        Some('Z' | 'z') => return (zone.len() == 1).then_some(0),
        Some('-') => (-1, &zone[1..]),
        Some(_) => (1, &zone[1..]),
    };
    let (hours, minutes) = match digits_of_zone.split_once(':') {
        Some(parts) => parts,
        None => digits_of_zone.split_at_checked(2)?,
    };
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

fn digits(text: &str, len: usize) -> Option<i64> {
    let is_number = text.len() == len && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_milliseconds_since_1970() {
        let cases = [
            ("1970-01-01", 0.0),
            ("2024-02-29", 1_709_164_800_000.0),
            ("2024-05-01T12:30Z", 1_714_566_600_000.0),
            ("2024-05-01T12:30:15.250+02:00", 1_714_559_415_250.0),
            ("2024-05-01 12:30:15-0130", 1_714_572_015_000.0),
            ("1969-12-31T23:59:59.999Z", -1.0),
            ("0001-01-01", -62_135_596_800_000.0),
        ];
        for (text, millis) in cases {
            assert_eq!(parse(text), Some(millis), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_no_time() {
        let texts = [
            "",
            "2024",
            "2024-13-01",
            "2023-02-29",
            "2024-5-1",
            "2024-05-01T",
            "2024-05-01T25:00Z",
            "soon",
            "2024-05-01T12:30Zulu",
            "2024-05-01T12:30+9",
            "2024-05-01-02",
            "é024-05-01",
            "2024-05-01T12:30:15.x",
            "2024-05-01T12:30+é:00",
            "2024-05-01T12:30:15.12é",
        ];
        for text in texts {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
