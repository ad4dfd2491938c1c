//! `PUT /user`: users change their own account.

use http::StatusCode;
use innkeeper_service::database::Executor;
use schemars::JsonSchema;
use serde::Deserialize;

use super::account::reload;
use super::password_change::{self, NewPassword};
use super::phone_change::{self, RequestedPhone};
use super::{
    Object, User, bounds, conflict, email_change, metadata, nonce, notify, verified_contact,
};
use crate::app::App;
use crate::app::audit::AuditAction;
use crate::base::client::ClientInfo;
use crate::base::contact::{Email, Phone};
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::base::input::non_empty;
use crate::config::Profile;
use crate::flow::caller::Caller;
use crate::flow::one_time::pkce::CodeChallenge;
use crate::flow::one_time::send::PendingMails;
use crate::flow::one_time::send_sms::{self, PreparedSms};
use crate::flow::response_timer::ResponseTimer;
use crate::store;

/// The changes that a user requests.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "UserChange")]
pub(crate) struct UserChange {
    #[schemars(example = "ada@example.com")]
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
    /// The channel of the code for the phone number: `sms` or `whatsapp`.
    pub(crate) channel: Option<String>,
    #[schemars(example = "correct horse battery staple")]
    pub(crate) password: Option<String>,
    pub(crate) current_password: Option<String>,
    pub(crate) nonce: Option<String>,
    pub(crate) data: Option<Object>,
    pub(crate) app_metadata: Option<Object>,
    pub(crate) code_challenge: Option<String>,
    pub(crate) code_challenge_method: Option<String>,
}

/// The changes, after the checks.
struct CheckedChange {
    data: Option<Object>,
    password: Option<NewPassword>,
    new_email: Option<Email>,
    challenge: Option<CodeChallenge>,
    new_phone: Option<RequestedPhone>,
}

/// Changes the caller's account.
pub(crate) async fn change(
    app: &App,
    caller: &Caller,
    change: UserChange,
    client: &ClientInfo,
) -> Result<User> {
    let challenge = CodeChallenge::parse_pair(
        change.code_challenge.as_deref(),
        change.code_challenge_method.as_deref(),
    )?;
    check_allowed(caller, &change)?;
    let new_email = new_email(&caller.user, &change)?;
    let new_phone = new_phone(app, &caller.user, &change)?;
    let password = match &change.password {
        Some(new) => {
            Some(password_change::check_and_hash(app, caller, &change, new, client).await?)
        }
        None => None,
    };
    let checked = CheckedChange {
        data: change.data,
        password,
        new_email,
        challenge,
        new_phone,
    };
    let by_mail = checked.new_email.is_some() && !is_applied_at_once(app, &caller.user);
    let by_sms = checked.new_phone.is_some() && !app.config.sms.autoconfirm;
    if !by_mail && !by_sms {
        return apply(app, caller, &checked, None, client).await;
    }
    let timer = (app.config.profile == Profile::Std).then(ResponseTimer::start);
    let done = apply_with_messages(app, caller, &checked, client).await;
    match timer {
        Some(timer) if by_sms => send_sms::wait_for_slot(app, timer).await,
        Some(timer) => timer.wait().await,
        None => {}
    }
    done
}

/// Applies changes with a new email address or phone number, within the limits of messages.
async fn apply_with_messages(
    app: &App,
    caller: &Caller,
    change: &CheckedChange,
    client: &ClientInfo,
) -> Result<User> {
    let user = &caller.user;
    let at_once = is_applied_at_once(app, user);
    let email = change.new_email.as_ref().filter(|_| !at_once);
    let phone = change.new_phone.as_ref();
    let phone = phone.filter(|_| !app.config.sms.autoconfirm);
    if let Some(email) = email {
        email_change::claim_mail(app, user, email).await?;
    }
    let work = async {
        let Some(requested) = phone else {
            return apply(app, caller, change, None, client).await;
        };
        phone_change::claim_sms(app, user, &requested.phone).await?;
        let work = async {
            let sms = phone_change::prepare(app, user, requested, client).await?;
            apply(app, caller, change, sms.as_ref(), client).await
        };
        let done = Box::pin(work).await;
        if done.is_err() {
            phone_change::release_sms(app, user, &requested.phone).await;
        }
        done
    };
    let done = Box::pin(work).await;
    if let (Some(email), true) = (email, done.is_err()) {
        email_change::release_mail(app, user, email).await;
    }
    done
}

