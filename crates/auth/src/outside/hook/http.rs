//! Calls hooks over HTTP, with requests signed as in the Standard Webhooks specification.

use std::time::Duration;

use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use innkeeper_service::clock::Clock;
use innkeeper_service::outbound::{Outbound, OutboundError, OutboundOptions, OutboundResponse};
use innkeeper_service::secret::Secret;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use super::answer::MAX_ANSWER;
use super::call::HookCall;
use super::error::HookError;
use crate::config::{HooksConfig, Profile};

/// How many attempts a call has.
const MAX_ATTEMPTS: u32 = 3;

/// An HTTP client for hooks.
#[derive(Debug)]
pub(super) struct HookClient {
    outbound: Outbound,
    timeout: Duration,
    pause: Duration,
    /// Separates two signatures.
    separator: &'static str,
    clock: Clock,
}

/// The outcome of one attempt.
enum HookAttempt {
    /// An answer, or an error that another attempt would repeat.
    Done(Result<Option<Vec<u8>>, HookError>),
    /// No connection; holds the cause.
    NoConnection(String),
    /// The web server asks to retry after this time.
    RetryAfter(Duration),
}

impl HookClient {
    pub(super) fn new(
        config: &HooksConfig,
        profile: Profile,
        clock: Clock,
    ) -> Result<Self, OutboundError> {
        Ok(Self {
            outbound: Outbound::new(OutboundOptions {
                timeout: config.timeout,
                max_response: MAX_ANSWER,
                ..OutboundOptions::default()
            })?,
            timeout: config.timeout,
            pause: config.pause,
            separator: match profile {
                Profile::Std => " ",
                // As GoTrue has it, for receivers that were written for it.
                Profile::Gotrue => ", ",
            },
            clock,
        })
    }

    /// Sends a call and returns the answer; `None` if it has no body. All attempts together take no longer
    /// than the time limit.
    pub(super) async fn send(
        &self,
        url: &Url,
        secrets: &[Secret<Vec<u8>>],
        call: &HookCall,
    ) -> Result<Option<Vec<u8>>, HookError> {
        let attempts = self.send_with_retries(url, secrets, call);
        timeout(self.timeout, attempts)
            .await
            .unwrap_or(Err(HookError::TimedOut(self.timeout)))
    }

    async fn send_with_retries(
        &self,
        url: &Url,
        secrets: &[Secret<Vec<u8>>],
        call: &HookCall,
    ) -> Result<Option<Vec<u8>>, HookError> {
        let began = Instant::now();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let (pause, failure) = match self.send_once(url, secrets, call).await {
                HookAttempt::Done(result) => return result,
                HookAttempt::NoConnection(cause) => (self.pause, HookError::Unreachable(cause)),
                HookAttempt::RetryAfter(time) => (self.pause.max(time), HookError::Busy),
            };
            // The time limit does not allow another attempt after this pause.
            if attempts == MAX_ATTEMPTS || began.elapsed() + pause >= self.timeout {
                return Err(failure);
            }
            tracing::info!(
                hook.name = call.kind.name(),
                hook.id = %call.id,
                cause = failure.cause(),
                "a hook is called again"
            );
            sleep(pause).await;
        }
    }

    async fn send_once(
        &self,
        url: &Url,
        secrets: &[Secret<Vec<u8>>],
        call: &HookCall,
    ) -> HookAttempt {
        let id = call.id.to_string();
        let timestamp = self.clock.now().as_second();
        let signatures: Vec<String> = secrets
            .iter()
            .map(|secret| sign(secret, &id, timestamp, call.input.as_bytes()))
            .collect();
        let request = match self.outbound.request(reqwest::Method::POST, url) {
            Ok(request) => request
                .header(CONTENT_TYPE, "application/json")
                .header(ACCEPT_ENCODING, "identity")
                .header("webhook-id", id)
                .header("webhook-timestamp", timestamp)
                .header("webhook-signature", signatures.join(self.separator))
                .body(call.input.clone()),
            Err(error) => return HookAttempt::Done(Err(HookError::Unreachable(error.to_string()))),
        };
        match self.outbound.send(request).await {
            Ok(answer) => classify(answer),
            Err(OutboundError::TooLarge(limit)) => {
                HookAttempt::Done(Err(HookError::TooLarge(limit)))
            }
            Err(error) if error.is_timeout() => {
                HookAttempt::Done(Err(HookError::TimedOut(self.timeout)))
            }
            Err(error) => HookAttempt::NoConnection(error.to_string()),
        }
    }
}

/// Decides by the status of an answer what to do next.
fn classify(answer: OutboundResponse) -> HookAttempt {
    let header = |name| answer.headers.get(name).and_then(|it| it.to_str().ok());
    match answer.status {
        204 => HookAttempt::Done(Ok(None)),
        200 | 202 => {
            let content_type = header(CONTENT_TYPE).unwrap_or("none");
            let media_type = content_type.split(';').next().unwrap_or_default().trim();
            if media_type.eq_ignore_ascii_case("application/json") {
                return HookAttempt::Done(Ok(Some(answer.body)));
            }
            let shown: String = content_type.chars().take(100).collect();
            HookAttempt::Done(Err(HookError::NotJson(shown)))
        }
        429 | 503 => match header(RETRY_AFTER) {
            // A date is not parsed: the pause is the shortest one.
            Some(text) => {
                let seconds = text.trim().parse().unwrap_or_default();
                HookAttempt::RetryAfter(Duration::from_secs(seconds))
            }
            None => HookAttempt::Done(Err(HookError::Busy)),
        },
        status => HookAttempt::Done(Err(HookError::Status(status))),
    }
}

/// Returns the signature of a request, with its version.
fn sign(secret: &Secret<Vec<u8>>, id: &str, timestamp: i64, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal());
    let mut context = hmac::Context::with_key(&key);
    context.update(format!("{id}.{timestamp}.").as_bytes());
    context.update(body);
    format!("v1,{}", STANDARD.encode(context.sign()))
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use innkeeper_service::secret::Secret;

    use super::sign;

    /// The example of the specification.
    #[test]
    fn a_signature_is_that_of_the_specification() {
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", br#"{"test": 2432232314}"#);
        assert_eq!(
            sign(&Secret::new(secret), id, 1_614_265_330, body),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }
}
