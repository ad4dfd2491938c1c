//! `/account/sign-in`: with a password, a mail, a passkey, or an external provider.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};

use super::form::Form;
use super::html::Html;
use super::layout::Page;
use super::notice::Notice;
use super::parts::{Field, button, form, link_to, paragraph, quiet_button};
use super::passkey_sign_in::passkey_button;
use super::paths::PagePath;
use super::pending::CodePurpose;
use super::problem::Problem;
use super::providers::provider_links;
use super::site::Pages;
use super::visit::Visit;
use crate::base::error::Result;
use crate::base::error_code::ErrorCode;
use crate::flow::session::issue::IssuedTokens;
use crate::http::api::captcha;
use crate::http::api::token::{Token, TokenBody};

pub(crate) struct SignIn {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/sign-in")]
impl SignIn {
    /// Shows the ways to sign in.
    #[get]
    async fn show(&self, #[request] request: &Request) -> Result<Response> {
        let mut visit = self.pages.visit(request).await?;
        if visit.caller.is_some() {
            return visit.go_to(PagePath::Account);
        }
        sign_in_page(&mut visit, "", None).await
    }

    /// Signs in with a password.
    #[post]
    async fn submit(&self, #[request] request: &Request, #[body] bytes: Bytes) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let email = form.text("email");
        if let Err(problem) = visit.check_form(&form) {
            return sign_in_page(&mut visit, &email, Some(problem)).await;
        }
        match self.sign_in(request, &visit, &form).await {
            Ok(issued) => {
                visit.sign_in(&issued).await;
                visit.go_to(PagePath::Account)
            }
            // Whoever knows the password may know this.
            Err(error) if error.code() == ErrorCode::EmailNotConfirmed.as_str() => {
                visit.expect_code(CodePurpose::SignUp, &email);
                visit.leave_notice(Notice::ConfirmFirst);
                visit.go_to(PagePath::Code)
            }
            Err(error) => {
                let problem = Problem::of(&error, visit.words(), &self.pages.app);
                sign_in_page(&mut visit, &email, Some(problem)).await
            }
        }
    }
}

impl SignIn {
    async fn sign_in(
        &self,
        request: &Request,
        visit: &Visit<'_>,
        form: &Form,
    ) -> Result<IssuedTokens> {
        let app = &self.pages.app;
        captcha::check(app, request.head(), &visit.client, None).await?;
        let token = Token {
            app: Arc::clone(app),
        };
        let password = form.value("password").to_owned();
        let body = TokenBody::by_email(form.text("email"), password);
        token.sign_in(&body, &visit.client).await
    }
}

/// Shows the ways to sign in, with what the visitor has typed before.
pub(super) async fn sign_in_page(
    visit: &mut Visit<'_>,
    email: &str,
    problem: Option<Problem>,
) -> Result<Response> {
    let (words, config) = (visit.words(), &visit.pages.app.config);
    let mut content = Html::default();
    if visit.pages.app.captcha.is_some() {
        content.push(paragraph(&words.captcha_required));
    } else if config.external.email_enabled {
        content.push(password_form(visit, email));
        content.push(link_to(
            visit,
            PagePath::ForgottenPassword,
            &words.forgotten_password,
        ));
    }
    let passkey = passkey_button(visit);
    let has_script = passkey.is_some();
    if let Some(passkey) = passkey {
        content.push(passkey);
    }
    content.push(provider_links(visit).await);
    if !config.disable_signup {
        content.push(link_to(visit, PagePath::SignUp, &words.no_account_yet));
    }
    Page::new(visit, PagePath::SignIn, &words.sign_in, content)
        .with_problem(problem)
        .with_script(has_script)
        .respond(visit)
}

fn password_form(visit: &Visit<'_>, email: &str) -> Html {
    let (words, app) = (visit.words(), &visit.pages.app);
    let password = Field::password("password", &words.password, "current-password", None);
    let sends_links = app.config.external.email_magic_link_enabled && app.sends_mail();
    // The same form, sent to another page: the address need not be typed twice.
    let by_mail = sends_links.then(|| {
        quiet_button(&words.email_link)
            .attribute("formaction", &visit.pages.paths.to(PagePath::EmailLink))
            .flag("formnovalidate", true)
    });
    let mut address = Field::email(&words.email, email);
    if visit.pages.offers_passkeys() {
        // Browsers then offer passkeys here, beside the addresses that they know.
        address.autocomplete = "username webauthn";
    }
    form(visit, PagePath::SignIn)
        .child(address)
        .child(password)
        .child(button(&words.sign_in))
        .maybe(by_mail)
        .into()
}
