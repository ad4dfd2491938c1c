//! A provider that users can sign in with.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::clock::Clock;
use reqwest::Method;
use serde_json::Value;

use super::azure;
use super::error::{ExternalError, Step};
use super::flow::{
    Authorization, AuthorizationRequest, CallbackParameters, FlowSecrets, IdToken, ProviderTokens,
    ProviderUser,
};
use super::hosts::Hosts;
use super::http::ProviderHttp;
use super::id_token::{ExpectedClaims, ExpectedNonce, IdTokenProblem};
use super::jws::ParsedToken;
use super::oauth2::{self, TokenAnswer};
use super::oidc::OidcDocuments;
use super::profile::UserProfile;
use super::setup::{IdTokenSetup, IssuerRule, ProviderSetup, SetupSource};
use super::{apple, facebook, twitter};
use crate::base::error::Result;
use crate::config::Profile;

/// What all providers share that may call the same hosts.
#[derive(Debug)]
pub(super) struct ProviderShared {
    pub(super) hosts: Hosts,
    pub(super) documents: OidcDocuments,
    pub(super) clock: Clock,
    pub(super) profile: Profile,
    /// How long one step of a sign-in may take, with all its requests.
    pub(super) timeout: Duration,
    pub(super) http: ProviderHttp,
}

impl ProviderShared {
    /// Does a step of a sign-in within the time that it may take.
    pub(super) async fn in_time<T>(
        &self,
        work: impl Future<Output = std::result::Result<T, ExternalError>>,
    ) -> std::result::Result<T, ExternalError> {
        let outcome = tokio::time::timeout(self.timeout, work).await;
        outcome.unwrap_or(Err(ExternalError::TimedOut))
    }
}

/// A provider that users can sign in with.
#[derive(Debug, Clone)]
pub(crate) struct Provider {
    pub(super) setup: Arc<ProviderSetup>,
    pub(super) shared: Arc<ProviderShared>,
}

/// The audience and the nonce that an id token must have, and the access token beside it.
struct TokenRules<'a> {
    nonce: ExpectedNonce<'a>,
    access_token: Option<&'a str>,
}

impl Provider {
    /// Returns the name, as identities have it.
    pub(crate) fn name(&self) -> &str {
        &self.setup.name
    }

    /// Whether users without an email address can sign in.
    pub(crate) fn email_optional(&self) -> bool {
        self.setup.email_optional
    }

    /// Returns where to send the browser, and what to remember until it comes back.
    pub(crate) async fn authorize(
        &self,
        request: &AuthorizationRequest<'_>,
    ) -> Result<Authorization> {
        let outcome = if self.setup.name == twitter::NAME {
            self.shared
                .in_time(twitter::authorization(self, request))
                .await
        } else {
            oauth2::authorization(&self.setup, &self.shared.hosts, request)
        };
        outcome.map_err(|error| error.into_auth_error(self.name(), Step::Authorize))
    }

    /// Exchanges what the browser brought back for the user's description and tokens.
    pub(crate) async fn exchange(
        &self,
        callback: &CallbackParameters,
        secrets: &FlowSecrets,
    ) -> Result<(ProviderUser, ProviderTokens)> {
        if self.setup.name == twitter::NAME {
            let outcome = self
                .shared
                .in_time(twitter::exchange(self, callback, secrets))
                .await;
            return outcome.map_err(|error| error.into_auth_error(self.name(), Step::Exchange));
        }
        let answer = self.shared.in_time(self.tokens(callback, secrets)).await;
        let answer = answer.map_err(|error| error.into_auth_error(self.name(), Step::Exchange))?;
        let user = self
            .shared
            .in_time(self.user(&answer, callback, secrets))
            .await;
        let user = user.map_err(|error| error.into_auth_error(self.name(), Step::User))?;
        Ok((user.into_user(), answer.tokens))
    }

    /// Verifies an id token that a client got by itself.
    pub(crate) async fn verify_id_token(&self, token: &IdToken<'_>) -> Result<ProviderUser> {
        let nonce = if self.setup.skip_nonce_check {
            ExpectedNonce::Unchecked
        } else {
            ExpectedNonce::HashOf(token.nonce.filter(|nonce| !nonce.is_empty()))
        };
        let rules = TokenRules {
            nonce,
            access_token: token.access_token.filter(|token| !token.is_empty()),
        };
        let user = self
            .shared
            .in_time(self.user_of_token(token.id_token, &rules))
            .await;
        let user = user.map_err(|error| error.into_auth_error(self.name(), Step::IdToken))?;
        Ok(user.into_user())
    }

    async fn tokens(
        &self,
        callback: &CallbackParameters,
        secrets: &FlowSecrets,
    ) -> std::result::Result<TokenAnswer, ExternalError> {
        let credentials = &self.setup.credentials;
        let code = callback.code.as_deref().filter(|code| !code.is_empty());
        let code = code.ok_or(ExternalError::Callback("code"))?;
        let signed = credentials.key.as_ref().map(|key| {
            let now = self.shared.clock.now();
            key.client_secret(credentials.id(), now)
        });
        let signed = signed.transpose()?;
        let secret = signed.as_deref().unwrap_or(credentials.secret.reveal());
        let hosts = &self.shared.hosts;
        oauth2::exchange(&self.setup, secret, &self.shared.http, hosts, code, secrets).await
    }

