//! Entity tags: identifiers for versions of a representation.

use std::fmt;
use std::str::FromStr;

use http::header::HeaderValue;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use siphasher::sip128::SipHasher24;

use crate::rejection::Invalid;

/// Characters that a tag cannot contain, and `%`, so that two texts never make the same tag.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'%');

/// An entity tag: an identifier for one version of a resource.
///
/// Equal strong tags promise equal bytes, equal weak tags the same meaning. Only strong tags work with
/// `If-Match` and let clients resume a download.
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
    /// Makes a strong tag. Characters that a tag cannot contain are percent-encoded.
    pub fn strong(text: impl fmt::Display) -> Self {
        Self::build("\"", &text.to_string())
    }

    /// Makes a weak tag. Characters that a tag cannot contain are percent-encoded.
    pub fn weak(text: impl fmt::Display) -> Self {
        Self::build("W/\"", &text.to_string())
    }

    /// Makes a strong tag from a hash of the content, which is the same in every process.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        let hash = SipHasher24::new().hash(bytes.as_ref()).as_u128();
        Self::strong(format_args!("{hash:032x}"))
    }

    fn build(start: &str, text: &str) -> Self {
        let value = format!("{start}{}\"", utf8_percent_encode(text, ESCAPED));
        // Visible ASCII is left, which every header may contain.
        Self(HeaderValue::try_from(value).unwrap_or_else(|_| HeaderValue::from_static("\"\"")))
    }

    /// Makes the tag weak.
    #[must_use]
    pub fn into_weak(self) -> Self {
        if self.is_weak() {
            return self;
        }
        let value = HeaderValue::try_from(format!("W/{}", self.as_str()));
        Self(value.unwrap_or(self.0))
    }

    /// Whether the tag is weak.
    pub fn is_weak(&self) -> bool {
        self.0.as_bytes().starts_with(b"W")
    }

    /// Returns the tag as it is sent, in quotes.
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub(crate) fn into_value(self) -> HeaderValue {
        self.0
    }

    /// Parses the value of an `ETag` header.
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

/// Returns whether a tag is weak, and its text without quotes; `None` if it is malformed.
fn parse(tag: &[u8]) -> Option<(bool, &[u8])> {
    let (weak, quoted) = match tag.strip_prefix(b"W/") {
        Some(quoted) => (true, quoted),
        None => (false, tag),
    };
    let text = quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let allowed = |&byte: &u8| byte == b'!' || (byte >= b'#' && byte != 0x7f);
    text.iter().all(allowed).then_some((weak, text))
}

/// Whether two tags are strong and equal.
pub(crate) fn strong_match(one: &[u8], other: &ETag) -> bool {
    match (parse(one), parse(other.0.as_bytes())) {
        (Some((false, one)), Some((false, other))) => one == other,
        _ => false,
    }
}

/// Whether two tags are equal except for their strength.
pub(super) fn weak_match(one: &[u8], other: &ETag) -> bool {
    // Nearly always they are equal to the last byte, or completely different.
    if one == other.0.as_bytes() {
        return true;
    }
    match (parse(one), parse(other.0.as_bytes())) {
        (Some((_, one)), Some((_, other))) => one == other,
        _ => false,
    }
}

/// Splits a list of tags, which may have commas in them. The items may not be tags.
pub(super) fn list_items(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut quoted = false;
    let items = line.split(move |&byte| {
        quoted ^= byte == b'"';
        byte == b',' && !quoted
    });
    items.map(<[u8]>::trim_ascii)
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
    fn a_list_is_split_at_commas_outside_of_quotes() {
        let line = b"\"a,b\" ,W/\"c\",, d";
        let items: Vec<&[u8]> = list_items(line).collect();
        assert_eq!(items, [&b"\"a,b\""[..], b"W/\"c\"", b"", b"d"]);
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
