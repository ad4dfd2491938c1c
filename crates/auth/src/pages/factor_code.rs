//! Codes of second factors, as the API takes them: the same flows with the same limits.

use innkeeper_rest::Request;
use uuid::Uuid;

use super::pending::PendingChallenge;
use super::problem::Problem;
use super::visit::Visit;
use crate::api::rate_limits::ClientLimits;
use crate::app::App;
use crate::caller::Caller;
use crate::client::ClientInfo;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::factor::challenge::{self, ChallengeInput};
use crate::factor::recovery::{self, RecoveryInput};
use crate::factor::verify::{self, VerifyInput};
use crate::factor::{check_not_anonymous, check_owner};
use crate::session::issue::TokenPair;

/// What a code comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeSource {
    App,
    Message,
    RecoveryCodes,
}

/// A request of a caller who proves a second factor.
pub(super) struct FactorRequest<'a> {
    pub(super) app: &'a App,
    pub(super) caller: &'a Caller,
    pub(super) client: &'a ClientInfo,
    pub(super) limits: &'a ClientLimits,
    pub(super) request: &'a Request,
}

impl FactorRequest<'_> {
    /// Proves an authenticator app. Its challenge is opened and answered at once.
    pub(super) async fn answer_app(&self, factor: Uuid, code: String) -> Result<TokenPair> {
        if code.is_empty() {
            return Err(AuthError::validation("A code is required"));
        }
        let opened = self.open(factor).await?;
        self.answer(factor, opened.challenge_id.to_string(), code)
            .await
    }

    /// Answers a challenge.
    pub(super) async fn answer(
        &self,
        factor: Uuid,
        challenge: String,
        code: String,
    ) -> Result<TokenPair> {
        check_not_anonymous(self.caller)?;
        check_owner(self.caller, factor)?;
        self.limits.count_answer(factor, self.request).await?;
        let input = VerifyInput::new(challenge, code);
        verify::verify(self.app, self.caller, factor, &input, self.client).await
    }

    /// Uses a recovery code.
    pub(super) async fn use_recovery_code(&self, code: String) -> Result<TokenPair> {
        check_not_anonymous(self.caller)?;
        let user_id = self.caller.user.id;
        self.limits.count_answer(user_id, self.request).await?;
        let input = RecoveryInput::new(code);
        recovery::verify(self.app, self.caller, &input, self.client).await
    }

    /// Opens a challenge. A phone factor gets its code by text message.
    pub(super) async fn open(&self, factor_id: Uuid) -> Result<PendingChallenge> {
        check_not_anonymous(self.caller)?;
        check_owner(self.caller, factor_id)?;
        self.limits.count_challenge(factor_id, self.request).await?;
        let input = ChallengeInput::default();
        let opened =
            challenge::challenge(self.app, self.caller, factor_id, &input, self.client).await?;
        Ok(PendingChallenge {
            factor_id,
            challenge_id: opened.id,
        })
    }
}

/// Describes why a code was not accepted.
pub(super) fn code_problem(visit: &Visit<'_>, error: &AuthError, source: CodeSource) -> Problem {
    let words = visit.words();
    let mut problem = Problem::of(error, words, &visit.pages.app);
    let AuthError::Refused { code, .. } = error else {
        return problem;
    };
    let text = match (code, source) {
        (ErrorCode::MfaVerificationFailed, CodeSource::App) => &words.authenticator_wrong,
        (ErrorCode::MfaVerificationFailed, CodeSource::Message) => &words.message_wrong,
        (ErrorCode::MfaVerificationFailed, CodeSource::RecoveryCodes) => &words.recovery_code_wrong,
        (ErrorCode::MfaChallengeExpired | ErrorCode::MfaIpAddressMismatch, _) => {
            &words.message_expired
        }
        // The challenge is gone with the factor that it was opened for, or with a newer one.
        (ErrorCode::MfaFactorNotFound, CodeSource::Message) => &words.message_expired,
        (ErrorCode::MfaVerifiedFactorExists, _) => &words.phone_number_taken,
        _ => return problem,
    };
    problem.text.clone_from(text);
    problem
}
