//! `users`: the accounts.

mod row;

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use tokio_postgres::types::Json;
use uuid::Uuid;

use self::row::UserWith;
use super::Result;
use crate::model::{Object, SessionRecord, User};

/// Users with their identities and second factors.
pub(super) const USERS: &str = concat!(
    include_str!("users/columns.sql"),
    include_str!("users/identities_and_factors.sql"),
    "null::jsonb as session from users u",
);

/// The same with a session.
const USERS_WITH_SESSION: &str = concat!(
    include_str!("users/columns.sql"),
    include_str!("users/identities_and_factors.sql"),
    include_str!("users/session.sql"),
    "from users u",
);

/// Whether a user has this address, in any spelling. Applications store addresses in mixed case, and users without an
/// instance. The unique index finds the address as it was typed, `(instance_id, lower(email))` finds other spellings.
const HAS_EMAIL: &str = "(u.email = :email
  or (lower(u.email) = :email
      and (u.instance_id = '00000000-0000-0000-0000-000000000000' or u.instance_id is null)))";

/// Of several users with an address, the one with the exact spelling, then the oldest.
const FIRST_WITH_EMAIL: &str = "order by u.email = :email desc, u.created_at, u.id limit 1";

/// Whether a user belongs to this audience. Applications store users without one.
pub(super) const IN_AUDIENCE: &str = "and (u.aud = :aud or u.aud is null) and not u.is_sso_user";

