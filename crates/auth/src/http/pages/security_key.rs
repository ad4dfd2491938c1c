//! `/account/security-key`: adds a security key to the account as a second factor.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};
use uuid::Uuid;

use super::ceremony::{self, Ceremony, ceremony_form, ceremony_hint, credential};
use super::factor_code::{CodeSource, FactorRequest, code_problem};
use super::factor_section::{free_name, go_on_after_adding};
use super::form::Form;
use super::html::Html;
use super::layout::Page;
use super::parts::{Field, button, hidden, link_to, paragraph};
use super::paths::PagePath;
use super::problem::Problem;
use super::site::Pages;
use super::step_up::{reload, step_up};
use super::visit::Visit;
use crate::base::error::Result;
use crate::flow::caller::Caller;
use crate::flow::factor::enrol::{self, Enrolment};
use crate::flow::factor::{KeyInput, check_not_anonymous};
use crate::http::api::rate_limits::ClientLimits;

pub(crate) struct SecurityKey {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/security-key")]
impl SecurityKey {
    /// Asks for a name, and for the key.
    #[get]
    async fn show(&self, #[request] request: &Request) -> Result<Response> {
        let mut visit = self.pages.visit(request).await?;
        match visit.caller.take() {
            Some(caller) => key_page(&mut visit, &caller, None, None).await,
            None => visit.ask_to_sign_in(),
        }
    }

    /// Begins to add a key, and makes a challenge for the script of the page.
    #[post("/options")]
    async fn start(
        &self,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        let name = form.text("name");
        let started = match visit.check_form(&form) {
            Ok(()) if !self.pages.offers_security_keys() => return visit.go_to(PagePath::Account),
            Ok(()) => self
                .enrol(&visit, &caller, &name, &limits, request)
                .await
                .map_err(|error| code_problem(&visit, &error, CodeSource::Key)),
            Err(problem) => Err(problem),
        };
        match started {
            Ok(ceremony) => ceremony.respond(&visit),
            Err(problem) => key_page(&mut visit, &caller, Some(name), Some(problem)).await,
        }
    }

    /// Finishes with the answer of the key.
    #[post]
    async fn add(
        &self,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        if let Err(problem) = visit.check_form(&form) {
            let name = Some(form.text("name"));
            return key_page(&mut visit, &caller, name, Some(problem)).await;
        }
        // A key that was begun before the account had a factor must not take the place of that factor.
        let next = PagePath::SecurityKey;
        if let Some(response) = step_up(&mut visit, &caller, next, None).await? {
            return Ok(response);
        }
        let proof = FactorRequest::new(&visit, &caller, &limits, request);
        let answer = KeyInput::create(credential(&form));
        let challenge = form.text("challenge");
        match proof.answer_key(factor_id(&form), challenge, answer).await {
            Ok(tokens) => {
                visit.raise(&caller, &tokens);
                go_on_after_adding(&mut visit, &caller).await
            }
            Err(error) => {
                let problem = code_problem(&visit, &error, CodeSource::Key);
                self.refuse(&mut visit, &caller, &form, problem).await
            }
        }
    }
}

impl SecurityKey {
    async fn enrol(
        &self,
        visit: &Visit<'_>,
        caller: &Caller,
        name: &str,
        limits: &ClientLimits,
        request: &Request,
    ) -> Result<Ceremony> {
        let app = &self.pages.app;
        check_not_anonymous(caller)?;
        let enrolment = Enrolment::security_key(name);
        let enrolled = enrol::enrol(app, caller, &enrolment, &visit.client).await?;
        let caller = reload(app, caller).await?;
        let proof = FactorRequest::new(visit, &caller, limits, request);
        proof.open_key(enrolled.id).await
    }

    /// Shows what is wrong. A form that was sent twice has done its work.
    async fn refuse(
        &self,
        visit: &mut Visit<'_>,
        caller: &Caller,
        form: &Form,
        problem: Problem,
    ) -> Result<Response> {
        let caller = reload(&self.pages.app, caller).await?;
        let id = factor_id(form);
        let mut own = caller.user.factors.iter();
        if own.any(|factor| factor.id == id && factor.is_verified()) {
            visit.catch_up(&caller).await?;
            return go_on_after_adding(visit, &caller).await;
        }
        key_page(visit, &caller, Some(form.text("name")), Some(problem)).await
    }
}

/// Returns the id of the factor that a form is about. A malformed one belongs to nobody.
fn factor_id(form: &Form) -> Uuid {
    Uuid::parse_str(form.value("factor")).unwrap_or_default()
}

async fn key_page(
    visit: &mut Visit<'_>,
    caller: &Caller,
    typed: Option<String>,
    problem: Option<Problem>,
) -> Result<Response> {
    if !visit.pages.offers_security_keys() {
        return visit.go_to(PagePath::Account);
    }
    let next = PagePath::SecurityKey;
    if let Some(response) = step_up(visit, caller, next, problem.as_ref()).await? {
        return Ok(response);
    }
    let words = visit.words();
    let name = typed.unwrap_or_else(|| free_name(caller, &words.security_key));
    let field = Field {
        hint: Some(&words.factor_name_hint),
        ..Field::text("name", &words.factor_name, &name)
    };
    let request = ceremony::Request::Create;
    let mut content = Html::default();
    content.push(paragraph(&words.security_key_hint));
    content.push(
        ceremony_form(visit, request, PagePath::SecurityKeyOptions, next)
            .child(hidden("factor", ""))
            .child(field)
            .child(button(&words.go_on)),
    );
    content.push(ceremony_hint(visit));
    content.push(link_to(visit, PagePath::Account, &words.not_now));
    Page::new(visit, next, &words.add_security_key, content)
        .with_problem(problem)
        .with_script(true)
        .respond(visit)
}
