//! A provider, made of what the operator says about it and of its discovery document.

use super::custom::CustomMapping;
use super::discovery::{DiscoveryDocument, document_url};
use super::entry::ClientAuth;
use super::error::ExternalError;
use super::setup::{
    ClientCredentials, IdTokenSetup, IssuerRule, ProviderSetup, SetupMapping, SetupSource,
};
use crate::config::{CustomProtocol, CustomProvider};

/// Returns where the discovery document of an OpenID Connect provider is, and its issuer.
pub(super) fn discovery_of(custom: &CustomProvider) -> Option<(String, &str)> {
    let CustomProtocol::Oidc {
        issuer,
        discovery_url,
        ..
    } = &custom.protocol
    else {
        return None;
    };
    let url = discovery_url.clone();
    Some((url.unwrap_or_else(|| document_url(issuer)), issuer))
}

/// The endpoints of a custom provider, and what differs between the protocols.
struct CustomEndpoints {
    authorize: String,
    token: String,
    user: SetupSource,
    client_auth: ClientAuth,
    pkce: bool,
    nonce: bool,
    id_tokens: Option<IdTokenSetup>,
    api_issuer: String,
}

/// Combines a description with the discovery document, which OpenID Connect needs.
pub(super) fn custom_setup(
    custom: &CustomProvider,
    document: Option<&DiscoveryDocument>,
    redirect_uri: &str,
) -> Result<ProviderSetup, ExternalError> {
    let endpoints = endpoints(custom, document)?;
    let mapping = SetupMapping::Custom(CustomMapping {
        attributes: custom.attribute_mapping.clone(),
        allowed: custom.custom_claims_allowlist.clone(),
    });
    let parameters = custom.authorization_params.iter();
    let ids = std::iter::once(&custom.client_id).chain(&custom.acceptable_client_ids);
    Ok(ProviderSetup {
        name: custom.identifier.clone(),
        authorize: endpoints.authorize,
        token: endpoints.token,
        user: endpoints.user,
        scopes: scopes(custom),
        parameters: parameters.map(|(k, v)| (k.clone(), v.clone())).collect(),
        one_of: &[],
        headers: Vec::new(),
        client_auth: endpoints.client_auth,
        pkce: custom.pkce_enabled && endpoints.pkce,
        sends_nonce: endpoints.nonce,
        mapping: mapping.clone(),
        id_mapping: mapping,
        api_issuer: endpoints.api_issuer,
        id_tokens: endpoints.id_tokens,
        credentials: ClientCredentials {
            ids: ids.cloned().collect(),
            secret: custom.client_secret.clone(),
            key: None,
            redirect_uri: redirect_uri.to_owned(),
        },
        email_optional: custom.email_optional,
        skip_nonce_check: !endpoints.nonce,
    })
}

fn endpoints(
    custom: &CustomProvider,
    document: Option<&DiscoveryDocument>,
) -> Result<CustomEndpoints, ExternalError> {
    match (&custom.protocol, document) {
        (
            CustomProtocol::OAuth2 {
                authorization_url,
                token_url,
                userinfo_url,
                ..
            },
            _,
        ) => Ok(CustomEndpoints {
            authorize: authorization_url.clone(),
            token: token_url.clone(),
            user: SetupSource::Api(vec![userinfo_url.clone()]),
            client_auth: ClientAuth::Detect,
            pkce: true,
            nonce: false,
            id_tokens: None,
            api_issuer: userinfo_url.clone(),
        }),
        (
            CustomProtocol::Oidc {
                skip_nonce_check, ..
            },
            Some(document),
        ) => discovered(custom, document, !skip_nonce_check),
        (CustomProtocol::Oidc { .. }, None) => Err(ExternalError::Discovery("there is none")),
    }
}

fn discovered(
    custom: &CustomProvider,
    document: &DiscoveryDocument,
    nonce: bool,
) -> Result<CustomEndpoints, ExternalError> {
    document.check_code_flow()?;
    let discovery = discovery_of(custom).ok_or(ExternalError::Discovery("there is none"))?;
    let (discovery_url, issuer) = (discovery.0, discovery.1.to_owned());
    let userinfo = document.userinfo_endpoint.clone();
    Ok(CustomEndpoints {
        authorize: document.authorization_endpoint.clone(),
        token: document.token_endpoint.clone(),
        user: userinfo.map_or(SetupSource::IdToken, SetupSource::IdTokenAnd),
        client_auth: client_auth(document.token_auth_methods.as_deref()),
        pkce: supports_pkce(document.challenge_methods.as_deref()),
        nonce,
        api_issuer: issuer.clone(),
        id_tokens: Some(IdTokenSetup {
            discovery_url,
            issuers: IssuerRule::OneOf(vec![issuer]),
        }),
    })
}

/// Returns the scopes. Without `openid` there would be no id token.
fn scopes(custom: &CustomProvider) -> Vec<String> {
    let is_oidc = matches!(custom.protocol, CustomProtocol::Oidc { .. });
    let openid = (is_oidc && !custom.scopes.iter().any(|scope| scope == "openid"))
        .then(|| "openid".to_owned());
    openid.into_iter().chain(custom.scopes.clone()).collect()
}

/// Chooses how the client authenticates. HTTP basic is what a document means that says nothing.
fn client_auth(methods: Option<&[String]>) -> ClientAuth {
    let Some(methods) = methods else {
        return ClientAuth::Basic;
    };
    let has = |name: &str| methods.iter().any(|method| method == name);
    match (has("client_secret_basic"), has("client_secret_post")) {
        (true, _) => ClientAuth::Basic,
        (false, true) => ClientAuth::Form,
        (false, false) => ClientAuth::Detect,
    }
}

/// Whether the only method that is safe is supported. Many documents do not say.
fn supports_pkce(methods: Option<&[String]>) -> bool {
    methods.is_none_or(|methods| methods.iter().any(|method| method == "S256"))
}
