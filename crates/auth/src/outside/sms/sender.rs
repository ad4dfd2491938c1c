//! Sends text messages, at once or in the background.

use std::sync::Arc;

use innkeeper_gotemplate::{Output, Template, Value};
use innkeeper_service::clock::Clock;
use innkeeper_service::database::{Database, Executor};
use innkeeper_service::outbound::OutboundError;
use serde_json::json;

use super::error::{SmsError, without_secrets};
use super::message::{SmsChannel, SmsKind, SmsMessage};
use super::provider::Provider;
use super::transport::SmsTransport;
use crate::base::error::Result;
use crate::config::{Config, HookKind, Profile};
use crate::crypto::seal::Sealer;
use crate::outside::hook::Hooks;
use crate::outside::outbox::{MessageCounts, Outbox, OutboxWorker, Transport};

/// Sends text messages with codes.
#[derive(Debug)]
pub(crate) struct SmsSender {
    worker: OutboxWorker<SmsTransport>,
    /// `None` if `SMS_TEMPLATE` is not a template; then the text is the code alone.
    template: Option<Template>,
    /// The same for `MFA_PHONE_TEMPLATE`.
    factor_template: Option<Template>,
    /// Whether messages are sent while the client waits.
    is_immediate: bool,
    /// Whether messages are sent in the background.
    has_queue: bool,
    /// Whether messages can be sent by WhatsApp.
    has_whatsapp: bool,
}

impl SmsSender {
    /// Makes a sender that does not send the messages of the outbox yet.
    pub(crate) fn new(
        config: &Config,
        clock: Clock,
        sealer: Arc<Sealer>,
        database: Database,
        hooks: Hooks,
    ) -> std::result::Result<Self, OutboundError> {
        let provider = Provider::new(config)?;
        let has_hook = hooks.is_on(HookKind::SendSms);
        let has_messages = config.external.phone_enabled || config.mfa.phone.verify;
        let is_checked_elsewhere = provider.checks_codes() && !has_hook;
        let is_immediate = config.profile == Profile::Gotrue || is_checked_elsewhere;
        let outbox = Outbox {
            channel: SmsTransport::CHANNEL,
            database,
            sealer,
            clock,
            retry_for: config.sms.otp_exp,
            replica: SmsMessage::random_id(),
        };
        let has_whatsapp = has_hook
            || matches!(
                config.sms.provider.as_str(),
                "twilio" | "twilio_verify" | "mailbox"
            );
        Ok(Self {
            worker: OutboxWorker::new(outbox, SmsTransport { hooks, provider }),
            template: Template::parse(&config.sms.template).ok(),
            factor_template: Template::parse(&config.mfa.phone_template).ok(),
            is_immediate,
            has_queue: has_messages && !is_immediate,
            has_whatsapp,
        })
    }

    /// Starts to send the messages in the outbox. Must be called within a runtime, after the migrations.
    pub(crate) fn start(&self) {
        if self.has_queue {
            self.worker.start();
        }
    }

    /// Stops sending; messages that are not sent stay in the outbox.
    pub(crate) async fn stop(&self) {
        self.worker.stop().await;
    }

    /// Whether messages are sent while the client waits.
    pub(crate) fn is_immediate(&self) -> bool {
        self.is_immediate
    }

    /// Whether the provider makes and checks the codes itself.
    pub(crate) fn is_checked_by_provider(&self) -> bool {
        let transport = &self.worker.transport;
        transport.provider.checks_codes() && !transport.hooks.is_on(HookKind::SendSms)
    }

    /// Whether messages can take this channel.
    pub(crate) fn allows(&self, channel: SmsChannel) -> bool {
        channel == SmsChannel::Sms || self.has_whatsapp
    }

    /// Writes a message.
    pub(crate) fn compose(
        &self,
        kind: SmsKind,
        to: &str,
        channel: SmsChannel,
        code: String,
    ) -> SmsMessage {
        let data = Value::from_json(&json!({ "Code": code }));
        let template = match kind {
            SmsKind::Factor => self.factor_template.as_ref(),
            _ => self.template.as_ref(),
        };
        let text = template.and_then(|template| template.render(&data, Output::Text).ok());
        SmsMessage {
            id: SmsMessage::random_id(),
            kind,
            to: to.to_owned(),
            channel,
            text: text.unwrap_or_else(|| code.clone()),
            code,
            hook: None,
        }
    }

    /// Sends a message now, and returns the id that the provider gives it.
    pub(crate) async fn send_now(
        &self,
        message: &SmsMessage,
    ) -> std::result::Result<Option<String>, SmsError> {
        let sent = self.worker.transport.deliver(message).await;
        let counts = self.worker.counts();
        match &sent {
            Ok(_) => counts.count_sent(message.kind.name()),
            Err(error) => {
                counts.count_failed();
                let cause = without_secrets(&error.cause(), &[&message.code, &message.to]);
                tracing::warn!(
                    sms.id = %message.id,
                    sms.kind = message.kind.name(),
                    cause,
                    "text message could not be sent"
                );
            }
        }
        sent
    }

    /// Puts a message into the outbox, in the transaction that stores its code. It is tried as long as the code lives.
    pub(crate) async fn enqueue(
        &self,
        transaction: &dyn Executor,
        message: &SmsMessage,
    ) -> Result<()> {
        self.worker.enqueue(transaction, message).await
    }

    /// Tells the worker that a transaction with a message was committed.
    pub(crate) fn wake(&self) {
        self.worker.wake();
    }

    /// Whether this is the code that the provider has sent to the number.
    pub(crate) async fn check_code(
        &self,
        phone: &str,
        code: &str,
    ) -> std::result::Result<bool, SmsError> {
        let checked = self.worker.transport.provider.check(phone, code).await;
        if let Err(error) = &checked {
            let cause = without_secrets(&error.cause(), &[code, phone]);
            tracing::warn!(cause, "the provider could not check a code");
        }
        checked
    }

    /// Returns the counters of messages, for metrics.
    pub(crate) fn counts(&self) -> &Arc<MessageCounts> {
        self.worker.counts()
    }
}
