//! A sign-in with each external provider, over real connections: from `/authorize` to the provider, which checks
//! what it is sent, back to `/callback`, and on to the site with a session or a code.

use innkeeper_auth::config::PROVIDERS;
use serde_json::{Value, json};

use crate::support::browser::{Browser, SITE, serve_with};
use crate::support::github::Landing;
use crate::support::provider_cases::{ClientProof, ProviderCase, all_cases};
use crate::support::provider_double::ProviderDouble;
use crate::support::served::Served;

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str =
    "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=s256";

#[test]
fn every_provider_has_a_chain() {
    let names: Vec<&str> = all_cases().iter().map(|case| case.name).collect();
    assert_eq!(names, PROVIDERS);
    let source = include_str!("provider_chains.rs");
    for name in PROVIDERS {
        assert!(
            source.contains(&format!("\n    chain(\"{name}\").await;\n")),
            "{name}"
        );
    }
}

#[tokio::test]
async fn gitlab_may_be_an_instance_at_the_url_of_the_setting() {
    let public = ProviderCase::of("gitlab");
    assert_eq!(public.url, None);
    let [(_, user), (_, emails)] = <[_; 2]>::try_from(public.api.clone()).unwrap();
    let mut expected = public.expected.clone();
    expected["iss"] = json!("https://git.example.com");
    let own = ProviderCase {
        url: Some("https://git.example.com"),
        authorize: "git.example.com/oauth/authorize",
        token: "git.example.com/oauth/token",
        api: vec![
            ("git.example.com/api/v4/user", user),
            ("git.example.com/api/v4/user/emails", emails),
        ],
        expected,
        ..public
    };
    sign_in_twice(&own).await;
}

#[tokio::test]
async fn keycloak_needs_the_url_of_an_instance() {
    let case = ProviderCase {
        url: None,
        ..ProviderCase::of("keycloak")
    };
    let double = ProviderDouble::start(case).await;
    let served = serve_with(&double, |_| {}).await;
    let answer = served.app.get("/authorize?provider=keycloak").await;
    let body = answer.refused(400, "validation_failed");
    assert_eq!(body["msg"], "Unsupported provider: missing URL");
    assert_eq!(served.app.rows("flow_state").await, 0);
}

async fn chain(name: &str) {
    sign_in_twice(&ProviderCase::of(name)).await;
}

/// Signs in with a provider twice: to a session in the fragment, and to a code.
async fn sign_in_twice(case: &ProviderCase) {
    let name = case.name;
    let double = ProviderDouble::start(case.clone()).await;
    let served = serve_with(&double, |_| {}).await;
    let browser = Browser::new();
    let address = format!(
        "{}/authorize?provider={name}&redirect_to={SITE}/in{}",
        served.url, case.query
    );
    let mut landing = browser.follow(&address).await;
    if needs_confirmation(case) {
        landing.refused("access_denied", "provider_email_needs_verification");
        confirm(&served).await;
        landing = browser.follow(&address).await;
    }
    assert_eq!(
        (landing.status, landing.page.as_str()),
        (302, "http://localhost:3000/in")
    );
    double.assert_satisfied();
    check_targets(case, &double.take_targets());
    let user = user_of(&served, &landing.access_token()).await;
    check_user(case, &user);
    let count = 1 + u32::from(needs_confirmation(case));
    check_provider_tokens(case, count, &landing);

    let landing = browser.follow(&format!("{address}{CHALLENGE}")).await;
    let body = json!({ "auth_code": landing.query.get("code"), "code_verifier": VERIFIER });
    let session = served.app.post("/token?grant_type=pkce", body).await.ok();
    double.assert_satisfied();
    assert_eq!(session["user"]["id"], user["id"], "{name}");
    assert_eq!(
        session["provider_token"],
        format!("access-{}", count + 1),
        "{name}"
    );
    // Apple tells the name once; it is kept.
    assert_eq!(
        session["user"]["user_metadata"]["full_name"],
        user["user_metadata"]["full_name"]
    );
    assert_eq!(served.app.rows("users").await, 1);
    assert_eq!(served.app.rows("identities").await, i64::from(count));
    served.stop().await;
}

/// Whether a user of the provider has to confirm the address by mail.
fn needs_confirmation(case: &ProviderCase) -> bool {
    case.has_email() && case.expected["email_verified"] != true
}

/// Confirms the address of the user with the code of the mail.
async fn confirm(served: &Served) {
    assert_eq!(served.app.rows("sessions").await, 0);
    let email = "ada@example.com";
    let code = served.app.mailbox.next_to(email).await.code();
    let body = json!({ "type": "signup", "email": email, "token": code });
    served.app.post("/verify", body).await.ok();
}

async fn user_of(served: &Served, token: &str) -> Value {
    let authorization = format!("Bearer {token}");
    let answer = served
        .get("/user", &[("authorization", &authorization)])
        .await;
    assert_eq!(answer.status(), 200);
    answer.json().await.unwrap()
}

