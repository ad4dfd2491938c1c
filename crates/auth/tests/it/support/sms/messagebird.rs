//! MessageBird's messages.

use innkeeper_auth::config::Config;
use innkeeper_service::secret::Secret;
use serde_json::{Value, json};

use super::Received;
use super::http::{SmsRequest, same};

const KEY: &str = "live_0123456789";
const ORIGINATOR: &str = "The Inn";

pub(super) fn configure(config: &mut Config) {
    let messagebird = &mut config.sms.messagebird;
    messagebird.access_key = Some(Secret::new(KEY.to_owned()));
    messagebird.originator = Some(ORIGINATOR.to_owned());
}

pub(super) fn read(request: &SmsRequest) -> Result<Received, String> {
    request.check_target("/messages")?;
    same(
        "authorization",
        &request.authorization,
        &format!("AccessKey {KEY}"),
    )?;
    let names = ["originator", "body", "recipients", "type", "datacoding"];
    let [originator, body, recipients, kind, coding] = request.values(names)?;
    same("originator", originator, ORIGINATOR)?;
    same("type", kind, "sms")?;
    same("datacoding", coding, "unicode")?;
    Ok(Received {
        to: recipients.to_owned(),
        text: body.to_owned(),
        channel: "sms".to_owned(),
        checked: None,
        request: request.clone(),
    })
}

pub(super) fn accept() -> (u16, Value) {
    let recipients = json!({ "totalSentCount": 1, "totalDeliveredCount": 0 });
    (201, json!({ "id": "mb77", "recipients": recipients }))
}

pub(super) fn refuse(text: &str) -> (u16, Value) {
    let error = json!({ "code": 9, "description": text, "parameter": "recipient" });
    (422, json!({ "errors": [error] }))
}
