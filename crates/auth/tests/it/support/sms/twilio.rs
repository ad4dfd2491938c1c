//! Twilio's `Messages.json`.

use innkeeper_auth::config::Config;
use innkeeper_service::secret::Secret;
use serde_json::{Value, json};

use super::Received;
use super::http::{SmsRequest, international, same};

const ACCOUNT: &str = "AC0123456789";
const TOKEN: &str = "twilio & token";
const SERVICE: &str = "MG0123456789";

pub(super) fn configure(config: &mut Config) {
    let twilio = &mut config.sms.twilio;
    twilio.account_sid = Some(ACCOUNT.to_owned());
    twilio.auth_token = Some(Secret::new(TOKEN.to_owned()));
    twilio.message_service_sid = Some(SERVICE.to_owned());
}

pub(super) fn read(request: &SmsRequest) -> Result<Received, String> {
    request.check_target(&format!("/2010-04-01/Accounts/{ACCOUNT}/Messages.json"))?;
    request.check_basic(ACCOUNT, TOKEN)?;
    let is_template = request.fields.iter().any(|(name, _)| name == "ContentSid");
    let (to, channel, from, text) = if is_template {
        let names = ["To", "Channel", "From", "ContentSid", "ContentVariables"];
        let [to, channel, from, _, variables] = request.values(names)?;
        (to, channel, from, variables)
    } else {
        let [to, channel, from, body] = request.values(["To", "Channel", "From", "Body"])?;
        (to, channel, from, body)
    };
    let to = match channel {
        "sms" => {
            same("sender", from, SERVICE)?;
            international(to)?
        }
        "whatsapp" => {
            if !from.starts_with("whatsapp:") {
                return Err(format!("{from:?} does not send by WhatsApp"));
            }
            let to = to.strip_prefix("whatsapp:");
            international(to.ok_or("the number is not one of WhatsApp")?)?
        }
        other => return Err(format!("the channel is {other:?}")),
    };
    Ok(Received {
        to,
        text: text.to_owned(),
        channel: channel.to_owned(),
        checked: None,
        request: request.clone(),
    })
}

pub(super) fn accept() -> (u16, Value) {
    let body =
        json!({ "sid": "SM77", "status": "queued", "error_code": null, "error_message": null });
    (201, body)
}

pub(super) fn refuse(text: &str) -> (u16, Value) {
    let body = json!({
        "code": 21211, "message": text, "more_info": "https://www.twilio.com/docs/errors/21211", "status": 400,
    });
    (400, body)
}
