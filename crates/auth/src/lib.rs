//! The authentication server of Innkeeper, compatible with GoTrue (supabase/auth).

mod app;
mod base;
pub mod config;
mod crypto;
mod flow;
mod http;
mod model;
mod outside;
mod server;
mod store;

pub use app::start_error::StartError;
pub use app::{App, throttle};
pub use base::error::AuthError;
pub use base::error_code::{ErrorCode, error_codes_markdown};
pub use base::raised::Raised;
pub use base::{VERSION, contact};
pub use config::redirect;
pub use crypto::signing::{KeyInfo, KeyState, OldKeys, RotatedKeys, SigningKeysError};
pub use crypto::{jwt, password, seal};
pub use flow::operate::{
    AccountChange, AccountSelector, AuditQuery, Ban, FinishedTakeover, HookCheck, NewAccount,
    OperateError, TakeoverReport, UserQuery, check_captcha, check_hooks, check_takeover,
    create_user, delete_user, end_sessions, examine_database, finish_takeover, generate_keys,
    list_audit_log, list_keys, list_mails, list_sessions, list_users, migrate_database,
    migrate_database_with, retry_failed_mails, retry_mail, revoke_key, rotate_keys, service_token,
    show_user, update_user,
};
pub use flow::session;
pub use outside::external::{ProviderCheck, ProviderProblem, check_providers};
pub use outside::mail;
pub use server::{Auth, check_settings};
pub use store::migrate;
pub use store::signing_keys::ServiceTokenRecord;
#[doc(hidden)]
pub use store::statements;
