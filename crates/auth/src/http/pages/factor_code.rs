//! Codes of second factors, as the API takes them: the same flows with the same limits.

use innkeeper_rest::Request;
use uuid::Uuid;

use super::ceremony::Ceremony;
use super::pending::PendingChallenge;
use super::problem::Problem;
use super::visit::Visit;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::flow::caller::Caller;
use crate::flow::factor::challenge::{self, ChallengeInput, OpenedChallenge};
use crate::flow::factor::recovery::{self, RecoveryInput};
use crate::flow::factor::verify::{self, VerifyInput};
use crate::flow::factor::{KeyInput, check_not_anonymous, check_owner};
use crate::flow::session::issue::TokenPair;
use crate::http::api::rate_limits::ClientLimits;

/// What a code comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeSource {
    App,
    Message,
    RecoveryCodes,
    /// A security key, which signs instead of showing a code.
    Key,
}

/// A request of a caller who proves a second factor.
pub(super) struct FactorRequest<'a> {
    pub(super) app: &'a App,
    pub(super) caller: &'a Caller,
    client: ClientInfo,
    limits: &'a ClientLimits,
    request: &'a Request,
}

impl<'a> FactorRequest<'a> {
    pub(super) fn new(
        visit: &Visit<'a>,
        caller: &'a Caller,
        limits: &'a ClientLimits,
        request: &'a Request,
    ) -> Self {
        Self {
            app: &visit.pages.app,
            caller,
            client: visit.client.clone(),
            limits,
            request,
        }
    }

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
        self.verify(factor, &VerifyInput::new(challenge, code))
            .await
    }

    /// Answers the challenge of a security key.
    pub(super) async fn answer_key(
        &self,
        factor: Uuid,
        challenge: String,
        answer: KeyInput,
    ) -> Result<TokenPair> {
        self.verify(factor, &VerifyInput::of_key(challenge, answer))
            .await
    }

    async fn verify(&self, factor: Uuid, input: &VerifyInput) -> Result<TokenPair> {
        check_not_anonymous(self.caller)?;
        check_owner(self.caller, factor)?;
        self.limits.count_answer(factor, self.request).await?;
        verify::verify(self.app, self.caller, factor, input, &self.client).await
    }

    /// Uses a recovery code.
    pub(super) async fn use_recovery_code(&self, code: String) -> Result<TokenPair> {
        check_not_anonymous(self.caller)?;
        let user_id = self.caller.user.id;
        self.limits.count_answer(user_id, self.request).await?;
        let input = RecoveryInput::new(code);
        recovery::verify(self.app, self.caller, &input, &self.client).await
    }

    /// Opens a challenge. A phone factor gets its code by text message.
    pub(super) async fn open(&self, factor_id: Uuid) -> Result<PendingChallenge> {
        let opened = self.challenge(factor_id).await?;
        Ok(PendingChallenge {
            factor_id,
            challenge_id: opened.id,
        })
    }

    /// Opens a challenge for a security key.
    pub(super) async fn open_key(&self, factor_id: Uuid) -> Result<Ceremony> {
        Ceremony::of_key(factor_id, self.challenge(factor_id).await?)
    }

    async fn challenge(&self, factor_id: Uuid) -> Result<OpenedChallenge> {
        check_not_anonymous(self.caller)?;
        check_owner(self.caller, factor_id)?;
        self.limits.count_challenge(factor_id, self.request).await?;
        let input = ChallengeInput::default();
        challenge::challenge(self.app, self.caller, factor_id, &input, &self.client).await
    }
}

/// Describes why a code was not accepted.
pub(super) fn code_problem(visit: &Visit<'_>, error: &AuthError, source: CodeSource) -> Problem {
    let words = visit.words();
    let mut problem = Problem::of(error, words, &visit.pages.app);
    let code = match error {
        AuthError::Refused { code, .. } => code,
        // A form without an answer, or with one that no browser sends.
        AuthError::Validation(message) if source == CodeSource::Key && is_about_key(message) => {
            problem.text.clone_from(&words.authenticator_failed);
            return problem;
        }
        _ => return problem,
    };
    let text = match (code, source) {
        (ErrorCode::MfaVerificationFailed, CodeSource::App) => &words.authenticator_wrong,
        (ErrorCode::MfaVerificationFailed, CodeSource::Message) => &words.message_wrong,
        (ErrorCode::MfaVerificationFailed, CodeSource::RecoveryCodes) => &words.recovery_code_wrong,
        (ErrorCode::MfaVerificationFailed, CodeSource::Key) => &words.security_key_wrong,
        (ErrorCode::MfaChallengeExpired | ErrorCode::MfaIpAddressMismatch, CodeSource::Key) => {
            &words.authenticator_outdated
        }
        // There is no such challenge, or none any more.
        (ErrorCode::MfaFactorNotFound, CodeSource::Key) if problem.status == 422 => {
            &words.authenticator_outdated
        }
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

/// Whether the API says that the answer of a security key is missing or cannot be read.
fn is_about_key(message: &str) -> bool {
    ["credential_response", "webauthn", "challenge_id"]
        .iter()
        .any(|name| message.contains(name))
}
