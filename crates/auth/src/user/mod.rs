//! Accounts: what is known of one, and what clients are shown.

pub(crate) mod admin;
pub(crate) mod change;
pub(crate) mod conflict;
pub(crate) mod delete;
pub(crate) mod metadata;
pub(crate) mod nonce;
pub(crate) mod notify;
pub(crate) mod password;
pub(crate) mod passwordless;
pub(crate) mod signup;

use innkeeper_auth_queries::queries::users::UserRowBorrowed;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use uuid::Uuid;

/// A JSON object.
pub(crate) type Object = Map<String, Value>;

/// An account. Serialized, it is what clients are shown.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[expect(
    clippy::struct_field_names,
    reason = "they are called so in the database and on the wire"
)]
pub(crate) struct User {
    /// Its id.
    pub(crate) id: Uuid,
    /// The audience it belongs to.
    pub(crate) aud: String,
    /// Its role, which applications read from tokens.
    pub(crate) role: String,
    /// Its address, or the empty text.
    pub(crate) email: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) email_confirmed_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) invited_at: Option<Timestamp>,
    /// Its number without `+`, or the empty text.
    pub(crate) phone: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phone_confirmed_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confirmation_sent_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confirmed_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recovery_sent_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) new_email: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) email_change_sent_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) new_phone: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phone_change_sent_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reauthentication_sent_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_sign_in_at: Option<Timestamp>,
    pub(crate) app_metadata: Object,
    pub(crate) user_metadata: Object,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) factors: Vec<Factor>,
    /// `None` in lists, where identities are not loaded.
    pub(crate) identities: Option<Vec<Identity>>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) banned_until: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deleted_at: Option<Timestamp>,
    pub(crate) is_anonymous: bool,
    #[serde(skip)]
    pub(crate) encrypted_password: Option<String>,
    #[serde(skip)]
    pub(crate) email_change_confirm_status: i16,
    #[serde(skip)]
    pub(crate) is_sso_user: bool,
}

/// A way to sign in to an account.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[expect(
    clippy::struct_field_names,
    reason = "they are called so in the database and on the wire"
)]
pub(crate) struct Identity {
    #[serde(rename(serialize = "identity_id", deserialize = "id"))]
    pub(crate) identity_id: Uuid,
    #[serde(rename(serialize = "id", deserialize = "provider_id"))]
    pub(crate) id: String,
    pub(crate) user_id: Uuid,
    // Shown even when empty, as after a soft deletion: the Python client cannot do without.
    #[serde(default)]
    pub(crate) identity_data: Object,
    pub(crate) provider: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_sign_in_at: Option<Timestamp>,
    #[serde(default)]
    pub(crate) created_at: Option<Timestamp>,
    #[serde(default)]
    pub(crate) updated_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) email: Option<String>,
}

/// A second factor of an account.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[expect(
    clippy::struct_field_names,
    reason = "they are called so in the database and on the wire"
)]
pub(crate) struct Factor {
    pub(crate) id: Uuid,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) friendly_name: Option<String>,
    pub(crate) factor_type: String,
    #[serde(default)]
    pub(crate) phone: Option<String>,
    #[serde(default)]
    pub(crate) last_challenged_at: Option<Timestamp>,
}

impl User {
    /// Whether it may not sign in now.
    pub(crate) fn is_banned(&self, now: Timestamp) -> bool {
        self.banned_until.is_some_and(|until| until > now)
    }

    /// Whether its address or its number is confirmed.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.email_confirmed_at.is_some() || self.phone_confirmed_at.is_some()
    }

    /// Who it is in the audit log: the number if there is one, else the address.
    pub(crate) fn name(&self) -> &str {
        if self.phone.is_empty() {
            &self.email
        } else {
            &self.phone
        }
    }
}

impl User {
    /// The account of a row.
    pub(crate) fn of(row: UserRowBorrowed<'_>) -> Self {
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
            app_metadata: object(row.raw_app_meta_data.map(|json| json.0)),
            user_metadata: object(row.raw_user_meta_data.map(|json| json.0)),
            factors: list(row.factors.map(|json| json.0)),
            identities: Some(list(row.identities.map(|json| json.0))),
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

/// Applications write to the metadata columns themselves; what is no object counts as empty.
fn object(json: Option<&RawValue>) -> Object {
    json.and_then(|json| serde_json::from_str(json.get()).ok())
        .unwrap_or_default()
}

/// Elements that cannot be understood are left out: a row somebody else wrote must not lock its user out.
fn list<T: for<'de> Deserialize<'de>>(json: Option<&RawValue>) -> Vec<T> {
    let Some(text) = json.map(RawValue::get) else {
        return Vec::new();
    };
    serde_json::from_str(text).unwrap_or_else(|_| {
        let elements: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
        let understood = |element: &RawValue| serde_json::from_str(element.get()).ok();
        elements.into_iter().filter_map(understood).collect()
    })
}
