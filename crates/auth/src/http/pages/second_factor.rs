//! `/account/second-factor`: asks for the second factor, after a sign-in and before a change that needs it.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};
use uuid::Uuid;

use super::ceremony::{Ceremony, credential};
use super::factor_code::{CodeSource, FactorRequest, code_problem};
use super::form::Form;
use super::notice::Notice;
use super::paths::PagePath;
use super::problem::Problem;
use super::second_factor_page::{Question, second_factor_page};
use super::site::Pages;
use super::step_up::{Way, find_way, go_to_second_factor, reload, ways};
use super::visit::Visit;
use crate::base::error::{AuthError, Result};
use crate::flow::caller::Caller;
use crate::flow::factor::{KeyInput, not_found, recovery};
use crate::http::api::client::query_value;
use crate::http::api::rate_limits::ClientLimits;

pub(crate) struct SecondFactor {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/second-factor")]
impl SecondFactor {
    /// Asks for the second factor.
    #[get]
    async fn show(&self, #[request] request: &Request) -> Result<Response> {
        let mut visit = self.pages.visit(request).await?;
        let value = |name: &str| query_value(request.head(), name).unwrap_or_default();
        let question = Question {
            way: value("factor"),
            next: PagePath::behind_factor(&value("to")),
            challenge: None,
        };
        match visit.caller.take() {
            Some(caller) => ask(&mut visit, &caller, &question, None).await,
            None => visit.ask_to_sign_in(),
        }
    }

    /// Raises the session with a code.
    #[post]
    async fn submit(
        &self,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        let question = read(&form);
        if let Err(problem) = visit.check_form(&form) {
            return ask(&mut visit, &caller, &question, Some(problem)).await;
        }
        // The form was sent twice, or in two tabs.
        if !caller.lacks_second_factor() {
            visit.catch_up(&caller).await?;
            return visit.go_to(question.next);
        }
        let proof = FactorRequest::new(&visit, &caller, &limits, request);
        match prove(&mut visit, &proof, &form).await? {
            Ok(()) => visit.go_to(question.next),
            Err(problem) => {
                let caller = reload(&self.pages.app, &caller).await?;
                visit.catch_up(&caller).await?;
                ask(&mut visit, &caller, &question, Some(problem)).await
            }
        }
    }

    /// Makes a challenge for a security key, for the script of the page.
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
        let question = read(&form);
        if let Err(problem) = visit.check_form(&form) {
            return ask(&mut visit, &caller, &question, Some(problem)).await;
        }
        let proof = FactorRequest::new(&visit, &caller, &limits, request);
        match open_key(&visit, &proof, &question.way).await {
            Ok(ceremony) => ceremony.respond(&visit),
            Err(error) => {
                let problem = code_problem(&visit, &error, CodeSource::Key);
                ask(&mut visit, &caller, &question, Some(problem)).await
            }
        }
    }

    /// Sends a code by text message.
    #[post("/code")]
    async fn send_code(
        &self,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        let question = read(&form);
        if let Err(problem) = visit.check_form(&form) {
            return ask(&mut visit, &caller, &question, Some(problem)).await;
        }
        let proof = FactorRequest::new(&visit, &caller, &limits, request);
        match send(&mut visit, &proof, &question.way).await {
            Ok(()) => go_to_second_factor(&visit, Some(&question.way), question.next),
            Err(error) => {
                let problem = code_problem(&visit, &error, CodeSource::Message);
                ask(&mut visit, &caller, &question, Some(problem)).await
            }
        }
    }
}

fn read(form: &Form) -> Question {
    Question {
        way: form.text("factor"),
        next: PagePath::behind_factor(form.value("to")),
        challenge: Some(form.text("challenge")).filter(|it| !it.is_empty()),
    }
}

/// Shows the form, or goes on if the session has its second factor.
async fn ask(
    visit: &mut Visit<'_>,
    caller: &Caller,
    question: &Question,
    problem: Option<Problem>,
) -> Result<Response> {
    let ways = ways(visit.pages, caller).await?;
    let way = find_way(&ways, &question.way).or_else(|| ways.first().copied());
    match way {
        Some(way) if caller.lacks_second_factor() => {
            second_factor_page(visit, caller, &ways, way, question, problem)
        }
        _ => visit.go_to(question.next),
    }
}

/// Raises the session of the browser.
async fn prove(
    visit: &mut Visit<'_>,
    proof: &FactorRequest<'_>,
    form: &Form,
) -> Result<std::result::Result<(), Problem>> {
    let ways = ways(visit.pages, proof.caller).await?;
    let way = find_way(&ways, &form.text("factor"));
    let (answered, source) = match way {
        // A factor that was never verified proves nothing here.
        None => (Err(not_found()), CodeSource::App),
        Some(Way::App(factor)) => {
            let answered = proof.answer_app(factor.id, form.code()).await;
            (answered, CodeSource::App)
        }
        Some(Way::Key(factor)) => {
            let (challenge, answer) = (form.text("challenge"), KeyInput::request(credential(form)));
            let answered = proof.answer_key(factor.id, challenge, answer).await;
            (answered, CodeSource::Key)
        }
        Some(Way::Phone(factor)) => {
            let challenge = form.text("challenge");
            let answered = proof.answer(factor.id, challenge, form.code()).await;
            (answered, CodeSource::Message)
        }
        Some(Way::RecoveryCode) => {
            let code = form.text("recovery_code");
            let answered = proof.use_recovery_code(code).await;
            (answered, CodeSource::RecoveryCodes)
        }
    };
    match answered {
        Ok(tokens) => {
            visit.raise(proof.caller, &tokens);
            if source == CodeSource::RecoveryCodes {
                let left = recovery::status(proof.app, proof.caller).await?.remaining;
                visit.leave_notice(Notice::RecoveryCodeUsed(left));
            }
            Ok(Ok(()))
        }
        Err(error) => Ok(Err(code_problem(visit, &error, source))),
    }
}

/// Opens a challenge for the security key with this name.
async fn open_key(visit: &Visit<'_>, proof: &FactorRequest<'_>, name: &str) -> Result<Ceremony> {
    let ways = ways(visit.pages, proof.caller).await?;
    let Some(Way::Key(factor)) = find_way(&ways, name) else {
        return Err(not_found());
    };
    proof.open_key(factor.id).await
}

/// Sends a code to the phone factor with this name, unless one was sent a short while ago.
async fn send(visit: &mut Visit<'_>, proof: &FactorRequest<'_>, name: &str) -> Result<()> {
    let ways = ways(visit.pages, proof.caller).await?;
    let Some(Way::Phone(factor)) = find_way(&ways, name) else {
        return Err(not_found());
    };
    send_message(visit, proof, factor.id).await
}

/// Sends a code to a phone factor, and remembers its challenge. Whoever presses the button twice keeps the first.
pub(super) async fn send_message(
    visit: &mut Visit<'_>,
    proof: &FactorRequest<'_>,
    factor_id: Uuid,
) -> Result<()> {
    match proof.open(factor_id).await {
        Ok(challenge) => {
            visit.set_challenge(Some(challenge));
            visit.leave_notice(Notice::MessageSent);
            Ok(())
        }
        Err(AuthError::SmsSentRecently(seconds)) => {
            visit.leave_notice(Notice::MessageSentBefore(seconds));
            Ok(())
        }
        Err(error) => Err(error),
    }
}
