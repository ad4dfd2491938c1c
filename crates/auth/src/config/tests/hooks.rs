//! Settings of hooks.

use super::{gotrue_with, std_faults, std_with};
use crate::config::{Config, HookKind, HookTarget};

const SECRET: &str = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn token_hook(uri: &'static str, secrets: &'static str) -> [(&'static str, &'static str); 3] {
    [
        ("AUTH_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED", "true"),
        ("AUTH_HOOK_CUSTOM_ACCESS_TOKEN_URI", uri),
        ("AUTH_HOOK_CUSTOM_ACCESS_TOKEN_SECRETS", secrets),
    ]
}

fn target(config: &Config) -> &HookTarget {
    &config.hooks.targets[&HookKind::CustomAccessToken]
}

#[test]
fn no_hook_is_on_by_itself() {
    let uri = (
        "AUTH_HOOK_SEND_EMAIL_URI",
        "pg-functions://postgres/public/send",
    );
    assert!(std_with(&[]).hooks.targets.is_empty());
    assert!(std_with(&[uri]).hooks.targets.is_empty());
}

#[test]
fn every_hook_can_be_a_function_in_both_profiles() {
    for kind in HookKind::ALL {
        for prefix in ["AUTH", "GOTRUE"] {
            let name = |rest: &str| format!("{prefix}_HOOK_{}_{rest}", kind.setting());
            let (enabled, uri) = (name("ENABLED"), name("URI"));
            let settings = [
                (enabled.as_str(), "true"),
                (uri.as_str(), "pg-functions://postgres/public/_hook2"),
            ];
            let config = match prefix {
                "AUTH" => std_with(&settings),
                _ => gotrue_with(&settings),
            };
            let expected = HookTarget::Function {
                schema: "public".to_owned(),
                name: "_hook2".to_owned(),
            };
            assert_eq!(config.hooks.targets[&kind], expected);
            let warned = config.warnings.iter().any(|line| line.contains("HOOK"));
            assert!(!warned, "{:?}", config.warnings);
        }
    }
}

#[test]
fn a_web_server_needs_encryption_unless_it_is_this_machine() {
    for uri in [
        "https://example.com/hook?tenant=7",
        "http://localhost:3000/hook",
        "http://127.0.0.1/hook",
        "http://[::1]:8080/hook",
        "http://host.docker.internal/hook",
    ] {
        let config = std_with(&token_hook(uri, SECRET));
        let HookTarget::Http { secrets, .. } = target(&config) else {
            panic!("{uri}");
        };
        assert_eq!(secrets.len(), 1);
        assert_eq!(secrets[0].reveal().len(), 24);
    }
    let name = "AUTH_HOOK_CUSTOM_ACCESS_TOKEN_URI";
    for (uri, problem) in [
        (
            "http://example.com/hook",
            "must start with https://, because it is not on this machine",
        ),
        (
            "http://127.0.0.1.example.com/hook",
            "must start with https://, because it is not on this machine",
        ),
        (
            "ftp://localhost/hook",
            "must start with https:// or pg-functions://",
        ),
        ("hooks", "expected a URL"),
    ] {
        let faults = std_faults(&token_hook(uri, SECRET));
        assert_eq!(faults, [format!("{name}: {problem}")], "{uri}");
    }
}

#[test]
fn the_name_of_a_function_is_a_plain_one() {
    let shape = "expected pg-functions://database/schema/function";
    let letters = "schema and function are up to 63 letters, digits and underscores, \
                   and do not start with a digit";
    for (uri, problem) in [
        ("pg-functions://postgres/public", shape),
        ("pg-functions://postgres/public/hook/more", shape),
        ("pg-functions://postgres/public/", letters),
        ("pg-functions://postgres/public/2hook", letters),
        ("pg-functions://postgres/public/ho\"ok", letters),
        ("pg-functions://postgres/pub-lic/hook", letters),
        ("pg-functions://postgres/public/hook();drop", letters),
    ] {
        assert_eq!(
            std_faults(&token_hook(uri, "")),
            [format!("AUTH_HOOK_CUSTOM_ACCESS_TOKEN_URI: {problem}")],
            "{uri}"
        );
    }
}

#[test]
fn secrets_are_checked_and_never_shown() {
    let uri = "https://example.com/hook";
    let unusable = "expected `v1,whsec_` and 24 to 64 bytes in Base64, `|` between several";
    let none = "needs at least one `v1,whsec_…` for a hook with a web address";
    for (secrets, problem) in [
        ("", none),
        ("|", none),
        (
            "v1a,whpk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA:whsk_AAAA",
            none,
        ),
        ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", unusable),
        ("v1,whsec_hunter2", unusable),
        ("v1,whsec_aHVudGVyMg==", unusable),
    ] {
        assert_eq!(
            std_faults(&token_hook(uri, secrets)),
            [format!("AUTH_HOOK_CUSTOM_ACCESS_TOKEN_SECRETS: {problem}")],
            "{secrets}"
        );
    }
    let two = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw|v1a,whpk_AA:whsk_AA\
               |v1,whsec_aWxpa2VzdXBhYmFzZXZlcnltdWNoYW5kaWhvcGV5b3Vkb3Rvbw==";
    let config = std_with(&token_hook(uri, two));
    assert!(matches!(target(&config), HookTarget::Http { secrets, .. } if secrets.len() == 2));
    let shown = format!("{config:?}");
    assert!(!shown.contains("whsec"), "{shown}");
}

#[test]
fn all_faults_of_hooks_are_told_at_once() {
    assert_eq!(
        std_faults(&[
            ("AUTH_HOOK_SEND_EMAIL_ENABLED", "true"),
            (
                "AUTH_HOOK_BEFORE_USER_CREATED_URI",
                "https://example.com/hook"
            ),
            ("AUTH_HOOK_SEND_SMS_ENABLED", "perhaps"),
        ]),
        [
            "AUTH_HOOK_SEND_EMAIL_URI: is required when the hook is enabled",
            "AUTH_HOOK_SEND_SMS_ENABLED: expected true or false, found `perhaps`",
            "AUTH_HOOK_BEFORE_USER_CREATED_SECRETS: \
             needs at least one `v1,whsec_…` for a hook with a web address",
        ]
    );
}

#[test]
fn a_hook_that_sends_mail_needs_no_mail_server() {
    let settings = [
        ("AUTH_SMTP_ADMIN_EMAIL", ""),
        ("AUTH_SMTP_HOST", ""),
        ("AUTH_SMTP_PORT", ""),
        ("AUTH_HOOK_SEND_EMAIL_ENABLED", "true"),
        (
            "AUTH_HOOK_SEND_EMAIL_URI",
            "pg-functions://postgres/public/send",
        ),
    ];
    let config = std_with(&settings);
    assert!(!config.smtp.is_complete());
    assert!(config.hooks.is_on(HookKind::SendEmail));
}
