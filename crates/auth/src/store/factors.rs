//! `mfa_factors`, `mfa_challenges` and `innkeeper_factor_guesses`: second factors, and what is asked of their owners.

use innkeeper_auth_queries::queries::factors as queries;
pub(crate) use innkeeper_auth_queries::queries::factors::{AttemptRow, RaisedRow, SecurityKeyRow};
use innkeeper_service::database::DatabaseError;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::audit::NewAuditEntry;
use super::{GenericClient, Result};

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

/// Adds a factor.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    factor: &NewFactor<'_>,
    now: Timestamp,
) -> Result<()> {
    queries::insert_factor()
        .bind(
            conn,
            &factor.id,
            &factor.user_id,
            &factor.friendly_name,
            &factor.factor_type,
            &now,
            &factor.secret,
            &factor.phone,
        )
        .await?;
    Ok(())
}

/// Deletes the factors of a user that were added before a time and never challenged, and returns their ids.
pub(crate) async fn delete_stale(
    conn: &impl GenericClient,
    user_id: Uuid,
    before: Timestamp,
) -> Result<Vec<Uuid>> {
    Ok(queries::delete_stale()
        .bind(conn, &user_id, &before)
        .all()
        .await?)
}

/// Deletes the factors of a phone number that were never verified.
pub(crate) async fn delete_unverified_phone(
    conn: &impl GenericClient,
    user_id: Uuid,
    phone: &str,
) -> Result<()> {
    queries::delete_unverified_phone()
        .bind(conn, &user_id, &phone)
        .await?;
    Ok(())
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

/// Opens a challenge, and writes the audit entry if `is_audited`. Returns `None` if another factor was challenged at
/// the same moment, and else whether it was opened.
pub(crate) async fn challenge(
    conn: &impl GenericClient,
    challenge: &NewChallenge<'_>,
    challenged_at: Timestamp,
    entry: &NewAuditEntry,
    is_audited: bool,
) -> Result<Option<bool>> {
    let opened = queries::challenge()
        .bind(
            conn,
            &challenged_at,
            &challenge.factor_id,
            &challenge.user_id,
            &challenge.not_since,
            &challenge.id,
            &entry.at,
            &challenge.address,
            &challenge.otp_code,
            &challenge.session_data,
            &entry.id,
            &entry.payload,
            &entry.address,
            &is_audited,
        )
        .opt()
        .await
        .map_err(DatabaseError::from);
    match opened {
        Ok(opened) => Ok(Some(opened.is_some())),
        Err(error) if error.constraint() == Some(SAME_MOMENT) => Ok(None),
        Err(error) => Err(error),
    }
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

/// Reads a challenge with its factor, and counts the attempt as a wrong one until [`accept`] takes it back.
pub(crate) async fn attempt(
    conn: &impl GenericClient,
    attempt: &Attempt<'_>,
    now: Timestamp,
) -> Result<Option<AttemptRow>> {
    Ok(queries::attempt()
        .bind(
            conn,
            &attempt.factor_id,
            &attempt.user_id,
            &attempt.challenge_id,
            &now,
            &attempt.oldest,
            &attempt.forgotten,
            &attempt.waits,
        )
        .opt()
        .await?)
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

/// Writes everything that a right code changes, and the audit entry if `is_audited`. Returns the key and the counter of
/// the session's refresh tokens, no key if it has the token of version 1, or `None` if another request was faster.
pub(crate) async fn accept(
    conn: &impl GenericClient,
    answer: &Answer<'_>,
    entry: &NewAuditEntry,
    is_audited: bool,
) -> Result<Option<RaisedRow>> {
    Ok(queries::accept()
        .bind(
            conn,
            &answer.user_id,
            &answer.v1_token,
            &answer.step,
            &answer.factor_id,
            &entry.at,
            &answer.challenge_id,
            &answer.hmac_key,
            &answer.session_id,
            &answer.secret,
            &answer.credential,
            &answer.aaguid,
            &answer.challenge_data,
            &answer.method,
            &answer.factor_type,
            &entry.id,
            &entry.payload,
            &entry.address,
            &is_audited,
        )
        .opt()
        .await?)
}

/// Returns the security keys of a user, each with its credential once it was verified.
pub(crate) async fn security_keys(
    conn: &impl GenericClient,
    user_id: Uuid,
) -> Result<Vec<SecurityKeyRow>> {
    Ok(queries::security_keys().bind(conn, &user_id).all().await?)
}

/// Deletes a factor of a user and lowers the sessions that were raised with it by this method. Returns whether there
/// was one.
pub(crate) async fn delete(
    conn: &impl GenericClient,
    id: Uuid,
    user_id: Uuid,
    method: &str,
) -> Result<bool> {
    let gone = queries::delete_factor()
        .bind(conn, &id, &user_id, &method)
        .one()
        .await?;
    Ok(gone > 0)
}

/// Changes the name or the number of a factor.
pub(crate) async fn update(
    conn: &impl GenericClient,
    id: Uuid,
    user_id: Uuid,
    friendly_name: Option<&str>,
    phone: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    queries::update_factor()
        .bind(conn, &friendly_name, &phone, &now, &id, &user_id)
        .await?;
    Ok(())
}
