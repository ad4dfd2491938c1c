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
