//! The types that settings have in the specification: the values that each takes and refuses.

use super::{std_faults, std_with};
use crate::config::LogLevel;

/// The settings that are true or false.
const BOOLEANS: &[&str] = &[
    "DISABLE_SIGNUP",
    "EXTERNAL_EMAIL_ENABLED",
    "EXTERNAL_PHONE_ENABLED",
    "EXTERNAL_ANONYMOUS_USERS_ENABLED",
    "EXTERNAL_GITHUB_ENABLED",
    "SECURITY_REFRESH_TOKEN_ROTATION_ENABLED",
    "SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
    "SECURITY_SB_FORWARDED_FOR_ENABLED",
    "SECURITY_CAPTCHA_ENABLED",
    "TRACING_ENABLED",
    "METRICS_ENABLED",
    "MAILER_AUTOCONFIRM",
    "SMS_AUTOCONFIRM",
    "MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED",
];

/// The settings that are whole numbers, and what a value must be.
const NUMBERS: &[(&str, &str)] = &[
    ("PASSWORD_MIN_LENGTH", "a whole number from 0"),
    ("DB_MAX_POOL_SIZE", "a whole number from 0"),
    ("SMS_OTP_LENGTH", "a whole number from 0"),
    ("PORT", "a port number"),
    ("SMTP_PORT", "a port number"),
    ("JWT_EXP", "a whole number of seconds"),
    ("MAILER_OTP_EXP", "a whole number of seconds"),
    ("SMS_OTP_EXP", "a whole number of seconds"),
    (
        "SMTP_MAX_FREQUENCY",
        "seconds, or a duration such as `1h30m`",
    ),
    (
        "SMS_MAX_FREQUENCY",
        "seconds, or a duration such as `1h30m`",
    ),
];

/// Settings with these words and no others.
const WORDS: &[(&str, &[&str])] = &[
    (
        "LOG_LEVEL",
        &["panic", "fatal", "error", "warn", "info", "debug"],
    ),
    ("TRACING_EXPORTER", &["opentelemetry"]),
    ("METRICS_EXPORTER", &["opentelemetry", "prometheus"]),
    (
        "SMS_PROVIDER",
        &["twilio", "messagebird", "textlocal", "vonage"],
    ),
    ("SECURITY_CAPTCHA_PROVIDER", &["hCaptcha", "Turnstile"]),
    ("DB_DRIVER", &["postgres"]),
];

/// Returns the faults about one setting, if a value has any.
fn faults(name: &str, value: &str) -> Vec<String> {
    let full = format!("AUTH_{name}");
    // Every other setting is as it should be, so a fault is about this one.
    std_faults(&[(&full, value)])
}

#[test]
fn a_boolean_is_true_or_false_in_few_spellings() {
    let read = |text: &str| std_with(&[("AUTH_DISABLE_SIGNUP", text)]).disable_signup;
    for text in ["1", "t", "T", "TRUE", "true", "True", " true "] {
        assert!(read(text), "{text:?}");
    }
    for text in ["0", "f", "F", "FALSE", "false", "False", ""] {
        assert!(!read(text), "{text:?}");
    }
    for name in BOOLEANS {
        std_with(&[(&format!("AUTH_{name}"), "false")]);
        for text in ["yes", "on", "tRUE", "2", "-1", "wahr", "true,false"] {
            assert_eq!(
                faults(name, text),
                [format!(
                    "AUTH_{name}: expected true or false, found `{text}`"
                )]
            );
        }
    }
}

#[test]
fn a_number_is_whole_and_not_negative() {
    for (name, expected) in NUMBERS {
        for text in ["10", " 10 "] {
            std_with(&[(&format!("AUTH_{name}"), text)]);
        }
        for text in ["-1", "ten", "1 0", "1,000", "0x10", "1.5", "1e3", "１０"] {
            assert_eq!(
                faults(name, text),
                [format!("AUTH_{name}: expected {expected}, found `{text}`")]
            );
        }
    }
    for name in ["PORT", "SMTP_PORT"] {
        let problem = "expected a port number, found `65536`";
        assert_eq!(faults(name, "65536"), [format!("AUTH_{name}: {problem}")]);
    }
}

#[test]
fn a_text_is_taken_as_it_is_written() {
    for text in [
        "true",
        "0",
        " with  blanks ",
        "ünïcode #1",
        "a=b:c,d;$e",
        "\\n",
    ] {
        let config = std_with(&[
            ("AUTH_JWT_AUD", text),
            ("AUTH_JWT_DEFAULT_GROUP_NAME", text),
            ("AUTH_SMTP_SENDER_NAME", text),
            ("AUTH_SMTP_USER", text),
            ("AUTH_SMS_MESSAGEBIRD_ORIGINATOR", text),
            ("AUTH_MAILER_SUBJECTS_INVITE", text),
        ]);
        assert_eq!(config.jwt.aud, text);
        assert_eq!(config.jwt.default_group_name, text);
        assert_eq!(config.smtp.sender_name, text);
        assert_eq!(config.smtp.user.as_deref(), Some(text));
        assert_eq!(config.sms.messagebird.originator.as_deref(), Some(text));
        assert_eq!(config.mailer.subjects.invite, text);
    }
    // An empty text is no text.
    let config = std_with(&[("AUTH_JWT_ADMIN_GROUP_NAME", ""), ("AUTH_SMTP_USER", "")]);
    assert_eq!(config.jwt.admin_group_name, "admin");
    assert_eq!(config.smtp.user, None);
}

/// These are texts in the specification, whose meaning is a time or a number of mails.
#[test]
fn an_interval_is_written_in_seconds_or_with_units() {
    for (text, seconds) in [("25", 25), ("25s", 25), ("1m30s", 90), ("0", 0)] {
        let security = std_with(&[("AUTH_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", text)]).security;
        assert_eq!(security.refresh_token_reuse_interval.as_secs(), seconds);
    }
    let captcha = |text| {
        std_with(&[("AUTH_SECURITY_CAPTCHA_TIMEOUT", text)])
            .security
            .captcha
    };
    assert_eq!(captcha("3").timeout.as_secs(), 3);
    assert_eq!(captcha("1500ms").timeout.as_millis(), 1500);
    for name in [
        "SECURITY_REFRESH_TOKEN_REUSE_INTERVAL",
        "SECURITY_CAPTCHA_TIMEOUT",
    ] {
        for text in ["-1", "soon", "10 s", "1d"] {
            let expected = "expected seconds, or a duration such as `1h30m`";
            assert_eq!(
                faults(name, text),
                [format!("AUTH_{name}: {expected}, found `{text}`")]
            );
        }
    }
}

#[test]
fn a_choice_is_one_of_its_words_in_any_case() {
    for (name, words) in WORDS {
        let name = format!("AUTH_{name}");
        for word in *words {
            std_with(&[(&name, word)]);
        }
        for wrong in ["nonsense", "none", "all"] {
            let faults = std_faults(&[(&name, wrong)]);
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert!(faults[0].starts_with(&format!("{name}: ")), "{faults:?}");
            assert!(faults[0].contains(wrong), "{faults:?}");
        }
    }
    let level = |text| std_with(&[("AUTH_LOG_LEVEL", text)]).telemetry.log_level;
    assert_eq!(level("DEBUG"), LogLevel::Debug);
    assert_eq!(level("Warn"), LogLevel::Warn);
}
