//! Tokens and keys from outside: issued by others, forged, malformed.

mod cache;
mod forged;
mod golden;
mod keys;

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{KeySet, KeySetOptions};

/// Returns a time 30 seconds after the golden tokens were issued.
fn now() -> Timestamp {
    Timestamp::from_second(1_767_225_630).unwrap()
}

fn golden() -> Value {
    serde_json::from_str(include_str!("golden.json")).unwrap()
}

fn golden_secret() -> String {
    golden()["secret"].as_str().unwrap().to_owned()
}

fn golden_token(name: &str) -> String {
    golden()["tokens"][name].as_str().unwrap().to_owned()
}

/// Returns golden keys in the format of `JWT_KEYS`: the first signs, the others only verify.
fn jwt_keys(names: &[&str]) -> String {
    let mut keys: Vec<Value> = names
        .iter()
        .map(|name| golden()["keys"][name].clone())
        .collect();
    for key in keys.iter_mut().skip(1) {
        key["key_ops"] = json!(["verify"]);
    }
    Value::Array(keys).to_string()
}

fn key_set(names: &[&str]) -> KeySet {
    let options = KeySetOptions {
        secret: &golden_secret(),
        ..KeySetOptions::default()
    };
    KeySet::from_jwks_json(&jwt_keys(names), &options).unwrap()
}

fn encode(part: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(part)
}

/// Returns a token with any header and claims, signed with HMAC-SHA-256 and any key.
fn hmac_token(header: &str, claims: &str, key: &[u8]) -> String {
    let message = format!("{}.{}", encode(header), encode(claims));
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), message.as_bytes());
    format!("{message}.{}", encode(tag))
}
