//! Deprecated settings, and names with the old prefix.

use super::{gotrue_with, std_with};
use crate::config::{TABLE, deprecated};
use innkeeper_service::settings::Support;

#[test]
fn a_deprecated_setting_works_and_gives_a_notice() {
    let config = std_with(&[
        ("AUTH_JWT_DEFAULT_GROUP_NAME", "authenticated"),
        ("AUTH_JWT_ADMIN_GROUP_NAME", "root"),
        ("AUTH_OPERATOR_TOKEN", "hunter2"),
        ("AUTH_API_ENDPOINT", "x"),
    ]);
    assert_eq!(config.jwt.default_group_name, "authenticated");
    assert_eq!(config.jwt.admin_group_name, "root");
    let lines: Vec<&str> = config
        .notices
        .iter()
        .map(|notice| notice.split(" is deprecated since 0.1.0: ").next().unwrap())
        .collect();
    assert_eq!(
        lines,
        [
            "AUTH_JWT_ADMIN_GROUP_NAME",
            "AUTH_JWT_DEFAULT_GROUP_NAME",
            "AUTH_OPERATOR_TOKEN",
            "AUTH_API_ENDPOINT",
        ]
    );
}

#[test]
fn a_setting_works_as_long_as_its_notice_is_given() {
    for entry in deprecated::SETTINGS {
        for prefix in ["AUTH", "GOTRUE"] {
            let name = format!("{prefix}_{}", entry.name);
            let config = std_with(&[(&name, "keeper")]);
            assert_eq!(config.warnings, [""; 0], "{name} is known");
            let notice = format!(
                "{name} is deprecated since {}: {}",
                entry.since, entry.notice
            );
            assert!(config.notices.contains(&notice), "{:?}", config.notices);
        }
    }
    // Those that still have an effect keep it.
    let config = std_with(&[("AUTH_JWT_DEFAULT_GROUP_NAME", "guest")]);
    assert_eq!(config.jwt.default_group_name, "guest");
}

#[test]
fn settings_of_the_old_prefix_are_named_in_one_line() {
    let config = gotrue_with(&[("GOTRUE_UNHEARD_OF", "x")]);
    assert_eq!(
        config.notices,
        [
            "read under the old prefix: GOTRUE_JWT_SECRET, GOTRUE_SITE_URL, \
          GOTRUE_SMTP_ADMIN_EMAIL, GOTRUE_SMTP_HOST"
        ]
    );
    assert_eq!(config.warnings, [""; 0]);
}

#[test]
fn typing_mistakes_are_warned_about() {
    let config = std_with(&[
        ("AUTH_SITE_ULR", "x"),
        ("AUTH_EXTERNAL_GITHUBB_SECRET", "hunter2"),
    ]);
    assert_eq!(
        config.warnings,
        [
            "AUTH_EXTERNAL_GITHUBB_SECRET is not a setting; did you mean AUTH_EXTERNAL_GITHUB_SECRET?",
            "AUTH_SITE_ULR is not a setting; did you mean AUTH_SITE_URL?",
        ]
    );
}

#[test]
fn both_tables_agree_on_what_is_deprecated() {
    let mut marked: Vec<&str> = TABLE
        .iter()
        .flat_map(|section| section.settings)
        .filter(|setting| setting.support == Support::Deprecated)
        .map(|setting| setting.name)
        .collect();
    let mut listed: Vec<&str> = deprecated::SETTINGS
        .iter()
        .map(|entry| entry.name)
        .collect();
    marked.sort_unstable();
    listed.sort_unstable();
    assert_eq!(marked, listed);
    for name in listed {
        assert!(deprecated::setting(name).is_some());
    }
}

#[test]
fn the_old_endpoint_has_a_notice() {
    assert_eq!(
        deprecated::endpoint("/magiclink"),
        Some("use POST /otp with an email")
    );
    assert_eq!(deprecated::endpoint("/otp"), None);
    assert_eq!(deprecated::setting("SITE_URL"), None);
}

#[test]
fn the_versioning_page_lists_everything_that_is_deprecated() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/versioning.md");
    let page = std::fs::read_to_string(path).unwrap();
    let plain = page.replace('`', "");
    for (kind, table) in [
        ("setting", deprecated::SETTINGS),
        ("endpoint", deprecated::ENDPOINTS),
    ] {
        for entry in table {
            let line = format!(
                "| {kind} {} | {} | {} |",
                entry.name, entry.since, entry.notice
            );
            assert!(plain.contains(&line), "{line}");
        }
    }
}
