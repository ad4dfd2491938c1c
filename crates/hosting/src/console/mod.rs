//! The console of game servers: what they write, what is typed, and who watches.

pub(crate) mod close;
pub(crate) mod hub;
