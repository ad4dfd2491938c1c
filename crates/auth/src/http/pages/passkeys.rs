//! `/account/passkeys`: adds, renames and removes passkeys, from the account page.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use innkeeper_rest::{Request, Response, resource};

use super::account_page::account_page;
use super::ceremony::{self, Ceremony, check_passkey_form, credential, passkey_problem};
use super::form::Form;
use super::notice::Notice;
use super::paths::PagePath;
use super::problem::Problem;
use super::site::Pages;
use super::step_up::step_up;
use super::visit::Visit;
use crate::base::error::{AuthError, Result};
use crate::flow::caller::Caller;
use crate::flow::passkey::manage::{self, PasskeyChange, parse_passkey_id};
use crate::flow::passkey::{PasskeyAnswer, registration};

pub(crate) struct Passkeys {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/passkeys")]
impl Passkeys {
    /// Makes a challenge for the script of the account page.
    #[post("/options")]
    async fn start(&self, #[request] request: &Request, #[body] bytes: Bytes) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        let started = match check_passkey_form(&visit, &form) {
            Ok(()) => registration::start(&self.pages.app, &caller)
                .await
                .map_err(|error| passkey_problem(&visit, &error, ceremony::Request::Create)),
            Err(problem) => Err(problem),
        };
        match started {
            Ok(started) => Ceremony::of_passkey(started).respond(&visit),
            Err(problem) => account_page(&mut visit, &caller, "", Some(problem)).await,
        }
    }

    /// Adds the passkey that has answered.
    #[post]
    async fn add(&self, #[request] request: &Request, #[body] bytes: Bytes) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        if let Err(problem) = check_passkey_form(&visit, &form) {
            return account_page(&mut visit, &caller, "", Some(problem)).await;
        }
        let answer = PasskeyAnswer::new(form.text("challenge"), credential(&form));
        let added = registration::finish(&self.pages.app, &caller, &answer, &visit.client).await;
        let added =
            added.map_err(|error| passkey_problem(&visit, &error, ceremony::Request::Create));
        finish(&mut visit, &caller, added.map(drop), Notice::PasskeyAdded).await
    }

    /// Changes the name of a passkey.
    #[post("/name")]
    async fn rename(&self, #[request] request: &Request, #[body] bytes: Bytes) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        // The account is shown to nobody who lacks the second factor, so nothing of it is changed either.
        let next = PagePath::Account;
        if let Some(response) = step_up(&mut visit, &caller, next, None).await? {
            return Ok(response);
        }
        let renamed = match visit.check_form(&form) {
            Ok(()) => rename(&visit, &caller, &form)
                .await
                .map_err(|error| manage_problem(&visit, &error)),
            Err(problem) => Err(problem),
        };
        finish(&mut visit, &caller, renamed, Notice::PasskeyRenamed).await
    }

    /// Removes a passkey.
    #[post("/remove")]
    async fn remove(&self, #[request] request: &Request, #[body] bytes: Bytes) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        let removed = match visit.check_form(&form) {
            Ok(()) => remove(&visit, &caller, &form)
                .await
                .map_err(|error| manage_problem(&visit, &error)),
            Err(problem) => Err(problem),
        };
        finish(&mut visit, &caller, removed, Notice::PasskeyRemoved).await
    }
}

async fn rename(visit: &Visit<'_>, caller: &Caller, form: &Form) -> Result<()> {
    let id = parse_passkey_id(form.value("passkey"))?;
    let change = PasskeyChange::to_name(form.text("name"));
    let renamed = manage::rename(&visit.pages.app, caller, id, &change, &visit.client).await;
    renamed.map(drop)
}

async fn remove(visit: &Visit<'_>, caller: &Caller, form: &Form) -> Result<()> {
    let id = parse_passkey_id(form.value("passkey"))?;
    manage::delete(&visit.pages.app, caller, id, &visit.client).await
}

/// Shows the account again, with what was done or what is wrong.
async fn finish(
    visit: &mut Visit<'_>,
    caller: &Caller,
    done: std::result::Result<(), Problem>,
    notice: Notice,
) -> Result<Response> {
    match done {
        Ok(()) => {
            visit.leave_notice(notice);
            visit.go_to(PagePath::Account)
        }
        Err(problem) => account_page(visit, caller, "", Some(problem)).await,
    }
}

fn manage_problem(visit: &Visit<'_>, error: &AuthError) -> Problem {
    let words = visit.words();
    let mut problem = Problem::of(error, words, &visit.pages.app);
    if error.status() == StatusCode::NOT_FOUND {
        problem.text.clone_from(&words.passkey_not_found);
    }
    problem
}
