//! `innkeeper hosting profile`: game profiles.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use innkeeper_hosting::machine::{list_profiles, parse_profile, remove_profile, set_profile};
use innkeeper_hosting::model::GameProfile;
use innkeeper_service::clock::Clock;
use serde_json::{Value, json};

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
    /// Add a game profile, or replace the one with its name
    #[command(after_help = "Example:\n  innkeeper hosting profile set minecraft.toml")]
    Set {
        /// A TOML file
        file: PathBuf,
        /// Print JSON instead of the name alone
        #[arg(long)]
        json: bool,
    },
    /// List game profiles
    #[command(after_help = "Example:\n  innkeeper hosting profile list --json")]
    List {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Remove a game profile that no server uses
    #[command(after_help = "Example:\n  innkeeper hosting profile remove minecraft")]
    Remove {
        /// The profile's name
        name: String,
    },
}

pub(super) fn run(source: &SettingsSource, arguments: Arguments) -> anyhow::Result<()> {
    let config = source.hosting_config()?;
    match arguments.command {
        Command::Set { file, json } => {
            let name = file.display();
            let text = std::fs::read_to_string(&file);
            let text = text.with_context(|| format!("{name} cannot be read"))?;
            if let Err(faults) = parse_profile(&text) {
                let faults: Vec<String> = faults
                    .iter()
                    .map(|fault| format!("{name}:{fault}"))
                    .collect();
                anyhow::bail!("{}", faults.join("\n"));
            }
            let profile = task::run(set_profile(&config, &Clock::system(), &text))?;
            if json {
                return output::print_json(&as_json(&profile));
            }
            output::print(&format!("{}\n", profile.name))
        }
        Command::List { json } => {
            let profiles = task::run(list_profiles(&config))?;
            if json {
                let profiles: Vec<Value> = profiles.iter().map(as_json).collect();
                return output::print_json(&json!(profiles));
            }
            output::print(&table(&profiles))
        }
        Command::Remove { name } => {
            task::run(remove_profile(&config, &name))?;
            output::print(&format!("Profile {name} is removed.\n"))
        }
    }
}

fn as_json(profile: &GameProfile) -> Value {
    json!({
        "name": profile.name,
        "version": profile.version,
        "image": profile.image,
        "command": profile.command,
        "environment": profile.environment,
        "dataPath": profile.data_path,
        "stop": profile.stop,
        "readyPattern": profile.ready_pattern,
        "readySeconds": profile.ready_seconds,
        "ports": profile.ports,
        "readOnlyRoot": profile.read_only_root,
    })
}

fn table(profiles: &[GameProfile]) -> String {
    let names = profiles.iter().map(|profile| profile.name.len());
    let width = names.chain(["NAME".len()]).max().unwrap_or_default() + 2;
    let mut text = format!("{:<width$}{:<12}IMAGE\n", "NAME", "VERSION");
    for profile in profiles {
        let version = profile.version.as_deref().unwrap_or("-");
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<width$}{:<12}{}",
            profile.name,
            output::on_one_line(version),
            output::on_one_line(&profile.image)
        );
    }
    text
}
