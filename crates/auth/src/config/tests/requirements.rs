//! Required settings and refused values.

use super::{GOTRUE, STD, faults_of, gotrue_faults, gotrue_with, std_faults, std_with};
use crate::config::{Config, Profile, SmtpTls, reader};

fn without<'a>(settings: &[(&'a str, &'a str)], missing: &[&str]) -> Vec<(&'a str, &'a str)> {
    let mut settings = settings.to_vec();
    settings.retain(|(name, _)| !missing.contains(name));
    settings
}

#[test]
fn everything_that_is_missing_is_reported_at_once() {
    assert_eq!(
        faults_of(&[]),
        [
            "AUTH_SITE_URL: is required",
            "AUTH_API_EXTERNAL_URL: is required",
            "AUTH_JWT_SECRET: is required",
            "AUTH_DATABASE_URL: is required",
            "AUTH_SMTP_ADMIN_EMAIL: is required with email",
            "AUTH_SMTP_HOST: is required with email",
            "AUTH_SMTP_PORT: is required with email",
        ]
    );
    assert_eq!(
        faults_of(&[&[("GOTRUE_DISABLE_SIGNUP", "true")]]),
        [
            "AUTH_SITE_URL: is required",
            "AUTH_API_EXTERNAL_URL: is required",
            "AUTH_JWT_SECRET: is required",
            "AUTH_DATABASE_URL: is required",
        ]
    );
}

#[test]
fn mail_settings_are_required_only_with_email() {
    let bare = without(
        STD,
        &["AUTH_SMTP_ADMIN_EMAIL", "AUTH_SMTP_HOST", "AUTH_SMTP_PORT"],
    );
    let off = ("AUTH_EXTERNAL_EMAIL_ENABLED", "false");
    let config = Config::read(&mut super::reader_of(&[&bare, &[off]])).unwrap();
    assert!(!config.external.email_enabled && !config.smtp.is_complete());
}

#[test]
fn each_mail_setting_is_required_while_email_is_on() {
    for name in ["SMTP_ADMIN_EMAIL", "SMTP_HOST", "SMTP_PORT"] {
        let full = format!("AUTH_{name}");
        let bare = without(STD, &[&full]);
        let expected = format!("{full}: is required with email");
        assert_eq!(faults_of(&[&bare]), [expected.as_str()]);
        let on = ("AUTH_EXTERNAL_EMAIL_ENABLED", "true");
        assert_eq!(faults_of(&[&bare, &[on]]), [expected.as_str()]);
        let off = ("AUTH_EXTERNAL_EMAIL_ENABLED", "false");
        Config::read(&mut super::reader_of(&[&bare, &[off]])).unwrap();
    }
}

#[test]
fn gotrue_starts_without_a_mail_server_and_warns() {
    let bare = without(GOTRUE, &["GOTRUE_SMTP_ADMIN_EMAIL", "GOTRUE_SMTP_HOST"]);
    let config = Config::read(&mut super::reader_of(&[&bare])).unwrap();
    assert_eq!(
        config.warnings,
        [
            "AUTH_SMTP_ADMIN_EMAIL: is required with email",
            "AUTH_SMTP_HOST: is required with email",
        ]
    );
    assert!(!config.smtp.is_complete());
}

#[test]
fn only_postgres_is_a_driver() {
    for driver in ["postgres", "postgresql", ""] {
        std_with(&[("AUTH_DB_DRIVER", driver)]);
    }
    assert_eq!(
        std_faults(&[("AUTH_DB_DRIVER", "mysql")]),
        ["AUTH_DB_DRIVER: only `postgres` is supported, found `mysql`"]
    );
    assert_eq!(
        gotrue_faults(&[("GOTRUE_DB_DRIVER", "sqlite3")]),
        ["GOTRUE_DB_DRIVER: only `postgres` is supported, found `sqlite3`"]
    );
    assert_eq!(
        gotrue_faults(&[("DATABASE_URL", "mysql://user:hunter2@localhost/auth")]),
        ["DATABASE_URL: must start with postgres:// or postgresql://"]
    );
    gotrue_with(&[("DATABASE_URL", "host=localhost dbname=auth")]);
}

