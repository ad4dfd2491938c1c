//! `mfa-verification`: reports a checked second factor, and lets the application refuse it.

use serde_json::json;

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::HookKind;
use crate::flow::hook::password::{Decision, parse};
use crate::flow::user::{Object, User};
use crate::model::Factor;
use crate::store;

/// The message to the client when the hook gives none.
const REJECTED: &str = "The verification was refused.";

/// Reports whether the code of a factor was correct. If the application refuses, all sessions of the user end.
pub(crate) async fn report_attempt(
    app: &App,
    user: &User,
    factor: &Factor,
    valid: bool,
    client: &ClientInfo,
) -> Result<()> {
    let kind = HookKind::MfaVerificationAttempt;
    if !app.hooks.is_on(kind) {
        return Ok(());
    }
    let mut input = Object::new();
    input.insert("user_id".to_owned(), json!(user.id));
    input.insert("factor_id".to_owned(), json!(factor.id));
    input.insert("factor_type".to_owned(), json!(factor.factor_type));
    input.insert("valid".to_owned(), json!(valid));
    let call = app.hooks.prepare(kind, input, client);
    let answer = parse(app.hooks.call(&call).await?)?;
    if answer.decision != Some(Decision::Reject) {
        return Ok(());
    }
    let conn = app.shared().await?;
    store::sessions::delete_of_user(&conn, user.id).await?;
    let message = answer.message.filter(|message| !message.is_empty());
    let message = message.unwrap_or_else(|| REJECTED.to_owned());
    Err(AuthError::refused(
        ErrorCode::MfaVerificationRejected,
        message,
    ))
}
