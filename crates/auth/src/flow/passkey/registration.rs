//! Adds a passkey to the caller's account.

use http::StatusCode;
use innkeeper_service::database::Transaction;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::{
    PasskeyAnswer, PasskeyChallenge, challenge_not_found, check_expiry, check_level, expiry,
    failed, relying_party, stored_state,
};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::crypto::webauthn::{Attestation, NewCredential, Residence, authenticator_name};
use crate::flow::caller::Caller;
use crate::flow::factor::check_not_anonymous;
use crate::flow::user::metadata;
use crate::store;
use crate::store::passkeys::NewChallenge;

/// A passkey that was added.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NewPasskey")]
pub(crate) struct NewPasskey {
    id: Uuid,
    /// The name of the authenticator's model, which the user can change.
    friendly_name: String,
    created_at: Timestamp,
}

/// Makes the challenge of a registration, which only this session of the caller can answer.
pub(crate) async fn start(app: &App, caller: &Caller) -> Result<PasskeyChallenge> {
    let session_id = check_caller(caller)?;
    let party = relying_party(app)?;
    let conn = app.shared().await?;
    let known = store::passkeys::list(&conn, caller.user.id).await?;
    check_number(app, known.len())?;
    let known = known.into_iter().map(|passkey| passkey.credential_id);
    let residence = Residence::Discoverable;
    let mut ceremony = party.start_registration(&caller.user, residence, known.collect())?;
    // A credential that is known already is found by the database, which has an error code of its own.
    if let Some(excluded) = ceremony.state.get_mut("exclude_credentials") {
        *excluded = json!([]);
    }
    let expires_at = expiry(app);
    let challenge = NewChallenge {
        id: Uuid::new_v4(),
        user_id: Some(caller.user.id),
        challenge_type: "registration",
        session_data: &json!({ "session_id": session_id, "state": ceremony.state }),
        expires_at,
    };
    store::passkeys::open_challenge(&conn, &challenge, app.clock.now()).await?;
    Ok(PasskeyChallenge {
        challenge_id: challenge.id,
        options: ceremony.options,
        expires_at: expires_at.as_second(),
    })
}

/// Checks the answer to such a challenge, which it uses up in any case, and adds the passkey.
pub(crate) async fn finish(
    app: &App,
    caller: &Caller,
    answer: &PasskeyAnswer,
    client: &ClientInfo,
) -> Result<NewPasskey> {
    let session_id = check_caller(caller)?;
    let party = relying_party(app)?;
    let (challenge_id, credential) = answer.parts()?;
    let conn = app.shared().await?;
    let user_id = caller.user.id;
    let challenge =
        store::passkeys::consume_registration(&conn, challenge_id, user_id, session_id).await?;
    let challenge = challenge.ok_or_else(challenge_not_found)?;
    check_expiry(app, challenge.expires_at)?;
    let attestation = Attestation::parse(credential).map_err(|refusal| failed(&refusal))?;
    let state = stored_state(&challenge.session_data);
    let credential = party.finish_registration(state, &attestation);
    let credential = credential.map_err(|refusal| failed(&refusal))?;
    add(app, caller, &credential, client).await
}

/// Stores a passkey, if the user may have one more. The account is locked, so that requests at the same time cannot
/// exceed the limit.
async fn add(
    app: &App,
    caller: &Caller,
    credential: &NewCredential,
    client: &ClientInfo,
) -> Result<NewPasskey> {
    let now = app.clock.now();
    let (user, stored) = (&caller.user, &credential.stored);
    let passkey = store::passkeys::NewPasskey {
        id: Uuid::new_v4(),
        user_id: user.id,
        credential_id: &stored.id,
        public_key: &stored.public_key,
        aaguid: credential.aaguid,
        sign_count: stored.sign_count,
        transports: &credential.transports,
        is_backup_eligible: stored.is_backup_eligible,
        is_backed_up: stored.is_backed_up,
        friendly_name: authenticator_name(credential.aaguid),
    };
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let owner = store::users::lock_by_id(&tx, user.id).await?;
    owner.ok_or_else(|| AuthError::refused(ErrorCode::UserNotFound, "User not found"))?;
    check_again(&tx, caller).await?;
    let known = store::passkeys::list(&tx, user.id).await?;
    check_number(app, known.len())?;
    store::passkeys::insert(&tx, &passkey, now)
        .await
        .map_err(|error| match error.constraint() {
            Some(store::passkeys::SAME_CREDENTIAL) => AuthError::refused(
                ErrorCode::WebauthnCredentialExists,
                "This credential is already registered",
            ),
            _ => error.into(),
        })?;
    let traits = metadata::member("passkey_id", passkey.id.to_string());
    let (action, actor) = (AuditAction::PasskeyCreated, Actor::User(user));
    app.audit_as(&tx, action, traits, actor, client).await?;
    tx.commit().await?;
    Ok(NewPasskey {
        id: passkey.id,
        friendly_name: passkey.friendly_name.to_owned(),
        created_at: now,
    })
}

/// Refuses a session that has ended, or whose user has verified a second factor in another one, since the request began.
async fn check_again(tx: &Transaction<'_>, caller: &Caller) -> Result<()> {
    let session_id = caller.session.as_ref().map_or(Uuid::nil(), |it| it.id);
    // The statement that waited for the lock does not see what was changed meanwhile; this one does.
    match store::users::find_by_session(tx, session_id).await? {
        Some((user, session @ Some(_))) => check_level(&Caller { user, session }),
        _ => Err(session_not_found("The session has ended")),
    }
}

/// Refuses callers who may not have passkeys, and returns the id of the session.
fn check_caller(caller: &Caller) -> Result<Uuid> {
    check_not_anonymous(caller)?;
    if caller.user.is_sso_user {
        return Err(AuthError::Unprocessable(
            "SSO users cannot register passkeys".into(),
        ));
    }
    check_level(caller)?;
    let session = caller.session.as_ref().ok_or_else(|| {
        session_not_found("A passkey is added in a session, and the access token has none")
    })?;
    Ok(session.id)
}

fn session_not_found(message: &'static str) -> AuthError {
    AuthError::refused_as(StatusCode::FORBIDDEN, ErrorCode::SessionNotFound, message)
}

fn check_number(app: &App, number: usize) -> Result<()> {
    if number < app.config.webauthn.max_passkeys {
        return Ok(());
    }
    Err(AuthError::refused(
        ErrorCode::TooManyPasskeys,
        "Maximum number of passkeys reached",
    ))
}
