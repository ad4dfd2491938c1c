//! `POST` and `GET /verify`: confirms a link or a code.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Method, Request, Response, resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::client::query_value;
use super::confirmation_page;
use super::errors::is_browser;
use super::link_errors::error_location;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::contact::{Contact, Email, Phone};
use crate::base::error::{AuthError, Result};
use crate::base::input::non_empty;
use crate::config::Profile;
use crate::config::redirect::{with_fragment, with_query};
use crate::flow::caller::audience;
use crate::flow::one_time::find::{code_expired, link_expired};
use crate::flow::one_time::verify::{self, Proof, Verification, VerifyAttempt};
use crate::flow::one_time::verify_type::VerifyType;
use crate::flow::one_time::{PKCE_PREFIX, has_form_of_code, send_sms};
use crate::flow::response_timer::ResponseTimer;
use crate::flow::session::issue::TokenPair;
use crate::flow::user::password;
use crate::http::pages::confirm;
use crate::http::pages::site::Pages;

/// The message for the first of two email addresses that must confirm.
const HALF: &str =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email";

pub(crate) struct Verify {
    pub(crate) app: Arc<App>,
    /// `None` if the server has no pages.
    pub(crate) pages: Option<Arc<Pages>>,
}

/// The body of a verification.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Verification")]
pub(crate) struct VerifyBody {
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["signup", "invite", "magiclink", "recovery", "email_change", "email", "sms", "phone_change", null]))]
    kind: Option<String>,
    /// The code, with the `email` or `phone` that it was sent to; or the token of the link in a mail, alone.
    token: Option<String>,
    /// The token of the link in a mail, as clients send it.
    token_hash: Option<String>,
    #[schemars(example = "ada@example.com")]
    email: Option<String>,
    phone: Option<String>,
    /// The password of an account that has none.
    password: Option<String>,
    redirect_to: Option<String>,
}

/// The response to the first of two email addresses that must confirm.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HalfVerified")]
struct HalfVerified {
    msg: &'static str,
    code: &'static str,
}

/// The response to a link or a code.
#[derive(JsonSchema)]
#[schemars(rename = "Outcome")]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "it only describes the response, which is written from its parts"
)]
enum VerifyResponse {
    In(Box<TokenPair>),
    HalfVerified(HalfVerified),
}

#[resource("/verify")]
impl Verify {
    /// Uses a link in a browser and sends the user back to the site.
    #[get]
    #[responds(200, "the page with a button, where it is switched on")]
    #[responds(303, "back to the site, with tokens, a code or an error")]
    async fn get(
        &self,
        #[value] client: ClientInfo,
        #[request] request: &Request,
    ) -> Result<Response> {
        if let Some(pages) = &self.pages {
            let failed = self.failed_location(request, &client);
            return confirm::show(pages, request, &client, &failed).await;
        }
        check_link(request)?;
        // Mail scanners open links with HEAD; that must not use them up.
        if request.method() == Method::HEAD {
            return Ok(Response::ok());
        }
        if self.app.config.mailer.confirmation_page {
            let query = request.head().query().unwrap_or_default();
            let targets = [
                self.app.redirect_to(&client),
                self.app.redirects.site().to_owned(),
            ];
            return Ok(confirmation_page::show(query, &targets));
        }
        Ok(self.follow(request, &client).await)
    }

    /// Uses a link or a code and signs the user in.
    #[post]
    #[responds(200, VerifyResponse)]
    #[responds(303, "back to the site, after the button of the page")]
    async fn post(
        &self,
        #[value] client: ClientInfo,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        if let Some(pages) = &self.pages
            && is_browser(request.head())
        {
            return self.press(pages, request, &client, &bytes).await;
        }
        // The button of the confirmation page sends the query of the link.
        let is_button = bytes.is_empty() && query_value(request.head(), "token").is_some();
        if is_button && self.app.config.mailer.confirmation_page {
            check_link(request)?;
            return Ok(self.follow(request, &client).await);
        }
        let body: Option<VerifyBody> = super::body::read_json(&bytes)?;
        let body = body.unwrap_or_default();
        let is_by_phone = non_empty(body.phone.as_deref()).is_some();
        let timer = ResponseTimer::start();
        let verified = self.try_post(body, &client).await;
        match verified {
            Ok(Verification::SignedIn(mut issued, kind)) => {
                // The answer of GoTrue does not have this member.
                let is_told = self.app.config.profile == Profile::Std;
                issued.body.kind = is_told.then(|| kind.name());
                Ok(issued.into_response())
            }
            Ok(_) => Ok(Response::ok().entity(HalfVerified {
                msg: HALF,
                code: "200",
            })),
            Err(error) if is_by_phone => {
                send_sms::wait_for_slot(&self.app, timer).await;
                Err(error)
            }
            Err(error) => {
                timer.wait().await;
                Err(error)
            }
        }
    }
}

