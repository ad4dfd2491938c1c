//! `/account/new-password`: the last step after a forgotten password or an invitation.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};

use super::html::Html;
use super::layout::Page;
use super::notice::Notice;
use super::parts::{link_to, paragraph};
use super::password_form::{password_form, save};
use super::paths::PagePath;
use super::problem::Problem;
use super::site::Pages;
use super::step_up::step_up;
use super::visit::Visit;
use super::words::fill;
use crate::base::error::Result;
use crate::flow::caller::Caller;

pub(crate) struct NewPassword {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/new-password")]
impl NewPassword {
    /// Shows the form.
    #[get]
    async fn show(&self, #[request] request: &Request) -> Result<Response> {
        let mut visit = self.pages.visit(request).await?;
        match visit.caller.take() {
            Some(caller) => page(&mut visit, &caller, None).await,
            None => visit.ask_to_sign_in(),
        }
    }

    /// Stores the password.
    #[post]
    async fn submit(&self, #[request] request: &Request, #[body] bytes: Bytes) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        if let Err(problem) = visit.check_form(&form) {
            return page(&mut visit, &caller, Some(problem)).await;
        }
        match save(&visit, &caller, &form).await {
            Ok(()) => {
                visit.leave_notice(Notice::PasswordChanged);
                visit.go_to(PagePath::Account)
            }
            Err(problem) => page(&mut visit, &caller, Some(problem)).await,
        }
    }
}

/// Shows the form.
async fn page(
    visit: &mut Visit<'_>,
    caller: &Caller,
    problem: Option<Problem>,
) -> Result<Response> {
    let next = PagePath::NewPassword;
    if let Some(response) = step_up(visit, caller, next, problem.as_ref()).await? {
        return Ok(response);
    }
    let words = visit.words();
    let email = caller.user.email.as_str();
    let mut content = Html::default();
    content.push(paragraph(&fill(&words.password_of, &[("email", email)])));
    content.push(password_form(visit, caller, PagePath::NewPassword));
    content.push(link_to(visit, PagePath::Account, &words.not_now));
    Page::new(
        visit,
        PagePath::NewPassword,
        &words.choose_new_password,
        content,
    )
    .with_problem(problem)
    .respond(visit)
}
