//! `webauthn_credentials` and `webauthn_challenges`: passkeys, and what authenticators are asked to sign.

use innkeeper_auth_queries::queries::passkeys as queries;
pub(crate) use innkeeper_auth_queries::queries::passkeys::{
    PasskeyRow, RegistrationRow, SignInRow,
};
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::{GenericClient, Result};

/// The constraint that a credential belongs to one passkey.
pub(crate) const SAME_CREDENTIAL: &str = "webauthn_credentials_credential_id_key";

/// A challenge to be remembered.
#[derive(Debug)]
pub(crate) struct NewChallenge<'a> {
    pub(crate) id: Uuid,
    /// The user of a registration. A sign-in has none yet.
    pub(crate) user_id: Option<Uuid>,
    /// `registration` or `authentication`.
    pub(crate) challenge_type: &'a str,
    pub(crate) session_data: &'a Value,
    pub(crate) expires_at: Timestamp,
}

/// Remembers a challenge.
pub(crate) async fn open_challenge(
    conn: &impl GenericClient,
    challenge: &NewChallenge<'_>,
    now: Timestamp,
) -> Result<()> {
    queries::open_challenge()
        .bind(
            conn,
            &challenge.id,
            &challenge.user_id,
            &challenge.challenge_type,
            challenge.session_data,
            &now,
            &challenge.expires_at,
        )
        .one()
        .await?;
    Ok(())
}

/// Takes the challenge of a registration that this user has begun in this session.
pub(crate) async fn consume_registration(
    conn: &impl GenericClient,
    id: Uuid,
    user_id: Uuid,
    session_id: Uuid,
) -> Result<Option<RegistrationRow>> {
    Ok(queries::consume_registration()
        .bind(conn, &id, &user_id, &session_id.to_string())
        .opt()
        .await?)
}

/// Takes the challenge of a sign-in, and reads the passkey with this credential if there is one.
pub(crate) async fn consume_sign_in(
    conn: &impl GenericClient,
    id: Uuid,
    credential_id: &[u8],
) -> Result<Option<SignInRow>> {
    Ok(queries::consume_sign_in()
        .bind(conn, &id, &credential_id)
        .opt()
        .await?)
}

/// Returns the passkeys of a user, the oldest first.
pub(crate) async fn list(conn: &impl GenericClient, user_id: Uuid) -> Result<Vec<PasskeyRow>> {
    Ok(queries::list_passkeys().bind(conn, &user_id).all().await?)
}

/// A passkey to be added.
#[derive(Debug)]
pub(crate) struct NewPasskey<'a> {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) credential_id: &'a [u8],
    /// The key in the form of COSE.
    pub(crate) public_key: &'a [u8],
    /// The model of the authenticator.
    pub(crate) aaguid: Uuid,
    pub(crate) sign_count: u32,
    pub(crate) transports: &'a [String],
    pub(crate) is_backup_eligible: bool,
    pub(crate) is_backed_up: bool,
    pub(crate) friendly_name: &'a str,
}

/// Adds a passkey.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    passkey: &NewPasskey<'_>,
    now: Timestamp,
) -> Result<()> {
    queries::insert_passkey()
        .bind(
            conn,
            &passkey.id,
            &passkey.user_id,
            &passkey.credential_id,
            &passkey.public_key,
            &"none",
            &Some(passkey.aaguid),
            &i64::from(passkey.sign_count),
            &Value::from(passkey.transports),
            &passkey.is_backup_eligible,
            &passkey.is_backed_up,
            &passkey.friendly_name,
            &now,
        )
        .await?;
    Ok(())
}

/// Changes the name of a user's passkey, and returns it if there is one.
pub(crate) async fn rename(
    conn: &impl GenericClient,
    id: Uuid,
    user_id: Uuid,
    friendly_name: &str,
    now: Timestamp,
) -> Result<Option<PasskeyRow>> {
    Ok(queries::rename_passkey()
        .bind(conn, &friendly_name, &now, &id, &user_id)
        .opt()
        .await?)
}

/// Deletes a user's passkey. Returns whether there was one.
pub(crate) async fn delete(conn: &impl GenericClient, id: Uuid, user_id: Uuid) -> Result<bool> {
    let gone = queries::delete_passkey()
        .bind(conn, &id, &user_id)
        .opt()
        .await?;
    Ok(gone.is_some())
}