const SHORT_SECRET: &str = "AUTH_JWT_SECRET: is shorter than 32 bytes and can be guessed; set a longer one, such as \
     `openssl rand -base64 32` prints, or AUTH_PROFILE=gotrue, which starts with this one";

#[test]
fn a_short_secret_is_a_fault_in_std_and_a_warning_in_gotrue() {
    let short = "0123456789abcdef0123456789abcde";
    assert_eq!(std_faults(&[("AUTH_JWT_SECRET", short)]), [SHORT_SECRET]);
    // The advice is good.
    let config = std_with(&[("AUTH_JWT_SECRET", short), ("AUTH_PROFILE", "gotrue")]);
    assert_eq!(config.jwt.secret.reveal(), short);
    let config = gotrue_with(&[("GOTRUE_JWT_SECRET", short)]);
    assert_eq!(
        config.warnings,
        ["GOTRUE_JWT_SECRET: is shorter than 32 bytes and can be guessed"]
    );
}

#[test]
fn a_published_secret_is_refused_where_others_reach_the_server() {
    let sample = "your-super-secret-jwt-token-with-at-least-32-characters-long";
    let problem = "is a published example, with which anybody can sign tokens; generate one with \
                   `openssl rand -hex 32`";
    let local = ("AUTH_API_EXTERNAL_URL", "http://localhost:8081");
    let loopback = ("AUTH_API_HOST", "127.0.0.1");
    let secret = ("AUTH_JWT_SECRET", sample);
    std_with(&[secret, local, loopback]);
    let expected = [format!("AUTH_JWT_SECRET: {problem}")];
    for reachable in [
        &[secret, loopback][..],
        &[secret, local],
        &[secret, local, ("AUTH_API_HOST", "0.0.0.0")],
    ] {
        assert_eq!(std_faults(reachable), expected, "{reachable:?}");
    }

    let secret = ("GOTRUE_JWT_SECRET", sample);
    let expected = [format!("GOTRUE_JWT_SECRET: {problem}")];
    assert_eq!(gotrue_faults(&[secret]), expected);
    let config = gotrue_with(&[secret, ("API_EXTERNAL_URL", "http://localhost:9999")]);
    assert_eq!(config.warnings, expected);
}

#[test]
fn addresses_of_the_server_must_be_web_addresses() {
    assert_eq!(
        std_faults(&[("AUTH_API_EXTERNAL_URL", "auth.example.com")]),
        ["AUTH_API_EXTERNAL_URL: expected an absolute URL, found `auth.example.com`"]
    );
    assert_eq!(
        std_faults(&[("AUTH_API_EXTERNAL_URL", "ftp://auth.example.com")]),
        ["AUTH_API_EXTERNAL_URL: must start with http:// or https://"]
    );
    // A site may also be a mobile app.
    let config = std_with(&[("AUTH_SITE_URL", "com.example.app://home")]);
    assert_eq!(config.site_url.scheme(), "com.example.app");
}

#[test]
fn numbers_out_of_bounds_are_faults_in_std_and_replaced_in_gotrue() {
    assert_eq!(
        std_faults(&[
            ("AUTH_MAILER_OTP_LENGTH", "5"),
            ("AUTH_SMS_OTP_LENGTH", "11"),
            ("AUTH_PASSWORD_MIN_LENGTH", "3"),
            ("AUTH_JWT_EXP", "0"),
            ("AUTH_MAILER_OTP_EXP", "0"),
        ]),
        [
            "AUTH_MAILER_OTP_EXP: must not be zero",
            "AUTH_MAILER_OTP_LENGTH: must be from 6 to 10",
            "AUTH_JWT_EXP: must not be zero",
            "AUTH_SMS_OTP_LENGTH: must be from 6 to 10",
            "AUTH_PASSWORD_MIN_LENGTH: must be from 6 to 1024; remove the setting for 6, or set \
             AUTH_PROFILE=gotrue, which starts and uses 6",
        ]
    );
    let config = gotrue_with(&[
        ("GOTRUE_MAILER_OTP_LENGTH", "4"),
        ("GOTRUE_PASSWORD_MIN_LENGTH", "0"),
        ("GOTRUE_MAILER_OTP_EXP", "0"),
    ]);
    assert_eq!(config.mailer.otp_length, 6);
    assert_eq!(config.password.min_length, 6);
    assert_eq!(config.mailer.otp_exp.as_secs(), 86400);
    assert_eq!(
        config.warnings,
        [
            "GOTRUE_MAILER_OTP_EXP: must not be zero; 86400 is used instead",
            "GOTRUE_MAILER_OTP_LENGTH: must be from 6 to 10; 6 is used instead",
            "GOTRUE_PASSWORD_MIN_LENGTH: must be from 6 to 1024; 6 is used instead",
        ]
    );
}

