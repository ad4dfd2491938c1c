//! The part of a provider double that speaks OAuth 2 and OpenID Connect.

use std::collections::HashMap;

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::json;
use url::Url;

use super::hex;
use super::provider_cases::{CLIENT_ID, ClientProof, SECRET};
use super::provider_double::{Checked, DoubleReply, DoubleState, Visit, change, expect};
use super::raw_http::{RawRequest, pairs};

/// Where the keys of id tokens are, at every provider.
const KEYS: &str = "keys.example.com/jwks";

/// The parameters of authorization requests to every provider. What is meant for this server is not among them.
const PARAMETERS: [&str; 8] = [
    "client_id",
    "code_challenge",
    "code_challenge_method",
    "nonce",
    "redirect_uri",
    "response_type",
    "scope",
    "state",
];

/// Answers a request.
pub(super) fn answer(
    state: &DoubleState,
    target: &str,
    request: &RawRequest,
) -> Checked<DoubleReply> {
    let case = &state.case;
    if target == format!("GET {}", case.authorize) {
        return authorize(state, request);
    }
    if target == format!("POST {}", case.token) {
        return exchange(state, request);
    }
    if let Some((issuer, _)) = &case.id_token {
        let host = issuer.trim_start_matches("https://");
        if target == format!("GET {host}/.well-known/openid-configuration") {
            let keys = format!("https://{KEYS}");
            let document = json!({ "issuer": issuer, "jwks_uri": keys });
            return Ok(DoubleReply::Json(200, document));
        }
        if target == format!("GET {KEYS}") {
            let keys = [state.key.verifying().public_jwk()];
            return Ok(DoubleReply::Json(200, json!({ "keys": keys })));
        }
    }
    call(state, target, request)
}

/// Lets the user agree, and sends the browser back.
fn authorize(state: &DoubleState, request: &RawRequest) -> Checked<DoubleReply> {
    let (case, sent) = (&state.case, request.parameters());
    expect(&sent, "client_id", CLIENT_ID)?;
    expect(&sent, "redirect_uri", state.callback())?;
    expect(&sent, "response_type", "code")?;
    let scope = sent.get("scope").map_or("", String::as_str);
    if scope != case.scope {
        return Err(format!("the scope {scope}"));
    }
    for (name, value) in case.parameters {
        expect(&sent, name, value)?;
    }
    let challenge = sent.get("code_challenge").cloned();
    if challenge.is_some() != case.has_challenge {
        return Err("a challenge where none is known, or none".to_owned());
    }
    if challenge.is_some() {
        expect(&sent, "code_challenge_method", "S256")?;
    }
    let nonce = sent.get("nonce").cloned();
    if nonce.is_some() != case.has_nonce {
        return Err("a nonce where none is known, or none".to_owned());
    }
    let is_known = |name: &str| {
        let own = case.parameters.iter().any(|(own, _)| *own == name);
        own || PARAMETERS.contains(&name)
    };
    if let Some(name) = sent.keys().find(|name| !is_known(name)) {
        return Err(format!("the parameter {name}"));
    }
    let flow = sent.get("state").ok_or("no state")?;
    let is_first = state.visits.lock().unwrap().is_empty();
    let code = format!("code-{}", next(&mut state.count.lock().unwrap().0));
    let visit = Visit { challenge, nonce };
    state
        .visits
        .lock()
        .unwrap()
        .insert(code.clone(), Some(visit));
    let mut back: Url = state.callback().parse().unwrap();
    back.query_pairs_mut()
        .extend_pairs([("state", flow.as_str()), ("code", &code)]);
    if sent
        .get("response_mode")
        .is_some_and(|mode| mode == "form_post")
    {
        let user = case.posted_user.filter(|_| is_first);
        return Ok(form_page(state.callback(), &back, user));
    }
    Ok(DoubleReply::Redirect(back.into()))
}

