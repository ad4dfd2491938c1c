//! Changes of phone number: the limits, the codes and the messages.
//!
//! As with email addresses, nobody may learn by a change whether the new number has an account. In the std profile a
//! change to the number of another account looks like any other one, but no message is sent and no code exists.

use innkeeper_service::database::Executor;
use uuid::Uuid;

use super::{User, conflict, verified_contact};
use crate::app::App;
use crate::app::audit::AuditAction;
use crate::base::client::ClientInfo;
use crate::base::contact::Phone;
use crate::base::error::{AuthError, Result};
use crate::config::Profile;
use crate::flow::one_time::find::code_expired;
use crate::flow::one_time::send_sms::{self, PreparedSms, SmsTarget};
use crate::flow::one_time::{TokenKind, sms_limit};
use crate::outside::sms::{SmsChannel, SmsKind};
use crate::store;

/// A phone number that a user wants, and the channel of its code.
#[derive(Debug)]
pub(crate) struct RequestedPhone {
    pub(crate) phone: Phone,
    pub(crate) channel: SmsChannel,
}

/// Claims a message to the new phone number. The account has to wait before it can name another one, or it could send
/// messages to any number of strangers.
pub(super) async fn claim_sms(app: &App, user: &User, phone: &Phone) -> Result<()> {
    let may_tell = app.config.profile == Profile::Gotrue;
    if may_tell && is_taken(app, user.id, phone).await? {
        return Err(conflict::phone_exists());
    }
    let kind = SmsKind::PhoneChange;
    sms_limit::claim_interval(app, &timer_of(user.id), kind).await?;
    if let Err(error) = sms_limit::claim(app, phone.as_str(), kind).await {
        sms_limit::release_interval(app, &timer_of(user.id), kind).await;
        return Err(error);
    }
    if !user.phone.is_empty() {
        // So that `/resend` with the current number has to wait.
        match sms_limit::claim_interval(app, &user.phone, kind).await {
            Ok(()) | Err(AuthError::SmsSentRecently(_)) => {}
            Err(error) => {
                release_sms(app, user, phone).await;
                return Err(error);
            }
        }
    }
    Ok(())
}

/// Releases what [`claim_sms`] has claimed.
pub(super) async fn release_sms(app: &App, user: &User, phone: &Phone) {
    let kind = SmsKind::PhoneChange;
    sms_limit::release(app, phone.as_str(), kind).await;
    sms_limit::release_interval(app, &timer_of(user.id), kind).await;
}

/// Returns the name of an account's own timer, which no phone number can have.
fn timer_of(id: Uuid) -> String {
    id.to_string()
}

/// Makes the code of a change, and sends it where the client waits for that; `None` if another account has the number.
pub(crate) async fn prepare(
    app: &App,
    user: &User,
    requested: &RequestedPhone,
    client: &ClientInfo,
) -> Result<Option<PreparedSms>> {
    if is_taken(app, user.id, &requested.phone).await? {
        sms_limit::release_rate(app, requested.phone.as_str()).await;
        return Ok(None);
    }
    let target = SmsTarget {
        kind: SmsKind::PhoneChange,
        phone: &requested.phone,
        channel: requested.channel,
        user,
        client,
    };
    send_sms::prepare(app, target).await.map(Some)
}

async fn is_taken(app: &App, id: Uuid, phone: &Phone) -> Result<bool> {
    let conn = app.shared().await?;
    Ok(store::users::is_phone_taken(&conn, phone.as_str(), id).await?)
}

/// Starts a change of phone number. The code of an earlier one stops working.
pub(crate) async fn start(
    app: &App,
    tx: &dyn Executor,
    id: Uuid,
    phone: &Phone,
    sms: Option<&PreparedSms>,
) -> Result<()> {
    let now = app.clock.now();
    store::user_phones::start_phone_change(tx, id, phone.as_str(), now).await?;
    if let Some(sms) = sms {
        return sms.store(app, tx, id, false).await;
    }
    let kind = TokenKind::PhoneChange.name();
    store::one_time_tokens::clear_kind(tx, id, kind).await?;
    Ok(())
}

/// Finishes a change of phone number whose code was right.
pub(crate) async fn finish(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    client: &ClientInfo,
) -> Result<()> {
    if user.new_phone.is_empty() {
        return Err(code_expired());
    }
    store::user_phones::finish_phone_change(tx, user.id, app.clock.now())
        .await
        .map_err(conflict::of_constraint)?;
    verified_contact::record_phone(app, tx, user.id, &user.new_phone).await?;
    app.audit(tx, AuditAction::UserModified, user, client).await
}

/// Changes the phone number at once, where numbers need no confirmation.
pub(super) async fn apply_at_once(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    phone: &Phone,
) -> Result<()> {
    if store::users::is_phone_taken(tx, phone.as_str(), user.id).await? {
        return Err(conflict::phone_exists());
    }
    verified_contact::set_phone(app, tx, user.id, phone.as_str()).await
}
