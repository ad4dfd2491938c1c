//! `password-verification`: reports a checked password, and lets the application refuse the sign-in.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::HookKind;
use crate::flow::user::{Object, User};
use crate::outside::hook::HookError;
use crate::store;

/// The message to the client when the hook gives none.
const REJECTED: &str = "Further password verification attempts will be rejected.";

/// The answer of the application.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AttemptDecision {
    pub(super) decision: Option<Decision>,
    pub(super) message: Option<String>,
    should_logout_user: Option<bool>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Decision {
    Continue,
    Reject,
}

/// Reports whether the password of a user was correct. The application may refuse the sign-in and end the
/// user's sessions.
pub(crate) async fn report_attempt(
    app: &App,
    user: &User,
    valid: bool,
    client: &ClientInfo,
) -> Result<()> {
    let kind = HookKind::PasswordVerificationAttempt;
    if !app.hooks.is_on(kind) {
        return Ok(());
    }
    let mut input = Object::new();
    input.insert("user_id".to_owned(), json!(user.id));
    input.insert("valid".to_owned(), json!(valid));
    let call = app.hooks.prepare(kind, input, client);
    let output = app.hooks.call(&call).await?;
    let answer = parse(output)?;
    if answer.decision != Some(Decision::Reject) {
        return Ok(());
    }
    if answer.should_logout_user == Some(true) {
        let conn = app.shared().await?;
        store::sessions::delete_of_user(&conn, user.id).await?;
    }
    let message = answer.message.filter(|message| !message.is_empty());
    let message = message.unwrap_or_else(|| REJECTED.to_owned());
    Err(AuthError::refused(ErrorCode::InvalidCredentials, message))
}

/// Parses the answer about a password or a second factor.
pub(super) fn parse(output: Object) -> std::result::Result<AttemptDecision, HookError> {
    AttemptDecision::deserialize(Value::Object(output)).map_err(|_| {
        let problem = "`decision` is `continue` or `reject`, `message` a text and \
                       `should_logout_user` true or false";
        HookError::InvalidOutput(problem.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{AttemptDecision, Decision, parse};

    fn decision(output: Value) -> Option<AttemptDecision> {
        let Value::Object(output) = output else {
            panic!("an object");
        };
        parse(output).ok()
    }

    #[test]
    fn a_decision_is_continue_reject_or_missing() {
        let decided = |output| decision(output).unwrap().decision;
        assert_eq!(decided(json!({})), None);
        assert_eq!(decided(json!({ "decision": null })), None);
        let go_on = json!({ "decision": "continue", "more": 7 });
        assert_eq!(decided(go_on), Some(Decision::Continue));
        let no = json!({ "decision": "reject", "message": "no", "should_logout_user": true });
        assert_eq!(decided(no), Some(Decision::Reject));
        for odd in [
            json!({ "decision": "rejekt" }),
            json!({ "decision": true }),
            json!({ "decision": "reject", "message": 7 }),
            json!({ "decision": "reject", "should_logout_user": "yes" }),
        ] {
            assert!(decision(odd.clone()).is_none(), "{odd}");
        }
    }
}
