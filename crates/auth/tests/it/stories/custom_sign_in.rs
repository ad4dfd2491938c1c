//! Sign-in with custom providers, from `/authorize` to the session.

use std::collections::HashMap;

use innkeeper_auth::config::{CustomProviderInput, ProviderOrigin};
use serde_json::{Value, json};

use crate::support::github::Landing;
use crate::support::idp::{CALLBACK, CLIENT_SECRET, ISSUER, Idp, oauth2, oidc, with};
use crate::support::log::Log;
use crate::support::{Answer, TestApp};

const ADA: &str = "ada@example.com";

fn ada() -> Value {
    json!({
        "sub": "subject-1", "email": ADA, "email_verified": true, "name": "Ada Lovelace", "team": "engines",
        "secret_claim": "not kept",
    })
}

async fn user_of(app: &TestApp, landing: &Landing) -> Value {
    app.get_as(&landing.access_token(), "/user").await.ok()
}

async fn with_id_token(app: &TestApp, body: Value) -> Answer {
    app.post("/token?grant_type=id_token", body).await
}

#[tokio::test]
async fn a_user_of_openid_connect_signs_in_and_comes_back() {
    let idp = Idp::start().await;
    let app = idp.app(|_| {}).await;
    let added = with(
        oidc(),
        &json!({
            "custom_claims_allowlist": ["team"],
            "attribute_mapping": { "nickname": "team", "floor": 3 },
            "authorization_params": { "prompt": "login" },
        }),
    );
    app.add_provider(added).await;
    let at = app
        .authorize_with("custom:INN", "&scopes=a+b&prompt=none&login_hint=ada")
        .await;
    assert!(at.as_str().starts_with("http://127.0.0.1"), "{at}");
    assert_eq!(at.path(), "/sso.example.com/authorize");
    let query: HashMap<String, String> = at.query_pairs().into_owned().collect();
    for (name, value) in [
        ("scope", "openid profile email a b"),
        ("prompt", "login"),
        ("login_hint", "ada"),
        ("code_challenge_method", "S256"),
        ("redirect_uri", CALLBACK),
    ] {
        assert_eq!(query.get(name).map(String::as_str), Some(value), "{at}");
    }
    assert!(!query["nonce"].is_empty());
    let landing = app.return_from(&idp, &at, &ada()).await;
    let user = user_of(&app, &landing).await;
    assert_eq!(user["email"], ADA);
    assert!(user["email_confirmed_at"].is_string());
    assert_eq!(user["app_metadata"]["provider"], "custom:inn");
    let identity = &user["identities"][0];
    assert_eq!(identity["provider"], "custom:inn");
    assert_eq!(identity["id"], "subject-1");
    let data = &identity["identity_data"];
    assert_eq!(data["iss"], ISSUER);
    assert_eq!(data["full_name"], "Ada Lovelace");
    assert_eq!(data["nickname"], "engines");
    assert_eq!(
        data["custom_claims"],
        json!({ "team": "engines", "floor": 3 })
    );
    assert!(!data.to_string().contains("not kept"));
    let again = app.enter_custom(&idp, "custom:inn", &ada()).await;
    assert_eq!(user_of(&app, &again).await["id"], user["id"]);
    idp.assert_content();
}

#[tokio::test]
async fn a_user_of_plain_oauth_signs_in() {
    let idp = Idp::start().await;
    let app = idp.app(|_| {}).await;
    let mapping =
        json!({ "attribute_mapping": { "sub": "uid", "name": "display", "picture": "image" } });
    app.add_provider(with(oauth2(), &mapping)).await;
    let person = json!({
        "uid": 42, "display": "Ada", "image": "https://oauth.example.com/ada.png", "email": ADA,
        "email_verified": true,
    });
    let landing = app.enter_custom(&idp, "custom:plain", &person).await;
    assert!(landing.fragment["provider_token"].starts_with("access_secret_"));
    let user = user_of(&app, &landing).await;
    let identity = &user["identities"][0];
    assert_eq!(identity["id"], "42");
    let data = &identity["identity_data"];
    assert_eq!(data["full_name"], "Ada");
    assert_eq!(data["avatar_url"], "https://oauth.example.com/ada.png");
    idp.assert_content();
    // HTTP basic authentication was refused before.
    let exchanges = idp.take_requests();
    let is_exchange = |line: &&String| *line == "POST /oauth.example.com/token";
    assert_eq!(exchanges.iter().filter(is_exchange).count(), 2);
}

#[tokio::test]
async fn pkce_and_the_nonce_can_be_left_out() {
    let idp = Idp::start().await;
    let app = idp.app(|_| {}).await;
    let without = json!({ "pkce_enabled": false, "skip_nonce_check": true });
    app.add_provider(with(oidc(), &without)).await;
    let at = app.authorize_with("custom:inn", "").await;
    let names: Vec<String> = at
        .query_pairs()
        .map(|(name, _)| name.into_owned())
        .collect();
    assert!(
        !names
            .iter()
            .any(|name| name.starts_with("code_challenge") || name == "nonce"),
        "{at}"
    );
    let landing = app.return_from(&idp, &at, &ada()).await;
    user_of(&app, &landing).await;
}

