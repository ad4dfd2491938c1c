//! `innkeeper about`: lists the parts and their versions.

use std::fmt::Write;

use clap::Args;
use serde_json::json;

use crate::output;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

struct Part {
    name: &'static str,
    version: &'static str,
    summary: &'static str,
}

const PARTS: &[Part] = &[
    Part {
        name: "rest",
        // All packages have the workspace's version; the framework exports no constant of its own.
        version: env!("CARGO_PKG_VERSION"),
        summary: "the REST framework, a library",
    },
    Part {
        name: "auth",
        version: innkeeper_auth::VERSION,
        summary: "the authentication server, `innkeeper auth serve`",
    },
    Part {
        name: "hosting",
        version: innkeeper_hosting::VERSION,
        summary: "the hosting server, `innkeeper hosting serve`",
    },
];

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    output::print(&if arguments.json {
        as_json()
    } else {
        as_table()
    })
}

fn as_table() -> String {
    let mut table = format!("{:<10}{:<10}{}\n", "PART", "VERSION", "DESCRIPTION");
    for part in PARTS {
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "{:<10}{:<10}{}",
            part.name, part.version, part.summary
        );
    }
    table
}

fn as_json() -> String {
    let parts: Vec<_> = PARTS
        .iter()
        .map(|part| json!({ "name": part.name, "version": part.version, "summary": part.summary }))
        .collect();
    let document = json!({ "version": env!("CARGO_PKG_VERSION"), "parts": parts });
    format!("{document:#}\n")
}
