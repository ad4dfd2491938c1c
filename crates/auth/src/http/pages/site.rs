//! What all pages share.

use std::sync::Arc;

use innkeeper_rest::Request;
use url::Url;

use super::assets::Assets;
use super::cookies::Cookies;
use super::form::Form;
use super::paths::Paths;
use super::visit::Visit;
use super::words::Languages;
use crate::app::App;
use crate::app::start_error::StartError;
use crate::base::error::Result;
use crate::config::Config;

/// The pages of the server.
pub(crate) struct Pages {
    pub(super) app: Arc<App>,
    pub(super) paths: Paths,
    pub(super) cookies: Cookies,
    pub(super) languages: Languages,
    pub(super) assets: Assets,
    /// The key of the tokens of forms.
    pub(super) form_key: [u8; 32],
    /// The name of the site, for people.
    pub(super) site_name: String,
    /// The origins whose pages may ask authenticators, with spaces between them; empty if that of these pages is none
    /// of them.
    pub(super) authenticator_origins: String,
    /// The origin of the pages in the place of a loopback address, at which authenticators cannot be asked.
    pub(super) origin_by_name: Option<String>,
}

impl std::fmt::Debug for Pages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pages(…)")
    }
}

impl Pages {
    pub(crate) fn new(app: &Arc<App>) -> std::result::Result<Self, StartError> {
        let config = &app.config;
        let (languages, warnings) =
            Languages::load(&config.pages.languages).map_err(std::io::Error::from)?;
        for warning in warnings {
            tracing::warn!("{warning}");
        }
        let external_url = &config.api.external_url;
        let site_name = config.pages.site_name.clone();
        Ok(Self {
            app: Arc::clone(app),
            paths: Paths::new(external_url),
            cookies: Cookies::new(external_url),
            languages,
            assets: Assets::new(&config.pages),
            form_key: app.sealer.derive("forms of the pages"),
            authenticator_origins: authenticator_origins(config),
            origin_by_name: page_origin(config)
                .filter(|origin| *origin != external_url.origin().ascii_serialization()),
            site_name: site_name.unwrap_or_else(|| name_of(&config.site_url_as_written)),
        })
    }

    /// Whether these pages can ask authenticators.
    pub(super) fn asks_authenticators(&self) -> bool {
        !self.authenticator_origins.is_empty()
    }

    /// Whether people sign in with passkeys here.
    pub(super) fn offers_passkeys(&self) -> bool {
        self.asks_authenticators() && self.app.config.webauthn.passkeys_enabled
    }

    /// Whether security keys can be added and used.
    pub(super) fn offers_security_keys(&self) -> bool {
        let switches = &self.app.config.mfa.webauthn;
        self.asks_authenticators() && switches.enroll && switches.verify
    }

    /// Returns the name of the site that an address belongs to, for people.
    pub(super) fn name_at(&self, url: &str) -> String {
        let site = self.app.redirects.site();
        let is_ours = self.app.redirects.is_own(url) || name_of(url) == name_of(site);
        if is_ours {
            self.site_name.clone()
        } else {
            name_of(url)
        }
    }

    /// Reads a request for a page.
    pub(super) async fn visit(&self, request: &Request) -> Result<Visit<'_>> {
        Visit::begin(self, request).await
    }

    /// Reads a form that was sent from a page.
    pub(super) async fn submitted(
        &self,
        request: &Request,
        bytes: &[u8],
    ) -> Result<(Visit<'_>, Form)> {
        Ok((self.visit(request).await?, Form::read(bytes)))
    }
}

/// Returns the origin at which these pages can ask authenticators.
fn page_origin(config: &Config) -> Option<String> {
    let party = config.webauthn.relying_party.as_ref()?;
    party.origin_of_pages(&config.api.external_url)
}

/// Returns the accepted origins, if that of the pages is one of them.
fn authenticator_origins(config: &Config) -> String {
    let party = config.webauthn.relying_party.as_ref();
    let Some(party) = party.filter(|_| page_origin(config).is_some()) else {
        return String::new();
    };
    let pages = party.origins.iter().filter(|it| it.has_host());
    let origins: Vec<String> = pages.map(|it| it.origin().ascii_serialization()).collect();
    origins.join(" ")
}

/// Returns the host of an address with its port, or else the address.
fn name_of(url: &str) -> String {
    let parsed = Url::parse(url).ok();
    let host = parsed.as_ref().and_then(Url::host_str);
    match (host, parsed.as_ref().and_then(Url::port)) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_owned(),
        (None, _) => url.to_owned(),
    }
}
