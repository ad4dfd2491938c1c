//! `/account/sign-up`: a new account with an email address and a password.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};

use super::form::Form;
use super::html::Html;
use super::layout::Page;
use super::parts::{Field, button, form, link_to, paragraph, password_rules};
use super::paths::PagePath;
use super::pending::CodePurpose;
use super::problem::Problem;
use super::providers::provider_links;
use super::sent_mail::SentMail;
use super::site::Pages;
use super::visit::Visit;
use crate::base::error::Result;
use crate::flow::user::signup::SignupOutcome;
use crate::http::api::rate_limits::ClientLimits;
use crate::http::api::signup::{SignupBody, SignupResource};

pub(crate) struct SignUp {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/sign-up")]
impl SignUp {
    /// Shows the form.
    #[get]
    async fn show(&self, #[request] request: &Request) -> Result<Response> {
        let mut visit = self.pages.visit(request).await?;
        if visit.caller.is_some() {
            return visit.go_to(PagePath::Account);
        }
        page(&mut visit, "", None).await
    }

    /// Creates the account.
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
            return page(&mut visit, &email, Some(problem)).await;
        }
        let counted = match limits.count_signup(false, request).await {
            Ok(counted) => counted,
            Err(refusal) => return Ok(refusal),
        };
        let answer = self.sign_up(&limits, request, &visit, &form).await;
        let response = match answer {
            Ok(SignupOutcome::SignedIn(issued)) => {
                visit.sign_in(&issued).await;
                visit.go_to(PagePath::Account)
            }
            other => match SentMail::of(other.map(drop)) {
                Ok(sent) => sent.go_on(&mut visit, CodePurpose::SignUp, &email),
                Err(error) => {
                    let problem = Problem::of(&error, visit.words(), &self.pages.app);
                    page(&mut visit, &email, Some(problem)).await
                }
            },
        };
        response.map(|response| counted.add_headers(response))
    }
}

impl SignUp {
    async fn sign_up(
        &self,
        limits: &ClientLimits,
        request: &Request,
        visit: &Visit<'_>,
        form: &Form,
    ) -> Result<SignupOutcome> {
        let signup = SignupResource {
            app: Arc::clone(&self.pages.app),
        };
        let email = form.text("email");
        let body = SignupBody::by_email(email, form.value("password").to_owned());
        signup
            .answer(limits, request, &visit.client, body.into())
            .await
    }
}

async fn page(visit: &mut Visit<'_>, email: &str, problem: Option<Problem>) -> Result<Response> {
    let (words, config) = (visit.words(), &visit.pages.app.config);
    let mut content = Html::default();
    if config.disable_signup {
        content.push(paragraph(&words.sign_up_closed));
    } else if visit.pages.app.captcha.is_some() {
        content.push(paragraph(&words.captcha_required));
    } else if config.external.email_enabled {
        let rules = password_rules(visit);
        let password = Field::password("password", &words.password, "new-password", Some(&rules));
        content.push(
            form(visit, PagePath::SignUp)
                .child(Field::email(&words.email, email))
                .child(password)
                .child(button(&words.sign_up)),
        );
    }
    if !config.disable_signup {
        content.push(provider_links(visit).await);
    }
    content.push(link_to(visit, PagePath::SignIn, &words.have_account));
    Page::new(visit, PagePath::SignUp, &words.sign_up, content)
        .with_problem(problem)
        .respond(visit)
}
