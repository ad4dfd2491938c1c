//! What the table says about a provider.

use super::profile::UserMapping;

/// A provider that speaks OAuth 2, with or without OpenID Connect.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProviderEntry {
    pub(super) name: &'static str,
    pub(super) authorize: Endpoint,
    pub(super) token: Endpoint,
    /// The scopes that are always asked for.
    pub(super) scopes: &'static [&'static str],
    /// Parameters of the authorization request that only this provider has.
    pub(super) parameters: &'static [(&'static str, &'static str)],
    pub(super) client_auth: ClientAuth,
    /// Whether the provider supports PKCE with confidential clients.
    pub(super) pkce: bool,
    pub(super) user: UserSource,
    pub(super) headers: &'static [(&'static str, HeaderText)],
    /// Where the answers of the API, or of the token endpoint, say what.
    pub(super) mapping: UserMapping,
    /// Where the id token says what.
    pub(super) id_mapping: UserMapping,
    /// The issuer of id tokens; `None` if the provider has none. Empty if it is the operator's URL.
    pub(super) issuer: Option<&'static str>,
    /// What follows the base of the API in the issuer of identities that the API describes.
    pub(super) issuer_path: &'static str,
    /// Other spellings of the issuer.
    pub(super) other_issuers: &'static [&'static str],
    /// What comes before the path of API calls if the operator names the host.
    pub(super) api_prefix: &'static str,
    /// Whether `EXTERNAL_<PROVIDER>_URL` has an effect.
    pub(super) is_movable: bool,
    /// Whether the provider puts the nonce of the authorization request into the id token.
    pub(super) nonce: bool,
    /// Parameters of which the client must give at least one.
    pub(super) one_of: &'static [&'static str],
}

/// An address, of which the operator can replace the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Endpoint {
    pub(super) base: &'static str,
    pub(super) path: &'static str,
}

/// How this server proves to the token endpoint that it is the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClientAuth {
    /// With HTTP basic authentication.
    Basic,
    /// With members of the form.
    Form,
    /// With HTTP basic authentication and, if the provider does not know the client then, with members of the form.
    Detect,
}

/// Where the description of the user comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UserSource {
    /// From these endpoints of the API.
    Api(&'static [Endpoint]),
    /// From the id token.
    IdToken,
    /// From the id token; if there is none, from this endpoint.
    IdTokenOr(&'static [Endpoint]),
    /// From the answer of the token endpoint.
    TokenAnswer,
}

/// The value of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeaderText {
    Fixed(&'static str),
    ClientId,
}

/// Returns an endpoint.
pub(super) const fn at(base: &'static str, path: &'static str) -> Endpoint {
    Endpoint { base, path }
}

impl ProviderEntry {
    /// Starts an entry: the name, the endpoints for the browser and for tokens, and where the user is described.
    pub(super) const fn new(
        name: &'static str,
        authorize: Endpoint,
        token: Endpoint,
        user: UserSource,
        mapping: UserMapping,
    ) -> Self {
        Self {
            name,
            authorize,
            token,
            scopes: &[],
            parameters: &[],
            client_auth: ClientAuth::Form,
            pkce: false,
            user,
            headers: &[],
            mapping,
            id_mapping: UserMapping::OIDC,
            issuer: None,
            issuer_path: "",
            other_issuers: &[],
            api_prefix: "",
            is_movable: true,
            nonce: true,
            one_of: &[],
        }
    }

    pub(super) const fn scopes(mut self, scopes: &'static [&'static str]) -> Self {
        self.scopes = scopes;
        self
    }

    pub(super) const fn parameters(
        mut self,
        parameters: &'static [(&'static str, &'static str)],
    ) -> Self {
        self.parameters = parameters;
        self
    }

    pub(super) const fn basic_auth(mut self) -> Self {
        self.client_auth = ClientAuth::Basic;
        self
    }

    pub(super) const fn pkce(mut self) -> Self {
        self.pkce = true;
        self
    }

    pub(super) const fn headers(mut self, headers: &'static [(&'static str, HeaderText)]) -> Self {
        self.headers = headers;
        self
    }

    pub(super) const fn issuer(mut self, issuer: &'static str) -> Self {
        self.issuer = Some(issuer);
        self
    }

    pub(super) const fn issuer_path(mut self, path: &'static str) -> Self {
        self.issuer_path = path;
        self
    }

    pub(super) const fn other_issuers(mut self, issuers: &'static [&'static str]) -> Self {
        self.other_issuers = issuers;
        self
    }

    pub(super) const fn api_prefix(mut self, prefix: &'static str) -> Self {
        self.api_prefix = prefix;
        self
    }

    pub(super) const fn fixed(mut self) -> Self {
        self.is_movable = false;
        self
    }

    pub(super) const fn id_mapping(mut self, mapping: UserMapping) -> Self {
        self.id_mapping = mapping;
        self
    }

    pub(super) const fn without_nonce(mut self) -> Self {
        self.nonce = false;
        self
    }

    pub(super) const fn needs_one_of(mut self, parameters: &'static [&'static str]) -> Self {
        self.one_of = parameters;
        self
    }

    /// Whether the authorization request gets a nonce.
    pub(super) fn sends_nonce(&self) -> bool {
        self.nonce && !matches!(self.user, UserSource::Api(_) | UserSource::TokenAnswer)
    }
}
