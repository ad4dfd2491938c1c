//! What providers and browsers bring back and should not: nobody is signed in, the page learns why, and nothing is
//! left in the database.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::browser::{Browser, SITE, serve_with};
use crate::support::github::Landing;
use crate::support::provider_cases::ProviderCase;
use crate::support::provider_double::{DoubleReply, ProviderDouble};
use crate::support::served::Served;
use crate::support::tokens::assemble;

const EXCHANGE: &str = "Unable to exchange external code";
const PROFILE: &str = "Error getting user profile from external provider";
const GITHUB_TOKEN: &str = "POST github.com/login/oauth/access_token";
const GITHUB_USER: &str = "GET api.github.com/user";
const GITHUB_EMAILS: &str = "GET api.github.com/user/emails";
const GOOGLE_TOKEN: &str = "POST oauth2.googleapis.com/token";
const GOOGLE_DISCOVERY: &str = "GET accounts.google.com/.well-known/openid-configuration";
const GOOGLE_KEYS: &str = "GET keys.example.com/jwks";

/// A server, a provider and a browser.
struct Stage {
    name: &'static str,
    double: ProviderDouble,
    served: Served,
    browser: Browser,
}

impl Stage {
    async fn of(name: &'static str) -> Self {
        let double = ProviderDouble::start(ProviderCase::of(name)).await;
        let served = serve_with(&double, |_| {}).await;
        Self {
            name,
            double,
            served,
            browser: Browser::new(),
        }
    }

    fn address(&self) -> String {
        let (url, name) = (&self.served.url, self.name);
        format!("{url}/authorize?provider={name}&redirect_to={SITE}/in?room=7")
    }

    async fn sign_in(&self) -> Landing {
        self.browser.follow(&self.address()).await
    }

    /// Goes to the provider, and returns the address at which the browser would come back.
    async fn visit(&self) -> String {
        let at_provider = location(&self.browser, &self.address()).await;
        location(&self.browser, &at_provider).await
    }

    /// The sign-in fails with this error, and leaves nothing behind.
    async fn fails(&self, error: &str, code: &str, description: &str, what: &str) {
        let landing = self.sign_in().await;
        self.refused(&landing, error, code, description, what).await;
    }

    async fn refused(
        &self,
        landing: &Landing,
        error: &str,
        code: &str,
        description: &str,
        what: &str,
    ) {
        landing.refused(error, code);
        assert_eq!(landing.page, "http://localhost:3000/in", "{what}");
        assert_eq!(landing.query["room"], "7", "{what}");
        for pairs in [&landing.query, &landing.fragment] {
            assert_eq!(pairs["error_description"], description, "{what}");
        }
        self.assert_nothing_is_stored(what).await;
    }

    async fn assert_nothing_is_stored(&self, what: &str) {
        for table in [
            "users",
            "identities",
            "sessions",
            "refresh_tokens",
            "one_time_tokens",
            "flow_state",
            "innkeeper_flow_secrets",
        ] {
            assert_eq!(self.served.app.rows(table).await, 0, "{what}: {table}");
        }
    }

    /// The provider answers as usual again: the user gets in.
    async fn recovers(&self) {
        self.double.reset();
        self.sign_in().await.access_token();
    }
}

/// Returns where an address redirects to.
async fn location(browser: &Browser, url: &str) -> String {
    let answer = browser.open(url).await;
    let location = answer.headers().get("location").expect("a redirect");
    location.to_str().unwrap().to_owned()
}

fn page(status: u16) -> DoubleReply {
    DoubleReply::Raw(status, "text/html", "<h1>SECRET-PAGE</h1>".to_owned())
}

fn long(megabytes: usize) -> DoubleReply {
    let text = "x".repeat(megabytes << 20);
    DoubleReply::Raw(200, "application/json", format!("{{\"id\":\"{text}\"}}"))
}

