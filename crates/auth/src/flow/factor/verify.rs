//! Checks the answer to a challenge.

use std::net::IpAddr;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use innkeeper_service::database::Executor;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::accept::accept;
use super::enrol::level_too_low;
use super::webauthn::{self, KeyAnswer, KeyInput};
use super::{FactorType, at_rest, base32, find, guess, session_of, totp};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::base::input::non_empty;
use crate::flow::caller::Caller;
use crate::flow::hook;
use crate::flow::one_time::sms_check;
use crate::flow::session::issue::TokenPair;
use crate::flow::user::User;
use crate::store;
use crate::store::factors::{Attempt, AttemptRow};

/// The body of an answer.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct VerifyInput {
    challenge_id: Option<String>,
    code: Option<String>,
    /// In place of the code, for a security key.
    webauthn: Option<KeyInput>,
}

impl VerifyInput {
    /// Answers this challenge with a code.
    pub(crate) fn new(challenge_id: String, code: String) -> Self {
        Self {
            challenge_id: Some(challenge_id),
            code: Some(code),
            webauthn: None,
        }
    }

    /// Answers this challenge with the credential of a security key.
    pub(crate) fn of_key(challenge_id: String, answer: KeyInput) -> Self {
        Self {
            challenge_id: Some(challenge_id),
            code: None,
            webauthn: Some(answer),
        }
    }
}

/// What answers a challenge.
enum Presented<'a> {
    Code(&'a str),
    Key(KeyAnswer),
}

impl<'a> Presented<'a> {
    fn read(kind: FactorType, input: &'a VerifyInput) -> Result<Self> {
        if kind == FactorType::Webauthn {
            return Ok(Self::Key(KeyAnswer::parse(input.webauthn.as_ref())?));
        }
        let code = non_empty(input.code.as_deref());
        let code = code.ok_or_else(|| AuthError::validation("A code is required"))?;
        Ok(Self::Code(code))
    }
}

/// An answer that was found to be right.
#[derive(Debug, Default)]
pub(super) struct RightAnswer {
    /// The time step of an authenticator app, or the signature counter of a security key.
    pub(super) step: Option<i64>,
    /// The secret, if it is to be stored in another form.
    pub(super) secret: Option<String>,
    /// The credential of a security key, as it is to be stored.
    pub(super) credential: Option<Value>,
    /// The model of a security key that was registered.
    pub(super) aaguid: Option<Uuid>,
    /// What a security key has answered, as GoTrue stores it.
    pub(super) challenge_data: Option<Value>,
}

/// Checks the answer to a challenge of a factor, and issues the tokens of the raised session.
pub(crate) async fn verify(
    app: &App,
    caller: &Caller,
    factor_id: Uuid,
    input: &VerifyInput,
    client: &ClientInfo,
) -> Result<TokenPair> {
    let factor = find(&caller.user.factors, factor_id)?;
    session_of(caller)?;
    // Whoever has only the password could have begun to add it before the account was protected.
    if !factor.is_verified() && caller.lacks_second_factor() {
        return Err(level_too_low());
    }
    let kind = FactorType::parse(&factor.factor_type)?;
    let presented = Presented::read(kind, input)?;
    kind.check_verification(&app.config.mfa)?;
    let challenge_id = parse_challenge(input.challenge_id.as_deref())?;
    let conn = app.shared().await?;
    let row = read_challenge(app, &conn, &caller.user, factor.id, challenge_id, client).await?;
    let right = match &presented {
        Presented::Key(answer) => webauthn::check(app, caller.user.id, &row, answer)?,
        Presented::Code(code) => check_code(app, kind, factor.id, challenge_id, &row, code)
            .await?
            .ok_or_else(|| wrong_code(kind)),
    };
    let is_valid = right.is_ok();
    hook::factor::report_attempt(app, &caller.user, factor, is_valid, client).await?;
    let mut right = match right {
        Ok(right) => right,
        Err(refused) => {
            audit_refusal(app, &caller.user, &refused, client).await;
            return Err(refused);
        }
    };
    let answered = input.webauthn.as_ref();
    let answered = answered.filter(|_| kind == FactorType::Webauthn);
    right.challenge_data = answered.map(|key| key.to_stored(factor.id, challenge_id, &row));
    accept(app, &conn, caller, factor, challenge_id, &right, client).await
}

fn parse_challenge(text: Option<&str>) -> Result<Uuid> {
    match non_empty(text) {
        None => Ok(Uuid::nil()),
        Some(text) => {
            Uuid::parse_str(text).map_err(|_| AuthError::validation("challenge_id must be an UUID"))
        }
    }
}

/// Finds a challenge that can be answered now, and counts the attempt.
async fn read_challenge(
    app: &App,
    conn: &dyn Executor,
    user: &User,
    factor_id: Uuid,
    challenge_id: Uuid,
    client: &ClientInfo,
) -> Result<AttemptRow> {
    let now = app.clock.now();
    let before = |length: SignedDuration| now.checked_sub(length).unwrap_or_default();
    let oldest = before(app.config.mfa.challenge_expiry);
    let attempt = Attempt {
        factor_id,
        user_id: user.id,
        challenge_id,
        oldest,
        forgotten: before(guess::MEMORY),
        waits: &guess::WAITS,
    };
    let row = store::factors::attempt(conn, &attempt, now).await?;
    let row = row.ok_or_else(|| {
        AuthError::refused_as(
            http::StatusCode::UNPROCESSABLE_ENTITY,
            ErrorCode::MfaFactorNotFound,
            "The factor has no such challenge",
        )
    })?;
    let is_bound = app.config.mfa.challenge_same_address;
    check_challenge(&row, client.address.filter(|_| is_bound), oldest)?;
    guess::check(row.counted, row.blocked_until, now)?;
    Ok(row)
}