#[tokio::test]
async fn claims_that_the_id_token_lacks_come_from_the_user_info_of_the_same_user() {
    let idp = Idp::start().await;
    let app = idp.app(|_| {}).await;
    app.add_provider(oidc()).await;
    let mut person = ada();
    person["id_token"] = json!({ "sub": "subject-1" });
    let landing = app.enter_custom(&idp, "custom:inn", &person).await;
    assert_eq!(user_of(&app, &landing).await["email"], ADA);
    person["sub"] = json!("somebody-else");
    let landing = app.enter_custom(&idp, "custom:inn", &person).await;
    landing.refused("server_error", "unexpected_failure");
}

#[tokio::test]
async fn only_the_providers_own_address_is_believed_to_be_verified() {
    let idp = Idp::start().await;
    let app = idp.app(|_| {}).await;
    app.signed_up(ADA, "correct horse").await;
    // A user of the provider can choose this name, but not the address.
    let mapping = json!({ "attribute_mapping": { "email": "login" } });
    app.add_provider(with(oidc(), &mapping)).await;
    let mallory = json!({
        "sub": "mallory", "email": "mallory@example.com", "email_verified": true, "login": ADA,
    });
    let landing = app.enter_custom(&idp, "custom:inn", &mallory).await;
    assert!(
        !landing.fragment.contains_key("access_token"),
        "{landing:?}"
    );
    assert_eq!(app.rows("users").await, 1);
}

#[tokio::test]
async fn users_without_an_address_need_a_provider_that_allows_it() {
    let idp = Idp::start().await;
    let app = idp.app(|_| {}).await;
    app.add_provider(oidc()).await;
    let person = json!({ "sub": "subject-1" });
    let landing = app.enter_custom(&idp, "custom:inn", &person).await;
    landing.refused("invalid_request", "email_address_not_provided");
    let target = "/admin/custom-providers/custom:inn";
    app.put_as(
        &app.service_key(),
        target,
        json!({ "email_optional": true }),
    )
    .await
    .ok();
    let landing = app.enter_custom(&idp, "custom:inn", &person).await;
    assert_eq!(user_of(&app, &landing).await["email"], "");
}

#[tokio::test]
async fn id_tokens_sign_in_with_the_audiences_of_the_provider() {
    let idp = Idp::start().await;
    let app = idp.app(|_| {}).await;
    let phones = json!({ "acceptable_client_ids": ["inn-ios"] });
    app.add_provider(with(oidc(), &phones)).await;
    app.add_provider(oauth2()).await;
    let token = |changes: Value| idp.id_token(&app, &with(ada(), &changes));
    for (changes, status) in [
        (json!({}), 200),
        (json!({ "aud": "inn-ios" }), 200),
        (json!({ "aud": "inn-android" }), 400),
        (json!({ "iss": "https://evil.example.com" }), 400),
        (json!({ "exp": 1 }), 400),
    ] {
        let body = json!({ "provider": "custom:inn", "id_token": token(changes.clone()) });
        let answer = with_id_token(&app, body).await;
        assert_eq!(answer.status, status, "{changes} {}", answer.text);
    }
    let good = token(json!({}));
    // The issuer is enough, because the provider says which audiences are accepted.
    for client_id in ["inn", "another"] {
        let body = json!({ "issuer": ISSUER, "client_id": client_id, "id_token": good });
        let session = with_id_token(&app, body).await.ok();
        assert_eq!(session["user"]["app_metadata"]["provider"], "custom:inn");
    }
    let other = token(json!({ "aud": "another" }));
    let body = json!({ "issuer": ISSUER, "client_id": "another", "id_token": other });
    with_id_token(&app, body).await.failed(400);
    for provider in ["custom:nobody", "custom:plain"] {
        let body = json!({ "provider": provider, "id_token": good });
        with_id_token(&app, body)
            .await
            .refused(400, "validation_failed");
    }
    let nonce = json!({ "provider": "custom:inn", "id_token": good, "nonce": "a" });
    with_id_token(&app, nonce).await.failed(400);
    let target = "/admin/custom-providers/custom:inn";
    for (change, body, code) in [
        (
            json!({ "enabled": false }),
            json!({ "provider": "custom:inn", "id_token": good }),
            "provider_disabled",
        ),
        (
            json!({}),
            json!({ "issuer": ISSUER, "client_id": "inn", "id_token": good }),
            "validation_failed",
        ),
    ] {
        app.put_as(&app.service_key(), target, change).await.ok();
        with_id_token(&app, body).await.refused(400, code);
    }
}

