//! `innkeeper hosting customer`: manages customers, who own keys and machines.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use innkeeper_hosting::model::{Customer, CustomerSummary, PublicId};
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
    /// Add a customer and print the id
    #[command(after_help = "Example:\n  innkeeper hosting customer add \"North Ltd\"")]
    Add {
        /// The name, for operators
        name: String,
        /// The id, if it has one elsewhere [default: a new one]
        #[arg(long, value_parser = id)]
        id: Option<PublicId>,
        /// Print JSON instead of the id alone
        #[arg(long)]
        json: bool,
    },
    /// List all customers
    #[command(after_help = "Example:\n  innkeeper hosting customer list --json")]
    List {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Remove a customer without machines, and the customer's keys
    #[command(after_help = "Example:\n  innkeeper hosting customer remove north")]
    Remove {
        /// The customer's id
        id: String,
    },
}

fn id(text: &str) -> Result<PublicId, String> {
    let expected = "must be a letter or digit, and at most 63 of these and . _ ~ -";
    PublicId::parse(text).ok_or_else(|| expected.to_owned())
}

pub(super) fn run(source: &SettingsSource, arguments: Arguments) -> anyhow::Result<()> {
    let config = source.hosting_config()?;
    let clock = Clock::system();
    match arguments.command {
        Command::Add { name, id, json } => {
            let add = innkeeper_hosting::add_customer(&config, &clock, &name, id.as_ref());
            let customer = task::run(add)?;
            if json {
                return output::print_json(&as_json(&customer));
            }
            output::print(&format!("{}\n", customer.id))
        }
        Command::List { json } => {
            let customers = task::run(innkeeper_hosting::list_customers(&config))?;
            if json {
                let documents: Vec<Value> = customers.iter().map(summary_json).collect();
                return output::print_json(&json!(documents));
            }
            output::print(&table(&customers))
        }
        Command::Remove { id } => {
            task::run(innkeeper_hosting::remove_customer(&config, &clock, &id))?;
            output::print(&format!("Customer {id} is removed.\n"))
        }
    }
}

fn as_json(customer: &Customer) -> Value {
    json!({
        "id": customer.id,
        "name": customer.name,
        "createdAt": format!("{:.3}", customer.created_at),
    })
}

fn summary_json(summary: &CustomerSummary) -> Value {
    let mut document = as_json(&summary.customer);
    if let Some(document) = document.as_object_mut() {
        document.insert("machines".to_owned(), summary.machines.into());
        document.insert("keys".to_owned(), summary.keys.into());
    }
    document
}

fn table(customers: &[CustomerSummary]) -> String {
    let mut text = format!(
        "{:<32}{:<22}{:<10}{:<6}NAME\n",
        "ID", "CREATED", "MACHINES", "KEYS"
    );
    for summary in customers {
        let customer = &summary.customer;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<32}{:<22}{:<10}{:<6}{}",
            customer.id,
            format!("{:.0}", customer.created_at),
            summary.machines,
            summary.keys,
            output::on_one_line(&customer.name),
        );
    }
    text
}
