//! Forms that ask an authenticator, for a passkey or as a security key.
//!
//! Such a form is hidden until the script of the pages finds that the browser can ask. When it is sent, the script gets
//! a challenge from the server, lets the authenticator sign it, and sends the form with the answer. Whatever goes wrong
//! on the server is an ordinary page, so a challenge that is refused is one, too: the script shows what it says.

use innkeeper_rest::Response;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::form::Form;
use super::html::{Element, element, text};
use super::parts::{form, hidden};
use super::paths::PagePath;
use super::problem::Problem;
use super::visit::Visit;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::flow::factor::challenge::OpenedChallenge;
use crate::flow::passkey::PasskeyChallenge;

/// What an authenticator is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    /// To make a credential.
    Create,
    /// To sign with one that it has.
    Get,
}

/// Makes a form whose script gets a challenge from one page, and sends the answer to another.
pub(super) fn ceremony_form(
    visit: &Visit<'_>,
    request: Request,
    options: PagePath,
    answer: PagePath,
) -> Element {
    let (words, pages) = (visit.words(), visit.pages);
    let request = match request {
        Request::Create => "create",
        Request::Get => "get",
    };
    let problem = element("p")
        .class("problem")
        .attribute("role", "alert")
        .flag("hidden", true);
    form(visit, answer)
        .attribute("data-webauthn", request)
        .attribute("data-options", &pages.paths.to(options))
        .attribute("data-origins", &pages.authenticator_origins)
        .attribute("data-cancelled", &words.authenticator_cancelled)
        .attribute("data-known", &words.authenticator_known)
        .attribute("data-failed", &words.authenticator_failed)
        .flag("hidden", true)
        .child(problem)
        .child(hidden("challenge", ""))
        .child(hidden("credential", ""))
}

/// Says what such a form needs, to whom the script does not show it.
pub(super) fn ceremony_hint(visit: &Visit<'_>) -> Element {
    text("p", &visit.words().authenticator_needs)
        .class("hint")
        .flag("data-webauthn-hint", true)
}

/// A challenge, for the script.
#[derive(Debug, Serialize)]
pub(super) struct Ceremony {
    challenge: Uuid,
    /// The second factor that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    factor: Option<Uuid>,
    #[serde(rename = "publicKey")]
    public_key: Value,
}

impl Ceremony {
    pub(super) fn of_passkey(started: PasskeyChallenge) -> Self {
        Self {
            challenge: started.challenge_id,
            factor: None,
            public_key: started.options,
        }
    }

    pub(super) fn of_key(factor: Uuid, opened: OpenedChallenge) -> Result<Self> {
        let asked = opened.webauthn;
        let asked = asked.ok_or_else(|| AuthError::internal("a security key is asked nothing"))?;
        Ok(Self {
            challenge: opened.id,
            factor: Some(factor),
            public_key: asked.into_public_key(),
        })
    }

    /// Sends the challenge to the script.
    pub(super) fn respond(&self, visit: &Visit<'_>) -> Result<Response> {
        let body = serde_json::to_vec(self).map_err(AuthError::internal)?;
        let response = Response::ok()
            .content_type("application/json")
            .header("cache-control", "no-store")
            .body(body);
        visit.finish(response)
    }
}

/// Refuses forms of others, and all forms where these pages have no passkeys.
pub(super) fn check_passkey_form(
    visit: &Visit<'_>,
    form: &Form,
) -> std::result::Result<(), Problem> {
    visit.check_form(form)?;
    if visit.pages.offers_passkeys() {
        return Ok(());
    }
    Err(Problem::new(404, &visit.words().passkeys_disabled))
}

/// Returns the answer of the authenticator in a form.
pub(super) fn credential(form: &Form) -> Option<Value> {
    serde_json::from_str(form.value("credential")).ok()
}

/// Describes why a passkey was not accepted, or not added.
pub(super) fn passkey_problem(visit: &Visit<'_>, error: &AuthError, request: Request) -> Problem {
    let words = visit.words();
    let mut problem = Problem::of(error, words, &visit.pages.app);
    let text = match error {
        // A form without an answer, or with one that no browser sends.
        AuthError::Validation(_) => &words.authenticator_failed,
        // Accounts of single sign-on have no passkeys.
        AuthError::Unprocessable(_) => &words.managed_elsewhere,
        AuthError::Refused { code, .. } => match (code, request) {
            (ErrorCode::WebauthnVerificationFailed, Request::Create) => &words.authenticator_failed,
            _ => return problem,
        },
        _ => return problem,
    };
    problem.text.clone_from(text);
    problem
}
