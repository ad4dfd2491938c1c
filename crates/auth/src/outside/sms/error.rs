//! Errors of text messages.

use crate::base::error::AuthError;
use crate::base::error_code::ErrorCode;
use crate::outside::hook::HookError;

use super::message::SmsKind;

/// The longest text of a provider that is logged or passed on, in characters.
const MAX_TEXT: usize = 300;

/// A text message that was not sent, or a code that could not be checked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SmsError {
    /// `SMS_PROVIDER` is not set.
    #[error("no SMS provider is configured")]
    NoProvider,
    /// Credentials of the provider are missing; holds their settings.
    #[error("the settings {0} are required")]
    Incomplete(&'static str),
    /// The provider did not answer; holds the cause.
    #[error("the provider did not answer")]
    Unreachable(String),
    /// The provider refuses the message.
    #[error("{message}")]
    Refused {
        /// The status of the answer.
        status: u16,
        message: String,
    },
    /// The answer is not one of the provider's protocol; holds its status.
    #[error("the provider gave an unexpected answer with status {0}")]
    InvalidAnswer(u16),
    /// The hook that sends messages failed.
    #[error("{0}")]
    Hook(HookError),
}

impl SmsError {
    /// Creates the error of a refusal, with a text of the provider.
    pub(super) fn refused(status: u16, message: &str) -> Self {
        let text: String = message
            .chars()
            .filter(|letter| !letter.is_control())
            .take(MAX_TEXT)
            .collect();
        let message = if text.trim().is_empty() {
            format!("the provider refused with status {status}")
        } else {
            text
        };
        Self::Refused { status, message }
    }

    /// Whether another attempt may succeed.
    pub(crate) fn is_temporary(&self) -> bool {
        match self {
            Self::NoProvider | Self::Incomplete(_) => false,
            Self::Unreachable(_) => true,
            Self::Refused { status, .. } | Self::InvalidAnswer(status) => {
                *status >= 500 || *status == 429
            }
            Self::Hook(error) => error.is_temporary(),
        }
    }

    /// Returns what happened, for the log and for operators.
    pub(crate) fn cause(&self) -> String {
        match self {
            Self::Unreachable(cause) => format!("{self}: {cause}"),
            other => other.to_string(),
        }
    }

    /// Converts the error into that of the request which should have sent the message.
    pub(crate) fn of_request(self, kind: SmsKind) -> AuthError {
        match self {
            Self::Hook(error) => error.into(),
            other => AuthError::refused(
                ErrorCode::SmsSendFailed,
                format!("Error sending {} OTP to provider: {other}", kind.name()),
            ),
        }
    }
}

/// Removes secrets from a text of a provider, which may quote what it was sent.
pub(super) fn without_secrets(text: &str, secrets: &[&str]) -> String {
    let mut text = text.to_owned();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        text = text.replace(secret, "…");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{SmsError, SmsKind, without_secrets};

    #[test]
    fn a_text_of_a_provider_is_bounded_and_has_no_control_characters() {
        let error = SmsError::refused(400, &format!("bad\r\nnumber{}", "x".repeat(1000)));
        let text = error.to_string();
        assert!(text.starts_with("badnumberx"), "{text}");
        assert_eq!(text.chars().count(), 300);
        let error = SmsError::refused(403, "\n ");
        assert_eq!(error.to_string(), "the provider refused with status 403");
    }

    #[test]
    fn secrets_are_removed() {
        let text = without_secrets("key hunter2, code 123456", &["hunter2", "", "123456"]);
        assert_eq!(text, "key …, code …");
    }

    #[test]
    fn only_failures_that_pass_are_temporary() {
        for (error, expected) in [
            (SmsError::NoProvider, false),
            (SmsError::Incomplete("SMS_TWILIO_AUTH_TOKEN"), false),
            (SmsError::Unreachable(String::new()), true),
            (SmsError::refused(400, "no"), false),
            (SmsError::refused(200, "no"), false),
            (SmsError::refused(429, "slowly"), true),
            (SmsError::refused(503, "later"), true),
            (SmsError::InvalidAnswer(200), false),
            (SmsError::InvalidAnswer(502), true),
        ] {
            assert_eq!(error.is_temporary(), expected, "{error:?}");
        }
    }

    #[test]
    fn the_client_is_told_what_was_to_be_sent() {
        let error = SmsError::refused(400, "bad number").of_request(SmsKind::PhoneChange);
        assert_eq!(
            error.to_string(),
            "Error sending phone_change OTP to provider: bad number"
        );
        assert_eq!(error.code(), "sms_send_failed");
    }
}
