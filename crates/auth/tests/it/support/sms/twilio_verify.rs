//! Twilio Verify.

use innkeeper_auth::config::Config;
use innkeeper_service::secret::Secret;
use serde_json::{Value, json};

use super::Received;
use super::http::{SmsRequest, international};

/// The code that this service sends to everybody.
pub(crate) const CODE: &str = "424242";

const ACCOUNT: &str = "AC9876543210";
const TOKEN: &str = "verify-token";
const SERVICE: &str = "VA9876543210";

pub(super) fn configure(config: &mut Config) {
    let verify = &mut config.sms.twilio_verify;
    verify.account_sid = Some(ACCOUNT.to_owned());
    verify.auth_token = Some(Secret::new(TOKEN.to_owned()));
    verify.message_service_sid = Some(SERVICE.to_owned());
}

pub(super) fn read(request: &SmsRequest) -> Result<Received, String> {
    request.check_basic(ACCOUNT, TOKEN)?;
    let base = format!("/v2/Services/{SERVICE}");
    if request.target == format!("{base}/VerificationCheck") {
        let [to, code] = request.values(["To", "Code"])?;
        return Ok(Received {
            to: international(to)?,
            text: String::new(),
            channel: String::new(),
            checked: Some(code.to_owned()),
            request: request.clone(),
        });
    }
    request.check_target(&format!("{base}/Verifications"))?;
    let [to, channel] = request.values(["To", "Channel"])?;
    Ok(Received {
        to: international(to)?,
        text: String::new(),
        channel: channel.to_owned(),
        checked: None,
        request: request.clone(),
    })
}

pub(super) fn accept(received: &Received) -> (u16, Value) {
    match received.checked.as_deref() {
        None => (201, json!({ "sid": "VE77", "status": "pending" })),
        Some(CODE) => (
            200,
            json!({ "sid": "VE77", "status": "approved", "valid": true }),
        ),
        Some(_) => (
            200,
            json!({ "sid": "VE77", "status": "pending", "valid": false }),
        ),
    }
}
