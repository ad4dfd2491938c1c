//! Flows that send mails, and the use of their links and codes.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_auth::config::Config;
use innkeeper_rest::Method;
use jiff::SignedDuration;
use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use super::mailbox::ReceivedMail;
use super::{Answer, TestApp};

/// Turns off the interval between mails to one address.
pub(crate) fn without_pauses(config: &mut Config) {
    config.smtp.max_frequency = Some(SignedDuration::ZERO);
}

impl TestApp {
    /// Creates a user with a confirmed address, as an operator.
    pub(crate) async fn confirmed(&self, email: &str) -> Value {
        let body = json!({ "email": email, "password": "correct horse", "email_confirm": true });
        let answer = self
            .post_as(&self.service_key(), "/admin/users", body)
            .await;
        answer.ok()
    }

    /// Returns the only user, as operators see it.
    pub(crate) async fn only_user(&self) -> Value {
        let list = self.operator().get("/admin/users").await.ok();
        let users = list["users"].as_array().unwrap();
        assert_eq!(users.len(), 1, "{list}");
        self.operator().show(&users[0]).await
    }

    /// Signs up with a password, and returns the confirmation mail.
    pub(crate) async fn mail_of_signup(&self, email: &str) -> ReceivedMail {
        let body = json!({ "email": email, "password": "correct horse" });
        self.post("/signup", body).await.ok();
        self.mailbox.next_to(email).await
    }

    /// Requests a mail from an endpoint, and returns it.
    pub(crate) async fn mail_of(&self, target: &str, email: &str) -> ReceivedMail {
        let answer = self.post(target, json!({ "email": email })).await;
        assert_eq!(answer.ok(), json!({}));
        self.mailbox.next_to(email).await
    }

    /// Opens the link of a mail, as a browser does.
    pub(crate) async fn follow(&self, letter: &ReceivedMail) -> Answer {
        self.get(&target_of(&letter.link())).await
    }

    /// Verifies with the code of a mail.
    pub(crate) async fn verify_code(&self, kind: &str, email: &str, code: &str) -> Answer {
        let body = json!({ "type": kind, "email": email, "token": code });
        self.post("/verify", body).await
    }

    /// Verifies with the secret of a link, as an app does that handles links itself.
    pub(crate) async fn verify_link(&self, kind: &str, secret: &str) -> Answer {
        let body = json!({ "type": kind, "token_hash": secret });
        self.post("/verify", body).await
    }

    /// Requests any link with any method.
    pub(crate) async fn open(&self, method: Method, kind: &str, secret: &str) -> Answer {
        let target = format!("/verify?token={secret}&type={kind}");
        self.send(method, &target, &[], None).await
    }

    /// Asserts that no mail was sent to this address: waits for another mail, which arrives after any that was
    /// on its way.
    pub(crate) async fn assert_no_mail(&self, email: &str) {
        let beacon = format!("beacon-{}@example.com", uuid::Uuid::new_v4());
        let body = json!({ "email": beacon });
        self.post_as(&self.service_key(), "/invite", body)
            .await
            .ok();
        self.mailbox.next_to(&beacon).await;
        assert_eq!(self.mailbox.count_to(email), 0, "mail to {email}");
    }

    /// Counts the users with this address.
    pub(crate) async fn accounts(&self, email: &str) -> i64 {
        let statement = "select count(*) from users where email = $1";
        let row = self.sql().await.query_one(statement, &[&email]).await;
        row.unwrap().get(0)
    }
}

/// Returns the path and query of a URL.
pub(crate) fn target_of(link: &Url) -> String {
    format!("{}?{}", link.path(), link.query().unwrap_or_default())
}

impl Answer {
    /// Returns the target of a redirect.
    #[track_caller]
    pub(crate) fn location(&self) -> &str {
        assert_eq!(self.status, 303, "{}", self.text);
        self.header("location").expect("a location")
    }

    /// Returns the target of a redirect without added parameters.
    #[track_caller]
    pub(crate) fn landing(&self) -> &str {
        let location = self.location();
        let (base, _) = location.split_once('#').unwrap_or((location, ""));
        base.split_once('?').map_or(base, |(base, _)| base)
    }

    /// Returns the pairs of the fragment, in order.
    #[track_caller]
    pub(crate) fn fragment(&self) -> Vec<(String, String)> {
        let (_, fragment) = self.location().split_once('#').unwrap_or_default();
        form_urlencoded::parse(fragment.as_bytes())
            .into_owned()
            .collect()
    }

    /// Returns the pairs of the query.
    #[track_caller]
    pub(crate) fn query(&self) -> BTreeMap<String, String> {
        let (base, _) = self
            .location()
            .split_once('#')
            .unwrap_or((self.location(), ""));
        let (_, query) = base.split_once('?').unwrap_or_default();
        form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect()
    }

    /// Returns a value of the fragment, or the empty string.
    #[track_caller]
    pub(crate) fn said(&self, name: &str) -> String {
        let pairs = self.fragment();
        let found = pairs.into_iter().find(|(key, _)| key == name);
        found.unwrap_or_default().1
    }

    /// Asserts a redirect that reports this error code.
    #[track_caller]
    pub(crate) fn sent_back_with(&self, code: &str) {
        assert_eq!(self.said("error_code"), code, "{}", self.location());
        assert!(!self.said("error").is_empty());
        assert!(!self.said("error_description").is_empty());
        assert!(self.fragment().contains(&("sb".to_owned(), String::new())));
        assert_eq!(self.said("access_token"), "");
    }
}

/// Returns the claims of an access token.
pub(crate) fn claims_of(access_token: &str) -> Value {
    let payload = access_token.split('.').nth(1).expect("a token");
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

/// Returns the authentication methods of a session.
pub(crate) fn methods_of(access_token: &str) -> Vec<String> {
    let claims = claims_of(access_token);
    let amr = claims["amr"].as_array().expect("a list of methods");
    amr.iter()
        .map(|entry| entry["method"].as_str().unwrap().to_owned())
        .collect()
}
