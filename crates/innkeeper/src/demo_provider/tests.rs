use std::sync::Arc;

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use innkeeper_rest::App;
use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_service::clock::Clock;
use jiff::SignedDuration;
use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use super::{DemoClient, DemoProvider};

const ISSUER: &str = "http://127.0.0.1:8082/demo-provider";
const CALLBACK: &str = "http://127.0.0.1:8081/callback";
/// From RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

struct Inn {
    client: Client,
    registration: DemoClient,
    clock: Clock,
}

type Pairs<'a> = Vec<(&'a str, &'a str)>;

fn encoded(pairs: &Pairs<'_>) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(pairs).finish()
}

/// Returns the pairs with one value changed, or left out if it is empty.
fn with<'a>(pairs: &Pairs<'a>, name: &'a str, value: &'a str) -> Pairs<'a> {
    let others = pairs.iter().filter(|(other, _)| *other != name).copied();
    let changed = Some((name, value)).filter(|_| !value.is_empty());
    others.chain(changed).collect()
}

fn query() -> Pairs<'static> {
    vec![
        ("client_id", "innkeeper"),
        ("redirect_uri", CALLBACK),
        ("response_type", "code"),
        ("scope", "openid profile email"),
        ("state", "a state & more"),
        ("nonce", "n-1"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
    ]
}

/// Returns the text between two others.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("{text}"));
    rest.split_once(end).unwrap().0
}

/// Returns where a page sends the browser.
fn target(page: &TestResponse) -> Url {
    let text = page.text();
    let url = between(&text, "content=\"0; url=", "\">").replace("&amp;", "&");
    assert!(text.contains("<a class=\"button first\" href=\""), "{text}");
    url.parse().unwrap()
}

fn parameter(url: &Url, name: &str) -> Option<String> {
    let mut pairs = url.query_pairs();
    pairs
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
}

impl Inn {
    fn start() -> Self {
        let (clock, registration) = (Clock::manual(), DemoClient::register(CALLBACK.to_owned()));
        let provider =
            DemoProvider::new(ISSUER.to_owned(), registration.clone(), clock.clone()).unwrap();
        let app = Arc::new(provider).mount(App::new());
        Self {
            client: Client::new(app).unwrap(),
            registration,
            clock,
        }
    }

    fn path(endpoint: &str) -> String {
        format!("/demo-provider/protocol/openid-connect/{endpoint}")
    }

    async fn show(&self, query: &Pairs<'_>) -> TestResponse {
        let target = format!("{}?{}", Self::path("auth"), encoded(query));
        self.client.get(target).send().await
    }

    /// Sends the form as the browser that was given it does.
    async fn submit(&self, query: &Pairs<'_>, fields: &Pairs<'_>) -> TestResponse {
        let page = self.show(query).await;
        assert_eq!(page.status(), 200);
        let cookie = page.header("set-cookie").unwrap().to_owned();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let text = page.text();
        let token = between(&text, "name=\"form_token\" value=\"", "\"");
        let action = between(&text, "action=\"", "\"").replace("&amp;", "&");
        let form = [&[("form_token", token)][..], fields].concat();
        let request = self.client.post(format!("{}{action}", Self::path("auth")));
        request
            .header("cookie", cookie)
            .header("sec-fetch-site", "same-origin")
            .form(&encoded(&form))
            .send()
            .await
    }

    async fn code(&self) -> String {
        let fields = vec![("name", "Ada <3"), ("email", "Ada@Example.com")];
        let page = self.submit(&query(), &fields).await;
        assert_eq!(page.status(), 200, "{}", page.text());
        let url = target(&page);
        assert!(url.as_str().starts_with(&format!("{CALLBACK}?")), "{url}");
        assert_eq!(parameter(&url, "state").unwrap(), "a state & more");
        parameter(&url, "code").unwrap()
    }

    fn exchange_fields<'a>(&'a self, code: &'a str) -> Pairs<'a> {
        vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", CALLBACK),
            ("code_verifier", VERIFIER),
            ("client_id", &self.registration.id),
            ("client_secret", self.registration.secret.reveal()),
        ]
    }

    async fn exchange(&self, fields: &Pairs<'_>) -> TestResponse {
        let request = self.client.post(Self::path("token"));
        request.form(&encoded(fields)).send().await
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self
            .client
            .get(format!("/demo-provider{path}"))
            .send()
            .await;
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().unwrap()
    }
}

