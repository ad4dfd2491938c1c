//! Origins: those that a policy lists, and the one of a request.

use std::net::Ipv6Addr;

/// The origin that browsers send for pages without one.
const NULL: &str = "null";

/// An origin that a policy lists, or a pattern of origins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OriginPattern {
    /// The text that a browser sends.
    Exact(String),
    Wildcard(WildcardOrigin),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WildcardOrigin {
    scheme: String,
    labels: Vec<Label>,
    port: Port,
}

/// One label of a host: its text, or the texts before and after its `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Label {
    Text(String),
    Wildcard(String, String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Port {
    Any,
    /// `None` is the default port of the scheme, which browsers leave out.
    Exact(Option<String>),
}

/// The parts of an origin, not yet validated.
struct OriginParts<'t> {
    scheme: &'t str,
    host: &'t str,
    port: Option<&'t str>,
}

impl<'t> OriginParts<'t> {
    fn split(text: &'t str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let after_brackets = match rest.strip_prefix('[') {
            Some(_) => rest.find(']').map_or(rest.len(), |end| end + 1),
            None => 0,
        };
        let (host, port) = match rest.get(after_brackets..)?.find(':') {
            Some(colon) => {
                let (host, port) = rest.split_at_checked(after_brackets + colon)?;
                (host, port.strip_prefix(':'))
            }
            None => (rest, None),
        };
        Some(Self { scheme, host, port })
    }
}

fn is_scheme(text: &str) -> bool {
    let allowed = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.')
    };
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.bytes().all(allowed)
}

fn is_label(text: &str) -> bool {
    let allowed = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
    };
    !text.is_empty() && text.bytes().all(allowed)
}

/// Returns the text of an IPv6 address in brackets, as browsers write it.
fn ipv6(host: &str) -> Option<String> {
    let inside = host.strip_prefix('[')?.strip_suffix(']')?;
    let address: Ipv6Addr = inside.parse().ok()?;
    Some(format!("[{address}]"))
}

/// Parses the number of a port, which has no leading zeros.
fn port_number(text: &str) -> Option<u16> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|&number| digits && number > 0 && !text.starts_with('0'))
}

fn is_default_port(scheme: &str, port: u16) -> bool {
    matches!((scheme, port), ("http", 80) | ("https", 443))
}

/// The `Origin` header of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestOrigin<'t> {
    text: &'t str,
    /// Scheme, host and port; `None` if the text is not an origin with a host.
    host: Option<(&'t str, &'t str, Option<&'t str>)>,
}

impl<'t> RequestOrigin<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let host = OriginParts::split(text)
            .filter(|parts| {
                let known = ipv6(parts.host).is_some_and(|address| address == parts.host);
                is_scheme(parts.scheme)
                    && (known || parts.host.split('.').all(is_label))
                    && parts.port.is_none_or(|port| port_number(port).is_some())
            })
            .map(|parts| (parts.scheme, parts.host, parts.port));
        Self { text, host }
    }

    /// Returns whether the origin has the host that the request is for.
    #[cfg(feature = "websocket")]
    pub(crate) fn is_at(&self, authority: &str) -> bool {
        let Some((scheme @ ("http" | "https"), host, port)) = self.host else {
            return false;
        };
        let authority = authority.to_ascii_lowercase();
        let requested = format!("{scheme}://{authority}");
        // Only the last proxy knows whether the client's connection was encrypted.
        OriginParts::split(&requested).is_some_and(|requested| {
            let explicit = |port: Option<&str>| {
                port.and_then(port_number)
                    .filter(|&port| !is_default_port(scheme, port))
            };
            let well_formed = requested
                .port
                .is_none_or(|port| port_number(port).is_some());
            requested.host == host && well_formed && explicit(requested.port) == explicit(port)
        })
    }

    /// Returns whether this is the origin of a page, in the notation of browsers.
    pub(super) fn has_host(&self) -> bool {
        self.host.is_some()
    }
}

