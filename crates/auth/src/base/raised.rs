//! Exceptions that triggers and functions of the application raise in SQL.

use http::StatusCode;
use innkeeper_service::database::DatabaseError;
use tokio_postgres::error::{DbError, SqlState};

/// An exception that was raised in SQL for the client to read.
#[derive(Debug)]
pub struct Raised {
    /// The status of the response: that of `PTnnn`, else 500.
    pub(crate) status: StatusCode,
    pub(crate) sql_state: String,
    pub(crate) message: String,
    pub(crate) detail: Option<String>,
    pub(crate) hint: Option<String>,
}

impl Raised {
    /// Returns the exception that a statement failed with, if it was raised on purpose. Errors of the
    /// database itself are for the log.
    pub(crate) fn of(error: &DatabaseError) -> Option<Self> {
        let DatabaseError::Sql(error) = error else {
            return None;
        };
        error.as_db_error().and_then(Self::read)
    }

    fn read(error: &DbError) -> Option<Self> {
        let was_raised = error.routine() == Some(RAISE_ROUTINE);
        let status = match status(error.code()) {
            None if is_constraint_violation(error.code()) && (was_raised || !is_ours(error)) => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
            other => other?,
        };
        // The database's own details repeat the values of rows.
        let is_readable = was_raised || !is_constraint_violation(error.code());
        let text = |text: Option<&str>| text.filter(|_| is_readable).map(str::to_owned);
        Some(Self {
            status,
            sql_state: error.code().code().to_owned(),
            message: error.message().to_owned(),
            detail: text(error.detail()),
            hint: text(error.hint()),
        })
    }

    /// Logs the exception.
    pub(crate) fn log(&self) {
        tracing::warn!(
            sql.state = self.sql_state,
            raised = self.message,
            "an exception was raised in the database"
        );
    }
}

/// The routine of PostgreSQL that reports an exception of `raise`.
const RAISE_ROUTINE: &str = "exec_stmt_raise";

/// The tables of this server. Applications may have tables of the same names in another schema.
const OUR_TABLES: [&str; 22] = [
    "audit_log_entries",
    "custom_oauth_providers",
    "flow_state",
    "identities",
    "instances",
    "mfa_amr_claims",
    "mfa_challenges",
    "mfa_factors",
    "oauth_authorizations",
    "oauth_client_states",
    "oauth_clients",
    "oauth_consents",
    "one_time_tokens",
    "refresh_tokens",
    "saml_providers",
    "saml_relay_states",
    "sessions",
    "sso_domains",
    "sso_providers",
    "users",
    "webauthn_challenges",
    "webauthn_credentials",
];

/// Whether a constraint was violated: class 23.
fn is_constraint_violation(state: &SqlState) -> bool {
    state.code().starts_with("23")
}

/// Whether the constraint belongs to a table of this server. Those of the application are its own to
/// explain.
fn is_ours(error: &DbError) -> bool {
    let Some(table) = error.table() else {
        return true;
    };
    let ours = OUR_TABLES.contains(&table) || table.starts_with("innkeeper_");
    ours && error.schema() != Some("public")
}

/// Returns the status of an exception that was raised on purpose: the digits of `PTnnn`, else 500.
fn status(state: &SqlState) -> Option<StatusCode> {
    if *state == SqlState::RAISE_EXCEPTION {
        return Some(StatusCode::INTERNAL_SERVER_ERROR);
    }
    let digits = state.code().strip_prefix("PT")?;
    let named = digits
        .parse()
        .ok()
        .and_then(|status| StatusCode::from_u16(status).ok());
    let failure = named.filter(|status| status.is_client_error() || status.is_server_error());
    Some(failure.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
}

#[cfg(test)]
mod tests {
    use super::{SqlState, status};

    #[test]
    fn a_code_names_the_status_if_it_is_one_of_a_failure() {
        let status = |code| status(&SqlState::from_code(code)).map(|status| status.as_u16());
        assert_eq!(status("P0001"), Some(500));
        assert_eq!(status("PT403"), Some(403));
        assert_eq!(status("PT599"), Some(599));
        for odd in ["PT200", "PT302", "PT000", "PT999", "PTabc"] {
            assert_eq!(status(odd), Some(500), "{odd}");
        }
        for internal in ["23505", "42501", "P0002", "XX000"] {
            assert_eq!(status(internal), None, "{internal}");
        }
    }
}
