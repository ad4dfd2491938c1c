//! Recovery codes: ten codes that stand in for a lost second factor, each once. They are shown when they are made, and
//! stored as keyed hashes.

use aws_lc_rs::hmac;
use http::StatusCode;
use innkeeper_service::random;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::raise::Raise;
use super::unenrol::RemovedFactor;
use super::verify::audit_refusal;
use super::{not_found, session_of};
use crate::app::App;
use crate::app::audit::{self, Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::base::input::non_empty;
use crate::flow::caller::Caller;
use crate::flow::session::issue::TokenPair;
use crate::flow::user::metadata;
use crate::store;
use crate::store::recovery_codes::PresentedCode;

/// How many codes a set has.
const CODES: usize = 10;
/// How many characters a code has, of five bits each.
const LENGTH: usize = 16;
/// Digits and lower-case letters that nobody takes for another one.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// The method that a session records.
const METHOD: &str = "mfa/recovery_code";

/// A new set of recovery codes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RecoveryCodes")]
pub(crate) struct NewRecoveryCodes {
    id: Uuid,
    #[serde(rename = "type")]
    kind: &'static str,
    friendly_name: &'static str,
    total: usize,
    /// The codes, which are shown this once.
    pub(crate) codes: Vec<String>,
}

/// How many recovery codes are left.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RecoveryCodeStatus")]
pub(crate) struct RecoveryCodeStatus {
    /// The id of the set; `null` if there is none.
    pub(crate) id: Option<Uuid>,
    pub(crate) total: i64,
    pub(crate) remaining: i64,
}

/// The body with a recovery code.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct RecoveryInput {
    code: Option<String>,
}

impl RecoveryInput {
    /// A code as it was typed.
    pub(crate) fn new(code: String) -> Self {
        Self { code: Some(code) }
    }
}

/// Whether a set of codes is the first one or takes the place of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeSet {
    First,
    Next,
}

/// Returns how many codes the caller has.
pub(crate) async fn status(app: &App, caller: &Caller) -> Result<RecoveryCodeStatus> {
    let conn = app.shared().await?;
    let status = store::recovery_codes::find_status(&conn, caller.user.id).await?;
    Ok(RecoveryCodeStatus {
        id: status.as_ref().map(|it| it.set_id),
        total: status.as_ref().map_or(0, |it| it.total),
        remaining: status.as_ref().map_or(0, |it| it.remaining),
    })
}

/// Makes a set of codes for the caller, whose session must be at the second level.
pub(crate) async fn generate(
    app: &App,
    caller: &Caller,
    set: CodeSet,
    client: &ClientInfo,
) -> Result<NewRecoveryCodes> {
    check_on(app.config.mfa.recovery_codes.enroll, true)?;
    check_level(caller)?;
    let user = &caller.user;
    let codes: Vec<String> = (0..CODES).map(|_| random_code()).collect();
    let macs: Vec<Vec<u8>> = codes.iter().map(|code| mac(app, user.id, code)).collect();
    let id = Uuid::new_v4();
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    // Of two requests at the same time, one waits for the other.
    store::users::lock_by_id(&tx, user.id).await?;
    let former = store::recovery_codes::find_status(&tx, user.id).await?;
    match (set, former) {
        (CodeSet::First, Some(_)) => {
            return Err(AuthError::refused(
                ErrorCode::MfaVerifiedFactorExists,
                "There are recovery codes already; make new ones in their place",
            ));
        }
        (CodeSet::Next, None) => return Err(not_found()),
        _ => {}
    }
    store::recovery_codes::replace(&tx, user.id, id, &macs, app.clock.now()).await?;
    let action = AuditAction::RecoveryCodesCreated;
    let traits = metadata::member("factor_id", id.to_string());
    app.audit_as(&tx, action, traits, Actor::User(user), client)
        .await?;
    tx.commit().await?;
    Ok(NewRecoveryCodes {
        id,
        kind: "recovery_code",
        friendly_name: "Recovery codes",
        total: CODES,
        codes,
    })
}

/// Deletes the codes of the caller.
pub(crate) async fn delete(
    app: &App,
    caller: &Caller,
    client: &ClientInfo,
) -> Result<RemovedFactor> {
    check_level(caller)?;
    let user = &caller.user;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let status = store::recovery_codes::find_status(&tx, user.id).await?;
    let id = status.ok_or_else(not_found)?.set_id;
    store::recovery_codes::delete(&tx, user.id).await?;
    let action = AuditAction::RecoveryCodesDeleted;
    let traits = metadata::member("factor_id", id.to_string());
    app.audit_as(&tx, action, traits, Actor::User(user), client)
        .await?;
    tx.commit().await?;
    Ok(RemovedFactor { id })
}

