//! Codes that a provider makes and checks itself, as Twilio Verify does.

use innkeeper_service::database::Executor;

use super::verify_type::VerifyType;
use super::{MAX_ATTEMPTS, find};
use crate::app::App;
use crate::base::contact::Phone;
use crate::base::error::Result;
use crate::flow::user::User;
use crate::store;
use crate::store::one_time_tokens::CodeRow;

/// Whether the codes of a number are made by the provider. Those of numbers for tests are not.
pub(crate) fn is_made_by_provider(app: &App, phone: &str) -> bool {
    let test_code = app.config.sms.test_code(phone, app.clock.now());
    app.sms.is_checked_by_provider() && test_code.is_none()
}

/// Asks the provider whether a code is right; `None` if this server has made it. Nobody is asked about a code that was
/// not requested, or was guessed too often. Must be called outside of any transaction.
pub(super) async fn ask_provider(
    app: &App,
    requested: VerifyType,
    aud: &str,
    phone: &Phone,
    code: &str,
) -> Result<Option<bool>> {
    if !is_made_by_provider(app, phone.as_str()) {
        return Ok(None);
    }
    if !is_waiting(app, requested, aud, phone).await? {
        return Ok(Some(false));
    }
    Ok(Some(is_approved(app, phone.as_str(), code).await))
}

/// Whether the provider approves a code. One that it cannot check is not right.
pub(crate) async fn is_approved(app: &App, phone: &str, code: &str) -> bool {
    let checked = app.sms.check_code(phone, code).await;
    // The cause of a failure is in the log.
    checked.unwrap_or(false)
}

/// Whether a code was sent to this number that may still be guessed.
async fn is_waiting(app: &App, requested: VerifyType, aud: &str, phone: &Phone) -> Result<bool> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let Some((user, kinds)) = find::lock_by_phone(&tx, requested, aud, phone).await? else {
        return Ok(false);
    };
    let rows = store::one_time_tokens::list_codes(&tx, user.id).await?;
    Ok(kinds
        .iter()
        .any(|kind| has_row(&rows, kind.name(), phone.as_str())))
}

/// Whether a nonce was sent to the phone number of the user that may still be guessed.
pub(crate) async fn is_nonce_waiting(conn: &dyn Executor, user: &User, kind: &str) -> Result<bool> {
    let rows = store::one_time_tokens::list_codes(conn, user.id).await?;
    Ok(has_row(&rows, kind, &user.phone))
}

fn has_row(rows: &[CodeRow], kind: &str, phone: &str) -> bool {
    rows.iter().any(|row| {
        row.kind == kind && row.attempts < MAX_ATTEMPTS && row.relates_to.as_deref() == Some(phone)
    })
}
