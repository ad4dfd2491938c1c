//! `send-email`: a mail that the application sends.

use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::{Call, HookError, Hooks};
use crate::client::ClientInfo;
use crate::config::HookKind;
use crate::user::{Object, User};

/// What a mail is made of. Members that the kind of mail does not need are empty texts.
///
/// If a change of address is asked at both addresses, `token` and `token_hash_new` belong to the
/// present one, and `token_new` and `token_hash` to the new one; receivers count on that.
#[derive(Debug, Default, Clone, Copy, Serialize)]
pub(crate) struct EmailData<'a> {
    /// The code.
    pub(crate) token: &'a str,
    /// The secret of the link.
    pub(crate) token_hash: &'a str,
    /// Where the user is sent in the end.
    pub(crate) redirect_to: &'a str,
    /// What the mail is for: the `type` of its link, or the kind of notification.
    pub(crate) email_action_type: &'a str,
    /// This server's address.
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
    /// What the hook is to be given for a mail with this id: JSON that can be kept until it is sent.
    pub(crate) fn write_email(
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

    /// Lets the application send a mail that was written before. Its id is the same each time, so that
    /// the application can tell a repetition.
    pub(crate) async fn send_email(&self, id: Uuid, payload: &str) -> Result<(), HookError> {
        let call = Call::again(HookKind::SendEmail, id, payload.to_owned());
        self.run(&call).await.map(drop)
    }
}
