//! Switches, and settings of features that are not available yet.

use jiff::SignedDuration;

use super::{gotrue_with, std_faults, std_with};
use crate::config::{FactorSwitches, PROVIDERS};

const SWITCHES: &[(&str, &str)] = &[
    ("SAML_ENABLED", "sign-in by SAML"),
    ("OAUTH_SERVER_ENABLED", "the OAuth server"),
    ("PROFILER_ENABLED", "the profiler"),
    ("EXTERNAL_WEB3_SOLANA_ENABLED", "sign-in by wallet"),
];

/// Other settings of features that are not there.
const OTHERS: &[(&str, &str)] = &[
    ("SAML_PRIVATE_KEY", "sign-in by SAML"),
    ("RATE_LIMIT_SSO", "sign-in by SAML"),
    ("OAUTH_SERVER_DEFAULT_SCOPE", "the OAuth server"),
    (
        "RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER",
        "the OAuth server",
    ),
    (
        "EXTERNAL_WEB3_SOLANA_MAXIMUM_VALIDITY_DURATION",
        "sign-in by wallet",
    ),
    ("RATE_LIMIT_WEB3", "sign-in by wallet"),
];

/// Reads the settings of a profile with this change, which must be possible.
fn warnings_of(prefix: &str, name: &str, value: &str) -> Vec<String> {
    let name = format!("{prefix}{name}");
    let settings = [(name.as_str(), value)];
    let config = match prefix {
        "AUTH_" => std_with(&settings),
        _ => gotrue_with(&settings),
    };
    config.warnings
}

#[test]
fn a_switch_of_what_is_not_there_is_a_warning_in_both_profiles() {
    for (name, what) in SWITCHES {
        for prefix in ["AUTH_", "GOTRUE_"] {
            let warning = format!("{prefix}{name}: {what} is not available yet and stays off");
            // Not even a mistake stops the start.
            for value in ["true", "1", "perhaps"] {
                assert_eq!(warnings_of(prefix, name, value), [warning.as_str()]);
            }
            for value in ["false", ""] {
                assert_eq!(warnings_of(prefix, name, value), [""; 0]);
            }
        }
    }
}

#[test]
fn other_settings_of_what_is_not_there_are_warnings_too() {
    for (name, what) in OTHERS {
        for prefix in ["AUTH_", "GOTRUE_"] {
            let warning = format!("{prefix}{name}: has no effect: {what} is not available yet");
            for value in ["7", "anything"] {
                assert_eq!(warnings_of(prefix, name, value), [warning.as_str()]);
            }
        }
    }
    assert_eq!(std_with(&[]).warnings, [""; 0]);
}

#[test]
fn second_factors_have_switches_limits_and_times() {
    let switches = |enroll, verify| FactorSwitches { enroll, verify };
    let std = std_with(&[]).mfa;
    assert_eq!(std.totp, switches(true, true));
    assert_eq!(std.phone, switches(false, false));
    assert_eq!(std.recovery_codes, switches(true, true));
    assert!(!std.challenge_same_address);
    let gotrue = gotrue_with(&[]).mfa;
    assert_eq!(gotrue.totp, switches(true, true));
    assert_eq!(gotrue.recovery_codes, switches(false, false));
    assert!(gotrue.challenge_same_address);
    let config = std_with(&[
        ("AUTH_MFA_TOTP_ENROLL_ENABLED", "false"),
        ("AUTH_MFA_PHONE_ENROLL_ENABLED", "true"),
        ("AUTH_MFA_CHALLENGE_EXPIRY_DURATION", "600"),
        ("AUTH_MFA_FACTOR_EXPIRY_DURATION", "1h"),
        ("AUTH_MFA_MAX_ENROLLED_FACTORS", "3"),
        ("AUTH_MFA_MAX_VERIFIED_FACTORS", "2"),
        ("AUTH_SESSIONS_ALLOW_LOW_AAL", "15m"),
    ]);
    assert_eq!(config.mfa.totp, switches(false, true));
    assert_eq!(config.mfa.phone, switches(true, false));
    assert_eq!(config.mfa.challenge_expiry, SignedDuration::from_mins(10));
    assert_eq!(config.mfa.factor_expiry, SignedDuration::from_hours(1));
    assert_eq!((config.mfa.max_enrolled, config.mfa.max_verified), (3, 2));
    let quarter = Some(SignedDuration::from_mins(15));
    assert_eq!(config.sessions.allow_low_aal, quarter);
    assert_eq!(
        std_faults(&[
            ("AUTH_MFA_CHALLENGE_EXPIRY_DURATION", "299"),
            ("AUTH_MFA_MAX_ENROLLED_FACTORS", "0"),
            ("AUTH_MFA_PHONE_OTP_LENGTH", "5"),
            ("AUTH_MFA_PHONE_TEMPLATE", "{{ .Kode }}"),
        ])
        .len(),
        4
    );
}

