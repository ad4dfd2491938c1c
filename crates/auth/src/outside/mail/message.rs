//! The data of a mail, from which its text is written when it is sent.

use std::fmt;

use innkeeper_service::random;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::config::MessageKind;

/// A mail with a link, a code or both, or a notification.
///
/// It waits in the outbox as JSON, where another version of the server may read it: a new field must have a
/// default.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Identifies the mail in its `Message-ID` and in the log.
    pub id: Uuid,
    /// The kind, which chooses the template.
    pub kind: MessageKind,
    /// The recipient.
    pub to: String,
    /// The address of the account.
    pub email: String,
    /// The address that the account is to change to.
    #[serde(default)]
    pub new_email: Option<String>,
    /// The link to follow.
    #[serde(default)]
    pub link: Option<String>,
    /// The code to type.
    #[serde(default)]
    pub code: Option<String>,
    /// The payload for the `send-email` hook, which sends the mail instead of a mail server.
    #[serde(default)]
    pub hook: Option<String>,
    /// The secret of the link, for templates that build links of their own.
    #[serde(default)]
    pub token_hash: Option<String>,
    /// The URL that the link redirects to.
    #[serde(default)]
    pub redirect_to: Option<String>,
    /// The user's metadata, which also chooses the language.
    #[serde(default)]
    pub data: Map<String, Value>,
    /// The former address of the account, after a change.
    #[serde(default)]
    pub old_email: Option<String>,
    /// The phone number of the account, after a change.
    #[serde(default)]
    pub phone: Option<String>,
    /// The former phone number of the account, after a change.
    #[serde(default)]
    pub old_phone: Option<String>,
    /// The provider of an identity that was linked or unlinked.
    #[serde(default)]
    pub provider: Option<String>,
    /// The type of a second factor that was added or removed.
    #[serde(default)]
    pub factor_type: Option<String>,
    /// When the link and the code expire.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
}

impl Message {
    /// Makes a mail to the address of an account, with neither link nor code.
    pub fn new(kind: MessageKind, to: impl Into<String>) -> Self {
        let to = to.into();
        Self {
            id: random_id(),
            kind,
            email: to.clone(),
            to,
            new_email: None,
            link: None,
            code: None,
            hook: None,
            token_hash: None,
            redirect_to: None,
            data: Map::new(),
            old_email: None,
            phone: None,
            old_phone: None,
            provider: None,
            factor_type: None,
            expires_at: None,
        }
    }

    /// Whether the mail goes to the address that the account is to change to.
    pub(super) fn is_to_new_address(&self) -> bool {
        self.new_email.as_deref() == Some(self.to.as_str())
    }

    /// Returns the texts that give access to the account. Neither the log nor operators may see them.
    pub(super) fn secrets(&self) -> Vec<String> {
        let payload = self.hook.as_deref().unwrap_or_default();
        let payload: Value = serde_json::from_str(payload).unwrap_or_default();
        let in_payload = ["token", "token_hash", "token_new", "token_hash_new"].map(|name| {
            let member = payload.pointer(&format!("/email_data/{name}"));
            member.and_then(Value::as_str).map(str::to_owned)
        });
        let own = [&self.link, &self.code, &self.token_hash].map(Clone::clone);
        let all = own.into_iter().chain(in_payload).flatten();
        all.filter(|secret| !secret.is_empty()).collect()
    }
}

/// Shows neither link nor code: they give access to the account.
impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("id", &self.id)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// Makes a random UUID.
pub(super) fn random_id() -> Uuid {
    uuid::Builder::from_random_bytes(random::bytes()).into_uuid()
}
