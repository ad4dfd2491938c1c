//! `WEBAUTHN_*` and `PASSKEY_*`.

use jiff::SignedDuration;

use super::{gotrue_with, std_faults, std_with};
use crate::config::FactorSwitches;

#[test]
fn passkeys_have_a_site_a_limit_and_a_time() {
    let config = std_with(&[]).webauthn;
    assert!(!config.passkeys_enabled && config.relying_party.is_none());
    assert_eq!(config.max_passkeys, 10);
    assert_eq!(config.challenge_expiry, SignedDuration::from_mins(5));
    let config = std_with(&[
        ("AUTH_PASSKEY_ENABLED", "true"),
        ("AUTH_PASSKEY_MAX_PASSKEYS_PER_USER", "3"),
        ("AUTH_WEBAUTHN_RP_ID", "Example.com"),
        (
            "AUTH_WEBAUTHN_RP_ORIGINS",
            "https://example.com, https://app.example.com:8443",
        ),
        ("AUTH_WEBAUTHN_CHALLENGE_EXPIRY_DURATION", "90s"),
    ]);
    assert_eq!(config.warnings, [""; 0]);
    let config = config.webauthn;
    assert!(config.passkeys_enabled);
    assert_eq!(config.max_passkeys, 3);
    assert_eq!(config.challenge_expiry, SignedDuration::from_secs(90));
    let party = config.relying_party.unwrap();
    assert_eq!(
        (party.id.as_str(), party.display_name.as_str()),
        ("example.com", "example.com")
    );
    let origins: Vec<&str> = party.origins.iter().map(url::Url::as_str).collect();
    assert_eq!(
        origins,
        ["https://example.com/", "https://app.example.com:8443/"]
    );
}

#[test]
fn passkeys_without_a_site_are_a_fault_in_std_and_off_in_gotrue() {
    let problem = "PASSKEY_ENABLED: needs WEBAUTHN_RP_ID and WEBAUTHN_RP_ORIGINS";
    let faults = std_faults(&[("AUTH_PASSKEY_ENABLED", "true")]);
    assert_eq!(faults, [format!("AUTH_{problem}")]);
    let config = gotrue_with(&[("GOTRUE_PASSKEY_ENABLED", "true")]);
    assert_eq!(config.warnings, [format!("GOTRUE_{problem}")]);
    assert!(!config.webauthn.passkeys_enabled);
}

/// The suite of the official client starts servers like this.
#[test]
fn security_keys_without_a_site_are_a_warning_in_both_profiles() {
    let std = std_with(&[
        ("AUTH_MFA_WEB_AUTHN_ENROLL_ENABLED", "true"),
        ("AUTH_MFA_WEB_AUTHN_VERIFY_ENABLED", "true"),
    ]);
    let gotrue = gotrue_with(&[
        ("GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED", "true"),
        ("GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED", "true"),
    ]);
    let problem = "has no effect without WEBAUTHN_RP_ID and WEBAUTHN_RP_ORIGINS: no security key can be verified";
    for (config, prefix) in [(std, "AUTH_"), (gotrue, "GOTRUE_")] {
        let warnings = ["ENROLL", "VERIFY"]
            .map(|word| format!("{prefix}MFA_WEB_AUTHN_{word}_ENABLED: {problem}"));
        assert_eq!(config.warnings, warnings);
        let switches = FactorSwitches {
            enroll: true,
            verify: true,
        };
        assert_eq!(config.mfa.webauthn, switches);
    }
}

#[test]
fn mistakes_in_the_site_are_named() {
    let site = |id, origins| {
        std_faults(&[
            ("AUTH_PASSKEY_ENABLED", "true"),
            ("AUTH_WEBAUTHN_RP_ID", id),
            ("AUTH_WEBAUTHN_RP_ORIGINS", origins),
        ])
    };
    for (id, origins, expected) in [
        (
            "https://example.com",
            "https://example.com",
            "AUTH_WEBAUTHN_RP_ID: must be a domain, without a scheme, a port or a path",
        ),
        (
            "example.com",
            "http://example.com",
            "AUTH_WEBAUTHN_RP_ORIGINS: `http://example.com` must be https:// and a host, or http:// and localhost",
        ),
        (
            "example.com",
            "https://example.org",
            "AUTH_WEBAUTHN_RP_ORIGINS: `https://example.org` is neither on WEBAUTHN_RP_ID, example.com, nor below it",
        ),
        (
            "example.com",
            "",
            "AUTH_WEBAUTHN_RP_ORIGINS: is required when WEBAUTHN_RP_ID is set",
        ),
        (
            "",
            "https://example.com",
            "AUTH_WEBAUTHN_RP_ID: is required when WEBAUTHN_RP_ORIGINS is set",
        ),
    ] {
        assert_eq!(site(id, origins), [expected]);
    }
    assert_eq!(
        std_faults(&[
            ("AUTH_PASSKEY_MAX_PASSKEYS_PER_USER", "0"),
            ("AUTH_WEBAUTHN_CHALLENGE_EXPIRY_DURATION", "2h"),
        ]),
        [
            "AUTH_PASSKEY_MAX_PASSKEYS_PER_USER: must be from 1 to 1000",
            "AUTH_WEBAUTHN_CHALLENGE_EXPIRY_DURATION: must be at most 1h",
        ]
    );
}

#[test]
fn pages_whose_origin_is_not_accepted_are_a_warning() {
    let pages = |external_url: &str, more: &[(&str, &str)]| {
        let mut settings = vec![
            ("AUTH_PAGES", "true"),
            ("AUTH_API_EXTERNAL_URL", external_url),
            ("AUTH_WEBAUTHN_RP_ID", "example.com"),
            ("AUTH_WEBAUTHN_RP_ORIGINS", "https://example.com"),
        ];
        settings.extend(more);
        std_with(&settings).warnings
    };
    let problem = "AUTH_WEBAUTHN_RP_ORIGINS: does not contain https://auth.example.com, the origin of API_EXTERNAL_URL: \
                   the account pages offer no passkeys and no security keys";
    let external_url = "https://auth.example.com/v1";
    for switch in ["AUTH_PASSKEY_ENABLED", "AUTH_MFA_WEB_AUTHN_VERIFY_ENABLED"] {
        assert_eq!(pages(external_url, &[(switch, "true")]), [problem]);
        assert_eq!(
            pages("https://example.com/v1", &[(switch, "true")]),
            [""; 0]
        );
    }
    // Nothing that the pages could offer is on, or there are none.
    assert_eq!(pages(external_url, &[]), [""; 0]);
    let without = [("AUTH_PASSKEY_ENABLED", "true"), ("AUTH_PAGES", "false")];
    assert_eq!(pages(external_url, &without), [""; 0]);
}
