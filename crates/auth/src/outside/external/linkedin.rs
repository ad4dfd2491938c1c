//! `LinkedIn`: its API of old, and OpenID Connect.

use serde_json::Value;

use super::entry::{ProviderEntry, UserSource, at};
use super::profile::{UserMapping, UserProfile};
use super::quirks::{set_full_name, text_at};

const HOST: &str = "https://api.linkedin.com";

pub(super) const ENTRY: ProviderEntry = ProviderEntry::new(
    "linkedin",
    at(HOST, "/oauth/v2/authorization"),
    at(HOST, "/oauth/v2/accessToken"),
    UserSource::Api(&[
        at(
            HOST,
            "/v2/me?projection=(id,firstName,lastName,profilePicture(displayImage~:playableStreams))",
        ),
        at(HOST, "/v2/emailAddress?q=members&projection=(elements*(handle~))"),
    ]),
    UserMapping::at(
        "/id",
        &[
            ("picture", PICTURE),
            ("avatar_url", PICTURE),
        ],
    )
    .more(name_and_email),
)
.scopes(&["r_emailaddress", "r_liteprofile"]);

pub(super) const OIDC_ENTRY: ProviderEntry = ProviderEntry::new(
    "linkedin_oidc",
    at(HOST, "/oauth/v2/authorization"),
    at(HOST, "/oauth/v2/accessToken"),
    UserSource::IdToken,
    UserMapping::OIDC,
)
.scopes(&["openid", "email", "profile"])
.issuer("https://www.linkedin.com/oauth")
.without_nonce()
.id_mapping(UserMapping::OIDC.more(full_name_of_parts));

const PICTURE: &str = "/profilePicture/displayImage~0/elements/0/identifiers/0/identifier";

fn name_and_email(answers: &[Value], profile: &mut UserProfile) {
    let name = |which: &str| {
        let name = answers.first()?.get(which)?;
        let locale = name.get("preferredLocale")?;
        let [language, country] =
            ["/language", "/country"].map(|place| text_at(Some(locale), place));
        let localized = name
            .get("localized")?
            .get(format!("{language}_{country}"))?;
        localized.as_str()
    };
    let (first, last) = (name("firstName"), name("lastName"));
    set_full_name(profile, first.unwrap_or_default(), last.unwrap_or_default());
    let address = text_at(answers.get(1), "/elements/0/handle~0/emailAddress");
    profile.add_email(address, true, true);
}

fn full_name_of_parts(answers: &[Value], profile: &mut UserProfile) {
    let claims = answers.first();
    let (first, last) = (
        text_at(claims, "/given_name"),
        text_at(claims, "/family_name"),
    );
    if text_at(claims, "/name").is_empty() {
        set_full_name(profile, first, last);
    }
}
