//! Links that do not work: the site learns the reason from its address.

use crate::base::error::AuthError;
use crate::config::redirect::{with_fragment, with_query};

/// Returns the redirect target with the error, for the page that the browser returns to.
pub(super) fn error_location(target: &str, error: &AuthError, exchange: bool) -> String {
    let status = error.status();
    let oauth_error = match status.as_u16() {
        401 => "unauthorized_client",
        403 => "access_denied",
        503 => "temporarily_unavailable",
        500..=599 => "server_error",
        _ => "invalid_request",
    };
    if status.is_server_error() {
        tracing::error!(
            error = error as &dyn std::error::Error,
            "a link could not be verified"
        );
    }
    let text = error.to_string();
    let parameters = [
        ("error", oauth_error),
        ("error_code", error.code()),
        ("error_description", text.as_str()),
    ];
    let target = if exchange {
        with_query(target, &parameters)
    } else {
        target.to_owned()
    };
    with_fragment(&target, &parameters)
}
