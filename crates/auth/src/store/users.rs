//! `users`: the accounts.

use innkeeper_auth_queries::queries::users as queries;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::model::{Object, SessionRecord, User};

/// Finds the user with this id.
pub(crate) async fn find_by_id(conn: &impl GenericClient, id: Uuid) -> Result<Option<User>> {
    Ok(queries::find_by_id()
        .bind(conn, &id)
        .map(User::from_row)
        .opt()
        .await?)
}

/// Finds the user with this id, and locks the row until the transaction ends.
pub(crate) async fn lock_by_id(conn: &impl GenericClient, id: Uuid) -> Result<Option<User>> {
    Ok(queries::lock_by_id()
        .bind(conn, &id)
        .map(User::from_row)
        .opt()
        .await?)
}

/// Finds the user with this email address in this audience.
pub(crate) async fn find_by_email(
    conn: &impl GenericClient,
    aud: &str,
    email: &str,
) -> Result<Option<User>> {
    Ok(queries::find_by_email()
        .bind(conn, &email, &aud)
        .map(User::from_row)
        .opt()
        .await?)
}

/// Does the same as [`find_by_email`], and locks the row until the transaction ends.
pub(crate) async fn lock_by_email(
    conn: &impl GenericClient,
    aud: &str,
    email: &str,
) -> Result<Option<User>> {
    Ok(queries::lock_by_email()
        .bind(conn, &email, &aud)
        .map(User::from_row)
        .opt()
        .await?)
}

/// Finds the user with this email address in any audience.
pub(crate) async fn find_holder(conn: &impl GenericClient, email: &str) -> Result<Option<User>> {
    match queries::find_holder().bind(conn, &email).opt().await? {
        Some(id) => find_by_id(conn, id).await,
        None => Ok(None),
    }
}

/// Does the same as [`find_holder`], and locks the row until the transaction ends.
pub(crate) async fn lock_holder(conn: &impl GenericClient, email: &str) -> Result<Option<User>> {
    match queries::find_holder().bind(conn, &email).opt().await? {
        Some(id) => lock_by_id(conn, id).await,
        None => Ok(None),
    }
}

/// Finds the user with this phone number in this audience.
pub(crate) async fn find_by_phone(
    conn: &impl GenericClient,
    aud: &str,
    phone: &str,
) -> Result<Option<User>> {
    Ok(queries::find_by_phone()
        .bind(conn, &phone, &aud)
        .map(User::from_row)
        .opt()
        .await?)
}

/// Finds the user with an unfinished change to this email address, and locks the row until the
/// transaction ends.
pub(crate) async fn lock_by_pending_email(
    conn: &impl GenericClient,
    aud: &str,
    email: &str,
) -> Result<Option<User>> {
    Ok(queries::lock_by_pending_email()
        .bind(conn, &email, &aud)
        .map(User::from_row)
        .opt()
        .await?)
}

/// Finds the user of a bearer token, with the session of the token if it still exists.
pub(crate) async fn find_caller(
    conn: &impl GenericClient,
    id: Uuid,
    session_id: Uuid,
) -> Result<Option<(User, Option<SessionRecord>)>> {
    Ok(queries::caller()
        .bind(conn, &session_id, &id)
        .map(with_session)
        .opt()
        .await?)
}

/// Finds the user of a session, with the session.
pub(crate) async fn find_by_session(
    conn: &impl GenericClient,
    session_id: Uuid,
) -> Result<Option<(User, Option<SessionRecord>)>> {
    Ok(queries::find_by_session()
        .bind(conn, &session_id)
        .map(with_session)
        .opt()
        .await?)
}

/// Finds everybody whom an identity of an external provider may belong to: who has it, and who has one of its
/// addresses.
pub(crate) async fn find_of_provider(
    conn: &impl GenericClient,
    provider: &str,
    subject: &str,
    emails: &[&str],
) -> Result<Vec<User>> {
    Ok(queries::find_of_provider()
        .bind(conn, &subject, &provider, &emails)
        .map(User::from_row)
        .all()
        .await?)
}

/// A PKCE flow whose code was issued.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct IssuedCode {
    pub(crate) id: Uuid,
    pub(crate) code_challenge: Option<String>,
    pub(crate) code_challenge_method: Option<String>,
    pub(crate) authentication_method: String,
    pub(crate) provider: String,
    pub(crate) provider_token: Option<String>,
    pub(crate) provider_refresh_token: Option<String>,
    pub(crate) issued_at: Option<Timestamp>,
}

/// Finds the user of a PKCE code, with its flow. This server stores codes hashed, GoTrue stores them in plain text.
pub(crate) async fn find_by_code(
    conn: &impl GenericClient,
    code_hash: &str,
    gotrue_code: &str,
) -> Result<Option<(User, IssuedCode)>> {
    let found = queries::find_by_code()
        .bind(conn, &code_hash, &gotrue_code)
        .map(|row| {
            let flow = row.session.as_ref().map(|json| json.0.get());
            let flow = flow.and_then(|json| serde_json::from_str(json).ok());
            Some((User::from_row(row), flow?))
        })
        .opt()
        .await?;
    Ok(found.flatten())
}

