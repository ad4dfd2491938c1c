//! Checks which host a request is for (RFC 9112, section 3.2, and RFC 9113, section 8.3.1).

use http::header::HOST;
use http::request::Parts;
use http::{Method, Version};

use super::byte_set::ByteSet;

/// Whether a value of `Host` is a host with an optional port.
pub(super) fn is_valid(value: &[u8]) -> bool {
    // Nearly all hosts are names without escapes, or IPv4 addresses.
    let is_plain = |byte: &&u8| PLAIN.contains(**byte);
    let (name, rest) = value.split_at(value.iter().take_while(is_plain).count());
    if !name.is_empty() && matches!(rest.first(), None | Some(b':')) {
        return is_port(rest);
    }
    is_unusual_but_valid(value)
}

fn is_unusual_but_valid(value: &[u8]) -> bool {
    let (is_host, port) = if let Some(address) = value.strip_prefix(b"[") {
        let end = address.iter().position(|byte| *byte == b']');
        let (address, rest) = address.split_at(end.unwrap_or(0));
        (is_ip_literal(address), rest.get(1..).unwrap_or_default())
    } else {
        let end = value.iter().position(|byte| *byte == b':');
        let (host, port) = value.split_at(end.unwrap_or(value.len()));
        (is_name(host), port)
    };
    is_host && is_port(port)
}

/// Whether this is a port with its colon, or nothing.
fn is_port(port: &[u8]) -> bool {
    match port.split_first() {
        None => true,
        Some((colon, digits)) => *colon == b':' && digits.iter().all(u8::is_ascii_digit),
    }
}

fn is_ip_literal(address: &[u8]) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b":.-_~!$&'()*+,;=%".contains(byte);
    address.contains(&b':') && address.iter().all(allowed)
}

fn is_name(mut host: &[u8]) -> bool {
    if host.is_empty() {
        return false;
    }
    while let Some((byte, rest)) = host.split_first() {
        host = rest;
        if *byte == b'%' {
            let [a, b, rest @ ..] = host else {
                return false;
            };
            if !a.is_ascii_hexdigit() || !b.is_ascii_hexdigit() {
                return false;
            }
            host = rest;
        } else if !PLAIN.contains(*byte) {
            return false;
        }
    }
    true
}

/// The bytes that stand for themselves in the name of a host.
static PLAIN: ByteSet =
    ByteSet::new(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=");

/// Whether a request names its host as its version requires: once, validly and without a user.
pub(super) fn is_named(parts: &Parts) -> bool {
    let mut hosts = parts.headers.get_all(HOST).iter();
    let (host, second) = (hosts.next(), hosts.next());
    let authority = parts.uri.authority().map(http::uri::Authority::as_str);
    let is_valid_host = host.is_none_or(|host| is_valid(host.as_bytes()));
    let has_user = authority.is_some_and(|authority| authority.contains('@'));
    if second.is_some() || !is_valid_host || has_user {
        return false;
    }
    match (parts.version, host, authority) {
        (Version::HTTP_11, host, _) => host.is_some(),
        (Version::HTTP_2, Some(host), Some(authority)) => {
            host.as_bytes().eq_ignore_ascii_case(authority.as_bytes())
        }
        (Version::HTTP_2, None, None) => parts.method == Method::CONNECT,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::is_valid;

    #[test]
    fn a_host_is_a_name_or_an_address_with_a_port() {
        for (value, expected) in [
            ("a", true),
            ("a.example.com:8080", true),
            ("127.0.0.1:1", true),
            ("[::1]", true),
            ("[::1]:8080", true),
            ("a:", true),
            ("a_b~c%2d", true),
            ("", false),
            (":80", false),
            ("a b", false),
            ("a/b", false),
            ("a?b", false),
            ("a#b", false),
            ("a\\b", false),
            ("a@b", false),
            ("a,b", true),
            ("a:80:90", false),
            ("a:8x", false),
            ("a%2", false),
            ("a%zz", false),
            ("[]", false),
            ("[a]", false),
            ("[::1", false),
            ("[::1]x", false),
            ("[::1 ]", false),
            ("a\u{7f}", false),
            ("ä", false),
        ] {
            assert_eq!(is_valid(value.as_bytes()), expected, "{value:?}");
        }
    }
}
