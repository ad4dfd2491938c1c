//! Verification through the cache gives the same results as without it.

use jiff::SignedDuration;
use serde_json::json;

use super::{golden_secret, golden_token, hmac_token, key_set, now};
use crate::crypto::jwt::{JwtError, KeySet, KeySetOptions, VerifiedCache};

#[test]
fn a_cached_token_is_refused_once_it_has_expired() {
    let keys = key_set(&["rsa"]);
    let cache = VerifiedCache::with_capacity(16);
    let exp = now().as_second() + 60;
    let token = keys.sign(&json!({ "sub": "ada", "exp": exp })).unwrap();
    for _ in 0..2 {
        let claims = cache.verify(&keys, &token, now()).unwrap();
        assert_eq!(claims.sub.as_deref(), Some("ada"));
    }
    let later = now() + SignedDuration::from_secs(60);
    assert_eq!(cache.verify(&keys, &token, later), Err(JwtError::Expired));
    // The token is valid again once the clock is set back, as without the cache.
    assert!(cache.verify(&keys, &token, now()).is_ok());
}

#[test]
fn a_change_of_keys_is_respected() {
    let cache = VerifiedCache::with_capacity(16);
    let token = golden_token("hs256");
    let secret = golden_secret();
    let both = key_set(&["ec"]);
    assert!(cache.verify(&both, &token, now()).is_ok());

    let methods = ["ES256".to_owned()];
    let options = KeySetOptions {
        secret: &secret,
        key_id: None,
        valid_methods: &methods,
        revoked: &[],
        accepts_future_iat: false,
    };
    let ended = KeySet::from_jwks_json(&super::jwt_keys(&["ec"]), &options).unwrap();
    assert_eq!(
        cache.verify(&ended, &token, now()),
        Err(JwtError::Algorithm)
    );
    assert!(cache.verify(&both, &token, now()).is_ok());
}

#[test]
fn invalid_tokens_are_not_cached() {
    let keys = key_set(&["rsa"]);
    let cache = VerifiedCache::with_capacity(16);
    let forged = hmac_token(r#"{"alg":"HS256"}"#, "{}", b"another secret");
    for _ in 0..3 {
        assert_eq!(
            cache.verify(&keys, &forged, now()),
            Err(JwtError::Signature)
        );
    }
    assert_eq!(format!("{cache:?}"), "VerifiedCache { entries: 0 }");
}

#[test]
fn the_cache_is_bounded() {
    let keys = key_set(&["rsa", "oct"]);
    let cache = VerifiedCache::with_capacity(32);
    let secret = golden_secret();
    for number in 0..1000 {
        let claims = format!(r#"{{"sub":"{number}"}}"#);
        let token = hmac_token(r#"{"alg":"HS256"}"#, &claims, secret.as_bytes());
        let found = cache.verify(&keys, &token, now()).unwrap();
        assert_eq!(found.sub, Some(number.to_string()));
    }
    let shown = format!("{cache:?}");
    let entries: usize = shown
        .split(&[' ', '}'][..])
        .find_map(|word| word.parse().ok())
        .unwrap();
    assert!((1..=64).contains(&entries), "{shown}");
}
