//! The `Range` header.

use std::ops::Range;

use http::header::RANGE;

use crate::head::Head;

/// More ranges than this in one request are no honest wish: they are not looked at.
const MOST_RANGES: usize = 100;

/// Parts of a multipart answer cost about as much in heads and boundaries: a smaller gap is sent.
const SMALLEST_GAP: u64 = 128;

/// What a client asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Only what is not there.
    Nothing,
    /// One part at least; they do not overlap.
    Parts(Vec<Range<u64>>),
}

/// The parts that a request asks for; none if the whole is to be sent.
///
/// A header that is not well-formed, of another unit, or unreasonable is ignored, as RFC 9110 says.
pub(super) fn asked(head: &Head, size: u64) -> Option<Asked> {
    let mut lines = head.headers().get_all(RANGE).iter();
    let line = lines.next()?.to_str().ok()?;
    if lines.next().is_some() {
        return None;
    }
    read(line, size)
}

fn read(line: &str, size: u64) -> Option<Asked> {
    let (unit, set) = line.split_once('=')?;
    // Clients that put a range into every request mean the whole when there is nothing.
    if !unit.trim().eq_ignore_ascii_case("bytes") || size == 0 {
        return None;
    }
    let (mut ranges, mut count) = (Vec::new(), 0);
    for member in set
        .split(',')
        .map(|member| member.trim_matches([' ', '\t']))
    {
        if member.is_empty() {
            continue;
        }
        count += 1;
        if count > MOST_RANGES {
            return None;
        }
        let range = one(member, size)?;
        if !range.is_empty() {
            ranges.push(range);
        }
    }
    if count == 0 {
        return None;
    }
    if ranges.is_empty() {
        return Some(Asked::Nothing);
    }
    let parts = joined(ranges);
    let wanted: u64 = parts.iter().map(|part| part.end - part.start).sum();
    // Several parts that are all there is are better sent without heads between them.
    let is_whole = wanted == size && parts.len() > 1;
    (!is_whole).then_some(Asked::Parts(parts))
}

/// `5-9`, `5-` or `-5`; empty if there is nothing there, none if it is no range.
fn one(member: &str, size: u64) -> Option<Range<u64>> {
    let (first, last) = member.split_once('-')?;
    match (first, last) {
        ("", last) => Some(size.saturating_sub(number(last)?)..size),
        (first, "") => {
            let first = number(first)?;
            Some(first.min(size)..size)
        }
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            let end = last.saturating_add(1).min(size);
            (first <= last).then(|| first.min(end)..end)
        }
    }
}

/// A number of any length; what is too large to count is as large as can be.
fn number(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(u64::MAX))
}

/// Joins ranges that overlap or nearly meet, in the order in which they were asked for.
fn joined(ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    if ranges.len() < 2 {
        return ranges;
    }
    let mut sorted: Vec<(usize, Range<u64>)> = ranges.into_iter().enumerate().collect();
    sorted.sort_by_key(|(_, range)| range.start);
    let mut all: Vec<(usize, Range<u64>)> = Vec::with_capacity(sorted.len());
    for (place, range) in sorted {
        match all.last_mut() {
            Some((earlier, last)) if range.start <= last.end.saturating_add(SMALLEST_GAP) => {
                last.end = last.end.max(range.end);
                *earlier = place.min(*earlier);
            }
            _ => all.push((place, range)),
        }
    }
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, range)| range).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[expect(clippy::single_range_in_vec_init, reason = "a list of one range")]
    #[test]
    fn ranges_are_those_of_the_standard() {
        for (line, size, expected) in [
            ("bytes=0-499", 10_000, vec![0..500]),
            ("bytes=500-999", 10_000, vec![500..1000]),
            ("bytes=-500", 10_000, vec![9500..10_000]),
            ("bytes=9500-", 10_000, vec![9500..10_000]),
            ("bytes=0-0,-1", 10_000, vec![0..1, 9999..10_000]),
            ("bytes=9000-9001,0-1", 10_000, vec![9000..9002, 0..2]),
            ("bytes=500-700,601-999", 10_000, vec![500..1000]),
            ("bytes= 0-4 , 20-24 ,,", 10_000, vec![0..25]),
            ("BYTES=0-4", 10, vec![0..5]),
            ("bytes=0-99", 10, vec![0..10]),
            ("bytes=-99", 10, vec![0..10]),
            ("bytes=0-4,99-", 10, vec![0..5]),
            ("bytes=0-99999999999999999999999", 10, vec![0..10]),
        ] {
            assert_eq!(read(line, size), Some(Asked::Parts(expected)), "{line}");
        }
    }

    #[test]
    fn what_is_beyond_the_end_is_not_there() {
        for line in [
            "bytes=10-",
            "bytes=10-20",
            "bytes=-0",
            "bytes=10-,99-",
            "bytes=99999999999999999999999-",
        ] {
            assert_eq!(read(line, 10), Some(Asked::Nothing), "{line}");
        }
    }

    #[test]
    fn nonsense_and_too_much_is_the_whole() {
        let thousands = format!("bytes={}", "0-1,".repeat(5000));
        for line in [
            "bytes",
            "bytes=",
            "bytes=,",
            "bytes=-",
            "bytes=5-2",
            "bytes=a-b",
            "bytes=1",
            "bytes=1--2",
            "bytes=+1-2",
            "bytes=1-2;3-4",
            "bytes=0-1,x",
            "lines=1-2",
            "bytes=0-4,5-9",
            "",
            thousands.as_str(),
        ] {
            let parts = read(line, 10);
            // What touches is one part, which is no reason for many.
            if line == "bytes=0-4,5-9" {
                assert!(matches!(parts, Some(Asked::Parts(parts)) if parts.len() == 1));
            } else {
                assert_eq!(parts, None, "{line}");
            }
        }
        assert_eq!(read("bytes=0-", 0), None);
    }

    proptest! {
        #[test]
        fn parts_are_inside_and_apart(line in "bytes=[0-9,-]{0,40}", size in 0_u64..2000) {
            if let Some(Asked::Parts(mut parts)) = read(&line, size) {
                prop_assert!(!parts.is_empty());
                parts.sort_by_key(|part| part.start);
                for part in &parts {
                    prop_assert!(part.start < part.end && part.end <= size);
                }
                for pair in parts.windows(2) {
                    prop_assert!(pair[0].end < pair[1].start);
                }
            }
        }
    }
}
