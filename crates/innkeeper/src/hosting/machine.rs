//! What `innkeeper hosting vps` and `innkeeper hosting game` share.

use std::fmt::Write as _;
use std::net::IpAddr;
use std::time::Duration;

use clap::Args;
use innkeeper_hosting::config::Config;
use innkeeper_hosting::machine::{
    self, ActionRecord, NewServer, OperatorRecord, PowerOutcome, PowerTask,
};
use innkeeper_hosting::model::{ActionCommand, ActionStatus, MachineKind, PortMapping};
use innkeeper_service::clock::Clock;
use serde_json::json;

use crate::output;
use crate::task;

/// Options of `add` for both kinds.
#[derive(Debug, Args)]
pub(super) struct AddServer {
    /// The customer's id
    #[arg(long, value_name = "CUSTOMER")]
    customer: String,
    /// The id in the API; a new one by default
    #[arg(long)]
    id: Option<String>,
    /// The name for people; the id by default
    #[arg(long)]
    name: Option<String>,
    /// The plan's name, shown to the customer
    #[arg(long)]
    plan: Option<String>,
    /// The location's name, shown to the customer
    #[arg(long)]
    location: Option<String>,
    /// An IP address of the machine; repeatable
    #[arg(long = "ip", value_name = "ADDRESS")]
    addresses: Vec<IpAddr>,
    /// A forwarded port, HOST:MACHINE[/udp]; repeatable
    #[arg(long = "port", value_name = "PORT")]
    ports: Vec<PortMapping>,
    /// Seconds it may take to stop before it is forced
    #[arg(long, value_name = "N")]
    stop_seconds: Option<u32>,
    /// Print JSON instead of the id alone
    #[arg(long)]
    json: bool,
}

impl AddServer {
    /// Returns what is told about the machine, and whether to print JSON.
    pub(super) fn into_parts(self) -> (NewServer, bool) {
        let server = NewServer {
            customer: self.customer,
            id: self.id,
            name: self.name,
            plan: self.plan,
            location: self.location,
            addresses: self.addresses,
            ports: self.ports,
            stop_seconds: self.stop_seconds,
        };
        (server, self.json)
    }
}

/// Options of `list`.
#[derive(Debug, Args)]
pub(super) struct List {
    /// Only the machines of this customer
    #[arg(long, value_name = "CUSTOMER")]
    customer: Option<String>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// The machine that a command is about.
#[derive(Debug, Args)]
pub(super) struct Target {
    /// The machine's id
    id: String,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Options of commands that change the power of a machine.
#[derive(Debug, Args)]
pub(super) struct Power {
    #[command(flatten)]
    target: Target,
    /// Wait this long for the end
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 0,
        hide_default_value = true
    )]
    wait: u64,
}

/// Options of `stop` and `restart`.
#[derive(Debug, Args)]
pub(super) struct Stop {
    #[command(flatten)]
    power: Power,
    /// Turn it off at once
    #[arg(long, conflicts_with = "timeout")]
    force: bool,
    /// Seconds it may take before it is forced, 0 to 600
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(0..=600))]
    timeout: Option<u32>,
}

/// Options of `remove`.
#[derive(Debug, Args)]
pub(super) struct Remove {
    #[command(flatten)]
    power: Power,
    /// Confirm that its data is deleted
    #[arg(long, required = true)]
    yes: bool,
}

/// A command that both kinds of machines have.
#[derive(Debug)]
pub(super) enum MachineCommand {
    List(List),
    Show(Target),
    Power(ActionCommand, Power),
    Stop(ActionCommand, Stop),
    Unsuspend(Target),
    Remove(Remove),
}

