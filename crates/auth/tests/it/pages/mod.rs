//! The pages of the server, in a browser without scripts. Where an authenticator is asked, tests do what the script does.

mod account;
mod authenticator;
mod confirm;
mod frame;
mod hostile;
mod passkey_attacks;
mod passkeys;
mod phone_factor;
mod protected;
mod providers;
mod reset;
mod second_factor;
mod security_key;
mod sign_in;
mod sign_up;
mod theme;
