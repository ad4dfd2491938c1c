//! Textlocal's messages.

use innkeeper_auth::config::Config;
use innkeeper_service::secret::Secret;
use serde_json::{Value, json};

use super::Received;
use super::http::{SmsRequest, same};

const KEY: &str = "textlocal+key=";
const SENDER: &str = "INNKEE";

pub(super) fn configure(config: &mut Config) {
    let textlocal = &mut config.sms.textlocal;
    textlocal.api_key = Some(Secret::new(KEY.to_owned()));
    textlocal.sender = Some(SENDER.to_owned());
}

pub(super) fn read(request: &SmsRequest) -> Result<Received, String> {
    request.check_target("/send")?;
    same("authorization", &request.authorization, "")?;
    let [sender, key, message, numbers] =
        request.values(["sender", "apikey", "message", "numbers"])?;
    same("sender", sender, SENDER)?;
    same("key", key, KEY)?;
    Ok(Received {
        to: numbers.to_owned(),
        text: message.to_owned(),
        channel: "sms".to_owned(),
        checked: None,
        request: request.clone(),
    })
}

pub(super) fn accept() -> (u16, Value) {
    let message = json!({ "id": 77, "recipient": 49_301_234_567_u64 });
    (
        200,
        json!({ "status": "success", "errors": [], "messages": [message] }),
    )
}

pub(super) fn refuse(text: &str) -> (u16, Value) {
    let error = json!({ "code": 51, "message": text });
    (200, json!({ "status": "failure", "errors": [error] }))
}
