//! Whether and how often an address may be written to. It is counted for every address that is asked
//! for, known or not, so that the limit does not tell who has an account.

use aws_lc_rs::hmac;
use jiff::Timestamp;

use crate::app::App;
use crate::config::MessageKind;
use crate::error::{AuthError, Result};
use crate::store::{self, GenericClient};

/// The timer a message belongs to. Magic links and forgotten passwords share one.
fn timer(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Confirmation => "confirmation",
        MessageKind::Recovery | MessageKind::MagicLink => "recovery",
        MessageKind::EmailChange => "email_change",
        MessageKind::Reauthentication => "reauthentication",
        MessageKind::Invite => "invite",
        // Nobody asks for them, so nobody waits for them.
        _ => "notification",
    }
}

/// Takes the right to write to an address now, or says how long to wait.
pub(crate) async fn claim(
    app: &App,
    conn: &impl GenericClient,
    address: &str,
    kind: MessageKind,
) -> Result<()> {
    check_authorized(app, address)?;
    let pause = app.config.mail_frequency(kind);
    if pause.is_zero() || pause.is_negative() {
        return Ok(());
    }
    let now = app.clock.now();
    let mac = mac(app, address);
    let threshold = now.checked_sub(pause).unwrap_or(Timestamp::MIN);
    if store::mail_sent::try_mark(conn, &mac, timer(kind), now, threshold).await? {
        return Ok(());
    }
    let sent_at = store::mail_sent::find_mark(conn, &mac, timer(kind)).await?;
    let passed = sent_at.map_or(pause, |at| now.duration_since(at));
    let left = pause.saturating_sub(passed);
    // A part of a second counts as a whole one: trying again after the time said must succeed.
    let seconds = left.as_secs() + i64::from(left.subsec_nanos() > 0);
    Err(AuthError::SentRecently(seconds.max(1).unsigned_abs()))
}

/// Refuses addresses that `EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES` does not name, if it names any.
fn check_authorized(app: &App, address: &str) -> Result<()> {
    if is_authorized(app, address) {
        return Ok(());
    }
    Err(AuthError::refused(
        400,
        "email_address_not_authorized",
        "This email address is not authorized to receive mail from this server",
    ))
}

/// Whether mail may go to this address at all.
pub(crate) fn is_authorized(app: &App, address: &str) -> bool {
    let authorized = &app.config.external.email_authorized_addresses;
    authorized.is_empty() || authorized.iter().any(|it| it.eq_ignore_ascii_case(address))
}

/// Gives the right back, when nothing was sent after all.
pub(crate) async fn release(
    app: &App,
    conn: &impl GenericClient,
    address: &str,
    kind: MessageKind,
) -> Result<()> {
    Ok(store::mail_sent::forget(conn, &mac(app, address), timer(kind)).await?)
}

/// As [`release`], after something else went wrong: that is what the client is told.
pub(crate) async fn release_quietly(app: &App, address: &str, kind: MessageKind) {
    if let Ok(conn) = app.shared().await {
        release(app, &conn, address, kind).await.ok();
    }
}

/// Deletes what is remembered of addresses that may be written to again.
pub(crate) async fn forget_old(app: &App, conn: &impl GenericClient) -> store::Result<u64> {
    let longest = MessageKind::ALL
        .into_iter()
        .map(|kind| app.config.mail_frequency(kind))
        .max()
        .unwrap_or_default();
    let now = app.clock.now();
    let threshold = now.checked_sub(longest).unwrap_or(Timestamp::MIN);
    store::mail_sent::forget_before(conn, threshold).await
}

fn mac(app: &App, address: &str) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &app.secrets.address);
    hmac::sign(&key, address.as_bytes()).as_ref().to_vec()
}
