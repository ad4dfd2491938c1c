//! Settings of captcha, limits and the audit log.

use super::{gotrue_with, std_faults, std_with};
use crate::config::CaptchaProvider;

#[test]
fn a_captcha_requires_a_secret_and_has_the_url_of_its_provider() {
    let config = std_with(&[]).security.captcha;
    assert!(!config.enabled);
    for (name, provider, host) in [
        ("hCaptcha", CaptchaProvider::Hcaptcha, "hcaptcha.com"),
        (
            "TURNSTILE",
            CaptchaProvider::Turnstile,
            "challenges.cloudflare.com",
        ),
    ] {
        let captcha = std_with(&[
            ("AUTH_SECURITY_CAPTCHA_ENABLED", "true"),
            ("AUTH_SECURITY_CAPTCHA_PROVIDER", name),
            ("AUTH_SECURITY_CAPTCHA_SECRET", "hush"),
            ("AUTH_SECURITY_CAPTCHA_TIMEOUT", "3s"),
        ]);
        let captcha = captcha.security.captcha;
        assert!(captcha.enabled);
        assert_eq!((captcha.provider, captcha.timeout.as_secs()), (provider, 3));
        assert_eq!(captcha.url.unwrap().host_str(), Some(host));
        assert_eq!(captcha.secret.unwrap().reveal(), "hush");
    }
    let captcha = gotrue_with(&[
        ("GOTRUE_SECURITY_CAPTCHA_ENABLED", "true"),
        ("GOTRUE_SECURITY_CAPTCHA_SECRET", "hush"),
        (
            "GOTRUE_SECURITY_CAPTCHA_URL",
            "http://proxy.internal/captcha",
        ),
    ]);
    let url = captcha.security.captcha.url.unwrap();
    assert_eq!(url.as_str(), "http://proxy.internal/captcha");
}

#[test]
fn a_captcha_that_cannot_be_verified_is_a_fault() {
    assert_eq!(
        std_faults(&[("AUTH_SECURITY_CAPTCHA_ENABLED", "true")]),
        ["AUTH_SECURITY_CAPTCHA_SECRET: is required with a captcha"]
    );
    assert_eq!(
        std_faults(&[("AUTH_SECURITY_CAPTCHA_URL", "ftp://captcha.example")]),
        ["AUTH_SECURITY_CAPTCHA_URL: must start with http:// or https://"]
    );
    let faults = std_faults(&[("AUTH_SECURITY_CAPTCHA_PROVIDER", "riddles")]);
    assert_eq!(faults.len(), 1, "{faults:?}");
}

#[test]
fn limits_are_numbers_above_zero() {
    for number in ["0", "-1", "many", "inf", "NaN", "1e12"] {
        let faults = std_faults(&[("AUTH_RATE_LIMIT_OTP", number)]);
        assert_eq!(faults.len(), 1, "{number}: {faults:?}");
        assert!(faults[0].starts_with("AUTH_RATE_LIMIT_OTP: "), "{faults:?}");
    }
    let limits = std_with(&[("AUTH_RATE_LIMIT_VERIFY", "0.5")]).rate_limit;
    assert!((limits.verify - 0.5).abs() < f64::EPSILON);
    let config = gotrue_with(&[("GOTRUE_RATE_LIMIT_VERIFY", "0")]);
    assert!((config.rate_limit.verify - 30.0).abs() < f64::EPSILON);
    assert_eq!(config.warnings.len(), 1);
}

#[test]
fn the_address_of_redis_is_checked_and_not_shown() {
    assert!(std_with(&[]).rate_limit.redis_url.is_none());
    let config = std_with(&[
        ("AUTH_REDIS_URL", "rediss://:hunter2@redis.internal:6380/1"),
        ("AUTH_REDIS_TIMEOUT", "50ms"),
    ]);
    assert!(config.rate_limit.redis_url.is_some());
    assert_eq!(config.rate_limit.redis_timeout.as_millis(), 50);
    assert!(!format!("{config:?}").contains("hunter2"));
    for url in ["localhost", "http://:hunter2@localhost"] {
        let faults = std_faults(&[("AUTH_REDIS_URL", url)]);
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].starts_with("AUTH_REDIS_URL: "), "{faults:?}");
        assert!(!faults[0].contains("hunter2"), "{faults:?}");
    }
    assert_eq!(std_faults(&[("AUTH_REDIS_TIMEOUT", "0s")]).len(), 1);
}

#[test]
fn the_audit_log_is_streamed_by_default_in_gotrue() {
    assert!(!std_with(&[]).audit_log_stream);
    assert!(gotrue_with(&[]).audit_log_stream);
    assert!(std_with(&[("AUTH_AUDIT_LOG_STREAM", "true")]).audit_log_stream);
}
