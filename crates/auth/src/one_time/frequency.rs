//! How often an address may be written to. It is counted for every address that is asked for, known
//! or not, so that the limit does not tell who has an account.

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
    }
}

/// Takes the right to write to an address now, or says how long to wait.
pub(crate) async fn claim(
    app: &App,
    conn: &impl GenericClient,
    address: &str,
    kind: MessageKind,
) -> Result<()> {
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
    let seconds = left.as_millis().max(0).unsigned_abs().div_ceil(1000).max(1);
    Err(AuthError::SentRecently(
        u64::try_from(seconds).unwrap_or(u64::MAX),
    ))
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

fn mac(app: &App, address: &str) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &app.secrets.address);
    hmac::sign(&key, address.as_bytes()).as_ref().to_vec()
}