/// Applies the changes in one transaction.
async fn apply(
    app: &App,
    caller: &Caller,
    change: &CheckedChange,
    sms: Option<&PreparedSms>,
    client: &ClientInfo,
) -> Result<User> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = store::users::lock_by_id(&tx, caller.user.id).await?;
    let mut user = user.ok_or_else(user_not_found)?;
    let mut pending = PendingMails::default();
    if let Some(password) = &change.password {
        if let Some(nonce) = &password.nonce
            && let Err(error) = nonce::spend(app, &tx, &user, nonce).await?
        {
            // The guess must stay counted.
            tx.commit().await?;
            return Err(error);
        }
        password_change::set_password(app, &tx, caller, &password.hash, client).await?;
        password_change::add_email_identity(app, &tx, &mut user).await?;
    }
    if let Some(data) = &change.data {
        let stored = user.user_metadata.clone();
        metadata::merge(&mut user.user_metadata, data.clone());
        bounds::check_user_metadata(app, &stored, &user.user_metadata)?;
        store::users::set_metadata(&tx, &user, app.clock.now()).await?;
    }
    if let Some(email) = &change.new_email
        && is_applied_at_once(app, &caller.user)
    {
        set_first_email(app, &tx, &user, email).await?;
    } else if let Some(email) = &change.new_email {
        let challenge = change.challenge.as_ref();
        pending = email_change::start(app, &tx, &user, email, challenge, client).await?;
    }
    if let Some(requested) = &change.new_phone {
        set_phone(app, &tx, &user, requested, sms).await?;
    }
    app.audit(&tx, AuditAction::UserModified, &user, client)
        .await?;
    let old_phone = user.phone;
    let user = reload(&tx, user.id).await?;
    if change.password.is_some() {
        notify::password_changed(app, &tx, &user, client).await?;
    }
    if user.phone != old_phone {
        notify::phone_changed(app, &tx, &user, &old_phone, client).await?;
    }
    tx.commit().await?;
    drop(conn);
    app.sms.wake();
    pending.send(app).await?;
    Ok(user)
}

/// Changes the phone number, or starts the change that its code confirms.
async fn set_phone(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    requested: &RequestedPhone,
    sms: Option<&PreparedSms>,
) -> Result<()> {
    if app.config.sms.autoconfirm {
        return phone_change::apply_at_once(app, tx, user, &requested.phone).await;
    }
    phone_change::start(app, tx, user.id, &requested.phone, sms).await
}

/// Whether a new email address counts as confirmed at once. An anonymous user who gets one has as good as signed up;
/// all others have an address to lose.
fn is_applied_at_once(app: &App, user: &User) -> bool {
    user.is_anonymous && app.config.mailer.autoconfirm
}

/// Makes an anonymous user permanent.
async fn set_first_email(app: &App, tx: &dyn Executor, user: &User, email: &Email) -> Result<()> {
    if !user.is_anonymous {
        // Another request was faster.
        return Err(AuthError::Busy);
    }
    if store::users::is_email_taken(tx, email.as_str(), user.id).await? {
        return Err(conflict::email_exists());
    }
    verified_contact::set_email(app, tx, user.id, email.as_str()).await
}

/// Parses the new email address, if it differs from the current one.
fn new_email(user: &User, change: &UserChange) -> Result<Option<Email>> {
    let Some(text) = change.email.as_deref().filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let email = Email::parse(text)?;
    let is_new = !email.as_str().eq_ignore_ascii_case(&user.email);
    Ok(is_new.then_some(email))
}

/// Parses the new phone number, if it differs from the current one.
fn new_phone(app: &App, user: &User, change: &UserChange) -> Result<Option<RequestedPhone>> {
    let Some(text) = change.phone.as_deref().filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let phone = Phone::parse(text)?;
    if phone.as_str() == user.phone {
        return Ok(None);
    }
    if !app.config.external.phone_enabled {
        return Err(AuthError::refused(
            ErrorCode::PhoneProviderDisabled,
            "Phone changes are disabled",
        ));
    }
    let channel = send_sms::parse_channel(app, non_empty(change.channel.as_deref()))?;
    Ok(Some(RequestedPhone { phone, channel }))
}

/// Refuses changes that this user may not make, whatever the values.
fn check_allowed(caller: &Caller, change: &UserChange) -> Result<()> {
    let user = &caller.user;
    if change.app_metadata.is_some() {
        return Err(AuthError::refused(
            ErrorCode::NotAdmin,
            "Updating app_metadata requires admin privileges",
        ));
    }
    let changes_credentials =
        change.email.is_some() || change.phone.is_some() || change.password.is_some();
    if changes_credentials && caller.lacks_second_factor() {
        return Err(AuthError::refused(
            ErrorCode::InsufficientAal,
            "AAL2 session is required to update email or password when MFA is enabled.",
        ));
    }
    if user.is_sso_user && (changes_credentials || change.nonce.is_some()) {
        return Err(AuthError::refused(
            ErrorCode::UserSsoManaged,
            "Updating email, phone, password of a SSO account only possible via SSO",
        ));
    }
    let adds_identifier = change.email.is_some() || change.phone.is_some();
    if user.is_anonymous && change.password.is_some() && !adds_identifier {
        return Err(AuthError::Unprocessable(
            "Updating password of an anonymous user without an email or phone is not allowed"
                .into(),
        ));
    }
    Ok(())
}

fn user_not_found() -> AuthError {
    AuthError::refused_as(
        StatusCode::FORBIDDEN,
        ErrorCode::UserNotFound,
        "User from sub claim in JWT does not exist",
    )
}
