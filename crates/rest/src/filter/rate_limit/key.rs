//! Whose requests are counted together.

use std::borrow::Cow;
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
    /// Whose request this is; none if it is not to be counted.
    pub(super) fn of<'r>(&self, request: &'r Request) -> Option<Cow<'r, str>> {
        match self {
            Self::Client => Some(client(request).map_or(Cow::Borrowed("unknown"), |client| {
                Cow::Owned(client.network())
            })),
            // Who leaves the header out is one of many who do, and not free of the limit.
            Self::Header(name) => Some(
                request
                    .head()
                    .header(name)
                    .map_or(Cow::Borrowed(""), |value| {
                        String::from_utf8_lossy(value.as_bytes())
                    }),
            ),
            Self::Custom(key) => key(request).map(Cow::Owned),
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
