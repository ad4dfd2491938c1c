//! Content codings, and the one a client wants.

use http::header::{ACCEPT_ENCODING, HeaderValue};

use crate::format::{parts, thousandths};
use crate::head::Head;

/// A content coding, for handlers that keep their answers compressed.
///
/// ```
/// use innkeeper_rest::{Coding, Head, Method};
///
/// let head = Head::new(Method::GET, "/").with_header(
///     http::header::ACCEPT_ENCODING,
///     http::HeaderValue::from_static("gzip;q=0.5, br"),
/// );
/// assert_eq!(Coding::wanted(&head, &Coding::ALL), Some(Coding::Brotli));
/// assert_eq!(Coding::wanted(&head, &[Coding::Gzip]), Some(Coding::Gzip));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Brotli, `br`.
    Brotli,
    /// `gzip`.
    Gzip,
}

/// How hard to try.
#[cfg(feature = "compression")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Levels {
    pub(crate) gzip: u32,
    pub(crate) brotli: u32,
}

impl Coding {
    /// All of them, best first.
    pub const ALL: [Self; 2] = [Self::Brotli, Self::Gzip];

    /// Its name in `Content-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// Of the codings that are offered the one that the client wants most, the first of those it wants
    /// equally; none to send the content as it is.
    pub fn wanted(head: &Head, offered: &[Self]) -> Option<Self> {
        negotiate(head, offered)
    }

    pub(crate) fn value(self) -> HeaderValue {
        HeaderValue::from_static(self.name())
    }

    /// The coding of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
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

/// What a client accepts, in thousandths.
#[derive(Debug, Default)]
struct Accepted {
    brotli: Option<u16>,
    gzip: Option<u16>,
    identity: Option<u16>,
    others: Option<u16>,
}

impl Accepted {
    fn read(head: &Head) -> Self {
        let mut accepted = Self::default();
        let lines = head.header_values(&ACCEPT_ENCODING);
        for line in lines.filter_map(|line| std::str::from_utf8(line).ok()) {
            for member in parts(line, ',') {
                let Some((name, weight)) = weighed(member) else {
                    continue;
                };
                let place = match Coding::named(name) {
                    Some(Coding::Brotli) => &mut accepted.brotli,
                    Some(Coding::Gzip) => &mut accepted.gzip,
                    None if name == "*" => &mut accepted.others,
                    None if name.eq_ignore_ascii_case("identity") => &mut accepted.identity,
                    None => continue,
                };
                *place = Some(place.map_or(weight, |known| known.max(weight)));
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

/// A name and its weight; none if the weight is none.
fn weighed(member: &str) -> Option<(&str, u16)> {
    let mut parts = parts(member, ';');
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

/// The coding to use for a client; none to send as it is.
///
/// Of codings that the client wants equally the first offered is taken. A client that refuses even
/// plain content gets plain content: it can still read that, and cannot read a refusal either.
pub(crate) fn negotiate(head: &Head, offered: &[Coding]) -> Option<Coding> {
    if !head.has_header(ACCEPT_ENCODING) {
        return None;
    }
    let accepted = Accepted::read(head);
    let mut best = None;
    let mut most = 0;
    for &coding in offered {
        let weight = accepted.weight(coding);
        if weight > most {
            (best, most) = (Some(coding), weight);
        }
    }
    best.filter(|_| accepted.identity.is_none_or(|plain| plain <= most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(lines: &[&str]) -> Option<&'static str> {
        let mut head = Head::new(http::Method::GET, "/");
        for line in lines {
            head = head.with_header(ACCEPT_ENCODING, line.parse().unwrap());
        }
        negotiate(&head, &Coding::ALL).map(Coding::name)
    }

    #[test]
    fn the_coding_a_client_wants_most_is_taken() {
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
