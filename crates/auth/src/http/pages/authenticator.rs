//! `/account/authenticator`: adds an authenticator app to the account.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::cookies::{open, seal};
use super::factor_code::{CodeSource, FactorRequest, code_problem};
use super::factor_section::{free_name, go_on_after_adding};
use super::html::{Html, element, text};
use super::layout::Page;
use super::parts::{Field, button, form, hidden, link_to, paragraph};
use super::paths::PagePath;
use super::problem::Problem;
use super::site::Pages;
use super::step_up::{reload, step_up};
use super::visit::Visit;
use crate::base::error::{AuthError, Result};
use crate::flow::caller::Caller;
use crate::flow::factor::enrol::{self, Enrolment};
use crate::flow::factor::{check_not_anonymous, qr};
use crate::http::api::rate_limits::ClientLimits;

/// The name under which the setup of an app is sealed.
const SEAL: &str = "authenticator setup";
/// How many characters of a secret stand together.
const GROUP: usize = 4;

pub(crate) struct Authenticator {
    pub(crate) pages: Arc<Pages>,
}

/// An app that waits for its first code. The form of the page holds it, sealed, so that the page can be shown again
/// after a wrong code.
#[derive(Debug, Serialize, Deserialize)]
struct AppSetup {
    factor_id: Uuid,
    secret: String,
    uri: String,
}

#[resource("/authenticator")]
impl Authenticator {
    /// Asks for a name.
    #[get]
    async fn show(&self, #[request] request: &Request) -> Result<Response> {
        let mut visit = self.pages.visit(request).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        let name = free_name(&caller, &visit.words().authenticator_app);
        name_page(&mut visit, &caller, &name, None).await
    }

    /// Makes a secret for the app, and shows it.
    #[post]
    async fn add(&self, #[request] request: &Request, #[body] bytes: Bytes) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        let name = form.text("name");
        let added = match visit.check_form(&form) {
            Ok(()) => add(&visit, &caller, &name)
                .await
                .map_err(|error| Problem::of(&error, visit.words(), &self.pages.app)),
            Err(problem) => Err(problem),
        };
        match added {
            Ok(setup) => setup_page(&mut visit, &setup, None),
            Err(problem) => name_page(&mut visit, &caller, &name, Some(problem)).await,
        }
    }

    /// Finishes with the first code.
    #[post("/confirm")]
    async fn confirm(
        &self,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        let app = &self.pages.app;
        let Some(setup) = open::<AppSetup>(app, SEAL, form.value("setup")) else {
            let name = free_name(&caller, &visit.words().authenticator_app);
            let problem = Problem::new(400, &visit.words().form_outdated);
            return name_page(&mut visit, &caller, &name, Some(problem)).await;
        };
        if let Err(problem) = visit.check_form(&form) {
            return setup_page(&mut visit, &setup, Some(problem));
        }
        // An app that was begun before the account had a factor must not take the place of that factor.
        let next = PagePath::Authenticator;
        if let Some(response) = step_up(&mut visit, &caller, next, None).await? {
            return Ok(response);
        }
        let proof = FactorRequest::new(&visit, &caller, &limits, request);
        match proof.answer_app(setup.factor_id, form.code()).await {
            Ok(tokens) => {
                visit.raise(&caller, &tokens);
                go_on_after_adding(&mut visit, &caller).await
            }
            Err(error) => self.refuse(&mut visit, &caller, &setup, &error).await,
        }
    }
}

impl Authenticator {
    /// Shows what is wrong. A form that was sent twice has done its work, and one whose app was removed begins anew.
    async fn refuse(
        &self,
        visit: &mut Visit<'_>,
        caller: &Caller,
        setup: &AppSetup,
        error: &AuthError,
    ) -> Result<Response> {
        let problem = code_problem(visit, error, CodeSource::App);
        let caller = reload(&self.pages.app, caller).await?;
        let mut own = caller.user.factors.iter();
        match own.find(|factor| factor.id == setup.factor_id) {
            Some(factor) if factor.is_verified() => {
                visit.catch_up(&caller).await?;
                go_on_after_adding(visit, &caller).await
            }
            Some(_) => setup_page(visit, setup, Some(problem)),
            None => {
                let name = free_name(&caller, &visit.words().authenticator_app);
                name_page(visit, &caller, &name, Some(problem)).await
            }
        }
    }
}

