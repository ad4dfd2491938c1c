//! The effects of a valid link or code on the account.

use innkeeper_service::database::Executor;
use uuid::Uuid;

use super::TokenKind;
use super::find::{ValidToken, link_expired};
use super::send::exchange_methods;
use super::verify_type::VerifyType;
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::flow::user::account::reload;
use crate::flow::user::metadata::{self, email_identity, member, phone_identity};
use crate::flow::user::{
    Identity, Object, User, conflict, password, phone_change, verified_contact,
};
use crate::store;

/// How far a confirmation has got.
#[derive(Debug)]
pub(crate) enum Confirmation {
    /// One of two email addresses has confirmed.
    Half,
    /// The confirmation is complete.
    Complete {
        user: Box<User>,
        /// Whether no password was stored although somebody has chosen one.
        lacks_password: bool,
    },
}

/// Applies a valid token, and uses it up.
pub(crate) async fn apply(
    app: &App,
    tx: &dyn Executor,
    token: ValidToken,
    resolved: VerifyType,
    new_hash: Option<String>,
    client: &ClientInfo,
) -> Result<Confirmation> {
    let id = token.user.id;
    let mut lacks_password = false;
    match token.kind {
        TokenKind::Confirmation | TokenKind::Recovery => {
            let confirmed_at = if token.is_by_phone {
                token.user.phone_confirmed_at
            } else {
                token.user.email_confirmed_at
            };
            if confirmed_at.is_none() {
                lacks_password = confirm_account(app, tx, &token, client, resolved).await?;
            }
        }
        TokenKind::PhoneChange => phone_change::finish(app, tx, &token.user, client).await?,
        TokenKind::EmailChangeNew | TokenKind::EmailChangeCurrent => {
            if !change_email(app, tx, &token, client).await? {
                return Ok(Confirmation::Half);
            }
        }
        TokenKind::Reauthentication => {
            return Err(AuthError::internal("a nonce cannot confirm anything"));
        }
    }
    // GoTrue gives somebody who was invited a password that nobody knows.
    let is_without_password = token.user.encrypted_password.is_none();
    if is_without_password && token.user.invited_at.is_some() {
        password::clear_sent(app, tx, id).await?;
    } else {
        store::one_time_tokens::clear_all(tx, id).await?;
    }
    let mut user = reload(tx, id).await?;
    if let (Some(hash), None) = (new_hash, &user.encrypted_password) {
        let hash = password::sealed_for_storage(app, id, hash)?;
        store::users::set_password(tx, id, Some(&hash), app.clock.now()).await?;
        user.encrypted_password = Some(hash);
        lacks_password = false;
    }
    Ok(Confirmation::Complete {
        user: Box::new(user),
        lacks_password,
    })
}

/// Confirms the email address or the phone number of an account. A password from somebody who may not own it is
/// removed, with all sessions that were opened with it, unless this very token belongs to its sign-up.
/// Whoever has confirmed the other one owns the password. Returns whether the user has to be told that no
/// password was stored: those who come by recovery choose one anyway.
async fn confirm_account(
    app: &App,
    tx: &dyn Executor,
    token: &ValidToken,
    client: &ClientInfo,
    resolved: VerifyType,
) -> Result<bool> {
    let now = app.clock.now();
    let id = token.user.id;
    let has_password = token.user.encrypted_password.is_some();
    let is_unproven = !token.carries_password && !token.user.is_confirmed();
    if is_unproven && has_password {
        store::users::remove_unproven_credentials(tx, id, now).await?;
        store::sessions::delete_of_user(tx, id).await?;
    }
    let provider = if token.is_by_phone { "phone" } else { "email" };
    if is_unproven {
        // An external provider may have given them to somebody who merely claims the address there.
        store::identities::delete_others(tx, id, provider).await?;
    }
    if token.is_by_phone {
        store::users::confirm_phone(tx, id, now).await?;
    } else {
        store::users::confirm_email(tx, id, now).await?;
    }
    mark_verified(app, tx, token.user.clone(), provider).await?;
    let (action, traits) = if resolved == VerifyType::Invite || token.user.invited_at.is_some() {
        (AuditAction::InviteAccepted, Object::new())
    } else {
        (AuditAction::UserSignedUp, member("provider", provider))
    };
    app.audit_as(tx, action, traits, Actor::User(&token.user), client)
        .await?;
    let signed_up_with_it = identities_of(&token.user).any(|it| it.provider == provider);
    let lacks_password = if has_password {
        is_unproven
    } else {
        // Whoever has come by an external provider has chosen no password.
        token.carries_password && signed_up_with_it
    };
    Ok(lacks_password && token.kind == TokenKind::Confirmation)
}

fn identities_of(user: &User) -> impl Iterator<Item = &Identity> {
    user.identities.iter().flatten()
}

/// Marks the email address or the phone number as verified in the identity and the metadata; GoTrue marks only
/// email addresses.
async fn mark_verified(app: &App, tx: &dyn Executor, mut user: User, provider: &str) -> Result<()> {
    let now = app.clock.now();
    let is_marked = provider == "email" || app.config.profile == Profile::Std;
    let verified = if is_marked {
        member(&format!("{provider}_verified"), true)
    } else {
        Object::new()
    };
    if !store::identities::merge(tx, user.id, provider, &verified, now).await? {
        let data = match provider {
            "phone" => phone_identity(&Object::new(), user.id, &user.phone, is_marked),
            _ => email_identity(&Object::new(), user.id, &user.email, true),
        };
        store::identities::insert(tx, user.id, provider, &data, now).await?;
    }
    user.identities = reload(tx, user.id).await?.identities;
    metadata::merge(&mut user.user_metadata, verified);
    metadata::refresh_providers(&mut user);
    store::users::set_metadata(tx, &user, now).await?;
    Ok(())
}

/// Confirms one side of a change of email address; returns whether the change is complete.
async fn change_email(
    app: &App,
    tx: &dyn Executor,
    token: &ValidToken,
    client: &ClientInfo,
) -> Result<bool> {
    let now = app.clock.now();
    let user = &token.user;
    let both = app.config.mailer.secure_email_change_enabled
        && !app.config.mailer.autoconfirm
        && !user.email.is_empty();
    if both && user.email_change_confirm_status == 0 {
        store::users::confirm_half_of_email_change(tx, user.id, now).await?;
        store::one_time_tokens::clear_kind(tx, user.id, token.kind.name()).await?;
        return Ok(false);
    }
    let new_email = user.new_email.as_str();
    if new_email.is_empty() {
        return Err(link_expired());
    }
    store::users::finish_email_change(tx, user.id, now)
        .await
        .map_err(conflict::of_constraint)?;
    verified_contact::record_email(app, tx, user.id, new_email).await?;
    app.audit(tx, AuditAction::UserModified, user, client)
        .await?;
    Ok(true)
}

/// Issues a code that the client which requested the link can exchange.
pub(crate) async fn issue_exchange_code(
    app: &App,
    tx: &dyn Executor,
    user_id: Uuid,
    kind: TokenKind,
    flow_id: Option<Uuid>,
) -> Result<String> {
    let code = Uuid::new_v4().to_string();
    let hash = super::hash(&code);
    let now = app.clock.now();
    let methods = exchange_methods(kind);
    if store::flow_states::issue_code(tx, user_id, flow_id, methods, &hash, now).await? {
        Ok(code)
    } else {
        Err(AuthError::refused(
            ErrorCode::FlowStateNotFound,
            "invalid flow state, no valid flow state found",
        ))
    }
}
