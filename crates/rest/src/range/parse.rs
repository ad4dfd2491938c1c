//! Parses the `Range` header.

use std::ops::Range;

use http::header::RANGE;

use crate::head::Head;

/// A header with more ranges is taken for an attack and ignored.
const MAX_RANGES: usize = 100;

/// Ranges with a smaller gap are joined: the head and boundary of a part are about as large.
const MIN_GAP: u64 = 128;

/// The ranges that a client asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RequestedRanges {
    /// All ranges are beyond the end of the content.
    Unsatisfiable,
    /// At least one range; they do not overlap.
    Satisfiable(Vec<Range<u64>>),
}

/// Returns the ranges that a request asks for; `None` to send the whole content.
///
/// A header that is malformed, in another unit or excessive is ignored, as RFC 9110 says.
pub(super) fn requested_ranges(head: &Head, size: u64) -> Option<RequestedRanges> {
    let mut lines = head.headers().get_all(RANGE).iter();
    let line = lines.next()?.to_str().ok()?;
    if lines.next().is_some() {
        return None;
    }
    parse(line, size)
}

fn parse(line: &str, size: u64) -> Option<RequestedRanges> {
    let (unit, set) = line.split_once('=')?;
    // A range of empty content is ignored: some clients send one with every request.
    if !unit.trim().eq_ignore_ascii_case("bytes") || size == 0 {
        return None;
    }
    let (mut ranges, mut count) = (Vec::new(), 0);
    for item in set.split(',').map(|item| item.trim_matches([' ', '\t'])) {
        if item.is_empty() {
            continue;
        }
        count += 1;
        if count > MAX_RANGES {
            return None;
        }
        let range = parse_range(item, size)?;
        if !range.is_empty() {
            ranges.push(range);
        }
    }
    if count == 0 {
        return None;
    }
    if ranges.is_empty() {
        return Some(RequestedRanges::Unsatisfiable);
    }
    Some(RequestedRanges::Satisfiable(join(ranges)))
}

/// Parses `5-9`, `5-` or `-5`. The range is empty if it is beyond the end.
fn parse_range(item: &str, size: u64) -> Option<Range<u64>> {
    let (first, last) = item.split_once('-')?;
    match (first, last) {
        ("", last) => Some(size.saturating_sub(parse_number(last)?)..size),
        (first, "") => {
            let first = parse_number(first)?;
            Some(first.min(size)..size)
        }
        (first, last) => {
            let (first, last) = (parse_number(first)?, parse_number(last)?);
            let end = last.saturating_add(1).min(size);
            (first <= last).then(|| first.min(end)..end)
        }
    }
}

/// Parses a number of any length; one that is too large becomes the maximum.
fn parse_number(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(u64::MAX))
}

/// Joins ranges that overlap or nearly meet, and keeps the order of the request.
fn join(ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    if ranges.len() < 2 {
        return ranges;
    }
    let mut sorted: Vec<(usize, Range<u64>)> = ranges.into_iter().enumerate().collect();
    sorted.sort_by_key(|(_, range)| range.start);
    let mut all: Vec<(usize, Range<u64>)> = Vec::with_capacity(sorted.len());
    for (index, range) in sorted {
        match all.last_mut() {
            Some((earlier, last)) if range.start <= last.end.saturating_add(MIN_GAP) => {
                last.end = last.end.max(range.end);
                *earlier = index.min(*earlier);
            }
            _ => all.push((index, range)),
        }
    }
    all.sort_by_key(|(index, _)| *index);
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
            assert_eq!(
                parse(line, size),
                Some(RequestedRanges::Satisfiable(expected)),
                "{line}"
            );
        }
    }

    #[expect(clippy::single_range_in_vec_init, reason = "a list of one range")]
    #[test]
    fn ranges_are_joined_up_to_the_smallest_gap() {
        for (line, expected) in [
            ("bytes=0-0,129-129", vec![0..130]),
            ("bytes=129-129,0-0", vec![0..130]),
            ("bytes=0-0,130-130", vec![0..1, 130..131]),
            ("bytes=130-130,0-0", vec![130..131, 0..1]),
            // One that is inside of another adds nothing.
            ("bytes=0-99,10-19", vec![0..100]),
            // The joined range has the place of the first.
            (
                "bytes=5000-5009,900-909,0-9,5010-5019",
                vec![5000..5020, 900..910, 0..10],
            ),
            (
                "bytes=900-909,5000-5009,0-9,910-919",
                vec![900..920, 5000..5010, 0..10],
            ),
        ] {
            let expected = Some(RequestedRanges::Satisfiable(expected));
            assert_eq!(parse(line, 10_000), expected, "{line}");
        }
    }

    #[test]
    fn a_hundred_ranges_are_not_too_many() {
        let line = |count: u64| {
            let ranges: Vec<String> = (0..count).map(|n| format!("{0}-{0}", n * 1000)).collect();
            format!("bytes={}", ranges.join(","))
        };
        let parsed = parse(&line(100), 1_000_000);
        assert!(
            matches!(&parsed, Some(RequestedRanges::Satisfiable(all)) if all.len() == 100),
            "{parsed:?}"
        );
        assert_eq!(parse(&line(101), 1_000_000), None);
    }

    #[test]
    fn ranges_beyond_the_end_are_unsatisfiable() {
        for line in [
            "bytes=10-",
            "bytes=10-20",
            "bytes=-0",
            "bytes=10-,99-",
            "bytes=99999999999999999999999-",
        ] {
            assert_eq!(
                parse(line, 10),
                Some(RequestedRanges::Unsatisfiable),
                "{line}"
            );
        }
    }

    #[test]
    fn malformed_and_excessive_headers_are_ignored() {
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
            let parts = parse(line, 10);
            // Adjacent ranges are joined to one, and one range is sent as such.
            if line == "bytes=0-4,5-9" {
                assert!(
                    matches!(parts, Some(RequestedRanges::Satisfiable(parts)) if parts.len() == 1)
                );
            } else {
                assert_eq!(parts, None, "{line}");
            }
        }
        assert_eq!(parse("bytes=0-", 0), None);
    }

    proptest! {
        #[test]
        fn parts_are_inside_and_apart(line in "bytes=[0-9,-]{0,40}", size in 0_u64..2000) {
            if let Some(RequestedRanges::Satisfiable(mut parts)) = parse(&line, size) {
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
