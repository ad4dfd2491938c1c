//! Customers and API keys.

use std::fmt;
use std::net::IpAddr;

use jiff::Timestamp;
use uuid::Uuid;

use super::words::words;

/// A customer, who owns machines and keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Customer {
    /// `cus_…`.
    pub id: String,
    /// The name for operators.
    pub name: String,
    /// When the customer was added.
    pub created_at: Timestamp,
}

words! {
    /// What a key may do.
    pub enum Scope {
        /// List virtual private servers and their actions.
        VpsRead = "vps:read",
        /// Start, stop and reset virtual private servers.
        VpsPower = "vps:power",
        /// List game servers and their actions.
        GameRead = "game:read",
        /// Start, stop and restart game servers.
        GamePower = "game:power",
        /// Kill game servers, or stop them by force.
        GameKill = "game:kill",
        /// Read the console of game servers.
        GameConsoleRead = "game:console:read",
        /// Send commands to the console of game servers.
        GameConsoleWrite = "game:console:write",
        /// Read the log of game servers.
        GameLogs = "game:logs",
        /// Everything.
        All = "*",
    }
}

/// A set of scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// Returns a set, sorted and without duplicates.
    pub fn new(scopes: impl IntoIterator<Item = Scope>) -> Self {
        let mut scopes: Vec<Scope> = scopes.into_iter().collect();
        scopes.sort();
        scopes.dedup();
        Self(scopes)
    }

    /// Tells whether the set allows what a scope stands for.
    pub fn allows(&self, scope: Scope) -> bool {
        self.0.contains(&scope) || self.0.contains(&Scope::All)
    }

    /// Returns the scopes.
    pub fn iter(&self) -> impl Iterator<Item = Scope> + '_ {
        self.0.iter().copied()
    }
}

/// An IP network, such as `192.0.2.0/24` or `2001:db8::/32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    /// Parses an address, or an address and a number of bits. Bits after the prefix must be zero.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => most,
            // `+8` and `08` are numbers for the standard library.
            Some(bits)
                if bits.len() > 1 && !bits.starts_with(|c: char| ('1'..='9').contains(&c)) =>
            {
                return None;
            }
            Some(bits) => bits.parse().ok().filter(|bits| *bits <= most)?,
        };
        let network = Self { address, bits };
        network.is_canonical().then_some(network)
    }

    /// Tells whether an address is in the network. An IPv4 address that is mapped to IPv6 counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.prefix(address.to_canonical()) == self.prefix(self.address)
    }

    fn is_canonical(&self) -> bool {
        let (number, width) = number(self.address);
        let host_bits = width - u32::from(self.bits);
        host_bits == 0 || number.trailing_zeros() >= host_bits || number == 0
    }

    /// Returns the first bits of an address; `None` if it is of the other family.
    fn prefix(&self, address: IpAddr) -> Option<u128> {
        if address.is_ipv4() != self.address.is_ipv4() {
            return None;
        }
        let (number, width) = number(address);
        Some(
            number
                .checked_shr(width - u32::from(self.bits))
                .unwrap_or(0),
        )
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// Returns an address as a number, and how many bits it has.
fn number(address: IpAddr) -> (u128, u32) {
    match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()), 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    }
}

/// An API key, without its secret.
#[derive(Debug, Clone)]
pub struct ApiKey {
    /// The public part of the key.
    pub id: String,
    /// Whose key it is.
    pub customer_id: String,
    /// The name for people.
    pub name: String,
    /// What it may do.
    pub scopes: Scopes,
    /// The machines that it may use; `None` means all of the customer.
    pub machines: Option<Vec<Uuid>>,
    /// Where requests may come from; `None` means anywhere.
    pub networks: Option<Vec<Network>>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it stops working.
    pub expires_at: Option<Timestamp>,
    /// Since when it is revoked.
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// The address from which it was last used.
    pub last_used_from: Option<String>,
}
