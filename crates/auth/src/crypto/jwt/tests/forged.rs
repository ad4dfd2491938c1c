//! Tokens that must never work.

use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::signature::RsaPublicKeyComponents;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use serde_json::json;

use super::{encode, golden, golden_secret, golden_token, hmac_token, key_set, now};
use crate::crypto::jwt::{JwtError, KeySet};

const ADMIN: &str = r#"{"role":"service_role"}"#;
const HS256: &str = r#"{"alg":"HS256","typ":"JWT"}"#;

fn keys() -> KeySet {
    key_set(&["rsa", "ec", "okp", "oct"])
}

fn refuse(case: &str, token: &str) -> JwtError {
    let error = keys().verify(token, now()).expect_err(case);
    let text = error.to_string();
    assert!(
        text.starts_with("invalid JWT: unable to parse or verify signature, "),
        "{case}: {text}"
    );
    error
}

/// Returns a token with a valid signature by `JWT_SECRET`.
fn with_secret(header: &str, claims: &str) -> String {
    hmac_token(header, claims, golden_secret().as_bytes())
}

#[test]
fn the_way_these_tests_sign_is_right() {
    let claims = keys().verify(&with_secret(HS256, ADMIN), now()).unwrap();
    assert_eq!(claims.role.as_deref(), Some("service_role"));
}

#[test]
fn unsigned_tokens_are_refused() {
    for alg in ["none", "None", "NONE", "nOnE", "", "HS512", "hs256"] {
        let header = json!({ "alg": alg, "typ": "JWT" }).to_string();
        let unsigned = format!("{}.{}.", encode(&header), encode(ADMIN));
        assert_eq!(refuse(alg, &unsigned), JwtError::Algorithm);
        assert_eq!(
            refuse(alg, &with_secret(&header, ADMIN)),
            JwtError::Algorithm
        );
    }
    for name in ["hs256", "rs256", "es256", "eddsa"] {
        let token = golden_token(name);
        let (message, _) = token.rsplit_once('.').unwrap();
        assert_eq!(refuse(name, &format!("{message}.")), JwtError::Signature);
        assert!(matches!(refuse(name, message), JwtError::Malformed(_)));
    }
}

#[test]
fn a_public_key_is_not_accepted_as_a_secret() {
    let jwk = golden()["keys"]["rsa"].clone();
    let number = |name: &str| URL_SAFE_NO_PAD.decode(jwk[name].as_str().unwrap()).unwrap();
    let public = RsaPublicKeyComponents {
        n: number("n"),
        e: number("e"),
    };
    let der = public.as_der().unwrap().as_ref().to_vec();
    let body = STANDARD.encode(&der);
    let lines: Vec<_> = body
        .as_bytes()
        .chunks(64)
        .map(|line| str::from_utf8(line).unwrap())
        .collect();
    let pem = format!(
        "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
        lines.join("\n")
    );
    let shown: serde_json::Value = serde_json::from_str(keys().jwks_json()).unwrap();
    let texts: [Vec<u8>; 7] = [
        pem.trim_end().into(),
        pem.into(),
        der,
        shown["keys"][0].to_string().into(),
        shown["keys"][0]["n"].as_str().unwrap().into(),
        number("n"),
        Vec::new(),
    ];
    for secret in texts {
        let named = r#"{"alg":"HS256","kid":"golden-rsa","typ":"JWT"}"#;
        assert_eq!(
            refuse("named", &hmac_token(named, ADMIN, &secret)),
            JwtError::Algorithm
        );
        assert_eq!(
            refuse("unnamed", &hmac_token(HS256, ADMIN, &secret)),
            JwtError::Signature
        );
    }
}

