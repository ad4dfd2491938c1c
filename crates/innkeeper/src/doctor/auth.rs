//! Checks the auth server: settings, database, mail, and the other servers that the settings name.

use std::time::Duration;

use innkeeper_auth::config::Config;
use innkeeper_auth::mail::test_connection;
use innkeeper_service::clock::Clock;
use innkeeper_service::loopback::is_loopback_host;
use innkeeper_service::settings::{Faults, Reader};

use super::findings::Findings;
use super::{database, providers, redis, services};
use crate::checks;
use crate::output::with_causes;

const PART: &str = "auth";
/// The time-out of the mail server.
const MAIL_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) async fn check(findings: &mut Findings, mut reader: Reader) {
    if !reader.is_set("DATABASE_URL") && !reader.is_set("SITE_URL") {
        findings.note(PART, "no settings found for the auth server");
        return;
    }
    let config = match Config::read(&mut reader) {
        Ok(config) => config,
        Err(Faults(faults)) => {
            for fault in faults {
                findings.problem(
                    PART,
                    fault.to_string(),
                    "see docs/settings.md for valid values",
                );
            }
            return;
        }
    };
    let profile = config.profile.name();
    match checks::auth(&config) {
        Ok(()) => findings.ok(PART, format!("the settings are valid (profile {profile})")),
        Err(error) => findings.problem(
            PART,
            error.to_string(),
            "correct the setting; until then the server does not start",
        ),
    }
    for warning in config.warnings.iter().chain(&config.notices) {
        findings.warn(PART, warning.clone(), "");
    }
    match innkeeper_auth::examine_database(&config, &Clock::system()).await {
        Ok((database, missing)) => database::check(findings, PART, &database, &missing),
        Err(error) => findings.problem(
            PART,
            format!("the database: {}", with_causes(&error)),
            "check that it runs and that AUTH_DATABASE_URL is correct",
        ),
    }
    check_mail(findings, &config).await;
    providers::check(findings, PART, &config).await;
    services::check_hooks(findings, PART, &config).await;
    services::check_captcha(findings, PART, &config).await;
    let telemetry = config.telemetry.options(config.profile);
    services::check_collectors(findings, PART, &telemetry).await;
    let redis = config.rate_limit.redis_url.as_ref();
    redis::check(findings, PART, redis, "AUTH_REDIS_URL").await;
}

async fn check_mail(findings: &mut Findings, config: &Config) {
    if !config.smtp.is_complete() {
        findings.note(PART, "the settings name no mail server");
        return;
    }
    let server = format!("{}:{}", config.smtp.host, config.smtp.port);
    match test_connection(config, MAIL_TIMEOUT).await {
        Ok(true) => findings.ok(PART, format!("the mail server {server} responds, with TLS")),
        Ok(false) if is_loopback_host(&config.smtp.host) => findings.ok(
            PART,
            format!("the mail server {server} responds, without TLS"),
        ),
        Ok(false) => findings.problem(
            PART,
            format!("the mail server {server} responds, but mails are sent to it without TLS"),
            "set AUTH_SMTP_TLS=required, or implicit on port 465",
        ),
        Err(error) => findings.problem(
            PART,
            format!("the mail server {server}: {error}"),
            "check AUTH_SMTP_HOST, AUTH_SMTP_PORT, AUTH_SMTP_TLS, AUTH_SMTP_USER and AUTH_SMTP_PASS; \
             mails are queued until it responds",
        ),
    }
}
