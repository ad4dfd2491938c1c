//! Websockets: a handler takes over the connection and continues in another protocol (RFC 6455).

mod close;
mod connection;
mod handshake;
mod message;
mod origins;
mod return_slot;
mod socket;
mod upgrade;
mod upgraded;

pub use close::{Close, Closed};
pub use message::{Message, Text};
pub use origins::Origins;
pub use socket::Socket;
pub use upgrade::{FromUpgrade, Upgrade, upgrade};
pub(crate) use upgraded::{UpgradeHandler, UpgradeSlot, UpgradedConnection};
