//! Text messages with codes: confirmation, change of phone number, nonce.

use std::time::Duration;

use innkeeper_service::database::Executor;
use innkeeper_service::random;
use uuid::Uuid;

use super::{TokenKind, TokenPurpose};
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::contact::Phone;
use crate::base::error::{AuthError, Result};
use crate::config::{HookKind, Profile};
use crate::flow::response_timer::ResponseTimer;
use crate::flow::user::User;
use crate::outside::hook::sms::SmsData;
use crate::outside::sms::{SmsChannel, SmsKind, SmsMessage};

/// The id of messages to numbers for tests, which are not sent.
const TEST_ID: &str = "test-otp";

/// The first slot of responses in std that wait for a provider if there is an account. Providers usually need less.
const PROVIDER_SLOT: Duration = Duration::from_secs(1);

/// The recipient and the occasion of a text message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SmsTarget<'a> {
    pub(crate) kind: SmsKind,
    pub(crate) phone: &'a Phone,
    pub(crate) channel: SmsChannel,
    /// The account, for the hook; it need not be stored yet.
    pub(crate) user: &'a User,
    /// The client that requested it.
    pub(crate) client: &'a ClientInfo,
}

/// A code for a phone number. Its message was sent, or is enqueued when the code is stored.
#[must_use = "store the code"]
#[derive(Debug)]
pub(crate) struct PreparedSms {
    kind: SmsKind,
    phone: Phone,
    code: String,
    queued: Option<SmsMessage>,
    /// The id that the provider has given the message.
    pub(crate) message_id: Option<String>,
}

/// Makes a code, and sends its message where the client waits for that. Must be called outside of any transaction, and
/// before anything is stored: a message that cannot be sent must leave nothing behind.
pub(crate) async fn prepare(app: &App, target: SmsTarget<'_>) -> Result<PreparedSms> {
    let SmsTarget { kind, phone, .. } = target;
    let prepared = |code: String| PreparedSms {
        kind,
        phone: phone.clone(),
        code,
        queued: None,
        message_id: None,
    };
    let sms = &app.config.sms;
    if let Some(code) = sms.test_code(phone.as_str(), app.clock.now()) {
        return Ok(PreparedSms {
            message_id: Some(TEST_ID.to_owned()),
            ..prepared(code.to_owned())
        });
    }
    let length = match kind {
        SmsKind::Factor => app.config.mfa.phone_otp_length,
        _ => sms.otp_length,
    };
    let code = random::digits(length);
    let message = app
        .sms
        .compose(kind, phone.as_str(), target.channel, code.clone());
    let message = with_hook_payload(app, target, message);
    if !app.sms.is_immediate() {
        return Ok(PreparedSms {
            queued: Some(message),
            ..prepared(code)
        });
    }
    let message_id = app.sms.send_now(&message).await;
    Ok(PreparedSms {
        message_id: message_id.map_err(|error| error.of_request(kind))?,
        ..prepared(code)
    })
}

/// Adds the payload of the hook, if a hook sends the messages.
fn with_hook_payload(app: &App, target: SmsTarget<'_>, message: SmsMessage) -> SmsMessage {
    if !app.hooks.is_on(HookKind::SendSms) {
        return message;
    }
    let is_usual = target.channel == SmsChannel::Sms;
    let data = SmsData {
        otp: &message.code,
        phone: &message.to,
        channel: (!is_usual).then(|| target.channel.name()),
        sms_type: (target.kind == SmsKind::Factor).then_some("mfa"),
    };
    let payload = app
        .hooks
        .sms_payload(message.id, target.user, &data, target.client);
    SmsMessage {
        hook: Some(payload),
        ..message
    }
}

impl PreparedSms {
    /// Returns the code, for a second factor.
    pub(crate) fn code(&self) -> &str {
        &self.code
    }

    /// Stores the code for an account, and enqueues the message. The code of a second factor stands in its challenge.
    /// Call `app.sms.wake()` after the commit.
    pub(crate) async fn store(
        &self,
        app: &App,
        tx: &dyn Executor,
        user_id: Uuid,
        carries_password: bool,
    ) -> Result<()> {
        if let Some(kind) = token_kind(self.kind) {
            let purpose = TokenPurpose {
                user_id,
                kind,
                relates_to: self.phone.as_str(),
                flow_id: None,
                carries_password,
            };
            super::store_code(app, tx, purpose, self.code.clone()).await?;
        }
        match &self.queued {
            Some(message) => app.sms.enqueue(tx, message).await,
            None => Ok(()),
        }
    }
}

fn token_kind(kind: SmsKind) -> Option<TokenKind> {
    match kind {
        SmsKind::Confirmation => Some(TokenKind::Confirmation),
        SmsKind::PhoneChange => Some(TokenKind::PhoneChange),
        SmsKind::Reauthentication => Some(TokenKind::Reauthentication),
        SmsKind::Factor => None,
    }
}

/// Parses the channel of a request. Only some ways to send a message know WhatsApp.
pub(crate) fn parse_channel(app: &App, name: Option<&str>) -> Result<SmsChannel> {
    let Some(name) = name else {
        return Ok(SmsChannel::Sms);
    };
    let channel = SmsChannel::parse(name).filter(|channel| app.sms.allows(*channel));
    channel.ok_or_else(|| {
        AuthError::validation(
            "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if \
             Twilio or Twilio Verify is used as the provider.",
        )
    })
}

/// Waits until the time of the response does not tell whether a message was sent.
pub(crate) async fn wait_for_slot(app: &App, timer: ResponseTimer) {
    if app.config.profile == Profile::Std && app.sms.is_immediate() {
        timer.wait_from(PROVIDER_SLOT).await;
    } else {
        timer.wait().await;
    }
}
