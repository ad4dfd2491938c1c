//! `webauthn_credentials` and `webauthn_challenges`: passkeys, and what authenticators are asked to sign.

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use serde_json::Value;
use tokio_postgres::types::Json;
use uuid::Uuid;

use super::Result;

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

rows! {
    /// The challenge of a registration.
    #[derive(Debug)]
    pub(crate) struct RegistrationRow {
        pub(crate) session_data: Value,
        pub(crate) expires_at: Timestamp,
    }

    /// The challenge of a sign-in, and the passkey that was presented if it is known.
    #[derive(Debug)]
    pub(crate) struct SignInRow {
        pub(crate) session_data: Value,
        pub(crate) expires_at: Timestamp,
        pub(crate) passkey_id: Option<Uuid>,
        pub(crate) user_id: Option<Uuid>,
        pub(crate) public_key: Option<Vec<u8>>,
        pub(crate) sign_count: Option<i64>,
        pub(crate) backup_eligible: Option<bool>,
        pub(crate) backed_up: Option<bool>,
    }

    /// A passkey as its user sees it.
    #[derive(Debug)]
    pub(crate) struct PasskeyRow {
        pub(crate) id: Uuid,
        pub(crate) credential_id: Vec<u8>,
        pub(crate) friendly_name: String,
        pub(crate) created_at: Timestamp,
        pub(crate) last_used_at: Option<Timestamp>,
    }
}

const PASSKEY: &str = "id, credential_id, friendly_name, created_at, last_used_at";

statements! {
    /// Remembers a challenge.
    pub(crate) async fn open_challenge(challenge: &NewChallenge<'_>, now: Timestamp)
    where {
        id: Uuid = challenge.id,
        user_id: Option<Uuid> = challenge.user_id,
        challenge_type: &str = challenge.challenge_type,
        session_data: &Value = challenge.session_data,
        expires_at: Timestamp = challenge.expires_at,
        now: Timestamp,
    }
    {
        "insert into webauthn_challenges (id, user_id, challenge_type, session_data, created_at, expires_at)
         values (:id, :user_id, :challenge_type, :session_data, :now, :expires_at)"
    }

    /// Takes the challenge of a registration that this user has begun in this session, whatever comes of it.
    pub(crate) async fn consume_registration(id: Uuid, user_id: Uuid, session_id: Uuid) -> Option<RegistrationRow>
    where { id: Uuid, user_id: Uuid, session_id: String = session_id.to_string() }
    {
        "delete from webauthn_challenges
          where id = :id
            and challenge_type = 'registration'
            and user_id = :user_id
            and session_data->>'session_id' = :session_id
         returning session_data, expires_at"
    }

    /// Takes the challenge of a sign-in, whatever comes of it, and reads the passkey with this credential if there is
    /// one.
    pub(crate) async fn consume_sign_in(id: Uuid, credential_id: &[u8]) -> Option<SignInRow> {
        "with challenge as (
                delete from webauthn_challenges
                 where id = :id
                   and challenge_type = 'authentication'
             returning session_data, expires_at)
         select c.session_data, c.expires_at, w.id as passkey_id, w.user_id, w.public_key, w.sign_count,
                w.backup_eligible, w.backed_up
           from challenge c
           left join webauthn_credentials w on w.credential_id = :credential_id"
    }

    /// Returns the passkeys of a user, the oldest first.
    pub(crate) async fn list(user_id: Uuid) -> Vec<PasskeyRow> {
        "select", PASSKEY, "from webauthn_credentials where user_id = :user_id order by created_at, id"
    }

    /// Adds a passkey.
    pub(crate) async fn insert(passkey: &NewPasskey<'_>, now: Timestamp)
    where {
        id: Uuid = passkey.id,
        user_id: Uuid = passkey.user_id,
        credential_id: &[u8] = passkey.credential_id,
        public_key: &[u8] = passkey.public_key,
        aaguid: Uuid = passkey.aaguid,
        sign_count: i64 = passkey.sign_count.into(),
        transports: Json<&[String]> = Json(passkey.transports),
        backup_eligible: bool = passkey.is_backup_eligible,
        backed_up: bool = passkey.is_backed_up,
        friendly_name: &str = passkey.friendly_name,
        now: Timestamp,
    }
    {
        "insert into webauthn_credentials
                (id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count, transports,
                 backup_eligible, backed_up, friendly_name, created_at, updated_at)
         values (:id, :user_id, :credential_id, :public_key, 'none', :aaguid, :sign_count, :transports,
                 :backup_eligible, :backed_up, :friendly_name, :now, :now)"
    }

    /// Changes the name of a user's passkey, and returns it if there is one.
    pub(crate) async fn rename(id: Uuid, user_id: Uuid, friendly_name: &str, now: Timestamp) -> Option<PasskeyRow> {
        "update webauthn_credentials
            set friendly_name = :friendly_name, updated_at = :now
          where id = :id
            and user_id = :user_id
         returning", PASSKEY
    }

    async fn count_deleted(id: Uuid, user_id: Uuid) -> u64 {
        "delete from webauthn_credentials where id = :id and user_id = :user_id"
    }
}

/// Deletes a user's passkey. Returns whether there was one.
pub(crate) async fn delete(conn: &dyn Executor, id: Uuid, user_id: Uuid) -> Result<bool> {
    Ok(count_deleted(conn, id, user_id).await? > 0)
}
