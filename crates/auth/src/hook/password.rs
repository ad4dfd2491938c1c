//! `password-verification`: a password that was checked at a sign-in.

use serde::Deserialize;
use serde_json::{Value, json};

use super::HookError;
use crate::app::App;
use crate::client::ClientInfo;
use crate::config::HookKind;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::store;
use crate::user::{Object, User};

/// What is said to a client when the hook does not say it.
const REJECTED: &str = "Further password verification attempts will be rejected.";

/// What the application decides.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Verdict {
    decision: Option<Decision>,
    message: Option<String>,
    should_logout_user: Option<bool>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Decision {
    Continue,
    Reject,
}

/// Tells whether the password of a user was right; the application may refuse the sign-in and end the
/// user's sessions.
pub(crate) async fn checked(
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
    let call = app.hooks.call(kind, input, client);
    let output = app.hooks.run(&call).await?;
    let verdict = read(output)?;
    if verdict.decision != Some(Decision::Reject) {
        return Ok(());
    }
    if verdict.should_logout_user == Some(true) {
        let conn = app.shared().await?;
        store::sessions::delete_of_user(&conn, user.id).await?;
    }
    let message = verdict.message.filter(|message| !message.is_empty());
    let message = message.unwrap_or_else(|| REJECTED.to_owned());
    Err(AuthError::refused(ErrorCode::InvalidCredentials, message))
}

fn read(output: Object) -> std::result::Result<Verdict, HookError> {
    Verdict::deserialize(Value::Object(output)).map_err(|_| {
        let problem = "`decision` is `continue` or `reject`, `message` a text and \
                       `should_logout_user` true or false";
        HookError::Output(problem.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Decision, Verdict, read};

    fn verdict(output: Value) -> Option<Verdict> {
        let Value::Object(output) = output else {
            panic!("an object");
        };
        read(output).ok()
    }

    #[test]
    fn a_verdict_is_one_of_two_or_none() {
        let decided = |output| verdict(output).unwrap().decision;
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
            assert!(verdict(odd.clone()).is_none(), "{odd}");
        }
    }
}