/// Uses up a code, and issues the tokens of the raised session. A code has 80 random bits, so guesses need no limit of
/// their own.
pub(crate) async fn verify(
    app: &App,
    caller: &Caller,
    input: &RecoveryInput,
    client: &ClientInfo,
) -> Result<TokenPair> {
    check_on(app.config.mfa.recovery_codes.verify, false)?;
    let session = session_of(caller)?;
    let code = non_empty(input.code.as_deref());
    let code = code.ok_or_else(|| AuthError::validation("A code is required"))?;
    let user = &caller.user;
    let conn = app.shared().await?;
    let raise = Raise::prepare(app, &conn, user, session, METHOD, client).await?;
    let action = AuditAction::VerificationAttempted;
    let traits = metadata::member("factor_type", "recovery_code");
    let now = app.clock.now();
    let entry = audit::entry(action, Actor::User(user), traits, client, now);
    let mac = mac(app, user.id, &normalized(code));
    let is_audited = !app.config.audit_log_disable_postgres;
    let code = PresentedCode {
        user_id: user.id,
        session_id: session.id,
        code_mac: &mac,
        hmac_key: &raise.hmac_key,
        v1_token: raise.v1_token.as_deref(),
    };
    let stored_key = if raise.is_version_1() {
        let mut conn = app.connection().await?;
        let tx = conn.transaction().await?;
        raise.lock(&tx, user.id).await?;
        let stored_key = store::recovery_codes::use_up(&tx, &code, &entry, is_audited).await?;
        tx.commit().await?;
        stored_key
    } else {
        store::recovery_codes::use_up(&conn, &code, &entry, is_audited).await?
    };
    let Some(stored_key) = stored_key else {
        let refused = AuthError::refused(
            ErrorCode::MfaVerificationFailed,
            "The recovery code is wrong or was used before",
        );
        audit_refusal(app, user, &refused, client).await;
        return Err(refused);
    };
    app.log_audit_entry(&entry, client);
    raise.issue(app, user.clone(), stored_key.hmac_key, stored_key.counter)
}

fn check_on(is_on: bool, is_enrolment: bool) -> Result<()> {
    if is_on {
        return Ok(());
    }
    let (code, message) = if is_enrolment {
        (
            ErrorCode::MfaRecoveryCodesEnrollNotEnabled,
            "Recovery codes cannot be made here",
        )
    } else {
        (
            ErrorCode::MfaRecoveryCodesVerifyNotEnabled,
            "Recovery codes are not accepted here",
        )
    };
    Err(AuthError::refused(code, message))
}

/// Refuses a session without a second factor.
fn check_level(caller: &Caller) -> Result<()> {
    if session_of(caller)?.has_second_level() {
        return Ok(());
    }
    Err(AuthError::refused_as(
        StatusCode::FORBIDDEN,
        ErrorCode::InsufficientAal,
        "Recovery codes can be changed at AAL2 only",
    ))
}

fn random_code() -> String {
    let bytes: [u8; LENGTH] = random::bytes();
    let letter = |byte: &u8| ALPHABET.get(usize::from(byte & 31)).copied();
    bytes.iter().filter_map(letter).map(char::from).collect()
}

/// Returns a code as it was made, whatever was typed: in other case, in groups, or with letters that look alike.
fn normalized(typed: &str) -> String {
    typed
        .chars()
        .filter(|letter| !letter.is_whitespace() && *letter != '-')
        .map(|letter| match letter.to_ascii_lowercase() {
            'o' => '0',
            'i' | 'l' => '1',
            other => other,
        })
        .collect()
}

fn mac(app: &App, user_id: Uuid, code: &str) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &app.mac_keys.code);
    let mut context = hmac::Context::with_key(&key);
    context.update(user_id.as_bytes());
    context.update(METHOD.as_bytes());
    context.update(code.as_bytes());
    context.sign().as_ref().to_vec()
}

#[cfg(test)]
mod tests {
    use super::{LENGTH, normalized, random_code};

    #[test]
    fn codes_are_read_as_people_type_them() {
        assert_eq!(normalized("2H8K-qw3m 7xt4\t9rpn"), "2h8kqw3m7xt49rpn");
        assert_eq!(normalized("OILoil"), "011011");
        let code = random_code();
        assert_eq!(code.len(), LENGTH);
        assert_eq!(normalized(&code.to_ascii_uppercase()), code);
        assert_ne!(random_code(), code);
    }
}