/// Runs a command.
pub(super) fn run(
    config: &Config,
    kind: MachineKind,
    command: MachineCommand,
) -> anyhow::Result<()> {
    let clock = Clock::system();
    match command {
        MachineCommand::List(List { customer, json }) => {
            let list = machine::list_machines(config, kind, customer.as_deref());
            let machines = task::run(list)?;
            if json {
                return output::print_json(&json!(machines));
            }
            output::print(&table(&machines))
        }
        MachineCommand::Show(Target { id, json }) => {
            let machine = task::run(machine::show_machine(config, kind, &id))?;
            print_machine(&machine, json)
        }
        MachineCommand::Power(command, power) => {
            control(config, kind, &power, PowerTask::new(command))
        }
        MachineCommand::Stop(command, stop) => {
            let task = PowerTask {
                force: stop.force,
                stop_seconds: stop.timeout,
                ..PowerTask::new(command)
            };
            control(config, kind, &stop.power, task)
        }
        MachineCommand::Unsuspend(Target { id, json }) => {
            let unsuspended = machine::unsuspend_machine(config, &clock, kind, &id);
            let machine = task::run(unsuspended)?;
            if json {
                return output::print_json(&json!(machine));
            }
            output::print(&format!("{kind} {id} is not suspended any more.\n"))
        }
        MachineCommand::Remove(remove) => {
            let task = PowerTask::new(ActionCommand::Remove);
            control(config, kind, &remove.power, task)
        }
    }
}

fn control(
    config: &Config,
    kind: MachineKind,
    power: &Power,
    task: PowerTask,
) -> anyhow::Result<()> {
    let clock = Clock::system();
    let task = PowerTask {
        wait: Duration::from_secs(power.wait),
        ..task
    };
    let id = &power.target.id;
    let outcome = machine::control_machine(config, &clock, kind, id, task);
    let PowerOutcome { action, server } = task::run(outcome)?;
    if power.target.json {
        output::print_json(&json!({ "action": action, "server": server }))?;
    } else {
        let state = server.map_or("removed", |server| server.state.word());
        let action_text = describe(&action);
        output::print(&format!("{kind} {id} is {state}. {action_text}\n"))?;
    }
    match action.error {
        Some(error) => Err(anyhow::anyhow!("{}: {}", error.code, error.message)),
        None => Ok(()),
    }
}

fn describe(action: &ActionRecord) -> String {
    let (id, command) = (&action.id, action.command);
    match (action.status, action.result) {
        (ActionStatus::Success, Some(result)) => format!("Action {id} ({command}): {result}."),
        (status, _) => format!("Action {id} ({command}) is {status}."),
    }
}

/// Prints a machine that was added.
pub(super) fn print_added(machine: &OperatorRecord, json: bool) -> anyhow::Result<()> {
    if json {
        return output::print_json(&json!(machine));
    }
    output::print(&format!("{}\n", machine.id))
}

fn print_machine(machine: &OperatorRecord, json: bool) -> anyhow::Result<()> {
    if json {
        return output::print_json(&json!(machine));
    }
    let mut rows = vec![
        ("id", machine.id.clone()),
        ("name", machine.name.clone()),
        ("customer", machine.customer.clone()),
        ("state", machine.state.to_string()),
        ("ports", ports(machine)),
        ("own id", machine.machine_id.to_string()),
    ];
    if let Some(failure) = &machine.failure {
        rows.push(("failure", failure.clone()));
    }
    output::print(&output::pairs(&rows))
}

fn ports(machine: &OperatorRecord) -> String {
    let ports: Vec<String> = machine.ports.iter().map(ToString::to_string).collect();
    ports.join(" ")
}

fn table(machines: &[OperatorRecord]) -> String {
    let longest = |text: fn(&OperatorRecord) -> usize, head: &str| {
        let lengths = machines.iter().map(text);
        lengths.chain([head.len()]).max().unwrap_or_default() + 2
    };
    let id_width = longest(|machine| machine.id.len(), "ID");
    let customer_width = longest(|machine| machine.customer.len(), "CUSTOMER");
    let port_width = longest(|machine| ports(machine).len(), "PORTS");
    let mut text = format!(
        "{:<id_width$}{:<customer_width$}{:<12}{:<port_width$}NAME\n",
        "ID", "CUSTOMER", "STATE", "PORTS"
    );
    for machine in machines {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<id_width$}{:<customer_width$}{:<12}{:<port_width$}{}",
            machine.id,
            machine.customer,
            machine.state.word(),
            ports(machine),
            output::on_one_line(&machine.name),
        );
    }
    text
}