async fn add(visit: &Visit<'_>, caller: &Caller, name: &str) -> Result<AppSetup> {
    let app = &visit.pages.app;
    check_not_anonymous(caller)?;
    let enrolment = Enrolment::app(name, app.config.pages.site_name.as_deref());
    let enrolled = enrol::enrol(app, caller, &enrolment, &visit.client).await?;
    let setup = enrolled
        .totp
        .ok_or_else(|| AuthError::internal("an authenticator app has no secret"))?;
    Ok(AppSetup {
        factor_id: enrolled.id,
        secret: setup.secret,
        uri: setup.uri,
    })
}

async fn name_page(
    visit: &mut Visit<'_>,
    caller: &Caller,
    name: &str,
    problem: Option<Problem>,
) -> Result<Response> {
    let next = PagePath::Authenticator;
    if let Some(response) = step_up(visit, caller, next, problem.as_ref()).await? {
        return Ok(response);
    }
    let words = visit.words();
    let field = Field {
        hint: Some(&words.factor_name_hint),
        ..Field::text("name", &words.factor_name, name)
    };
    let mut content = Html::default();
    content.push(paragraph(&words.authenticator_hint));
    content.push(
        form(visit, PagePath::Authenticator)
            .child(field)
            .child(button(&words.go_on)),
    );
    content.push(link_to(visit, PagePath::Account, &words.not_now));
    Page::new(visit, next, &words.add_authenticator, content)
        .with_problem(problem)
        .respond(visit)
}

/// Shows the secret, and asks for the first code.
fn setup_page(
    visit: &mut Visit<'_>,
    setup: &AppSetup,
    problem: Option<Problem>,
) -> Result<Response> {
    let words = visit.words();
    let sealed = seal(&visit.pages.app, SEAL, setup)?;
    let open_app = text("a", &words.authenticator_open).attribute("href", &setup.uri);
    let mut content = Html::default();
    content.push(paragraph(&words.authenticator_scan));
    content.push(qr_image(&setup.uri, &words.authenticator_qr));
    content.push(
        element("dl")
            .child(text("dt", &words.authenticator_secret))
            .child(text("dd", &in_groups(&setup.secret)).class("secret")),
    );
    content.push(element("p").child(open_app));
    content.push(paragraph(&words.authenticator_confirm));
    content.push(
        form(visit, PagePath::AuthenticatorConfirm)
            .child(hidden("setup", &sealed))
            .child(Field::code(&words.authenticator_code))
            .child(button(&words.go_on)),
    );
    content.push(link_to(visit, PagePath::Account, &words.not_now));
    let title = &words.add_authenticator;
    Page::new(visit, PagePath::Authenticator, title, content)
        .with_problem(problem)
        .respond(visit)
}

/// Draws a QR code as an image that is part of the page.
fn qr_image(uri: &str, label: &str) -> Html {
    let Some(image) = qr::svg(uri) else {
        return Html::default();
    };
    let address = format!("data:image/svg+xml;base64,{}", STANDARD.encode(image));
    element("img")
        .class("qr")
        .attribute("src", &address)
        .attribute("alt", label)
        .into()
}

/// Writes a secret or a code in groups, which are easier to read.
pub(super) fn in_groups(secret: &str) -> String {
    let letters: Vec<char> = secret.chars().collect();
    let groups = letters.chunks(GROUP).map(String::from_iter);
    groups.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::in_groups;

    #[test]
    fn secrets_are_written_in_groups() {
        assert_eq!(in_groups("ABCDEFGHIJ"), "ABCD EFGH IJ");
        assert_eq!(in_groups(""), "");
    }
}
