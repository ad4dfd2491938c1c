//! `innkeeper hosting key`: manages the API keys of customers.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use innkeeper_hosting::config::Config;
use innkeeper_hosting::model::Scope;
use innkeeper_hosting::{CreatedKey, KeyDetails, NewApiKey};
use innkeeper_rest::filter::IpNetwork;
use innkeeper_service::clock::Clock;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::duration;
use crate::output;
use crate::settings_source::SettingsSource;
use crate::task;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create a key and print it, this once
    #[command(
        override_usage = "innkeeper hosting key create [OPTIONS] --customer <ID> \\\n  \
                          --name <NAME> --scope <SCOPE>",
        after_help = "Example:\n  \
        innkeeper hosting key create --customer north --name CI \\\n    \
        --scope game:read --scope game:power --machine mc-1 \\\n    \
        --network 192.0.2.0/24 --expires 90d\n\n\
        Scopes:\n  \
        vps:read   vps:power  game:read          game:power\n  \
        game:kill  game:logs  game:console:read  game:console:write\n  \
        *          (everything)\n\n\
        Running servers accept the key at once."
    )]
    Create(Create),
    /// List keys, without their secrets
    #[command(after_help = "Example:\n  innkeeper hosting key list --customer north")]
    List {
        /// Only the keys of this customer
        #[arg(long, value_name = "ID")]
        customer: Option<String>,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Show a key, without its secret
    #[command(after_help = "Example:\n  innkeeper hosting key show 8Fq2LmZ0aTbX")]
    Show {
        /// The key's id: the 12 characters after `ink_live_`
        id: String,
        /// Print JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key; running servers refuse it within 5 seconds
    #[command(after_help = "Example:\n  innkeeper hosting key revoke 8Fq2LmZ0aTbX")]
    Revoke {
        /// The key's id: the 12 characters after `ink_live_`
        id: String,
    },
    /// Replace a key by one with the same rights, and print it
    #[command(
        after_help = "Example:\n  innkeeper hosting key rotate 8Fq2LmZ0aTbX --overlap 7d\n\n\
        A key that expires is replaced by one with the same lifetime."
    )]
    Rotate {
        /// The key's id: the 12 characters after `ink_live_`
        id: String,
        /// How long the old key works
        #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = duration::parse)]
        overlap: SignedDuration,
        /// Print JSON instead of the key alone
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
struct Create {
    /// The customer's id
    #[arg(long, value_name = "ID")]
    customer: String,
    /// What the key is for
    #[arg(long)]
    name: String,
    /// What it may do; repeatable
    #[arg(long = "scope", value_name = "SCOPE", required = true, value_parser = scope)]
    scopes: Vec<Scope>,
    /// A machine it may use; repeatable [default: all]
    #[arg(long = "machine", value_name = "ID")]
    machines: Vec<String>,
    /// Where it may be used; repeatable [default: anywhere]
    #[arg(long = "network", value_name = "NETWORK")]
    networks: Vec<IpNetwork>,
    /// Its end: 2027-01-01T00:00:00Z or 90d [default: never]
    #[arg(long, value_name = "TIME", value_parser = expiry)]
    expires: Option<Expiry>,
    /// Print JSON instead of the key alone
    #[arg(long)]
    json: bool,
}

/// When a key expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expiry {
    At(Timestamp),
    After(SignedDuration),
}

fn scope(text: &str) -> Result<Scope, String> {
    let words: Vec<&str> = Scope::ALL.iter().map(|scope| scope.word()).collect();
    Scope::parse(text).ok_or_else(|| format!("must be one of {}", words.join(", ")))
}

fn expiry(text: &str) -> Result<Expiry, String> {
    if let Ok(time) = text.parse() {
        return Ok(Expiry::At(time));
    }
    duration::parse(text).map(Expiry::After)
}

pub(super) fn run(source: &SettingsSource, arguments: Arguments) -> anyhow::Result<()> {
    let config = source.hosting_config()?;
    let clock = Clock::system();
    match arguments.command {
        Command::Create(arguments) => create(&config, &clock, arguments),
        Command::List { customer, json } => {
            let keys = task::run(innkeeper_hosting::list_keys(&config, customer.as_deref()))?;
            let now = clock.now();
            if json {
                let documents: Vec<Value> = keys.iter().map(|key| as_json(key, now)).collect();
                return output::print_json(&json!(documents));
            }
            output::print(&table(&keys, now))
        }
        Command::Show { id, json } => {
            let key = task::run(innkeeper_hosting::show_key(&config, &id))?;
            if json {
                return output::print_json(&as_json(&key, clock.now()));
            }
            output::print(&output::pairs(&rows(&key, clock.now())))
        }
        Command::Revoke { id } => {
            task::run(innkeeper_hosting::revoke_key(&config, &clock, &id))?;
            output::print(&format!("Key {id} is revoked.\n"))
        }
        Command::Rotate { id, overlap, json } => {
            let rotated = innkeeper_hosting::rotate_key(&config, &clock, &id, overlap);
            print_created(&task::run(rotated)?, json, clock.now())
        }
    }
}

