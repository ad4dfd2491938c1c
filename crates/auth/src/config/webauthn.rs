//! `WEBAUTHN_*` and `PASSKEY_*`: passkeys, and security keys as second factors.

use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;
use url::{Host, Url};

use super::checks::{positive, report, within};
use super::{MfaConfig, Profile};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "PASSKEY_ENABLED",
        Kind::Boolean,
        "Users can add passkeys and sign in with them; see `docs/auth/passkeys.md`. Needs `WEBAUTHN_RP_ID` and \
         `WEBAUTHN_RP_ORIGINS`.",
    )
    .default(&["false"]),
    Setting::new(
        "PASSKEY_MAX_PASSKEYS_PER_USER",
        Kind::Integer,
        "How many passkeys a user may have.",
    )
    .default(&["10"]),
    Setting::new(
        "WEBAUTHN_RP_ID",
        Kind::Text,
        "The domain that passkeys and security keys belong to, such as `example.com`. They are useless after it has \
         changed.",
    ),
    Setting::new(
        "WEBAUTHN_RP_DISPLAY_NAME",
        Kind::Text,
        "The name that browsers show for it, by default the domain.",
    ),
    Setting::new(
        "WEBAUTHN_RP_ORIGINS",
        Kind::List,
        "The origins of the pages that may use them, such as `https://example.com`: of the domain, or of one below \
         it.",
    ),
    Setting::new(
        "WEBAUTHN_CHALLENGE_EXPIRY_DURATION",
        Kind::Duration,
        "How long people have to answer when a passkey is requested, at most an hour.",
    )
    .default(&["5m"]),
];

/// The longest life of a challenge.
const LONGEST_CHALLENGE: SignedDuration = SignedDuration::from_hours(1);

/// `WEBAUTHN_*` and `PASSKEY_*` settings.
#[derive(Debug, Clone)]
pub struct WebauthnConfig {
    /// `WEBAUTHN_RP_*`; without it nobody can use passkeys and security keys.
    pub relying_party: Option<RelyingPartyConfig>,
    /// `WEBAUTHN_CHALLENGE_EXPIRY_DURATION`, default 5 min, at most an hour.
    pub challenge_expiry: SignedDuration,
    /// `PASSKEY_ENABLED`, if there is a relying party.
    pub passkeys_enabled: bool,
    /// `PASSKEY_MAX_PASSKEYS_PER_USER`, default 10.
    pub max_passkeys: usize,
}

/// The site that passkeys and security keys belong to.
#[derive(Debug, Clone)]
pub struct RelyingPartyConfig {
    /// `WEBAUTHN_RP_ID`: a domain.
    pub id: String,
    /// `WEBAUTHN_RP_DISPLAY_NAME`, by default the domain.
    pub display_name: String,
    /// `WEBAUTHN_RP_ORIGINS`: at least one.
    pub origins: Vec<Url>,
}

impl WebauthnConfig {
    pub(super) fn read(
        reader: &mut Reader,
        profile: Profile,
        mfa: &MfaConfig,
        external_url: Option<&Url>,
    ) -> Self {
        let relying_party = RelyingPartyConfig::read(reader, profile);
        let has_relying_party = relying_party.is_some();
        let has_mistake = !has_relying_party && is_mentioned(reader);
        let is_switched_on = reader.get("PASSKEY_ENABLED");
        if is_switched_on && !has_relying_party && !has_mistake {
            let problem = "needs WEBAUTHN_RP_ID and WEBAUTHN_RP_ORIGINS";
            report(reader, profile, "PASSKEY_ENABLED", problem);
        }
        let factors = [
            (mfa.webauthn.enroll, "MFA_WEB_AUTHN_ENROLL_ENABLED"),
            (mfa.webauthn.verify, "MFA_WEB_AUTHN_VERIFY_ENABLED"),
        ];
        for (is_on, name) in factors {
            if is_on && !has_relying_party {
                let problem = "has no effect without WEBAUTHN_RP_ID and WEBAUTHN_RP_ORIGINS: \
                               no security key can be verified";
                reader.warn(name, problem);
            }
        }
        let is_used = is_switched_on || mfa.webauthn.verify;
        if let (Some(party), Some(url), true) = (&relying_party, external_url, is_used) {
            party.check_pages(reader, url);
        }
        let limit: u32 = within(reader, profile, "PASSKEY_MAX_PASSKEYS_PER_USER", 1..=1000);
        Self {
            relying_party,
            challenge_expiry: read_expiry(reader, profile),
            passkeys_enabled: is_switched_on && has_relying_party,
            max_passkeys: usize::try_from(limit).unwrap_or(usize::MAX),
        }
    }
}

