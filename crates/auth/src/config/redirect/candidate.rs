//! Addresses that clients ask to be redirected to, parsed strictly.

use std::net::IpAddr;

use url::{Host, Url};

/// Schemes whose address is code, a document or a file of the reader. No setting can allow them.
pub(super) const FORBIDDEN_SCHEMES: [&str; 8] = [
    "about",
    "blob",
    "data",
    "file",
    "filesystem",
    "javascript",
    "vbscript",
    "view-source",
];

/// A requested redirect address that every browser reads in the same way as this server.
pub(super) struct Candidate<'a> {
    /// The address as written, without the fragment.
    pub(super) text: &'a str,
    pub(super) url: Url,
    /// The scheme is http or https.
    pub(super) is_web: bool,
    /// The IP address, if the host of a web address is one.
    pub(super) ip_address: Option<IpAddr>,
}

impl<'a> Candidate<'a> {
    /// Parses an address. Returns `None` if it is invalid, ambiguous or of a forbidden scheme.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let is_ambiguous = |character: char| character.is_control() || character == '\\';
        if text.contains(is_ambiguous) || text.trim() != text {
            return None;
        }
        let url = Url::parse(text).ok()?;
        if FORBIDDEN_SCHEMES.contains(&url.scheme()) {
            return None;
        }
        let (text, _) = text.split_once('#').unwrap_or((text, ""));
        let authority = authority(text);
        if authority.is_some_and(|authority| authority.contains('@')) {
            return None;
        }
        let is_web = matches!(url.scheme(), "http" | "https");
        let ip_address = match is_web.then(|| WebHost::parse(authority?, &url)) {
            Some(host) => host?.ip_address(),
            None => None,
        };
        Some(Self {
            text,
            url,
            is_web,
            ip_address,
        })
    }
}

/// Returns the text between `//` and the path, as written.
fn authority(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(':')?;
    rest.strip_prefix("//")?.split(['/', '?']).next()
}

/// The host of a web address.
enum WebHost {
    Name,
    Address(IpAddr),
}

impl WebHost {
    /// Parses the host. Refuses spellings that people and browsers may read differently, such as
    /// `2130706433` or `0x7f.1` for 127.0.0.1.
    fn parse(authority: &str, url: &Url) -> Option<Self> {
        let host = url.host()?;
        if let Host::Ipv6(address) = host {
            return Some(Self::Address(address.into()));
        }
        let (name, _) = authority.split_once(':').unwrap_or((authority, ""));
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_plain) {
            return None;
        }
        match host {
            Host::Ipv4(address) => {
                (name == address.to_string()).then_some(Self::Address(address.into()))
            }
            _ => Some(Self::Name),
        }
    }

    fn ip_address(&self) -> Option<IpAddr> {
        match self {
            Self::Name => None,
            Self::Address(address) => Some(*address),
        }
    }
}