#[test]
fn a_single_connection_is_too_few() {
    let problem =
        "must be 0 or at least 2: one connection for transactions, one for all other statements";
    assert_eq!(
        std_faults(&[("AUTH_DB_MAX_POOL_SIZE", "1")]),
        [format!("AUTH_DB_MAX_POOL_SIZE: {problem}")]
    );
    let config = gotrue_with(&[("GOTRUE_DB_MAX_POOL_SIZE", "1")]);
    assert_eq!(config.database.max_pool_size, 2);
    assert_eq!(
        config.warnings,
        [format!(
            "GOTRUE_DB_MAX_POOL_SIZE: {problem}; 2 is used instead"
        )]
    );
    for limit in ["0", "2"] {
        let config = std_with(&[("AUTH_DB_MAX_POOL_SIZE", limit)]);
        assert_eq!(config.database.max_pool_size.to_string(), limit);
    }
}

#[test]
fn seconds_are_plain_numbers() {
    assert_eq!(
        std_faults(&[("AUTH_JWT_EXP", "1h"), ("AUTH_SESSIONS_TIMEBOX", "24")]),
        [
            "AUTH_JWT_EXP: expected a whole number of seconds, found `1h`",
            "AUTH_SESSIONS_TIMEBOX: expected a duration such as `90s` or `1h30m`, found `24`",
        ]
    );
}

#[test]
fn line_breaks_cannot_enter_a_header() {
    let faults = std_faults(&[
        ("AUTH_SMTP_SENDER_NAME", "Ada\r\nBcc: all@example.com"),
        ("AUTH_MAILER_SUBJECTS_INVITE", "Hi\nthere"),
        (
            "AUTH_SMTP_HEADERS",
            "{\"X-A\": [\"b\\r\\nBcc: all@example.com\"]}",
        ),
        ("AUTH_CORS_ALLOWED_HEADERS", "X-Good,X Bad"),
        ("AUTH_REQUEST_ID_HEADER", "X Bad"),
        ("AUTH_PASSWORD_HIBP_USER_AGENT", "a\nb"),
    ]);
    let names: Vec<&str> = faults.iter().filter_map(|f| f.split(':').next()).collect();
    assert_eq!(
        names,
        [
            "AUTH_REQUEST_ID_HEADER",
            "AUTH_MAILER_SUBJECTS_INVITE",
            "AUTH_CORS_ALLOWED_HEADERS",
            "AUTH_SMTP_SENDER_NAME",
            "AUTH_SMTP_HEADERS",
            "AUTH_PASSWORD_HIBP_USER_AGENT",
        ]
    );
}

#[test]
fn no_fault_or_warning_shows_a_secret() {
    let secret = "hunter2";
    let settings = [
        ("AUTH_JWT_SECRET", secret),
        ("AUTH_JWT_KEYS", "[\"hunter2\"]"),
        ("AUTH_DATABASE_URL", "mysql://hunter2@localhost"),
        ("AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY", secret),
        ("AUTH_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS", "a:hunter2"),
        ("AUTH_SMTP_HEADERS", "{\"X-Token\": \"hunter2\"}"),
        ("AUTH_OPERATOR_TOKEN", secret),
    ];
    let faults = std_faults(&settings);
    assert_eq!(
        faults,
        [
            SHORT_SECRET,
            "AUTH_JWT_KEYS: expected a JSON array of keys",
            "AUTH_DATABASE_URL: must start with postgres:// or postgresql://",
            "AUTH_SMTP_HEADERS: expected a JSON object of arrays of strings",
            "AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY: expected 256 bits in base64url",
            "AUTH_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS: expected pairs `id:key` with commas, \
             each key 256 bits in base64url",
        ]
    );
    let config = std_with(&[("AUTH_SMTP_PASS", secret), ("AUTH_OPERATOR_TOKEN", secret)]);
    assert!(!format!("{config:?}").contains(secret));
}

