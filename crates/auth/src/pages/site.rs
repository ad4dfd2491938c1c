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
use crate::error::Result;
use crate::start_error::StartError;

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
            site_name: site_name.unwrap_or_else(|| name_of(&config.site_url_as_written)),
        })
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