#[tokio::test]
async fn a_disabled_or_deleted_provider_is_refused_by_all_replicas_at_once() {
    let idp = Idp::start().await;
    let app = idp.app(|_| {}).await;
    let replica = app.replica().await;
    let asks = async |expected: u16| {
        let target = "/authorize?provider=custom:inn";
        let answer = replica.get(target).send().await;
        assert_eq!(answer.status(), expected, "{}", answer.text());
        assert_eq!(app.get(target).await.status, expected);
    };
    asks(400).await;
    app.add_provider(oidc()).await;
    asks(302).await;
    let at = app.authorize_with("custom:inn", "").await;
    let target = "/admin/custom-providers/custom:inn";
    let key = app.service_key();
    app.put_as(&key, target, json!({ "enabled": false }))
        .await
        .ok();
    asks(400).await;
    // Whoever was at the provider meanwhile comes back in vain.
    let landing = app.return_from(&idp, &at, &ada()).await;
    landing.refused("invalid_request", "validation_failed");
    app.put_as(&key, target, json!({ "enabled": true }))
        .await
        .ok();
    asks(302).await;
    assert_eq!(app.delete_as(&key, target, None).await.status, 204);
    asks(400).await;
}

#[tokio::test]
async fn the_client_secret_is_neither_stored_in_clear_nor_shown_nor_logged() {
    const NEXT: &str = "hunter3-of-the-client";
    let log = Log::capture();
    let idp = Idp::start().await;
    let app = idp.app(|config| config.audit_log_stream = true).await;
    let mut shown = app.add_provider(oidc()).await.to_string();
    app.enter_custom(&idp, "custom:inn", &ada()).await;
    let key = app.service_key();
    let target = "/admin/custom-providers/custom:inn";
    let change = json!({ "client_secret": NEXT });
    shown += &app.put_as(&key, target, change).await.ok().to_string();
    shown += &app.get_as(&key, target).await.ok().to_string();
    shown += &app
        .get_as(&key, "/admin/custom-providers")
        .await
        .ok()
        .to_string();
    // The provider does not know the new secret.
    let landing = app.enter_custom(&idp, "custom:inn", &ada()).await;
    landing.refused("server_error", "unexpected_failure");
    let log = log.text();
    assert!(log.contains("custom_provider_modified"), "{log}");
    for secret in [CLIENT_SECRET, NEXT] {
        assert!(!shown.contains(secret), "{shown}");
        assert!(!log.contains(secret), "{log}");
        app.assert_no_row_holds(secret).await;
    }
    assert!(!shown.contains("\"client_secret\":"), "{shown}");
}

#[tokio::test]
async fn a_row_never_makes_the_server_call_a_private_address() {
    let idp = Idp::start().await;
    // Here nothing takes the place of providers.
    let app = TestApp::start().await;
    let host = format!("https://localhost:{}", idp.port());
    for (identifier, issuer) in [
        ("custom:a", host),
        ("custom:b", format!("https://127.0.0.1:{}", idp.port())),
    ] {
        let insert = "insert into custom_oauth_providers (provider_type, identifier, name, client_id, client_secret, \
                      issuer) values ('oidc', $1, 'a', 'a', 'a', $2)";
        let sql = app.sql().await;
        sql.execute(insert, &[&identifier, &issuer]).await.unwrap();
        let answer = app.get(&format!("/authorize?provider={identifier}")).await;
        answer.refused(400, "validation_failed");
    }
    assert!(idp.take_requests().is_empty());
}

#[tokio::test]
async fn a_provider_of_the_settings_may_be_on_a_private_address_and_wins() {
    let idp = Idp::start().await;
    let input = |description: Value| -> CustomProviderInput {
        serde_json::from_value(description).unwrap()
    };
    let local = format!("http://127.0.0.1:{}/oauth.example.com", idp.port());
    let described = with(
        oauth2(),
        &json!({
            "authorization_url": format!("{local}/authorize"),
            "token_url": format!("{local}/token"),
            "userinfo_url": format!("{local}/me"),
        }),
    );
    assert!(
        input(described.clone())
            .check(ProviderOrigin::Admin)
            .is_err()
    );
    let provider = input(described).check(ProviderOrigin::Settings).unwrap();
    let app = TestApp::with(|config| {
        let providers = &mut config.custom_oauth.providers;
        providers.insert(provider.identifier.clone(), provider);
        config.custom_oauth.enabled = false;
    })
    .await;
    let landing = app.enter_custom(&idp, "custom:plain", &ada()).await;
    assert_eq!(user_of(&app, &landing).await["email"], ADA);
    idp.assert_content();
    app.get_as(&app.service_key(), "/admin/custom-providers")
        .await
        .refused(404, "feature_disabled");
}

#[tokio::test]
async fn a_broken_provider_is_told_from_a_wrong_request() {
    let idp = Idp::start().await;
    let app = idp.app(|_| {}).await;
    app.add_provider(oidc()).await;
    app.authorize_with("custom:inn", "").await;
    // The document is known for an hour.
    idp.set_document(json!({ "issuer": "https://evil.example.com" }));
    app.authorize_with("custom:inn", "").await;
    app.advance(3601);
    app.authorize_with("custom:inn", "").await;
    for query in [
        "",
        ":",
        "custom:",
        "custom:%00",
        "custom:INN%20",
        "custom%3Aa%2Fb",
    ] {
        let answer = app.get(&format!("/authorize?provider={query}")).await;
        assert_eq!(answer.status, 400, "{query} {}", answer.text);
    }
}
