use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::Timestamp;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::Normaliser;
use crate::auth::compare::variables::Variables;

const ID: &str = "0d7c2b0e-1c83-4f43-a7a6-6f3c6f5a1d11";
const OTHER: &str = "5b2f7a52-8f0f-4b1e-8d4d-0f9f6d1f2c22";

fn variables() -> Variables {
    let text = str::to_owned;
    let server = text("http://localhost:8081");
    Variables::new(text("0a1b2c3d"), server, text("service"))
}

fn now() -> Timestamp {
    "2026-05-01T10:00:00Z".parse().unwrap()
}

fn body_with(variables: &Variables, body: &Value) -> Value {
    let answer = Normaliser::new(variables, now());
    let mut answer = answer.answer(200, &HeaderMap::new(), body.to_string().as_bytes());
    answer["body"].take()
}

fn body(body: &Value) -> Value {
    body_with(&variables(), body)
}

#[test]
fn ids_keep_who_is_who() {
    let same = body(&json!({ "id": ID, "items": [{ "user": ID, "own": OTHER }] }));
    assert_eq!(
        same,
        json!({ "id": "<uuid>", "items": [{ "own": "<uuid>", "user": "<uuid as body.id>" }] })
    );
    let other = body(&json!({ "id": ID, "items": [{ "user": OTHER, "own": OTHER }] }));
    assert_ne!(same, other);
}

#[test]
fn captured_values_become_their_variables() {
    let mut variables = variables();
    variables.set("ada", Some(ID.to_owned()));
    let answer = body_with(
        &variables,
        &json!({ "id": ID, "text": format!("user {ID}") }),
    );
    assert_eq!(answer, json!({ "id": "${ada}", "text": "user ${ada}" }));
}

#[test]
fn types_stay_visible() {
    let time = now().as_second();
    assert_eq!(
        body(&json!({ "a": time, "b": time.to_string(), "c": 7, "d": "7", "e": null, "f": "" })),
        json!({
            "a": "<number: unix time>",
            "b": "<unix time>",
            "c": 7,
            "d": "7",
            "e": null,
            "f": "",
        })
    );
}

#[test]
fn secrets_are_known_by_their_names_and_an_empty_one_stays_empty() {
    assert_eq!(
        body(&json!({ "refresh_token": "x", "email_otp": "123456", "secret": "", "code": 400 })),
        json!({ "refresh_token": "<token>", "email_otp": "<token>", "secret": "", "code": 400 })
    );
}

#[test]
fn the_hashes_of_a_deleted_user_are_hidden() {
    let hash = "uNk5R5Gda1AyEtKc82DCdRi4dknwH1ACRURVIfr-F8Q";
    assert_eq!(
        body(&json!({ "email": hash, "phone": "megrf1hun07K7_2", "name": "megrf1hun07K7_2" })),
        json!({ "email": "<hash>", "phone": "<hash>", "name": "megrf1hun07K7_2" })
    );
}

#[test]
fn tokens_are_compared_by_their_claims() {
    let part = |value: Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let header = part(json!({ "alg": "HS256" }));
    let claims = part(json!({ "exp": now().as_second() + 3600, "sub": ID }));
    let token = format!("{header}.{claims}.c2ln");
    let mut variables = variables();
    variables.set("ada", Some(token.clone()));
    assert_eq!(
        body_with(&variables, &json!({ "access_token": token, "user": ID })),
        json!({
            "access_token": {
                "header": { "alg": "HS256" },
                "claims": { "exp": "<number: unix time + 3600 s>", "sub": "<uuid>" },
            },
            "user": "<uuid as body.access_token.claims.sub>",
        })
    );
    assert_eq!(body(&json!("a.b.c")), json!("a.b.c"));
}

#[test]
fn addresses_are_taken_apart() {
    let link =
        "http://localhost:8081/verify?token=x1&type=signup&redirect_to=http%3A%2F%2Fs%3Fa%3D1";
    assert_eq!(
        body(&json!({ "action_link": link, "site": "http://localhost:3000" })),
        json!({
            "action_link": {
                "address": "${server}/verify",
                "query": {
                    "token": "<token>",
                    "type": "signup",
                    "redirect_to": { "address": "http://s", "query": { "a": "1" } },
                },
            },
            "site": "http://localhost:3000",
        })
    );
    let mail = body(&json!("ada-0a1b2c3d@example.com"));
    assert_eq!(mail, json!("ada-${run}@example.com"));
}

#[test]
fn an_answer_has_status_headers_and_a_body_or_a_text() {
    let variables = variables();
    let mut headers = HeaderMap::new();
    let location = format!("http://s/#code=a&error=1&id={ID}");
    headers.insert("location", HeaderValue::from_str(&location).unwrap());
    let answer = Normaliser::new(&variables, now()).answer(303, &headers, b"See Other");
    assert_eq!(
        answer,
        json!({
            "status": 303,
            "header": {
                "location": {
                    "address": "http://s/",
                    "fragment": { "code": "a", "error": "1", "id": "<uuid>" },
                },
            },
            "text": "<page>",
        })
    );
    let answer = Normaliser::new(&variables, now()).answer(404, &HeaderMap::new(), b"nowhere");
    assert_eq!(
        answer,
        json!({ "status": 404, "header": {}, "text": "nowhere" })
    );
    let answer = Normaliser::new(&variables, now()).answer(204, &HeaderMap::new(), b"");
    assert_eq!(answer, json!({ "status": 204, "header": {} }));
}
