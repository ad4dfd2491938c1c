//! Custom providers, linking domains and Apple's keys.

use serde_json::json;

use super::{gotrue_with, std_faults, std_with};
use crate::config::CustomProtocol;

/// A complete provider of OpenID Connect.
const OIDC: &[(&str, &str)] = &[
    ("AUTH_EXTERNAL_CUSTOM_MY_SSO_PROVIDER_TYPE", "oidc"),
    ("AUTH_EXTERNAL_CUSTOM_MY_SSO_CLIENT_ID", "inn"),
    ("AUTH_EXTERNAL_CUSTOM_MY_SSO_CLIENT_SECRET", "hunter2"),
    (
        "AUTH_EXTERNAL_CUSTOM_MY_SSO_ISSUER",
        "https://sso.example.com",
    ),
];

fn with<'a>(changes: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut all = OIDC.to_vec();
    all.extend(changes);
    all
}

/// All further settings, and a provider of OAuth 2.
const MORE: &[(&str, &str)] = &[
    ("AUTH_EXTERNAL_CUSTOM_MY_SSO_PKCE_ENABLED", "false"),
    (
        "AUTH_EXTERNAL_CUSTOM_MY_SSO_SCOPES",
        "email, profile groups",
    ),
    (
        "AUTH_EXTERNAL_CUSTOM_MY_SSO_ACCEPTABLE_CLIENT_IDS",
        "ios,android",
    ),
    (
        "AUTH_EXTERNAL_CUSTOM_MY_SSO_ATTRIBUTE_MAPPING",
        r#"{"name":"display"}"#,
    ),
    (
        "AUTH_EXTERNAL_CUSTOM_MY_SSO_CUSTOM_CLAIMS_ALLOWLIST",
        "team",
    ),
    (
        "AUTH_EXTERNAL_CUSTOM_MY_SSO_AUTHORIZATION_PARAMS",
        r#"{"prompt":"login"}"#,
    ),
    ("AUTH_EXTERNAL_CUSTOM_MY_SSO_SKIP_NONCE_CHECK", "true"),
    ("AUTH_EXTERNAL_CUSTOM_MY_SSO_EMAIL_OPTIONAL", "true"),
    ("AUTH_EXTERNAL_CUSTOM_PLAIN_PROVIDER_TYPE", "oauth2"),
    ("AUTH_EXTERNAL_CUSTOM_PLAIN_CLIENT_ID", "inn"),
    ("AUTH_EXTERNAL_CUSTOM_PLAIN_CLIENT_SECRET", "hunter2"),
    ("AUTH_EXTERNAL_CUSTOM_PLAIN_ENABLED", "false"),
    ("AUTH_EXTERNAL_CUSTOM_PLAIN_NAME", "Plain & simple"),
    (
        "AUTH_EXTERNAL_CUSTOM_PLAIN_AUTHORIZATION_URL",
        "http://127.0.0.1:9000/authorize",
    ),
    (
        "AUTH_EXTERNAL_CUSTOM_PLAIN_TOKEN_URL",
        "http://keycloak:8080/token",
    ),
    (
        "AUTH_EXTERNAL_CUSTOM_PLAIN_USERINFO_URL",
        "https://me.example.com",
    ),
];

#[test]
fn a_custom_provider_is_its_settings() {
    let config = std_with(&with(MORE));
    assert_eq!(config.warnings, [""; 0]);
    let providers = &config.custom_oauth.providers;
    let names: Vec<&String> = providers.keys().collect();
    assert_eq!(names, ["custom:my-sso", "custom:plain"]);
    let sso = &providers["custom:my-sso"];
    assert_eq!(
        (sso.name.as_str(), sso.client_id.as_str()),
        ("my-sso", "inn")
    );
    assert_eq!(sso.client_secret.reveal(), "hunter2");
    assert_eq!(sso.scopes, ["email", "profile", "groups"]);
    assert_eq!(sso.acceptable_client_ids, ["ios", "android"]);
    assert_eq!(json!(sso.attribute_mapping), json!({ "name": "display" }));
    assert_eq!(sso.custom_claims_allowlist, ["team"]);
    assert_eq!(sso.authorization_params["prompt"], "login");
    assert!(sso.enabled && sso.email_optional && !sso.pkce_enabled);
    assert_eq!(
        sso.protocol,
        CustomProtocol::Oidc {
            issuer: "https://sso.example.com".to_owned(),
            discovery_url: None,
            skip_nonce_check: true,
        }
    );
    let plain = &providers["custom:plain"];
    assert_eq!(plain.name, "Plain & simple");
    assert!(!plain.enabled && plain.pkce_enabled && !plain.email_optional);
    assert!(!format!("{config:?}").contains("hunter2\""));
}

