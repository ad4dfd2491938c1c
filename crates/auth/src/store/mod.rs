//! Database access, one file per table. Statements stand in the functions that run them; long ones in a file
//! below them.

pub(crate) mod audit;
pub(crate) mod cleanup;
pub(crate) mod custom_providers;
pub(crate) mod factors;
pub(crate) mod flow_states;
pub(crate) mod hooks;
pub(crate) mod identities;
pub(crate) mod mail_budget;
pub(crate) mod mail_sent;
pub mod migrate;
pub(crate) mod one_time_tokens;
pub(crate) mod outbox;
pub(crate) mod passkeys;
pub(crate) mod recovery_codes;
pub(crate) mod refresh_tokens;
pub(crate) mod sessions;
pub(crate) mod signing_keys;
pub(crate) mod user_list;
pub(crate) mod user_phones;
pub(crate) mod users;

use innkeeper_service::database::{DatabaseError, Declaration};

/// The result of a query.
pub(crate) type Result<T> = std::result::Result<T, DatabaseError>;

/// All statements, for the test that compares them with the database.
pub fn statements() -> impl Iterator<Item = &'static Declaration> {
    [
        audit::STATEMENTS,
        cleanup::STATEMENTS,
        custom_providers::STATEMENTS,
        factors::STATEMENTS,
        flow_states::STATEMENTS,
        identities::STATEMENTS,
        mail_budget::STATEMENTS,
        mail_sent::STATEMENTS,
        one_time_tokens::STATEMENTS,
        outbox::STATEMENTS,
        passkeys::STATEMENTS,
        recovery_codes::STATEMENTS,
        refresh_tokens::STATEMENTS,
        sessions::STATEMENTS,
        signing_keys::STATEMENTS,
        user_list::STATEMENTS,
        user_phones::STATEMENTS,
        users::STATEMENTS,
    ]
    .into_iter()
    .flatten()
}