#[test]
fn a_token_that_names_a_key_is_checked_with_that_key_alone() {
    // JWT_SECRET signed the token, but the token names the oct key, which differs here.
    let mut jwk = golden()["keys"]["oct"].clone();
    jwk["k"] = json!(encode("another secret that is long enough"));
    let secret = golden_secret();
    let options = crate::crypto::jwt::KeySetOptions {
        secret: &secret,
        ..Default::default()
    };
    let keys = KeySet::from_jwks_json(&json!([jwk]).to_string(), &options).unwrap();
    let token = with_secret(r#"{"alg":"HS256","kid":"golden-oct"}"#, ADMIN);
    assert_eq!(keys.verify(&token, now()), Err(JwtError::Signature));

    // The key id of one key with the algorithm of another.
    for (alg, kid) in [
        ("RS256", "golden-ec"),
        ("ES256", "golden-rsa"),
        ("EdDSA", "golden-rsa"),
        ("HS256", "golden-ed"),
    ] {
        let header = json!({ "alg": alg, "kid": kid }).to_string();
        assert_eq!(
            refuse(kid, &with_secret(&header, ADMIN)),
            JwtError::Algorithm
        );
    }
    // The signature of a known key under an unknown key id.
    let token = golden_token("rs256");
    let (_, rest) = token.split_once('.').unwrap();
    let renamed = format!("{}.{rest}", encode(r#"{"alg":"RS256","kid":"unknown"}"#));
    assert_eq!(refuse("renamed", &renamed), JwtError::UnknownKey);
}

#[test]
fn keys_that_a_token_brings_along_are_not_used() {
    let own = b"the attacker's own key";
    let jwk = json!({ "kty": "oct", "k": encode(own), "alg": "HS256" });
    for extra in [
        json!({ "jwk": jwk }),
        json!({ "jku": "http://127.0.0.1:9/keys.json" }),
        json!({ "x5u": "http://127.0.0.1:9/chain.pem" }),
        json!({ "x5c": [STANDARD.encode("certificate")] }),
        json!({ "jwk": jwk, "kid": "golden-rsa" }),
        json!({ "kid": "../../../../dev/null" }),
        json!({ "kid": "' or 1=1 --" }),
    ] {
        let mut header = json!({ "alg": "HS256", "typ": "JWT" });
        header
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        refuse(
            &header.to_string(),
            &hmac_token(&header.to_string(), ADMIN, own),
        );
    }
}

#[test]
fn what_a_header_calls_critical_is_refused() {
    for crit in [r#"["exp"]"#, r#"["b64"]"#, "[]", "null", "true", "{}"] {
        let header = format!(r#"{{"alg":"HS256","crit":{crit}}}"#);
        let error = refuse(crit, &with_secret(&header, ADMIN));
        assert!(matches!(error, JwtError::Malformed(_)), "{crit}");
    }
}

#[test]
fn times_are_kept() {
    let now = now().as_second();
    for (claims, error) in [
        (json!({ "exp": now }), Some(JwtError::Expired)),
        (
            json!({ "exp": f64::from(u32::try_from(now).unwrap()) + 0.5 }),
            Some(JwtError::Expired),
        ),
        (json!({ "exp": 0 }), Some(JwtError::Expired)),
        (json!({ "exp": -1 }), Some(JwtError::Expired)),
        (json!({ "exp": now + 1 }), None),
        (json!({ "exp": 1e18 }), None),
        (json!({}), None),
        (json!({ "nbf": now + 1 }), Some(JwtError::NotYetValid)),
        (json!({ "nbf": now }), None),
        (json!({ "iat": now + 301 }), Some(JwtError::IssuedAhead)),
        (json!({ "iat": now + 300 }), None),
    ] {
        let token = with_secret(HS256, &claims.to_string());
        let found = keys().verify(&token, super::now()).err();
        assert_eq!(found, error, "{claims}");
    }
}

#[test]
fn broken_tokens_are_refused() {
    let whole = with_secret(HS256, ADMIN);
    let (message, signature) = whole.rsplit_once('.').unwrap();
    for (what, token) in [
        ("empty", String::new()),
        ("dots", "...".into()),
        ("two dots", "..".into()),
        ("one part", "abc".into()),
        ("four parts", format!("{whole}.abc")),
        ("padding", format!("{whole}=")),
        ("blank", format!(" {whole}")),
        ("end of line", format!("{whole}\n")),
        ("not base64", format!("{message}.!!!!")),
        ("other alphabet", format!("{message}.++//")),
        ("truncated", whole[..whole.len() - 4].into()),
        ("longer signature", format!("{whole}AAAA")),
        ("swapped", format!("{signature}.{message}")),
        ("not ASCII", format!("{whole}\u{e9}")),
    ] {
        refuse(what, &token);
    }
}

#[test]
fn tokens_with_broken_content_are_refused() {
    let huge = format!(r#"{{"role":"service_role","x":"{}"}}"#, "a".repeat(1 << 20));
    for (what, token) in [
        ("header no JSON", with_secret("{", ADMIN)),
        ("header a list", with_secret("[]", ADMIN)),
        ("header empty", with_secret("{}", ADMIN)),
        ("alg a number", with_secret(r#"{"alg":5}"#, ADMIN)),
        ("alg a list", with_secret(r#"{"alg":["HS256"]}"#, ADMIN)),
        (
            "kid a number",
            with_secret(r#"{"alg":"HS256","kid":5}"#, ADMIN),
        ),
        ("claims no JSON", with_secret(HS256, "{")),
        ("claims a text", with_secret(HS256, "\"service_role\"")),
        ("claims and more", with_secret(HS256, "{} {}")),
        ("claims not UTF-8", {
            let message = format!("{}.{}", encode(HS256), encode(b"{\"role\":\"\xff\"}"));
            let key =
                aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, golden_secret().as_bytes());
            format!(
                "{message}.{}",
                encode(aws_lc_rs::hmac::sign(&key, message.as_bytes()))
            )
        }),
        (
            "deep claims",
            with_secret(
                HS256,
                &format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)),
            ),
        ),
        (
            "two algs",
            with_secret(r#"{"alg":"none","alg":"HS256"}"#, ADMIN),
        ),
        (
            "two kids",
            with_secret(r#"{"alg":"HS256","kid":"a","kid":"golden-rsa"}"#, ADMIN),
        ),
        (
            "two exps",
            with_secret(HS256, r#"{"exp":1,"exp":99999999999}"#),
        ),
        (
            "two roles",
            with_secret(HS256, r#"{"role":"anon","role":"service_role"}"#),
        ),
        ("huge", with_secret(HS256, &huge)),
    ] {
        refuse(what, &token);
    }
}

#[test]
fn a_signature_belongs_to_its_header_and_claims() {
    for name in ["hs256", "rs256", "es256", "eddsa"] {
        let token = golden_token(name);
        let parts: Vec<_> = token.split('.').collect();
        let claims = URL_SAFE_NO_PAD.decode(parts[1]).unwrap();
        let risen = String::from_utf8(claims)
            .unwrap()
            .replace("authenticated", "service_role");
        let forged = format!("{}.{}.{}", parts[0], encode(risen), parts[2]);
        assert_eq!(refuse(name, &forged), JwtError::Signature);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_changed_letter_is_refused(name in "hs256|rs256|es256|eddsa", at: prop::sample::Index, letter in "[A-Za-z0-9_.-]") {
        let token = golden_token(&name);
        let mut forged = token.clone();
        let at = at.index(token.len());
        forged.replace_range(at..=at, &letter);
        prop_assume!(forged != token);
        prop_assert!(keys().verify(&forged, now()).is_err());
    }

    #[test]
    fn arbitrary_text_never_panics(text in "[A-Za-z0-9_-]{0,40}\\.[A-Za-z0-9_-]{0,40}\\.[A-Za-z0-9_-]{0,40}|.{0,60}") {
        prop_assert!(keys().verify(&text, now()).is_err());
    }
}
