//! Facebook, whose API wants a proof that the caller knows the client secret.

use aws_lc_rs::hmac;
use serde_json::Value;
use url::Url;

use super::entry::{ProviderEntry, UserSource, at};
use super::id_token::hex;
use super::profile::{EmailStatus, UserMapping, UserProfile};
use super::quirks::{set_full_name, text_at};

pub(super) const ENTRY: ProviderEntry = ProviderEntry::new(
    "facebook",
    at("https://www.facebook.com", "/dialog/oauth"),
    at("https://graph.facebook.com", "/oauth/access_token"),
    UserSource::Api(&[at(
        "https://graph.facebook.com",
        "/me?fields=email,first_name,last_name,name,picture",
    )]),
    UserMapping::at(
        "/id",
        &[
            ("nickname", "/name"),
            ("slug", "/name"),
            ("picture", "/picture/data/url"),
            ("avatar_url", "/picture/data/url"),
        ],
    )
    .email("/email", EmailStatus::Verified)
    .more(full_name),
)
.scopes(&["email"])
.issuer_path("/me?fields=email,first_name,last_name,name,picture")
.issuer("https://www.facebook.com")
.without_nonce()
.id_mapping(UserMapping::OIDC.email("/email", EmailStatus::Verified));

fn full_name(answers: &[Value], profile: &mut UserProfile) {
    let [first, last] = ["/first_name", "/last_name"].map(|at| text_at(answers.first(), at));
    set_full_name(profile, first, last);
}

/// Adds the proof to the address of an API call.
pub(super) fn add_proof(url: &mut Url, secret: &str, access_token: &str) {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let proof = hmac::sign(&key, access_token.as_bytes());
    let proof = hex(proof.as_ref());
    url.query_pairs_mut().append_pair("appsecret_proof", &proof);
}
