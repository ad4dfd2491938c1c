//! A request for a page: who sends it, in which language, and with which cookies.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_rest::{Head, Request, Response};

use super::cookies::{BrowserState, SessionState};
use super::form::Form;
use super::notice::Notice;
use super::paths::PagePath;
use super::pending::{CodePurpose, PendingChallenge, PendingCode};
use super::problem::Problem;
use super::site::Pages;
use super::words::{Language, Words};
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::config::redirect::with_query;
use crate::flow::caller::Caller;
use crate::flow::factor::raise;
use crate::flow::grant::refresh::{self, RefusedRefresh};
use crate::flow::session::end::{self, LogoutScope};
use crate::flow::session::issue::{IssuedTokens, TokenPair};
use crate::http::api::client::query_value;

/// The name of the field that holds the token of a form.
pub(super) const FORM_TOKEN: &str = "form_token";
/// The parameter of the query that chooses the language.
const LANGUAGE: &str = "language";

/// A request for a page.
#[derive(Debug)]
pub(super) struct Visit<'p> {
    pub(super) pages: &'p Pages,
    pub(super) language: &'p Language,
    /// The client, whose mails lead to the account page.
    pub(super) client: ClientInfo,
    /// The user who is signed in.
    pub(super) caller: Option<Caller>,
    /// The path and the query of the request, as browsers see them.
    pub(super) address: String,
    /// Whether the browser has sent the cookie of an earlier page.
    has_cookie: bool,
    browser: BrowserState,
    is_browser_changed: bool,
    session: SessionChange,
}

/// What the response does to the session cookie.
#[derive(Debug)]
enum SessionChange {
    Keep,
    Set(SessionState),
    Remove,
}

impl<'p> Visit<'p> {
    /// Reads the cookies and looks up who is signed in.
    pub(super) async fn begin(pages: &'p Pages, request: &Request) -> Result<Self> {
        let mut visit = Self::anonymous(pages, request.head());
        visit.client = ClientInfo {
            redirects: vec![pages.paths.account_url().to_owned()],
            ..request.values().get().cloned().unwrap_or_default()
        };
        if let Some(session) = pages.cookies.session(&pages.app, request.head()) {
            visit.resume(session).await?;
        }
        Ok(visit)
    }

    /// Reads what does not need the database.
    pub(super) fn anonymous(pages: &'p Pages, head: &Head) -> Self {
        let found = pages.cookies.browser(&pages.app, head);
        let has_cookie = found.is_some();
        let mut browser = found.unwrap_or_else(BrowserState::new);
        let chosen = query_value(head, LANGUAGE)
            .and_then(|code| pages.languages.find(&code))
            .map(|language| language.code.clone());
        let is_browser_changed = !has_cookie || (chosen.is_some() && chosen != browser.language);
        browser.language = chosen.or(browser.language);
        let accepted = head.header_text("accept-language");
        let path = format!("{}{}", pages.paths.base(), head.path());
        Self {
            pages,
            language: pages
                .languages
                .choose(browser.language.as_deref(), accepted),
            client: ClientInfo::default(),
            caller: None,
            address: match head.query() {
                Some(query) => format!("{path}?{query}"),
                None => path,
            },
            has_cookie,
            browser,
            is_browser_changed,
            session: SessionChange::Keep,
        }
    }

