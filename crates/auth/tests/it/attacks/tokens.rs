//! Forged and misused tokens, besides those of `routes/bearer.rs`.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::mail_flows::{target_of, without_pauses};
use crate::support::tokens::{assemble, hmac_signed, parts_of, text};

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

/// Returns a token whose parts are these texts, for JSON that a serializer does not write.
fn raw(header: &str, claims: &str, signature: &str) -> String {
    let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
    format!("{}.{}.{signature}", encode(header), encode(claims))
}

/// Returns tokens whose header promises that the signature need not be checked, or not with our key.
fn with_other_headers(good: &str) -> Vec<String> {
    let (header, claims) = parts_of(good);
    let signature = good.rsplit('.').next().unwrap();
    let kid = header["kid"].as_str().unwrap();
    let claims_text = claims.to_string();
    let mut tokens: Vec<String> = ["nOnE", "NONE", "none ", "", "ES256 ", "es256", "HS256\u{0}"]
        .iter()
        .map(|name| assemble(&json!({ "alg": name, "kid": kid }), &claims, &[]))
        .collect();
    for odd in [
        json!(null),
        json!(["none"]),
        json!({ "alg": "none" }),
        json!(0),
    ] {
        tokens.push(assemble(&json!({ "alg": odd }), &claims, &[]));
    }
    for header in [
        format!(r#"{{"alg":"none","alg":"ES256","kid":"{kid}"}}"#),
        format!(r#"{{"alg":"ES256","alg":"none","kid":"{kid}"}}"#),
        format!(r#"{{"alg":"ES256","kid":"none","kid":"{kid}","alg":"none"}}"#),
        "[]".to_owned(),
        "null".to_owned(),
        "{".to_owned(),
    ] {
        tokens.push(raw(&header, &claims_text, ""));
        tokens.push(raw(&header, &claims_text, signature));
    }
    for kid in [
        json!("../../../../dev/null"),
        json!("' or 1=1 --"),
        json!("x' union select 'AA"),
        json!("|cat /etc/passwd"),
        json!("k".repeat(10_000)),
        json!([kid]),
        json!(7),
        json!("\u{0}"),
    ] {
        let header = json!({ "alg": "HS256", "kid": kid });
        for key in [&b""[..], b"\0", b"AA"] {
            tokens.push(hmac_signed(&header, &claims, key));
        }
    }
    let encryption = json!({ "alg": "dir", "enc": "A256GCM", "zip": "DEF", "kid": kid });
    tokens.push(format!("{}.e30.e30", assemble(&encryption, &claims, &[1])));
    tokens
}

/// Returns tokens with signatures that careless verifiers accept, and the good one in other spellings.
fn with_other_signatures(good: &str) -> Vec<String> {
    let (header, claims) = parts_of(good);
    let [head, payload, signature] = good.split('.').collect::<Vec<_>>()[..] else {
        panic!("three parts: {good}");
    };
    let bytes = URL_SAFE_NO_PAD.decode(signature).unwrap();
    let (r, s) = bytes.split_at(32);
    let integer = |part: &[u8]| [&[2, 33, 0], part].concat();
    let der = [&[0x30, 70][..], &integer(r), &integer(s)].concat();
    let signed =
        |signature: &[u8]| format!("{head}.{payload}.{}", URL_SAFE_NO_PAD.encode(signature));
    let escalated = {
        let mut claims = claims.clone();
        claims["role"] = json!("service_role");
        URL_SAFE_NO_PAD.encode(claims.to_string())
    };
    vec![
        // A signature of zeros, or of the order of the curve, fits every message in a verifier without bounds.
        signed(&[0; 64]),
        signed(&[0xff; 64]),
        signed(&[r, &[0; 32]].concat()),
        signed(&der),
        signed(&bytes[..63]),
        signed(&[&bytes[..], &[0]].concat()),
        format!("{head}.{escalated}.{signature}"),
        format!("{head}.{payload}.{signature}="),
        format!("{head}.{payload}.{signature}=="),
        format!("{head}.{payload}.{}", STANDARD.encode(&bytes)),
        format!("{head}.{payload}.{signature}.{signature}"),
        format!("{head}.{payload}"),
        format!(".{payload}.{signature}"),
        format!("{head}..{signature}"),
        format!(".{head}.{payload}.{signature}"),
        format!("{head}.{payload}.{signature}."),
        raw(&header.to_string(), "{}", signature),
        raw(&header.to_string(), "[]", signature),
        "x".repeat(20_000),
    ]
}

#[tokio::test]
async fn tokens_that_fool_careless_verifiers_open_nothing() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let good = text(&session, "access_token");
    let mut tokens = with_other_headers(&good);
    tokens.extend(with_other_signatures(&good));
    assert!(tokens.len() > 60, "{}", tokens.len());
    for token in &tokens {
        for target in ["/user", "/admin/users"] {
            let answer = app.get_as(token, target).await;
            answer.refused(403, "bad_jwt");
        }
    }
    app.get_as(&good, "/user").await.ok();
}

/// The last of two equal names counts in one parser and the first in another, so neither may count.
#[tokio::test]
async fn a_claim_that_stands_twice_gives_no_rights() {
    let app = TestApp::autoconfirm().await;
    let user = app.signed_up(ADA, PASSWORD).await["user"].clone();
    let sub = text(&user, "id");
    let header = r#"{"alg":"HS256","typ":"JWT"}"#;
    for claims in [
        format!(r#"{{"role":"service_role","role":"anon","sub":"{sub}"}}"#),
        format!(r#"{{"role":"anon","sub":"{sub}","role":"service_role"}}"#),
        r#"{"role":"anon","r\u006fle":"service_role"}"#.to_owned(),
    ] {
        let unsigned = raw(header, &claims, "");
        let message = unsigned.trim_end_matches('.');
        let secret = app.config.jwt.secret.reveal().as_bytes();
        let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, secret);
        let signature = aws_lc_rs::hmac::sign(&key, message.as_bytes());
        let token = format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature));
        app.get_as(&token, "/admin/users")
            .await
            .refused(403, "bad_jwt");
    }
}

#[tokio::test]
async fn a_token_of_one_kind_is_no_use_as_another() {
    let app = TestApp::with(without_pauses).await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let (access, refresh) = (
        text(&session, "access_token"),
        text(&session, "refresh_token"),
    );
    let mail = app.mail_of("/recover", ADA).await;
    let link = mail.link();
    let (_, secret) = link
        .query_pairs()
        .find(|(name, _)| name == "token")
        .unwrap();
    let (secret, code) = (secret.into_owned(), mail.code());
    let key = app.service_key();
    for (target, token) in [
        ("/user", &refresh),
        ("/user", &secret),
        ("/user", &code),
        ("/admin/users", &refresh),
        ("/admin/users", &secret),
    ] {
        app.get_as(token, target).await.refused(403, "bad_jwt");
    }
    for token in [&access, &secret, &code, &key] {
        let answer = app.refresh(token).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
    }
    for token in [&access, &refresh, &code, &key] {
        app.verify_link("recovery", token)
            .await
            .refused(403, "otp_expired");
        let body = json!({ "auth_code": token, "code_verifier": "a".repeat(43) });
        let answer = app.post("/token?grant_type=pkce", body).await;
        assert!(matches!(answer.status, 400 | 403 | 404), "{}", answer.text);
    }
    for token in [&access, &refresh, &secret, &key] {
        app.verify_code("recovery", ADA, token)
            .await
            .refused(403, "otp_expired");
    }
    // None of this used the link up.
    let landed = app.get(&target_of(&link)).await;
    assert!(!landed.said("access_token").is_empty());
}

#[tokio::test]
async fn a_token_counts_in_its_header_only() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let (access, key) = (text(&session, "access_token"), app.service_key());
    for (target, token) in [("/user", &access), ("/admin/users", &key)] {
        for name in ["access_token", "token", "apikey", "authorization", "jwt"] {
            app.get(&format!("{target}?{name}={token}"))
                .await
                .refused(401, "no_authorization");
            let cookie = format!("{name}={token}; sb-access-token={token}");
            let headers = [
                ("cookie", cookie.as_str()),
                ("apikey", token.as_str()),
                ("x-access-token", token.as_str()),
                ("proxy-authorization", token.as_str()),
            ];
            app.send(Method::GET, target, &headers, None)
                .await
                .refused(401, "no_authorization");
        }
        let body: Value = json!({ "access_token": token, "apikey": token });
        app.send(Method::PUT, "/user", &[], Some(&body))
            .await
            .refused(401, "no_authorization");
    }
}