#[test]
fn broken_lines_of_the_file_are_among_the_faults() {
    let mut reader = reader().with_env_file("AUTH_PROFILE=std\nAUTH_SITE_URL\n");
    let faults = Config::read(&mut reader).unwrap_err().to_string();
    assert!(
        faults.starts_with(".env line 2: expected `=` after the name\nAUTH_SITE_URL: is required"),
        "{faults}"
    );
    assert_eq!(Profile::default(), Profile::Std);
}

#[test]
fn mail_to_another_machine_requires_tls_in_std() {
    let tls = |host: &str, port: &str| {
        std_with(&[("AUTH_SMTP_HOST", host), ("AUTH_SMTP_PORT", port)])
            .smtp
            .tls
    };
    for (host, port, expected) in [
        ("mail.example.com", "587", SmtpTls::Required),
        ("10.0.0.1", "25", SmtpTls::Required),
        ("localhost.example.com", "587", SmtpTls::Required),
        ("mail.example.com", "465", SmtpTls::Implicit),
        ("localhost", "465", SmtpTls::Implicit),
        ("LOCALHOST", "587", SmtpTls::Opportunistic),
        ("127.0.0.1", "587", SmtpTls::Opportunistic),
        ("::1", "587", SmtpTls::Opportunistic),
    ] {
        assert_eq!(tls(host, port), expected, "{host}:{port}");
    }
    assert_eq!(gotrue_with(&[]).smtp.tls, SmtpTls::Opportunistic);
    let port = ("AUTH_SMTP_PORT", "587");
    for (name, mode) in [
        ("required", SmtpTls::Required),
        ("implicit", SmtpTls::Implicit),
    ] {
        let config = std_with(&[("AUTH_SMTP_TLS", name), port]);
        assert_eq!(config.smtp.tls, mode);
    }
    for name in ["opportunistic", "off"] {
        let faults = std_faults(&[("AUTH_SMTP_TLS", name), port]);
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].starts_with("AUTH_SMTP_TLS: "), "{faults:?}");
        assert!(faults[0].contains("another machine"), "{faults:?}");
        let local = ("AUTH_SMTP_HOST", "localhost");
        std_with(&[("AUTH_SMTP_TLS", name), local, port]);
        gotrue_with(&[("GOTRUE_SMTP_TLS", name)]);
    }
    let faults = std_faults(&[("AUTH_SMTP_TLS", "required"), ("AUTH_SMTP_PORT", "465")]);
    assert!(faults[0].contains("use `implicit`"), "{faults:?}");
    let faults = std_faults(&[("AUTH_SMTP_TLS", "yes"), port]);
    assert_eq!(faults.len(), 1, "{faults:?}");
}

#[test]
fn a_path_prefix_is_a_plain_path() {
    for (text, expected) in [
        ("/auth/v1", "/auth/v1"),
        ("/auth/v1/", "/auth/v1"),
        (" /a ", "/a"),
    ] {
        let config = std_with(&[("AUTH_API_PATH_PREFIX", text)]);
        assert_eq!(config.api.path_prefix.as_deref(), Some(expected));
    }
    assert_eq!(std_with(&[]).api.path_prefix, None);
    for wrong in ["auth/v1", "/", "//", "/a//b", "/../x", "/a b", "/a?b", "/ä"] {
        let faults = std_faults(&[("AUTH_API_PATH_PREFIX", wrong)]);
        assert_eq!(faults.len(), 1, "{wrong}: {faults:?}");
    }
}
