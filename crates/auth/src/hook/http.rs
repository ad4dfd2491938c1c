//! Hooks that are web servers: signed requests as the standard for webhooks has them.

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

use super::{Call, HookError, LONGEST_ANSWER};
use crate::config::{HooksConfig, Profile};

/// How often a call is tried.
const TRIES: u32 = 3;

/// Asks web servers.
#[derive(Debug)]
pub(super) struct Sender {
    outbound: Outbound,
    timeout: Duration,
    pause: Duration,
    /// What stands between two signatures.
    separator: &'static str,
    clock: Clock,
}

/// What came of one try.
enum Tried {
    /// There is an answer, or trying again would not help.
    Done(Result<Option<Vec<u8>>, HookError>),
    /// Nobody answered.
    NoConnection(String),
    /// The web server wants to be asked later.
    Later(Duration),
}

impl Sender {
    pub(super) fn new(
        config: &HooksConfig,
        profile: Profile,
        clock: Clock,
    ) -> Result<Self, OutboundError> {
        Ok(Self {
            outbound: Outbound::new(OutboundOptions {
                timeout: config.timeout,
                max_response: LONGEST_ANSWER,
                ..OutboundOptions::default()
            })?,
            timeout: config.timeout,
            pause: config.pause,
            separator: match profile {
                Profile::Std => " ",
                // As that server has it, for receivers that were written for it.
                Profile::Gotrue => ", ",
            },
            clock,
        })
    }

    /// Sends a call and reads the answer; `None` if there is nothing to read. All tries together take
    /// no longer than the time-out.
    pub(super) async fn send(
        &self,
        url: &Url,
        secrets: &[Secret<Vec<u8>>],
        call: &Call,
    ) -> Result<Option<Vec<u8>>, HookError> {
        let tries = self.try_often(url, secrets, call);
        timeout(self.timeout, tries)
            .await
            .unwrap_or(Err(HookError::Late(self.timeout)))
    }

    async fn try_often(
        &self,
        url: &Url,
        secrets: &[Secret<Vec<u8>>],
        call: &Call,
    ) -> Result<Option<Vec<u8>>, HookError> {
        let began = Instant::now();
        let mut tries = 0;
        loop {
            tries += 1;
            let (pause, failure) = match self.try_once(url, secrets, call).await {
                Tried::Done(result) => return result,
                Tried::NoConnection(cause) => (self.pause, HookError::Unreachable(cause)),
                Tried::Later(wanted) => (self.pause.max(wanted), HookError::Busy),
            };
            // Nobody waits for a pause that the time does not allow.
            if tries == TRIES || began.elapsed() + pause >= self.timeout {
                return Err(failure);
            }
            tracing::info!(
                hook.name = call.kind.name(),
                hook.id = %call.id,
                cause = failure.cause(),
                "a hook is tried again"
            );
            sleep(pause).await;
        }
    }

    async fn try_once(&self, url: &Url, secrets: &[Secret<Vec<u8>>], call: &Call) -> Tried {
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
            Err(error) => return Tried::Done(Err(HookError::Unreachable(error.to_string()))),
        };
        match self.outbound.send(request).await {
            Ok(answer) => read(answer),
            Err(OutboundError::TooLarge(limit)) => Tried::Done(Err(HookError::TooLarge(limit))),
            Err(error) if error.is_timeout() => Tried::Done(Err(HookError::Late(self.timeout))),
            Err(error) => Tried::NoConnection(error.to_string()),
        }
    }
}

fn read(answer: OutboundResponse) -> Tried {
    let header = |name| answer.headers.get(name).and_then(|it| it.to_str().ok());
    match answer.status {
        204 => Tried::Done(Ok(None)),
        200 | 202 => {
            let content_type = header(CONTENT_TYPE).unwrap_or("none");
            let media_type = content_type.split(';').next().unwrap_or_default().trim();
            if media_type.eq_ignore_ascii_case("application/json") {
                return Tried::Done(Ok(Some(answer.body)));
            }
            let shown: String = content_type.chars().take(100).collect();
            Tried::Done(Err(HookError::NotJson(shown)))
        }
        429 | 503 => match header(RETRY_AFTER) {
            // A date is waited for no longer than the shortest pause.
            Some(text) => {
                let seconds = text.trim().parse().unwrap_or_default();
                Tried::Later(Duration::from_secs(seconds))
            }
            None => Tried::Done(Err(HookError::Busy)),
        },
        status => Tried::Done(Err(HookError::Status(status))),
    }
}

/// The signature of a message, with the version of the way it was made.
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

    /// The example that implementations of the standard are tried with.
    #[test]
    fn a_signature_is_that_of_the_standard() {
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", br#"{"test": 2432232314}"#);
        assert_eq!(
            sign(&Secret::new(secret), id, 1_614_265_330, body),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }
}