/// Whether a part of the relying party is set, so that a mistake in it was reported.
fn is_mentioned(reader: &mut Reader) -> bool {
    ["WEBAUTHN_RP_ID", "WEBAUTHN_RP_ORIGINS"]
        .iter()
        .any(|name| reader.is_set(name))
}

fn read_expiry(reader: &mut Reader, profile: Profile) -> SignedDuration {
    let name = "WEBAUTHN_CHALLENGE_EXPIRY_DURATION";
    let expiry = positive(reader, profile, name);
    if expiry > LONGEST_CHALLENGE {
        report(reader, profile, name, "must be at most 1h");
    }
    expiry.min(LONGEST_CHALLENGE)
}

impl RelyingPartyConfig {
    /// Returns the origin at which the pages of the server with this URL use passkeys and security keys, if it is
    /// accepted. Browsers offer them at names only, so the name of a loopback address is `localhost`.
    #[must_use]
    pub fn origin_of_pages(&self, external_url: &Url) -> Option<String> {
        let mut url = external_url.clone();
        let is_loopback = match url.host()? {
            Host::Domain(_) => false,
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        if is_loopback {
            url.set_host(Some("localhost")).ok()?;
        }
        let is_accepted = self.origins.iter().any(|it| it.origin() == url.origin());
        is_accepted.then(|| url.origin().ascii_serialization())
    }

    /// Warns if the account pages cannot use passkeys and security keys.
    fn check_pages(&self, reader: &mut Reader, external_url: &Url) {
        let has_pages: bool = reader.get("PAGES");
        if !has_pages || self.origin_of_pages(external_url).is_some() {
            return;
        }
        let origin = external_url.origin().ascii_serialization();
        let problem = format!(
            "does not contain {origin}, the origin of API_EXTERNAL_URL: the account pages offer no passkeys and no \
             security keys"
        );
        reader.warn("WEBAUTHN_RP_ORIGINS", &problem);
    }

    fn read(reader: &mut Reader, profile: Profile) -> Option<Self> {
        let (id_name, origins_name) = ("WEBAUTHN_RP_ID", "WEBAUTHN_RP_ORIGINS");
        let id: Option<String> = reader.optional(id_name);
        let texts: Vec<String> = reader.get(origins_name);
        let display_name: Option<String> = reader.optional("WEBAUTHN_RP_DISPLAY_NAME");
        let id = id.map(|id| id.trim().to_ascii_lowercase());
        match (&id, texts.is_empty()) {
            (None, true) => return None,
            (None, false) => {
                let problem = "is required when WEBAUTHN_RP_ORIGINS is set";
                report(reader, profile, id_name, problem);
                return None;
            }
            (Some(_), true) => {
                let problem = "is required when WEBAUTHN_RP_ID is set";
                report(reader, profile, origins_name, problem);
                return None;
            }
            (Some(_), false) => {}
        }
        let id = id?;
        if !is_domain(&id) {
            let problem = "must be a domain, without a scheme, a port or a path";
            report(reader, profile, id_name, problem);
            return None;
        }
        let mut origins = Vec::new();
        for text in texts {
            match parse_origin(&text, &id) {
                Ok(origin) => origins.push(origin),
                Err(problem) => report(reader, profile, origins_name, &problem),
            }
        }
        (!origins.is_empty()).then(|| Self {
            display_name: display_name.unwrap_or_else(|| id.clone()),
            id,
            origins,
        })
    }
}

fn is_domain(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.');
    let is_name = text.chars().all(is_plain) && !text.starts_with('.') && !text.ends_with('.');
    is_name && matches!(Host::parse(text), Ok(Host::Domain(_)))
}

/// Parses an origin of the domain. Apps for Android have an origin with a scheme of its own.
fn parse_origin(text: &str, domain: &str) -> Result<Url, String> {
    let text = text.trim();
    let origin = Url::parse(text).map_err(|_| format!("`{text}` is not an origin"))?;
    if origin.scheme() == "android" {
        return Ok(origin);
    }
    let is_bare = matches!(origin.path(), "" | "/") && origin.query().is_none();
    let host = origin.host_str().unwrap_or_default();
    let is_local = host == "localhost" || host.ends_with(".localhost");
    let is_secure = origin.scheme() == "https" || (origin.scheme() == "http" && is_local);
    if !is_bare || !is_secure {
        return Err(format!(
            "`{text}` must be https:// and a host, or http:// and localhost"
        ));
    }
    let below = host.strip_suffix(domain);
    if below.is_some_and(|rest| rest.is_empty() || rest.ends_with('.')) {
        return Ok(origin);
    }
    Err(format!(
        "`{text}` is neither on WEBAUTHN_RP_ID, {domain}, nor below it"
    ))
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::{RelyingPartyConfig, is_domain, parse_origin};

    #[test]
    fn pages_use_passkeys_at_an_accepted_origin() {
        let party = |origin: &str| RelyingPartyConfig {
            id: "example.com".to_owned(),
            display_name: String::new(),
            origins: vec![
                Url::parse("android:apk-key-hash:abc").unwrap(),
                Url::parse(origin).unwrap(),
            ],
        };
        let local = "http://localhost:8081";
        for (origin, external_url, expected) in [
            (
                "https://auth.example.com",
                "https://auth.example.com/v1",
                true,
            ),
            ("https://example.com", "https://auth.example.com", false),
            ("https://example.com", "https://example.com:8443", false),
            (local, "http://localhost:8081", true),
            (local, "http://127.0.0.1:8081", true),
            (local, "http://[::1]:8081", true),
            (local, "http://127.0.0.1:8082", false),
            (local, "http://10.0.0.1:8081", false),
        ] {
            let found = party(origin).origin_of_pages(&Url::parse(external_url).unwrap());
            let expected = expected.then_some(origin);
            assert_eq!(found.as_deref(), expected, "{external_url}");
        }
    }

    #[test]
    fn a_relying_party_is_a_domain() {
        for (text, expected) in [
            ("example.com", true),
            ("localhost", true),
            ("login.example.co.uk", true),
            ("https://example.com", false),
            ("example.com:443", false),
            ("example.com/", false),
            ("127.0.0.1", false),
            (".example.com", false),
            ("example.com.", false),
            ("", false),
        ] {
            assert_eq!(is_domain(text), expected, "{text}");
        }
    }

    #[test]
    fn origins_are_secure_and_on_the_domain() {
        for (text, domain, expected) in [
            ("https://example.com", "example.com", true),
            ("https://example.com:8443", "example.com", true),
            ("https://login.example.com/", "example.com", true),
            ("http://localhost:5173", "localhost", true),
            ("android:apk-key-hash:abc", "example.com", true),
            ("http://example.com", "example.com", false),
            ("https://badexample.com", "example.com", false),
            ("https://example.com", "login.example.com", false),
            ("https://example.com/path", "example.com", false),
            ("example.com", "example.com", false),
        ] {
            let parsed = parse_origin(text, domain);
            assert_eq!(parsed.is_ok(), expected, "{text} {parsed:?}");
        }
    }
}
