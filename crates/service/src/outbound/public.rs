//! Tells public addresses from private and reserved ones.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address belongs to the public internet: not to this machine, a private network, or a range
/// reserved for documentation, tests or future use.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => is_public_v4(inner),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_reserved = match a {
        0 | 240.. => true,
        100 => (64..128).contains(&b),
        192 => b == 0 && c == 0,
        198 => b == 18 || b == 19,
        _ => false,
    };
    !(is_reserved
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    // Only 2000::/3 has been allocated so far.
    let is_allocated = first & 0xe000 == 0x2000;
    // Tunnels, tests and documentation.
    let is_special = first == 0x2001 && (second < 0x0200 || second == 0x0db8) || first == 0x3fff;
    is_allocated && !is_special
}

/// Returns the IPv4 address inside an IPv6 address: IPv4-mapped, NAT64 or 6to4.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let inner = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match segments {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(inner(high, low))
        }
        [0x2002, high, low, ..] => Some(inner(high, low)),
        _ => None,
    }
}
