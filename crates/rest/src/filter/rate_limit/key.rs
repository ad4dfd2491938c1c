//! Whose requests are counted together.

use std::borrow::Cow;
use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, Hasher};

use http::header::HeaderName;

use crate::filter::ClientAddress;
use crate::request::Request;

/// What requests are told apart by.
pub(super) enum Key {
    Client,
    Header(HeaderName),
    Custom(Custom),
}

type Custom = Box<dyn Fn(&Request) -> Option<String> + Send + Sync>;

impl Key {
    /// Whose request this is, and who counts it; none if it is not to be counted.
    pub(super) fn of<'k>(&self, name: &'k Named, request: &'k Request) -> Option<LimitKey<'k>> {
        let whose = match self {
            Self::Client => client(request).map_or(Whose::Unknown, Whose::Client),
            // Who leaves the header out is one of many who do, and not free of the limit.
            Self::Header(name) => {
                let value = request.head().header_values(name).next();
                Whose::Text(String::from_utf8_lossy(value.unwrap_or_default()))
            }
            Self::Custom(whose) => Whose::Text(whose(request)?.into()),
        };
        Some(LimitKey { name, whose })
    }
}

/// What a [`Limiter`](super::Limiter) counts by: the name of a limit, and whose requests are counted
/// together. Written out it is one text, such as `reading:192.0.2.7`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitKey<'k> {
    name: &'k Named,
    whose: Whose<'k>,
}

/// The name of a limit, and a number made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) text: String,
    number: u64,
}

impl Named {
    pub(super) fn new(text: String) -> Self {
        let number = BuildHasherDefault::<DefaultHasher>::default().hash_one(&text);
        Self { text, number }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Whose<'k> {
    Client(ClientAddress),
    Unknown,
    Text(Cow<'k, str>),
}

impl Hash for LimitKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.whose {
            Whose::Client(client) => {
                // All at once: a hasher takes one long piece sooner than several short ones.
                let mut bytes = [0; 24];
                let (name, network) = bytes.split_at_mut(8);
                name.copy_from_slice(&self.name.number.to_ne_bytes());
                network.copy_from_slice(&client.network_bits().to_ne_bytes());
                state.write(&bytes);
            }
            Whose::Unknown => state.write_u64(self.name.number),
            Whose::Text(text) => (self.name.number, text).hash(state),
        }
    }
}

impl fmt::Display for LimitKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.name.text)?;
        match &self.whose {
            Whose::Client(client) => f.write_str(&client.network()),
            Whose::Unknown => f.write_str("unknown"),
            Whose::Text(text) => f.write_str(text),
        }
    }
}

fn client(request: &Request) -> Option<ClientAddress> {
    match request.values().get::<ClientAddress>() {
        Some(client) => Some(*client),
        None => Some(ClientAddress(request.peer()?.ip().to_canonical())),
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client => f.write_str("Client"),
            Self::Header(name) => f.debug_tuple("Header").field(name).finish(),
            Self::Custom(_) => f.write_str("Custom"),
        }
    }
}
