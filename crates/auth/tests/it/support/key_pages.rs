//! What the script of the pages does: gets a challenge, lets an authenticator answer, and sends the form.

use innkeeper_auth::config::Config;
use serde_json::Value;

use super::authenticator::{Authenticator, ORIGIN, accept_authenticators};
use super::pages::{Shown, Visitor, serve_pages};
use super::served::Served;

pub(crate) const ACCOUNT: &str = "/account";
pub(crate) const SIGN_IN: &str = "/account/sign-in";
pub(crate) const PASSKEY: &str = "/account/passkey";
pub(crate) const PASSKEYS: &str = "/account/passkeys";
pub(crate) const SECURITY_KEY: &str = "/account/security-key";
pub(crate) const SECOND_FACTOR: &str = "/account/second-factor";

/// Starts a server with pages, passkeys and security keys.
pub(crate) async fn serve_keys(change: impl FnOnce(&mut Config)) -> Served {
    serve_pages(|config| {
        accept_authenticators(config);
        config.api.external_url = ORIGIN.parse().unwrap();
        change(config);
    })
    .await
}

/// Returns the challenge in an answer to the script.
#[track_caller]
pub(crate) fn challenge_in(answer: &Shown) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.html);
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(answer.headers["cache-control"], "no-store");
    serde_json::from_str(&answer.html).unwrap()
}

impl Visitor {
    /// Gets a challenge for the form with this target, with these fields.
    pub(crate) async fn challenge(
        &mut self,
        page: &Shown,
        target: &str,
        fields: &[(&str, &str)],
    ) -> Value {
        let options = format!("{target}/options");
        challenge_in(&self.send(page, &options, fields).await)
    }

    /// Sends the form with this target, with the answer to a challenge.
    pub(crate) async fn answer(
        &mut self,
        page: &Shown,
        target: &str,
        started: &Value,
        credential: &Value,
    ) -> Shown {
        let credential = credential.to_string();
        let mut fields = vec![
            ("challenge", started["challenge"].as_str().unwrap()),
            ("credential", credential.as_str()),
        ];
        fields.extend(started["factor"].as_str().map(|factor| ("factor", factor)));
        self.send(page, target, &fields).await
    }

    /// Adds a passkey on the account page.
    pub(crate) async fn add_passkey(&mut self, authenticator: &mut Authenticator) -> Shown {
        let page = self.open(ACCOUNT).await;
        let started = self.challenge(&page, PASSKEYS, &[]).await;
        let credential = authenticator.create(&started["publicKey"]);
        self.answer(&page, PASSKEYS, &started, &credential).await
    }

    /// Signs in with a passkey.
    pub(crate) async fn use_passkey(&mut self, authenticator: &mut Authenticator) -> Shown {
        let page = self.open(SIGN_IN).await;
        let started = self.challenge(&page, PASSKEY, &[]).await;
        let credential = authenticator.get(&started["publicKey"]);
        self.answer(&page, PASSKEY, &started, &credential).await
    }

    /// Adds a security key with this name.
    pub(crate) async fn add_key(&mut self, name: &str, key: &mut Authenticator) -> Shown {
        let page = self.open(SECURITY_KEY).await;
        let started = self.challenge(&page, SECURITY_KEY, &[("name", name)]).await;
        let credential = key.create(&started["publicKey"]);
        self.answer(&page, SECURITY_KEY, &started, &credential)
            .await
    }

    /// Answers the page that asks for the second factor with a security key.
    pub(crate) async fn use_key(&mut self, page: &Shown, key: &mut Authenticator) -> Shown {
        let started = self.challenge(page, SECOND_FACTOR, &[]).await;
        let credential = key.get(&started["publicKey"]);
        self.answer(page, SECOND_FACTOR, &started, &credential)
            .await
    }
}