    async fn user(
        &self,
        answer: &TokenAnswer,
        callback: &CallbackParameters,
        secrets: &FlowSecrets,
    ) -> std::result::Result<UserProfile, ExternalError> {
        let access_token = answer.tokens.access_token.as_str();
        let nonce = match &secrets.nonce {
            Some(nonce) if self.setup.sends_nonce => ExpectedNonce::Ours(nonce),
            _ => ExpectedNonce::Unchecked,
        };
        let rules = TokenRules {
            nonce,
            access_token: Some(access_token),
        };
        let id_token = answer.id_token.as_deref();
        match (&self.setup.user, id_token) {
            (SetupSource::TokenAnswer, _) => {
                let answer = Value::Object(answer.members.clone());
                self.setup.mapping.read(&self.setup.api_issuer, &[answer])
            }
            (SetupSource::Api(urls), _) | (SetupSource::IdTokenOr(urls), None) => {
                let answers = self.api_answers(urls, access_token).await?;
                self.setup.mapping.read(&self.setup.api_issuer, &answers)
            }
            (SetupSource::IdToken | SetupSource::IdTokenOr(_), Some(token)) => {
                let mut user = self.user_of_token(token, &rules).await?;
                if self.setup.name == "apple" {
                    apple::set_name(callback.user.as_deref(), &mut user);
                }
                Ok(user)
            }
            (SetupSource::IdTokenAnd(url), Some(token)) => {
                self.user_of_both(token, &rules, url).await
            }
            (SetupSource::IdToken | SetupSource::IdTokenAnd(_), None) => {
                Err(ExternalError::Missing("id token"))
            }
        }
    }

    /// Asks the API of the provider, with the access token of the user.
    async fn api_answers(
        &self,
        urls: &[String],
        access_token: &str,
    ) -> std::result::Result<Vec<Value>, ExternalError> {
        let mut answers = Vec::with_capacity(urls.len());
        for url in urls {
            let mut url = self.shared.hosts.parse(url, "the user info endpoint")?;
            if self.setup.name == "facebook" {
                let secret = self.setup.credentials.secret.reveal();
                facebook::add_proof(&mut url, secret, access_token);
            }
            let mut request = self
                .shared
                .http
                .request(Method::GET, &url)?
                .bearer_auth(access_token);
            for (name, value) in &self.setup.headers {
                request = request.header(*name, value);
            }
            answers.push(self.shared.http.json(request).await?);
        }
        Ok(answers)
    }

    async fn user_of_token(
        &self,
        token: &str,
        rules: &TokenRules<'_>,
    ) -> std::result::Result<UserProfile, ExternalError> {
        let (issuer, document, claims) = self.verified_claims(token, rules).await?;
        let mut user = self
            .setup
            .id_mapping
            .read(&issuer, std::slice::from_ref(&claims))?;
        if self.setup.name == "azure" {
            let address = claims.get("email").and_then(Value::as_str);
            let verified = azure::is_email_verified(self.shared.profile, &document, &claims);
            user.add_email(address.unwrap_or_default(), verified, true);
        }
        Ok(user)
    }

    /// Reads the id token and, for claims that it does not have, the user info endpoint.
    async fn user_of_both(
        &self,
        token: &str,
        rules: &TokenRules<'_>,
        url: &str,
    ) -> std::result::Result<UserProfile, ExternalError> {
        let (issuer, _, mut claims) = self.verified_claims(token, rules).await?;
        if !self.setup.id_mapping.is_complete(&claims) {
            let access_token = rules.access_token.unwrap_or_default();
            let answers = self.api_answers(&[url.to_owned()], access_token).await?;
            let answer = answers.into_iter().next().unwrap_or_default();
            // Else the answer may be about somebody else.
            if answer.get("sub") != claims.get("sub") {
                return Err(ExternalError::Missing("user of the id token"));
            }
            if let (Value::Object(more), Some(claims)) = (answer, claims.as_object_mut()) {
                for (name, value) in more {
                    claims.entry(name).or_insert(value);
                }
            }
        }
        self.setup.id_mapping.read(&issuer, &[claims])
    }

    /// Verifies an id token. Returns its issuer, the issuer of the discovery document, and the claims.
    async fn verified_claims(
        &self,
        token: &str,
        rules: &TokenRules<'_>,
    ) -> std::result::Result<(String, String, Value), ExternalError> {
        let setup = self.setup.id_tokens.as_ref();
        let setup = setup.ok_or(ExternalError::Missing("issuer of id tokens"))?;
        let parsed = ParsedToken::parse(token)?;
        let documents = &self.shared.documents;
        let expected = match &setup.issuers {
            IssuerRule::OneOf(issuers) => issuers.first().map(String::as_str),
            IssuerRule::AzureTenant => None,
        };
        let document = documents
            .discover(&self.shared.http, &setup.discovery_url, expected)
            .await?;
        let issuers = issuers(setup, &document.issuer, &parsed);
        let issuers: Vec<&str> = issuers.iter().map(String::as_str).collect();
        let client_ids: Vec<&str> = self
            .setup
            .credentials
            .ids
            .iter()
            .map(String::as_str)
            .collect();
        // A token of another issuer may not make this server look for keys.
        let issuer = parsed.text("iss").unwrap_or_default().to_owned();
        if issuer.is_empty() {
            return Err(IdTokenProblem::Issuer.into());
        }
        documents
            .verify(&self.shared.http, &document.jwks_uri, &parsed)
            .await?;
        let expected = ExpectedClaims {
            issuers: &issuers,
            client_ids: &client_ids,
            nonce: rules.nonce,
            access_token: rules.access_token,
            now: self.shared.clock.now(),
        };
        expected.check(&parsed)?;
        Ok((
            issuer,
            document.issuer.clone(),
            Value::Object(parsed.claims),
        ))
    }
}

fn issuers(setup: &IdTokenSetup, document: &str, token: &ParsedToken<'_>) -> Vec<String> {
    match &setup.issuers {
        IssuerRule::OneOf(issuers) => issuers.clone(),
        IssuerRule::AzureTenant => vec![azure::issuer_of(document, token)],
    }
}