fn create(config: &Config, clock: &Clock, arguments: Create) -> anyhow::Result<()> {
    let expires_at = match arguments.expires {
        None => None,
        Some(Expiry::At(time)) => Some(time),
        Some(Expiry::After(duration)) => Some(clock.now().saturating_add(duration)?),
    };
    let new = NewApiKey {
        customer_id: arguments.customer,
        name: arguments.name,
        scopes: arguments.scopes,
        machines: arguments.machines,
        networks: arguments.networks,
        expires_at,
    };
    let created = task::run(innkeeper_hosting::create_key(config, clock, new))?;
    print_created(&created, arguments.json, clock.now())
}

/// Prints a new key. Only the key is on standard output, so that a script can take it from there.
fn print_created(created: &CreatedKey, json: bool, now: Timestamp) -> anyhow::Result<()> {
    let text = created.text.reveal();
    if json {
        let mut document = as_json(&created.key, now);
        if let Some(document) = document.as_object_mut() {
            document.insert("key".to_owned(), text.clone().into());
        }
        return output::print_json(&document);
    }
    output::print(&format!("{text}\n"))?;
    output::tell("This key is not stored and cannot be shown again.");
    Ok(())
}

fn state(key: &KeyDetails, now: Timestamp) -> &'static str {
    let key = &key.key;
    let is_over = key.expires_at.is_some_and(|expires_at| expires_at <= now);
    match key.revoked_at {
        Some(_) => "revoked",
        None if is_over => "expired",
        None => "active",
    }
}

fn as_json(details: &KeyDetails, now: Timestamp) -> Value {
    let key = &details.key;
    let time = |time: Option<Timestamp>| time.map(|time| format!("{time:.3}"));
    let networks = key.networks.as_ref();
    let networks = networks.map(|networks| networks.iter().map(ToString::to_string));
    json!({
        "id": key.id,
        "name": key.name,
        "customer": key.customer_id,
        "state": state(details, now),
        "scopes": key.scopes.iter().collect::<Vec<_>>(),
        "machines": details.machines,
        "networks": networks.map(Iterator::collect::<Vec<_>>),
        "createdAt": format!("{:.3}", key.created_at),
        "expiresAt": time(key.expires_at),
        "revokedAt": time(key.revoked_at),
        "lastUsedAt": time(key.last_used_at),
        "lastUsedFrom": key.last_used_from,
    })
}

/// Returns the lines of `key show`.
fn rows(details: &KeyDetails, now: Timestamp) -> Vec<(&'static str, String)> {
    let key = &details.key;
    let scopes = key.scopes.iter().map(|scope| scope.word().to_owned());
    let machines = details.machines.iter().flatten();
    let machines = machines.map(|machine| format!("{}:{}", machine.kind, machine.id));
    let networks = key.networks.iter().flatten().map(ToString::to_string);
    let joined = |words: Vec<String>| words.join(", ");
    let limited = |is_limited: bool, words: Vec<String>, all: &str| match is_limited {
        true if words.is_empty() => "none".to_owned(),
        true => joined(words),
        false => all.to_owned(),
    };
    vec![
        ("id", key.id.clone()),
        ("name", key.name.clone()),
        ("customer", key.customer_id.clone()),
        ("state", state(details, now).to_owned()),
        ("scopes", joined(scopes.collect())),
        (
            "machines",
            limited(details.machines.is_some(), machines.collect(), "all"),
        ),
        (
            "networks",
            limited(key.networks.is_some(), networks.collect(), "any"),
        ),
        ("created", shown(Some(key.created_at))),
        ("expires", shown(key.expires_at)),
        ("revoked", shown(key.revoked_at)),
        ("last used", shown(key.last_used_at)),
        (
            "from",
            key.last_used_from.clone().unwrap_or_else(|| "-".to_owned()),
        ),
    ]
}

fn shown(time: Option<Timestamp>) -> String {
    time.map_or_else(|| "-".to_owned(), |time| format!("{time:.0}"))
}

fn table(keys: &[KeyDetails], now: Timestamp) -> String {
    let mut text = format!(
        "{:<14}{:<9}{:<22}{:<22}{:<32}NAME\n",
        "ID", "STATE", "EXPIRES", "LAST USED", "CUSTOMER"
    );
    for details in keys {
        let key = &details.key;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<14}{:<9}{:<22}{:<22}{:<32}{}",
            key.id,
            state(details, now),
            shown(key.expires_at),
            shown(key.last_used_at),
            key.customer_id,
            output::on_one_line(&key.name),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use innkeeper_hosting::model::Scope;
    use jiff::SignedDuration;

    use super::{Expiry, expiry, scope};

    #[test]
    fn every_scope_is_a_word() {
        for one in Scope::ALL {
            assert_eq!(scope(one.word()), Ok(*one));
        }
        let message = scope("game").unwrap_err();
        assert!(message.contains("game:read"), "{message}");
    }
    #[test]
    fn a_key_expires_at_a_time_or_after_one() {
        let time = "2027-01-01T00:00:00Z";
        assert_eq!(expiry(time), Ok(Expiry::At(time.parse().unwrap())));
        let week = SignedDuration::from_hours(24 * 7);
        assert_eq!(expiry("7d"), Ok(Expiry::After(week)));
    }
}