/// Refuses a link without its two parameters: this server did not make it, and there is no site to redirect
/// the user to.
fn check_link(request: &Request) -> Result<()> {
    let required = [
        ("type", "Verify requires a verification type"),
        ("token", "Verify requires a token or a token hash"),
    ];
    for (name, message) in required {
        if query_value(request.head(), name).is_none() {
            return Err(AuthError::validation(message));
        }
    }
    Ok(())
}

/// Whether a link was requested with PKCE, and ends in a code.
fn is_exchange(request: &Request) -> bool {
    query_value(request.head(), "token").is_some_and(|token| token.starts_with(PKCE_PREFIX))
}

/// Refuses a link that was requested with PKCE, in std: whoever has only read the mail must not get the session,
/// but the client that has the code verifier. In a browser the link ends in a code that only this client can
/// exchange.
fn check_exchange(profile: Profile, hash: &str) -> Result<()> {
    if profile == Profile::Std && hash.starts_with(PKCE_PREFIX) {
        return Err(AuthError::validation(
            "This link was requested with a code challenge; open it in a browser and exchange its code",
        ));
    }
    Ok(())
}

impl Verify {
    async fn try_post(&self, body: VerifyBody, client: &ClientInfo) -> Result<Verification> {
        let attempt = self.read(body, client).await?;
        verify::verify(&self.app, &attempt, false, client).await
    }

    async fn read(&self, body: VerifyBody, client: &ClientInfo) -> Result<VerifyAttempt> {
        let kind = non_empty(body.kind.as_deref())
            .ok_or_else(|| AuthError::validation("Verify requires a verification type"))?;
        let email = non_empty(body.email.as_deref());
        let phone = non_empty(body.phone.as_deref());
        let proof = match (
            non_empty(body.token.as_deref()),
            non_empty(body.token_hash.as_deref()),
        ) {
            (Some(_), Some(_)) | (None, None) => {
                return Err(AuthError::validation(
                    "Verify requires either a token or a token hash",
                ));
            }
            (None, Some(hash)) => {
                let redirect_to = non_empty(body.redirect_to.as_deref());
                if email.or(phone).or(redirect_to).is_some() {
                    return Err(AuthError::validation(
                        "Only the token_hash and type should be provided",
                    ));
                }
                self.link(hash)?
            }
            (Some(code), None) => match (email, phone) {
                (Some(email), None) => {
                    let email = Email::parse(email)
                        .map_err(|_| AuthError::Unprocessable("Invalid email format".into()))?;
                    self.code_for(Contact::Email(email), code, client)
                }
                (None, Some(phone)) => {
                    self.code_for(Contact::Phone(Phone::parse(phone)?), code, client)
                }
                (None, None) if self.is_link(kind, code) => self.link(code)?,
                _ => {
                    return Err(AuthError::validation(
                        "Only an email address or phone number should be provided on verify",
                    ));
                }
            },
        };
        let is_link = matches!(proof, Proof::Link(_));
        let kind = VerifyType::parse(kind).ok_or_else(|| self.unknown_type(is_link))?;
        let secret = non_empty(body.password.as_deref());
        if let Some(secret) = secret {
            let owner = password::owner_words(email.or(phone), None);
            password::check(&self.app, secret, &owner).await?;
        }
        Ok(VerifyAttempt {
            kind,
            proof,
            password: secret.map(str::to_owned),
        })
    }