/// The endpoints that a sign-in needs, in order, and no others.
fn check_targets(case: &ProviderCase, targets: &[String]) {
    let mut expected = vec![
        format!("GET {}", case.authorize),
        format!("POST {}", case.token),
    ];
    if case.proof == ClientProof::Signature {
        expected.insert(0, "POST api.twitter.com/oauth/request_token".to_owned());
    }
    let api = case.api.iter().map(|(endpoint, _)| {
        let path = endpoint.split('?').next().unwrap();
        format!("GET {path}")
    });
    expected.extend(api);
    if let Some((issuer, _)) = &case.id_token {
        let host = issuer.trim_start_matches("https://");
        expected.push(format!("GET {host}/.well-known/openid-configuration"));
        expected.push("GET keys.example.com/jwks".to_owned());
    }
    // An unverified address takes two sign-ins.
    let last = &targets[targets.len().saturating_sub(expected.len())..];
    assert_eq!(last, expected, "{}", case.name);
}

fn check_user(case: &ProviderCase, user: &Value) {
    let name = case.name;
    let mut providers = vec![name];
    if needs_confirmation(case) {
        // The mail has proven the address.
        providers.push("email");
    }
    let identities = user["identities"].as_array().unwrap();
    assert_eq!(identities.len(), providers.len(), "{name}: {user}");
    let identity = identities.iter().find(|it| it["provider"] == name);
    let identity = identity.unwrap_or_else(|| panic!("{name}: {user}"));
    assert_eq!(identity["id"], case.expected["sub"], "{name}");
    assert_eq!(identity["identity_data"], case.identity_data(), "{name}");
    let mut metadata = case.identity_data();
    metadata["email_verified"] = json!(case.has_email());
    assert_eq!(user["user_metadata"], metadata, "{name}");
    assert_eq!(
        user["app_metadata"],
        json!({ "provider": name, "providers": providers })
    );
    let email = case.expected["email"].as_str().unwrap_or_default();
    assert_eq!(user["email"], email, "{name}");
    assert_eq!(
        user["email_confirmed_at"].is_string(),
        case.has_email(),
        "{name}"
    );
}

fn check_provider_tokens(case: &ProviderCase, count: u32, landing: &Landing) {
    let fragment = &landing.fragment;
    let token = |name: &str| fragment.get(name).map(String::as_str);
    let access = format!("access-{count}");
    assert_eq!(
        token("provider_token"),
        Some(access.as_str()),
        "{}",
        case.name
    );
    assert_eq!(token("provider"), Some(case.name));
    // OAuth 1 has none.
    let refresh = (case.proof != ClientProof::Signature).then(|| format!("refresh-{count}"));
    assert_eq!(
        token("provider_refresh_token"),
        refresh.as_deref(),
        "{}",
        case.name
    );
}

#[tokio::test]
async fn apple() {
    chain("apple").await;
}

#[tokio::test]
async fn azure() {
    chain("azure").await;
}

#[tokio::test]
async fn bitbucket() {
    chain("bitbucket").await;
}

#[tokio::test]
async fn discord() {
    chain("discord").await;
}

#[tokio::test]
async fn facebook() {
    chain("facebook").await;
}

#[tokio::test]
async fn figma() {
    chain("figma").await;
}

#[tokio::test]
async fn fly() {
    chain("fly").await;
}

#[tokio::test]
async fn github() {
    chain("github").await;
}

#[tokio::test]
async fn gitlab() {
    chain("gitlab").await;
}

#[tokio::test]
async fn google() {
    chain("google").await;
}

#[tokio::test]
async fn kakao() {
    chain("kakao").await;
}

#[tokio::test]
async fn keycloak() {
    chain("keycloak").await;
}

#[tokio::test]
async fn linkedin() {
    chain("linkedin").await;
}

#[tokio::test]
async fn linkedin_oidc() {
    chain("linkedin_oidc").await;
}

#[tokio::test]
async fn notion() {
    chain("notion").await;
}

#[tokio::test]
async fn slack() {
    chain("slack").await;
}

#[tokio::test]
async fn slack_oidc() {
    chain("slack_oidc").await;
}

#[tokio::test]
async fn snapchat() {
    chain("snapchat").await;
}

#[tokio::test]
async fn spotify() {
    chain("spotify").await;
}

#[tokio::test]
async fn twitch() {
    chain("twitch").await;
}

#[tokio::test]
async fn twitter() {
    chain("twitter").await;
}

#[tokio::test]
async fn vercel_marketplace() {
    chain("vercel_marketplace").await;
}

#[tokio::test]
async fn workos() {
    chain("workos").await;
}

#[tokio::test]
async fn x() {
    chain("x").await;
}

#[tokio::test]
async fn zoom() {
    chain("zoom").await;
}
