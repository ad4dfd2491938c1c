//! The auth server: settings, database, mail, shared limits.

use std::time::Duration;

use innkeeper_auth::config::Config;
use innkeeper_auth::mail::greet;
use innkeeper_service::clock::Clock;
use innkeeper_service::settings::{Faults, Reader};

use super::findings::Findings;
use super::{database, redis};
use crate::auth::with_causes;

const PART: &str = "auth";
/// How long a mail server is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn look(findings: &mut Findings, mut reader: Reader) {
    if !reader.is_set("DATABASE_URL") && !reader.is_set("SITE_URL") {
        findings.note(PART, "there are no settings of the auth server here");
        return;
    }
    let config = match Config::read(&mut reader) {
        Ok(config) => config,
        Err(Faults(faults)) => {
            for fault in faults {
                findings.wrong(
                    PART,
                    fault.to_string(),
                    "docs/settings.md says what it may be",
                );
            }
            return;
        }
    };
    let profile = config.profile.name();
    findings.ok(PART, format!("the settings are right (profile {profile})"));
    for remark in config.warnings.iter().chain(&config.notices) {
        findings.warn(PART, remark.clone(), "");
    }
    match innkeeper_auth::examine_database(&config, &Clock::system()).await {
        Ok(examined) => database::judge(findings, PART, examined),
        Err(error) => findings.wrong(
            PART,
            format!("the database: {}", with_causes(&error)),
            "see that it runs and that AUTH_DATABASE_URL names it",
        ),
    }
    look_at_mail(findings, &config).await;
    let shared = config.rate_limit.redis_url.as_ref();
    redis::look(findings, PART, shared, "AUTH_REDIS_URL").await;
}

async fn look_at_mail(findings: &mut Findings, config: &Config) {
    if !config.smtp.is_complete() {
        findings.note(PART, "there is no mail server in the settings");
        return;
    }
    let server = format!("{}:{}", config.smtp.host, config.smtp.port);
    match greet(config, PATIENCE).await {
        Ok(true) => findings.ok(PART, format!("the mail server {server} answers, over TLS")),
        Ok(false) => findings.ok(
            PART,
            format!("the mail server {server} answers, without TLS"),
        ),
        Err(error) => findings.wrong(
            PART,
            format!("the mail server {server}: {error}"),
            "see AUTH_SMTP_HOST, AUTH_SMTP_PORT, AUTH_SMTP_USER and AUTH_SMTP_PASS; \
             mails wait until it answers",
        ),
    }
}
