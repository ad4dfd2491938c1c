//! One file per path, named as in `src/api`.

mod admin;
mod bearer;
mod client;
mod cors;
mod errors;
mod health;
mod invite;
mod logout;
mod magiclink;
mod not_found;
mod openapi;
mod otp;
mod path_prefix;
mod reauthenticate;
mod recover;
mod resend;
mod settings;
mod signup;
mod token;
mod user;
mod user_sessions;
mod verify;
mod well_known;
