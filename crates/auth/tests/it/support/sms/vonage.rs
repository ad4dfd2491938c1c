//! Vonage's messages.

use innkeeper_auth::config::Config;
use innkeeper_service::secret::Secret;
use serde_json::{Value, json};

use super::Received;
use super::http::{SmsRequest, same};

const KEY: &str = "a1b2c3";
const SECRET: &str = "vonage secret";
const FROM: &str = "Inn";

pub(super) fn configure(config: &mut Config) {
    let vonage = &mut config.sms.vonage;
    vonage.api_key = Some(KEY.to_owned());
    vonage.api_secret = Some(Secret::new(SECRET.to_owned()));
    vonage.from = Some(FROM.to_owned());
}

pub(super) fn read(request: &SmsRequest) -> Result<Received, String> {
    request.check_target("/sms/json")?;
    let is_unicode = request.fields.iter().any(|(name, _)| name == "type");
    let [from, to, text, key, secret] = if is_unicode {
        let names = ["from", "to", "text", "api_key", "api_secret", "type"];
        let [from, to, text, key, secret, kind] = request.values(names)?;
        same("type", kind, "unicode")?;
        [from, to, text, key, secret]
    } else {
        request.values(["from", "to", "text", "api_key", "api_secret"])?
    };
    if is_unicode == text.is_ascii() {
        return Err(format!("{text:?} has the wrong type"));
    }
    same("sender", from, FROM)?;
    same("key", key, KEY)?;
    same("secret", secret, SECRET)?;
    Ok(Received {
        to: to.to_owned(),
        text: text.to_owned(),
        channel: "sms".to_owned(),
        checked: None,
        request: request.clone(),
    })
}

pub(super) fn accept() -> (u16, Value) {
    let message = json!({ "message-id": "vo77", "status": "0", "to": "49301234567" });
    (200, json!({ "message-count": "1", "messages": [message] }))
}

pub(super) fn refuse(text: &str) -> (u16, Value) {
    let message = json!({ "status": "6", "error-text": text });
    (200, json!({ "message-count": "1", "messages": [message] }))
}
