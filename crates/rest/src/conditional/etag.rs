//! Entity tags: names for versions of a representation.

use std::fmt;
use std::str::FromStr;

use http::header::HeaderValue;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use siphasher::sip128::SipHasher24;

use crate::source::Invalid;

/// What cannot stand in a tag, and `%`, so that two texts never make one tag.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'%');

/// An entity tag: a name for one version of what a URL leads to.
///
/// A strong tag promises the same bytes, a weak one the same meaning. Only strong tags guard changes
/// with `If-Match` and let clients go on with the rest of a file.
///
/// ```
/// use innkeeper_rest::{ETag, Response};
///
/// let response = Response::ok().etag(ETag::strong("v7")).entity("hello");
/// assert_eq!(response.headers()["etag"], "\"v7\"");
///
/// assert_eq!(ETag::weak(7).as_str(), "W/\"7\"");
/// assert_eq!(ETag::strong("a b").as_str(), "\"a%20b\"");
/// assert_eq!(ETag::of("hello"), ETag::of(b"hello"));
/// assert_eq!("\"v7\"".parse(), Ok(ETag::strong("v7")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ETag(HeaderValue);

impl ETag {
    /// A strong tag. What a tag may not contain is percent-encoded.
    pub fn strong(text: impl fmt::Display) -> Self {
        Self::made("\"", &text.to_string())
    }

    /// A weak tag. What a tag may not contain is percent-encoded.
    pub fn weak(text: impl fmt::Display) -> Self {
        Self::made("W/\"", &text.to_string())
    }

    /// A strong tag made from the bytes themselves: the same in every process.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        let hash = SipHasher24::new().hash(bytes.as_ref()).as_u128();
        Self::strong(format_args!("{hash:032x}"))
    }

    fn made(start: &str, text: &str) -> Self {
        let value = format!("{start}{}\"", utf8_percent_encode(text, ESCAPED));
        // What is left is visible ASCII, which every header may contain.
        Self(HeaderValue::try_from(value).unwrap_or_else(|_| HeaderValue::from_static("\"\"")))
    }

    /// The same tag with the weaker promise.
    #[must_use]
    pub fn into_weak(self) -> Self {
        if self.is_weak() {
            return self;
        }
        let value = HeaderValue::try_from(format!("W/{}", self.as_str()));
        Self(value.unwrap_or(self.0))
    }

    /// Whether it promises no more than the same meaning.
    pub fn is_weak(&self) -> bool {
        self.0.as_bytes().starts_with(b"W")
    }

    /// The tag as it is sent, in quotes.
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub(crate) fn into_value(self) -> HeaderValue {
        self.0
    }

    /// The tag in a response's header, if it is one.
    pub(crate) fn from_value(value: &HeaderValue) -> Option<Self> {
        parse(value.as_bytes()).map(|_| Self(value.clone()))
    }
}

impl fmt::Display for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ETag {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let expected = || Invalid::expected("an entity tag in quotes");
        let value = HeaderValue::from_str(text).map_err(|_| expected())?;
        if !text.is_ascii() {
            return Err(expected());
        }
        Self::from_value(&value).ok_or_else(expected)
    }
}

/// Whether a tag is weak, and what is in its quotes; none if it is no tag.
fn parse(tag: &[u8]) -> Option<(bool, &[u8])> {
    let (weak, quoted) = match tag.strip_prefix(b"W/") {
        Some(quoted) => (true, quoted),
        None => (false, tag),
    };
    let inside = quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let allowed = |&byte: &u8| byte == b'!' || (byte >= b'#' && byte != 0x7f);
    inside.iter().all(allowed).then_some((weak, inside))
}

/// Whether two tags are strong and the same.
pub(crate) fn strong_match(one: &[u8], other: &ETag) -> bool {
    match (parse(one), parse(other.0.as_bytes())) {
        (Some((false, one)), Some((false, other))) => one == other,
        _ => false,
    }
}

/// Whether two tags are the same but for their strength.
pub(super) fn weak_match(one: &[u8], other: &ETag) -> bool {
    // Nearly always they are the same to the last byte, or nothing alike.
    if one == other.0.as_bytes() {
        return true;
    }
    match (parse(one), parse(other.0.as_bytes())) {
        (Some((_, one)), Some((_, other))) => one == other,
        _ => false,
    }
}

/// The members of a list of tags, which may have commas in them. Some may be no tags.
pub(super) fn members(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut quoted = false;
    let members = line.split(move |&byte| {
        quoted ^= byte == b'"';
        byte == b',' && !quoted
    });
    members.map(<[u8]>::trim_ascii)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_compared_as_the_standard_says() {
        for (one, other, strong, weak) in [
            ("W/\"1\"", "W/\"1\"", false, true),
            ("W/\"1\"", "W/\"2\"", false, false),
            ("W/\"1\"", "\"1\"", false, true),
            ("\"1\"", "\"1\"", true, true),
            ("1", "\"1\"", false, false),
            ("w/\"1\"", "\"1\"", false, false),
            ("\"1", "\"1\"", false, false),
            ("\"\"", "\"\"", true, true),
        ] {
            let tag: ETag = other.parse().unwrap();
            assert_eq!(strong_match(one.as_bytes(), &tag), strong, "{one} {other}");
            assert_eq!(weak_match(one.as_bytes(), &tag), weak, "{one} {other}");
        }
    }

    #[test]
    fn any_text_makes_a_tag_of_its_own() {
        let texts = [
            "", "a", "a b", "a%20b", "\"", "\\", "é", "\r\n", "\u{7f}", "a,b",
        ];
        for one in texts {
            let tag = ETag::strong(one);
            assert!(tag.as_str().is_ascii());
            assert_eq!(tag.as_str().parse(), Ok(tag.clone()), "{one:?}");
            for other in texts {
                assert_eq!(
                    tag == ETag::strong(other),
                    one == other,
                    "{one:?} {other:?}"
                );
            }
        }
    }

    #[test]
    fn a_list_is_taken_apart_at_commas_outside_of_quotes() {
        let line = b"\"a,b\" ,W/\"c\",, d";
        let found: Vec<&[u8]> = members(line).collect();
        assert_eq!(found, [&b"\"a,b\""[..], b"W/\"c\"", b"", b"d"]);
    }

    #[test]
    fn the_tag_of_some_bytes_never_changes() {
        // Replicas of different builds have to agree.
        let tag = ETag::of("hello");
        assert_eq!(tag.as_str(), "\"c0e643566be4cdf5ef884d26f274ba7e\"");
        assert_ne!(tag, ETag::of("hello "));
        assert!(!tag.is_weak());
        assert!(tag.clone().into_weak().is_weak());
        assert_eq!(tag.clone().into_weak(), tag.into_weak().into_weak());
    }
}
