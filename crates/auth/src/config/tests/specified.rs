//! The settings that the specification lists: what applies when one is not set, and where a value goes.

use innkeeper_service::secret::Secret;

use super::{reader_of, std_with};
use crate::config::{Config, MessageKind};

/// Returns the part of the configuration that a setting is about.
type Part = fn(&Config) -> String;

fn shown<T: ToString>(value: Option<&T>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

fn revealed(value: Option<&Secret<String>>) -> String {
    shown(value.map(Secret::reveal))
}

/// A setting, a value for it, its part, and the part without and with that value.
type Case = (&'static str, &'static str, Part, &'static str, &'static str);

const SERVER: &[Case] = &[
    (
        "SITE_URL",
        "https://inn.example/home",
        |c| c.site_url.to_string(),
        "https://example.com/",
        "https://inn.example/home",
    ),
    (
        "URI_ALLOW_LIST",
        "https://a.example,https://*.b.example/**",
        |c| c.uri_allow_list.join(" "),
        "",
        "https://a.example https://*.b.example/**",
    ),
    (
        "DISABLE_SIGNUP",
        "true",
        |c| c.disable_signup.to_string(),
        "false",
        "true",
    ),
    (
        "API_HOST",
        "inn.example",
        |c| c.api.host.clone(),
        "",
        "inn.example",
    ),
    ("PORT", "9000", |c| c.api.port.to_string(), "8081", "9000"),
    (
        "API_PORT",
        "9001",
        |c| c.api.port.to_string(),
        "8081",
        "9001",
    ),
    (
        "API_EXTERNAL_URL",
        "https://inn.example/auth",
        |c| c.api.external_url.to_string(),
        "https://auth.example.com/",
        "https://inn.example/auth",
    ),
    (
        "REQUEST_ID_HEADER",
        "X-Trace",
        |c| shown(c.api.request_id_header.as_ref()),
        "",
        "x-trace",
    ),
    (
        "DATABASE_URL",
        "postgres://inn@db.example/inn",
        |c| c.database.url.reveal().clone(),
        "postgres://user:hunter2@localhost/auth",
        "postgres://inn@db.example/inn",
    ),
    (
        "DB_MAX_POOL_SIZE",
        "20",
        |c| c.database.max_pool_size.to_string(),
        "0",
        "20",
    ),
    (
        "DB_NAMESPACE",
        "inn",
        |c| c.database.namespace.clone(),
        "auth",
        "inn",
    ),
    (
        "LOG_LEVEL",
        "debug",
        |c| format!("{:?}", c.telemetry.log_level),
        "Info",
        "Debug",
    ),
    (
        "LOG_FILE",
        "/var/log/inn.log",
        |c| {
            shown(
                c.telemetry
                    .log_file
                    .as_ref()
                    .map(|path| path.display())
                    .as_ref(),
            )
        },
        "",
        "/var/log/inn.log",
    ),
    (
        "TRACING_ENABLED",
        "true",
        |c| c.telemetry.tracing_enabled.to_string(),
        "false",
        "true",
    ),
    (
        "METRICS_ENABLED",
        "true",
        |c| c.telemetry.metrics_enabled.to_string(),
        "false",
        "true",
    ),
    (
        "METRICS_EXPORTER",
        "prometheus",
        |c| format!("{:?}", c.telemetry.metrics_exporter),
        "Opentelemetry",
        "Prometheus",
    ),
    (
        "OTEL_EXPORTER_PROMETHEUS_HOST",
        "127.0.0.1",
        |c| c.telemetry.prometheus_host.clone(),
        "0.0.0.0",
        "127.0.0.1",
    ),
    (
        "OTEL_EXPORTER_PROMETHEUS_PORT",
        "9200",
        |c| c.telemetry.prometheus_port.to_string(),
        "9100",
        "9200",
    ),
    (
        "DEBUG",
        "true",
        |c| c.telemetry.debug.to_string(),
        "false",
        "true",
    ),
];

const SIGN_IN: &[Case] = &[
    (
        "JWT_SECRET",
        "fedcba9876543210fedcba9876543210",
        |c| c.jwt.secret.reveal().clone(),
        "0123456789abcdef0123456789abcdef",
        "fedcba9876543210fedcba9876543210",
    ),
    (
        "JWT_EXP",
        "60",
        |c| c.jwt.exp.as_secs().to_string(),
        "3600",
        "60",
    ),
    ("JWT_AUD", "guests", |c| c.jwt.aud.clone(), "", "guests"),
    (
        "JWT_ADMIN_GROUP_NAME",
        "root",
        |c| c.jwt.admin_group_name.clone(),
        "admin",
        "root",
    ),
    (
        "JWT_DEFAULT_GROUP_NAME",
        "guest",
        |c| c.jwt.default_group_name.clone(),
        "authenticated",
        "guest",
    ),
    (
        "JWT_ADMIN_ROLES",
        "keeper, warden",
        |c| c.jwt.admin_roles.join(" "),
        "service_role supabase_admin",
        "keeper warden",
    ),
    (
        "PASSWORD_MIN_LENGTH",
        "12",
        |c| c.password.min_length.to_string(),
        "6",
        "12",
    ),
    (
        "PASSWORD_REQUIRED_CHARACTERS",
        r"abc:0\:1",
        |c| c.password.required_characters.join(" "),
        "",
        "abc 0:1",
    ),
    (
        "SECURITY_REFRESH_TOKEN_ROTATION_ENABLED",
        "false",
        |c| c.security.refresh_token_rotation_enabled.to_string(),
        "true",
        "false",
    ),
    (
        "SECURITY_REFRESH_TOKEN_REUSE_INTERVAL",
        "25",
        |c| {
            c.security
                .refresh_token_reuse_interval
                .as_secs()
                .to_string()
        },
        "10",
        "25",
    ),
    (
        "SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
        "true",
        |c| {
            c.security
                .update_password_require_reauthentication
                .to_string()
        },
        "false",
        "true",
    ),
    (
        "SECURITY_CAPTCHA_PROVIDER",
        "Turnstile",
        |c| format!("{:?}", c.security.captcha.provider),
        "Hcaptcha",
        "Turnstile",
    ),
    (
        "SECURITY_CAPTCHA_SECRET",
        "hush",
        |c| revealed(c.security.captcha.secret.as_ref()),
        "",
        "hush",
    ),
    (
        "SECURITY_CAPTCHA_TIMEOUT",
        "3",
        |c| c.security.captcha.timeout.as_secs().to_string(),
        "10",
        "3",
    ),
    (
        "SECURITY_SB_FORWARDED_FOR_ENABLED",
        "true",
        |c| shown(c.security.forwarded_for.as_ref()),
        "",
        "sb-forwarded-for",
    ),
    (
        "RATE_LIMIT_HEADER",
        "X-Client",
        |c| shown(c.rate_limit.header.as_ref()),
        "",
        "x-client",
    ),
    (
        "RATE_LIMIT_EMAIL_SENT",
        "7",
        |c| format!("{:?}", c.rate_limit.email_sent),
        "PerHour(30)",
        "PerHour(7)",
    ),
    (
        "EXTERNAL_EMAIL_ENABLED",
        "false",
        |c| c.external.email_enabled.to_string(),
        "true",
        "false",
    ),
    (
        "EXTERNAL_ANONYMOUS_USERS_ENABLED",
        "true",
        |c| c.external.anonymous_users_enabled.to_string(),
        "false",
        "true",
    ),
];

const MESSAGES: &[Case] = &[
    (
        "SMTP_ADMIN_EMAIL",
        "inn@example.org",
        |c| c.smtp.admin_email.clone(),
        "admin@example.com",
        "inn@example.org",
    ),
    (
        "SMTP_HOST",
        "smtp.inn.example",
        |c| c.smtp.host.clone(),
        "mail.example.com",
        "smtp.inn.example",
    ),
    ("SMTP_PORT", "587", |c| c.smtp.port.to_string(), "25", "587"),
    (
        "SMTP_USER",
        "ada",
        |c| shown(c.smtp.user.as_ref()),
        "",
        "ada",
    ),
    (
        "SMTP_PASS",
        "hush",
        |c| revealed(c.smtp.pass.as_ref()),
        "",
        "hush",
    ),
    (
        "SMTP_MAX_FREQUENCY",
        "5",
        |c| {
            c.mail_interval(MessageKind::Confirmation)
                .as_secs()
                .to_string()
        },
        "900",
        "5",
    ),
    (
        "SMTP_SENDER_NAME",
        "Inn",
        |c| c.smtp.sender_name.clone(),
        "admin@example.com",
        "Inn",
    ),
    (
        "MAILER_AUTOCONFIRM",
        "true",
        |c| c.mailer.autoconfirm.to_string(),
        "false",
        "true",
    ),
    (
        "MAILER_OTP_EXP",
        "600",
        |c| c.mailer.otp_exp.as_secs().to_string(),
        "3600",
        "600",
    ),
    (
        "SMS_AUTOCONFIRM",
        "true",
        |c| c.sms.autoconfirm.to_string(),
        "false",
        "true",
    ),
    (
        "SMS_MAX_FREQUENCY",
        "30",
        |c| c.sms.max_frequency.as_secs().to_string(),
        "60",
        "30",
    ),
    (
        "SMS_OTP_EXP",
        "90",
        |c| c.sms.otp_exp.as_secs().to_string(),
        "60",
        "90",
    ),
    (
        "SMS_OTP_LENGTH",
        "8",
        |c| c.sms.otp_length.to_string(),
        "6",
        "8",
    ),
    (
        "SMS_PROVIDER",
        "vonage",
        |c| c.sms.provider.clone(),
        "",
        "vonage",
    ),
    (
        "SMS_TWILIO_ACCOUNT_SID",
        "sid",
        |c| shown(c.sms.twilio.account_sid.as_ref()),
        "",
        "sid",
    ),
    (
        "SMS_TWILIO_AUTH_TOKEN",
        "token",
        |c| revealed(c.sms.twilio.auth_token.as_ref()),
        "",
        "token",
    ),
    (
        "SMS_TWILIO_MESSAGE_SERVICE_SID",
        "service",
        |c| shown(c.sms.twilio.message_service_sid.as_ref()),
        "",
        "service",
    ),
    (
        "SMS_MESSAGEBIRD_ACCESS_KEY",
        "key",
        |c| revealed(c.sms.messagebird.access_key.as_ref()),
        "",
        "key",
    ),
    (
        "SMS_MESSAGEBIRD_ORIGINATOR",
        "Inn",
        |c| shown(c.sms.messagebird.originator.as_ref()),
        "",
        "Inn",
    ),
];

#[test]
fn a_setting_has_its_default_until_it_is_set_and_then_its_value() {
    let unset = std_with(&[]);
    for (name, value, part, without, with) in [SERVER, SIGN_IN, MESSAGES].concat() {
        assert_eq!(part(&unset), without, "{name} is not set");
        let config = std_with(&[(&format!("AUTH_{name}"), value)]);
        assert_eq!(part(&config), with, "{name}={value}");
    }
}

#[test]
fn the_connection_string_is_read_under_all_its_names() {
    for name in [
        "AUTH_DATABASE_URL",
        "AUTH_DB_DATABASE_URL",
        "GOTRUE_DATABASE_URL",
        "GOTRUE_DB_DATABASE_URL",
        "DATABASE_URL",
    ] {
        let mut settings = super::STD.to_vec();
        settings.retain(|(known, _)| *known != "AUTH_DATABASE_URL");
        settings.push((name, "postgres://inn@db.example/inn"));
        let config = Config::read(&mut reader_of(&[&settings])).unwrap();
        assert_eq!(
            config.database.url.reveal(),
            "postgres://inn@db.example/inn",
            "{name}"
        );
    }
}
