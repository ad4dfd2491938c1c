//! Signs a user in with a passkey, which names its owner by itself.

use http::StatusCode;
use innkeeper_service::database::Executor;
use serde_json::json;
use uuid::Uuid;

use super::{
    PasskeyAnswer, PasskeyChallenge, challenge_not_found, check_expiry, expiry, failed,
    relying_party, stored_state,
};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::HookKind;
use crate::crypto::webauthn::{Assertion, Refusal, RelyingParty, StoredCredential};
use crate::flow::session::issue::{self, Authentication, IssuedTokens};
use crate::flow::user::{Object, User};
use crate::store;
use crate::store::passkeys::{NewChallenge, SignInRow};
use crate::store::sessions::PasskeyUse;

/// The method that a session records.
const METHOD: &str = "passkey";

/// Makes the challenge of a sign-in, for whichever passkey the browser has.
pub(crate) async fn start(app: &App) -> Result<PasskeyChallenge> {
    let party = relying_party(app)?;
    let ceremony = party.start_sign_in(&[])?;
    let expires_at = expiry(app);
    let challenge = NewChallenge {
        id: Uuid::new_v4(),
        user_id: None,
        challenge_type: "authentication",
        session_data: &json!({ "state": ceremony.state }),
        expires_at,
    };
    let conn = app.shared().await?;
    store::passkeys::open_challenge(&conn, &challenge, app.clock.now()).await?;
    Ok(PasskeyChallenge {
        challenge_id: challenge.id,
        options: ceremony.options,
        expires_at: expires_at.as_second(),
    })
}

/// Checks the answer to such a challenge, which it uses up in any case, and opens a session.
pub(crate) async fn finish(
    app: &App,
    answer: &PasskeyAnswer,
    client: &ClientInfo,
) -> Result<IssuedTokens> {
    let party = relying_party(app)?;
    let (challenge_id, credential) = answer.parts()?;
    let assertion = Assertion::parse(credential);
    let presented = assertion.as_ref().map(Assertion::credential_id);
    let conn = app.shared().await?;
    let found =
        store::passkeys::consume_sign_in(&conn, challenge_id, presented.unwrap_or_default());
    let found = found.await?.ok_or_else(challenge_not_found)?;
    check_expiry(app, found.expires_at)?;
    let checked = assertion.and_then(|assertion| check(&party, &found, &assertion));
    let passkey = match checked {
        Ok(passkey) => passkey,
        Err(refusal) => return Err(refuse(app, &found, failed(&refusal), client).await),
    };
    let owner = found.user_id.unwrap_or_default();
    let Some(user) = store::users::find_by_id(&conn, owner).await? else {
        let unknown = failed(&Refusal::from("the passkey is not known"));
        return Err(refuse(app, &found, unknown, client).await);
    };
    if let Err(refused) = check_user(app, &user) {
        return Err(refuse(app, &found, refused, client).await);
    }
    match open(app, &conn, user, passkey, client).await {
        // The passkey was deleted a moment ago, or a copy of it was used with the same counter.
        Err(raced) if raced.code() == ErrorCode::WebauthnVerificationFailed.as_str() => {
            Err(refuse(app, &found, raced, client).await)
        }
        opened => opened,
    }
}

/// Opens the session, which counts as a use of the passkey.
async fn open(
    app: &App,
    conn: &dyn Executor,
    user: User,
    passkey: PasskeyUse,
    client: &ClientInfo,
) -> Result<IssuedTokens> {
    let authentication = Authentication {
        method: METHOD,
        provider: METHOD,
        passkey: Some(passkey),
        ..Authentication::default()
    };
    if app.hooks.is_function(HookKind::CustomAccessToken) {
        // The function sees the session, which must not stay if it issues no token.
        let mut conn = app.connection().await?;
        let tx = conn.transaction().await?;
        let issued = issue::open_session_of(app, &tx, user, &authentication, client).await?;
        tx.commit().await?;
        return Ok(issued);
    }
    issue::open_session_of(app, conn, user, &authentication, client).await
}

/// Checks that a known passkey has signed the challenge, and that it names its owner.
fn check(
    party: &RelyingParty,
    found: &SignInRow,
    assertion: &Assertion,
) -> std::result::Result<PasskeyUse, Refusal> {
    let unknown = || Refusal::from("the passkey is not known");
    let (Some(passkey_id), Some(owner)) = (found.passkey_id, found.user_id) else {
        return Err(unknown());
    };
    let public_key = found.public_key.clone().ok_or_else(unknown)?;
    let handle = assertion.user_handle().and_then(|it| it.parse().ok());
    if handle != Some(owner) {
        return Err("the user handle is not that of the passkey's owner".into());
    }
    let credential = StoredCredential {
        id: assertion.credential_id().to_vec(),
        public_key,
        sign_count: u32::try_from(found.sign_count.unwrap_or_default()).unwrap_or(u32::MAX),
        is_backup_eligible: found.backup_eligible.unwrap_or_default(),
        is_backed_up: found.backed_up.unwrap_or_default(),
    };
    let state = stored_state(&found.session_data);
    let used = party.finish_sign_in(state, assertion, &credential)?;
    Ok(PasskeyUse {
        id: passkey_id,
        sign_count: used.sign_count,
        is_backed_up: used.is_backed_up,
    })
}

/// Refuses users who may not sign in. They have shown a passkey, so they may know why.
fn check_user(app: &App, user: &User) -> Result<()> {
    let forbidden = |code, message: &'static str| {
        Err(AuthError::refused_as(StatusCode::FORBIDDEN, code, message))
    };
    let allows_unverified = app.config.mailer.allow_unverified_email_sign_ins;
    if !user.email.is_empty() && user.email_confirmed_at.is_none() && !allows_unverified {
        return forbidden(ErrorCode::EmailNotConfirmed, "Email not confirmed");
    }
    if !user.phone.is_empty() && user.phone_confirmed_at.is_none() {
        return forbidden(ErrorCode::PhoneNotConfirmed, "Phone not confirmed");
    }
    if user.is_banned(app.clock.now()) {
        return forbidden(ErrorCode::UserBanned, "User is banned");
    }
    Ok(())
}

/// Writes a refused sign-in into the audit log, and returns its error.
async fn refuse(app: &App, found: &SignInRow, error: AuthError, client: &ClientInfo) -> AuthError {
    let mut traits = Object::new();
    traits.insert("provider".to_owned(), METHOD.into());
    if let Some(id) = found.passkey_id {
        traits.insert("passkey_id".to_owned(), id.to_string().into());
    }
    let actor = Actor::Sender {
        id: found.user_id,
        name: "",
    };
    let action = AuditAction::SignInFailed;
    app.audit_refusal(action, &error, traits, actor, client)
        .await;
    error
}
