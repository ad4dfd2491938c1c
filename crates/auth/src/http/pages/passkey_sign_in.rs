//! `/account/passkey`: signs in with a passkey, from the sign-in page.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};

use super::ceremony::{
    self, Ceremony, ceremony_form, check_passkey_form, credential, passkey_problem,
};
use super::html::Element;
use super::parts::quiet_button;
use super::paths::PagePath;
use super::sign_in::sign_in_page;
use super::site::Pages;
use super::visit::Visit;
use crate::base::error::Result;
use crate::flow::passkey::{PasskeyAnswer, sign_in};
use crate::http::api::captcha;

pub(crate) struct PasskeySignIn {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/passkey")]
impl PasskeySignIn {
    /// Makes a challenge for the script of the sign-in page.
    #[post("/options")]
    async fn start(&self, #[request] request: &Request, #[body] bytes: Bytes) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let started = match check_passkey_form(&visit, &form) {
            Ok(()) => self
                .challenge(request, &visit)
                .await
                .map_err(|error| passkey_problem(&visit, &error, ceremony::Request::Get)),
            Err(problem) => Err(problem),
        };
        match started {
            Ok(ceremony) => ceremony.respond(&visit),
            Err(problem) => sign_in_page(&mut visit, "", Some(problem)).await,
        }
    }

    /// Signs in with the answer of the passkey.
    #[post]
    async fn submit(&self, #[request] request: &Request, #[body] bytes: Bytes) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        if let Err(problem) = check_passkey_form(&visit, &form) {
            return sign_in_page(&mut visit, "", Some(problem)).await;
        }
        let answer = PasskeyAnswer::new(form.text("challenge"), credential(&form));
        match sign_in::finish(&self.pages.app, &answer, &visit.client).await {
            Ok(issued) => {
                visit.sign_in(&issued).await;
                visit.go_to(PagePath::Account)
            }
            Err(error) => {
                let problem = passkey_problem(&visit, &error, ceremony::Request::Get);
                sign_in_page(&mut visit, "", Some(problem)).await
            }
        }
    }
}

impl PasskeySignIn {
    async fn challenge(&self, request: &Request, visit: &Visit<'_>) -> Result<Ceremony> {
        let app = &self.pages.app;
        captcha::check(app, request.head(), &visit.client, None).await?;
        Ok(Ceremony::of_passkey(sign_in::start(app).await?))
    }
}

/// The button on the sign-in page, if these pages have passkeys. Where a captcha is required, nobody could use it.
pub(super) fn passkey_button(visit: &Visit<'_>) -> Option<Element> {
    let (words, pages) = (visit.words(), visit.pages);
    let is_offered = pages.offers_passkeys() && pages.app.captcha.is_none();
    is_offered.then(|| {
        ceremony_form(
            visit,
            ceremony::Request::Get,
            PagePath::PasskeySignInOptions,
            PagePath::PasskeySignIn,
        )
        .attribute("data-autofill", "email")
        .child(quiet_button(&words.passkey_sign_in))
    })
}
