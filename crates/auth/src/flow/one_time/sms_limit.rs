//! The limits of text messages: the interval between two messages to one number, and the rate of the whole server.
//! As with [mails](super::mail_limit), known and unknown numbers are refused alike, and only messages that are sent stay
//! counted.

use innkeeper_service::database::Executor;
use jiff::{SignedDuration, Timestamp};

use super::mail_limit::{NEVER_SUCCEEDS, UnsentMessage, before, mac, seconds};
use crate::app::App;
use crate::base::error::{AuthError, Result};
use crate::config::Profile;
use crate::outside::sms::SmsKind;
use crate::store;
use crate::store::mail_budget::{Budget, CountedMessages, MessageClaim};

/// Returns the timer of a message. Sign-ups and sign-ins share one.
fn timer(kind: SmsKind) -> &'static str {
    match kind {
        SmsKind::Confirmation => "sms_confirmation",
        SmsKind::PhoneChange => "sms_phone_change",
        SmsKind::Reauthentication => "sms_reauthentication",
        SmsKind::Factor => "sms_factor",
    }
}

/// Returns the limit of the whole server. `None` if numbers need no confirmation, and for the numbers for tests, which
/// get no message.
fn server_rate(app: &App, phone: &str) -> Option<Budget> {
    let is_test = app.config.sms.test_code(phone, app.clock.now()).is_some();
    (!app.config.sms.autoconfirm && !is_test).then_some(Budget {
        counted: CountedMessages::TextMessages,
        rate: app.config.rate_limit.sms_sent,
    })
}

/// Claims a message to a number, and releases the claim if the work fails, so that the client can try again at once. If
/// the work sends no message, the number has to wait all the same, but the message does not count.
pub(crate) async fn with_claim<T>(
    app: &App,
    phone: &str,
    kind: SmsKind,
    unsent: &UnsentMessage,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    claim(app, phone, kind).await?;
    let done = work.await;
    if done.is_err() {
        release(app, phone, kind).await;
    } else if unsent.is_marked() {
        release_rate(app, phone).await;
    }
    done
}

/// Claims a message to a number, or returns an error with the time to wait: for the number, or for the whole server.
pub(crate) async fn claim(app: &App, phone: &str, kind: SmsKind) -> Result<()> {
    let conn = app.shared().await?;
    let Some(budget) = server_rate(app, phone) else {
        return claim_interval(app, phone, kind).await;
    };
    if budget.rate.size() == 0 {
        return Err(AuthError::SmsLimit(NEVER_SUCCEEDS));
    }
    let (now, mac) = (app.clock.now(), mac(app, phone));
    let threshold = interval(app).map(|interval| before(now, interval));
    let message = MessageClaim {
        address: &mac,
        timer: timer(kind),
        threshold,
        messages: 1,
    };
    let claim = store::mail_budget::claim(&conn, budget, &message, now).await?;
    if claim.is_counted {
        return Ok(());
    }
    if threshold.is_some() && !claim.is_marked {
        return Err(sent_recently(app, &conn, &mac, kind).await?);
    }
    if claim.is_marked {
        store::mail_sent::delete(&conn, &mac, timer(kind)).await?;
    }
    let left = store::mail_budget::wait(&conn, budget, 1, now).await?;
    Err(AuthError::SmsLimit(seconds(left)))
}

/// Counts a message of the whole server, without an interval: that of second factors is counted by factor. GoTrue does
/// not count these messages.
pub(crate) async fn claim_rate(app: &App, phone: &str) -> Result<()> {
    let Some(budget) = factor_rate(app, phone) else {
        return Ok(());
    };
    if budget.rate.size() == 0 {
        return Err(AuthError::SmsLimit(NEVER_SUCCEEDS));
    }
    let conn = app.shared().await?;
    let (now, mac) = (app.clock.now(), mac(app, phone));
    let message = MessageClaim {
        address: &mac,
        timer: timer(SmsKind::Factor),
        threshold: None,
        messages: 1,
    };
    if store::mail_budget::claim(&conn, budget, &message, now)
        .await?
        .is_counted
    {
        return Ok(());
    }
    let left = store::mail_budget::wait(&conn, budget, 1, now).await?;
    Err(AuthError::SmsLimit(seconds(left)))
}

/// Takes a message off the count that [`claim_rate`] has counted.
pub(crate) async fn release_claimed_rate(app: &App, phone: &str) {
    if let Some(budget) = factor_rate(app, phone)
        && let Ok(conn) = app.shared().await
    {
        store::mail_budget::release(&conn, budget, 1).await.ok();
    }
}

fn factor_rate(app: &App, phone: &str) -> Option<Budget> {
    match app.config.profile {
        Profile::Std => server_rate(app, phone),
        Profile::Gotrue => None,
    }
}

/// Starts the interval of a number, or of an account, without counting a message.
pub(crate) async fn claim_interval(app: &App, recipient: &str, kind: SmsKind) -> Result<()> {
    let Some(interval) = interval(app) else {
        return Ok(());
    };
    let conn = app.shared().await?;
    let (now, mac) = (app.clock.now(), mac(app, recipient));
    let threshold = before(now, interval);
    if store::mail_sent::try_start(&conn, &mac, timer(kind), now, threshold).await? {
        return Ok(());
    }
    Err(sent_recently(app, &conn, &mac, kind).await?)
}

/// Returns the interval between two messages of a kind to one number, if there is one.
fn interval(app: &App) -> Option<SignedDuration> {
    let interval = app.config.sms.max_frequency;
    interval.is_positive().then_some(interval)
}

async fn sent_recently(
    app: &App,
    conn: &dyn Executor,
    mac: &[u8],
    kind: SmsKind,
) -> Result<AuthError> {
    let sent_at: Option<Timestamp> = store::mail_sent::find_start(conn, mac, timer(kind)).await?;
    let interval = interval(app).unwrap_or_default();
    let passed = sent_at.map_or(interval, |at| app.clock.now().duration_since(at));
    Ok(AuthError::SmsSentRecently(seconds(
        interval.saturating_sub(passed),
    )))
}

/// Releases a claim, after an error that the client gets.
pub(crate) async fn release(app: &App, phone: &str, kind: SmsKind) {
    release_rate(app, phone).await;
    release_interval(app, phone, kind).await;
}

/// Takes a message off the count that was not sent.
pub(crate) async fn release_rate(app: &App, phone: &str) {
    if let Some(budget) = server_rate(app, phone)
        && let Ok(conn) = app.shared().await
    {
        store::mail_budget::release(&conn, budget, 1).await.ok();
    }
}

/// Ends the interval that [`claim_interval`] has started, after an error that the client gets.
pub(crate) async fn release_interval(app: &App, recipient: &str, kind: SmsKind) {
    if interval(app).is_some()
        && let Ok(conn) = app.shared().await
    {
        let mac = mac(app, recipient);
        store::mail_sent::delete(&conn, &mac, timer(kind))
            .await
            .ok();
    }
}
