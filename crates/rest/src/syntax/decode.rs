//! Percent-decoding. `+` is a space in queries and forms, and a plus in paths.

use std::borrow::Cow;

/// Why a text cannot be percent-decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// A `%` without two hexadecimal digits.
    Escape,
    /// Escapes that are not UTF-8.
    Encoding,
    /// An escaped NUL: nobody types one, and databases refuse it.
    Nul,
}

impl Malformed {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Escape => "expected two hexadecimal digits after `%`",
            Self::Encoding => "expected UTF-8",
            Self::Nul => "expected text without NUL",
        }
    }
}

/// Decodes a part of a path.
pub(crate) fn path(text: &str) -> Result<Cow<'_, str>, Malformed> {
    if !text.as_bytes().contains(&b'%') {
        return Ok(Cow::Borrowed(text));
    }
    unescape(text, false)
}

/// Decodes a name or value of a query or form.
pub(crate) fn query(text: &str) -> Result<Cow<'_, str>, Malformed> {
    if !text.bytes().any(|byte| byte == b'%' || byte == b'+') {
        return Ok(Cow::Borrowed(text));
    }
    unescape(text, true)
}

fn unescape(text: &str, plus_is_space: bool) -> Result<Cow<'_, str>, Malformed> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let high = rest.next().and_then(hex).ok_or(Malformed::Escape)?;
                let low = rest.next().and_then(hex).ok_or(Malformed::Escape)?;
                high << 4 | low
            }
            b'+' if plus_is_space => b' ',
            other => other,
        });
    }
    if bytes.contains(&0) {
        return Err(Malformed::Nul);
    }
    String::from_utf8(bytes)
        .map(Cow::Owned)
        .map_err(|_| Malformed::Encoding)
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_queries_are_decoded() {
        for (text, in_path, in_query) in [
            ("plain", Ok("plain"), Ok("plain")),
            ("a+b", Ok("a+b"), Ok("a b")),
            ("a%20b", Ok("a b"), Ok("a b")),
            ("a%2Fb%2fc", Ok("a/b/c"), Ok("a/b/c")),
            ("%C3%BC", Ok("ü"), Ok("ü")),
            ("a%00", Err(Malformed::Nul), Err(Malformed::Nul)),
            ("%", Err(Malformed::Escape), Err(Malformed::Escape)),
            ("%4", Err(Malformed::Escape), Err(Malformed::Escape)),
            ("%zz", Err(Malformed::Escape), Err(Malformed::Escape)),
            ("%C3", Err(Malformed::Encoding), Err(Malformed::Encoding)),
            ("%+1", Err(Malformed::Escape), Err(Malformed::Escape)),
        ] {
            assert_eq!(path(text).as_deref(), in_path.as_deref(), "{text}");
            assert_eq!(query(text).as_deref(), in_query.as_deref(), "{text}");
        }
    }
}
