//! `/account`: the email address, the password, the passkeys, the second factors and the sessions of who is signed in.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};
use uuid::Uuid;

use super::account_page::account_page;
use super::notice::Notice;
use super::password_form::{origin_of, save, send_code};
use super::paths::PagePath;
use super::problem::Problem;
use super::sent_mail::SentMail;
use super::site::Pages;
use super::visit::Visit;
use crate::base::error::{AuthError, Result};
use crate::base::input::parse_id;
use crate::flow::caller::Caller;
use crate::flow::factor::{check_not_anonymous, not_found, unenrol};
use crate::flow::session::end::{self, LogoutScope};
use crate::flow::user::change::{self, UserChange};

pub(crate) struct Account {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/")]
impl Account {
    /// Shows the account.
    #[get]
    async fn show(&self, #[request] request: &Request) -> Result<Response> {
        let mut visit = self.pages.visit(request).await?;
        match visit.caller.take() {
            Some(caller) => account_page(&mut visit, &caller, "", None).await,
            None => visit.go_to(PagePath::SignIn),
        }
    }

    /// Starts a change of the email address.
    #[post("/email")]
    async fn change_email(
        &self,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        let email = form.text("email");
        let changed = match visit.check_form(&form) {
            Ok(()) => start_email_change(&visit, &caller, &email).await,
            Err(problem) => Err(problem),
        };
        match changed {
            Ok(notice) => {
                visit.leave_notice(notice);
                visit.go_to(PagePath::Account)
            }
            Err(problem) => account_page(&mut visit, &caller, &email, Some(problem)).await,
        }
    }

    /// Changes the password.
    #[post("/password")]
    async fn change_password(
        &self,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        let saved = match visit.check_form(&form) {
            Ok(()) => save(&visit, &caller, &form).await,
            Err(problem) => Err(problem),
        };
        match saved {
            Ok(()) => {
                visit.leave_notice(Notice::PasswordChanged);
                visit.go_to(PagePath::Account)
            }
            Err(problem) => account_page(&mut visit, &caller, "", Some(problem)).await,
        }
    }

    /// Sends the code that a change of password needs.
    #[post("/password/code")]
    async fn send_code(
        &self,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        let sent = match visit.check_form(&form) {
            Ok(()) => SentMail::of(send_code(&visit, &caller).await)
                .map_err(|error| Problem::of(&error, visit.words(), &self.pages.app)),
            Err(problem) => Err(problem),
        };
        match sent {
            Ok(sent) => {
                visit.leave_notice(match sent {
                    SentMail::Now => Notice::CodeSent,
                    SentMail::Before(seconds) => Notice::SentBefore(seconds),
                });
                visit.go_to(origin_of(&form))
            }
            Err(problem) => account_page(&mut visit, &caller, "", Some(problem)).await,
        }
    }

    /// Ends one session, or all others.
    #[post("/sessions")]
    async fn end_sessions(
        &self,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        if let Err(problem) = visit.check_form(&form) {
            return account_page(&mut visit, &caller, "", Some(problem)).await;
        }
        let (app, client) = (&self.pages.app, &visit.client);
        let notice = match form.value("session") {
            "others" => {
                end::end(app, &caller, LogoutScope::Others, client).await?;
                Notice::OthersEnded
            }
            id => {
                let id = parse_id(id, "session")?;
                match end::end_one(app, &caller.user, id, client).await {
                    // Another tab was faster: the session has ended, as the visitor wants.
                    Err(error) if error.status().is_client_error() => {}
                    ended => ended?,
                }
                Notice::SessionEnded
            }
        };
        visit.leave_notice(notice);
        visit.go_to(PagePath::Account)
    }

    /// Removes a second factor.
    #[post("/factors")]
    async fn remove_factor(
        &self,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.ask_to_sign_in();
        };
        let removed = match visit.check_form(&form) {
            Ok(()) => remove_factor(&visit, &caller, form.value("factor"))
                .await
                .map_err(|error| Problem::of(&error, visit.words(), &self.pages.app)),
            Err(problem) => Err(problem),
        };
        match removed {
            Ok(()) => {
                visit.leave_notice(Notice::FactorRemoved);
                visit.go_to(PagePath::Account)
            }
            Err(problem) => account_page(&mut visit, &caller, "", Some(problem)).await,
        }
    }

    /// Ends the session of this browser.
    #[post("/sign-out")]
    async fn sign_out(
        &self,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let Some(caller) = visit.caller.take() else {
            return visit.go_to(PagePath::SignIn);
        };
        if let Err(problem) = visit.check_form(&form) {
            return account_page(&mut visit, &caller, "", Some(problem)).await;
        }
        end::end(&self.pages.app, &caller, LogoutScope::Local, &visit.client).await?;
        visit.forget_session();
        visit.leave_notice(Notice::SignedOut);
        visit.go_to(PagePath::SignIn)
    }
}

async fn remove_factor(visit: &Visit<'_>, caller: &Caller, id: &str) -> Result<()> {
    check_not_anonymous(caller)?;
    let id = Uuid::parse_str(id).map_err(|_| not_found())?;
    let removed = unenrol::unenrol(&visit.pages.app, caller, id, &visit.client).await;
    removed.map(drop)
}

/// Starts a change of the email address, and returns what the next page says.
async fn start_email_change(
    visit: &Visit<'_>,
    caller: &Caller,
    email: &str,
) -> std::result::Result<Notice, Problem> {
    let (words, app) = (visit.words(), &visit.pages.app);
    if email.is_empty() {
        return Err(Problem::new(400, &words.email_invalid));
    }
    if email.eq_ignore_ascii_case(&caller.user.email) {
        return Err(Problem::new(400, &words.same_email));
    }
    let change = UserChange {
        email: Some(email.to_owned()),
        ..UserChange::default()
    };
    match change::change(app, caller, change, &visit.client).await {
        Ok(user) if user.new_email.is_empty() => Ok(Notice::EmailChanged),
        Ok(_) => Ok(Notice::EmailChangeStarted),
        Err(AuthError::SentRecently(seconds)) => Ok(Notice::SentBefore(seconds)),
        Err(error) => Err(Problem::of(&error, words, app)),
    }
}