/// Exchanges a code for tokens, once.
fn exchange(state: &DoubleState, request: &RawRequest) -> Checked<DoubleReply> {
    let (case, sent) = (&state.case, request.form());
    let kind = request.header("content-type");
    if kind != "application/x-www-form-urlencoded" {
        return Err(format!("the content type {kind}"));
    }
    expect(&sent, "grant_type", "authorization_code")?;
    expect(&sent, "redirect_uri", state.callback())?;
    check_client(case.proof, request, &sent)?;
    let code = sent.get("code").ok_or("no code")?;
    let visit = state.visits.lock().unwrap().insert(code.clone(), None);
    let visit = visit
        .flatten()
        .ok_or("a code that was never issued, or used")?;
    let verifier = sent.get("code_verifier");
    let met = verifier.map(|text| URL_SAFE_NO_PAD.encode(digest(&SHA256, text.as_bytes())));
    if met != visit.challenge {
        return Err("a verifier that does not meet the challenge".to_owned());
    }
    let access_token = format!("access-{}", next(&mut state.count.lock().unwrap().1));
    let mut answer = json!({
        "access_token": access_token,
        "refresh_token": access_token.replace("access", "refresh"),
        "token_type": "bearer",
        "expires_in": 3600,
    });
    change(&mut answer, &case.tokens);
    if case.id_token.is_some() {
        let hash = digest(&SHA256, access_token.as_bytes());
        let hash = URL_SAFE_NO_PAD.encode(&hash.as_ref()[..16]);
        let mut claims = state.claims_with(&json!({ "nonce": visit.nonce, "at_hash": hash }));
        change(&mut claims, &state.claims.lock().unwrap());
        answer["id_token"] = json!(state.key.sign(&claims).unwrap());
    }
    Ok(DoubleReply::Json(200, answer))
}

/// Describes the user to who has the access token.
fn call(state: &DoubleState, target: &str, request: &RawRequest) -> Checked<DoubleReply> {
    let mut api = state.case.api.iter();
    let found = api.find(|(endpoint, _)| {
        let path = endpoint.split('?').next().unwrap_or_default();
        target == format!("GET {path}")
    });
    let (endpoint, answer) = found.ok_or("no such page")?;
    let token = format!("access-{}", state.count.lock().unwrap().1);
    let authorization = request.header("authorization");
    if authorization != format!("Bearer {token}") {
        return Err(format!("the credentials {authorization}"));
    }
    for (name, value) in state.case.headers {
        if request.header(name) != *value {
            return Err(format!("no header {name}: {value}"));
        }
    }
    let (_, query) = endpoint.split_once('?').unwrap_or((endpoint, ""));
    let (mut sent, expected) = (request.parameters(), pairs(query));
    if state.case.name == "facebook" {
        let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
        let proof = hex(hmac::sign(&key, token.as_bytes()).as_ref());
        expect(&sent, "appsecret_proof", &proof)?;
        sent.remove("appsecret_proof");
    }
    if sent != expected {
        return Err(format!("the query {sent:?}"));
    }
    Ok(DoubleReply::Json(200, answer.clone()))
}

fn next(count: &mut u32) -> u32 {
    *count += 1;
    *count
}

/// Checks who sends a request to the token endpoint.
fn check_client(
    proof: ClientProof,
    request: &RawRequest,
    sent: &HashMap<String, String>,
) -> Checked<()> {
    let header = request.header("authorization");
    if proof == ClientProof::Form {
        expect(sent, "client_id", CLIENT_ID)?;
        expect(sent, "client_secret", SECRET)?;
        return match header {
            "" => Ok(()),
            header => Err(format!("credentials in a header: {header}")),
        };
    }
    // Both parts are encoded like members of a form (RFC 6749, section 2.3.1).
    let pair = STANDARD.encode(format!("{CLIENT_ID}:s3cret%2Fof%2Bthe%26client"));
    if header != format!("Basic {pair}") || sent.contains_key("client_secret") {
        return Err(format!("the credentials {header}"));
    }
    Ok(())
}

/// A page that lets the browser post the parameters of `back`, as Apple's does.
fn form_page(action: &str, back: &Url, user: Option<&str>) -> DoubleReply {
    let user = user.map(|user| ("user".into(), user.into()));
    let fields = back.query_pairs().chain(user).map(|(name, value)| {
        let value = value.replace('"', "&quot;");
        format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">")
    });
    let fields: String = fields.collect();
    let page = format!("<form method=\"post\" action=\"{action}\">{fields}</form>");
    DoubleReply::Raw(200, "text/html; charset=utf-8", page)
}
