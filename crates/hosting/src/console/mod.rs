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
mod echo;
mod escapes;
mod event;
mod follow;
pub(crate) mod hub;
mod line;
mod lines;
mod log;
mod protocol;
mod reader;
mod ring;
mod room;
mod sockets;
#[cfg(test)]
mod tests;
