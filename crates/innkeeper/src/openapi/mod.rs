//! `innkeeper openapi`: what a server's API is, without starting the server. One file per server.

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
    /// The document of the auth server, as it is at /openapi.json
    #[command(after_help = "Example:\n  innkeeper openapi auth > auth.json")]
    Auth,
    /// The document of the hosting server, as it is at /v1/openapi.json
    #[command(after_help = "Example:\n  innkeeper openapi hosting > hosting.json")]
    Hosting,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match arguments.server {
        Server::Auth => auth::run(),
        Server::Hosting => hosting::run(),
    }
}
