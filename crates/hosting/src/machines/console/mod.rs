//! The console of game servers: what they write, what is typed, and who watches.
//!
//! ```text
//! engine → follow → lines → room → log (files)
//!                             ↓
//!                           ring → reader → socket
//! ```
//!
//! Every line has a sequence number, by which readers resume. A typed command is a line of the stream `input`; its echo
//! by the terminal is left out.

pub(crate) mod close;
mod codec;
mod command;
mod echo;
mod escapes;
mod event;
mod follow;
pub(crate) mod hub;
mod latest;
mod line;
mod lines;
mod log;
mod native;
mod protocol;
mod reader;
mod ring;
mod room;
mod session;
mod socket;
mod sockets;
#[cfg(test)]
mod tests;
mod wings;

use std::time::Duration;

pub(crate) use command::check_command;
pub(crate) use latest::{LogLines, LogQuery, LogStart};
pub(crate) use line::{ConsoleLine, LineStream};
pub(crate) use protocol::MAX_FRAME;
pub(crate) use reader::{ConsoleReader, DEFAULT_TAIL, ReplayStart};
pub(crate) use session::{
    Session, SessionDetails, SessionServices, console_error_code, machine_key,
};
pub(crate) use socket::serve as serve_socket;
pub(crate) use wings::PROTOCOL as WINGS_PROTOCOL;

/// The subprotocols, preferred first.
pub(crate) const PROTOCOLS: [&str; 2] = [protocol::PROTOCOL, wings::PROTOCOL];
/// How long a client may be silent before it is sent a ping.
pub(crate) const PING_AFTER: Duration = Duration::from_millis(protocol::PING_MILLIS);
/// How long it may be silent after that.
pub(crate) const PONG_WITHIN: Duration =
    Duration::from_millis(protocol::SILENCE_MILLIS - protocol::PING_MILLIS);
