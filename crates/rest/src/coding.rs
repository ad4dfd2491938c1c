//! Content codings, and the negotiation of one with `Accept-Encoding`.

#[cfg(feature = "compression")]
mod encoder;

use http::header::{ACCEPT_ENCODING, HeaderValue};

#[cfg(feature = "compression")]
pub(crate) use encoder::Encoder;

use crate::head::Head;
use crate::syntax::{parts, thousandths};

/// A content coding, for handlers that keep their content compressed.
///
/// ```
/// use innkeeper_rest::{Coding, Head, Method};
///
/// let head = Head::new(Method::GET, "/").with_header(
///     http::header::ACCEPT_ENCODING,
///     http::HeaderValue::from_static("gzip;q=0.5, br"),
/// );
/// assert_eq!(Coding::negotiate(&head, &Coding::ALL), Some(Coding::Brotli));
/// assert_eq!(Coding::negotiate(&head, &[Coding::Gzip]), Some(Coding::Gzip));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Brotli, `br`.
    Brotli,
    /// `gzip`.
    Gzip,
}

/// Compression levels of the codings.
#[cfg(feature = "compression")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Levels {
    pub(crate) gzip: u32,
    pub(crate) brotli: u32,
}

impl Coding {
    /// All codings, the one that compresses best first.
    pub const ALL: [Self; 2] = [Self::Brotli, Self::Gzip];

    /// Returns the name in `Content-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// Returns the offered coding that the client prefers; `None` to send the content as it is.
    ///
    /// Of codings with equal weight the first offered is taken. A client that refuses even plain
    /// content is sent plain content: it can still read that, and cannot read a refusal either.
    pub fn negotiate(head: &Head, offered: &[Self]) -> Option<Self> {
        if !head.has_header(ACCEPT_ENCODING) {
            return None;
        }
        let accepted = AcceptedCodings::parse(head);
        let mut best = None;
        let mut highest = 0;
        for &coding in offered {
            let weight = accepted.weight(coding);
            if weight > highest {
                (best, highest) = (Some(coding), weight);
            }
        }
        best.filter(|_| accepted.identity.is_none_or(|identity| identity <= highest))
    }

    pub(crate) fn value(self) -> HeaderValue {
        HeaderValue::from_static(self.name())
    }

    /// Returns the coding with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if is("br") {
            Some(Self::Brotli)
        } else if is("gzip") || is("x-gzip") {
            Some(Self::Gzip)
        } else {
            None
        }
    }
}

/// The weights of `Accept-Encoding`, in thousandths.
#[derive(Debug, Default)]
struct AcceptedCodings {
    brotli: Option<u16>,
    gzip: Option<u16>,
    identity: Option<u16>,
    others: Option<u16>,
}

impl AcceptedCodings {
    fn parse(head: &Head) -> Self {
        let mut accepted = Self::default();
        let lines = head.header_values(&ACCEPT_ENCODING);
        for line in lines.filter_map(|line| std::str::from_utf8(line).ok()) {
            for item in parts(line, ',') {
                let Some((name, weight)) = parse_item(item) else {
                    continue;
                };
                let known = match Coding::from_name(name) {
                    Some(Coding::Brotli) => &mut accepted.brotli,
                    Some(Coding::Gzip) => &mut accepted.gzip,
                    None if name == "*" => &mut accepted.others,
                    None if name.eq_ignore_ascii_case("identity") => &mut accepted.identity,
                    None => continue,
                };
                *known = Some(known.map_or(weight, |known| known.max(weight)));
            }
        }
        accepted
    }

    fn weight(&self, coding: Coding) -> u16 {
        let named = match coding {
            Coding::Brotli => self.brotli,
            Coding::Gzip => self.gzip,
        };
        named.or(self.others).unwrap_or(0)
    }
}

/// Parses a name and its weight, such as `gzip;q=0.5`.
fn parse_item(item: &str) -> Option<(&str, u16)> {
    let mut parts = parts(item, ';');
    let name = parts.next()?;
    let mut weight = 1000;
    for parameter in parts {
        let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        if key.trim().eq_ignore_ascii_case("q") {
            weight = thousandths(value.trim())?;
        }
    }
    Some((name, weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(lines: &[&str]) -> Option<&'static str> {
        let mut head = Head::new(http::Method::GET, "/");
        for line in lines {
            head = head.with_header(ACCEPT_ENCODING, line.parse().unwrap());
        }
        Coding::negotiate(&head, &Coding::ALL).map(Coding::name)
    }

    #[test]
    fn the_coding_with_the_highest_weight_is_chosen() {
        for (accepted, expected) in [
            ("gzip", Some("gzip")),
            ("br", Some("br")),
            ("gzip, deflate, br, zstd", Some("br")),
            ("GZip", Some("gzip")),
            ("x-gzip", Some("gzip")),
            ("gzip;q=1.0, br;q=0.9", Some("gzip")),
            ("gzip;q=0.8,br;q=0.8", Some("br")),
            ("br;q=0, gzip;q=0.001", Some("gzip")),
            ("gzip;q=0, *", Some("br")),
            ("*", Some("br")),
            ("*;q=0", None),
            ("gzip, *;q=0", Some("gzip")),
            ("identity", None),
            ("identity, gzip;q=0.5", None),
            ("identity;q=0.5, gzip;q=0.5", Some("gzip")),
            ("identity;q=0", None),
            ("identity;q=0, gzip", Some("gzip")),
            ("deflate, zstd", None),
            ("", None),
            ("gzip;q=2", None),
            ("gzip;q=, br", Some("br")),
            ("gzip ; q = 0.5", Some("gzip")),
            (";;;,,gzip", Some("gzip")),
        ] {
            assert_eq!(chosen(&[accepted]), expected, "{accepted}");
        }
        assert_eq!(chosen(&[]), None);
        assert_eq!(chosen(&["gzip;q=0.5", "br;q=0.9"]), Some("br"));
    }
}
