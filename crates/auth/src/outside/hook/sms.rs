//! `send-sms`: the application sends a text message.

use serde_json::json;
use uuid::Uuid;

use super::Hooks;
use super::call::HookCall;
use super::error::HookError;
use crate::base::client::ClientInfo;
use crate::config::HookKind;
use crate::flow::user::{Object, User};

impl Hooks {
    /// Returns the payload for a message with this id: JSON that is stored until the message is sent.
    pub(crate) fn sms_payload(
        &self,
        id: Uuid,
        user: &User,
        sms: &SmsData<'_>,
        client: &ClientInfo,
    ) -> String {
        let mut input = Object::new();
        let kind = HookKind::SendSms;
        let mut members = json!({ "otp": sms.otp, "phone": sms.phone });
        let optional = [("channel", sms.channel), ("sms_type", sms.sms_type)];
        for (name, value) in optional {
            if let (Some(value), Some(members)) = (value, members.as_object_mut()) {
                members.insert(name.to_owned(), value.into());
            }
        }
        input.insert("metadata".to_owned(), self.metadata(kind, id, client));
        input.insert("user".to_owned(), json!(user));
        input.insert("sms".to_owned(), members);
        serde_json::Value::Object(input).to_string()
    }

    /// Has the application send a text message, with the payload that was made for it.
    pub(crate) async fn send_sms(&self, id: Uuid, payload: &str) -> Result<(), HookError> {
        let call = HookCall {
            kind: HookKind::SendSms,
            id,
            input: payload.to_owned(),
        };
        self.call(&call).await.map(drop)
    }
}

/// The `sms` of the hook.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SmsData<'a> {
    /// The code.
    pub(crate) otp: &'a str,
    /// The digits of the number that the message is for.
    pub(crate) phone: &'a str,
    /// The channel that the client asked for, if it is not the usual one.
    pub(crate) channel: Option<&'a str>,
    /// `mfa` for codes of second factors.
    pub(crate) sms_type: Option<&'a str>,
}
