//! `innkeeper hosting vps`: virtual private servers.

use std::str::FromStr;

use clap::{Args, Subcommand};
use innkeeper_hosting::machine::{NewVps, add_vps};
use innkeeper_hosting::model::{ActionCommand, ByteSize, MachineKind, VpsNetwork};
use innkeeper_service::clock::Clock;

use super::machine::{
    self, AddServer, List, MachineCommand, Power, Remove, Stop, Target, print_added,
};
use crate::settings_source::SettingsSource;
use crate::task;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Add a virtual private server, which is off, and print its id
    #[command(
        override_usage = "innkeeper hosting vps add [OPTIONS] --customer <CUSTOMER> \\\n  \
                          --image <FILE> --disk <SIZE> --memory <SIZE>",
        after_help = "Example:\n  \
        innkeeper hosting vps add --customer cus_01kx --image /srv/debian.qcow2 \\\n    \
        --disk 20G --memory 2G --cpus 2 --port 2222:22/tcp"
    )]
    Add(Box<Add>),
    /// List virtual private servers
    #[command(after_help = "Example:\n  innkeeper hosting vps list --json")]
    List(List),
    /// Show a virtual private server
    #[command(after_help = "Example:\n  innkeeper hosting vps show web-1")]
    Show(Target),
    /// Start a virtual private server
    #[command(after_help = "Example:\n  innkeeper hosting vps start web-1 --wait 30")]
    Start(Power),
    /// Stop a virtual private server
    #[command(after_help = "Example:\n  innkeeper hosting vps stop web-1 --timeout 120")]
    Stop(Stop),
    /// Reset a virtual private server, as by its reset button
    #[command(after_help = "Example:\n  innkeeper hosting vps reset web-1")]
    Reset(Power),
    /// Turn a virtual private server off at once
    #[command(after_help = "Example:\n  innkeeper hosting vps kill web-1")]
    Kill(Power),
    /// Stop a virtual private server and keep it off
    #[command(after_help = "Example:\n  innkeeper hosting vps suspend web-1")]
    Suspend(Power),
    /// Allow a suspended virtual private server to be started
    #[command(after_help = "Example:\n  innkeeper hosting vps unsuspend web-1")]
    Unsuspend(Target),
    /// Stop a virtual private server and delete it with its disk
    #[command(after_help = "Example:\n  innkeeper hosting vps remove web-1 --yes")]
    Remove(Remove),
}

#[derive(Debug, Args)]
struct Add {
    #[command(flatten)]
    server: AddServer,
    /// The image that the disk is made of
    #[arg(long, value_name = "FILE")]
    image: String,
    /// The size of the disk, such as 20G
    #[arg(long, value_name = "SIZE")]
    disk: ByteSize,
    /// The memory, such as 2G
    #[arg(long, value_name = "SIZE")]
    memory: ByteSize,
    /// The number of processors
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    cpus: u32,
    /// none, user (default), or tap:BRIDGE
    #[arg(long, default_value = "user", hide_default_value = true)]
    network: Network,
}

/// A network, as it is written on the command line.
#[derive(Debug, Clone)]
struct Network(VpsNetwork);

impl FromStr for Network {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        match text.split_once(':') {
            None if text == "none" => Ok(Self(VpsNetwork::None)),
            None if text == "user" => Ok(Self(VpsNetwork::User)),
            Some(("tap", bridge)) if !bridge.is_empty() => {
                Ok(Self(VpsNetwork::Tap(bridge.to_owned())))
            }
            _ => Err("expected none, user or tap:BRIDGE"),
        }
    }
}

pub(super) fn run(source: &SettingsSource, arguments: Arguments) -> anyhow::Result<()> {
    let config = source.hosting_config()?;
    let command = match arguments.command {
        Command::Add(add) => {
            let (server, json) = add.server.into_parts();
            let new = NewVps {
                server,
                image: add.image,
                disk: add.disk,
                memory: add.memory,
                cpus: add.cpus,
                network: add.network.0,
            };
            let added = task::run(add_vps(&config, &Clock::system(), new))?;
            return print_added(&added, json);
        }
        Command::List(list) => MachineCommand::List(list),
        Command::Show(target) => MachineCommand::Show(target),
        Command::Start(power) => MachineCommand::Power(ActionCommand::Start, power),
        Command::Stop(stop) => MachineCommand::Stop(ActionCommand::Stop, stop),
        Command::Reset(power) => MachineCommand::Power(ActionCommand::Reset, power),
        Command::Kill(power) => MachineCommand::Power(ActionCommand::Kill, power),
        Command::Suspend(power) => MachineCommand::Power(ActionCommand::Suspend, power),
        Command::Unsuspend(target) => MachineCommand::Unsuspend(target),
        Command::Remove(remove) => MachineCommand::Remove(remove),
    };
    machine::run(&config, MachineKind::Vps, command)
}

#[cfg(test)]
mod tests {
    use super::Network;

    #[test]
    fn networks_have_three_spellings() {
        for text in ["none", "user", "tap:br0"] {
            assert!(text.parse::<Network>().is_ok(), "{text}");
        }
        for wrong in ["", "tap", "tap:", "bridge:br0", "User", "user:1"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }
}
