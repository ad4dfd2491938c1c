//! Arguments from the query.

use std::borrow::Cow;

use super::decode;
use super::input::{Found, Input};
use crate::rejection::Rejection;
use crate::resource::Call;
use crate::route::Source;

/// The request parameter with this name: every occurrence in the query.
pub fn param<'r>(call: &'r Call<'_>, name: &'static str) -> Result<Input<'r>, Rejection> {
    let mut found = Found::Absent;
    if let Some(query) = call.request.head().query() {
        if call.pairs.count == Pairs::TOO_MANY {
            for (key, value) in pairs(query) {
                if is(key, name) {
                    found.push(decoded(value, name)?);
                }
            }
        } else {
            let Pairs {
                places,
                count,
                escaped,
            } = &call.pairs;
            let mut bits = *escaped;
            for place in places.iter().take(usize::from(*count)) {
                let is_escaped = bits & 1 == 1;
                bits >>= 1;
                let found_here =
                    place.has_key(query, name) || (is_escaped && is(place.key(query), name));
                if !found_here {
                    continue;
                }
                let value = place.value(query);
                let value = if is_escaped {
                    decoded(value, name)?
                } else {
                    Cow::Borrowed(value)
                };
                match found {
                    Found::Absent => found = Found::One(value),
                    _ => found.push(value),
                }
            }
        }
    }
    Ok(Input::new(Source::Param, name, found))
}

fn decoded<'q>(value: &'q str, name: &'static str) -> Result<Cow<'q, str>, Rejection> {
    decode::query(value).map_err(|problem| {
        Rejection::malformed_parameter(Source::Param.noun(), name, problem.as_str())
    })
}

/// Where the pairs of a short query are, found once for all the arguments that ask for one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pairs {
    places: [Place; 8],
    /// How many there are, or that there are too many.
    count: u8,
    /// One bit for each that has an escape in it.
    escaped: u8,
}

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    start: u16,
    equals: u16,
    end: u16,
}

impl Place {
    /// Most keys are told apart by their length.
    fn has_key(self, query: &str, name: &str) -> bool {
        usize::from(self.equals - self.start) == name.len() && self.key(query) == name
    }

    fn key(self, query: &str) -> &str {
        let range = usize::from(self.start)..usize::from(self.equals);
        query.get(range).unwrap_or_default()
    }

    fn value(self, query: &str) -> &str {
        let range = usize::from(self.equals) + 1..usize::from(self.end);
        query.get(range).unwrap_or_default()
    }
}

impl Pairs {
    const TOO_MANY: u8 = u8::MAX;

    pub(crate) fn find(query: &str) -> Self {
        let mut all = Self::default();
        // The place after the last byte must be one that can be said, too.
        if query.len() >= usize::from(u16::MAX) {
            all.count = Self::TOO_MANY;
            return all;
        }
        let mut place = Place::default();
        let (mut has_equals, mut is_escaped) = (false, false);
        for (byte, at) in query.bytes().chain([b'&']).zip(0_u16..) {
            match byte {
                b'&' => {
                    place.end = at;
                    if !has_equals {
                        place.equals = at;
                    }
                    all.add(place, is_escaped);
                    place.start = at + 1;
                    (has_equals, is_escaped) = (false, false);
                }
                b'=' if !has_equals => {
                    place.equals = at;
                    has_equals = true;
                }
                b'%' | b'+' => is_escaped = true,
                _ => {}
            }
        }
        all
    }

    fn add(&mut self, place: Place, is_escaped: bool) {
        if place.start == place.end || self.count == Self::TOO_MANY {
            return;
        }
        match self.places.get_mut(usize::from(self.count)) {
            Some(free) => {
                *free = place;
                self.escaped |= u8::from(is_escaped) << self.count;
                self.count += 1;
            }
            None => self.count = Self::TOO_MANY,
        }
    }
}

/// Whether a key, which may be escaped, is this name. A key that cannot be decoded is no name.
fn is(key: &str, name: &str) -> bool {
    // Escapes only make a key longer; a `+` for a space leaves it as long as it is.
    if key == name || key.len() < name.len() {
        return key == name;
    }
    place(key, b'%').or_else(|| place(key, b'+')).is_some()
        && decode::query(key).is_ok_and(|key| key == name)
}

/// The pairs of a query, not decoded. A name without `=` has an empty value.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    // Names and values are short: a loop over their bytes finishes before a vector search has begun.
    let mut rest = query;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let end = place(rest, b'&').unwrap_or(rest.len());
            let pair = rest.get(..end)?;
            rest = rest.get(end + 1..).unwrap_or_default();
            if pair.is_empty() {
                continue;
            }
            let equals = place(pair, b'=').unwrap_or(pair.len());
            return Some((
                pair.get(..equals)?,
                pair.get(equals + 1..).unwrap_or_default(),
            ));
        }
        None
    })
}

fn place(text: &str, byte: u8) -> Option<usize> {
    text.as_bytes().iter().position(|&one| one == byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(query: &str) -> Option<Vec<(&str, &str)>> {
        let all = Pairs::find(query);
        let places = all.places.get(..usize::from(all.count))?;
        Some(
            places
                .iter()
                .map(|place| (place.key(query), place.value(query)))
                .collect(),
        )
    }

    #[test]
    fn a_query_as_long_as_a_place_can_say_is_taken_apart() {
        for length in [65_533, 65_534, 65_535, 65_536] {
            let query = format!("a=1&{}", "b".repeat(length - 4));
            if let Some(all) = found(&query) {
                assert_eq!(all, pairs(&query).collect::<Vec<_>>());
            }
        }
    }

    proptest! {
        /// The places are those of the pairs, for as many as there is room for.
        #[test]
        fn places_are_those_of_the_pairs(query in "[ab=&%+ü]{0,40}") {
            let expected: Vec<_> = pairs(&query).collect();
            match found(&query) {
                Some(all) => prop_assert_eq!(all, expected),
                None => prop_assert!(expected.len() > 8),
            }
        }
    }
}
