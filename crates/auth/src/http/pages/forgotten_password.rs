//! `/account/forgotten-password`: a mail with which a new password is chosen.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};

use super::html::Html;
use super::layout::Page;
use super::parts::{Field, button, form, link_to, paragraph};
use super::paths::PagePath;
use super::pending::CodePurpose;
use super::problem::Problem;
use super::sent_mail::SentMail;
use super::site::Pages;
use super::visit::Visit;
use crate::base::error::Result;
use crate::http::api::rate_limits::ClientLimits;
use crate::http::api::recover::{Recover, RecoverBody};

pub(crate) struct ForgottenPassword {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/forgotten-password")]
impl ForgottenPassword {
    /// Shows the form.
    #[get]
    async fn show(&self, #[request] request: &Request) -> Result<Response> {
        let mut visit = self.pages.visit(request).await?;
        page(&mut visit, "", None)
    }

    /// Sends the mail, if the address has an account. The visitor does not learn whether it has.
    #[post]
    async fn submit(
        &self,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let email = form.text("email");
        if let Err(problem) = visit.check_form(&form) {
            return page(&mut visit, &email, Some(problem));
        }
        let recover = Recover {
            app: Arc::clone(&self.pages.app),
        };
        let body = RecoverBody::new(email.clone()).into();
        let sent = recover.answer(&limits, request, &visit.client, body).await;
        match SentMail::of(sent) {
            Ok(sent) => sent.go_on(&mut visit, CodePurpose::Recovery, &email),
            Err(error) => {
                let problem = Problem::of(&error, visit.words(), &self.pages.app);
                page(&mut visit, &email, Some(problem))
            }
        }
    }
}

fn page(visit: &mut Visit<'_>, email: &str, problem: Option<Problem>) -> Result<Response> {
    let words = visit.words();
    let mut content = Html::default();
    if visit.pages.app.captcha.is_some() {
        content.push(paragraph(&words.captcha_required));
    } else {
        content.push(paragraph(&words.forgotten_password_hint));
        content.push(
            form(visit, PagePath::ForgottenPassword)
                .child(Field::email(&words.email, email))
                .child(button(&words.send_mail)),
        );
    }
    content.push(link_to(visit, PagePath::SignIn, &words.back_to_sign_in));
    Page::new(
        visit,
        PagePath::ForgottenPassword,
        &words.forgotten_password,
        content,
    )
    .with_problem(problem)
    .respond(visit)
}