fn with_session(row: queries::UserRowBorrowed<'_>) -> (User, Option<SessionRecord>) {
    let session = row.session.as_ref().map(|json| json.0.get());
    let session = session.and_then(|json| serde_json::from_str(json).ok());
    (User::from_row(row), session)
}

/// A user to be added.
#[derive(Debug, Default)]
pub(crate) struct NewUser {
    pub(crate) id: Uuid,
    pub(crate) aud: String,
    pub(crate) role: String,
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
    pub(crate) encrypted_password: Option<String>,
    pub(crate) email_confirmed_at: Option<Timestamp>,
    pub(crate) phone_confirmed_at: Option<Timestamp>,
    pub(crate) invited_at: Option<Timestamp>,
    pub(crate) app_metadata: Object,
    pub(crate) user_metadata: Object,
    pub(crate) is_anonymous: bool,
    /// Whether others can have the same email address.
    pub(crate) is_sso_user: bool,
}

/// Adds a user.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    user: &NewUser,
    now: Timestamp,
) -> Result<()> {
    let app_metadata = Value::Object(user.app_metadata.clone());
    let user_metadata = Value::Object(user.user_metadata.clone());
    queries::insert_user()
        .bind(
            conn,
            &user.id,
            &user.aud,
            &user.role,
            &user.email,
            &user.phone,
            &user.encrypted_password,
            &user.email_confirmed_at,
            &user.phone_confirmed_at,
            &user.invited_at,
            &app_metadata,
            &user_metadata,
            &now,
            &user.is_anonymous,
            &user.is_sso_user,
        )
        .one()
        .await?;
    Ok(())
}

/// Returns whether another user has this email address.
pub(crate) async fn is_email_taken(
    conn: &impl GenericClient,
    email: &str,
    except: Uuid,
) -> Result<bool> {
    let taken = queries::is_email_taken()
        .bind(conn, &email, &except)
        .one()
        .await?;
    Ok(taken)
}

/// Returns whether another user has this phone number.
pub(crate) async fn is_phone_taken(
    conn: &impl GenericClient,
    phone: &str,
    except: Uuid,
) -> Result<bool> {
    let taken = queries::is_phone_taken()
        .bind(conn, &phone, &except)
        .one()
        .await?;
    Ok(taken)
}

/// Sets or removes the password hash.
pub(crate) async fn set_password(
    conn: &impl GenericClient,
    id: Uuid,
    hash: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    queries::set_password().bind(conn, &hash, &now, &id).await?;
    Ok(())
}

/// The values of a repeated sign-up with an unconfirmed address.
#[derive(Debug)]
pub(crate) struct RepeatedSignup<'a> {
    pub(crate) encrypted_password: Option<&'a str>,
    pub(crate) app_metadata: Object,
    pub(crate) user_metadata: Object,
}

/// Overwrites an unconfirmed user with the values of a new sign-up with the same address.
pub(crate) async fn overwrite_unconfirmed(
    conn: &impl GenericClient,
    id: Uuid,
    signup: RepeatedSignup<'_>,
    now: Timestamp,
) -> Result<()> {
    queries::start_over()
        .bind(
            conn,
            &signup.encrypted_password,
            &Value::Object(signup.app_metadata),
            &Value::Object(signup.user_metadata),
            &now,
            &id,
        )
        .await?;
    Ok(())
}

/// Replaces a password hash with a stronger one of the same password, unless the password was changed
/// since.
pub(crate) async fn upgrade_password(
    conn: &impl GenericClient,
    id: Uuid,
    old_hash: &str,
    new_hash: &str,
) -> Result<()> {
    queries::upgrade_password()
        .bind(conn, &new_hash, &id, &old_hash)
        .await?;
    Ok(())
}

/// Removes the password and the pending email address, which may have been set by somebody who does not
/// own the user's address.
pub(crate) async fn remove_unproven_credentials(
    conn: &impl GenericClient,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    queries::take_back().bind(conn, &now, &id).await?;
    Ok(())
}

/// Adds the providers to the application's metadata, if it has none.
pub(crate) async fn add_providers(
    conn: &impl GenericClient,
    id: Uuid,
    providers: &Object,
) -> Result<()> {
    let providers = Value::Object(providers.clone());
    queries::add_providers().bind(conn, &providers, &id).await?;
    Ok(())
}

