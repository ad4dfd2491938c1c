//! The pages of the server, in a browser without scripts.

mod account;
mod confirm;
mod frame;
mod hostile;
mod providers;
mod reset;
mod sign_in;
mod sign_up;
mod theme;
