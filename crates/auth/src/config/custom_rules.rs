//! What the members of a custom provider may be.

use std::net::IpAddr;

use innkeeper_service::outbound::is_public;
use serde_json::Value;
use url::{Host, Url};

use super::custom_provider::CUSTOM_PREFIX;

/// Who describes a custom provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderOrigin {
    /// The operator, in the settings, who may name servers of a private network.
    Settings,
    /// The admin API, which must not make this server call private addresses.
    Admin,
}

type Checked<T = ()> = Result<T, String>;

/// The most bytes of an identifier, as the database has it.
const MAX_IDENTIFIER: usize = 50;
/// The most entries of a list or an object.
const MAX_ENTRIES: usize = 100;
/// The most characters of a URL, as the database has it, and of a value.
const MAX_LENGTH: usize = 2048;

/// Parameters of the authorization request that this server sets itself.
const RESERVED_PARAMETERS: &[&str] = &[
    "client_id",
    "client_secret",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "nonce",
    "redirect_uri",
    "request",
    "request_uri",
    "response_type",
    "scope",
    "state",
];

/// Members of an account, and claims that only this server or the provider itself may set.
const RESERVED_CLAIMS: &[&str] = &[
    "app_metadata",
    "aud",
    "banned_until",
    "confirmed_at",
    "created_at",
    "custom_claims",
    "deleted_at",
    "email_confirmed_at",
    "email_verified",
    "encrypted_password",
    "factors",
    "id",
    "identities",
    "invited_at",
    "is_anonymous",
    "is_sso_user",
    "is_super_admin",
    "iss",
    "last_sign_in_at",
    "phone_confirmed_at",
    "phone_verified",
    "provider",
    "provider_id",
    "providers",
    "raw_app_meta_data",
    "raw_user_meta_data",
    "role",
    "user_id",
    "user_metadata",
];

pub(super) fn identifier(text: &str) -> Checked {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let name = text.strip_prefix(CUSTOM_PREFIX).unwrap_or_default();
    let is_well_formed = name
        .bytes()
        .all(|byte| is_letter(byte) || b":-".contains(&byte))
        && name.bytes().last().is_some_and(is_letter);
    if is_well_formed && text.len() <= MAX_IDENTIFIER {
        return Ok(());
    }
    Err(format!(
        "must be `{CUSTOM_PREFIX}` and a name of lower-case letters, digits, `-` and `:`, which ends in a letter or a \
         digit, with at most {MAX_IDENTIFIER} characters together"
    ))
}

pub(super) fn name(text: &str) -> Checked {
    one_line(text, 100)
}

pub(super) fn client_id(text: &str) -> Checked {
    one_line(text, 512)
}

pub(super) fn client_secret(text: &str) -> Checked {
    one_line(text, 4096)
}

pub(super) fn claim(text: &str) -> Checked {
    one_line(text, 256)
}

pub(super) fn scope(text: &str) -> Checked {
    one_line(text, 256)?;
    if text.contains(|letter: char| letter.is_whitespace() || letter == '"' || letter == '\\') {
        return Err("must not contain blanks, quotes or backslashes in a scope".to_owned());
    }
    Ok(())
}

fn one_line(text: &str, max: usize) -> Checked {
    if text.is_empty() || text.chars().count() > max {
        return Err(format!("must have from 1 to {max} characters"));
    }
    if text.contains(char::is_control) {
        return Err("must not contain control characters".to_owned());
    }
    Ok(())
}

/// Checks the number of entries of a list or an object.
pub(super) fn length(count: usize) -> Checked {
    if count > MAX_ENTRIES {
        return Err(format!("must have at most {MAX_ENTRIES} entries"));
    }
    Ok(())
}

/// Checks a claim of the identity, and where it comes from.
pub(super) fn mapping(target: &str, source: &Value) -> Checked {
    if target.is_empty() || target.len() > 256 {
        return Err("must have names of 1 to 256 characters".to_owned());
    }
    if RESERVED_CLAIMS.contains(&target) {
        return Err(format!("must not set `{target}`"));
    }
    match source {
        Value::String(name) if name.is_empty() || name.len() > 256 => {
            Err(format!("must name a claim for `{target}`"))
        }
        Value::String(_) => Ok(()),
        // The same value for all users would make them one user.
        _ if ["sub", "email"].contains(&target) => {
            Err(format!("must name a claim for `{target}`, not a value"))
        }
        literal if literal.to_string().len() > MAX_LENGTH => {
            Err(format!("has a value for `{target}` that is too long"))
        }
        _ => Ok(()),
    }
}

/// Checks a parameter of the authorization request.
pub(super) fn parameter(name: &str, value: &Value) -> Checked<String> {
    if name.is_empty() || name.len() > 256 {
        return Err("must have names of 1 to 256 characters".to_owned());
    }
    if RESERVED_PARAMETERS.contains(&name) {
        return Err(format!("must not set `{name}`, which this server sets"));
    }
    match value {
        Value::String(text) if text.len() <= MAX_LENGTH => Ok(text.clone()),
        Value::String(_) => Err(format!("has a value for `{name}` that is too long")),
        _ => Err(format!("must have a text for `{name}`")),
    }
}

