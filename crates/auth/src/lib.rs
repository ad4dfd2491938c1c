//! The authentication and user-management server of Innkeeper.

mod api;
mod app;
mod audit;
mod captcha;
mod cleanup;
pub mod config;
pub mod contact;
mod error;
mod grant;
mod hook;
pub mod jwt;
pub mod mail;
pub mod migrate;
mod one_time;
mod operate;
pub mod password;
mod raised;
pub mod redirect;
pub mod seal;
mod server;
pub mod session;
mod signing;
mod store;
mod telemetry;
pub mod throttle;
mod user;

pub use app::App;
pub use error::AuthError;
pub use operate::{
    NewAccount, OperateError, create_user, delete_user, examine_database, generate_keys,
    list_mails, migrate_database, retry_failed_mails, retry_mail, rotate_keys, service_token,
};
pub use raised::Raised;
pub use server::{Auth, StartError};
pub use signing::KeysError;

/// The version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
