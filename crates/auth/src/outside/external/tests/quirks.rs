//! What only one provider does.

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use innkeeper_service::secret::Secret;
use serde_json::{Value, json};

use super::double::DoubleReply;
use super::{CLIENT_ID, SECRET, Stage, authorize, callback, query};
use crate::config::Profile;
use crate::crypto::jwt::{Algorithm, SigningKey};
use crate::outside::external::id_token::hex;
use crate::outside::external::{AuthorizationRequest, CallbackParameters};

const APPLE: &str = "https://appleid.apple.com";

async fn apple_sign_in(stage: &Stage, user: Option<&str>) -> Value {
    stage.publish(APPLE);
    let provider = stage.provider("apple").await;
    let authorization = authorize(&provider, &[("prompt", "login")]).await;
    let sent = query(&authorization.url);
    assert_eq!(sent["response_mode"], "form_post");
    assert!(!sent.contains_key("prompt"));
    let claims = json!({ "nonce": sent["nonce"], "email_verified": null });
    let answer = json!({ "access_token": "access-1", "id_token": stage.id_token(APPLE, &claims) });
    stage
        .double
        .json("POST appleid.apple.com/auth/token", answer);
    let callback = CallbackParameters {
        user: user.map(str::to_owned),
        ..callback()
    };
    let (user, _) = provider
        .exchange(&callback, &authorization.secrets)
        .await
        .unwrap();
    Value::Object(user.data)
}

