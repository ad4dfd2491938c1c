//! Profiles and their defaults.

use jiff::SignedDuration;

use super::{STD, faults_of, gotrue_with, reader_of, std_with};
use crate::config::{Config, JwtAlgorithm, LogFormat, MessageKind, Profile, Rate};

fn seconds(seconds: i64) -> SignedDuration {
    SignedDuration::from_secs(seconds)
}

#[test]
fn std_is_the_default() {
    let config = std_with(&[]);
    assert_eq!(config.profile, Profile::Std);
    assert_eq!(config.profile_reason, "the default");
    assert_eq!(config.warnings, [""; 0]);
    assert_eq!(config.notices, [""; 0]);
}

#[test]
fn settings_of_the_old_prefix_alone_imply_gotrue() {
    let config = gotrue_with(&[]);
    assert_eq!(config.profile, Profile::Gotrue);
    assert_eq!(
        config.profile_reason,
        "implied, because GOTRUE_JWT_SECRET is set and no AUTH_ setting is"
    );
}

#[test]
fn one_setting_of_our_own_prefix_means_std() {
    let mut settings = STD.to_vec();
    settings.retain(|(name, _)| *name != "AUTH_SITE_URL");
    settings.push(("GOTRUE_SITE_URL", "https://example.com"));
    let config = Config::read(&mut reader_of(&[&settings])).unwrap();
    assert_eq!(config.profile, Profile::Std);
    assert_eq!(
        config.profile_reason,
        "the default, because AUTH_API_EXTERNAL_URL is set; \
         GOTRUE_SITE_URL alone would have implied gotrue"
    );
}

#[test]
fn variables_that_are_no_settings_imply_nothing() {
    let config = gotrue_with(&[("AUTH_TOKEN", "x"), ("AUTH_SITE_URL", "")]);
    assert_eq!(config.profile, Profile::Gotrue);
}

#[test]
fn the_setting_decides_under_either_prefix() {
    let config = std_with(&[("AUTH_PROFILE", "gotrue")]);
    assert_eq!(config.profile, Profile::Gotrue);
    assert_eq!(config.profile_reason, "set by AUTH_PROFILE");
    let config = gotrue_with(&[("GOTRUE_PROFILE", "std"), ("GOTRUE_SMTP_PORT", "25")]);
    assert_eq!(config.profile, Profile::Std);
    assert_eq!(config.profile_reason, "set by GOTRUE_PROFILE");
    assert_eq!(
        faults_of(&[STD, &[("AUTH_PROFILE", "both")]]),
        ["AUTH_PROFILE: expected one of std, gotrue, found `both`"]
    );
}

#[test]
fn defaults_of_std_are_those_of_the_specification() {
    let config = std_with(&[]);
    assert_eq!(config.api.port, 8081);
    assert_eq!(config.api.max_request_duration, seconds(10));
    assert_eq!(config.database.namespace, "auth");
    assert_eq!(config.database.max_pool_size, 0);
    assert!(config.database.cleanup_enabled);
    assert_eq!(config.jwt.algorithm, JwtAlgorithm::Rs256);
    assert_eq!(config.jwt.exp, seconds(3600));
    assert_eq!(config.jwt.admin_group_name, "admin");
    assert_eq!(config.jwt.admin_roles, ["service_role", "supabase_admin"]);
    assert_eq!(
        (
            config.jwt.aud.as_str(),
            config.jwt.default_group_name.as_str()
        ),
        ("", "authenticated")
    );
    assert_eq!(config.issuer(), Some("https://auth.example.com"));
    assert_eq!(config.mailer.otp_exp, seconds(3600));
    assert_eq!(config.mailer.otp_length, 6);
    assert!(!config.mailer.autoconfirm && !config.mailer.confirmation_page);
    assert!(config.mailer.secure_email_change_enabled);
    assert_eq!(
        (config.sms.max_frequency, config.sms.otp_exp),
        (seconds(60), seconds(60))
    );
    assert_eq!(config.sms.otp_length, 6);
    assert_eq!(config.password.min_length, 6);
    assert!(config.security.refresh_token_rotation_enabled);
    assert_eq!(config.security.refresh_token_reuse_interval, seconds(10));
    assert_eq!(config.security.password_failures, 10);
    assert_eq!(config.security.password_failures_window, seconds(600));
    assert_eq!(config.rate_limit.email_sent, Rate::PerHour(30));
    assert_eq!(config.telemetry.log_format, LogFormat::Text);
    assert_eq!(config.telemetry.prometheus_port, 9100);
    assert!(config.external.email_enabled && !config.external.phone_enabled);
    assert!(!config.disable_signup);
}

