//! Users, their identities and their second factors.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

/// A JSON object.
pub(crate) type Object = Map<String, Value>;

/// A user. Its JSON form is the one that clients get.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[expect(
    clippy::struct_field_names,
    reason = "they are called so in the database and on the wire"
)]
pub(crate) struct User {
    pub(crate) id: Uuid,
    /// The audience that the user belongs to.
    pub(crate) aud: String,
    /// The role, which applications read from tokens.
    pub(crate) role: String,
    /// The email address, or the empty string.
    pub(crate) email: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) email_confirmed_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) invited_at: Option<Timestamp>,
    /// The phone number without `+`, or the empty string.
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

/// A way in which a user can sign in.
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
    // Present even when empty, as after a soft deletion, because the Python client requires it.
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

/// A second factor of a user.
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
    #[serde(default, skip_serializing_if = "is_empty")]
    pub(crate) friendly_name: Option<String>,
    pub(crate) factor_type: String,
    /// The phone number without `+`, or the empty string.
    #[serde(default, serialize_with = "write_text")]
    #[schemars(with = "String")]
    pub(crate) phone: Option<String>,
    #[serde(default)]
    pub(crate) last_challenged_at: Option<Timestamp>,
    /// The model of a security key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) web_authn_aaguid: Option<Uuid>,
}

impl Factor {
    /// Returns whether a code of the factor was verified, so that it counts.
    pub(crate) fn is_verified(&self) -> bool {
        self.status == "verified"
    }
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn is_empty(text: &Option<String>) -> bool {
    text.as_deref().is_none_or(str::is_empty)
}

/// Writes a missing text as an empty one.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn write_text<S: serde::Serializer>(
    text: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text.as_deref().unwrap_or_default())
}

impl User {
    /// Returns whether the user has a second factor that counts.
    pub(crate) fn has_verified_factor(&self) -> bool {
        self.factors.iter().any(Factor::is_verified)
    }

    /// Returns whether the user is banned now and may not sign in.
    pub(crate) fn is_banned(&self, now: Timestamp) -> bool {
        self.banned_until.is_some_and(|until| until > now)
    }

    /// Returns whether the email address or the phone number is confirmed.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.email_confirmed_at.is_some() || self.phone_confirmed_at.is_some()
    }

    /// Returns the user's name in the audit log: the phone number, or else the email address.
    pub(crate) fn name(&self) -> &str {
        if self.phone.is_empty() {
            &self.email
        } else {
            &self.phone
        }
    }
}
