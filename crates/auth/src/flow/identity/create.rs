//! New accounts of users of external providers, and the metadata that they get.

use uuid::Uuid;

use super::provider_claim::ProviderClaim;
use super::unverified;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::flow::hook;
use crate::flow::user::account::signup_disabled;
use crate::flow::user::{Object, User, bounds, metadata};
use crate::store::users::NewUser;

/// Returns the account of somebody new.
pub(super) fn new_user(app: &App, claim: &ProviderClaim, aud: &str, has_email: bool) -> NewUser {
    let chosen = claim.chosen(app.config.profile).filter(|_| has_email);
    let is_verified = chosen.is_some_and(|chosen| chosen.is_verified);
    let is_autoconfirmed = app.config.mailer.autoconfirm && app.config.profile == Profile::Gotrue;
    let is_confirmed = chosen.is_some() && (is_verified || is_autoconfirmed);
    let mut user = User::default();
    copy_metadata(app, &mut user, &claim.data);
    metadata::set_providers(&mut user.app_metadata, &[&claim.provider]);
    NewUser {
        id: Uuid::new_v4(),
        aud: aud.to_owned(),
        role: app.config.jwt.default_group_name.clone(),
        email: chosen.map(|chosen| chosen.email.clone()),
        email_confirmed_at: is_confirmed.then(|| app.clock.now()),
        app_metadata: user.app_metadata,
        user_metadata: user.user_metadata,
        is_sso_user: app.config.linking.is_apart(&claim.provider),
        ..NewUser::default()
    }
}

/// Refuses a new account that the settings or the application do not allow. Not within a transaction: a hook may take
/// its time.
pub(super) async fn approve(
    app: &App,
    new: &NewUser,
    claim: &ProviderClaim,
    client: &ClientInfo,
) -> Result<()> {
    if app.config.disable_signup {
        return Err(signup_disabled());
    }
    let now = app.clock.now();
    let user = User {
        id: new.id,
        aud: new.aud.clone(),
        role: new.role.clone(),
        email: new.email.clone().unwrap_or_default(),
        app_metadata: new.app_metadata.clone(),
        user_metadata: claim.data.clone(),
        identities: Some(Vec::new()),
        created_at: now,
        updated_at: now,
        ..User::default()
    };
    hook::accounts::before_user_created(app, &user, client).await
}

/// Refuses users without an address of their own, unless the provider's users need none.
pub(super) fn check_optional(app: &App, claim: &ProviderClaim) -> Result<()> {
    if claim.is_email_optional {
        return Ok(());
    }
    if !claim.addresses.is_empty() {
        return Err(unverified::verify_there(&claim.provider));
    }
    match app.config.profile {
        Profile::Std => Err(AuthError::refused(
            ErrorCode::EmailAddressNotProvided,
            format!("{} did not share an email address", claim.provider),
        )),
        Profile::Gotrue => Err(AuthError::refused(
            ErrorCode::UnexpectedFailure,
            "Error getting user email from external provider",
        )),
    }
}

/// Copies the provider's data into the metadata of the user, unless that would become too large.
pub(super) fn copy_metadata(app: &App, user: &mut User, data: &Object) {
    let mut merged = user.user_metadata.clone();
    metadata::merge(&mut merged, data.clone());
    if bounds::check_user_metadata(app, &user.user_metadata, &merged).is_ok() {
        user.user_metadata = merged;
    }
}