/// Sets the metadata of the application and of the user.
pub(crate) async fn set_metadata(
    conn: &impl GenericClient,
    user: &User,
    now: Timestamp,
) -> Result<()> {
    let app_metadata = Value::Object(user.app_metadata.clone());
    let user_metadata = Value::Object(user.user_metadata.clone());
    queries::set_metadata()
        .bind(conn, &app_metadata, &user_metadata, &now, &user.id)
        .await?;
    Ok(())
}

/// Confirms the email address.
pub(crate) async fn confirm_email(
    conn: &impl GenericClient,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    queries::confirm_email().bind(conn, &now, &id).await?;
    Ok(())
}

/// Confirms the phone number.
pub(crate) async fn confirm_phone(
    conn: &impl GenericClient,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    queries::confirm_phone().bind(conn, &now, &id).await?;
    Ok(())
}

/// Records the time of an invitation.
pub(crate) async fn set_invited(conn: &impl GenericClient, id: Uuid, now: Timestamp) -> Result<()> {
    queries::set_invited().bind(conn, &now, &id).await?;
    Ok(())
}

/// Starts the change to a new email address.
pub(crate) async fn start_email_change(
    conn: &impl GenericClient,
    id: Uuid,
    new_email: &str,
    now: Timestamp,
) -> Result<()> {
    queries::start_email_change()
        .bind(conn, &new_email, &now, &id)
        .await?;
    Ok(())
}

/// Records that one of the two addresses has confirmed the change.
pub(crate) async fn confirm_half_of_email_change(
    conn: &impl GenericClient,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    queries::confirm_half_of_email_change()
        .bind(conn, &now, &id)
        .await?;
    Ok(())
}

/// Finishes the change to the new email address.
pub(crate) async fn finish_email_change(
    conn: &impl GenericClient,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    queries::finish_email_change().bind(conn, &now, &id).await?;
    Ok(())
}

pub(crate) async fn set_email(
    conn: &impl GenericClient,
    id: Uuid,
    email: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    queries::set_email().bind(conn, &email, &now, &id).await?;
    Ok(())
}

/// Gives the user another email address, or none.
pub(crate) async fn replace_email(
    conn: &impl GenericClient,
    id: Uuid,
    email: Option<&str>,
    confirmed_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    queries::replace_email()
        .bind(conn, &email, &confirmed_at, &now, &id)
        .await?;
    Ok(())
}

/// Removes the phone number.
pub(crate) async fn remove_phone(
    conn: &impl GenericClient,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    queries::remove_phone().bind(conn, &now, &id).await?;
    Ok(())
}

pub(crate) async fn set_phone(
    conn: &impl GenericClient,
    id: Uuid,
    phone: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    queries::set_phone().bind(conn, &phone, &now, &id).await?;
    Ok(())
}

pub(crate) async fn set_role(
    conn: &impl GenericClient,
    id: Uuid,
    role: &str,
    now: Timestamp,
) -> Result<()> {
    queries::set_role().bind(conn, &role, &now, &id).await?;
    Ok(())
}

pub(crate) async fn set_audience(
    conn: &impl GenericClient,
    id: Uuid,
    aud: &str,
    now: Timestamp,
) -> Result<()> {
    queries::set_audience().bind(conn, &aud, &now, &id).await?;
    Ok(())
}

/// Bans the user until a time, or lifts the ban.
pub(crate) async fn set_banned_until(
    conn: &impl GenericClient,
    id: Uuid,
    until: Option<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    queries::set_banned_until()
        .bind(conn, &until, &now, &id)
        .await?;
    Ok(())
}

/// Deletes the user and all rows that belong to it.
pub(crate) async fn delete(conn: &impl GenericClient, id: Uuid) -> Result<()> {
    queries::delete_user().bind(conn, &id).await?;
    Ok(())
}

/// The hashed contacts that a soft-deleted user keeps.
#[derive(Debug)]
pub(crate) struct AnonymisedContacts {
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
    pub(crate) email_change: String,
    pub(crate) phone_change: String,
}

/// Marks the user as deleted and removes or replaces all personal data.
pub(crate) async fn soft_delete(
    conn: &impl GenericClient,
    id: Uuid,
    contacts: &AnonymisedContacts,
    now: Timestamp,
) -> Result<()> {
    queries::soft_delete()
        .bind(
            conn,
            &contacts.email,
            &contacts.phone,
            &contacts.email_change,
            &contacts.phone_change,
            &now,
            &id,
        )
        .await?;
    Ok(())
}

/// Deletes the second factors of a user.
pub(crate) async fn delete_factors(conn: &impl GenericClient, id: Uuid) -> Result<()> {
    queries::delete_factors().bind(conn, &id).await?;
    Ok(())
}

/// Returns the password hashes of up to a thousand users, as they are stored.
pub(crate) async fn sample_hashes(conn: &impl GenericClient) -> Result<Vec<(Uuid, String)>> {
    let rows = queries::sample_hashes().bind(conn).all().await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.id, row.encrypted_password))
        .collect())
}