    /// Whether a `token` without an address is that of a link. A code is worth nothing without its address, and
    /// links are in mails only. GoTrue knows no such request.
    fn is_link(&self, kind: &str, token: &str) -> bool {
        let is_by_phone = matches!(
            VerifyType::parse(kind),
            Some(VerifyType::Sms | VerifyType::PhoneChange)
        );
        self.app.config.profile == Profile::Std && !is_by_phone && !has_form_of_code(token)
    }

    fn link(&self, secret: &str) -> Result<Proof> {
        check_exchange(self.app.config.profile, secret)?;
        Ok(Proof::Link(secret.to_owned()))
    }

    /// Refuses a type of which there are neither links nor codes. In GoTrue no code is right then.
    fn unknown_type(&self, is_link: bool) -> AuthError {
        match (self.app.config.profile, is_link) {
            (Profile::Std, _) => AuthError::validation("Unsupported verification type"),
            (Profile::Gotrue, true) => AuthError::validation("Invalid email verification type"),
            (Profile::Gotrue, false) => code_expired(),
        }
    }

    fn code_for(&self, contact: Contact, code: &str, client: &ClientInfo) -> Proof {
        Proof::Code {
            aud: audience(&self.app, client, None),
            contact,
            code: code.to_owned(),
        }
    }

    /// Answers the button of the page that a link opens. It leads to a page of this server, or back to the site.
    async fn press(
        &self,
        pages: &Pages,
        request: &Request,
        client: &ClientInfo,
        bytes: &[u8],
    ) -> Result<Response> {
        let target = self.app.redirect_to(client);
        if !self.app.redirects.is_own(&target) || is_exchange(request) {
            return Ok(self.follow(request, client).await);
        }
        match confirm::check(pages, request, client, bytes).await? {
            Ok(visit) => {
                let verified = self.use_link(request, client).await;
                visit.finish(verified, request.head()).await
            }
            Err(response) => Ok(response),
        }
    }

    /// Returns where a page sends users whose link does not work; empty if that is a page of this server.
    fn failed_location(&self, request: &Request, client: &ClientInfo) -> String {
        let target = self.app.redirect_to(client);
        if self.app.redirects.is_own(&target) {
            return String::new();
        }
        error_location(&target, &link_expired(), is_exchange(request))
    }

    /// Uses a link.
    async fn use_link(&self, request: &Request, client: &ClientInfo) -> Result<Verification> {
        let head = request.head();
        let token = query_value(head, "token").unwrap_or_default();
        let kind = query_value(head, "type").unwrap_or_default();
        match VerifyType::parse(&kind) {
            Some(VerifyType::Sms | VerifyType::PhoneChange) | None => Err(self.unknown_type(true)),
            Some(kind) => {
                let attempt = VerifyAttempt {
                    kind,
                    proof: Proof::Link(token),
                    password: None,
                };
                verify::verify(&self.app, &attempt, true, client).await
            }
        }
    }

    /// Uses a link in a browser and redirects the user to the site.
    async fn follow(&self, request: &Request, client: &ClientInfo) -> Response {
        let target = self.app.redirect_to(client);
        let exchange = is_exchange(request);
        let verified = self.use_link(request, client).await;
        let mut response = Response::status(303);
        let location = match verified {
            Ok(Verification::SignedIn(issued, kind)) => {
                response = issued.label(response);
                let body = issued.body;
                let (expires_at, expires_in) =
                    (body.expires_at.to_string(), body.expires_in.to_string());
                let mut parameters = vec![
                    ("access_token", body.access_token.as_str()),
                    ("expires_at", &expires_at),
                    ("expires_in", &expires_in),
                    ("refresh_token", &body.refresh_token),
                    ("token_type", "bearer"),
                    ("type", kind.name()),
                ];
                parameters.extend(body.message.map(|message| ("message", message)));
                with_fragment(&target, &parameters)
            }
            Ok(Verification::Half) => {
                let target = if exchange {
                    with_query(&target, &[("message", HALF)])
                } else {
                    target
                };
                with_fragment(&target, &[("message", HALF)])
            }
            Ok(Verification::Exchange { code, message }) => {
                let mut parameters = vec![("code", code.as_str())];
                parameters.extend(message.map(|message| ("message", message)));
                with_query(&target, &parameters)
            }
            Err(error) => error_location(&target, &error, exchange),
        };
        response.header("location", location)
    }
}
