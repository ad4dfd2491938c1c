//! Id tokens: good ones, forged ones, and those of somebody else.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{CLIENT_ID, Stage};
use crate::base::error::AuthError;
use crate::config::Profile;
use crate::crypto::jwt::{Algorithm, SigningKey};
use crate::outside::external::cache::RETRY_INTERVAL;
use crate::outside::external::id_token::{CLOCK_SKEW, access_token_hash, hex};
use crate::outside::external::jws::JwsAlgorithm;
use crate::outside::external::provider::Provider;
use crate::outside::external::{IdToken, ProviderUser};

const GOOGLE: &str = "https://accounts.google.com";

async fn verify(provider: &Provider, token: &str) -> Result<ProviderUser, String> {
    verify_with(provider, token, None, None).await
}

async fn verify_with(
    provider: &Provider,
    token: &str,
    nonce: Option<&str>,
    access_token: Option<&str>,
) -> Result<ProviderUser, String> {
    let token = IdToken {
        id_token: token,
        access_token,
        nonce,
        issuer: None,
    };
    match provider.verify_id_token(&token).await {
        Ok(user) => Ok(user),
        Err(AuthError::OAuth { error, description }) => Err(format!("{error}: {description}")),
        Err(other) => Err(format!("{other:?}")),
    }
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a flat table of claims")]
async fn claims_must_be_those_of_the_provider_and_of_this_server() {
    let stage = Stage::new("google").await;
    stage.publish(GOOGLE);
    let provider = stage.provider("google").await;
    let now = stage.clock.now().as_second();
    let skew = CLOCK_SKEW.as_secs();
    for (changes, problem) in [
        (json!({}), None),
        (json!({ "iss": "accounts.google.com" }), None),
        (json!({ "aud": "client-2" }), None),
        (
            json!({ "aud": ["other", CLIENT_ID], "azp": CLIENT_ID }),
            None,
        ),
        (json!({ "azp": "another client of the operator" }), None),
        (json!({ "exp": now - skew + 5 }), None),
        (json!({ "iat": now + skew - 5, "exp": now + 900 }), None),
        (
            json!({ "iss": "https://evil.example.com" }),
            Some("the issuer is not the provider"),
        ),
        (
            json!({ "iss": null }),
            Some("the issuer is not the provider"),
        ),
        (
            json!({ "aud": "other" }),
            Some("Unacceptable audience in id_token"),
        ),
        (
            json!({ "aud": [] }),
            Some("Unacceptable audience in id_token"),
        ),
        (
            json!({ "aud": null }),
            Some("Unacceptable audience in id_token"),
        ),
        (
            json!({ "aud": ["other", CLIENT_ID] }),
            Some("it was issued for another client"),
        ),
        (
            json!({ "aud": ["other", CLIENT_ID], "azp": "other" }),
            Some("it was issued for another client"),
        ),
        (json!({ "exp": now - skew }), Some("it has expired")),
        (json!({ "exp": null }), Some("it is malformed")),
        (json!({ "exp": "tomorrow" }), Some("it is malformed")),
        (json!({ "iat": null }), Some("it is malformed")),
        (
            json!({ "iat": now + skew + 5, "exp": now + 900 }),
            Some("it is not valid yet"),
        ),
        (
            json!({ "nbf": now + skew + 5 }),
            Some("it is not valid yet"),
        ),
        (json!({ "sub": null }), Some("it has no subject")),
        (json!({ "sub": "" }), Some("it has no subject")),
    ] {
        let outcome = verify(&provider, &stage.id_token(GOOGLE, &changes)).await;
        match (outcome, problem) {
            (Ok(user), None) => assert_eq!(user.subject, "subject-1"),
            (Err(found), Some(problem)) => {
                assert!(found.starts_with("invalid request: "), "{found}");
                assert!(found.ends_with(problem), "{changes}: {found}");
            }
            (outcome, _) => panic!("{changes}: {outcome:?}"),
        }
    }
}

#[tokio::test]
async fn the_nonce_is_the_hash_of_the_clients() {
    let stage = Stage::new("google").await;
    stage.publish(GOOGLE);
    let provider = stage.provider("google").await;
    let hash = hex(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, b"raw").as_ref());
    let token = stage.id_token(GOOGLE, &json!({ "nonce": hash }));
    let without = stage.id_token(GOOGLE, &json!({}));
    verify_with(&provider, &token, Some("raw"), None)
        .await
        .unwrap();
    verify_with(&provider, &without, Some(""), None)
        .await
        .unwrap();
    let missing =
        "invalid request: Passed nonce and nonce in id_token should either both exist or not.";
    for (token, nonce, problem) in [
        (&token, None, missing),
        (&without, Some("raw"), missing),
        (&token, Some("other"), "invalid nonce: Nonces mismatch"),
        (
            &token,
            Some(hash.as_str()),
            "invalid nonce: Nonces mismatch",
        ),
    ] {
        assert_eq!(
            verify_with(&provider, token, nonce, None)
                .await
                .unwrap_err(),
            problem
        );
    }
    let stage = Stage::with("google", |config| {
        let google = config.external.providers.get_mut("google").unwrap();
        google.skip_nonce_check = true;
    })
    .await;
    stage.publish(GOOGLE);
    let token = stage.id_token(GOOGLE, &json!({ "nonce": "anything" }));
    verify(&stage.provider("google").await, &token)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_token_is_bound_to_its_access_token() {
    let stage = Stage::new("google").await;
    stage.publish(GOOGLE);
    let provider = stage.provider("google").await;
    let hash = access_token_hash(JwsAlgorithm::Es256, "access-1");
    // The example of OpenID Connect, section A.3.
    let example = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
    assert_eq!(
        access_token_hash(JwsAlgorithm::Rs256, example),
        "77QmUPtjPfzWtF2AnpK9RQ"
    );
    let token = stage.id_token(GOOGLE, &json!({ "at_hash": hash }));
    verify_with(&provider, &token, None, Some("access-1"))
        .await
        .unwrap();
    verify_with(&provider, &token, None, None).await.unwrap();
    let problem = verify_with(&provider, &token, None, Some("access-2"))
        .await
        .unwrap_err();
    assert!(
        problem.ends_with("it was issued for another access token"),
        "{problem}"
    );
}

/// Encodes a token by hand.
fn forged(header: &Value, claims: &Value, signature: &[u8]) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!(
        "{}.{}.{}",
        part(header),
        part(claims),
        URL_SAFE_NO_PAD.encode(signature)
    )
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a flat table of tokens")]
async fn only_signatures_of_the_providers_keys_count() {
    let stage = Stage::new("google").await;
    stage.publish(GOOGLE);
    let provider = stage.provider("google").await;
    let claims = stage.claims(GOOGLE, &json!({}));
    let kid = stage.key.verifying().kid().unwrap();
    let good = stage.id_token(GOOGLE, &json!({}));
    let other = SigningKey::generate(Algorithm::Es256).unwrap();
    let public = json!(stage.key.verifying().public_jwk()).to_string();
    let shared = SigningKey::from_secret(Some(kid), public.as_bytes()).unwrap();
    let (message, signature) = good.rsplit_once('.').unwrap();
    let (_, payload) = message.split_once('.').unwrap();
    let same_kid =
        SigningKey::from_private_bytes(kid, Algorithm::Es256, &other.private_bytes().unwrap());
    let swapped =
        URL_SAFE_NO_PAD.encode(stage.claims(GOOGLE, &json!({ "sub": "root" })).to_string());
    for (token, problem) in [
        (
            forged(&json!({ "alg": "none" }), &claims, b""),
            "it is not signed with an asymmetric algorithm",
        ),
        (
            forged(&json!({ "alg": "None", "kid": kid }), &claims, b""),
            "it is not signed with an asymmetric algorithm",
        ),
        (
            shared.sign(&claims).unwrap(),
            "it is not signed with an asymmetric algorithm",
        ),
        (
            forged(&json!({ "alg": "ES256", "kid": kid }), &claims, b""),
            "the signature is wrong",
        ),
        (
            forged(&json!({ "alg": "ES256", "kid": kid }), &claims, &[0; 64]),
            "the signature is wrong",
        ),
        (
            forged(&json!({ "alg": "RS256", "kid": kid }), &claims, &[0; 256]),
            "the provider does not have the key that it names",
        ),
        (
            other.sign(&claims).unwrap(),
            "the provider does not have the key that it names",
        ),
        (
            same_kid.unwrap().sign(&claims).unwrap(),
            "the signature is wrong",
        ),
        (
            forged(&json!({ "alg": "ES256", "crit": ["x"] }), &claims, b""),
            "it is malformed",
        ),
        (
            good.replacen(payload, &swapped, 1),
            "the signature is wrong",
        ),
        (format!("{message}."), "the signature is wrong"),
        (message.to_owned(), "it is malformed"),
        (format!("{good}.{signature}"), "it is malformed"),
        (String::new(), "it is malformed"),
        ("a.b.c".to_owned(), "it is malformed"),
        ("x".repeat(100_000), "it is malformed"),
    ] {
        let found = verify(&provider, &token).await.unwrap_err();
        assert!(found.ends_with(problem), "{token:.80}: {found}");
    }
    verify(&provider, &good).await.unwrap();
}

#[tokio::test]
async fn new_keys_are_found_and_unknown_ones_do_not_flood_the_provider() {
    let mut stage = Stage::new("google").await;
    stage.publish(GOOGLE);
    let provider = stage.provider("google").await;
    let fetches = |stage: &Stage| {
        let all = stage.double.take();
        all.iter()
            .filter(|it| it.target == "GET keys.example.com/jwks")
            .count()
    };
    verify(&provider, &stage.id_token(GOOGLE, &json!({})))
        .await
        .unwrap();
    verify(&provider, &stage.id_token(GOOGLE, &json!({})))
        .await
        .unwrap();
    assert_eq!(fetches(&stage), 1);

    stage.key = SigningKey::generate(Algorithm::Es256).unwrap();
    stage.publish_keys(&[&stage.key]);
    for _ in 0..3 {
        let token = stage.id_token(GOOGLE, &json!({}));
        verify(&provider, &token).await.unwrap_err();
    }
    assert_eq!(fetches(&stage), 0);
    stage.clock.advance(RETRY_INTERVAL);
    verify(&provider, &stage.id_token(GOOGLE, &json!({})))
        .await
        .unwrap();
    assert_eq!(fetches(&stage), 1);
    stage.clock.advance(SignedDuration::from_hours(1));
    verify(&provider, &stage.id_token(GOOGLE, &json!({})))
        .await
        .unwrap();
    assert_eq!(fetches(&stage), 1);
}

#[tokio::test]
async fn a_discovery_document_of_another_issuer_is_not_believed() {
    let stage = Stage::new("google").await;
    stage.double.json(
        "GET accounts.google.com/.well-known/openid-configuration",
        json!({ "issuer": "https://evil.example.com", "jwks_uri": "https://keys.example.com/jwks" }),
    );
    stage.publish_keys(&[&stage.key]);
    let provider = stage.provider("google").await;
    let problem = verify(&provider, &stage.id_token(GOOGLE, &json!({})))
        .await
        .unwrap_err();
    assert!(problem.contains("UnexpectedFailure"), "{problem}");
}

#[tokio::test]
async fn the_code_flow_wants_the_nonce_that_it_sent() {
    let stage = Stage::new("google").await;
    stage.publish(GOOGLE);
    for nonce in [json!("another"), Value::Null] {
        let token = stage.id_token(GOOGLE, &json!({ "nonce": nonce }));
        stage.double.json(
            "POST oauth2.googleapis.com/token",
            json!({ "access_token": "access-1", "id_token": token }),
        );
        let error = stage.sign_in("google").await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "Error getting user profile from external provider"
        );
    }
}

