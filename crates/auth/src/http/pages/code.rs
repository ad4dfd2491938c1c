//! `/account/code`: the code of a mail, for those who do not follow its link.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};

use super::arrival::arrive;
use super::email_link::send_link;
use super::form::Form;
use super::html::Html;
use super::layout::Page;
use super::parts::{Field, button, code_lifetime, form, hidden, link_to, paragraph, quiet_button};
use super::paths::PagePath;
use super::pending::{CodePurpose, PendingCode};
use super::problem::Problem;
use super::sent_mail::SentMail;
use super::site::Pages;
use super::visit::Visit;
use super::words::fill;
use crate::base::contact::{Contact, Email};
use crate::base::error::Result;
use crate::flow::caller::audience;
use crate::flow::one_time::verify::{self, Proof, Verification, VerifyAttempt};
use crate::flow::response_timer::ResponseTimer;
use crate::http::api::client::query_value;
use crate::http::api::rate_limits::ClientLimits;
use crate::http::api::recover::{Recover, RecoverBody};
use crate::http::api::resend::{Resend, ResendBody};

pub(crate) struct EnterCode {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/code")]
impl EnterCode {
    /// Shows the form for the code that was sent last.
    #[get]
    async fn show(&self, #[request] request: &Request) -> Result<Response> {
        let mut visit = self.pages.visit(request).await?;
        let asked = query_value(request.head(), "purpose");
        let asked = asked.and_then(|name| CodePurpose::parse(&name));
        let pending = match asked {
            Some(purpose) => Some(PendingCode {
                purpose,
                email: String::new(),
            }),
            None => visit.pending().cloned(),
        };
        page(&mut visit, pending.as_ref(), None)
    }

    /// Uses the code.
    #[post]
    async fn submit(&self, #[request] request: &Request, #[body] bytes: Bytes) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let pending = read(&form);
        if let Err(problem) = visit.check_form(&form) {
            return page(&mut visit, Some(&pending), Some(problem));
        }
        match self.verify(&visit, &pending, form.code()).await {
            Ok(verified) => arrive(&mut visit, verified).await,
            Err(error) => {
                let problem = Problem::of(&error, visit.words(), &self.pages.app);
                page(&mut visit, Some(&pending), Some(problem))
            }
        }
    }

    /// Sends the mail again.
    #[post("/again")]
    async fn send_again(
        &self,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let pending = read(&form);
        if let Err(problem) = visit.check_form(&form) {
            return page(&mut visit, Some(&pending), Some(problem));
        }
        let sent = self.resend(&limits, request, &visit, &pending).await;
        match SentMail::of(sent) {
            Ok(sent) => sent.go_on(&mut visit, pending.purpose, &pending.email),
            Err(error) => {
                let problem = Problem::of(&error, visit.words(), &self.pages.app);
                page(&mut visit, Some(&pending), Some(problem))
            }
        }
    }
}

impl EnterCode {
    async fn verify(
        &self,
        visit: &Visit<'_>,
        pending: &PendingCode,
        code: String,
    ) -> Result<Verification> {
        let app = &self.pages.app;
        let attempt = VerifyAttempt {
            kind: pending.purpose.verify_type(),
            proof: Proof::Code {
                aud: audience(app, &visit.client, None),
                contact: Contact::Email(Email::parse(&pending.email)?),
                code,
            },
            password: None,
        };
        let timer = ResponseTimer::start();
        let verified = verify::verify(app, &attempt, false, &visit.client).await;
        if verified.is_err() {
            timer.wait().await;
        }
        verified
    }

    async fn resend(
        &self,
        limits: &ClientLimits,
        request: &Request,
        visit: &Visit<'_>,
        pending: &PendingCode,
    ) -> Result<()> {
        let (app, client) = (Arc::clone(&self.pages.app), &visit.client);
        let email = pending.email.clone();
        match pending.purpose {
            CodePurpose::SignUp | CodePurpose::EmailChange => {
                let kind = pending.purpose.verify_type().name();
                let body = ResendBody::by_mail(kind, email).into();
                let sent = Resend { app }.answer(limits, request, client, body).await;
                sent.map(drop)
            }
            CodePurpose::SignIn => send_link(&app, limits, request, client, email).await,
            CodePurpose::Recovery => {
                let body = RecoverBody::new(email).into();
                Recover { app }.answer(limits, request, client, body).await
            }
        }
    }
}

/// Reads what a code is for, and where it was sent, from the form itself: another tab may wait for another code.
fn read(form: &Form) -> PendingCode {
    PendingCode {
        purpose: CodePurpose::parse(form.value("purpose")).unwrap_or(CodePurpose::SignIn),
        email: form.text("email"),
    }
}

fn page(
    visit: &mut Visit<'_>,
    pending: Option<&PendingCode>,
    problem: Option<Problem>,
) -> Result<Response> {
    let words = visit.words();
    let purpose = pending.map_or(CodePurpose::SignIn, |it| it.purpose);
    let email = pending.map_or("", |it| it.email.as_str());
    let mut content = Html::default();
    let enter = form(visit, PagePath::Code).child(hidden("purpose", purpose.name()));
    let enter = if email.is_empty() {
        enter.child(Field::email(&words.email, ""))
    } else {
        let lifetime = code_lifetime(visit);
        let values = [("email", email), ("lifetime", lifetime.as_str())];
        content.push(paragraph(&fill(&words.look_into_mailbox, &values)));
        enter.child(hidden("email", email))
    };
    content.push(
        enter
            .child(Field::code(&words.code))
            .child(button(&words.go_on)),
    );
    if !email.is_empty() {
        content.push(paragraph(match purpose {
            CodePurpose::SignUp => &words.no_mail_sign_up,
            _ => &words.no_mail,
        }));
        content.push(
            form(visit, PagePath::CodeAgain)
                .child(hidden("purpose", purpose.name()))
                .child(hidden("email", email))
                .child(quiet_button(&words.send_again)),
        );
    }
    content.push(match visit.caller {
        Some(_) => link_to(visit, PagePath::Account, &words.to_account),
        None => link_to(visit, PagePath::SignIn, &words.back_to_sign_in),
    });
    Page::new(visit, PagePath::Code, &words.enter_code, content)
        .with_problem(problem)
        .respond(visit)
}
