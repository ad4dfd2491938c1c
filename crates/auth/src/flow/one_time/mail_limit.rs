//! The mail limits: which email addresses may get mail, the interval between two mails to one address, and
//! the rate of mails of the whole server. Requests for known and unknown addresses are refused alike, so that
//! the limits do not reveal who has an account; but only mails that are sent stay counted, so that nobody can
//! use up the mails of others with addresses that do not exist. [`crate::app::throttle`] names the other limits.

use std::sync::atomic::{AtomicBool, Ordering};

use aws_lc_rs::hmac;
use innkeeper_service::database::Executor;
use jiff::{SignedDuration, Timestamp};

use crate::app::App;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::MessageKind;
use crate::store;
use crate::store::mail_budget::{Budget, CountedMessages, MessageClaim};

/// The `Retry-After` of a request that can never succeed with these settings, in seconds.
pub(super) const NEVER_SUCCEEDS: u64 = 3600;

/// Returns the timer of a message. Magic links and recovery mails share one.
fn timer(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Confirmation => "confirmation",
        MessageKind::Recovery | MessageKind::MagicLink => "recovery",
        MessageKind::EmailChange => "email_change",
        MessageKind::Reauthentication => "reauthentication",
        MessageKind::Invite => "invite",
        // Notifications are not requested, so they have no interval.
        _ => "notification",
    }
}

/// Returns how many mails a request of this kind sends.
fn mail_count(app: &App, kind: MessageKind) -> u32 {
    match kind {
        MessageKind::EmailChange if app.config.mailer.secure_email_change_enabled => 2,
        _ => 1,
    }
}

/// Returns the limit of mails of the whole server; `None` if sign-ups need no confirmation. Operators have a
/// reserve, which the public cannot use up.
fn server_rate(app: &App, kind: MessageKind) -> Option<Budget> {
    let rate = app.config.rate_limit.email_sent;
    let rate = match kind {
        MessageKind::Invite => rate.with_size(with_reserve(rate.size())),
        _ => rate,
    };
    (!app.config.mailer.autoconfirm).then_some(Budget {
        counted: CountedMessages::Mails,
        rate,
    })
}

/// Returns the number of mails with the reserve of operators: a tenth more, and at least one. None where no mail
/// is sent at all.
fn with_reserve(size: u32) -> u32 {
    match size {
        0 => 0,
        _ => size.saturating_add((size / 10).max(1)),
    }
}

/// Whether a request, which got the usual response, sent no mail after all.
#[derive(Debug, Default)]
pub(crate) struct UnsentMessage(AtomicBool);

