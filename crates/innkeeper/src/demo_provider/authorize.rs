//! The page on which a person chooses a name and an email address.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_auth::contact::Email;
use innkeeper_rest::{Request, Response, resource};
use innkeeper_service::random;

use super::authorization::{AuthorizationProblem, DemoAuthorization, back_to, is_32_bytes};
use super::client::is_equal;
use super::fields::Fields;
use super::grant::{Grant, Person};
use super::page::{self, FormState};
use super::provider::{DemoProvider, PATH};

/// The cookie that binds a form to the browser that was given it.
const COOKIE: &str = "innkeeper_demo_provider";
/// The longest name, in characters.
const MAX_NAME: usize = 100;

pub(super) struct AuthorizePage {
    pub(super) provider: Arc<DemoProvider>,
}

#[resource("/")]
impl AuthorizePage {
    /// Shows the form.
    #[get]
    fn show(
        &self,
        #[cookie("innkeeper_demo_provider")] cookie: Option<&str>,
        #[request] request: &Request,
    ) -> Response {
        let query = request.head().query().unwrap_or_default();
        let authorization = match DemoAuthorization::read(query, &self.provider.client) {
            Ok(authorization) => authorization,
            Err(problem) => return self.refuse(problem),
        };
        let token = match cookie {
            Some(cookie) if is_32_bytes(cookie) => cookie.to_owned(),
            _ => URL_SAFE_NO_PAD.encode(random::bytes::<32>()),
        };
        let state = FormState {
            query,
            token: &token,
            name: "Grace Hopper",
            email: authorization
                .login_hint
                .as_deref()
                .unwrap_or("grace@example.com"),
            problem: None,
        };
        let cookie = format!("{COOKIE}={token}; Path={PATH}; HttpOnly; SameSite=Strict");
        page::form(200, &state).header("set-cookie", cookie)
    }

    /// Takes the form and sends the browser back to the client.
    #[post]
    fn submit(
        &self,
        #[cookie("innkeeper_demo_provider")] cookie: Option<&str>,
        #[header("sec-fetch-site")] site: Option<&str>,
        #[request] request: &Request,
        #[body] body: Vec<u8>,
    ) -> Response {
        let query = request.head().query().unwrap_or_default();
        let authorization = match DemoAuthorization::read(query, &self.provider.client) {
            Ok(authorization) => authorization,
            Err(problem) => return self.refuse(problem),
        };
        let Ok(form) = Fields::parse(&body) else {
            return page::refusal(400, "a field of the form occurs twice");
        };
        let is_own = site.is_none_or(|site| site == "same-origin");
        let token = form.get("form_token").unwrap_or_default();
        let is_bound = cookie.is_some_and(|cookie| is_32_bytes(cookie) && is_equal(cookie, token));
        if !is_own || !is_bound {
            return page::refusal(
                403,
                "the form was not sent from this page, or cookies are off",
            );
        }
        if form.get("action") == Some("cancel") {
            return self.cancel(&authorization);
        }
        match person(&form) {
            Ok(person) => self.grant(authorization, person),
            Err(problem) => page::form(
                400,
                &FormState {
                    query,
                    token,
                    name: form.get("name").unwrap_or_default(),
                    email: form.get("email").unwrap_or_default(),
                    problem: Some(problem),
                },
            ),
        }
    }
}

impl AuthorizePage {
    fn grant(&self, authorization: DemoAuthorization, person: Person) -> Response {
        let provider = &self.provider;
        let grant = Grant {
            person,
            nonce: authorization.nonce,
            challenge: authorization.challenge,
        };
        let code = provider.codes.issue(grant, provider.clock.now());
        self.leave(&[("code", &code)], authorization.state.as_deref())
    }

    fn cancel(&self, authorization: &DemoAuthorization) -> Response {
        let answer = [
            ("error", "access_denied"),
            ("error_description", "the sign-in was cancelled"),
        ];
        self.leave(&answer, authorization.state.as_deref())
    }

    /// Sends the browser back with a page instead of a redirect: browsers would apply `form-action` of the form's
    /// policy to all redirects that follow, and the site at their end can be any.
    fn leave(&self, answer: &[(&str, &str)], state: Option<&str>) -> Response {
        match back_to(&self.provider.client, answer, state) {
            Some(url) => page::leave(&url),
            None => page::refusal(400, "the redirect URI is not a URL"),
        }
    }

    fn refuse(&self, problem: AuthorizationProblem) -> Response {
        let (error, description, state) = match problem {
            AuthorizationProblem::Client(problem) => return page::refusal(400, problem),
            AuthorizationProblem::Request {
                error,
                description,
                state,
            } => (error, description, state),
        };
        let answer = [("error", error), ("error_description", description)];
        self.leave(&answer, state.as_deref())
    }
}

/// Reads the name and the email address.
fn person(form: &Fields) -> Result<Person, &'static str> {
    let name = form.get("name").unwrap_or_default().trim();
    if name.is_empty() || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        return Err("Enter a name of at most 100 characters.");
    }
    let email = form.get("email").unwrap_or_default().trim();
    match Email::parse(email) {
        Ok(email) => Ok(Person {
            name: name.to_owned(),
            email: email.into_string(),
        }),
        Err(_) => Err("Enter an email address, such as grace@example.com."),
    }
}
