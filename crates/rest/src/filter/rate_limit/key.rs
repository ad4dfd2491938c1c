//! Whose requests are counted together.

use std::fmt;

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
    /// Whose request this is, behind the name of who counts it; none if it is not to be counted.
    pub(super) fn of(&self, name: &str, request: &Request) -> Option<String> {
        let mut key = String::with_capacity(name.len() + ROOM);
        key.push_str(name);
        key.push(':');
        match self {
            Self::Client => match client(request) {
                Some(client) => client.push_network(&mut key),
                None => key.push_str("unknown"),
            },
            // Who leaves the header out is one of many who do, and not free of the limit.
            Self::Header(name) => {
                if let Some(value) = request.head().header_values(name).next() {
                    key.push_str(&String::from_utf8_lossy(value));
                }
            }
            Self::Custom(whose) => key.push_str(&whose(request)?),
        }
        Some(key)
    }
}

/// What most keys have room in, behind their name.
const ROOM: usize = 24;

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
