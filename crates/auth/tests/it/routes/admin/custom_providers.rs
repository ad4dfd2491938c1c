//! `/admin/custom-providers`: what admins can define, and what is refused.

use serde_json::{Value, json};

use crate::support::idp::{CLIENT_SECRET, ISSUER, Idp, oauth2, oidc, with};
use crate::support::profile::gotrue;
use crate::support::{Answer, TestApp};

const ALL: &str = "/admin/custom-providers";
const INN: &str = "/admin/custom-providers/custom:inn";

async fn add(app: &TestApp, body: Value) -> Answer {
    app.post_as(&app.service_key(), ALL, body).await
}

async fn change(app: &TestApp, body: Value) -> Answer {
    app.put_as(&app.service_key(), INN, body).await
}

/// Returns the audit entries about providers: action and traits.
async fn audited(app: &TestApp) -> Vec<(String, Value)> {
    let target = "/admin/audit?query=type:provider";
    let entries = app.get_as(&app.service_key(), target).await.ok();
    let entries = entries.as_array().unwrap().iter().rev();
    entries
        .map(|entry| {
            let payload = &entry["payload"];
            let action = payload["action"].as_str().unwrap().to_owned();
            (action, payload["traits"].clone())
        })
        .collect()
}

/// Returns the OpenID Connect provider as admins see it, with the id and the times of this one.
fn expected(added: &Value) -> Value {
    json!({
        "id": added["id"],
        "provider_type": "oidc",
        "identifier": "custom:inn",
        "name": "The inn",
        "client_id": "inn",
        "acceptable_client_ids": [],
        "scopes": ["profile", "email"],
        "pkce_enabled": true,
        "attribute_mapping": {},
        "custom_claims_allowlist": [],
        "authorization_params": {},
        "enabled": true,
        "email_optional": false,
        "issuer": ISSUER,
        "skip_nonce_check": false,
        "discovery_document": {
            "issuer": ISSUER,
            "authorization_endpoint": "https://sso.example.com/authorize",
            "token_endpoint": "https://sso.example.com/token",
            "userinfo_endpoint": "https://sso.example.com/userinfo",
            "jwks_uri": "https://sso.example.com/keys",
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        },
        "created_at": added["created_at"],
        "updated_at": added["updated_at"],
    })
}

