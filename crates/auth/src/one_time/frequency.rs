//! The limits of mails: which email addresses may get mail, how often each of them may, and how many mails
//! the whole server may send. Requests for known and unknown addresses count alike, so that the limits do
//! not reveal who has an account.

use aws_lc_rs::hmac;
use jiff::{SignedDuration, Timestamp};

use crate::app::App;
use crate::config::{MessageKind, Rate};
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::store::mail_budget::MailClaim;
use crate::store::{self, GenericClient};

/// The `Retry-After` of a request that can never succeed with these settings, in seconds.
const FOR_LONG: u64 = 3600;

/// Returns the timer of a message. Magic links and recovery mails share one.
fn timer(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Confirmation => "confirmation",
        MessageKind::Recovery | MessageKind::MagicLink => "recovery",
        MessageKind::EmailChange => "email_change",
        MessageKind::Reauthentication => "reauthentication",
        MessageKind::Invite => "invite",
        // Notifications are not requested, so they have no frequency.
        _ => "notification",
    }
}

/// Returns how many mails a request of this kind sends.
fn mails(app: &App, kind: MessageKind) -> u32 {
    match kind {
        MessageKind::EmailChange if app.config.mailer.secure_email_change_enabled => 2,
        _ => 1,
    }
}

/// Returns the limit of mails of the whole server; `None` if sign-ups need no confirmation.
fn budget(app: &App) -> Option<Rate> {
    (!app.config.mailer.autoconfirm).then_some(app.config.rate_limit.email_sent)
}

/// Claims a mail to an address, and releases the claim if the work fails, so that the client can try again at
/// once.
pub(crate) async fn claimed<T>(
    app: &App,
    address: &str,
    kind: MessageKind,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    claim(app, &app.shared().await?, address, kind).await?;
    let done = work.await;
    if done.is_err() {
        release_quietly(app, address, kind).await;
    }
    done
}

/// Claims a mail to an address in one query, or returns an error with the time to wait: for the address, or
/// for the whole server.
pub(crate) async fn claim(
    app: &App,
    conn: &impl GenericClient,
    address: &str,
    kind: MessageKind,
) -> Result<()> {
    // Operators may invite any address.
    if kind != MessageKind::Invite {
        check_authorized(app, address)?;
    }
    let Some(rate) = budget(app) else {
        return mark(app, conn, address, kind).await;
    };
    let (now, mails, mac) = (app.clock.now(), mails(app, kind), mac(app, address));
    if mails > rate.size() {
        return Err(AuthError::MailLimit(FOR_LONG));
    }
    let threshold = pause(app, kind).map(|pause| before(now, pause));
    let mail_claim = MailClaim {
        address: &mac,
        timer: timer(kind),
        threshold,
        mails,
    };
    let claim = store::mail_budget::claim(conn, rate, &mail_claim, now).await?;
    if claim.is_counted {
        return Ok(());
    }
    if threshold.is_some() && !claim.is_marked {
        return Err(sent_recently(app, conn, address, kind).await?);
    }
    if claim.is_marked {
        store::mail_sent::delete(conn, &mac, timer(kind)).await?;
    }
    let left = store::mail_budget::wait(conn, rate, mails, now).await?;
    Err(AuthError::MailLimit(seconds(left)))
}

/// As [`claim`], for a mail that is counted already.
pub(crate) async fn mark(
    app: &App,
    conn: &impl GenericClient,
    address: &str,
    kind: MessageKind,
) -> Result<()> {
    let Some(pause) = pause(app, kind) else {
        return Ok(());
    };
    let now = app.clock.now();
    let mac = mac(app, address);
    let threshold = before(now, pause);
    if store::mail_sent::try_start(conn, &mac, timer(kind), now, threshold).await? {
        return Ok(());
    }
    Err(sent_recently(app, conn, address, kind).await?)
}

/// Returns the shortest time between two mails of a kind to an address, if there is one.
fn pause(app: &App, kind: MessageKind) -> Option<SignedDuration> {
    let pause = app.config.mail_frequency(kind);
    pause.is_positive().then_some(pause)
}

fn before(now: Timestamp, pause: SignedDuration) -> Timestamp {
    now.checked_sub(pause).unwrap_or(Timestamp::UNIX_EPOCH)
}

async fn sent_recently(
    app: &App,
    conn: &impl GenericClient,
    address: &str,
    kind: MessageKind,
) -> Result<AuthError> {
    let sent_at = store::mail_sent::find_start(conn, &mac(app, address), timer(kind)).await?;
    let pause = pause(app, kind).unwrap_or_default();
    let passed = sent_at.map_or(pause, |at| app.clock.now().duration_since(at));
    Ok(AuthError::SentRecently(seconds(
        pause.saturating_sub(passed),
    )))
}

/// Rounds up to whole seconds, so that a retry after this time succeeds.
fn seconds(left: SignedDuration) -> u64 {
    let seconds = left.as_secs() + i64::from(left.subsec_nanos() > 0);
    seconds.max(1).unsigned_abs()
}

/// Refuses addresses that `EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES` does not name, if it names any.
fn check_authorized(app: &App, address: &str) -> Result<()> {
    if is_authorized(app, address) {
        return Ok(());
    }
    Err(AuthError::refused(
        ErrorCode::EmailAddressNotAuthorized,
        "This email address is not authorized to receive mail from this server",
    ))
}

/// Whether mail may be sent to this address at all.
pub(crate) fn is_authorized(app: &App, address: &str) -> bool {
    let authorized = &app.config.external.email_authorized_addresses;
    authorized.is_empty() || authorized.iter().any(|it| it.eq_ignore_ascii_case(address))
}

/// Releases the claim of a mail that was not sent.
async fn release(
    app: &App,
    conn: &impl GenericClient,
    address: &str,
    kind: MessageKind,
) -> Result<()> {
    if let Some(rate) = budget(app) {
        store::mail_budget::release(conn, rate, mails(app, kind)).await?;
    }
    if pause(app, kind).is_some() {
        store::mail_sent::delete(conn, &mac(app, address), timer(kind)).await?;
    }
    Ok(())
}

/// As [`release`], after another error, which is the one that the client gets.
pub(crate) async fn release_quietly(app: &App, address: &str, kind: MessageKind) {
    if let Ok(conn) = app.shared().await {
        release(app, &conn, address, kind).await.ok();
    }
}

/// Deletes the marks of addresses that may get mail again.
pub(crate) async fn forget_old(app: &App, conn: &impl GenericClient) -> store::Result<u64> {
    let longest = MessageKind::ALL
        .into_iter()
        .map(|kind| app.config.mail_frequency(kind))
        .max()
        .unwrap_or_default();
    let now = app.clock.now();
    let threshold = now.checked_sub(longest).unwrap_or(Timestamp::MIN);
    store::mail_sent::delete_before(conn, threshold).await
}

fn mac(app: &App, address: &str) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &app.mac_keys.address);
    hmac::sign(&key, address.as_bytes()).as_ref().to_vec()
}
