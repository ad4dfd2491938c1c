//! `send-email`: the application sends a mail.

use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::Hooks;
use super::call::HookCall;
use super::error::HookError;
use crate::base::client::ClientInfo;
use crate::config::HookKind;
use crate::flow::user::{Object, User};

/// The `email_data` of the hook. Members that the kind of mail does not need are empty.
///
/// If both addresses confirm a change of address, `token` and `token_hash_new` belong to the current one, and
/// `token_new` and `token_hash` to the new one, as in GoTrue.
#[derive(Debug, Default, Clone, Copy, Serialize)]
pub(crate) struct EmailData<'a> {
    /// The code to type.
    pub(crate) token: &'a str,
    /// The secret of the link.
    pub(crate) token_hash: &'a str,
    /// The URL that the link redirects to.
    pub(crate) redirect_to: &'a str,
    /// The `type` of the link, or the kind of notification.
    pub(crate) email_action_type: &'a str,
    /// The external URL of this server.
    pub(crate) site_url: &'a str,
    pub(crate) token_new: &'a str,
    pub(crate) token_hash_new: &'a str,
    /// In notifications of a change.
    pub(crate) old_email: &'a str,
    pub(crate) old_phone: &'a str,
    /// In notifications about identities.
    pub(crate) provider: &'a str,
    /// In notifications about second factors.
    pub(crate) factor_type: &'a str,
}

impl Hooks {
    /// Returns the payload for a mail with this id: JSON that is stored until the mail is sent.
    pub(crate) fn email_payload(
        &self,
        id: Uuid,
        user: &User,
        data: &EmailData<'_>,
        client: &ClientInfo,
    ) -> String {
        let mut input = Object::new();
        let kind = HookKind::SendEmail;
        input.insert("metadata".to_owned(), self.metadata(kind, id, client));
        input.insert("user".to_owned(), json!(user));
        input.insert("email_data".to_owned(), json!(data));
        serde_json::Value::Object(input).to_string()
    }

    /// Has the application send a mail, with the payload that was stored for it.
    pub(crate) async fn send_email(&self, id: Uuid, payload: &str) -> Result<(), HookError> {
        let call = HookCall {
            kind: HookKind::SendEmail,
            id,
            input: payload.to_owned(),
        };
        self.call(&call).await.map(drop)
    }
}
