//! Opens a challenge, which a code of the factor answers, or the signature of a security key. Phone factors get their
//! code by text message.

use innkeeper_service::database::Executor;
use innkeeper_service::random;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::webauthn::{self, KeyChallenge};
use super::{FactorType, at_rest, find, not_found, session_of};
use crate::app::App;
use crate::app::audit::{self, Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::contact::Phone;
use crate::base::error::{AuthError, Result};
use crate::base::input::non_empty;
use crate::flow::caller::Caller;
use crate::flow::one_time::send_sms::{self, PreparedSms, SmsTarget};
use crate::flow::one_time::sms_limit;
use crate::flow::user::metadata;
use crate::model::Factor;
use crate::outside::sms::SmsKind;
use crate::store;
use crate::store::audit::NewAuditEntry;
use crate::store::factors::NewChallenge;

/// How often the opening is repeated because another factor was challenged in the same microsecond.
const MAX_TRIES: usize = 8;

/// The address of clients whose address is not known, such as those of a Unix socket.
const NO_ADDRESS: &str = "0.0.0.0";

/// The body of a challenge.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct ChallengeInput {
    /// `sms` or `whatsapp`, for phone factors.
    channel: Option<String>,
}

/// A challenge that was opened.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FactorChallenge")]
pub(crate) struct OpenedChallenge {
    pub(crate) id: Uuid,
    #[serde(rename = "type")]
    kind: &'static str,
    /// Until when it can be answered, in seconds since 1970.
    expires_at: i64,
    /// What a security key is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) webauthn: Option<KeyChallenge>,
}

/// Opens a challenge for a factor of the caller.
pub(crate) async fn challenge(
    app: &App,
    caller: &Caller,
    factor_id: Uuid,
    input: &ChallengeInput,
    client: &ClientInfo,
) -> Result<OpenedChallenge> {
    let factor = find(&caller.user.factors, factor_id)?;
    session_of(caller)?;
    let kind = FactorType::parse(&factor.factor_type)?;
    kind.check_verification(&app.config.mfa)?;
    let id = Uuid::new_v4();
    let now = app.clock.now();
    let mut traits = metadata::member("factor_id", factor.id.to_string());
    traits.insert("factor_status".to_owned(), factor.status.as_str().into());
    let actor = Actor::User(&caller.user);
    let entry = audit::entry(AuditAction::ChallengeCreated, actor, traits, client, now);
    let address = client.address_text();
    let opening = NewChallenge {
        id,
        factor_id,
        user_id: caller.user.id,
        address: if address.is_empty() {
            NO_ADDRESS
        } else {
            &address
        },
        otp_code: None,
        session_data: None,
        not_since: None,
    };
    let mut webauthn = None;
    if kind == FactorType::Phone {
        let channel = send_sms::parse_channel(app, non_empty(input.channel.as_deref()))?;
        let phone = phone_of(factor)?;
        let target = SmsTarget {
            kind: SmsKind::Factor,
            phone: &phone,
            channel,
            user: &caller.user,
            client,
        };
        send_code(app, factor, target, opening, &entry).await?;
    } else {
        webauthn = open_without_code(app, kind, caller, factor, opening, &entry).await?;
    }
    app.log_audit_entry(&entry, client);
    let expires_at = now
        .as_second()
        .saturating_add(app.config.mfa.challenge_expiry.as_secs());
    Ok(OpenedChallenge {
        id,
        kind: kind.name(),
        expires_at,
        webauthn,
    })
}

fn phone_of(factor: &Factor) -> Result<Phone> {
    let phone = factor.phone.as_deref().unwrap_or_default();
    Ok(Phone::parse(phone)?)
}

/// Opens a challenge for which no code is sent. Returns what a security key is asked for, if the factor is one.
async fn open_without_code(
    app: &App,
    kind: FactorType,
    caller: &Caller,
    factor: &Factor,
    opening: NewChallenge<'_>,
    entry: &NewAuditEntry,
) -> Result<Option<KeyChallenge>> {
    let conn = app.shared().await?;
    if kind != FactorType::Webauthn {
        open_often(app, &conn, &opening, entry).await?;
        return Ok(None);
    }
    let (challenge, state) = webauthn::start(app, &conn, &caller.user, factor).await?;
    let opening = NewChallenge {
        session_data: Some(&state),
        ..opening
    };
    open_often(app, &conn, &opening, entry).await?;
    Ok(Some(challenge))
}

