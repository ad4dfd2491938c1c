//! The authentication server of Innkeeper, compatible with GoTrue (supabase/auth).

mod api;
mod app;
mod assemble;
mod audit;
mod caller;
mod captcha;
mod cleanup;
mod client;
pub mod config;
pub mod contact;
mod counters;
mod custom_provider;
mod error;
mod error_code;
mod external;
mod factor;
mod grant;
mod hash_times;
mod hook;
mod identity;
mod input;
pub mod jwt;
pub mod mail;
pub mod migrate;
mod model;
mod one_time;
mod operate;
mod outbox;
mod pages;
mod passkey;
pub mod password;
mod raised;
pub mod redirect;
mod response_timer;
pub mod seal;
mod server;
pub mod session;
mod signing;
mod sms;
mod start_error;
mod store;
mod telemetry;
pub mod throttle;
mod time_text;
mod user;
mod weakness;
mod webauthn;

pub use app::App;
pub use error::AuthError;
pub use error_code::{ErrorCode, error_codes_markdown};
pub use external::{ProviderCheck, ProviderProblem, check_providers};
pub use operate::{
    AccountChange, AccountSelector, AuditQuery, Ban, FinishedTakeover, HookCheck, NewAccount,
    OperateError, TakeoverReport, UserQuery, check_captcha, check_hooks, check_settings,
    check_takeover, create_user, delete_user, end_sessions, examine_database, finish_takeover,
    generate_keys, list_audit_log, list_keys, list_mails, list_sessions, list_users,
    migrate_database, migrate_database_with, retry_failed_mails, retry_mail, revoke_key,
    rotate_keys, service_token, show_user, update_user,
};
pub use raised::Raised;
pub use server::Auth;
pub use signing::{KeyInfo, KeyState, OldKeys, RotatedKeys, SigningKeysError};
pub use start_error::StartError;
pub use store::signing_keys::ServiceTokenRecord;
#[doc(hidden)]
pub use store::statements;

/// The version of the server.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
