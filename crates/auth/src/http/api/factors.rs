//! `/factors`: the caller's second factors.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};
use serde::de::DeserializeOwned;

use super::body::{JsonBody, read_json};
use super::rate_limits::ClientLimits;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::base::input::parse_id;
use crate::flow::caller::{AccessToken, Caller};
use crate::flow::factor::challenge::{self, ChallengeInput, OpenedChallenge};
use crate::flow::factor::enrol::{self, EnrolledFactor, Enrolment};
use crate::flow::factor::recovery::{
    self, CodeSet, NewRecoveryCodes, RecoveryCodeStatus, RecoveryInput,
};
use crate::flow::factor::unenrol::{self, RemovedFactor};
use crate::flow::factor::verify::{self, VerifyInput};
use crate::flow::factor::{check_not_anonymous, check_owner};
use crate::flow::session::issue::TokenPair;

pub(crate) struct Factors {
    pub(crate) app: Arc<App>,
}

#[resource("/")]
#[security(bearer)]
impl Factors {
    /// Adds a second factor. It counts once one of its codes was verified.
    #[post]
    #[responds(200, EnrolledFactor)]
    async fn enrol(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[entity] body: JsonBody<Enrolment>,
    ) -> Result<Response> {
        let caller = self.caller(&token, &client).await?;
        let enrolled = enrol::enrol(&self.app, &caller, &body.0, &client).await?;
        Ok(unstored().entity(enrolled))
    }

    /// Returns how many recovery codes the caller has.
    #[get("/recovery-codes")]
    async fn recovery_codes(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
    ) -> Result<RecoveryCodeStatus> {
        let caller = self.caller(&token, &client).await?;
        recovery::status(&self.app, &caller).await
    }

    /// Makes ten recovery codes, which are shown this once.
    #[post("/recovery-codes")]
    #[responds(200, NewRecoveryCodes)]
    async fn make_recovery_codes(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
    ) -> Result<Response> {
        self.make_codes(&token, &client, CodeSet::First).await
    }

    /// Makes ten recovery codes in place of the former ones.
    #[post("/recovery-codes/regenerate")]
    #[responds(200, NewRecoveryCodes)]
    async fn remake_recovery_codes(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
    ) -> Result<Response> {
        self.make_codes(&token, &client, CodeSet::Next).await
    }

    /// Deletes the recovery codes.
    #[delete("/recovery-codes")]
    async fn delete_recovery_codes(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
    ) -> Result<RemovedFactor> {
        let caller = self.caller(&token, &client).await?;
        recovery::delete(&self.app, &caller, &client).await
    }

    /// Uses a recovery code in place of a second factor.
    #[post("/recovery-codes/verify")]
    #[responds(200, TokenPair)]
    async fn verify_recovery_code(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[entity] body: JsonBody<RecoveryInput>,
    ) -> Result<Response> {
        let caller = self.caller(&token, &client).await?;
        limits.count_answer(caller.user.id, request).await?;
        let tokens = recovery::verify(&self.app, &caller, &body.0, &client).await?;
        Ok(unstored().entity(tokens))
    }

    /// Opens a challenge, which a code of the factor answers. Phone factors get the code by text message.
    #[post("/{id}/challenge")]
    async fn challenge(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        id: String,
        #[body] body: Bytes,
    ) -> Result<OpenedChallenge> {
        let caller = self.caller(&token, &client).await?;
        let id = parse_id(&id, "factor_id")?;
        check_owner(&caller, id)?;
        limits.count_challenge(id, request).await?;
        let input: ChallengeInput = read_optional(&body)?;
        challenge::challenge(&self.app, &caller, id, &input, &client).await
    }

    /// Answers a challenge, and raises the session to the second level.
    #[post("/{id}/verify")]
    #[responds(200, TokenPair)]
    async fn verify(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        id: String,
        #[entity] body: JsonBody<VerifyInput>,
    ) -> Result<Response> {
        let caller = self.caller(&token, &client).await?;
        let id = parse_id(&id, "factor_id")?;
        check_owner(&caller, id)?;
        limits.count_answer(id, request).await?;
        let tokens = verify::verify(&self.app, &caller, id, &body.0, &client).await?;
        Ok(unstored().entity(tokens))
    }

    /// Removes a second factor.
    #[delete("/{id}")]
    async fn remove(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        id: String,
    ) -> Result<RemovedFactor> {
        let caller = self.caller(&token, &client).await?;
        let id = parse_id(&id, "factor_id")?;
        unenrol::unenrol(&self.app, &caller, id, &client).await
    }
}

impl Factors {
    /// Returns the caller, who must not be anonymous.
    async fn caller(&self, token: &AccessToken, client: &ClientInfo) -> Result<Caller> {
        let caller = token.caller(&self.app, client).await?;
        check_not_anonymous(&caller)?;
        Ok(caller)
    }

    async fn make_codes(
        &self,
        token: &AccessToken,
        client: &ClientInfo,
        set: CodeSet,
    ) -> Result<Response> {
        let caller = self.caller(token, client).await?;
        let codes = recovery::generate(&self.app, &caller, set, client).await?;
        Ok(unstored().entity(codes))
    }
}

/// A response with secrets, which nobody may keep.
fn unstored() -> Response {
    Response::ok().header("cache-control", "no-store")
}

/// Parses a body that may be empty.
fn read_optional<T: DeserializeOwned + Default>(body: &[u8]) -> Result<T> {
    if body.is_empty() {
        return Ok(T::default());
    }
    Ok(read_json(body)?.unwrap_or_default())
}
