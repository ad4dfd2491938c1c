//! Addresses that a provider has not verified: this server verifies them by a mail.

use innkeeper_service::database::Executor;

use crate::app::App;
use crate::app::audit::AuditAction;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::MessageKind;
use crate::flow::one_time::mail_limit;
use crate::flow::one_time::send::{self, OneTimeMail, PendingMails};
use crate::flow::user::User;

/// A confirmation mail that a sign-in sends.
#[derive(Debug)]
pub(crate) struct ConfirmationMail {
    /// Whether one is sent now. If one was sent a moment ago, that one is valid.
    is_due: bool,
}

impl ConfirmationMail {
    /// Claims a mail to the address.
    pub(crate) async fn claim(app: &App, email: &str) -> Result<Self> {
        app.check_mail()?;
        let conn = app.shared().await?;
        match mail_limit::claim(app, &conn, email, MessageKind::Confirmation).await {
            Ok(()) => Ok(Self { is_due: true }),
            Err(AuthError::SentRecently(_)) => Ok(Self { is_due: false }),
            Err(error) => Err(error),
        }
    }

    /// Releases the claim of a mail that was not sent.
    pub(crate) async fn release(&self, app: &App, email: &str) {
        if self.is_due {
            mail_limit::release_quietly(app, email, MessageKind::Confirmation).await;
        }
    }

    /// Stores the link of the mail and enqueues it.
    pub(crate) async fn enqueue(
        &self,
        app: &App,
        tx: &dyn Executor,
        user: &User,
        client: &ClientInfo,
    ) -> Result<PendingMails> {
        if !self.is_due {
            return Ok(PendingMails::default());
        }
        app.audit(tx, AuditAction::ConfirmationRequested, user, client)
            .await?;
        let mail = OneTimeMail {
            kind: MessageKind::Confirmation,
            challenge: None,
            client,
            // The link confirms this sign-up, with its identity.
            carries_password: true,
        };
        send::enqueue_mail(app, tx, user, mail).await
    }
}

/// 422 `provider_email_needs_verification`, after a mail was sent.
pub(crate) fn needs_verification(provider: &str) -> AuthError {
    AuthError::refused(
        ErrorCode::ProviderEmailNeedsVerification,
        format!(
            "Unverified email with {provider}. A confirmation email has been sent to your {provider} email"
        ),
    )
}

/// 422 `provider_email_needs_verification`, without a mail: somebody else has the address.
pub(crate) fn verify_there(provider: &str) -> AuthError {
    AuthError::refused(
        ErrorCode::ProviderEmailNeedsVerification,
        format!(
            "Unverified email with {provider}. Verify the email with {provider} in order to sign in"
        ),
    )
}
