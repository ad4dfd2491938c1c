//! The `name=value` pairs of a query.

/// The spans of the pairs of a short query, found once for all arguments that read one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct QueryPairs {
    pub(crate) spans: [PairSpan; 8],
    /// The number of spans in use, or [`TOO_MANY`](Self::TOO_MANY).
    pub(crate) count: u8,
    /// One bit for each pair that has an escape in it.
    pub(crate) escaped: u8,
}

/// The byte offsets of a pair in its query.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PairSpan {
    start: u16,
    /// Of the `=`, or `end` if there is none.
    equals: u16,
    end: u16,
}

impl PairSpan {
    /// Compares lengths first: most keys differ in it.
    pub(crate) fn has_key(self, query: &str, name: &str) -> bool {
        self.has_key_length(name.len()) && self.key(query) == name
    }

    pub(crate) fn has_key_length(self, length: usize) -> bool {
        usize::from(self.equals - self.start) == length
    }

    pub(crate) fn key(self, query: &str) -> &str {
        let range = usize::from(self.start)..usize::from(self.equals);
        query.get(range).unwrap_or_default()
    }

    pub(crate) fn value(self, query: &str) -> &str {
        let range = usize::from(self.equals) + 1..usize::from(self.end);
        query.get(range).unwrap_or_default()
    }
}

impl QueryPairs {
    /// The count of a query that has more pairs than there are spans, or is longer than an offset
    /// can say.
    pub(crate) const TOO_MANY: u8 = u8::MAX;

    pub(crate) fn find(query: &str) -> Self {
        let mut pairs = Self::default();
        // The offset after the last byte must fit, too.
        if query.len() >= usize::from(u16::MAX) {
            pairs.count = Self::TOO_MANY;
            return pairs;
        }
        let mut span = PairSpan::default();
        let (mut has_equals, mut is_escaped) = (false, false);
        for (byte, offset) in query.bytes().chain([b'&']).zip(0_u16..) {
            match byte {
                b'&' => {
                    span.end = offset;
                    if !has_equals {
                        span.equals = offset;
                    }
                    pairs.add(span, is_escaped);
                    span.start = offset + 1;
                    (has_equals, is_escaped) = (false, false);
                }
                b'=' if !has_equals => {
                    span.equals = offset;
                    has_equals = true;
                }
                b'%' | b'+' => is_escaped = true,
                _ => {}
            }
        }
        pairs
    }

    fn add(&mut self, span: PairSpan, is_escaped: bool) {
        if span.start == span.end || self.count == Self::TOO_MANY {
            return;
        }
        match self.spans.get_mut(usize::from(self.count)) {
            Some(free) => {
                *free = span;
                self.escaped |= u8::from(is_escaped) << self.count;
                self.count += 1;
            }
            None => self.count = Self::TOO_MANY,
        }
    }
}

/// Splits a query into its pairs, which stay encoded. A name without `=` has an empty value.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    // Names and values are short: a loop over their bytes finishes before a vector search has begun.
    let mut rest = query;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let end = position(rest, b'&').unwrap_or(rest.len());
            let pair = rest.get(..end)?;
            rest = rest.get(end + 1..).unwrap_or_default();
            if pair.is_empty() {
                continue;
            }
            let equals = position(pair, b'=').unwrap_or(pair.len());
            return Some((
                pair.get(..equals)?,
                pair.get(equals + 1..).unwrap_or_default(),
            ));
        }
        None
    })
}

fn position(text: &str, byte: u8) -> Option<usize> {
    text.as_bytes().iter().position(|&one| one == byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The pairs at the spans of a query, or `None` if it has too many.
    fn at_spans(query: &str) -> Option<Vec<(&str, &str)>> {
        let pairs = QueryPairs::find(query);
        let spans = pairs.spans.get(..usize::from(pairs.count))?;
        Some(
            spans
                .iter()
                .map(|span| (span.key(query), span.value(query)))
                .collect(),
        )
    }

    #[test]
    fn a_query_as_long_as_an_offset_can_say_is_split() {
        for length in [65_533, 65_534, 65_535, 65_536] {
            let query = format!("a=1&{}", "b".repeat(length - 4));
            if let Some(all) = at_spans(&query) {
                assert_eq!(all, pairs(&query).collect::<Vec<_>>());
            }
        }
    }

    proptest! {
        /// Up to the eight for which there is room.
        #[test]
        fn spans_are_those_of_the_pairs(query in "[ab=&%+ü]{0,40}") {
            let expected: Vec<_> = pairs(&query).collect();
            match at_spans(&query) {
                Some(all) => prop_assert_eq!(all, expected),
                None => prop_assert!(expected.len() > 8),
            }
        }
    }
}