statements! {
    /// Finds the user with this id.
    pub(crate) async fn find_by_id(id: Uuid) -> Option<User> {
        USERS, "where u.id = :id"
    }

    /// Finds the user with this id, and locks the row until the transaction ends.
    pub(crate) async fn lock_by_id(id: Uuid) -> Option<User> {
        USERS, "where u.id = :id for update of u"
    }

    /// Finds the user with this email address in this audience.
    pub(crate) async fn find_by_email(aud: &str, email: &str) -> Option<User> {
        USERS, "where", HAS_EMAIL, IN_AUDIENCE, FIRST_WITH_EMAIL
    }

    /// Does the same as [`find_by_email`], and locks the row until the transaction ends.
    pub(crate) async fn lock_by_email(aud: &str, email: &str) -> Option<User> {
        USERS, "where", HAS_EMAIL, IN_AUDIENCE, FIRST_WITH_EMAIL, "for update of u"
    }

    /// Finds the user with this email address in any audience. The address of an SSO user is not theirs alone.
    async fn find_holder_id(email: &str) -> Option<Uuid> {
        "select u.id from users u where", HAS_EMAIL,
        "and not u.is_sso_user and u.deleted_at is null", FIRST_WITH_EMAIL
    }

    /// Finds the user with this phone number in this audience.
    pub(crate) async fn find_by_phone(aud: &str, phone: &str) -> Option<User> {
        USERS, "where u.phone = :phone", IN_AUDIENCE
    }

    /// Finds the user with an unfinished change to this email address, and locks the row until the
    /// transaction ends.
    pub(crate) async fn lock_by_pending_email(aud: &str, email: &str) -> Option<User> {
        USERS, "where u.email_change = :email", IN_AUDIENCE,
        "and u.deleted_at is null
         order by u.email_change_sent_at desc nulls last
         limit 1
           for update of u"
    }

    /// Finds everybody whom an identity of an external provider may belong to: who has it, and who has one of its
    /// addresses, as their own or in another identity.
    pub(crate) async fn find_of_provider(provider: &str, subject: &str, emails: &[&str]) -> Vec<User> {
        USERS, include_str!("users/of_provider.sql")
    }

    async fn with_session(id: Uuid, session_id: Uuid) -> Option<UserWith<SessionRecord>> {
        USERS_WITH_SESSION, "where u.id = :id"
    }

    async fn by_session(session_id: Uuid) -> Option<UserWith<SessionRecord>> {
        USERS_WITH_SESSION, "where u.id = (select o.user_id from sessions o where o.id = :session_id)"
    }

    async fn by_code(code_hash: &str, gotrue_code: &str) -> Option<UserWith<IssuedCode>> {
        include_str!("users/columns.sql"),
        include_str!("users/identities_and_factors.sql"),
        include_str!("users/by_code.sql")
    }

    /// Returns whether another user has this email address, in any spelling.
    pub(crate) async fn is_email_taken(email: &str, except: Uuid) -> bool {
        "select exists (select 1 from users u where", HAS_EMAIL, "and not u.is_sso_user and u.id <> :except)"
    }

    /// Returns whether another user has this phone number.
    pub(crate) async fn is_phone_taken(phone: &str, except: Uuid) -> bool {
        "select exists (select 1 from users u where u.phone = :phone and u.id <> :except)"
    }

    /// Adds a user.
    pub(crate) async fn insert(user: &NewUser, now: Timestamp)
    where {
        id: Uuid = user.id,
        aud: &str = &user.aud,
        role: &str = &user.role,
        email: Option<&str> = user.email.as_deref(),
        phone: Option<&str> = user.phone.as_deref(),
        encrypted_password: Option<&str> = user.encrypted_password.as_deref(),
        email_confirmed_at: Option<Timestamp> = user.email_confirmed_at,
        phone_confirmed_at: Option<Timestamp> = user.phone_confirmed_at,
        invited_at: Option<Timestamp> = user.invited_at,
        app_metadata: Json<&Object> = Json(&user.app_metadata),
        user_metadata: Json<&Object> = Json(&user.user_metadata),
        now: Timestamp,
        is_anonymous: bool = user.is_anonymous,
        is_sso_user: bool = user.is_sso_user,
    }
    {
        "insert into users
                (instance_id, id, aud, role, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at,
                 invited_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, is_anonymous,
                 is_sso_user, confirmation_token, recovery_token, email_change_token_new, email_change,
                 email_change_token_current, phone_change, phone_change_token, reauthentication_token)
         values ('00000000-0000-0000-0000-000000000000', :id, :aud, :role, :email, :phone, :encrypted_password,
                 :email_confirmed_at, :phone_confirmed_at, :invited_at, :app_metadata, :user_metadata, :now, :now,
                 :is_anonymous, :is_sso_user,
                 '', '', '', '', '', '', '', '')"
    }

    /// Sets or removes the password hash.
    pub(crate) async fn set_password(id: Uuid, hash: Option<&str>, now: Timestamp) {
        "update users set encrypted_password = :hash, updated_at = :now where id = :id"
    }

    /// Overwrites an unconfirmed user with the values of a new sign-up with the same address.
    pub(crate) async fn overwrite_unconfirmed(id: Uuid, signup: RepeatedSignup<'_>, now: Timestamp)
    where {
        id: Uuid,
        encrypted_password: Option<&str> = signup.encrypted_password,
        app_metadata: Json<&Object> = Json(&signup.app_metadata),
        user_metadata: Json<&Object> = Json(&signup.user_metadata),
        now: Timestamp,
    }
    {
        "update users
            set encrypted_password = :encrypted_password,
                raw_app_meta_data = :app_metadata,
                raw_user_meta_data = :user_metadata,
                email_change = '',
                email_change_confirm_status = 0,
                phone_change = '',
                updated_at = :now
          where id = :id"
    }

    /// Replaces a password hash with a stronger one of the same password, unless the password was changed
    /// since.
    pub(crate) async fn upgrade_password(id: Uuid, old_hash: &str, new_hash: &str) {
        "update users set encrypted_password = :new_hash where id = :id and encrypted_password = :old_hash"
    }

    /// Removes the password and the pending email address and phone number, which may have been set by somebody who
    /// does not own the user's address.
    pub(crate) async fn remove_unproven_credentials(id: Uuid, now: Timestamp) {
        "update users
            set encrypted_password = null,
                email_change = '',
                email_change_confirm_status = 0,
                phone_change = '',
                updated_at = :now
          where id = :id"
    }

    /// Adds the providers to the application's metadata, if it has none. A value that applications wrote there may
    /// not be an object.
    pub(crate) async fn add_providers(id: Uuid, providers: &Object)
    where { id: Uuid, providers: Json<&Object> = Json(providers) }
    {
        "update users
            set raw_app_meta_data = case
                                      when jsonb_typeof(raw_app_meta_data) = 'object' then raw_app_meta_data
                                      else '{}'
                                    end || :providers
          where id = :id
            and raw_app_meta_data ->> 'provider' is null"
    }

    /// Sets the metadata of the application and of the user.
    pub(crate) async fn set_metadata(user: &User, now: Timestamp)
    where {
        id: Uuid = user.id,
        app_metadata: Json<&Object> = Json(&user.app_metadata),
        user_metadata: Json<&Object> = Json(&user.user_metadata),
        now: Timestamp,
    }
    {
        "update users
            set raw_app_meta_data = :app_metadata,
                raw_user_meta_data = :user_metadata,
                updated_at = :now
          where id = :id"
    }

    /// Confirms the email address, unless it is confirmed already.
    pub(crate) async fn confirm_email(id: Uuid, now: Timestamp) {
        "update users
            set email_confirmed_at = coalesce(email_confirmed_at, :now),
                is_anonymous = false,
                updated_at = :now
          where id = :id"
    }

    /// Confirms the phone number, unless it is confirmed already.
    pub(crate) async fn confirm_phone(id: Uuid, now: Timestamp) {
        "update users
            set phone_confirmed_at = coalesce(phone_confirmed_at, :now),
                is_anonymous = false,
                updated_at = :now
          where id = :id"
    }

    /// Records the time of an invitation.
    pub(crate) async fn set_invited(id: Uuid, now: Timestamp) {
        "update users set invited_at = :now, updated_at = :now where id = :id"
    }

    /// Starts the change to a new email address.
    pub(crate) async fn start_email_change(id: Uuid, new_email: &str, now: Timestamp) {
        "update users
            set email_change = :new_email,
                email_change_sent_at = :now,
                email_change_confirm_status = 0,
                updated_at = :now
          where id = :id"
    }

    /// Records that one of the two addresses has confirmed the change.
    pub(crate) async fn confirm_half_of_email_change(id: Uuid, now: Timestamp) {
        "update users set email_change_confirm_status = 1, updated_at = :now where id = :id"
    }

    /// Finishes the change to the new email address.
    pub(crate) async fn finish_email_change(id: Uuid, now: Timestamp) {
        "update users
            set email = email_change,
                email_change = '',
                email_change_confirm_status = 0,
                email_confirmed_at = coalesce(email_confirmed_at, :now),
                is_anonymous = false,
                updated_at = :now
          where id = :id"
    }

    pub(crate) async fn set_email(id: Uuid, email: Option<&str>, now: Timestamp) {
        "update users set email = :email, updated_at = :now where id = :id"
    }

    /// Gives the user another email address, such as that of an identity, or none.
    pub(crate) async fn replace_email(
        id: Uuid, email: Option<&str>, confirmed_at: Option<Timestamp>, now: Timestamp,
    ) {
        "update users set email = :email, email_confirmed_at = :confirmed_at, updated_at = :now where id = :id"
    }

    /// Removes the phone number.
    pub(crate) async fn remove_phone(id: Uuid, now: Timestamp) {
        "update users set phone = null, phone_confirmed_at = null, updated_at = :now where id = :id"
    }

    pub(crate) async fn set_phone(id: Uuid, phone: Option<&str>, now: Timestamp) {
        "update users set phone = :phone, updated_at = :now where id = :id"
    }

    pub(crate) async fn set_role(id: Uuid, role: &str, now: Timestamp) {
        "update users set role = :role, updated_at = :now where id = :id"
    }

    pub(crate) async fn set_audience(id: Uuid, aud: &str, now: Timestamp) {
        "update users set aud = :aud, updated_at = :now where id = :id"
    }

    /// Bans the user until a time, or lifts the ban.
    pub(crate) async fn set_banned_until(id: Uuid, until: Option<Timestamp>, now: Timestamp) {
        "update users set banned_until = :until, updated_at = :now where id = :id"
    }

    /// Deletes the user and all rows that belong to it.
    pub(crate) async fn delete(id: Uuid) {
        "delete from users where id = :id"
    }

    /// Marks the user as deleted and removes or replaces all personal data. The row stays, so that references to it
    /// stay valid.
    pub(crate) async fn soft_delete(id: Uuid, contacts: &AnonymisedContacts, now: Timestamp)
    where {
        id: Uuid,
        email: Option<&str> = contacts.email.as_deref(),
        phone: Option<&str> = contacts.phone.as_deref(),
        email_change: &str = &contacts.email_change,
        phone_change: &str = &contacts.phone_change,
        now: Timestamp,
    }
    { include_str!("users/soft_delete.sql") }

    /// Deletes the second factors of a user, and everything else that could open a session.
    pub(crate) async fn delete_factors(id: Uuid) {
        "with passkeys as (
                delete from webauthn_credentials where user_id = :id),
              flows as (
                delete from flow_state where user_id = :id),
              codes as (
                delete from innkeeper_recovery_codes where user_id = :id)
         delete from mfa_factors where user_id = :id"
    }

    async fn hashes() -> Vec<HashRow> {
        include_str!("users/sample_hashes.sql")
    }
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

/// The values of a repeated sign-up with an unconfirmed address.
#[derive(Debug)]
pub(crate) struct RepeatedSignup<'a> {
    pub(crate) encrypted_password: Option<&'a str>,
    pub(crate) app_metadata: Object,
    pub(crate) user_metadata: Object,
}

