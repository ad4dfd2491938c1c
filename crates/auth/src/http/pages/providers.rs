//! `/account/providers/{name}` and `/account/return`: sign-in with an external provider.
//!
//! The browser that starts a sign-in must be the one that ends it: it keeps a code verifier, as every client of the API
//! that uses PKCE.

use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_rest::{Request, Response, resource};
use innkeeper_service::random;

use super::html::{Html, element, text};
use super::paths::PagePath;
use super::problem::Problem;
use super::sign_in::sign_in_page;
use super::site::Pages;
use super::visit::Visit;
use super::words::fill;
use crate::base::error::Result;
use crate::flow::grant;
use crate::flow::identity::flow::{self, FlowStart};
use crate::http::api::client::query_value;

pub(crate) struct StartProvider {
    pub(crate) pages: Arc<Pages>,
}

pub(crate) struct ReturnFromProvider {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/providers")]
impl StartProvider {
    /// Sends the browser to a provider.
    #[get("/{name}")]
    async fn start(&self, #[request] request: &Request, name: String) -> Result<Response> {
        let mut visit = self.pages.visit(request).await?;
        let verifier = URL_SAFE_NO_PAD.encode(random::bytes::<32>());
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
        let start = FlowStart {
            provider: name,
            scopes: Vec::new(),
            forwarded: Vec::new(),
            challenge: (Some(challenge), Some("s256".to_owned())),
            invite_token: None,
            target: self.pages.paths.return_url().to_owned(),
            linking_user_id: None,
        };
        match flow::start(&self.pages.app, start).await {
            Ok(url) => {
                visit.set_verifier(verifier);
                visit.finish(Response::status(302).header("location", url.as_str()))
            }
            Err(error) => {
                let problem = Problem::of(&error, visit.words(), &self.pages.app);
                sign_in_page(&mut visit, "", Some(problem)).await
            }
        }
    }
}

#[resource("/return")]
impl ReturnFromProvider {
    /// Signs in who comes back from a provider.
    #[get]
    async fn finish(&self, #[request] request: &Request) -> Result<Response> {
        let mut visit = self.pages.visit(request).await?;
        let value = |name: &str| query_value(request.head(), name);
        let (code, verifier) = (value("code"), visit.take_verifier());
        let words = visit.words();
        let problem = match (code, verifier) {
            (Some(code), Some(verifier)) => {
                let app = &self.pages.app;
                match grant::pkce::exchange(app, &code, &verifier, &visit.client).await {
                    Ok(issued) => {
                        visit.sign_in(&issued).await;
                        return visit.go_to(PagePath::Account);
                    }
                    Err(error) if error.status().is_server_error() => return Err(error),
                    Err(_) => Problem::new(400, &words.provider_outdated),
                }
            }
            // Whoever reloads the page is signed in already.
            _ if visit.caller.is_some() => return visit.go_to(PagePath::Account),
            (Some(_), None) => Problem::new(400, &words.provider_outdated),
            (None, _) => {
                let said = value("error_description").or_else(|| value("error"));
                let said = said.unwrap_or_default();
                Problem::new(400, &fill(&words.provider_failed, &[("reason", &said)]))
            }
        };
        sign_in_page(&mut visit, "", Some(problem)).await
    }
}

/// Writes a link for each provider that people can sign in with.
pub(super) async fn provider_links(visit: &Visit<'_>) -> Html {
    let (words, app) = (visit.words(), &visit.pages.app);
    // All sign-ins then end at an address of the application.
    if app.config.external.redirect_url.is_some() {
        return Html::default();
    }
    // What was typed into the form is worth more than the links: it is kept while the database is away.
    let offered = app.providers.offered().await.unwrap_or_else(|error| {
        tracing::warn!(%error, "a page cannot list the providers");
        Vec::new()
    });
    let links = offered.into_iter().map(|provider| {
        let label = fill(&words.continue_with, &[("provider", &provider.label)]);
        let link = text("a", &label)
            .class("button quiet")
            .attribute("href", &visit.pages.paths.provider(&provider.name));
        element("li").child(link)
    });
    let links: Html = links.collect();
    if links.as_str().is_empty() {
        return links;
    }
    element("ul").class("providers").child(links).into()
}