impl OriginPattern {
    /// Parses an origin or a pattern, or returns the problem with it.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        if text == NULL {
            return Ok(Self::Exact(text.to_owned()));
        }
        if text == "*" {
            return Err("to allow every origin, use `any_origin`");
        }
        if !text.is_ascii() {
            return Err("a host that is not ASCII is written in its `xn--` form");
        }
        let text = text.to_ascii_lowercase();
        let parts =
            OriginParts::split(&text).ok_or("an origin starts with a scheme such as `https://`")?;
        if !is_scheme(parts.scheme) {
            return Err("its scheme is invalid");
        }
        if text.matches('/').count() > 2 || text.contains(['?', '#']) {
            return Err("an origin ends after host and port, without a slash");
        }
        let port = match parts.port {
            Some("*") => Port::Any,
            Some(port) => {
                let number = port_number(port).ok_or("its port is invalid")?;
                let is_explicit = !is_default_port(parts.scheme, number);
                Port::Exact(is_explicit.then(|| number.to_string()))
            }
            None => Port::Exact(None),
        };
        let labels = match ipv6(parts.host) {
            Some(address) => vec![Label::Text(address)],
            None => labels(parts.host)?,
        };
        Ok(Self::of(parts.scheme, labels, port))
    }

    fn of(scheme: &str, labels: Vec<Label>, port: Port) -> Self {
        let texts: Option<Vec<&str>> = labels.iter().map(Label::as_text).collect();
        match (texts, &port) {
            (Some(texts), Port::Exact(port)) => {
                let host = texts.join(".");
                let port = port.as_ref().map_or_else(String::new, |p| format!(":{p}"));
                Self::Exact(format!("{scheme}://{host}{port}"))
            }
            _ => Self::Wildcard(WildcardOrigin {
                scheme: scheme.to_owned(),
                labels,
                port,
            }),
        }
    }

    /// Returns whether the origin of a request matches.
    pub(crate) fn matches(&self, origin: &RequestOrigin<'_>) -> bool {
        match self {
            Self::Exact(text) => text == origin.text,
            Self::Wildcard(pattern) => origin
                .host
                .is_some_and(|(scheme, host, port)| pattern.matches(scheme, host, port)),
        }
    }
}

fn labels(host: &str) -> Result<Vec<Label>, &'static str> {
    let labels: Option<Vec<Label>> = host.split('.').map(Label::parse).collect();
    let labels = labels.ok_or("its host is invalid")?;
    // Anybody may register a name below a top-level domain.
    if labels.last().is_some_and(|label| label.as_text().is_none()) {
        return Err("the last part of its host cannot be a pattern");
    }
    Ok(labels)
}

impl WildcardOrigin {
    fn matches(&self, scheme: &str, host: &str, port: Option<&str>) -> bool {
        let same_port = match &self.port {
            Port::Any => true,
            Port::Exact(own) => own.as_deref() == port,
        };
        // The dots of an address in brackets do not separate labels.
        let mut given = if host.starts_with('[') {
            vec![host]
        } else {
            host.split('.').collect()
        }
        .into_iter();
        let same_host = self
            .labels
            .iter()
            .all(|label| given.next().is_some_and(|text| label.matches(text)));
        self.scheme == scheme && same_port && same_host && given.next().is_none()
    }
}

impl Label {
    fn parse(text: &str) -> Option<Self> {
        let Some((before, after)) = text.split_once('*') else {
            return is_label(text).then(|| Self::Text(text.to_owned()));
        };
        let fixed = |part: &str| part.is_empty() || is_label(part);
        (fixed(before) && fixed(after)).then(|| Self::Wildcard(before.to_owned(), after.to_owned()))
    }

    fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Wildcard(..) => None,
        }
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Self::Text(own) => own == text,
            Self::Wildcard(before, after) => text
                .strip_prefix(before.as_str())
                .and_then(|rest| rest.strip_suffix(after.as_str()))
                .is_some_and(|between| !between.is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(pattern: &str, origin: &str) -> bool {
        OriginPattern::parse(pattern)
            .unwrap()
            .matches(&RequestOrigin::new(origin))
    }

    #[test]
    fn an_origin_is_itself_as_browsers_write_it() {
        for (named, asking) in [
            ("https://example.com", "https://example.com"),
            ("HTTPS://Example.COM", "https://example.com"),
            ("https://example.com:443", "https://example.com"),
            ("http://example.com:80", "http://example.com"),
            ("https://example.com:8443", "https://example.com:8443"),
            ("http://[0:0::1]:3000", "http://[::1]:3000"),
            ("http://127.0.0.1", "http://127.0.0.1"),
            ("capacitor://localhost", "capacitor://localhost"),
            ("null", "null"),
        ] {
            assert!(allows(named, asking), "{named} is {asking}");
        }
        for asking in [
            "http://example.com",
            "https://example.com:80",
            "https://EXAMPLE.com",
            "https://example.com/",
            "https://example.com.evil.org",
            "https://evil.org/https://example.com",
            "https://notexample.com",
            "null",
            "",
        ] {
            assert!(!allows("https://example.com", asking), "{asking}");
        }
    }

    #[test]
    fn a_star_stands_for_one_label_or_a_part_of_one() {
        for (named, asking, allowed) in [
            ("https://*.example.com", "https://a.example.com", true),
            ("https://*.example.com", "https://example.com", false),
            ("https://*.example.com", "https://a.b.example.com", false),
            ("https://*.example.com", "https://.example.com", false),
            ("https://*.example.com", "https://a.example.com:444", false),
            ("https://*.example.com", "http://a.example.com", false),
            ("https://*.example.com", "https://A.example.com", false),
            (
                "https://*.example.com",
                "https://evil.org#.example.com",
                false,
            ),
            (
                "https://*.example.com",
                "https://evil.org?.example.com",
                false,
            ),
            ("https://*.example.com", "https://u@a.example.com", false),
            ("https://*.example.com", "https://a.example.com.", false),
            ("https://*.*.example.com", "https://a.b.example.com", true),
            (
                "https://pr-*-shop.example.com",
                "https://pr-7-shop.example.com",
                true,
            ),
            (
                "https://pr-*-shop.example.com",
                "https://pr--shop.example.com",
                false,
            ),
            (
                "https://pr-*-shop.example.com",
                "https://pr-shop.example.com",
                false,
            ),
            ("http://localhost:*", "http://localhost:5173", true),
            ("http://localhost:*", "http://localhost", true),
            ("http://localhost:*", "http://localhost:05", false),
            ("http://localhost:*", "http://localhost:x", false),
            ("http://localhost:*", "http://localhost:99999", false),
            ("http://localhost:*", "http://localhost.evil.org:80", false),
            ("http://[::1]:*", "http://[::1]:5173", true),
            ("http://[::1]:*", "http://[::2]:5173", false),
        ] {
            assert_eq!(allows(named, asking), allowed, "{named} {asking}");
        }
    }

    #[test]
    fn invalid_origins_are_refused_with_a_reason() {
        for (text, reason) in [
            ("*", "any_origin"),
            ("", "scheme"),
            ("example.com", "scheme"),
            ("1http://example.com", "scheme"),
            ("https://example.com/", "slash"),
            ("https://example.com/path", "slash"),
            ("https://example.com?x", "host and port"),
            ("https://", "host"),
            ("https://a..b", "host"),
            ("https://a b", "host"),
            ("https://user@example.com", "host"),
            ("https://*", "last part"),
            ("https://example.*", "last part"),
            ("https://**.example.com", "host"),
            ("https://[::g]", "host"),
            ("https://[::1", "host"),
            ("https://example.com:", "port"),
            ("https://example.com:0", "port"),
            ("https://example.com:65536", "port"),
            ("https://example.com:+1", "port"),
            ("https://exämple.com", "xn--"),
            (" https://example.com", "scheme"),
            ("https://example.com\r\nx: y", "port"),
        ] {
            let problem = OriginPattern::parse(text).unwrap_err();
            assert!(problem.contains(reason), "{text:?}: {problem}");
        }
    }
}
