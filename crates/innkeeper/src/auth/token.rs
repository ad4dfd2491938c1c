//! `innkeeper auth token`: prints a token for a service.

use clap::Args;
use innkeeper_service::clock::Clock;
use innkeeper_service::duration::parse_seconds_or_go;
use jiff::SignedDuration;
use serde_json::json;

use crate::output;
use crate::settings_source::SettingsSource;
use crate::task;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The role in the token
    #[arg(long, default_value = "service_role")]
    role: String,
    /// Lifetime, such as 90s or 12h [default: no expiry]
    #[arg(long, value_name = "DURATION", value_parser = lifetime)]
    expires: Option<SignedDuration>,
    /// Print JSON instead of the token alone
    #[arg(long)]
    json: bool,
}

/// Parses a duration of at least one second.
pub(super) fn lifetime(text: &str) -> Result<SignedDuration, String> {
    let lifetime = parse_seconds_or_go(text).map_err(|error| error.to_string())?;
    if lifetime < SignedDuration::from_secs(1) {
        return Err("must be at least one second".to_owned());
    }
    Ok(lifetime)
}

pub(super) fn run(source: &SettingsSource, arguments: &Arguments) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let clock = Clock::system();
    let (role, expires) = (&arguments.role, arguments.expires);
    let token = task::run(innkeeper_auth::service_token(
        &config, &clock, role, expires,
    ))?;
    if arguments.json {
        let expires_in = expires.map(|lifetime| lifetime.as_secs());
        return output::print_json(
            &json!({ "token": token, "role": role, "expires_in": expires_in }),
        );
    }
    output::print(&format!("{token}\n"))
}