    /// Looks up the session of the cookie, and refreshes it when it is due. A session that has ended is forgotten.
    async fn resume(&mut self, mut session: SessionState) -> Result<()> {
        let app = &self.pages.app;
        if session.refresh_at <= app.clock.now().as_second() {
            let refreshed = refresh::refresh(app, &session.refresh_token, &self.client).await;
            match refreshed.map_err(RefusedRefresh::into_error) {
                Ok(issued) => {
                    session = SessionState::of(&issued);
                    self.session = SessionChange::Set(session.clone());
                }
                Err(error) if error.status().is_client_error() => {
                    self.session = SessionChange::Remove;
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
        match Caller::of_session(app, session.user_id, session.session_id).await {
            Ok(caller) => self.caller = Some(caller),
            Err(error) if error.status().is_client_error() => self.session = SessionChange::Remove,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    pub(super) fn words(&self) -> &'p Words {
        &self.language.words
    }

    /// Returns the token for the forms of this browser.
    pub(super) fn form_token(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.form_tag())
    }

    fn form_tag(&self) -> hmac::Tag {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.pages.form_key);
        hmac::sign(&key, self.browser.id.as_bytes())
    }

    /// Refuses a form that was not sent from a page of this server in this browser.
    pub(super) fn check_form(&self, form: &Form) -> std::result::Result<(), Problem> {
        let words = self.words();
        if !self.has_cookie {
            return Err(Problem::new(400, &words.no_cookies));
        }
        let sent = URL_SAFE_NO_PAD.decode(form.value(FORM_TOKEN));
        let is_ours =
            sent.is_ok_and(|sent| verify_slices_are_equal(&sent, self.form_tag().as_ref()).is_ok());
        if is_ours {
            return Ok(());
        }
        Err(Problem::new(400, &words.form_outdated))
    }

    /// Signs the browser in. The session that it had before ends, because the browser forgets it.
    pub(super) async fn sign_in(&mut self, issued: &IssuedTokens) {
        if let Some(former) = self.caller.take() {
            let app = &self.pages.app;
            let ended = end::end(app, &former, LogoutScope::Local, &self.client).await;
            if let Err(error) = ended {
                tracing::warn!(%error, "the former session of a browser was not ended");
            }
        }
        self.session = SessionChange::Set(SessionState::of(issued));
        self.set_pending(None);
        self.set_challenge(None);
    }

    /// Keeps the tokens of the caller's session, which a second factor has raised.
    pub(super) fn raise(&mut self, caller: &Caller, tokens: &TokenPair) {
        if let Some(session) = &caller.session {
            let state = SessionState::with_tokens(session.id, tokens);
            self.session = SessionChange::Set(state);
        }
        self.set_challenge(None);
    }

    /// Keeps the newest token of the caller's session, if the same form was sent twice and the other request has raised
    /// it: browsers drop the first answer, with its cookie.
    pub(super) async fn catch_up(&mut self, caller: &Caller) -> Result<()> {
        let app = &self.pages.app;
        let newest = raise::newest_token(app, caller).await?;
        if let (Some(session), Some(refresh_token)) = (&caller.session, newest) {
            let now = app.clock.now().as_second();
            self.session = SessionChange::Set(SessionState {
                user_id: caller.user.id,
                session_id: session.id,
                refresh_token,
                refresh_at: now.saturating_add(app.config.jwt.exp.as_secs()),
            });
        }
        Ok(())
    }

    /// Signs the browser out.
    pub(super) fn forget_session(&mut self) {
        self.caller = None;
        self.session = SessionChange::Remove;
    }

    /// Returns the code that the visitor is about to enter.
    pub(super) fn pending(&self) -> Option<&PendingCode> {
        self.browser.pending.as_ref()
    }

    pub(super) fn expect_code(&mut self, purpose: CodePurpose, email: &str) {
        let email = email.to_owned();
        self.set_pending(Some(PendingCode { purpose, email }));
    }

    /// Returns the challenge of a phone factor that the visitor is about to answer.
    pub(super) fn challenge(&self) -> Option<PendingChallenge> {
        self.browser.challenge
    }

    pub(super) fn set_challenge(&mut self, challenge: Option<PendingChallenge>) {
        self.is_browser_changed |= self.browser.challenge != challenge;
        self.browser.challenge = challenge;
    }

    fn set_pending(&mut self, pending: Option<PendingCode>) {
        self.is_browser_changed |= self.browser.pending != pending;
        self.browser.pending = pending;
    }

    pub(super) fn set_verifier(&mut self, verifier: String) {
        self.browser.verifier = Some(verifier);
        self.is_browser_changed = true;
    }

    pub(super) fn take_verifier(&mut self) -> Option<String> {
        let verifier = self.browser.verifier.take();
        self.is_browser_changed |= verifier.is_some();
        verifier
    }

    /// Makes the next page say this.
    pub(super) fn leave_notice(&mut self, notice: Notice) {
        self.browser.notice = Some(notice);
        self.is_browser_changed = true;
    }

    /// Returns what this page says about the one before.
    pub(super) fn take_notice(&mut self) -> Option<String> {
        let notice = self.browser.notice.take()?;
        self.is_browser_changed = true;
        Some(notice.text(self.words()))
    }

    /// Sends the browser to a page.
    pub(super) fn go_to(&self, page: PagePath) -> Result<Response> {
        self.go_to_with(page, &[])
    }

    /// Sends the browser to a page, with this query.
    pub(super) fn go_to_with(&self, page: PagePath, query: &[(&str, &str)]) -> Result<Response> {
        let address = self.pages.paths.to(page);
        let address = if query.is_empty() {
            address
        } else {
            with_query(&address, query)
        };
        self.finish(Response::status(303).header("location", address))
    }

    /// Sends the browser to the sign-in page, because the session that a form was shown in has ended.
    pub(super) fn ask_to_sign_in(&mut self) -> Result<Response> {
        self.leave_notice(Notice::SignInAgain);
        self.go_to(PagePath::SignIn)
    }

    /// Adds the cookies that have changed.
    pub(super) fn finish(&self, mut response: Response) -> Result<Response> {
        let (app, cookies) = (&self.pages.app, self.pages.cookies);
        if self.is_browser_changed {
            cookies.set_browser(app, &mut response, &self.browser)?;
        }
        match &self.session {
            SessionChange::Keep => {}
            SessionChange::Set(session) => cookies.set_session(app, &mut response, session)?,
            SessionChange::Remove => cookies.remove_session(&mut response)?,
        }
        Ok(response)
    }
}
