//! The rows of users.

use innkeeper_service::database::{Column, FromRow, Row, RowError, rows};
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio_postgres::types::Json;
use uuid::Uuid;

use crate::model::{Object, User};

rows! {
    /// What `columns.sql` selects, and JSON. Applications write to the table themselves, so that nearly every column
    /// can be null.
    struct UserRow<'r> {
        id: Uuid,
        aud: Option<&'r str>,
        role: Option<&'r str>,
        email: Option<&'r str>,
        phone: Option<&'r str>,
        encrypted_password: Option<&'r str>,
        email_confirmed_at: Option<Timestamp>,
        phone_confirmed_at: Option<Timestamp>,
        confirmed_at: Option<Timestamp>,
        invited_at: Option<Timestamp>,
        confirmation_sent_at: Option<Timestamp>,
        recovery_sent_at: Option<Timestamp>,
        reauthentication_sent_at: Option<Timestamp>,
        email_change: Option<&'r str>,
        email_change_sent_at: Option<Timestamp>,
        email_change_confirm_status: Option<i16>,
        phone_change: Option<&'r str>,
        phone_change_sent_at: Option<Timestamp>,
        last_sign_in_at: Option<Timestamp>,
        raw_app_meta_data: Option<Json<&'r RawValue>>,
        raw_user_meta_data: Option<Json<&'r RawValue>>,
        created_at: Option<Timestamp>,
        updated_at: Option<Timestamp>,
        banned_until: Option<Timestamp>,
        deleted_at: Option<Timestamp>,
        is_sso_user: bool,
        is_anonymous: bool,
        identities: Option<Json<&'r RawValue>>,
        factors: Option<Json<&'r RawValue>>,
        session: Option<Json<&'r RawValue>>,
    }
}

impl<'r> FromRow<'r> for User {
    const COLUMNS: &'static [Column] = UserRow::COLUMNS;

    fn from_row(row: &'r Row) -> Result<Self, RowError> {
        UserRow::from_row(row).map(Self::from)
    }
}

/// A user, and what the column `session` holds.
pub(super) struct UserWith<T>(pub(super) User, pub(super) Option<T>);

impl<'r, T: DeserializeOwned> FromRow<'r> for UserWith<T> {
    const COLUMNS: &'static [Column] = UserRow::COLUMNS;

    fn from_row(row: &'r Row) -> Result<Self, RowError> {
        let row = UserRow::from_row(row)?;
        let session = row.session.as_ref();
        let session = session.and_then(|json| serde_json::from_str(json.0.get()).ok());
        Ok(Self(row.into(), session))
    }
}

impl From<UserRow<'_>> for User {
    fn from(row: UserRow<'_>) -> Self {
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        let hash = row.encrypted_password.filter(|hash| !hash.is_empty());
        Self {
            id: row.id,
            aud: text(row.aud),
            role: text(row.role),
            email: text(row.email),
            email_confirmed_at: row.email_confirmed_at,
            invited_at: row.invited_at,
            phone: text(row.phone),
            phone_confirmed_at: row.phone_confirmed_at,
            confirmation_sent_at: row.confirmation_sent_at,
            confirmed_at: row.confirmed_at,
            recovery_sent_at: row.recovery_sent_at,
            new_email: text(row.email_change),
            email_change_sent_at: row.email_change_sent_at,
            new_phone: text(row.phone_change),
            phone_change_sent_at: row.phone_change_sent_at,
            reauthentication_sent_at: row.reauthentication_sent_at,
            last_sign_in_at: row.last_sign_in_at,
            app_metadata: parse_object(row.raw_app_meta_data),
            user_metadata: parse_object(row.raw_user_meta_data),
            factors: row
                .factors
                .map(|json| parse_list(json.0))
                .unwrap_or_default(),
            identities: row.identities.map(|json| parse_list(json.0)),
            created_at: row.created_at.unwrap_or_default(),
            updated_at: row.updated_at.unwrap_or_default(),
            banned_until: row.banned_until,
            deleted_at: row.deleted_at,
            is_anonymous: row.is_anonymous,
            encrypted_password: hash.map(str::to_owned),
            email_change_confirm_status: row.email_change_confirm_status.unwrap_or_default(),
            is_sso_user: row.is_sso_user,
        }
    }
}

/// Parses a metadata column. Applications write to these columns themselves; a value that is not an object
/// counts as empty.
fn parse_object(json: Option<Json<&RawValue>>) -> Object {
    json.and_then(|json| serde_json::from_str(json.0.get()).ok())
        .unwrap_or_default()
}

/// Parses a list, without the elements that are invalid: a row that another program wrote must not lock its
/// user out.
fn parse_list<T: for<'de> Deserialize<'de>>(json: &RawValue) -> Vec<T> {
    let text = json.get();
    serde_json::from_str(text).unwrap_or_else(|_| {
        let elements: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
        let parse = |element: &RawValue| serde_json::from_str(element.get()).ok();
        elements.into_iter().filter_map(parse).collect()
    })
}