#[tokio::test]
async fn a_person_is_described_by_tokens_that_the_published_key_verifies() {
    let inn = Inn::start();
    let code = inn.code().await;
    let answer = inn.exchange(&inn.exchange_fields(&code)).await;
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let tokens: Value = answer.json().unwrap();
    let text = |name: &str| tokens[name].as_str().unwrap().to_owned();

    let id_token = text("id_token");
    let (signed, signature) = id_token.rsplit_once('.').unwrap();
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
    let document = inn.get("/.well-known/openid-configuration").await;
    let keys = document["jwks_uri"].as_str().unwrap();
    let keys = inn.get(keys.strip_prefix(ISSUER).unwrap()).await;
    let key = &keys["keys"][0];
    assert_eq!(key.get("d"), None, "{key}");
    let point = |name: &str| decode(key[name].as_str().unwrap());
    let point = [&[4][..], &point("x"), &point("y")].concat();
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
        .verify(signed.as_bytes(), &decode(signature))
        .unwrap();

    let claims: Value = serde_json::from_slice(&decode(signed.split_once('.').unwrap().1)).unwrap();
    let now = inn.clock.now().as_second();
    let subject = claims["sub"].as_str().unwrap().to_owned();
    assert_eq!(
        claims,
        json!({
            "iss": ISSUER, "aud": "innkeeper", "iat": now, "exp": now + 300, "nonce": "n-1",
            "sub": subject, "name": "Ada <3", "email": "ada@example.com", "email_verified": true,
            "at_hash": claims["at_hash"],
        })
    );

    let userinfo = |token: String| {
        let request = inn.client.get(Inn::path("userinfo"));
        request
            .header("authorization", format!("Bearer {token}"))
            .send()
    };
    let person: Value = userinfo(text("access_token")).await.json().unwrap();
    assert_eq!(
        person,
        json!({
            "sub": subject, "name": "Ada <3", "email": "ada@example.com", "email_verified": true,
        })
    );
    assert_eq!(userinfo("other".to_owned()).await.status(), 401);
    inn.clock.advance(SignedDuration::from_mins(5));
    assert_eq!(userinfo(text("access_token")).await.status(), 401);
}

#[tokio::test]
async fn a_code_is_exchanged_once_by_its_client_with_its_verifier_within_a_minute() {
    let inn = Inn::start();
    for (name, value, status, error) in [
        ("client_secret", "wrong", 401, "invalid_client"),
        ("client_secret", "", 401, "invalid_client"),
        ("client_id", "other", 401, "invalid_client"),
        ("grant_type", "password", 400, "unsupported_grant_type"),
        ("grant_type", "", 400, "invalid_request"),
        ("code", "", 400, "invalid_request"),
        ("code", "AAAA", 400, "invalid_grant"),
        (
            "redirect_uri",
            "http://127.0.0.1:8081/callback/",
            400,
            "invalid_grant",
        ),
        ("redirect_uri", "", 400, "invalid_grant"),
        ("code_verifier", CHALLENGE, 400, "invalid_grant"),
        ("code_verifier", "", 400, "invalid_grant"),
    ] {
        let code = inn.code().await;
        let answer = inn
            .exchange(&with(&inn.exchange_fields(&code), name, value))
            .await;
        assert_eq!(answer.status(), status, "{name}={value}");
        let body: Value = answer.json().unwrap();
        assert_eq!(body["error"], error, "{name}={value}");
    }

    let code = inn.code().await;
    let fields = inn.exchange_fields(&code);
    let wrong = with(&fields, "code_verifier", CHALLENGE);
    assert_eq!(inn.exchange(&wrong).await.status(), 400);
    assert_eq!(
        inn.exchange(&fields).await.status(),
        400,
        "used up by the wrong one"
    );

    let code = inn.code().await;
    let fields = inn.exchange_fields(&code);
    inn.clock.advance(SignedDuration::from_secs(59));
    assert_eq!(inn.exchange(&fields).await.status(), 200);
    assert_eq!(inn.exchange(&fields).await.status(), 400, "a second time");

    let code = inn.code().await;
    inn.clock.advance(SignedDuration::from_secs(60));
    assert_eq!(
        inn.exchange(&inn.exchange_fields(&code)).await.status(),
        400
    );
}

#[tokio::test]
async fn the_client_can_authenticate_with_a_header() {
    let inn = Inn::start();
    let secret = inn.registration.secret.reveal();
    for (pair, status) in [
        (format!("innkeeper:{secret}"), 200),
        ("innkeeper:wrong".to_owned(), 401),
        (format!("other:{secret}"), 401),
    ] {
        let code = inn.code().await;
        let fields = with(&inn.exchange_fields(&code), "client_secret", "");
        let request = inn.client.post(Inn::path("token"));
        let answer = request
            .header("authorization", format!("Basic {}", STANDARD.encode(&pair)))
            .form(&encoded(&fields))
            .send()
            .await;
        assert_eq!(answer.status(), status, "{pair}");
        assert_eq!(answer.header("www-authenticate").is_some(), status == 401);
    }
}

