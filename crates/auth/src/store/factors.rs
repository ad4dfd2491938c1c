//! `mfa_factors`, `mfa_challenges` and `innkeeper_factor_guesses`: second factors, and what is asked of their owners.

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::Result;
use super::audit::NewAuditEntry;

/// The constraint that no two factors are challenged at the same moment, in the whole database.
const SAME_MOMENT: &str = "mfa_factors_last_challenged_at_key";

/// A factor to be added, which was not verified yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewFactor<'a> {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) friendly_name: &'a str,
    pub(crate) factor_type: &'a str,
    /// The secret as it is stored.
    pub(crate) secret: Option<&'a str>,
    pub(crate) phone: Option<&'a str>,
}

/// A challenge to be opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewChallenge<'a> {
    pub(crate) id: Uuid,
    pub(crate) factor_id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) address: &'a str,
    /// The code as it is stored, if one was sent.
    pub(crate) otp_code: Option<&'a str>,
    /// What is needed to check the answer of a security key.
    pub(crate) session_data: Option<&'a Value>,
    /// The factor must have been challenged before this time.
    pub(crate) not_since: Option<Timestamp>,
}

/// An attempt to answer a challenge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) factor_id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) challenge_id: Uuid,
    /// When the oldest challenge was opened that can still be answered.
    pub(crate) oldest: Timestamp,
    /// Wrong codes before this time do not count any more.
    pub(crate) forgotten: Timestamp,
    /// The seconds to wait after the first, second, … wrong code.
    pub(crate) waits: &'a [f64],
}

/// A challenge that was answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer<'a> {
    pub(crate) factor_id: Uuid,
    pub(crate) factor_type: &'a str,
    pub(crate) challenge_id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) session_id: Uuid,
    /// The method that the session records.
    pub(crate) method: &'a str,
    /// The time step whose code was given.
    pub(crate) step: Option<i64>,
    /// The secret of the factor, if it is to be stored in another form.
    pub(crate) secret: Option<&'a str>,
    /// The credential of a security key, as it is to be stored.
    pub(crate) credential: Option<&'a Value>,
    /// The model of a security key that was registered.
    pub(crate) aaguid: Option<Uuid>,
    /// What a security key has answered, as GoTrue stores it.
    pub(crate) challenge_data: Option<&'a Value>,
    /// The sealed key of the session's refresh tokens, if it has none yet.
    pub(crate) hmac_key: &'a str,
    /// The refresh token of a session without such a key, beside GoTrue.
    pub(crate) v1_token: Option<&'a str>,
}

rows! {
    /// A challenge with its factor.
    #[derive(Debug)]
    pub(crate) struct AttemptRow {
        pub(crate) created_at: Timestamp,
        pub(crate) verified_at: Option<Timestamp>,
        pub(crate) ip: String,
        pub(crate) otp_code: Option<String>,
        pub(crate) session_data: Option<Value>,
        pub(crate) secret: Option<String>,
        pub(crate) phone: Option<String>,
        pub(crate) credential: Option<Value>,
        pub(crate) last_step: Option<i64>,
        pub(crate) blocked_until: Option<Timestamp>,
        /// The number of wrong codes; `None` if the attempt was not counted.
        pub(crate) counted: Option<i32>,
    }

    /// The key and the counter of a raised session's refresh tokens.
    #[derive(Debug)]
    pub(crate) struct RaisedRow {
        pub(crate) hmac_key: Option<String>,
        pub(crate) counter: Option<i64>,
    }

    #[derive(Debug)]
    pub(crate) struct SecurityKeyRow {
        pub(crate) id: Uuid,
        pub(crate) credential: Option<Value>,
    }
}