/// The hashed contacts that a soft-deleted user keeps.
#[derive(Debug)]
pub(crate) struct AnonymisedContacts {
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
    pub(crate) email_change: String,
    pub(crate) phone_change: String,
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

rows! {
    struct HashRow {
        id: Uuid,
        encrypted_password: String,
    }
}

/// Finds the user with this email address in any audience.
pub(crate) async fn find_holder(conn: &dyn Executor, email: &str) -> Result<Option<User>> {
    match find_holder_id(conn, email).await? {
        Some(id) => find_by_id(conn, id).await,
        None => Ok(None),
    }
}

/// Does the same as [`find_holder`], and locks the row until the transaction ends.
pub(crate) async fn lock_holder(conn: &dyn Executor, email: &str) -> Result<Option<User>> {
    match find_holder_id(conn, email).await? {
        Some(id) => lock_by_id(conn, id).await,
        None => Ok(None),
    }
}

/// Finds the user of a bearer token, with the session of the token if it still exists, in one round trip.
pub(crate) async fn find_caller(
    conn: &dyn Executor,
    id: Uuid,
    session_id: Uuid,
) -> Result<Option<(User, Option<SessionRecord>)>> {
    let found = with_session(conn, id, session_id).await?;
    Ok(found.map(|UserWith(user, session)| (user, session)))
}

/// Finds the user of a session, with the session: all data that a refresh needs, in one round trip.
pub(crate) async fn find_by_session(
    conn: &dyn Executor,
    session_id: Uuid,
) -> Result<Option<(User, Option<SessionRecord>)>> {
    let found = by_session(conn, session_id).await?;
    Ok(found.map(|UserWith(user, session)| (user, session)))
}

/// Finds the user of a PKCE code, with its flow, in one round trip. This server stores codes hashed, GoTrue stores
/// them in plain text.
pub(crate) async fn find_by_code(
    conn: &dyn Executor,
    code_hash: &str,
    gotrue_code: &str,
) -> Result<Option<(User, IssuedCode)>> {
    let found = by_code(conn, code_hash, gotrue_code).await?;
    Ok(found.and_then(|UserWith(user, flow)| Some((user, flow?))))
}

/// Returns the password hashes of up to a thousand users, as they are stored.
pub(crate) async fn sample_hashes(conn: &dyn Executor) -> Result<Vec<(Uuid, String)>> {
    let rows = hashes(conn).await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.id, row.encrypted_password))
        .collect())
}