#[test]
fn all_that_is_wrong_with_a_custom_provider_is_reported_together() {
    assert_eq!(
        std_faults(&[
            ("AUTH_EXTERNAL_CUSTOM_A_ISSUER", "http://sso.example.com"),
            ("AUTH_EXTERNAL_CUSTOM_A_PROVIDER_TYPE", "oidc"),
            (
                "AUTH_EXTERNAL_CUSTOM_A_TOKEN_URL",
                "https://sso.example.com"
            ),
            ("AUTH_EXTERNAL_CUSTOM_A_CLIENT_SECRET", "a"),
            (
                "AUTH_EXTERNAL_CUSTOM_A_ATTRIBUTE_MAPPING",
                r#"{"role":"role"}"#
            ),
        ]),
        [
            "AUTH_EXTERNAL_CUSTOM_A_TOKEN_URL: is only for the type oauth2",
            "AUTH_EXTERNAL_CUSTOM_A_ISSUER: must be a URL with https, unless its host is on this machine or in a \
             private network",
            "AUTH_EXTERNAL_CUSTOM_A_CLIENT_ID: is required",
            "AUTH_EXTERNAL_CUSTOM_A_ATTRIBUTE_MAPPING: must not set `role`",
        ]
    );
    for (name, value, problem) in [
        (
            "PROVIDER_TYPE",
            "saml",
            "expected one of oidc, oauth2, found `saml`",
        ),
        (
            "ATTRIBUTE_MAPPING",
            "[]",
            "expected a JSON object, found `[]`",
        ),
        (
            "AUTHORIZATION_PARAMS",
            r#"{"a":1}"#,
            "must have a text for `a`",
        ),
        (
            "PKCE_ENABLED",
            "maybe",
            "expected true or false, found `maybe`",
        ),
    ] {
        let name = format!("AUTH_EXTERNAL_CUSTOM_MY_SSO_{name}");
        let faults = std_faults(&with(&[(&name, value)]));
        assert_eq!(faults, [format!("{name}: {problem}")]);
    }
}

#[test]
fn gotrue_starts_without_a_provider_that_is_wrong() {
    let config = gotrue_with(&[
        ("GOTRUE_EXTERNAL_CUSTOM_A_PROVIDER_TYPE", "oidc"),
        ("GOTRUE_EXTERNAL_CUSTOM_A_CLIENT_ID", "inn"),
        ("GOTRUE_EXTERNAL_CUSTOM_A_CLIENT_SECRET", "hunter2"),
    ]);
    assert!(config.custom_oauth.providers.is_empty());
    let expected = "AUTH_EXTERNAL_CUSTOM_A_ISSUER: is required";
    assert!(
        config.warnings.iter().any(|warning| warning == expected),
        "{:?}",
        config.warnings
    );
}

#[test]
fn a_member_that_does_not_exist_is_named() {
    let config = std_with(&with(&[("AUTH_EXTERNAL_CUSTOM_MY_SSO_CLIENTID", "a")]));
    let expected = "AUTH_EXTERNAL_CUSTOM_MY_SSO_CLIENTID is not a setting";
    assert_eq!(config.warnings, [expected]);
    assert_eq!(config.custom_oauth.providers.len(), 1);
}

#[test]
fn linking_domains_are_pairs_or_a_provider_each() {
    let config = std_with(&[
        (
            "AUTH_EXPERIMENTAL_PROVIDER_LINKING_DOMAINS",
            "Azure=work, custom:inn=work",
        ),
        (
            "AUTH_EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN",
            "gitlab",
        ),
    ]);
    let linking = &config.linking;
    for (provider, domain) in [
        ("azure", "work"),
        ("custom:inn", "work"),
        ("gitlab", "gitlab"),
        ("github", "default"),
        ("email", "default"),
        ("sso:1", "sso:1"),
    ] {
        assert_eq!(linking.domain_of(provider), domain, "{provider}");
        assert_eq!(linking.is_apart(provider), domain != "default");
    }
    for pairs in ["azure", "azure=", "=work", "email=work"] {
        let name = "AUTH_EXPERIMENTAL_PROVIDER_LINKING_DOMAINS";
        let faults = std_faults(&[(name, pairs)]);
        assert!(
            faults[0].starts_with(&format!("{name}: must ")),
            "{faults:?}"
        );
        let name = "GOTRUE_EXPERIMENTAL_PROVIDER_LINKING_DOMAINS";
        assert_eq!(gotrue_with(&[(name, pairs)]).linking.domains.len(), 0);
    }
}

#[test]
fn a_private_key_of_apple_needs_the_ids_of_team_and_key() {
    let key = "-----BEGIN PRIVATE KEY-----\\nMIGT\\n-----END PRIVATE KEY-----";
    let apple = [
        ("AUTH_EXTERNAL_APPLE_ENABLED", "true"),
        ("AUTH_EXTERNAL_APPLE_CLIENT_ID", "com.example.inn"),
        (
            "AUTH_EXTERNAL_APPLE_REDIRECT_URI",
            "https://auth.example.com/callback",
        ),
    ];
    let all = |changes: &[(&'static str, &'static str)]| [&apple, changes].concat();
    assert_eq!(
        std_faults(&all(&[("AUTH_EXTERNAL_APPLE_SECRET", key)])),
        [
            "AUTH_EXTERNAL_APPLE_TEAM_ID: is required when the secret is a private key",
            "AUTH_EXTERNAL_APPLE_KEY_ID: is required when the secret is a private key",
        ]
    );
    let ids = [
        ("AUTH_EXTERNAL_APPLE_TEAM_ID", "TEAM123456"),
        ("AUTH_EXTERNAL_APPLE_KEY_ID", "KEY1234567"),
    ];
    std_with(&[all(&[("AUTH_EXTERNAL_APPLE_SECRET", key)]), ids.to_vec()].concat());
    // A secret that was made of the key needs neither.
    std_with(&all(&[(
        "AUTH_EXTERNAL_APPLE_SECRET",
        "eyJhbGciOiJFUzI1NiJ9.e30.c2ln",
    )]));
    assert_eq!(
        std_faults(&[("AUTH_EXTERNAL_APPLE_TEAM_ID", "example.com")]),
        ["AUTH_EXTERNAL_APPLE_TEAM_ID: must be ten letters and digits"]
    );
}
