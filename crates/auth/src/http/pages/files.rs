//! `/account/style.css`, `/account/webauthn.js`, `/account/theme.css` and `/account/logo`.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Response, resource};

use super::assets::Asset;
use super::site::Pages;

pub(crate) struct PageFiles {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/")]
impl PageFiles {
    /// Returns the style sheet of the pages.
    #[get("/style.css")]
    fn style(&self) -> Response {
        self.pages.assets.style.response()
    }

    /// Returns the script that asks authenticators.
    #[get("/webauthn.js")]
    fn script(&self) -> Response {
        self.pages.assets.script.response()
    }

    /// Returns the operator's style sheet.
    #[get("/theme.css")]
    fn theme(&self) -> Result<Response, Rejection> {
        respond(self.pages.assets.theme.as_ref())
    }

    /// Returns the operator's logo.
    #[get("/logo")]
    fn logo(&self) -> Result<Response, Rejection> {
        respond(self.pages.assets.logo.as_ref())
    }
}

fn respond(asset: Option<&Asset>) -> Result<Response, Rejection> {
    asset.map(Asset::response).ok_or_else(Rejection::not_found)
}
