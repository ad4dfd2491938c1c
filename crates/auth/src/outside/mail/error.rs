//! Errors of the mailer.

use crate::base::error::AuthError;
use crate::base::error_code::ErrorCode;

/// A mail that was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// Neither a mail server nor a hook is configured.
    #[error("no mail server is configured")]
    NotConfigured,
    /// The recipient is not an address that mail can be sent to.
    #[error("the recipient is not a mail address")]
    Recipient,
}

impl From<MailError> for AuthError {
    fn from(error: MailError) -> Self {
        match error {
            MailError::NotConfigured => Self::refused(
                ErrorCode::EmailProviderDisabled,
                "This server is not set up to send email",
            ),
            MailError::Recipient => Self::refused(
                ErrorCode::EmailAddressInvalid,
                "Mail cannot be sent to this email address",
            ),
        }
    }
}

/// Settings with which no mail can be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailSettingError {
    /// The sender is not a mail address.
    #[error("SMTP_ADMIN_EMAIL: `{0}` is not a mail address")]
    Sender(String),
    /// The sender's name cannot be part of a header.
    #[error("SMTP_SENDER_NAME: contains a control character")]
    SenderName,
    /// A subject cannot be part of a header.
    #[error("MAILER_SUBJECTS_{0}: contains a control character")]
    Subject(&'static str),
    /// A header that cannot be added.
    #[error("SMTP_HEADERS: `{0}`: {1}")]
    Header(String, &'static str),
    /// Templates cannot be fetched.
    #[error("MAILER_TEMPLATES: {0}")]
    Templates(String),
}
