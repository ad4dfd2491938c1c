//! What triggers and functions of the application say when they refuse.

use http::StatusCode;
use innkeeper_rest::Rejection;
use innkeeper_service::database::DatabaseError;
use tokio_postgres::error::{DbError, SqlState};

/// Where a rejection carries the detail, and where the hint.
pub(crate) const DETAIL: &str = "/detail";
pub(crate) const HINT: &str = "/hint";

/// An exception that somebody raised in SQL, to be read by whoever made the request.
#[derive(Debug)]
pub struct Raised {
    /// The HTTP status: that of the code if it names one.
    pub(crate) status: StatusCode,
    /// The code of SQL.
    pub(crate) state: String,
    pub(crate) message: String,
    detail: Option<String>,
    hint: Option<String>,
}

impl Raised {
    /// What a statement failed with, if that was said on purpose. What the database itself says is
    /// for the log.
    pub(crate) fn of(error: &DatabaseError) -> Option<Self> {
        let DatabaseError::Sql(error) = error else {
            return None;
        };
        error.as_db_error().and_then(Self::read)
    }

    fn read(error: &DbError) -> Option<Self> {
        let told = error.routine() == Some(RAISE);
        let status = match status(error.code()) {
            None if is_broken_rule(error.code()) && (told || !is_ours(error)) => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
            other => other?,
        };
        // The database's own details repeat the values of rows.
        let told = told || !is_broken_rule(error.code());
        let text = |text: Option<&str>| text.filter(|_| told).map(str::to_owned);
        Some(Self {
            status,
            state: error.code().code().to_owned(),
            message: error.message().to_owned(),
            detail: text(error.detail()),
            hint: text(error.hint()),
        })
    }

    /// Adds what else was said; the code is logged.
    pub(crate) fn explain(self, rejection: Rejection) -> Rejection {
        tracing::warn!(
            sql.state = self.state,
            raised = self.message,
            "an exception was raised in the database"
        );
        let said = [(DETAIL, self.detail), (HINT, self.hint)];
        said.into_iter()
            .fold(rejection, |rejection, (place, text)| match text {
                Some(text) => rejection.with_error(place, text),
                None => rejection,
            })
    }
}

/// Which part of PostgreSQL speaks when a function says `raise`.
const RAISE: &str = "exec_stmt_raise";

/// The tables of this server. Applications have tables of such names, too, but in another schema.
const OURS: [&str; 22] = [
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

/// Whether a rule of a table was broken: class 23.
fn is_broken_rule(state: &SqlState) -> bool {
    state.code().starts_with("23")
}

/// Whether the rule that was broken is one of this server's tables. Those of the application are its own
/// to explain.
fn is_ours(error: &DbError) -> bool {
    let Some(table) = error.table() else {
        return true;
    };
    let ours = OURS.contains(&table) || table.starts_with("innkeeper_");
    ours && error.schema() != Some("public")
}

/// The status of an exception that was raised on purpose: the digits of `PTnnn`, else 500.
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

/// Whether this code is one of SQL rather than one of this server.
pub(crate) fn is_state(code: &str) -> bool {
    let state = SqlState::from_code(code);
    status(&state).is_some() || (code.len() == 5 && is_broken_rule(&state))
}

#[cfg(test)]
mod tests {
    use super::{SqlState, is_state, status};

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

    #[test]
    fn codes_of_this_server_are_no_codes_of_sql() {
        assert!(is_state("P0001") && is_state("PT418") && is_state("23505"));
        assert!(!is_state("user_banned") && !is_state("unexpected_failure"));
    }
}
