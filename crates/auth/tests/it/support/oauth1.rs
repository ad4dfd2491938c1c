//! The part of a provider double that speaks OAuth 1.0a (RFC 5849), as Twitter does.

use std::collections::{BTreeSet, HashMap};

use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;
use url::Url;

use super::provider_cases::{CLIENT_ID, SECRET};
use super::provider_double::{Checked, DoubleReply, DoubleState, expect};
use super::raw_http::RawRequest;

/// All but the unreserved letters of URLs.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// What is issued to one user after the other.
#[derive(Debug, Default)]
pub(super) struct OneTimeTokens {
    count: u32,
    /// Where to send the user of a request token.
    callbacks: HashMap<String, String>,
    /// The request tokens whose users have agreed.
    agreed: BTreeSet<String>,
    /// All nonces so far.
    nonces: BTreeSet<String>,
}

/// Answers a request.
pub(super) fn answer(
    state: &DoubleState,
    target: &str,
    request: &RawRequest,
) -> Checked<DoubleReply> {
    let (_, user) = &state.case.api[0];
    match target {
        "POST api.twitter.com/oauth/request_token" => request_token(state, request),
        "GET api.twitter.com/oauth/authenticate" => authenticate(state, request),
        "POST api.twitter.com/oauth/access_token" => access_token(state, request),
        "GET api.twitter.com/1.1/account/verify_credentials.json" => describe(state, request, user),
        _ => Err("no such page".to_owned()),
    }
}

fn request_token(state: &DoubleState, request: &RawRequest) -> Checked<DoubleReply> {
    let sent = signed(state, request, |_| String::new())?;
    let callback = sent.get("oauth_callback").ok_or("no callback")?;
    if !callback.starts_with(&format!("{}?state=", state.callback())) {
        return Err(format!("the callback {callback}"));
    }
    let mut tokens = state.tokens.lock().unwrap();
    tokens.count += 1;
    let token = format!("request-{}", tokens.count);
    tokens.callbacks.insert(token.clone(), callback.clone());
    let secret = secret_of(&token);
    Ok(form(&format!(
        "oauth_token={token}&oauth_token_secret={secret}&oauth_callback_confirmed=true"
    )))
}

/// Lets the user agree, and sends the browser back.
fn authenticate(state: &DoubleState, request: &RawRequest) -> Checked<DoubleReply> {
    let sent = request.parameters();
    let names: Vec<&str> = sent.keys().map(String::as_str).collect();
    if names != ["oauth_token"] {
        return Err(format!("the parameters {names:?}"));
    }
    let token = &sent["oauth_token"];
    let mut tokens = state.tokens.lock().unwrap();
    let callback = tokens.callbacks.remove(token);
    let callback = callback.ok_or("a token that was never issued, or used")?;
    tokens.agreed.insert(token.clone());
    let mut back: Url = callback.parse().unwrap();
    let verifier = format!("verifier-of-{token}");
    back.query_pairs_mut().extend_pairs([
        ("oauth_token", token.as_str()),
        ("oauth_verifier", &verifier),
    ]);
    Ok(DoubleReply::Redirect(back.into()))
}

fn access_token(state: &DoubleState, request: &RawRequest) -> Checked<DoubleReply> {
    let sent = signed(state, request, secret_of)?;
    let token = sent.get("oauth_token").ok_or("no token")?;
    expect(&sent, "oauth_verifier", &format!("verifier-of-{token}"))?;
    if !state.tokens.lock().unwrap().agreed.remove(token) {
        return Err("a token whose user has not agreed".to_owned());
    }
    let token = token.replace("request", "access");
    let secret = secret_of(&token);
    Ok(form(&format!(
        "oauth_token={token}&oauth_token_secret={secret}&user_id=5&screen_name=ada"
    )))
}

fn describe(state: &DoubleState, request: &RawRequest, user: &Value) -> Checked<DoubleReply> {
    let sent = signed(state, request, secret_of)?;
    let token = sent.get("oauth_token").ok_or("no token")?;
    if !token.starts_with("access-") {
        return Err(format!("the token {token}"));
    }
    for (name, value) in [
        ("include_entities", "false"),
        ("skip_status", "true"),
        ("include_email", "true"),
    ] {
        expect(&sent, name, value)?;
    }
    Ok(DoubleReply::Json(200, user.clone()))
}

fn form(body: &str) -> DoubleReply {
    DoubleReply::Raw(200, "application/x-www-form-urlencoded", body.to_owned())
}

fn secret_of(token: &str) -> String {
    format!("secret&of+{token}").replace(['&', '+'], "-")
}

/// Returns the parameters of a request whose signature is right.
fn signed(
    state: &DoubleState,
    request: &RawRequest,
    secret_of: impl Fn(&str) -> String,
) -> Checked<HashMap<String, String>> {
    let header = request.header("authorization");
    let header = header.strip_prefix("OAuth ").ok_or("no OAuth header")?;
    let mut sent = request.parameters();
    for part in header.split(',') {
        let (name, value) = part.split_once('=').ok_or("a broken header")?;
        let value = percent_decode_str(value.trim_matches('"'));
        let value = value.decode_utf8().map_err(|error| error.to_string())?;
        sent.insert(name.trim().to_owned(), value.into_owned());
    }
    expect(&sent, "oauth_consumer_key", CLIENT_ID)?;
    expect(&sent, "oauth_signature_method", "HMAC-SHA1")?;
    let nonce = sent.get("oauth_nonce").ok_or("no nonce")?;
    if !state.tokens.lock().unwrap().nonces.insert(nonce.clone()) {
        return Err("a nonce that was used".to_owned());
    }
    let secret = secret_of(sent.get("oauth_token").map_or("", String::as_str));
    let address = format!("{}{}", state.base, request.path);
    let signature = sent.remove("oauth_signature").ok_or("no signature")?;
    if signature != signature_of(&request.method, &address, &sent, &secret) {
        return Err("a wrong signature".to_owned());
    }
    Ok(sent)
}

/// Returns the signature that a request must have.
fn signature_of(
    method: &str,
    address: &str,
    sent: &HashMap<String, String>,
    secret: &str,
) -> String {
    let encode = |text: &str| utf8_percent_encode(text, RESERVED).to_string();
    let mut lines: Vec<[String; 2]> = sent
        .iter()
        .map(|(name, value)| [encode(name), encode(value)])
        .collect();
    lines.sort_unstable();
    let lines: Vec<String> = lines.iter().map(|line| line.join("=")).collect();
    let text = [method, &encode(address), &encode(&lines.join("&"))].join("&");
    let key = [encode(SECRET), encode(secret)].join("&");
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, key.as_bytes());
    STANDARD.encode(hmac::sign(&key, text.as_bytes()))
}
