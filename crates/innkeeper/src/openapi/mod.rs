//! `innkeeper openapi`: prints the description of a server's API without starting the server.

mod auth;
mod hosting;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    server: Server,
}

#[derive(Debug, Subcommand)]
enum Server {
    /// Print the auth server's document (/openapi.json)
    #[command(after_help = "Example:\n  innkeeper openapi auth > auth.json")]
    Auth,
    /// Print the hosting server's document (/v1/openapi.json)
    #[command(after_help = "Example:\n  innkeeper openapi hosting > hosting.json")]
    Hosting,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match arguments.server {
        Server::Auth => auth::run(),
        Server::Hosting => hosting::run(),
    }
}