/// Opens a challenge on a connection without a transaction.
async fn open_often(
    app: &App,
    conn: &dyn Executor,
    opening: &NewChallenge<'_>,
    entry: &NewAuditEntry,
) -> Result<()> {
    for _ in 0..MAX_TRIES {
        match open(app, conn, opening, entry).await? {
            Some(true) => return Ok(()),
            Some(false) => return Err(not_found()),
            None => {}
        }
    }
    Err(AuthError::Busy)
}

/// Opens a challenge. `None` if another factor was challenged at the same moment.
async fn open(
    app: &App,
    conn: &dyn Executor,
    opening: &NewChallenge<'_>,
    entry: &NewAuditEntry,
) -> Result<Option<bool>> {
    // A unique index allows one challenge in a microsecond for all users, so the time is moved back a little.
    let back = i64::try_from(random::below(1000)).unwrap_or_default();
    let challenged_at = entry.at.checked_sub(SignedDuration::from_micros(back));
    let challenged_at = challenged_at.unwrap_or(entry.at);
    let is_audited = !app.config.audit_log_disable_postgres;
    Ok(store::factors::challenge(conn, opening, challenged_at, entry, is_audited).await?)
}

/// Sends a code and opens its challenge. Where messages wait in the outbox, both happen together or not at all.
async fn send_code(
    app: &App,
    factor: &Factor,
    target: SmsTarget<'_>,
    opening: NewChallenge<'_>,
    entry: &NewAuditEntry,
) -> Result<()> {
    let frequency = app.config.mfa.phone_max_frequency;
    check_frequency(factor.last_challenged_at, frequency, entry.at)?;
    let phone = target.phone.as_str();
    sms_limit::claim_rate(app, phone).await?;
    let sent = send_and_open(app, target, opening, entry, frequency).await;
    if sent.is_err() {
        sms_limit::release_claimed_rate(app, phone).await;
    }
    sent
}

async fn send_and_open(
    app: &App,
    target: SmsTarget<'_>,
    opening: NewChallenge<'_>,
    entry: &NewAuditEntry,
    frequency: SignedDuration,
) -> Result<()> {
    let prepared = send_sms::prepare(app, target).await?;
    let code = at_rest::store(app, opening.id, prepared.code())?;
    let opening = NewChallenge {
        otp_code: Some(&code),
        not_since: entry.at.checked_sub(frequency).ok(),
        ..opening
    };
    for _ in 0..MAX_TRIES {
        match open_and_enqueue(app, &opening, entry, &prepared).await? {
            Some(true) => {
                app.sms.wake();
                return Ok(());
            }
            Some(false) => return Err(AuthError::SmsSentRecently(seconds(frequency))),
            None => {}
        }
    }
    Err(AuthError::Busy)
}

async fn open_and_enqueue(
    app: &App,
    opening: &NewChallenge<'_>,
    entry: &NewAuditEntry,
    prepared: &PreparedSms,
) -> Result<Option<bool>> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let opened = open(app, &tx, opening, entry).await?;
    if opened == Some(true) {
        prepared.store(app, &tx, opening.user_id, false).await?;
        tx.commit().await?;
    }
    Ok(opened)
}

/// Refuses a code so soon after the last one.
fn check_frequency(
    last: Option<Timestamp>,
    frequency: SignedDuration,
    now: Timestamp,
) -> Result<()> {
    let Some(last) = last else {
        return Ok(());
    };
    let passed = now.duration_since(last);
    if passed > frequency {
        return Ok(());
    }
    Err(AuthError::SmsSentRecently(seconds(
        frequency.saturating_sub(passed),
    )))
}

/// Rounds up to whole seconds, at least one.
fn seconds(wait: SignedDuration) -> u64 {
    let seconds = wait.as_secs() + i64::from(wait.subsec_nanos() > 0);
    u64::try_from(seconds).unwrap_or_default().max(1)
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::check_frequency;
    use crate::base::error::AuthError;

    #[test]
    fn a_phone_gets_a_code_once_in_the_interval() {
        let at = |millis| Timestamp::from_millisecond(millis).unwrap();
        let minute = SignedDuration::from_secs(60);
        let now = at(100_000);
        assert!(check_frequency(None, minute, now).is_ok());
        for (last, wait) in [
            (100_000, Some(60)),
            (99_500, Some(60)),
            (40_500, Some(1)),
            (40_000, Some(1)),
            (39_999, None),
            (0, None),
        ] {
            let refused = check_frequency(Some(at(last)), minute, now);
            let left = match refused {
                Err(AuthError::SmsSentRecently(seconds)) => Some(seconds),
                _ => None,
            };
            assert_eq!(left, wait, "{last}");
        }
    }
}
