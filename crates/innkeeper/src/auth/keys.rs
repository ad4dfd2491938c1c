//! `innkeeper auth keys`: generates, lists, rotates and revokes the keys that sign access tokens.

use std::fmt::Write as _;

use anyhow::anyhow;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use innkeeper_auth::config::JwtAlgorithm;
use innkeeper_auth::{KeyInfo, KeyState, OldKeys, ServiceTokenRecord};
use innkeeper_service::clock::Clock;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::output::{self, with_causes};
use crate::settings_source::SettingsSource;
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
    /// Show the keys that sign and verify, and those that have ended
    #[command(after_help = "Example:\n  innkeeper auth keys list")]
    List {
        /// Print JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Sign with a new key; tokens of earlier keys stay valid
    #[command(after_help = "Examples:\n  innkeeper auth keys rotate\n  \
                      innkeeper auth keys rotate --keep-for 720h\n  \
                      innkeeper auth keys rotate --revoke-old\n\n\
                      Running servers load the key within five seconds.")]
    Rotate {
        /// Refuse all tokens of earlier keys at once
        #[arg(long)]
        revoke_old: bool,
        /// Keep earlier keys at least this long, such as 720h
        #[arg(long, value_name = "DURATION", value_parser = super::token::lifetime,
              conflicts_with = "revoke_old")]
        keep_for: Option<SignedDuration>,
        /// Print JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Refuse the tokens of a key that no longer signs
    #[command(
        after_help = "Example:\n  innkeeper auth keys revoke 0b9f6a52-5d0e-4a0c-9d55-d1a5f4a8c1de\n\n\
                      Running servers refuse its tokens within five seconds. To replace the key that\n\
                      signs, run `innkeeper auth keys rotate --revoke-old`."
    )]
    Revoke {
        /// The id of the key
        // Ids may begin with a hyphen.
        #[arg(allow_hyphen_values = true)]
        kid: String,
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
        Command::List { json } => {
            let config = source.auth_config()?;
            let keys = task::run(innkeeper_auth::list_keys(&config, &Clock::system()))?;
            if json {
                return output::print_json(&keys.iter().map(key_document).collect());
            }
            output::print(&keys.iter().map(key_line).collect::<String>())
        }
        Command::Rotate {
            revoke_old,
            keep_for,
            json,
        } => {
            let old = match keep_for {
                Some(length) => OldKeys::KeepFor(length),
                None if revoke_old => OldKeys::Revoke,
                None => OldKeys::Retire,
            };
            rotate(source, old, json)
        }
        Command::Revoke { ref kid, json } => {
            let config = source.auth_config()?;
            let ending = task::run(innkeeper_auth::revoke_key(&config, &Clock::system(), kid))?;
            if json {
                return output::print_json(
                    &json!({ "kid": kid, "ending_tokens": token_documents(&ending) }),
                );
            }
            let kid = output::on_one_line(kid);
            let told = format!("Key {kid} is revoked.\n{}", ending_text(&ending));
            output::print(&told)
        }
    }
}

fn rotate(source: &SettingsSource, old: OldKeys, json: bool) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let rotated = task::run(innkeeper_auth::rotate_keys(&config, &Clock::system(), old))?;
    let (kid, end, ending) = (
        &rotated.kid,
        rotated.old_key_ends_at,
        &rotated.ending_tokens,
    );
    if json {
        return output::print_json(&json!({
            "kid": kid,
            "old_key_ends_at": end.to_string(),
            "ending_tokens": token_documents(ending),
        }));
    }
    let earlier = match old {
        OldKeys::Revoke => "Earlier keys are revoked.".to_owned(),
        _ => format!("The key that signed before verifies until {end:.0}."),
    };
    let mut text = format!("New tokens are now signed with key {kid}.\n{earlier}\n");
    text.push_str(&ending_text(ending));
    if !ending.is_empty() && old != OldKeys::Revoke {
        text.push_str(
            "To keep them for longer, run `innkeeper auth keys rotate --keep-for 720h`.\n",
        );
    }
    output::print(&text)
}

/// Names the service tokens that end with their key.
fn ending_text(tokens: &[ServiceTokenRecord]) -> String {
    if tokens.is_empty() {
        return String::new();
    }
    let mut text = "These service tokens end with their key; issue new ones:\n".to_owned();
    for token in tokens {
        let role = output::on_one_line(&token.role);
        let expiry = match token.expires_at {
            Some(at) => format!("expires {at:.0}"),
            None => "no expiry".to_owned(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {role}, issued {:.0}, {expiry}", token.issued_at);
    }
    text
}

fn token_documents(tokens: &[ServiceTokenRecord]) -> Value {
    let document = |token: &ServiceTokenRecord| {
        json!({
            "kid": token.kid,
            "role": token.role,
            "issued_at": token.issued_at.to_string(),
            "expires_at": token.expires_at.map(|at| at.to_string()),
        })
    };
    tokens.iter().map(document).collect()
}

/// Returns the name of a state, and the time that belongs to it.
fn state_of(key: &KeyInfo) -> (&'static str, Option<Timestamp>) {
    match key.state {
        KeyState::Signs => ("signs", None),
        KeyState::Verifies(until) => ("verifies", until),
        KeyState::Ended(at) => ("ended", Some(at)),
        KeyState::Revoked(at) => ("revoked", Some(at)),
    }
}

fn key_document(key: &KeyInfo) -> Value {
    let (state, at) = state_of(key);
    json!({
        "kid": key.kid,
        "algorithm": (!key.algorithm.is_empty()).then_some(&key.algorithm),
        "state": state,
        "at": at.map(|at| at.to_string()),
        "created_at": key.created_at.map(|at| at.to_string()),
    })
}

fn key_line(key: &KeyInfo) -> String {
    let (state, at) = state_of(key);
    let state = match at {
        Some(at) if state == "verifies" => format!("verifies until {at:.0}"),
        Some(at) => format!("{state} {at:.0}"),
        None => state.to_owned(),
    };
    let kid = output::on_one_line(key.kid.as_deref().unwrap_or("(no id)"));
    let algorithm = &key.algorithm;
    format!("{kid:<36}  {algorithm:<5}  {state}\n")
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
