//! `/account/phone`: adds a phone number that gets codes by text message to the account.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};
use uuid::Uuid;

use super::factor_code::{CodeSource, FactorRequest, code_problem};
use super::factor_section::{free_name, go_on_after_adding, offers_phone_factors};
use super::form::Form;
use super::html::Html;
use super::layout::Page;
use super::parts::{Field, button, form, link_to};
use super::paths::PagePath;
use super::problem::Problem;
use super::second_factor::send_message;
use super::second_factor_page::MessageForm;
use super::site::Pages;
use super::step_up::{reload, step_up};
use super::visit::Visit;
use crate::base::error::Result;
use crate::flow::caller::Caller;
use crate::flow::factor::enrol::{self, Enrolment};
use crate::flow::factor::{FactorType, check_not_anonymous};
use crate::http::api::rate_limits::ClientLimits;
use crate::model::Factor;

pub(crate) struct PhoneFactor {
    pub(crate) pages: Arc<Pages>,
}

/// What the visitor has typed.
#[derive(Debug, Default)]
struct Typed {
    name: String,
    phone: String,
}

#[resource("/phone")]
impl PhoneFactor {
    /// Asks for the number, or for the code that was sent to it.
    #[get]
    async fn show(&self, #[request] request: &Request) -> Result<Response> {
        let mut visit = self.pages.visit(request).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        if let Some(response) = ask_first(&mut visit, &caller).await? {
            return Ok(response);
        }
        let challenge = visit.challenge();
        let factor = challenge.and_then(|it| unverified(&caller, it.factor_id));
        match (factor, challenge) {
            (Some(factor), Some(challenge)) => {
                let challenge = challenge.challenge_id.to_string();
                code_page(&mut visit, factor, &challenge, None)
            }
            _ => number_page(&mut visit, &caller, None, None).await,
        }
    }

    /// Adds a number, and sends a code to it.
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
        let typed = Typed {
            name: form.text("name"),
            phone: form.text("phone"),
        };
        if let Err(problem) = visit.check_form(&form) {
            return number_page(&mut visit, &caller, Some(typed), Some(problem)).await;
        }
        match self
            .enrol(&mut visit, &caller, &typed, &limits, request)
            .await
        {
            Ok(()) => visit.go_to(PagePath::PhoneFactor),
            Err(error) => {
                let problem = code_problem(&visit, &error, CodeSource::Message);
                number_page(&mut visit, &caller, Some(typed), Some(problem)).await
            }
        }
    }

    /// Sends another code.
    #[post("/code")]
    async fn send_again(
        &self,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        if let Some(response) = ask_first(&mut visit, &caller).await? {
            return Ok(response);
        }
        let sent = match (visit.check_form(&form), factor_of(&form, &caller)) {
            (Err(problem), _) => Err(problem),
            (Ok(()), None) => Err(Problem::new(404, &visit.words().factor_not_found)),
            (Ok(()), Some(factor)) => self
                .send(&mut visit, &caller, factor.id, &limits, request)
                .await
                .map_err(|error| code_problem(&visit, &error, CodeSource::Message)),
        };
        match sent {
            Ok(()) => visit.go_to(PagePath::PhoneFactor),
            Err(problem) => self.refuse(&mut visit, &caller, &form, problem).await,
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
        if let Err(problem) = visit.check_form(&form) {
            return self.refuse(&mut visit, &caller, &form, problem).await;
        }
        if let Some(response) = ask_first(&mut visit, &caller).await? {
            return Ok(response);
        }
        let id = Uuid::parse_str(form.value("factor")).unwrap_or_default();
        let proof = FactorRequest::new(&visit, &caller, &limits, request);
        let challenge = form.text("challenge");
        match proof.answer(id, challenge, form.code()).await {
            Ok(tokens) => {
                visit.raise(&caller, &tokens);
                go_on_after_adding(&mut visit, &caller).await
            }
            Err(error) => {
                let problem = code_problem(&visit, &error, CodeSource::Message);
                self.refuse(&mut visit, &caller, &form, problem).await
            }
        }
    }
}