#[tokio::test]
async fn a_provider_is_added_read_changed_and_deleted() {
    let idp = Idp::start().await;
    let app = idp.app(|_| {}).await;
    let key = app.service_key();
    let added = app.add_provider(oidc()).await;
    let expected = expected(&added);
    assert_eq!(added, expected);
    assert_eq!(app.get_as(&key, INN).await.ok(), expected);
    assert_eq!(
        app.get_as(&key, "/admin/custom-providers/custom%3Ainn")
            .await
            .ok(),
        expected
    );
    app.advance(5);
    app.add_provider(oauth2()).await;
    for (query, identifiers) in [
        ("", vec!["custom:inn", "custom:plain"]),
        ("?type=", vec!["custom:inn", "custom:plain"]),
        ("?type=oidc", vec!["custom:inn"]),
        ("?type=oauth2", vec!["custom:plain"]),
    ] {
        let list = app.get_as(&key, &format!("{ALL}{query}")).await.ok();
        let list = list["providers"].as_array().unwrap().iter();
        let found: Vec<&str> = list.map(|it| it["identifier"].as_str().unwrap()).collect();
        assert_eq!(found, identifiers, "{query}");
    }
    idp.take_requests();
    let new = json!({ "name": "The old inn", "scopes": ["email"], "enabled": false });
    let after = change(&app, new.clone()).await.ok();
    let mut expected = with(expected, &new);
    expected["updated_at"] = after["updated_at"].clone();
    assert_eq!(after, expected);
    assert_ne!(after["updated_at"], after["created_at"]);
    // Only a new address is looked at.
    assert_eq!(idp.take_requests(), [""; 0]);
    let answer = app.delete_as(&key, INN, None).await;
    assert_eq!((answer.status, answer.text.as_str()), (204, ""));
    assert_eq!(
        audited(&app).await,
        [
            (
                "custom_provider_created".to_owned(),
                json!({ "provider": "custom:inn" })
            ),
            (
                "custom_provider_created".to_owned(),
                json!({ "provider": "custom:plain" })
            ),
            (
                "custom_provider_modified".to_owned(),
                json!({ "provider": "custom:inn", "members": ["name", "scopes", "enabled"] })
            ),
            (
                "custom_provider_deleted".to_owned(),
                json!({ "provider": "custom:inn" })
            ),
        ]
    );
}

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let app = TestApp::start().await;
    let key = app.service_key();
    for target in [
        INN,
        "/admin/custom-providers/nobody",
        "/admin/custom-providers/%F0%9F%8D%BA",
    ] {
        let code = "custom_provider_not_found";
        app.get_as(&key, target).await.refused(404, code);
        let body = json!({ "name": "a" });
        app.put_as(&key, target, body).await.refused(404, code);
        app.delete_as(&key, target, None).await.refused(404, code);
    }
    app.get_as(&key, "/admin/custom-providers?type=saml")
        .await
        .refused(400, "validation_failed");
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a flat table of descriptions")]
async fn a_wrong_description_is_refused_with_the_member() {
    let idp = Idp::start().await;
    let app = idp.app(|_| {}).await;
    let many: Vec<String> = (0..101).map(|it| it.to_string()).collect();
    let cases = [
        (oidc(), json!({ "provider_type": null }), "provider_type"),
        (oidc(), json!({ "provider_type": "saml" }), "provider_type"),
        (oidc(), json!({ "identifier": null }), "identifier"),
        (oidc(), json!({ "identifier": "inn" }), "identifier"),
        (oidc(), json!({ "identifier": "custom:Inn" }), "identifier"),
        (oidc(), json!({ "identifier": "custom:" }), "identifier"),
        (
            oidc(),
            json!({ "identifier": format!("custom:{}", "a".repeat(44)) }),
            "identifier",
        ),
        (oidc(), json!({ "name": "" }), "name"),
        (oidc(), json!({ "name": "a".repeat(101) }), "name"),
        (oidc(), json!({ "client_id": "" }), "client_id"),
        (oidc(), json!({ "client_id": "a".repeat(513) }), "client_id"),
        (oidc(), json!({ "client_secret": null }), "client_secret"),
        (oidc(), json!({ "issuer": null }), "issuer"),
        (
            oidc(),
            json!({ "issuer": "http://sso.example.com/inn" }),
            "issuer",
        ),
        (
            oidc(),
            json!({ "issuer": "https://127.0.0.1/inn" }),
            "issuer",
        ),
        (
            oidc(),
            json!({ "issuer": "https://169.254.169.254" }),
            "issuer",
        ),
        (oidc(), json!({ "issuer": "https://localhost" }), "issuer"),
        (oidc(), json!({ "issuer": "file:///etc/passwd" }), "issuer"),
        (
            oidc(),
            json!({ "discovery_url": "https://10.0.0.1/" }),
            "discovery_url",
        ),
        (
            oidc(),
            json!({ "issuer": "https://other.example.com" }),
            "discovery document",
        ),
        (
            oidc(),
            json!({ "token_url": "https://a.example.com" }),
            "token_url",
        ),
        (oidc(), json!({ "scopes": ["a b"] }), "scopes"),
        (oidc(), json!({ "scopes": many }), "scopes"),
        (
            oidc(),
            json!({ "acceptable_client_ids": [""] }),
            "acceptable_client_ids",
        ),
        (
            oidc(),
            json!({ "custom_claims_allowlist": [""] }),
            "custom_claims_allowlist",
        ),
        (
            oidc(),
            json!({ "attribute_mapping": { "role": "role" } }),
            "attribute_mapping",
        ),
        (
            oidc(),
            json!({ "attribute_mapping": { "email_verified": true } }),
            "attribute_mapping",
        ),
        (
            oidc(),
            json!({ "attribute_mapping": { "sub": 1 } }),
            "attribute_mapping",
        ),
        (
            oidc(),
            json!({ "authorization_params": { "state": "a" } }),
            "authorization_params",
        ),
        (
            oidc(),
            json!({ "authorization_params": { "a": 1 } }),
            "authorization_params",
        ),
        (
            oauth2(),
            json!({ "authorization_url": null }),
            "authorization_url",
        ),
        (
            oauth2(),
            json!({ "token_url": "https://[::1]/token" }),
            "token_url",
        ),
        (
            oauth2(),
            json!({ "userinfo_url": "https://a.internal/me" }),
            "userinfo_url",
        ),
        (
            oauth2(),
            json!({ "jwks_uri": "https://ada:b@sso.example.com" }),
            "jwks_uri",
        ),
        (oauth2(), json!({ "issuer": ISSUER }), "issuer"),
    ];
    for (description, changes, member) in cases {
        let answer = add(&app, with(description, &changes)).await;
        let body = answer.refused(400, "validation_failed");
        assert!(
            body["msg"].as_str().unwrap().contains(member),
            "{changes}: {body}"
        );
    }
    for changes in [
        json!({ "scopes": "email" }),
        json!({ "pkce_enabled": "yes" }),
        json!({ "attribute_mapping": [] }),
        json!({ "client_secret": [CLIENT_SECRET] }),
        json!({ "name": "\u{0}" }),
    ] {
        let answer = add(&app, with(oidc(), &changes)).await;
        let body = answer.refused(400, "bad_json");
        assert!(!body.to_string().contains(CLIENT_SECRET), "{body}");
    }
    assert_eq!(app.rows("custom_oauth_providers").await, 0);
    assert_eq!(audited(&app).await, []);
}