statements! {
    /// Adds a factor.
    pub(crate) async fn insert(factor: &NewFactor<'_>, now: Timestamp)
    where {
        id: Uuid = factor.id,
        user_id: Uuid = factor.user_id,
        friendly_name: &str = factor.friendly_name,
        factor_type: &str = factor.factor_type,
        secret: Option<&str> = factor.secret,
        phone: Option<&str> = factor.phone,
        now: Timestamp,
    }
    {
        "insert into mfa_factors
                (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone)
         values (:id, :user_id, :friendly_name, cast(:factor_type as text)::factor_type, 'unverified', :now, :now,
                 :secret, :phone)"
    }

    /// Deletes the factors of a user that were added before a time and never challenged, and returns their ids.
    pub(crate) async fn delete_stale(user_id: Uuid, before: Timestamp) -> Vec<Uuid> {
        "delete from mfa_factors f
          where f.user_id = :user_id
            and f.status = 'unverified'
            and f.created_at < :before
            and not exists (select 1 from mfa_challenges c where c.factor_id = f.id)
         returning f.id"
    }

    /// Deletes the factors of a phone number that were never verified; a user has a number once.
    pub(crate) async fn delete_unverified_phone(user_id: Uuid, phone: &str) {
        "delete from mfa_factors where user_id = :user_id and phone = :phone and status = 'unverified'"
    }

    async fn open_challenge(
        challenge: &NewChallenge<'_>, challenged_at: Timestamp, entry: &NewAuditEntry, is_audited: bool,
    ) -> bool
    where {
        id: Uuid = challenge.id,
        factor_id: Uuid = challenge.factor_id,
        user_id: Uuid = challenge.user_id,
        challenged_at: Timestamp,
        not_since: Option<Timestamp> = challenge.not_since,
        ip: &str = challenge.address,
        otp_code: Option<&str> = challenge.otp_code,
        session_data: Option<&Value> = challenge.session_data,
        now: Timestamp = entry.at,
        audit_id: Uuid = entry.id,
        audit_payload: &Value = &entry.payload,
        audit_address: &str = &entry.address,
        audited: bool = is_audited,
    }
    { include_str!("factors/challenge.sql") }

    /// Reads a challenge with its factor, and counts the attempt as a wrong one until [`accept`] takes it back.
    pub(crate) async fn attempt(attempt: &Attempt<'_>, now: Timestamp) -> Option<AttemptRow>
    where {
        factor_id: Uuid = attempt.factor_id,
        user_id: Uuid = attempt.user_id,
        challenge_id: Uuid = attempt.challenge_id,
        oldest: Timestamp = attempt.oldest,
        forgotten: Timestamp = attempt.forgotten,
        waits: &[f64] = attempt.waits,
        now: Timestamp,
    }
    { include_str!("factors/attempt.sql") }

    /// Writes everything that a right code changes, and the audit entry if `is_audited`. Returns the key and the
    /// counter of the session's refresh tokens, no key if it has the token of version 1, or `None` if another request
    /// was faster.
    pub(crate) async fn accept(answer: &Answer<'_>, entry: &NewAuditEntry, is_audited: bool) -> Option<RaisedRow>
    where {
        factor_id: Uuid = answer.factor_id,
        factor_type: &str = answer.factor_type,
        challenge_id: Uuid = answer.challenge_id,
        user_id: Uuid = answer.user_id,
        session_id: Uuid = answer.session_id,
        method: &str = answer.method,
        step: Option<i64> = answer.step,
        secret: Option<&str> = answer.secret,
        credential: Option<&Value> = answer.credential,
        aaguid: Option<Uuid> = answer.aaguid,
        challenge_data: Option<&Value> = answer.challenge_data,
        hmac_key: &str = answer.hmac_key,
        v1_token: Option<&str> = answer.v1_token,
        now: Timestamp = entry.at,
        audit_id: Uuid = entry.id,
        audit_payload: &Value = &entry.payload,
        audit_address: &str = &entry.address,
        audited: bool = is_audited,
    }
    { include_str!("factors/accept.sql") }

    /// Returns the security keys of a user, each with its credential once it was verified.
    pub(crate) async fn security_keys(user_id: Uuid) -> Vec<SecurityKeyRow> {
        "select id, web_authn_credential as credential
           from mfa_factors
          where user_id = :user_id
            and factor_type = 'webauthn'
          order by created_at, id"
    }

    /// Deletes a factor of a user and lowers the sessions that were raised with it by this method. Returns whether
    /// there was one.
    pub(crate) async fn delete(id: Uuid, user_id: Uuid, method: &str) -> bool {
        include_str!("factors/delete.sql")
    }

    /// Changes the name or the number of a factor.
    pub(crate) async fn update(
        id: Uuid, user_id: Uuid, friendly_name: Option<&str>, phone: Option<&str>, now: Timestamp,
    ) {
        "update mfa_factors
            set friendly_name = coalesce(:friendly_name, friendly_name),
                phone = coalesce(:phone, phone),
                updated_at = :now
          where id = :id
            and user_id = :user_id"
    }
}

/// Opens a challenge, and writes the audit entry if `is_audited`. Returns `None` if another factor was challenged at
/// the same moment, and else whether it was opened.
pub(crate) async fn challenge(
    conn: &dyn Executor,
    challenge: &NewChallenge<'_>,
    challenged_at: Timestamp,
    entry: &NewAuditEntry,
    is_audited: bool,
) -> Result<Option<bool>> {
    match open_challenge(conn, challenge, challenged_at, entry, is_audited).await {
        Ok(is_opened) => Ok(Some(is_opened)),
        Err(error) if error.constraint() == Some(SAME_MOMENT) => Ok(None),
        Err(error) => Err(error),
    }
}
