//! `users`: accounts.

use innkeeper_auth_queries::queries::users as queries;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::session::SessionRecord;
use crate::user::{Object, User};

/// The account with this id.
pub(crate) async fn find_by_id(conn: &impl GenericClient, id: Uuid) -> Result<Option<User>> {
    Ok(queries::find_by_id()
        .bind(conn, &id)
        .map(User::of)
        .opt()
        .await?)
}

/// The account with this id; nobody else changes it until the transaction ends.
pub(crate) async fn lock_by_id(conn: &impl GenericClient, id: Uuid) -> Result<Option<User>> {
    Ok(queries::lock_by_id()
        .bind(conn, &id)
        .map(User::of)
        .opt()
        .await?)
}

/// The account with this address in this audience.
pub(crate) async fn find_by_email(
    conn: &impl GenericClient,
    aud: &str,
    email: &str,
) -> Result<Option<User>> {
    Ok(queries::find_by_email()
        .bind(conn, &email, &aud)
        .map(User::of)
        .opt()
        .await?)
}

/// As [`find_by_email`], and nobody else changes it until the transaction ends.
pub(crate) async fn lock_by_email(
    conn: &impl GenericClient,
    aud: &str,
    email: &str,
) -> Result<Option<User>> {
    Ok(queries::lock_by_email()
        .bind(conn, &email, &aud)
        .map(User::of)
        .opt()
        .await?)
}

/// The account with this number in this audience.
pub(crate) async fn find_by_phone(
    conn: &impl GenericClient,
    aud: &str,
    phone: &str,
) -> Result<Option<User>> {
    Ok(queries::find_by_phone()
        .bind(conn, &phone, &aud)
        .map(User::of)
        .opt()
        .await?)
}

/// The account that wants to move to this address.
pub(crate) async fn lock_by_pending_email(
    conn: &impl GenericClient,
    aud: &str,
    email: &str,
) -> Result<Option<User>> {
    Ok(queries::lock_by_pending_email()
        .bind(conn, &email, &aud)
        .map(User::of)
        .opt()
        .await?)
}

/// The account a bearer token speaks for, with its session if that still lives.
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

/// The account that a session belongs to, with the session.
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

fn with_session(row: queries::UserRowBorrowed<'_>) -> (User, Option<SessionRecord>) {
    let session = row.session.as_ref().map(|json| json.0.get());
    let session = session.and_then(|json| serde_json::from_str(json).ok());
    (User::of(row), session)
}

/// What a new account starts with.
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
}

/// Adds an account.
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
        )
        .one()
        .await?;
    Ok(())
}

/// Whether another account has this address.
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

/// Whether another account has this number.
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

/// Sets the hash of the password, or takes it away.
pub(crate) async fn set_password(
    conn: &impl GenericClient,
    id: Uuid,
    hash: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    queries::set_password().bind(conn, &hash, &now, &id).await?;
    Ok(())
}

/// What an account starts over with.
#[derive(Debug)]
pub(crate) struct Restart<'a> {
    pub(crate) encrypted_password: &'a str,
    pub(crate) app_metadata: Object,
    pub(crate) user_metadata: Object,
}

/// Gives an account that nobody has confirmed to whoever signs up with its address now.
pub(crate) async fn start_over(
    conn: &impl GenericClient,
    id: Uuid,
    restart: Restart<'_>,
    now: Timestamp,
) -> Result<()> {
    queries::start_over()
        .bind(
            conn,
            &restart.encrypted_password,
            &Value::Object(restart.app_metadata),
            &Value::Object(restart.user_metadata),
            &now,
            &id,
        )
        .await?;
    Ok(())
}

/// Replaces a hash by a stronger one of the same password.
pub(crate) async fn upgrade_password(
    conn: &impl GenericClient,
    id: Uuid,
    former: &str,
    hash: &str,
) -> Result<()> {
    queries::upgrade_password()
        .bind(conn, &hash, &id, &former)
        .await?;
    Ok(())
}