/// Refuses a challenge that was answered, has expired, or belongs to another address than this one, if that counts.
fn check_challenge(row: &AttemptRow, address: Option<IpAddr>, oldest: Timestamp) -> Result<()> {
    let challenged: Option<IpAddr> = row.ip.parse().ok();
    let challenged = challenged.map(|it| it.to_canonical());
    let is_elsewhere = address.is_some_and(|it| Some(it.to_canonical()) != challenged);
    if row.verified_at.is_some() || is_elsewhere {
        return Err(AuthError::refused(
            ErrorCode::MfaIpAddressMismatch,
            "The challenge was answered before, or belongs to another address",
        ));
    }
    if row.created_at < oldest {
        return Err(AuthError::refused(
            ErrorCode::MfaChallengeExpired,
            "The challenge has expired; request another one",
        ));
    }
    Ok(())
}

async fn check_code(
    app: &App,
    kind: FactorType,
    factor_id: Uuid,
    challenge_id: Uuid,
    row: &AttemptRow,
    code: &str,
) -> Result<Option<RightAnswer>> {
    if kind == FactorType::Totp {
        return check_totp(app, factor_id, row, code);
    }
    check_sms(app, challenge_id, row, code).await
}

fn check_totp(
    app: &App,
    factor_id: Uuid,
    row: &AttemptRow,
    code: &str,
) -> Result<Option<RightAnswer>> {
    let stored = row.secret.as_deref().unwrap_or_default();
    let secret = at_rest::read(app, factor_id, stored)?;
    let bytes = base32::decode(&secret).filter(|bytes| !bytes.is_empty());
    // A factor without a readable secret has no right code.
    let Some(bytes) = bytes else {
        return Ok(None);
    };
    let step = totp::matching_step(&bytes, code, app.clock.now(), row.last_step);
    let Some(step) = step else {
        return Ok(None);
    };
    Ok(Some(RightAnswer {
        step: Some(step),
        secret: at_rest::renew(app, factor_id, stored, &secret)?,
        ..RightAnswer::default()
    }))
}

async fn check_sms(
    app: &App,
    challenge_id: Uuid,
    row: &AttemptRow,
    code: &str,
) -> Result<Option<RightAnswer>> {
    let phone = row.phone.as_deref().unwrap_or_default();
    let is_right = if sms_check::is_made_by_provider(app, phone) {
        sms_check::is_approved(app, phone, code).await
    } else {
        let stored = row.otp_code.as_deref().unwrap_or_default();
        let expected = at_rest::read(app, challenge_id, stored)?;
        let is_equal = verify_slices_are_equal(expected.as_bytes(), code.as_bytes()).is_ok();
        is_equal && !expected.is_empty()
    };
    Ok(is_right.then(RightAnswer::default))
}

/// 422 `mfa_verification_failed`.
pub(super) fn wrong_code(kind: FactorType) -> AuthError {
    let message = match kind {
        FactorType::Totp => "Invalid TOTP code entered",
        FactorType::Webauthn => "The security key was used at the same moment",
        FactorType::Phone => "The code of the text message is wrong",
    };
    AuthError::refused(ErrorCode::MfaVerificationFailed, message)
}

/// Writes a wrong code into the audit log.
pub(super) async fn audit_refusal(
    app: &App,
    user: &User,
    refused: &AuthError,
    client: &ClientInfo,
) {
    let actor = Actor::Sender {
        id: Some(user.id),
        name: user.name(),
    };
    let action = AuditAction::SignInFailed;
    app.audit_refusal(
        action,
        refused,
        crate::flow::user::Object::new(),
        actor,
        client,
    )
    .await;
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use jiff::Timestamp;

    use super::{check_challenge, parse_challenge};
    use crate::store::factors::AttemptRow;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn row(created: i64, verified: Option<i64>, ip: &str) -> AttemptRow {
        AttemptRow {
            created_at: at(created),
            verified_at: verified.map(at),
            ip: ip.to_owned(),
            otp_code: None,
            session_data: None,
            secret: None,
            phone: None,
            credential: None,
            last_step: None,
            blocked_until: None,
            counted: None,
        }
    }

    #[test]
    fn a_challenge_is_answered_once_in_time_and_from_its_address() {
        let here: Option<IpAddr> = "10.0.0.1".parse().ok();
        let mapped: Option<IpAddr> = "::ffff:10.0.0.1".parse().ok();
        let there: Option<IpAddr> = "10.0.0.2".parse().ok();
        let mismatch = Some("mfa_ip_address_mismatch");
        let expired = Some("mfa_challenge_expired");
        for (created, verified, address, expected) in [
            (100, None, None, None),
            (99, None, None, expired),
            (100, Some(110), None, mismatch),
            (99, Some(110), None, mismatch),
            (100, None, here, None),
            (100, None, mapped, None),
            (100, None, there, mismatch),
        ] {
            let row = row(created, verified, "10.0.0.1");
            let refused = check_challenge(&row, address, at(100)).err();
            let code = refused.as_ref().map(crate::base::error::AuthError::code);
            assert_eq!(code, expected, "{created} {verified:?} {address:?}");
        }
    }

    #[test]
    fn a_missing_challenge_is_none_of_the_stored_ones() {
        assert!(parse_challenge(None).unwrap().is_nil());
        assert!(parse_challenge(Some("")).unwrap().is_nil());
        assert!(parse_challenge(Some("7")).is_err());
    }
}
