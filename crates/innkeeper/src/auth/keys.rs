//! `innkeeper auth keys`: generates and rotates the keys that sign access tokens.

use anyhow::anyhow;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use innkeeper_auth::config::JwtAlgorithm;
use innkeeper_service::clock::Clock;
use serde_json::json;

use crate::output::{self, with_causes};
use crate::settings::SettingsSource;
use crate::task;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print a new private key, a value for `AUTH_JWT_KEYS`
    #[command(after_help = "Example:\n  \
                            echo \"AUTH_JWT_KEYS='$(innkeeper auth keys generate)'\" >> .env")]
    Generate {
        /// RS256, ES256, `EdDSA` or HS256
        #[arg(
            long,
            default_value = "RS256",
            ignore_case = true,
            hide_possible_values = true,
            value_parser = PossibleValuesParser::new(NAMES).map(|name| algorithm(&name))
        )]
        algorithm: JwtAlgorithm,
        /// No effect: the output is always JSON
        #[arg(long)]
        json: bool,
    },
    /// Sign with a new key; tokens signed with earlier keys stay valid
    #[command(after_help = "Example:\n  innkeeper auth keys rotate\n\n\
                      Running servers load the key within half a minute,\n\
                      or at once on SIGHUP.")]
    Rotate {
        /// Print JSON instead of text
        #[arg(long)]
        json: bool,
    },
}

const ALGORITHMS: [JwtAlgorithm; 4] = [
    JwtAlgorithm::Rs256,
    JwtAlgorithm::Es256,
    JwtAlgorithm::EdDsa,
    JwtAlgorithm::Hs256,
];
const NAMES: [&str; 4] = ["RS256", "ES256", "EdDSA", "HS256"];

fn algorithm(name: &str) -> JwtAlgorithm {
    ALGORITHMS
        .into_iter()
        .find(|algorithm| algorithm.name().eq_ignore_ascii_case(name))
        .unwrap_or(JwtAlgorithm::Rs256)
}

pub(super) fn run(source: &SettingsSource, arguments: &Arguments) -> anyhow::Result<()> {
    match arguments.command {
        Command::Generate { algorithm, json: _ } => {
            let keys = innkeeper_auth::generate_keys(algorithm)
                .map_err(|error| anyhow!("{}", with_causes(&error)))?;
            output::print(&format!("{keys}\n"))
        }
        Command::Rotate { json } => {
            let config = source.auth_config()?;
            let kid = task::run(innkeeper_auth::rotate_keys(&config, &Clock::system()))?;
            if json {
                return output::print_json(&json!({ "kid": kid }));
            }
            output::print(&format!("New tokens are now signed with key {kid}.\n"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ALGORITHMS, NAMES, algorithm};

    #[test]
    fn every_algorithm_is_offered_under_its_name() {
        assert_eq!(
            ALGORITHMS.map(innkeeper_auth::config::JwtAlgorithm::name),
            NAMES
        );
        for name in NAMES {
            assert_eq!(algorithm(name).name(), name);
            assert_eq!(algorithm(&name.to_lowercase()).name(), name);
        }
    }
}
