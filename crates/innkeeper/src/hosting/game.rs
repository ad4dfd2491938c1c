//! `innkeeper hosting game`: game servers.

use clap::{Args, Subcommand};
use innkeeper_hosting::machine::{NewGame, add_game};
use innkeeper_hosting::model::{ActionCommand, ByteSize, MachineKind};
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
    /// Add a game server, which is off, and print its id
    #[command(
        override_usage = "innkeeper hosting game add [OPTIONS] --customer <CUSTOMER> \\\n  \
                          --profile <PROFILE> --disk <SIZE> --memory <SIZE>",
        after_help = "Example:\n  \
        innkeeper hosting game add --customer cus_01kx --profile minecraft \\\n    \
        --memory 4G --disk 10G --cpus 2 --port 25565:25565/tcp\n\n\
        Without --port, the server gets free ports of HOSTING_GAME_PORTS."
    )]
    Add(Box<Add>),
    /// List game servers
    #[command(after_help = "Example:\n  innkeeper hosting game list --json")]
    List(List),
    /// Show a game server
    #[command(after_help = "Example:\n  innkeeper hosting game show survival")]
    Show(Target),
    /// Start a game server
    #[command(after_help = "Example:\n  innkeeper hosting game start survival --wait 30")]
    Start(Power),
    /// Stop a game server
    #[command(after_help = "Example:\n  innkeeper hosting game stop survival --timeout 120")]
    Stop(Stop),
    /// Stop a game server and start it again
    #[command(after_help = "Example:\n  innkeeper hosting game restart survival")]
    Restart(Stop),
    /// Kill a game server at once
    #[command(after_help = "Example:\n  innkeeper hosting game kill survival")]
    Kill(Power),
    /// Stop a game server and keep it off
    #[command(after_help = "Example:\n  innkeeper hosting game suspend survival")]
    Suspend(Power),
    /// Allow a suspended game server to be started
    #[command(after_help = "Example:\n  innkeeper hosting game unsuspend survival")]
    Unsuspend(Target),
    /// Stop a game server and delete it with its volume
    #[command(after_help = "Example:\n  innkeeper hosting game remove survival --yes")]
    Remove(Remove),
}

#[derive(Debug, Args)]
struct Add {
    #[command(flatten)]
    server: AddServer,
    /// The profile of the game
    #[arg(long)]
    profile: String,
    /// The size of the volume, such as 10G
    #[arg(long, value_name = "SIZE")]
    disk: ByteSize,
    /// The memory, such as 4G
    #[arg(long, value_name = "SIZE")]
    memory: ByteSize,
    /// Processors, such as 2 or 0.5
    #[arg(long, value_name = "NUMBER", default_value = "1", value_parser = cpu_millis)]
    cpus: u32,
    /// The largest number of processes
    #[arg(long, value_name = "NUMBER", default_value_t = 512)]
    pids: u32,
    /// How many players it is meant for
    #[arg(long, value_name = "NUMBER")]
    slots: Option<u32>,
    /// Do not start it again after a crash
    #[arg(long)]
    no_auto_restart: bool,
}

/// Parses a number of processors with up to three digits after the point, as thousandths.
fn cpu_millis(text: &str) -> Result<u32, &'static str> {
    const EXPECTED: &str = "expected a number such as 2 or 0.5";
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || fraction.len() > 3 {
        return Err(EXPECTED);
    }
    let whole: u32 = whole.parse().map_err(|_| EXPECTED)?;
    let fraction: u32 = format!("{fraction:0<3}").parse().map_err(|_| EXPECTED)?;
    let millis = whole.checked_mul(1000).ok_or(EXPECTED)?;
    millis.checked_add(fraction).ok_or(EXPECTED)
}

pub(super) fn run(source: &SettingsSource, arguments: Arguments) -> anyhow::Result<()> {
    let config = source.hosting_config()?;
    let command = match arguments.command {
        Command::Add(add) => {
            let (server, json) = add.server.into_parts();
            let new = NewGame {
                server,
                profile: add.profile,
                disk: add.disk,
                memory: add.memory,
                cpu_millis: add.cpus,
                pids: add.pids,
                slots: add.slots,
                auto_restart: !add.no_auto_restart,
            };
            let added = task::run(add_game(&config, &Clock::system(), new))?;
            return print_added(&added, json);
        }
        Command::List(list) => MachineCommand::List(list),
        Command::Show(target) => MachineCommand::Show(target),
        Command::Start(power) => MachineCommand::Power(ActionCommand::Start, power),
        Command::Stop(stop) => MachineCommand::Stop(ActionCommand::Stop, stop),
        Command::Restart(stop) => MachineCommand::Stop(ActionCommand::Restart, stop),
        Command::Kill(power) => MachineCommand::Power(ActionCommand::Kill, power),
        Command::Suspend(power) => MachineCommand::Power(ActionCommand::Suspend, power),
        Command::Unsuspend(target) => MachineCommand::Unsuspend(target),
        Command::Remove(remove) => MachineCommand::Remove(remove),
    };
    machine::run(&config, MachineKind::Game, command)
}

#[cfg(test)]
mod tests {
    use super::cpu_millis;

    #[test]
    fn processors_have_up_to_three_digits_after_the_point() {
        for (text, millis) in [("2", 2000), ("0.5", 500), ("1.25", 1250), ("0.001", 1)] {
            assert_eq!(cpu_millis(text), Ok(millis));
        }
        for wrong in ["", ".", ".5", "1.", "-1", "1e3", "0.0001", "4294968", "1,5"] {
            assert!(cpu_millis(wrong).is_err(), "{wrong}");
        }
    }
}