#[test]
fn the_gotrue_profile_has_the_defaults_of_gotrue() {
    let config = gotrue_with(&[]);
    assert_eq!(config.jwt.algorithm, JwtAlgorithm::Hs256);
    assert_eq!(
        (config.jwt.default_group_name.as_str(), config.issuer()),
        ("", None)
    );
    assert_eq!(config.smtp.port, 587);
    assert!(!config.database.cleanup_enabled);
    assert_eq!(config.mailer.otp_exp, seconds(86400));
    assert_eq!(config.security.refresh_token_reuse_interval, seconds(0));
    assert!(config.security.refresh_token_rotation_enabled);
    assert_eq!(config.telemetry.log_format, LogFormat::Json);
}

#[test]
fn subjects_follow_the_profile_and_can_be_set() {
    let subjects =
        |config: Config| MessageKind::ALL.map(|kind| config.mailer.subjects.get(kind).clone());
    // Three notifications have no default: their subject is built in.
    assert_eq!(
        subjects(std_with(&[])),
        [
            "You have been invited",
            "Confirm Your Signup",
            "Reset Your Password",
            "Your Magic Link",
            "Confirm Email Change",
            "Confirm Reauthentication",
            "Your password has been changed",
            "Your email address has been changed",
            "",
            "",
            "",
            "A new MFA factor has been enrolled",
            "An MFA factor has been unenrolled",
            "Your email address was entered for another account",
        ]
    );
    assert_eq!(
        subjects(gotrue_with(&[(
            "GOTRUE_MAILER_SUBJECTS_MAGIC_LINK",
            "Come in"
        )])),
        [
            "You've been invited",
            "Confirm your email address",
            "Reset your password",
            "Come in",
            "Confirm your new email address",
            "{{ .Token }} is your verification code",
            "Your password was changed",
            "Your email address was changed",
            "",
            "",
            "",
            "A new verification method was added to your account",
            "A verification method was removed from your account",
            "Your email address was entered for another account",
        ]
    );
}

#[test]
fn the_pause_between_mails_follows_profile_and_setting() {
    // Invite, confirmation, recovery, magic link, email change, reauthentication; not notifications.
    let pauses = |config: Config| -> Vec<i64> {
        let pauses = MessageKind::ALL.map(|kind| config.mail_interval(kind).as_secs());
        assert_eq!(pauses[6..], [0; 8]);
        pauses[..6].to_vec()
    };
    assert_eq!(pauses(std_with(&[])), [0, 900, 60, 60, 900, 60]);
    assert_eq!(pauses(gotrue_with(&[])), [0, 60, 60, 60, 60, 60]);
    for set in ["5", "5s"] {
        let changed = std_with(&[("AUTH_SMTP_MAX_FREQUENCY", set)]);
        assert_eq!(pauses(changed), [0, 5, 5, 5, 5, 5]);
        let changed = gotrue_with(&[("GOTRUE_SMTP_MAX_FREQUENCY", set)]);
        assert_eq!(pauses(changed), [0, 5, 5, 5, 5, 5]);
    }
}

#[test]
fn tests_get_std_without_faults_or_warnings() {
    let config = Config::for_tests();
    assert_eq!(config.profile, Profile::Std);
    assert_eq!(config.site_url.as_str(), "http://localhost:3000/");
    assert_eq!(config.api.external_url.as_str(), "http://localhost:8081/");
    assert_eq!(config.jwt.secret.reveal().len(), 40);
    assert_eq!(config.warnings, [""; 0]);
    assert!(config.smtp.is_complete());
}