#[tokio::test]
async fn a_discovery_document_must_fit_the_issuer_and_be_encrypted() {
    let idp = Idp::start().await;
    let app = idp.app(|_| {}).await;
    for changes in [
        json!({ "issuer": "https://evil.example.com" }),
        json!({ "issuer": null }),
        json!({ "authorization_endpoint": null }),
        json!({ "token_endpoint": "" }),
        json!({ "jwks_uri": null }),
        json!({ "token_endpoint": "http://sso.example.com/token" }),
        json!({ "jwks_uri": "http://sso.example.com/keys" }),
    ] {
        idp.set_document(changes.clone());
        let answer = add(&app, oidc()).await;
        let body = answer.refused(400, "validation_failed");
        let message = body["msg"].as_str().unwrap();
        assert!(
            message.contains("discovery document"),
            "{changes}: {message}"
        );
    }
    idp.set_document(json!({}));
    app.add_provider(oidc()).await;
    let moved = json!({ "issuer": "https://other.example.com" });
    change(&app, moved).await.refused(400, "validation_failed");
    let moved = json!({ "discovery_url": format!("{ISSUER}/.well-known/openid-configuration") });
    let changed = change(&app, moved.clone()).await.ok();
    assert_eq!(changed["discovery_url"], moved["discovery_url"]);
    let changed = change(&app, json!({ "discovery_url": "" })).await.ok();
    assert!(changed.get("discovery_url").is_none());
}

#[tokio::test]
async fn hosts_with_private_addresses_are_refused_by_what_they_resolve_to() {
    // Nothing takes the place of providers here, and the name has no address.
    let app = TestApp::start().await;
    let nobody = json!({ "token_url": "https://nobody.invalid/token" });
    let described = with(oauth2(), &nobody);
    let described = with(
        described,
        &json!({ "authorization_url": "https://8.8.8.8/authorize" }),
    );
    let body = add(&app, described).await.refused(400, "validation_failed");
    let message = body["msg"].as_str().unwrap();
    assert!(message.contains("nobody.invalid"), "{message}");
}

#[tokio::test]
async fn an_identifier_is_used_once_and_the_number_is_limited() {
    let idp = Idp::start().await;
    let app = idp
        .app(|config| config.custom_oauth.max_providers = Some(2))
        .await;
    app.add_provider(oidc()).await;
    add(&app, oidc()).await.refused(400, "conflict");
    let third = with(oauth2(), &json!({ "identifier": "custom:third" }));
    let (one, two) = tokio::join!(add(&app, oauth2()), add(&app, third));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 400]);
    let refused = if one.status == 400 { one } else { two };
    refused.refused(400, "over_custom_provider_quota");
}

#[tokio::test]
async fn the_type_and_the_identifier_stay() {
    for is_gotrue in [false, true] {
        let idp = Idp::start().await;
        let app = idp
            .app(|config| {
                if is_gotrue {
                    gotrue(config);
                }
            })
            .await;
        app.add_provider(oidc()).await;
        // The same values are no change.
        change(&app, oidc()).await.ok();
        for changes in [
            json!({ "provider_type": "oauth2" }),
            json!({ "identifier": "custom:new" }),
        ] {
            let answer = change(&app, changes).await;
            if is_gotrue {
                let body = answer.ok();
                assert_eq!(body["identifier"], "custom:inn");
                assert_eq!(body["provider_type"], "oidc");
            } else {
                answer.refused(400, "validation_failed");
            }
        }
    }
}

#[tokio::test]
async fn gotrue_can_read_the_secret_and_its_rows_are_read() {
    let idp = Idp::start().await;
    let app = idp.app(gotrue).await;
    app.add_provider(oidc()).await;
    let sql = app.sql().await;
    let select = "select client_secret from custom_oauth_providers";
    let stored: String = sql.query_one(select, &[]).await.unwrap().get(0);
    assert_eq!(stored, CLIENT_SECRET);
    let insert = "insert into custom_oauth_providers (provider_type, identifier, name, client_id, client_secret, \
                  issuer) values ('oidc', 'custom:old', 'old', 'inn', $1, $2)";
    sql.execute(insert, &[&CLIENT_SECRET, &ISSUER])
        .await
        .unwrap();
    let person = json!({ "sub": "subject-1", "email": "ada@example.com", "email_verified": true });
    let landing = app.enter_custom(&idp, "custom:old", &person).await;
    landing.access_token();
    idp.assert_content();
}
