//! The pages of the server, in a browser without scripts.

mod account;
mod authenticator;
mod confirm;
mod frame;
mod hostile;
mod phone_factor;
mod protected;
mod providers;
mod reset;
mod second_factor;
mod sign_in;
mod sign_up;
mod theme;
