//! `/account/recovery-codes`: makes recovery codes and shows them once.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};

use super::authenticator::in_groups;
use super::html::{Html, element, text};
use super::layout::Page;
use super::parts::{button, form, hidden, link_to, paragraph};
use super::paths::PagePath;
use super::problem::Problem;
use super::site::Pages;
use super::step_up::step_up;
use super::visit::Visit;
use super::words::fill;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::flow::caller::Caller;
use crate::flow::factor::check_not_anonymous;
use crate::flow::factor::recovery::{self, CodeSet, NewRecoveryCodes};

pub(crate) struct RecoveryCodes {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/recovery-codes")]
impl RecoveryCodes {
    /// Offers to make codes.
    #[get]
    async fn show(&self, #[request] request: &Request) -> Result<Response> {
        let mut visit = self.pages.visit(request).await?;
        match visit.caller.take() {
            Some(caller) => offer_page(&mut visit, &caller, None).await,
            None => visit.ask_to_sign_in(),
        }
    }

    /// Makes codes, and shows them.
    #[post]
    async fn make(&self, #[request] request: &Request, #[body] bytes: Bytes) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        if let Err(problem) = visit.check_form(&form) {
            return offer_page(&mut visit, &caller, Some(problem)).await;
        }
        let set = match form.value("set") {
            "next" => CodeSet::Next,
            _ => CodeSet::First,
        };
        match make(&visit, &caller, set).await {
            Ok(codes) => codes_page(&mut visit, &codes),
            Err(error) => {
                let problem = describe(&visit, &error);
                offer_page(&mut visit, &caller, Some(problem)).await
            }
        }
    }
}

async fn make(visit: &Visit<'_>, caller: &Caller, set: CodeSet) -> Result<NewRecoveryCodes> {
    check_not_anonymous(caller)?;
    recovery::generate(&visit.pages.app, caller, set, &visit.client).await
}

fn describe(visit: &Visit<'_>, error: &AuthError) -> Problem {
    let words = visit.words();
    let mut problem = Problem::of(error, words, &visit.pages.app);
    // Another tab has made them, or the form was sent twice: codes that somebody has noted must not end unasked.
    if error.code() == ErrorCode::MfaVerifiedFactorExists.as_str() {
        problem.text.clone_from(&words.recovery_codes_exist);
    }
    problem
}

async fn offer_page(
    visit: &mut Visit<'_>,
    caller: &Caller,
    problem: Option<Problem>,
) -> Result<Response> {
    let app = &visit.pages.app;
    let has_factor = caller.user.has_verified_factor();
    if !app.config.mfa.recovery_codes.enroll || !has_factor {
        return visit.go_to(PagePath::Account);
    }
    let next = PagePath::RecoveryCodes;
    if let Some(response) = step_up(visit, caller, next, problem.as_ref()).await? {
        return Ok(response);
    }
    let words = visit.words();
    let status = recovery::status(app, caller).await?;
    let mut content = Html::default();
    content.push(paragraph(&words.recovery_codes_hint));
    let (set, label) = match status.id {
        Some(_) => ("next", &words.new_recovery_codes),
        None => ("first", &words.make_recovery_codes),
    };
    if status.id.is_some() {
        content.push(paragraph(&codes_left(
            visit,
            status.remaining,
            status.total,
        )));
        content.push(paragraph(&words.recovery_codes_replace));
    }
    content.push(
        form(visit, next)
            .child(hidden("set", set))
            .child(button(label)),
    );
    content.push(link_to(visit, PagePath::Account, &words.not_now));
    Page::new(visit, next, &words.recovery_codes, content)
        .with_problem(problem)
        .respond(visit)
}

/// Says how many codes are left.
pub(super) fn codes_left(visit: &Visit<'_>, left: i64, total: i64) -> String {
    let (left, total) = (left.to_string(), total.to_string());
    let values = [("left", left.as_str()), ("total", total.as_str())];
    fill(&visit.words().recovery_codes_left, &values)
}

fn codes_page(visit: &mut Visit<'_>, made: &NewRecoveryCodes) -> Result<Response> {
    let words = visit.words();
    let items = made.codes.iter();
    let items = items.map(|code| element("li").child(text("code", &in_groups(code))));
    let stored = text("a", &words.recovery_codes_stored)
        .class("button")
        .attribute("href", &visit.pages.paths.to(PagePath::Account));
    let mut content = Html::default();
    content.push(paragraph(&words.recovery_codes_once));
    content.push(element("ol").class("codes").child(items.collect::<Html>()));
    content.push(stored);
    let title = &words.recovery_codes;
    Page::new(visit, PagePath::RecoveryCodes, title, content).respond(visit)
}