#[tokio::test]
async fn requests_of_others_are_refused_without_a_redirect_and_mistakes_with_one() {
    let inn = Inn::start();
    for (name, value) in [
        ("client_id", "other"),
        ("client_id", ""),
        ("redirect_uri", "https://evil.example/callback"),
        ("redirect_uri", "http://127.0.0.1:8081/callback?a=b"),
        ("redirect_uri", ""),
    ] {
        let page = inn.show(&with(&query(), name, value)).await;
        assert_eq!(page.status(), 400, "{name}={value}");
        assert!(!page.text().contains("http-equiv"), "{name}={value}");
        assert!(
            page.text().contains("This request is refused"),
            "{name}={value}"
        );
    }
    let twice = [query(), vec![("client_id", "innkeeper")]].concat();
    assert_eq!(inn.show(&twice).await.status(), 400);
    for (name, value, error) in [
        ("response_type", "token", "unsupported_response_type"),
        ("scope", "profile", "invalid_scope"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("code_challenge", "", "invalid_request"),
        ("prompt", "none", "login_required"),
    ] {
        let url = target(&inn.show(&with(&query(), name, value)).await);
        assert!(url.as_str().starts_with(CALLBACK), "{url}");
        assert_eq!(parameter(&url, "error").unwrap(), error, "{name}={value}");
        assert_eq!(parameter(&url, "state").unwrap(), "a state & more");
        assert_eq!(parameter(&url, "code"), None);
    }
    let cancelled = inn.submit(&query(), &vec![("action", "cancel")]).await;
    let url = target(&cancelled);
    assert_eq!(parameter(&url, "error").unwrap(), "access_denied");
    assert_eq!(parameter(&url, "state").unwrap(), "a state & more");
}

#[tokio::test]
async fn only_the_page_itself_can_send_the_form() {
    let inn = Inn::start();
    let page = inn.show(&query()).await;
    let cookie = page.header("set-cookie").unwrap().to_owned();
    for attribute in ["Path=/demo-provider", "HttpOnly", "SameSite=Strict"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    let cookie = cookie.split(';').next().unwrap();
    let text = page.text();
    let token = between(&text, "name=\"form_token\" value=\"", "\"");
    let other = "A".repeat(43);
    for (cookie, token, site, status) in [
        (cookie, token, "same-origin", 200),
        (cookie, token, "cross-site", 403),
        (cookie, token, "same-site", 403),
        (cookie, &other, "same-origin", 403),
        (cookie, "", "same-origin", 403),
        ("innkeeper_demo_provider=short", "short", "same-origin", 403),
        ("innkeeper_demo_provider=", "", "same-origin", 403),
        ("other=x", token, "same-origin", 403),
    ] {
        let form = vec![
            ("form_token", token),
            ("name", "Ada"),
            ("email", "ada@example.com"),
        ];
        let path = format!("{}?{}", Inn::path("auth"), encoded(&query()));
        let request = inn.client.post(path).header("cookie", cookie);
        let request = request.header("sec-fetch-site", site);
        let answer = request.form(&encoded(&form)).send().await;
        assert_eq!(answer.status(), status, "{cookie} {token} {site}");
        assert_eq!(answer.text().contains("code="), status == 200);
    }

    // A cookie of somebody else's making is replaced.
    let foreign = format!("innkeeper_demo_provider={}", "é".repeat(43));
    let path = format!("{}?{}", Inn::path("auth"), encoded(&query()));
    let page = inn.client.get(path).header("cookie", foreign).send().await;
    assert_eq!(page.status(), 200);
    assert!(!page.text().contains('é'));

    // Several tabs of a browser share the cookie.
    let path = format!("{}?{}", Inn::path("auth"), encoded(&query()));
    let again = inn.client.get(path).header("cookie", cookie).send().await;
    assert!(again.text().contains(token));
}

#[tokio::test]
async fn texts_cannot_become_html_and_mistakes_in_the_form_are_explained() {
    let inn = Inn::start();
    let evil = "\"><script>alert(1)</script>";
    let page = inn
        .show(&with(&with(&query(), "login_hint", evil), "state", evil))
        .await;
    assert!(!page.text().contains("<script"), "{}", page.text());
    assert!(page.text().contains("value=\"&quot;&gt;&lt;script&gt;"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'self';"),
        "{policy}"
    );
    assert!(!policy.contains("script"), "{policy}");
    assert_eq!(page.header("cache-control"), Some("no-store"));

    let long = "a".repeat(101);
    for (name, email, problem) in [
        ("", "ada@example.com", "Enter a name"),
        ("  ", "ada@example.com", "Enter a name"),
        (long.as_str(), "ada@example.com", "Enter a name"),
        ("Ada\u{7}", "ada@example.com", "Enter a name"),
        (evil, "ada", "Enter an email address"),
        ("Ada", evil, "Enter an email address"),
    ] {
        let page = inn
            .submit(&query(), &vec![("name", name), ("email", email)])
            .await;
        assert_eq!(page.status(), 400, "{name} {email}");
        assert!(page.text().contains(problem), "{}", page.text());
        assert!(!page.text().contains("<script"), "{}", page.text());
    }
}
