//! The mails of a test's users, and what is done with them.

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

/// Mails may follow each other at once.
pub(crate) fn without_pauses(config: &mut Config) {
    config.smtp.max_frequency = Some(SignedDuration::ZERO);
}

impl TestApp {
    /// A user with a confirmed address, made by an operator.
    pub(crate) async fn confirmed(&self, email: &str) -> Value {
        let body = json!({ "email": email, "password": "correct horse", "email_confirm": true });
        let answer = self
            .post_as(&self.service_key(), "/admin/users", body)
            .await;
        answer.ok()
    }

    /// Signs up with a password; the mail that asks for confirmation.
    pub(crate) async fn mail_of_signup(&self, email: &str) -> ReceivedMail {
        let body = json!({ "email": email, "password": "correct horse" });
        self.post("/signup", body).await.ok();
        self.mailbox.next_to(email).await
    }

    /// Asks an endpoint for a mail; what came.
    pub(crate) async fn mail_of(&self, target: &str, email: &str) -> ReceivedMail {
        let answer = self.post(target, json!({ "email": email })).await;
        assert_eq!(answer.ok(), json!({}));
        self.mailbox.next_to(email).await
    }

    /// Opens the link of a mail, as a browser does.
    pub(crate) async fn follow(&self, letter: &ReceivedMail) -> Answer {
        self.get(&target_of(&letter.link())).await
    }

    /// Types the code of a mail.
    pub(crate) async fn verify_code(&self, kind: &str, email: &str, code: &str) -> Answer {
        let body = json!({ "type": kind, "email": email, "token": code });
        self.post("/verify", body).await
    }

    /// Hands over the secret of a link, as an app does that has the link for itself.
    pub(crate) async fn verify_link(&self, kind: &str, secret: &str) -> Answer {
        let body = json!({ "type": kind, "token_hash": secret });
        self.post("/verify", body).await
    }

    /// Opens any link; the method may be another.
    pub(crate) async fn open(&self, method: Method, kind: &str, secret: &str) -> Answer {
        let target = format!("/verify?token={secret}&type={kind}");
        self.send(method, &target, &[], None).await
    }

    /// That no mail has gone to this address. Another one is sent and waited for, which comes later
    /// than any that was on its way.
    pub(crate) async fn assert_no_mail(&self, email: &str) {
        let beacon = format!("beacon-{}@example.com", uuid::Uuid::new_v4());
        let body = json!({ "email": beacon });
        self.post_as(&self.service_key(), "/invite", body)
            .await
            .ok();
        self.mailbox.next_to(&beacon).await;
        assert_eq!(self.mailbox.count_to(email), 0, "mail to {email}");
    }

    /// How many accounts have this address.
    pub(crate) async fn accounts(&self, email: &str) -> i64 {
        let statement = "select count(*) from users where email = $1";
        let row = self.sql().await.query_one(statement, &[&email]).await;
        row.unwrap().get(0)
    }
}

/// Path and query, as they are sent to the server.
pub(crate) fn target_of(link: &Url) -> String {
    format!("{}?{}", link.path(), link.query().unwrap_or_default())
}

impl Answer {
    /// Where a browser is sent; must be a redirect.
    #[track_caller]
    pub(crate) fn location(&self) -> &str {
        assert_eq!(self.status, 303, "{}", self.text);
        self.header("location").expect("a location")
    }

    /// Where a browser is sent, without what was added.
    #[track_caller]
    pub(crate) fn landing(&self) -> &str {
        let location = self.location();
        let (base, _) = location.split_once('#').unwrap_or((location, ""));
        base.split_once('?').map_or(base, |(base, _)| base)
    }

    /// The pairs of the fragment, in order.
    #[track_caller]
    pub(crate) fn fragment(&self) -> Vec<(String, String)> {
        let (_, fragment) = self.location().split_once('#').unwrap_or_default();
        form_urlencoded::parse(fragment.as_bytes())
            .into_owned()
            .collect()
    }

    /// The pairs of the query.
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

    /// A value of the fragment, the empty text if it is not there.
    #[track_caller]
    pub(crate) fn said(&self, name: &str) -> String {
        let pairs = self.fragment();
        let found = pairs.into_iter().find(|(key, _)| key == name);
        found.unwrap_or_default().1
    }

    /// A redirect that tells of a failure with this code.
    #[track_caller]
    pub(crate) fn sent_back_with(&self, code: &str) {
        assert_eq!(self.said("error_code"), code, "{}", self.location());
        assert!(!self.said("error").is_empty());
        assert!(!self.said("error_description").is_empty());
        assert!(self.fragment().contains(&("sb".to_owned(), String::new())));
        assert_eq!(self.said("access_token"), "");
    }
}

/// What an access token says.
pub(crate) fn claims_of(access_token: &str) -> Value {
    let payload = access_token.split('.').nth(1).expect("a token");
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

/// How a session says it was opened.
pub(crate) fn methods_of(access_token: &str) -> Vec<String> {
    let claims = claims_of(access_token);
    let amr = claims["amr"].as_array().expect("a list of methods");
    amr.iter()
        .map(|entry| entry["method"].as_str().unwrap().to_owned())
        .collect()
}
