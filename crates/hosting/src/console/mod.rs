//! The console of game servers: what they write, what is typed, and who watches.

pub(crate) mod close;
mod echo;
mod escapes;
pub(crate) mod hub;
mod line;
mod lines;
mod log;