/// Answers that no endpoint of a provider should give.
fn broken() -> [(&'static str, DoubleReply); 12] {
    let raw = |text: &str| DoubleReply::Raw(200, "application/json", text.to_owned());
    [
        ("a page", page(200)),
        ("a page about a failure", page(500)),
        ("a page about nothing", page(404)),
        ("ten megabytes", long(10)),
        ("no end", DoubleReply::Endless),
        ("no answer", DoubleReply::Cut),
        (
            "a redirect",
            DoubleReply::Redirect("http://127.0.0.1:1/".to_owned()),
        ),
        ("a failure", DoubleReply::Json(500, json!({}))),
        ("null", DoubleReply::Json(200, json!(null))),
        ("nothing that is needed", DoubleReply::Json(200, json!({}))),
        ("half of JSON", raw("{\"id\":1")),
        ("no body", raw("")),
    ]
}

#[tokio::test]
async fn broken_answers_end_the_sign_in_and_leave_nothing_behind() {
    let stage = Stage::of("github").await;
    for (target, description) in [(GITHUB_TOKEN, EXCHANGE), (GITHUB_USER, PROFILE)] {
        for (what, reply) in broken() {
            let shown = format!("{target}: {what}");
            stage.double.on(target, reply);
            stage
                .fails("server_error", "unexpected_failure", description, &shown)
                .await;
        }
        stage.double.reset();
    }
    stage.double.on(GITHUB_EMAILS, page(502));
    stage
        .fails(
            "server_error",
            "unexpected_failure",
            PROFILE,
            "no addresses",
        )
        .await;
    stage.recovers().await;
}

#[tokio::test]
async fn what_a_provider_says_about_a_code_reaches_the_page_and_what_it_says_about_the_client_does_not()
 {
    let stage = Stage::of("github").await;
    let says = |error: &str| json!({ "error": error, "error_description": "because\r\nof this" });
    stage.double.on(
        GITHUB_TOKEN,
        DoubleReply::Json(200, says("bad_verification_code")),
    );
    let told = format!("{EXCHANGE}: bad_verification_code: becauseof this");
    stage
        .fails("invalid_request", "bad_oauth_callback", &told, "the code")
        .await;
    stage
        .double
        .on(GITHUB_TOKEN, DoubleReply::Json(401, says("invalid_client")));
    stage
        .fails("server_error", "unexpected_failure", EXCHANGE, "the client")
        .await;
    stage.recovers().await;
}

#[tokio::test]
async fn a_user_without_an_address_is_refused() {
    let stage = Stage::of("github").await;
    for emails in [
        json!([]),
        json!({ "message": "no" }),
        json!([{ "email": null, "verified": true }, { "email": "", "verified": true }, 7]),
        json!([{ "email": "not an address", "primary": true, "verified": true }]),
    ] {
        let shown = emails.to_string();
        stage
            .double
            .on(GITHUB_EMAILS, DoubleReply::Json(200, emails));
        let told = "github did not share an email address";
        stage
            .fails(
                "invalid_request",
                "email_address_not_provided",
                told,
                &shown,
            )
            .await;
    }
    stage.recovers().await;
}

#[tokio::test]
async fn an_unverified_address_waits_for_its_confirmation() {
    let stage = Stage::of("github").await;
    let emails = json!([{ "email": "ada@example.com", "primary": true, "verified": false }]);
    stage
        .double
        .on(GITHUB_EMAILS, DoubleReply::Json(200, emails));
    let app = &stage.served.app;
    let mut code = String::new();
    for _ in 0..2 {
        let landing = stage.sign_in().await;
        landing.refused("access_denied", "provider_email_needs_verification");
        assert_eq!(app.rows("sessions").await, 0);
        assert_eq!(app.rows("users").await, 1);
        assert_eq!(app.rows("identities").await, 1);
        code = app.mailbox.next_to("ada@example.com").await.code();
    }
    let body = json!({ "type": "signup", "email": "ada@example.com", "token": code });
    app.post("/verify", body).await.ok();
    stage.sign_in().await.access_token();
    assert_eq!(app.rows("users").await, 1);
}

#[tokio::test]
async fn an_id_token_of_somebody_else_ends_the_sign_in() {
    let stage = Stage::of("google").await;
    let claims = stage.double.claims(&json!({}));
    let expired = claims["iat"].as_i64().unwrap() - 3600;
    for changes in [
        json!({ "iss": "https://accounts.evil.example" }),
        json!({ "aud": "another-client" }),
        json!({ "aud": ["client-1", "another-client"] }),
        json!({ "nonce": "another" }),
        json!({ "nonce": null }),
        json!({ "exp": expired }),
        json!({ "at_hash": "AAAAAAAAAAAAAAAAAAAAAA" }),
        json!({ "sub": null }),
    ] {
        stage.double.change_claims(changes.clone());
        let shown = changes.to_string();
        stage
            .fails("server_error", "unexpected_failure", PROFILE, &shown)
            .await;
    }
    stage.double.reset();
    let unsigned = assemble(&json!({ "alg": "none" }), &claims, b"");
    let foreign = ProviderDouble::start(ProviderCase::of("google")).await;
    for token in [
        unsigned,
        foreign.id_token(&json!({})),
        "not.a.token".to_owned(),
    ] {
        let answer = json!({ "access_token": "access-1", "id_token": token });
        stage
            .double
            .on(GOOGLE_TOKEN, DoubleReply::Json(200, answer));
        stage
            .fails("server_error", "unexpected_failure", PROFILE, &token)
            .await;
    }
    stage.recovers().await;
}

#[tokio::test]
async fn a_provider_whose_documents_are_broken_signs_nobody_in() {
    let stage = Stage::of("google").await;
    let elsewhere =
        json!({ "issuer": "https://evil.example", "jwks_uri": "https://keys.example.com/jwks" });
    let mut replies = vec![(
        GOOGLE_DISCOVERY,
        "another issuer",
        DoubleReply::Json(200, elsewhere),
    )];
    // The keys come last: a discovery document that is good is not fetched again.
    for target in [GOOGLE_DISCOVERY, GOOGLE_KEYS] {
        replies.extend(broken().map(|(what, reply)| (target, what, reply)));
    }
    let empty = DoubleReply::Json(200, json!({ "keys": [] }));
    replies.push((GOOGLE_KEYS, "no keys", empty));
    for (target, what, reply) in replies {
        let shown = format!("{target}: {what}");
        stage.double.on(target, reply);
        stage
            .fails("server_error", "unexpected_failure", PROFILE, &shown)
            .await;
        stage.double.reset();
        // So that the documents are fetched again.
        stage.served.app.advance(11);
    }
    stage.recovers().await;
}

#[tokio::test]
async fn a_code_counts_only_in_the_flow_that_it_was_issued_for() {
    let stage = Stage::of("github").await;
    let told = format!("{EXCHANGE}: invalid_grant: The request is wrong.");
    let [first, second] = [stage.visit().await, stage.visit().await];
    let swapped = |state: &str, code: &str| {
        let part = |url: &str, name: &str| {
            let url: url::Url = url.parse().unwrap();
            let mut pairs = url.query_pairs();
            pairs.find(|(key, _)| key == name).unwrap().1.into_owned()
        };
        let url = &stage.served.url;
        format!(
            "{url}/callback?state={}&code={}",
            part(state, "state"),
            part(code, "code")
        )
    };
    for (state, code) in [(&first, &second), (&second, &first)] {
        let landing = stage.browser.follow(&swapped(state, code)).await;
        landing.refused("invalid_request", "bad_oauth_callback");
        assert_eq!(landing.query["error_description"], told);
    }
    stage.assert_nothing_is_stored("swapped codes").await;
    let faults = stage.double.take_faults();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(
        faults
            .iter()
            .all(|fault| fault.ends_with("does not meet the challenge")),
        "{faults:?}"
    );
    stage.recovers().await;
}

#[tokio::test]
async fn coming_back_twice_signs_in_once() {
    let stage = Stage::of("github").await;
    let back = stage.visit().await;
    let landings = join_all((0..4).map(|_| stage.browser.follow(&back))).await;
    let signed_in = |it: &&Landing| it.fragment.contains_key("access_token");
    assert_eq!(landings.iter().filter(signed_in).count(), 1);
    let again = stage.browser.follow(&back).await;
    assert_eq!((again.status, again.page.as_str()), (303, SITE));
    assert_eq!(again.query["error_code"], "bad_oauth_state");
    assert_eq!(stage.served.app.rows("sessions").await, 1);
    stage.double.assert_satisfied();
}

#[tokio::test]
async fn a_user_who_comes_back_too_late_starts_again() {
    let stage = Stage::of("google").await;
    let back = stage.visit().await;
    stage.served.app.advance(301);
    stage.double.take_targets();
    let landing = stage.browser.follow(&back).await;
    assert_eq!((landing.status, landing.page.as_str()), (303, SITE));
    assert_eq!(landing.query["error_code"], "bad_oauth_state");
    assert_eq!(stage.double.take_targets(), [] as [&str; 0]);
    stage.assert_nothing_is_stored("too late").await;
}

/// Whatever the user form of Apple has, the browser has written it.
#[tokio::test]
async fn a_name_that_the_browser_brings_is_only_a_name() {
    for (user, name) in [
        (
            r#"{"name":{"firstName":"Ada"},"email":"root@example.com","sub":"root","role":"admin"}"#,
            json!("Ada"),
        ),
        ("{", Value::Null),
        (r#"{"name":null}"#, Value::Null),
        (r#"{"name":{"firstName":{"a":1}}}"#, Value::Null),
    ] {
        let case = ProviderCase {
            posted_user: Some(user),
            ..ProviderCase::of("apple")
        };
        let double = ProviderDouble::start(case).await;
        let served = serve_with(&double, |_| {}).await;
        let address = format!("{}/authorize?provider=apple", served.url);
        let landing = Browser::new().follow(&address).await;
        let shown = served
            .app
            .get_as(&landing.access_token(), "/user")
            .await
            .ok();
        assert_eq!(shown["user_metadata"]["full_name"], name, "{user}");
        assert_eq!(shown["email"], "ada@example.com");
        assert_eq!(shown["identities"][0]["id"], "subject-1");
        assert_eq!(shown["role"], "authenticated");
    }
}