#[test]
fn anonymous_users_have_a_switch_a_limit_and_a_retention() {
    let config = std_with(&[]);
    assert!(!config.external.anonymous_users_enabled);
    let month = SignedDuration::from_hours(720);
    assert_eq!(config.external.anonymous_users_retention, month);
    let std = std_with(&[
        ("AUTH_EXTERNAL_ANONYMOUS_USERS_ENABLED", "true"),
        ("AUTH_EXTERNAL_ANONYMOUS_USERS_RETENTION", "24h"),
        ("AUTH_RATE_LIMIT_ANONYMOUS_USERS", "0.5"),
    ]);
    let gotrue = gotrue_with(&[
        ("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED", "true"),
        ("GOTRUE_EXTERNAL_ANONYMOUS_USERS_RETENTION", "24h"),
        ("GOTRUE_RATE_LIMIT_ANONYMOUS_USERS", "0.5"),
    ]);
    for config in [std, gotrue] {
        assert!(config.external.anonymous_users_enabled);
        let day = SignedDuration::from_hours(24);
        assert_eq!(config.external.anonymous_users_retention, day);
        assert!((config.rate_limit.anonymous_users - 0.5).abs() < f64::EPSILON);
    }
    assert_eq!(
        std_faults(&[
            ("AUTH_EXTERNAL_ANONYMOUS_USERS_RETENTION", "0"),
            ("AUTH_RATE_LIMIT_ANONYMOUS_USERS", "0"),
        ]),
        [
            "AUTH_EXTERNAL_ANONYMOUS_USERS_RETENTION: must not be zero",
            "AUTH_RATE_LIMIT_ANONYMOUS_USERS: must be from 0.001 to 1000000000",
        ]
    );
}

#[test]
fn every_provider_is_listed_and_off() {
    let config = std_with(&[]);
    let names: Vec<&str> = config.external.providers.keys().copied().collect();
    assert_eq!(names, PROVIDERS);
    assert!(
        config
            .external
            .providers
            .values()
            .all(|provider| !provider.enabled)
    );
}

#[test]
fn an_enabled_provider_needs_its_settings() {
    assert_eq!(
        std_faults(&[("AUTH_EXTERNAL_KEYCLOAK_ENABLED", "true")]),
        [
            "AUTH_EXTERNAL_KEYCLOAK_CLIENT_ID: is required when the provider is enabled",
            "AUTH_EXTERNAL_KEYCLOAK_SECRET: is required when the provider is enabled",
            "AUTH_EXTERNAL_KEYCLOAK_REDIRECT_URI: is required when the provider is enabled",
            "AUTH_EXTERNAL_KEYCLOAK_URL: is required when the provider is enabled",
        ]
    );
    let config = gotrue_with(&[
        ("GOTRUE_EXTERNAL_LINKEDIN_OIDC_ENABLED", "true"),
        ("GOTRUE_EXTERNAL_LINKEDIN_OIDC_CLIENT_ID", "one,two"),
        ("GOTRUE_EXTERNAL_LINKEDIN_OIDC_SECRET", "hunter2"),
    ]);
    assert_eq!(
        config.warnings,
        ["AUTH_EXTERNAL_LINKEDIN_OIDC_REDIRECT_URI: is required when the provider is enabled"]
    );
    let provider = &config.external.providers["linkedin_oidc"];
    assert_eq!(provider.client_id, ["one", "two"]);
    assert!(provider.enabled);
}

/// The providers of the specification.
const SPECIFIED: [&str; 18] = [
    "apple",
    "azure",
    "bitbucket",
    "discord",
    "facebook",
    "figma",
    "github",
    "gitlab",
    "google",
    "keycloak",
    "linkedin",
    "notion",
    "snapchat",
    "spotify",
    "slack",
    "twitch",
    "twitter",
    "workos",
];

#[test]
fn each_provider_is_switched_on_and_set_up_by_settings_of_its_own() {
    for name in SPECIFIED {
        let prefix = format!("AUTH_EXTERNAL_{}", name.to_ascii_uppercase());
        let values = [
            ("ENABLED", "true"),
            ("CLIENT_ID", "inn"),
            ("SECRET", "hush"),
            ("REDIRECT_URI", "https://auth.example.com/callback"),
            ("URL", "https://sso.example.com"),
        ];
        let all = values.map(|(rest, value)| (format!("{prefix}_{rest}"), value));
        let settings: Vec<(&str, &str)> =
            all.iter().map(|(name, it)| (name.as_str(), *it)).collect();
        let config = std_with(&settings);
        assert_eq!(config.warnings, [""; 0], "{name}");
        for (other, provider) in &config.external.providers {
            assert_eq!(provider.enabled, *other == name, "{name}: {other}");
        }
        let provider = &config.external.providers[name];
        assert_eq!(provider.client_id, ["inn"], "{name}");
        let secret = provider
            .secret
            .as_ref()
            .map(|secret| secret.reveal().as_str());
        assert_eq!(secret, Some("hush"), "{name}");
        let texts = [provider.redirect_uri.as_deref(), provider.url.as_deref()];
        assert_eq!(texts, [Some(values[3].1), Some(values[4].1)], "{name}");
        // Each of these is required while the provider is on; only Keycloak needs a URL.
        for (rest, _) in &values[1..] {
            let full = format!("{prefix}_{rest}");
            let mut missing = settings.clone();
            missing.retain(|(name, _)| *name != full);
            if *rest == "URL" && name != "keycloak" {
                std_with(&missing);
                continue;
            }
            let problem = format!("{full}: is required when the provider is enabled");
            assert_eq!(std_faults(&missing), [problem]);
        }
    }
}

#[test]
fn a_switch_that_is_neither_on_nor_off_is_reported_once() {
    assert_eq!(
        std_faults(&[("AUTH_EXTERNAL_GITHUB_ENABLED", "yes")]),
        ["AUTH_EXTERNAL_GITHUB_ENABLED: expected true or false, found `yes`"]
    );
}
