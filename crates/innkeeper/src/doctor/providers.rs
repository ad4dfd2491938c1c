//! Checks the external providers of the auth server.

use std::time::Duration;

use innkeeper_auth::config::Config;
use innkeeper_auth::{ProviderProblem, check_providers};

use super::findings::Findings;

/// The time-out of a provider.
const TIMEOUT: Duration = Duration::from_secs(5);

pub(super) async fn check(findings: &mut Findings, part: &'static str, config: &Config) {
    let checks = match check_providers(config, TIMEOUT).await {
        Ok(checks) => checks,
        Err(error) => {
            let what = format!("the external providers cannot be checked: {error}");
            return findings.problem(part, what, "check the certificates of this machine");
        }
    };
    for check in checks {
        let provider = &check.provider;
        for problem in &check.problems {
            let what = format!("the provider {provider}: {problem}");
            findings.problem(part, what, &advice(provider, problem));
        }
        if let (Some(address), true) = (&check.address, check.problems.is_empty()) {
            findings.ok(
                part,
                format!("the provider {provider}: {address} responds, the redirect URI is right"),
            );
        }
    }
}

fn advice(provider: &str, problem: &ProviderProblem) -> String {
    let name = provider.to_ascii_uppercase().replace([':', '-'], "_");
    let prefix = format!("AUTH_EXTERNAL_{name}");
    match problem {
        ProviderProblem::Incomplete(_) => format!(
            "set {prefix}_CLIENT_ID, {prefix}_SECRET and {prefix}_REDIRECT_URI; until then nobody can sign in \
             with it"
        ),
        ProviderProblem::Unreachable { .. } => format!(
            "check the network of this machine and the addresses in {prefix}_*; until then nobody can sign in \
             with it"
        ),
        ProviderProblem::RedirectUri { expected, .. } => format!(
            "set {prefix}_REDIRECT_URI={expected} and register it with the provider, or correct \
             AUTH_API_EXTERNAL_URL"
        ),
    }
}
