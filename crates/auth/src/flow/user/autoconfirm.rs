//! Sign-up where email addresses or phone numbers count as confirmed at once.

use http::StatusCode;

use super::account::{approve, create, is_taken_error, reload, start_over};
use super::pending::is_in_use;
use super::signup_request::Signup;
use super::{User, by_contact, metadata, password};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::{ApiVersion, ClientInfo};
use crate::base::contact::Contact;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::flow::hook;
use crate::flow::session::issue::{self, IssuedTokens};
use crate::store;

/// Signs a user up without a confirmation.
pub(super) async fn sign_up(
    app: &App,
    signup: &Signup,
    hash: &str,
    client: &ClientInfo,
) -> Result<IssuedTokens> {
    let now = app.clock.now();
    let approved = approve(app, signup, client).await?;
    let _permit = app.hooks.token_permit().await;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let known = by_contact::lock(&tx, &signup.aud, &signup.contact).await?;
    let id = match known {
        Some(user) if is_in_use(app, &user) => return Err(already_registered(app, client)),
        // No message will be sent, so only the password distinguishes the owner from a stranger.
        Some(user)
            if !password::matches_within_throttle(app, &user, &signup.password, client).await? =>
        {
            return Err(already_registered(app, client));
        }
        Some(user) => {
            let id = user.id;
            let stored = password::sealed_for_storage(app, id, hash.to_owned())?;
            store::one_time_tokens::clear_all(&tx, id).await?;
            start_over(app, &tx, user, signup, Some(stored), true).await?;
            match signup.contact {
                Contact::Email(_) => store::users::confirm_email(&tx, id, now).await?,
                Contact::Phone(_) => store::users::confirm_phone(&tx, id, now).await?,
            }
            id
        }
        None => create(app, &tx, signup, approved, Some(hash.to_owned()), Some(now))
            .await
            .map_err(|error| {
                if is_taken_error(&error) {
                    already_registered(app, client)
                } else {
                    error
                }
            })?,
    };
    let user = reload(&tx, id).await?;
    let provider = signup.contact.provider();
    let traits = metadata::member("provider", provider);
    app.audit_as(
        &tx,
        AuditAction::UserSignedUp,
        traits,
        Actor::User(&user),
        client,
    )
    .await?;
    let mut issued = issue::open_session(app, &tx, user, "password", provider, client).await?;
    tx.commit().await?;
    if approved == Some(id) {
        hook::accounts::after_user_created(app, &issued.body.user, client);
    }
    if app.config.profile == Profile::Gotrue {
        show_as_gotrue(&mut issued.body.user);
    }
    Ok(issued)
}

/// GoTrue has not read the row back yet: the column is missing, and the mark of the metadata shows in the identity.
fn show_as_gotrue(user: &mut User) {
    user.confirmed_at = None;
    let verified = user.user_metadata.get("email_verified").cloned();
    for identity in user.identities.iter_mut().flatten() {
        let verified = verified.clone().map(|it| ("email_verified".to_owned(), it));
        identity.identity_data.extend(verified);
    }
}

fn already_registered(app: &App, client: &ClientInfo) -> AuthError {
    let is_initial_api =
        app.config.profile == Profile::Std && client.api_version == ApiVersion::Initial;
    let status = if is_initial_api {
        StatusCode::BAD_REQUEST
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let code = ErrorCode::UserAlreadyExists;
    AuthError::refused_as(status, code, "User already registered")
}