#[tokio::test]
async fn apple_tells_the_name_in_the_form_and_nothing_else() {
    let stage = Stage::new("apple").await;
    let user = r#"{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"boss@example.com"}"#;
    let data = apple_sign_in(&stage, Some(user)).await;
    assert_eq!(data["full_name"], "Ada Lovelace");
    assert_eq!(data["email"], "ada@example.com");
    assert_eq!(data["email_verified"], true);
    for user in [None, Some("{}"), Some("not json"), Some(r#"{"name":{}}"#)] {
        let data = apple_sign_in(&stage, user).await;
        assert_eq!(data.get("full_name"), None);
    }
}

#[tokio::test]
async fn the_client_secret_of_apple_is_signed_with_the_private_key() {
    let key = SigningKey::generate(Algorithm::Es256).unwrap();
    let der = STANDARD.encode(&*key.private_bytes().unwrap());
    let pem = format!("-----BEGIN PRIVATE KEY-----\\n{der}\\n-----END PRIVATE KEY-----\\n");
    let stage = Stage::with("apple", |config| {
        config.external.apple_team_id = Some("TEAM".to_owned());
        config.external.apple_key_id = Some("KEY".to_owned());
        let apple = config.external.providers.get_mut("apple").unwrap();
        apple.secret = Some(Secret::new(pem));
    })
    .await;
    apple_sign_in(&stage, None).await;
    let request = stage.double.take_one("POST appleid.apple.com/auth/token");
    let secret = &request.form["client_secret"];
    let part = |index: usize| -> Value {
        let text = secret.split('.').nth(index).unwrap();
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap()
    };
    assert_eq!(
        (&part(0)["alg"], &part(0)["kid"]),
        (&json!("ES256"), &json!("KEY"))
    );
    let claims = part(1);
    let now = stage.clock.now().as_second();
    assert_eq!(claims["iss"], "TEAM");
    assert_eq!(claims["sub"], CLIENT_ID);
    assert_eq!(claims["aud"], APPLE);
    assert_eq!(claims["exp"], json!(now + 300));
    let published = json!({ "keys": [key.verifying().public_jwk()] });
    let keys = crate::outside::external::jws::ProviderKeys::read(&published).unwrap();
    let mut token = crate::outside::external::jws::ParsedToken::parse(secret).unwrap();
    // The key in the test has another id.
    token.kid = None;
    assert_eq!(
        keys.verify(&token),
        crate::outside::external::jws::KeyMatch::Verified
    );
}

#[tokio::test]
async fn azure_accepts_each_tenant_as_its_own_issuer() {
    const TENANT: &str = "0b2c2a94-8a8e-4b5a-8a5c-6ad1d6a1a001";
    let issuer = format!("https://login.microsoftonline.com/{TENANT}/v2.0");
    for (profile, document, claims, verified) in [
        (
            Profile::Std,
            "https://login.microsoftonline.com/{tenantid}/v2.0",
            json!({}),
            Some(false),
        ),
        (
            Profile::Gotrue,
            "https://login.microsoftonline.com/{tenantid}/v2.0",
            json!({}),
            Some(true),
        ),
        (
            Profile::Std,
            "https://login.microsoftonline.com/{tenantid}/v2.0",
            json!({ "xms_edov": "1" }),
            Some(true),
        ),
        (Profile::Std, issuer.as_str(), json!({}), Some(true)),
        (
            Profile::Std,
            "https://login.microsoftonline.com/{tenantid}/v2.0",
            json!({ "tid": "../evil" }),
            None,
        ),
        (
            Profile::Std,
            "https://login.microsoftonline.com/{tenantid}/v2.0",
            json!({ "tid": "11111111-8a8e-4b5a-8a5c-6ad1d6a1a001" }),
            None,
        ),
    ] {
        let stage = Stage::with("azure", |config| config.profile = profile).await;
        stage.publish(&issuer);
        let discovery = json!({ "issuer": document, "jwks_uri": "https://keys.example.com/jwks" });
        stage.double.json(
            "GET login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
            discovery,
        );
        let provider = stage.provider("azure").await;
        let authorization = authorize(&provider, &[]).await;
        let mut changes = json!({ "tid": TENANT, "nonce": authorization.secrets.nonce });
        for (name, value) in claims.as_object().unwrap() {
            changes[name] = value.clone();
        }
        let token = stage.id_token(&issuer, &changes);
        let answer = json!({ "access_token": "access-1", "id_token": token });
        stage.double.json(
            "POST login.microsoftonline.com/common/oauth2/v2.0/token",
            answer,
        );
        let outcome = provider.exchange(&callback(), &authorization.secrets).await;
        let found = outcome.ok().map(|(user, _)| user.emails[0].verified);
        assert_eq!(found, verified, "{profile:?} {document} {claims}");
    }
}

#[tokio::test]
async fn facebook_gets_a_proof_of_the_secret() {
    let stage = Stage::new("facebook").await;
    stage.double.json(
        "POST graph.facebook.com/oauth/access_token",
        json!({ "access_token": "access-1" }),
    );
    stage
        .double
        .json("GET graph.facebook.com/me", json!({ "id": "1" }));
    stage.sign_in("facebook").await.unwrap();
    let request = stage.double.take_one("GET graph.facebook.com/me");
    let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
    assert_eq!(
        request.query["appsecret_proof"],
        hex(hmac::sign(&key, b"access-1").as_ref())
    );
    assert_eq!(
        request.query["fields"],
        "email,first_name,last_name,name,picture"
    );
}

#[tokio::test]
async fn a_github_of_the_operator_has_its_api_below_its_url() {
    let stage = Stage::with("github", |config| {
        let github = config.external.providers.get_mut("github").unwrap();
        github.url = Some("https://git.example.com/".to_owned());
    })
    .await;
    stage.double.json(
        "POST git.example.com/login/oauth/access_token",
        json!({ "access_token": "a" }),
    );
    stage
        .double
        .json("GET git.example.com/api/v3/user", json!({ "id": 1 }));
    stage
        .double
        .json("GET git.example.com/api/v3/user/emails", json!([]));
    let (user, _) = stage.sign_in("github").await.unwrap();
    assert_eq!(user.data["iss"], "https://git.example.com/api/v3");
}

#[tokio::test]
async fn google_without_an_id_token_is_asked_for_the_user() {
    let stage = Stage::new("google").await;
    stage.double.json(
        "POST oauth2.googleapis.com/token",
        json!({ "access_token": "access-1" }),
    );
    let user = json!({ "id": "g1", "email": "ada@example.com", "verified_email": true });
    stage
        .double
        .json("GET www.googleapis.com/userinfo/v2/me", user);
    let (user, _) = stage.sign_in("google").await.unwrap();
    assert_eq!(
        (user.subject.as_str(), user.emails[0].verified),
        ("g1", true)
    );
}

#[tokio::test]
async fn workos_needs_to_know_the_way() {
    let stage = Stage::new("workos").await;
    let provider = stage.provider("workos").await;
    let request = AuthorizationRequest {
        state: "s",
        scopes: &[],
        forwarded: &[],
    };
    let error = provider.authorize(&request).await.unwrap_err();
    assert_eq!(error.code(), "validation_failed");
    for (given, sent) in [
        ("connection", "connection"),
        ("organization", "organization"),
        ("workos_provider", "provider"),
    ] {
        let authorization = authorize(&provider, &[(given, "it")]).await;
        assert_eq!(query(&authorization.url)[sent], "it");
    }
}

/// Starts a server that speaks Twitter's protocol.
async fn twitter() -> Stage {
    let stage = Stage::new("twitter").await;
    let answer =
        |body: &str| DoubleReply::Raw(200, "application/x-www-form-urlencoded", body.to_owned());
    stage.double.on(
        "POST api.twitter.com/oauth/request_token",
        answer("oauth_token=request-1&oauth_token_secret=rs&oauth_callback_confirmed=true"),
    );
    stage.double.on(
        "POST api.twitter.com/oauth/access_token",
        answer("oauth_token=access-1&oauth_token_secret=as&user_id=5&screen_name=ada"),
    );
    stage.double.json(
        "GET api.twitter.com/1.1/account/verify_credentials.json",
        json!({ "id_str": "5", "name": "Ada", "screen_name": "ada", "email": "ada@example.com" }),
    );
    stage
}

#[tokio::test]
async fn twitter_speaks_oauth_1() {
    let stage = twitter().await;
    let provider = stage.provider("twitter").await;
    let authorization = authorize(&provider, &[]).await;
    assert_eq!(
        authorization.url.path(),
        "/api.twitter.com/oauth/authenticate"
    );
    assert_eq!(query(&authorization.url)["oauth_token"], "request-1");
    let request = stage
        .double
        .take_one("POST api.twitter.com/oauth/request_token");
    let header = &request.headers["authorization"];
    let callback_url =
        "oauth_callback=\"https%3A%2F%2Fauth.example.com%2Fcallback%3Fstate%3Dstate-1\"";
    for part in [
        "OAuth oauth_consumer_key=\"client-1\"",
        callback_url,
        "oauth_signature_method=\"HMAC-SHA1\"",
        "oauth_signature=\"",
    ] {
        assert!(header.contains(part), "{header}");
    }
    let callback = CallbackParameters {
        oauth_token: Some("request-1".to_owned()),
        oauth_verifier: Some("verifier-1".to_owned()),
        ..CallbackParameters::default()
    };
    let (user, tokens) = provider
        .exchange(&callback, &authorization.secrets)
        .await
        .unwrap();
    assert_eq!(
        (user.subject.as_str(), tokens.access_token.as_str()),
        ("5", "access-1")
    );
    assert_eq!(user.data["user_name"], "ada");
    assert!(user.emails[0].verified);
    let requests = stage.double.take();
    assert!(requests[0].headers["authorization"].contains("oauth_verifier=\"verifier-1\""));
    assert!(requests[1].headers["authorization"].contains("oauth_token=\"access-1\""));
    assert_eq!(requests[1].query["include_email"], "true");

    let foreign = CallbackParameters {
        oauth_token: Some("request-2".to_owned()),
        ..callback
    };
    let error = provider
        .exchange(&foreign, &authorization.secrets)
        .await
        .unwrap_err();
    assert_eq!(error.code(), "bad_oauth_callback");
    assert!(stage.double.take().is_empty());
}

#[tokio::test]
async fn a_request_token_needs_a_confirmed_callback() {
    let stage = Stage::new("twitter").await;
    let provider = stage.provider("twitter").await;
    for body in [
        "oauth_token=a&oauth_token_secret=b",
        "oauth_token=a&oauth_callback_confirmed=true",
        "",
    ] {
        let reply = DoubleReply::Raw(200, "application/x-www-form-urlencoded", body.to_owned());
        stage
            .double
            .on("POST api.twitter.com/oauth/request_token", reply);
        let request = AuthorizationRequest {
            state: "s",
            scopes: &[],
            forwarded: &[],
        };
        let error = provider.authorize(&request).await.unwrap_err();
        assert_eq!(error.code(), "unexpected_failure", "{body}");
    }
}
