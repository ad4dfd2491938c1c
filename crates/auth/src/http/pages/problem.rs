//! What went wrong, in words for the visitor.

use super::words::{Words, fill};
use crate::app::App;
use crate::base::contact::{InvalidEmail, InvalidPhone};
use crate::base::error::AuthError;
use crate::base::error_code::ErrorCode;
use crate::crypto::password::Weakness;

/// A message about a form that was not accepted.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub(super) status: u16,
    pub(super) text: String,
    /// Whether the second factor is missing, so that the visitor can be asked for it.
    pub(super) needs_second_factor: bool,
}

impl Problem {
    pub(super) fn new(status: u16, text: &str) -> Self {
        Self {
            status,
            text: text.to_owned(),
            needs_second_factor: false,
        }
    }

    /// Describes an error. Failures of the server are logged here, because no other response reports them.
    pub(super) fn of(error: &AuthError, words: &Words, app: &App) -> Self {
        let status = error.status();
        if status.is_server_error() {
            tracing::error!(
                error = error as &dyn std::error::Error,
                "a page could not do what was asked for"
            );
        }
        Self {
            status: status.as_u16(),
            text: describe(error, words, app),
            needs_second_factor: error.code() == ErrorCode::InsufficientAal.as_str(),
        }
    }
}

fn describe(error: &AuthError, words: &Words, app: &App) -> String {
    match error {
        AuthError::Throttled(seconds) | AuthError::RequestLimit(seconds) => {
            words.with_wait(&words.too_many_attempts, *seconds)
        }
        AuthError::SmsSentRecently(seconds) => {
            words.with_wait(&words.message_sent_before, *seconds)
        }
        AuthError::SmsLimit(seconds) => words.with_wait(&words.too_many_messages, *seconds),
        AuthError::SentRecently(seconds) => words.with_wait(&words.sent_before, *seconds),
        AuthError::MailLimit(seconds) => words.with_wait(&words.too_many_mails, *seconds),
        AuthError::WeakPassword(weakness) => weak_password(weakness, words, app),
        AuthError::InvalidCredentials => words.wrong_credentials.clone(),
        AuthError::CaptchaUnavailable(_) => words.captcha_required.clone(),
        AuthError::Unavailable(_) | AuthError::Starting | AuthError::Busy => {
            words.unavailable.clone()
        }
        AuthError::Internal(_) => words.unexpected.clone(),
        // The application has written it for its users.
        AuthError::Raised(raised) => raised.message.clone(),
        AuthError::Refused { code, message, .. } => match refusal(*code, words) {
            Some(text) => text.to_owned(),
            None => message.to_string(),
        },
        AuthError::Validation(message) => match message.as_ref() {
            message if is_about_email(message) => words.email_invalid.clone(),
            message if message == InvalidPhone.to_string() => words.phone_invalid.clone(),
            message if message.starts_with("friendly_name has more than") => {
                words.factor_name_too_long.clone()
            }
            "A phone factor needs a phone number" => words.phone_invalid.clone(),
            "friendly_name is required" => words.name_missing.clone(),
            "friendly_name must be 120 characters or less" => words.factor_name_too_long.clone(),
            "A code is required" => words.code_missing.clone(),
            "Signup requires a valid password" => words.password_missing.clone(),
            message => message.to_owned(),
        },
        other => other.to_string(),
    }
}

/// Whether the API says that the email address is missing or not valid.
fn is_about_email(message: &str) -> bool {
    message == InvalidEmail::Format.to_string()
        || message == InvalidEmail::TooLong.to_string()
        || [
            "missing email or phone",
            "One of email or phone must be set",
            "Password recovery requires an email",
            "Type provided requires an email address",
        ]
        .contains(&message)
}

/// Returns the words for an error code, if pages have their own.
fn refusal(code: ErrorCode, words: &Words) -> Option<&str> {
    Some(match code {
        ErrorCode::CaptchaFailed => &words.captcha_required,
        ErrorCode::CurrentPasswordInvalid => &words.current_password_wrong,
        ErrorCode::CurrentPasswordRequired => &words.current_password_missing,
        ErrorCode::EmailAddressInvalid | ErrorCode::EmailAddressNotAuthorized => {
            &words.email_not_accepted
        }
        ErrorCode::EmailExists | ErrorCode::UserAlreadyExists => &words.email_taken,
        ErrorCode::EmailNotConfirmed => &words.email_not_confirmed,
        ErrorCode::EmailProviderDisabled => &words.email_disabled,
        ErrorCode::InsufficientAal => &words.second_factor_unusable,
        ErrorCode::MfaFactorNameConflict => &words.factor_name_taken,
        ErrorCode::MfaFactorNotFound => &words.factor_not_found,
        ErrorCode::OtpExpired | ErrorCode::ReauthenticationNotValid => &words.code_wrong,
        ErrorCode::OverRequestRateLimit => &words.too_many_requests,
        ErrorCode::PasskeyDisabled => &words.passkeys_disabled,
        ErrorCode::PhoneNotConfirmed => &words.phone_not_confirmed,
        ErrorCode::ReauthenticationNeeded => &words.password_proof_missing,
        ErrorCode::SamePassword => &words.same_password,
        ErrorCode::SignupDisabled => &words.sign_up_closed,
        ErrorCode::TooManyEnrolledMfaFactors => &words.too_many_factors,
        ErrorCode::TooManyPasskeys => &words.too_many_passkeys,
        ErrorCode::UserBanned => &words.banned,
        ErrorCode::UserSsoManaged => &words.managed_elsewhere,
        ErrorCode::WebauthnChallengeExpired | ErrorCode::WebauthnChallengeNotFound => {
            &words.authenticator_outdated
        }
        ErrorCode::WebauthnCredentialExists => &words.authenticator_known,
        ErrorCode::WebauthnVerificationFailed => &words.passkey_refused,
        _ => return None,
    })
}

/// Returns one sentence for each rule that a password breaks.
fn weak_password(weakness: &Weakness, words: &Words, app: &App) -> String {
    let policy = app.policy();
    let sentence = |reason: &&'static str| match *reason {
        "length" => fill(
            &words.password_too_short,
            &[("length", &policy.min_length.to_string())],
        ),
        "characters" => fill(
            &words.password_lacks_characters,
            &[("sets", &policy.required_characters.join(" "))],
        ),
        _ => words.password_easy.clone(),
    };
    let sentences: Vec<String> = weakness.reasons.iter().map(sentence).collect();
    sentences.join(" ")
}