impl UnsentMessage {
    /// Says that no mail is sent, because nobody has the address or because there is nothing to confirm.
    pub(crate) fn mark(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_marked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Does the same as [`with_claim`] for work that may send no mail. Then the address has to wait all the same,
/// but the mail does not count.
pub(crate) async fn with_claim_unless<T>(
    app: &App,
    address: &str,
    kind: MessageKind,
    unsent: &UnsentMessage,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let done = with_claim(app, address, kind, work).await?;
    if unsent.is_marked()
        && let Some(budget) = server_rate(app, kind)
    {
        let conn = app.shared().await?;
        store::mail_budget::release(&conn, budget, mail_count(app, kind)).await?;
    }
    Ok(done)
}

/// Claims a mail to an address, and releases the claim if the work fails, so that the client can try again at
/// once.
pub(crate) async fn with_claim<T>(
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
    conn: &dyn Executor,
    address: &str,
    kind: MessageKind,
) -> Result<()> {
    // Operators may invite any address.
    if kind != MessageKind::Invite {
        check_authorized(app, address)?;
    }
    let Some(budget) = server_rate(app, kind) else {
        return claim_interval(app, conn, address, kind).await;
    };
    let (now, mails, mac) = (app.clock.now(), mail_count(app, kind), mac(app, address));
    if mails > budget.rate.size() {
        return Err(AuthError::MailLimit(NEVER_SUCCEEDS));
    }
    let threshold = interval(app, kind).map(|interval| before(now, interval));
    let mail_claim = MessageClaim {
        address: &mac,
        timer: timer(kind),
        threshold,
        messages: mails,
    };
    let claim = store::mail_budget::claim(conn, budget, &mail_claim, now).await?;
    if claim.is_counted {
        return Ok(());
    }
    if threshold.is_some() && !claim.is_marked {
        return Err(sent_recently(app, conn, address, kind).await?);
    }
    if claim.is_marked {
        store::mail_sent::delete(conn, &mac, timer(kind)).await?;
    }
    let left = store::mail_budget::wait(conn, budget, mails, now).await?;
    Err(AuthError::MailLimit(seconds(left)))
}

/// Starts the interval of an address whose mail is counted in the server's rate already.
pub(crate) async fn claim_interval(
    app: &App,
    conn: &dyn Executor,
    address: &str,
    kind: MessageKind,
) -> Result<()> {
    let Some(interval) = interval(app, kind) else {
        return Ok(());
    };
    let now = app.clock.now();
    let mac = mac(app, address);
    let threshold = before(now, interval);
    if store::mail_sent::try_start(conn, &mac, timer(kind), now, threshold).await? {
        return Ok(());
    }
    Err(sent_recently(app, conn, address, kind).await?)
}

/// Returns the interval between two mails of a kind to one address, if there is one.
fn interval(app: &App, kind: MessageKind) -> Option<SignedDuration> {
    let interval = app.config.mail_interval(kind);
    interval.is_positive().then_some(interval)
}

pub(super) fn before(now: Timestamp, interval: SignedDuration) -> Timestamp {
    now.checked_sub(interval).unwrap_or(Timestamp::UNIX_EPOCH)
}

async fn sent_recently(
    app: &App,
    conn: &dyn Executor,
    address: &str,
    kind: MessageKind,
) -> Result<AuthError> {
    let sent_at = store::mail_sent::find_start(conn, &mac(app, address), timer(kind)).await?;
    let interval = interval(app, kind).unwrap_or_default();
    let passed = sent_at.map_or(interval, |at| app.clock.now().duration_since(at));
    Ok(AuthError::SentRecently(seconds(
        interval.saturating_sub(passed),
    )))
}

/// Rounds up to whole seconds, so that a retry after this time succeeds.
pub(super) fn seconds(left: SignedDuration) -> u64 {
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

/// Returns whether mail may be sent to this address at all.
pub(crate) fn is_authorized(app: &App, address: &str) -> bool {
    let authorized = &app.config.external.email_authorized_addresses;
    authorized.is_empty() || authorized.iter().any(|it| it.eq_ignore_ascii_case(address))
}

/// Releases the claim of a mail that was not sent.
async fn release(app: &App, conn: &dyn Executor, address: &str, kind: MessageKind) -> Result<()> {
    if let Some(budget) = server_rate(app, kind) {
        store::mail_budget::release(conn, budget, mail_count(app, kind)).await?;
    }
    if interval(app, kind).is_some() {
        store::mail_sent::delete(conn, &mac(app, address), timer(kind)).await?;
    }
    Ok(())
}

/// Ends the interval that [`claim_interval`] has started, after an error that the client gets.
pub(crate) async fn release_interval_quietly(app: &App, address: &str, kind: MessageKind) {
    if interval(app, kind).is_some()
        && let Ok(conn) = app.shared().await
    {
        let timer = timer(kind);
        store::mail_sent::delete(&conn, &mac(app, address), timer)
            .await
            .ok();
    }
}

/// As [`release`], after another error, which is the one that the client gets.
pub(crate) async fn release_quietly(app: &App, address: &str, kind: MessageKind) {
    if let Ok(conn) = app.shared().await {
        release(app, &conn, address, kind).await.ok();
    }
}

/// Deletes the timers of addresses whose interval is over.
pub(crate) async fn delete_old_timers(app: &App, conn: &dyn Executor) -> store::Result<u64> {
    let longest = MessageKind::ALL
        .into_iter()
        .map(|kind| app.config.mail_interval(kind))
        .chain([app.config.sms.max_frequency])
        .max()
        .unwrap_or_default();
    let now = app.clock.now();
    let threshold = now.checked_sub(longest).unwrap_or(Timestamp::MIN);
    store::mail_sent::delete_before(conn, threshold).await
}

pub(super) fn mac(app: &App, address: &str) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &app.mac_keys.address);
    hmac::sign(&key, address.as_bytes()).as_ref().to_vec()
}

#[cfg(test)]
mod tests {
    #[test]
    fn operators_have_a_tenth_more_and_at_least_one() {
        for (size, expected) in [
            (0, 0),
            (1, 2),
            (9, 10),
            (10, 11),
            (30, 33),
            (u32::MAX, u32::MAX),
        ] {
            assert_eq!(super::with_reserve(size), expected, "{size}");
        }
    }
}
