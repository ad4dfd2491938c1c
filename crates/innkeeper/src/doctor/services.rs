//! Checks the other servers that the auth server calls: hooks, the captcha service, collectors.

use std::time::Duration;

use innkeeper_auth::config::Config;
use innkeeper_auth::{check_captcha as ask_captcha, check_hooks as ask_hooks};
use innkeeper_service::telemetry::TelemetryOptions;

use super::findings::Findings;

/// The time-out of each of them.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Checks that hooks can be called, and calls none.
pub(super) async fn check_hooks(findings: &mut Findings, part: &'static str, config: &Config) {
    let checks = match ask_hooks(config, TIMEOUT).await {
        Ok(checks) => checks,
        Err(error) => {
            let what = format!("the hooks cannot be checked: {error}");
            return findings.problem(part, what, "check the certificates of this machine");
        }
    };
    for check in checks {
        let (name, target) = (check.hook.name(), &check.target);
        let setting = check.hook.setting();
        match check.problem {
            None => findings.ok(part, format!("the hook {name}: {target} can be called")),
            Some(problem) => findings.problem(
                part,
                format!("the hook {name}: {target}: {problem}"),
                &format!(
                    "check that it is there and that AUTH_HOOK_{setting}_URI is correct; requests that need \
                     it fail"
                ),
            ),
        }
    }
}

/// Checks that captchas can be verified.
pub(super) async fn check_captcha(findings: &mut Findings, part: &'static str, config: &Config) {
    match ask_captcha(config).await {
        None => {}
        Some(Ok(())) => findings.ok(part, "the captcha service responds and knows the secret"),
        Some(Err(problem)) => findings.problem(
            part,
            format!("the captcha service: {problem}"),
            "check the network and AUTH_SECURITY_CAPTCHA_SECRET; until then nobody can sign up or sign in",
        ),
    }
}

/// Checks that the collectors accept traces and metrics.
pub(super) async fn check_collectors(
    findings: &mut Findings,
    part: &'static str,
    telemetry: &TelemetryOptions,
) {
    for collector in telemetry.collectors() {
        let mut address = collector.endpoint.clone();
        address.set_query(None);
        match collector.probe(TIMEOUT).await {
            Ok(()) => findings.ok(part, format!("the collector {address} accepts telemetry")),
            Err(problem) => findings.problem(
                part,
                format!("the collector {address}: {problem}"),
                "check that it runs and that OTEL_EXPORTER_OTLP_ENDPOINT and _HEADERS are correct; until then \
                 telemetry is lost",
            ),
        }
    }
}
