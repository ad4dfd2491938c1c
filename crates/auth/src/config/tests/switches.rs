//! Switches of features that are not available yet.

use jiff::SignedDuration;

use super::{gotrue_with, std_faults, std_with};
use crate::config::PROVIDERS;

const SWITCHES: &[(&str, &str)] = &[
    ("SAML_ENABLED", "sign-in by SAML"),
    ("PASSKEY_ENABLED", "sign-in by passkey"),
    ("OAUTH_SERVER_ENABLED", "the OAuth server"),
    ("PROFILER_ENABLED", "the profiler"),
    ("EXTERNAL_WEB3_SOLANA_ENABLED", "sign-in by wallet"),
    ("MFA_WEB_AUTHN_ENROLL_ENABLED", "a second factor"),
    ("MFA_PHONE_ENROLL_ENABLED", "a second factor"),
];

#[test]
fn std_refuses_to_start_with_what_is_not_there() {
    for (name, what) in SWITCHES {
        let name = format!("AUTH_{name}");
        assert_eq!(
            std_faults(&[(&name, "true")]),
            [format!("{name}: {what} is not available yet")]
        );
        std_with(&[(&name, "false")]);
    }
}

#[test]
fn gotrue_starts_and_leaves_it_off() {
    for (name, what) in SWITCHES {
        let name = format!("GOTRUE_{name}");
        let config = gotrue_with(&[(&name, "true")]);
        assert_eq!(
            config.warnings,
            [format!("{name}: {what} is not available yet and stays off")]
        );
    }
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

#[test]
fn a_switch_that_is_neither_on_nor_off_is_reported_once() {
    assert_eq!(
        std_faults(&[("AUTH_EXTERNAL_GITHUB_ENABLED", "yes")]),
        ["AUTH_EXTERNAL_GITHUB_ENABLED: expected true or false, found `yes`"]
    );
}