/// Checks the URL of an endpoint or an issuer.
pub(super) fn url(text: &str, origin: ProviderOrigin) -> Checked {
    if text.chars().count() > MAX_LENGTH {
        return Err(format!("must have at most {MAX_LENGTH} characters"));
    }
    let url = Url::parse(text).ok().filter(Url::has_host);
    let Some(url) = url.filter(|url| matches!(url.scheme(), "http" | "https")) else {
        return Err("must be a URL with https".to_owned());
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a user name or a password".to_owned());
    }
    if url.fragment().is_some() {
        return Err("must not have a fragment".to_owned());
    }
    let is_internal = url.host().is_some_and(|host| is_internal(&host));
    match origin {
        ProviderOrigin::Admin if is_internal => {
            Err("must not name a private or local address".to_owned())
        }
        ProviderOrigin::Admin if url.scheme() != "https" || !text.starts_with("https://") => {
            Err("must be a URL with https".to_owned())
        }
        ProviderOrigin::Settings if url.scheme() != "https" && !is_internal => Err(
            "must be a URL with https, unless its host is on this machine or in a private network"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}

/// Whether a host is this machine or one of a private network, as far as its name tells.
fn is_internal(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => !is_public(IpAddr::V4(*address)),
        Host::Ipv6(address) => !is_public(IpAddr::V6(*address)),
        Host::Domain(name) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            let ends = [".localhost", ".local", ".internal"];
            !name.contains('.') || ends.iter().any(|end| name.ends_with(end))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ProviderOrigin, identifier, mapping, parameter, scope, url};

    #[test]
    fn identifiers_have_a_prefix_and_few_characters() {
        for text in ["custom:a", "custom:my-sso", "custom:a:b", "custom:9"] {
            assert_eq!(identifier(text), Ok(()), "{text}");
        }
        assert!(identifier(&format!("custom:{}", "a".repeat(43))).is_ok());
        assert!(identifier(&format!("custom:{}", "a".repeat(44))).is_err());
        for text in [
            "custom:",
            "custom",
            "a",
            "Custom:a",
            "custom:A",
            "custom:a-",
            "custom:a_b",
            "custom:a b",
            "custom:ä",
            "custom:a\n",
            "github",
        ] {
            assert!(identifier(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_the_settings_name_private_addresses_and_http_there() {
        for (text, by_admin, by_settings) in [
            ("https://sso.example.com/realms/inn", true, true),
            ("https://8.8.8.8/", true, true),
            ("http://sso.example.com", false, false),
            ("https://127.0.0.1:8443", false, true),
            ("http://127.0.0.1:8080", false, true),
            ("https://[::1]/", false, true),
            ("https://[::ffff:10.0.0.1]/", false, true),
            ("https://10.1.2.3/", false, true),
            ("https://169.254.169.254/latest", false, true),
            ("https://0x7f.1/", false, true),
            ("https://localhost/", false, true),
            ("https://LOCALHOST./", false, true),
            ("http://keycloak:8080/realms/inn", false, true),
            ("https://a.internal/", false, true),
            ("https://printer.local./", false, true),
            ("HTTPS://sso.example.com", false, true),
            ("https://ada:secret@sso.example.com", false, false),
            ("https://sso.example.com/#a", false, false),
            ("ftp://sso.example.com", false, false),
            ("sso.example.com", false, false),
            ("https://", false, false),
            ("", false, false),
        ] {
            let is_ok = |origin| url(text, origin).is_ok();
            let found = (
                is_ok(ProviderOrigin::Admin),
                is_ok(ProviderOrigin::Settings),
            );
            assert_eq!(found, (by_admin, by_settings), "{text}");
        }
        let long = format!("https://sso.example.com/{}", "a".repeat(2048));
        assert!(url(&long, ProviderOrigin::Admin).is_err());
    }

    #[test]
    fn claims_that_decide_something_cannot_be_mapped() {
        for (target, source, is_ok) in [
            ("sub", json!("user_id"), true),
            ("name", json!("display"), true),
            ("team", json!(7), true),
            ("email", json!("mail"), true),
            ("email", json!(true), false),
            ("sub", json!(1), false),
            ("sub", json!(""), false),
            ("email_verified", json!("verified"), false),
            ("email_verified", json!(true), false),
            ("role", json!("role"), false),
            ("app_metadata", json!("app_metadata"), false),
            ("", json!("a"), false),
        ] {
            assert_eq!(mapping(target, &source).is_ok(), is_ok, "{target} {source}");
        }
    }

    #[test]
    fn parameters_of_this_server_cannot_be_replaced() {
        assert_eq!(parameter("prompt", &json!("login")), Ok("login".to_owned()));
        for (name, value) in [
            ("state", json!("a")),
            ("redirect_uri", json!("https://evil.example.com")),
            ("nonce", json!("a")),
            ("scope", json!("a")),
            ("prompt", json!(1)),
            ("prompt", json!("a".repeat(3000))),
            ("", json!("a")),
        ] {
            assert!(parameter(name, &value).is_err(), "{name}");
        }
        assert!(scope("a b").is_err() && scope("").is_err() && scope("read:user").is_ok());
    }
}
