//! What follows a request for a mail: the page on which its code is entered.

use innkeeper_rest::Response;

use super::notice::Notice;
use super::paths::PagePath;
use super::pending::CodePurpose;
use super::visit::Visit;
use crate::base::error::{AuthError, Result};

/// A mail that is on its way, as far as the visitor may know.
#[derive(Debug, Clone, Copy)]
pub(super) enum SentMail {
    Now,
    /// Another one was sent before, and the next one is possible after so many seconds. Whoever presses a button twice
    /// must not lose the first mail.
    Before(u64),
}

impl SentMail {
    /// Tells mails that were sent from requests that were refused.
    pub(super) fn of(sent: Result<()>) -> Result<Self> {
        match sent {
            Ok(()) => Ok(Self::Now),
            Err(AuthError::SentRecently(seconds)) => Ok(Self::Before(seconds)),
            Err(error) => Err(error),
        }
    }

    /// Sends the browser to the page on which the code is entered.
    pub(super) fn go_on(
        self,
        visit: &mut Visit<'_>,
        purpose: CodePurpose,
        email: &str,
    ) -> Result<Response> {
        visit.expect_code(purpose, email);
        visit.leave_notice(match self {
            Self::Now => Notice::CodeSent,
            Self::Before(seconds) => Notice::SentBefore(seconds),
        });
        visit.go_to(PagePath::Code)
    }
}