impl PhoneFactor {
    async fn enrol(
        &self,
        visit: &mut Visit<'_>,
        caller: &Caller,
        typed: &Typed,
        limits: &ClientLimits,
        request: &Request,
    ) -> Result<()> {
        let app = &self.pages.app;
        check_not_anonymous(caller)?;
        let enrolment = Enrolment::phone(&typed.name, &typed.phone);
        let enrolled = enrol::enrol(app, caller, &enrolment, &visit.client).await?;
        let caller = reload(app, caller).await?;
        self.send(visit, &caller, enrolled.id, limits, request)
            .await
    }

    async fn send(
        &self,
        visit: &mut Visit<'_>,
        caller: &Caller,
        factor_id: Uuid,
        limits: &ClientLimits,
        request: &Request,
    ) -> Result<()> {
        let proof = FactorRequest::new(visit, caller, limits, request);
        send_message(visit, &proof, factor_id).await
    }

    /// Shows what is wrong. A form that was sent twice has done its work, and one whose number was removed begins anew.
    async fn refuse(
        &self,
        visit: &mut Visit<'_>,
        caller: &Caller,
        form: &Form,
        problem: Problem,
    ) -> Result<Response> {
        let caller = reload(&self.pages.app, caller).await?;
        let id = Uuid::parse_str(form.value("factor")).unwrap_or_default();
        let mut own = caller.user.factors.iter();
        if own.any(|factor| factor.id == id && factor.is_verified()) {
            visit.catch_up(&caller).await?;
            return go_on_after_adding(visit, &caller).await;
        }
        match unverified(&caller, id) {
            Some(factor) => code_page(visit, factor, form.value("challenge"), Some(problem)),
            None => number_page(visit, &caller, None, Some(problem)).await,
        }
    }
}

/// Asks for the second factor that the account has. A number that was begun before must not take its place.
async fn ask_first(visit: &mut Visit<'_>, caller: &Caller) -> Result<Option<Response>> {
    step_up(visit, caller, PagePath::PhoneFactor, None).await
}

/// Returns the number that a form is about.
fn factor_of<'c>(form: &Form, caller: &'c Caller) -> Option<&'c Factor> {
    let id = Uuid::parse_str(form.value("factor")).ok()?;
    unverified(caller, id)
}

/// Finds a number of the caller that waits for its first code.
fn unverified(caller: &Caller, id: Uuid) -> Option<&Factor> {
    let mut factors = caller.user.factors.iter();
    factors.find(|factor| {
        let is_phone = factor.factor_type == FactorType::Phone.name();
        factor.id == id && is_phone && !factor.is_verified()
    })
}

async fn number_page(
    visit: &mut Visit<'_>,
    caller: &Caller,
    typed: Option<Typed>,
    problem: Option<Problem>,
) -> Result<Response> {
    if !offers_phone_factors(&visit.pages.app) {
        return visit.go_to(PagePath::Account);
    }
    let next = PagePath::PhoneFactor;
    if let Some(response) = step_up(visit, caller, next, problem.as_ref()).await? {
        return Ok(response);
    }
    let words = visit.words();
    let typed = typed.unwrap_or_else(|| Typed {
        name: free_name(caller, &words.phone_number),
        phone: String::new(),
    });
    let phone = Field {
        kind: "tel",
        autocomplete: "tel",
        hint: Some(&words.phone_number_hint),
        ..Field::text("phone", &words.phone_number, &typed.phone)
    };
    let name = Field {
        hint: Some(&words.factor_name_hint),
        ..Field::text("name", &words.factor_name, &typed.name)
    };
    let mut content: Html = form(visit, next)
        .child(phone)
        .child(name)
        .child(button(&words.go_on))
        .into();
    content.push(link_to(visit, PagePath::Account, &words.not_now));
    Page::new(visit, next, &words.add_phone_factor, content)
        .with_problem(problem)
        .respond(visit)
}

fn code_page(
    visit: &mut Visit<'_>,
    factor: &Factor,
    challenge: &str,
    problem: Option<Problem>,
) -> Result<Response> {
    let words = visit.words();
    let next = PagePath::PhoneFactor;
    let mut content = MessageForm {
        factor,
        challenge: Some(challenge),
        next,
        answer: PagePath::PhoneFactorConfirm,
        send: PagePath::PhoneFactorCode,
    }
    .write(visit);
    content.push(link_to(visit, PagePath::Account, &words.not_now));
    Page::new(visit, next, &words.add_phone_factor, content)
        .with_problem(problem)
        .respond(visit)
}
