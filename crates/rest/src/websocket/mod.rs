//! Websockets: a handler takes the connection and goes on in another protocol (RFC 6455).

mod close;
mod connection;
mod desk;
mod handshake;
mod line;
mod message;
mod origins;
mod socket;
mod upgrade;

pub use close::{Close, Closed};
pub(crate) use line::{Line, Seat, Work};
pub use message::{Message, Text};
pub use origins::Origins;
pub use socket::Socket;
pub use upgrade::{FromUpgrade, Upgrade, upgrade};
