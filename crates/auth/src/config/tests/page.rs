//! The table of settings and the page made from it.

use std::collections::BTreeSet;
use std::path::Path;

use super::{STD, reader_of};
use crate::config::{Config, TABLE, settings_markdown};

#[test]
fn settings_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    let page = settings_markdown();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == page,
        "docs/settings.md differs from the table; \
         `UPDATE_DOCS=1 cargo test -p innkeeper-auth settings_page` rewrites it"
    );
}

#[test]
fn every_setting_of_the_table_is_read() {
    let mut reader = reader_of(&[STD]);
    Config::read(&mut reader).unwrap();
    assert_eq!(reader.never_asked(), [""; 0]);
}

#[test]
fn every_name_stands_for_one_setting() {
    let mut seen = BTreeSet::new();
    for setting in TABLE.iter().flat_map(|section| section.settings) {
        for name in std::iter::once(&setting.name).chain(setting.aliases) {
            assert!(seen.insert(*name), "{name} stands twice");
        }
        assert!(setting.doc.ends_with('.'), "{}", setting.name);
    }
}

/// The settings that the specification names.
const SPECIFIED: &str = "
    SITE_URL URI_ALLOW_LIST OPERATOR_TOKEN DISABLE_SIGNUP EXTERNAL_EMAIL_ENABLED
    EXTERNAL_PHONE_ENABLED RATE_LIMIT_HEADER RATE_LIMIT_EMAIL_SENT PASSWORD_MIN_LENGTH
    PASSWORD_REQUIRED_CHARACTERS SECURITY_REFRESH_TOKEN_ROTATION_ENABLED
    SECURITY_REFRESH_TOKEN_REUSE_INTERVAL API_HOST PORT API_PORT API_ENDPOINT API_EXTERNAL_URL
    REQUEST_ID_HEADER DB_DRIVER DATABASE_URL DB_DATABASE_URL DB_MAX_POOL_SIZE DB_NAMESPACE
    LOG_LEVEL LOG_FILE TRACING_ENABLED TRACING_EXPORTER METRICS_ENABLED METRICS_EXPORTER
    JWT_SECRET JWT_EXP JWT_AUD JWT_ADMIN_GROUP_NAME JWT_DEFAULT_GROUP_NAME JWT_ADMIN_ROLES
    SMTP_ADMIN_EMAIL SMTP_HOST SMTP_PORT SMTP_USER SMTP_PASS SMTP_MAX_FREQUENCY SMTP_SENDER_NAME
    MAILER_AUTOCONFIRM MAILER_OTP_EXP SMS_AUTOCONFIRM SMS_MAX_FREQUENCY SMS_OTP_EXP
    SMS_OTP_LENGTH SMS_PROVIDER SECURITY_CAPTCHA_ENABLED SECURITY_CAPTCHA_PROVIDER
    SECURITY_CAPTCHA_SECRET SECURITY_CAPTCHA_TIMEOUT
    SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION EXTERNAL_ANONYMOUS_USERS_ENABLED
    SECURITY_SB_FORWARDED_FOR_ENABLED SMS_TWILIO_ACCOUNT_SID SMS_TWILIO_AUTH_TOKEN
    SMS_TWILIO_MESSAGE_SERVICE_SID SMS_MESSAGEBIRD_ACCESS_KEY SMS_MESSAGEBIRD_ORIGINATOR
    OTEL_EXPORTER_PROMETHEUS_HOST OTEL_EXPORTER_PROMETHEUS_PORT DEBUG";

const PROVIDERS: &str = "
    APPLE AZURE BITBUCKET DISCORD FACEBOOK FIGMA GITHUB GITLAB GOOGLE KEYCLOAK LINKEDIN NOTION
    SNAPCHAT SPOTIFY SLACK TWITCH TWITTER WORKOS";

const MAILS: &str = "
    MAILER_SUBJECTS_INVITE MAILER_SUBJECTS_CONFIRMATION MAILER_SUBJECTS_RECOVERY
    MAILER_SUBJECTS_MAGIC_LINK MAILER_SUBJECTS_EMAIL_CHANGE MAILER_SUBJECTS_PASSWORD_CHANGED
    MAILER_SUBJECTS_EMAIL_CHANGED MAILER_SUBJECTS_MFA_FACTOR_ENROLLED
    MAILER_SUBJECTS_MFA_FACTOR_UNENROLLED MAILER_URLPATHS_INVITE MAILER_URLPATHS_CONFIRMATION
    MAILER_URLPATHS_RECOVERY MAILER_URLPATHS_EMAIL_CHANGE MAILER_TEMPLATES_INVITE
    MAILER_TEMPLATES_CONFIRMATION MAILER_TEMPLATES_RECOVERY MAILER_TEMPLATES_MAGIC_LINK
    MAILER_TEMPLATES_EMAIL_CHANGE MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED
    MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED MAILER_NOTIFICATIONS_PHONE_CHANGED_ENABLED
    MAILER_NOTIFICATIONS_IDENTITY_LINKED_ENABLED MAILER_NOTIFICATIONS_IDENTITY_UNLINKED_ENABLED
    MAILER_NOTIFICATIONS_MFA_FACTOR_ENROLLED_ENABLED
    MAILER_NOTIFICATIONS_MFA_FACTOR_UNENROLLED_ENABLED";

#[test]
fn every_setting_of_the_specification_is_known() {
    let mut names: Vec<String> = SPECIFIED
        .split_whitespace()
        .chain(MAILS.split_whitespace())
        .map(str::to_owned)
        .collect();
    for provider in PROVIDERS.split_whitespace() {
        for rest in ["ENABLED", "CLIENT_ID", "SECRET", "REDIRECT_URI", "URL"] {
            names.push(format!("EXTERNAL_{provider}_{rest}"));
        }
    }
    let variables = names
        .iter()
        .map(|name| (format!("AUTH_{name}"), "x".to_owned()));
    let reader = crate::config::reader().with_environment(variables);
    assert_eq!(reader.unknown_names(), [""; 0]);
}