#[tokio::test]
async fn only_gotrue_accepts_an_audience_that_the_caller_chose() {
    const MORE: &str = "https://more.example.com";
    for profile in [Profile::Std, Profile::Gotrue] {
        let stage = Stage::with("google", |config| {
            config.profile = profile;
            config.external.allowed_id_token_issuers = vec![MORE.to_owned()];
        })
        .await;
        stage.publish(MORE);
        let find = async |client| {
            let providers = &stage.providers;
            providers.find_for_id_token(None, Some(MORE), client).await
        };
        let token = stage.id_token(MORE, &json!({ "aud": "an-app-of-somebody-else" }));
        match (profile, find(Some("an-app-of-somebody-else")).await) {
            (Profile::Std, Err(error)) => assert_eq!(error.code(), "validation_failed"),
            (Profile::Gotrue, Ok(provider)) => {
                assert_eq!(
                    verify(&provider, &token).await.unwrap().subject,
                    "subject-1"
                );
                let other = find(Some("c")).await.unwrap();
                assert!(verify(&other, &token).await.is_err());
            }
            (profile, found) => panic!("{profile:?} {found:?}"),
        }
        assert!(find(None).await.is_err());
        assert!(find(Some("")).await.is_err());
        // Nothing is asked of the issuer for tokens that are refused anyway.
        let is_asked = !stage.double.take().is_empty();
        assert_eq!(is_asked, profile == Profile::Gotrue);
    }
}
