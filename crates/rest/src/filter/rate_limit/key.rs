//! Keys: which requests are counted together.

use std::borrow::Cow;
use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, Hasher};

use http::header::HeaderName;

use crate::request::{ClientAddress, Request};

/// The part of a request that is its key.
pub(super) enum KeySource {
    Client,
    Header(HeaderName),
    Custom(KeyFn),
}

type KeyFn = Box<dyn Fn(&Request) -> Option<String> + Send + Sync>;

impl KeySource {
    /// Returns the key of a request, or `None` if the request is not counted.
    pub(super) fn of<'k>(&self, name: &'k LimitName, request: &'k Request) -> Option<LimitKey<'k>> {
        let by = match self {
            Self::Client => client(request).map_or(CountedBy::Unknown, CountedBy::Client),
            // Requests without the header share one key, so that leaving it out does not avoid the limit.
            Self::Header(name) => {
                let value = request.head().header_values(name).next();
                CountedBy::Text(String::from_utf8_lossy(value.unwrap_or_default()))
            }
            Self::Custom(key) => CountedBy::Text(key(request)?.into()),
        };
        Some(LimitKey { name, by })
    }
}

/// The key that a [`Limiter`](super::Limiter) counts by: the name of a limit, and a client or another
/// part of the request. It is displayed as one text, such as `reading:192.0.2.7`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitKey<'k> {
    name: &'k LimitName,
    by: CountedBy<'k>,
}

/// The name of a limit, and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LimitName {
    pub(super) text: String,
    hash: u64,
}

impl LimitName {
    pub(super) fn new(text: String) -> Self {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(&text);
        Self { text, hash }
    }
}

impl<'k> LimitKey<'k> {
    /// Returns the key for a text that is not taken from a request.
    pub(super) fn of_text(name: &'k LimitName, text: &'k str) -> Self {
        Self {
            name,
            by: CountedBy::Text(text.into()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum CountedBy<'k> {
    Client(ClientAddress),
    Unknown,
    Text(Cow<'k, str>),
}

impl Hash for LimitKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.by {
            CountedBy::Client(client) => {
                // In one piece: a hasher is faster with one long piece than with several short ones.
                let mut bytes = [0; 24];
                let (name, network) = bytes.split_at_mut(8);
                name.copy_from_slice(&self.name.hash.to_ne_bytes());
                network.copy_from_slice(&client.network_bits().to_ne_bytes());
                state.write(&bytes);
            }
            CountedBy::Unknown => state.write_u64(self.name.hash),
            CountedBy::Text(text) => (self.name.hash, text).hash(state),
        }
    }
}

impl fmt::Display for LimitKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.name.text)?;
        match &self.by {
            CountedBy::Client(client) => f.write_str(&client.network()),
            CountedBy::Unknown => f.write_str("unknown"),
            CountedBy::Text(text) => f.write_str(text),
        }
    }
}

fn client(request: &Request) -> Option<ClientAddress> {
    match request.values().get::<ClientAddress>() {
        Some(client) => Some(*client),
        None => Some(ClientAddress(request.peer()?.ip().to_canonical())),
    }
}

impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client => f.write_str("Client"),
            Self::Header(name) => f.debug_tuple("Header").field(name).finish(),
            Self::Custom(_) => f.write_str("Custom"),
        }
    }
}
