//! `innkeeper auth token`: a token for a service.

use clap::Args;
use innkeeper_service::clock::Clock;
use innkeeper_service::duration::parse_seconds_or_go;
use jiff::SignedDuration;
use serde_json::json;

use super::ask;
use super::settings::Source;
use crate::output;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The role in the token
    #[arg(long, default_value = "service_role")]
    role: String,
    /// Such as 90s or 12h; without this it never ends
    #[arg(long, value_name = "DURATION", value_parser = lifetime)]
    expires: Option<SignedDuration>,
    /// Print JSON instead of the token alone
    #[arg(long)]
    json: bool,
}

fn lifetime(text: &str) -> Result<SignedDuration, String> {
    let lifetime = parse_seconds_or_go(text).map_err(|error| error.to_string())?;
    if lifetime < SignedDuration::from_secs(1) {
        return Err("must be at least a second".to_owned());
    }
    Ok(lifetime)
}

pub(super) fn run(source: &Source, arguments: &Arguments) -> anyhow::Result<()> {
    let config = source.read()?;
    let clock = Clock::system();
    let (role, expires) = (&arguments.role, arguments.expires);
    let token = ask(innkeeper_auth::service_token(
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