/// Takes back what somebody set who may not own the address: the password and the next address.
pub(crate) async fn take_back(conn: &impl GenericClient, id: Uuid, now: Timestamp) -> Result<()> {
    queries::take_back().bind(conn, &now, &id).await?;
    Ok(())
}

/// Adds the ways to sign in to the application's metadata, if it has none.
pub(crate) async fn add_providers(
    conn: &impl GenericClient,
    id: Uuid,
    providers: &Object,
) -> Result<()> {
    let providers = Value::Object(providers.clone());
    queries::add_providers().bind(conn, &providers, &id).await?;
    Ok(())
}

/// Sets both kinds of metadata.
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

/// Confirms the address.
pub(crate) async fn confirm_email(
    conn: &impl GenericClient,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    queries::confirm_email().bind(conn, &now, &id).await?;
    Ok(())
}

/// Confirms the number.
pub(crate) async fn confirm_phone(
    conn: &impl GenericClient,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    queries::confirm_phone().bind(conn, &now, &id).await?;
    Ok(())
}

/// Notes that the account was invited.
pub(crate) async fn set_invited(conn: &impl GenericClient, id: Uuid, now: Timestamp) -> Result<()> {
    queries::set_invited().bind(conn, &now, &id).await?;
    Ok(())
}

/// Notes the address the account wants to move to.
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

/// One of the two addresses has agreed to the change.
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

/// Moves the account to its new address.
pub(crate) async fn finish_email_change(
    conn: &impl GenericClient,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    queries::finish_email_change().bind(conn, &now, &id).await?;
    Ok(())
}

/// Sets the address.
pub(crate) async fn set_email(
    conn: &impl GenericClient,
    id: Uuid,
    email: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    queries::set_email().bind(conn, &email, &now, &id).await?;
    Ok(())
}

/// Sets the number.
pub(crate) async fn set_phone(
    conn: &impl GenericClient,
    id: Uuid,
    phone: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    queries::set_phone().bind(conn, &phone, &now, &id).await?;
    Ok(())
}

/// Sets the role.
pub(crate) async fn set_role(
    conn: &impl GenericClient,
    id: Uuid,
    role: &str,
    now: Timestamp,
) -> Result<()> {
    queries::set_role().bind(conn, &role, &now, &id).await?;
    Ok(())
}

/// Sets the audience.
pub(crate) async fn set_audience(
    conn: &impl GenericClient,
    id: Uuid,
    aud: &str,
    now: Timestamp,
) -> Result<()> {
    queries::set_audience().bind(conn, &aud, &now, &id).await?;
    Ok(())
}

/// Bans the account until then, or lifts a ban.
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

/// Deletes the account and all that belongs to it.
pub(crate) async fn delete(conn: &impl GenericClient, id: Uuid) -> Result<()> {
    queries::delete_user().bind(conn, &id).await?;
    Ok(())
}

/// What stands in an account that was deleted softly.
#[derive(Debug)]
pub(crate) struct Remains {
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
    pub(crate) email_change: String,
    pub(crate) phone_change: String,
}

/// Takes away everything that says who the account was.
pub(crate) async fn soft_delete(
    conn: &impl GenericClient,
    id: Uuid,
    remains: &Remains,
    now: Timestamp,
) -> Result<()> {
    queries::soft_delete()
        .bind(
            conn,
            &remains.email,
            &remains.phone,
            &remains.email_change,
            &remains.phone_change,
            &now,
            &id,
        )
        .await?;
    Ok(())
}

/// Deletes the second factors of an account.
pub(crate) async fn delete_factors(conn: &impl GenericClient, id: Uuid) -> Result<()> {
    queries::delete_factors().bind(conn, &id).await?;
    Ok(())
}

/// A password hash of the kind that most users have, and whose it is.
pub(crate) async fn sample_hash(conn: &impl GenericClient) -> Result<Option<(Uuid, String)>> {
    let row = queries::sample_hash().bind(conn).opt().await?;
    Ok(row.map(|row| (row.id, row.encrypted_password)))
}
