//! `innkeeper status`: tells whether `innkeeper up` runs, and where its parts are.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::up::{self, Announcement};
use crate::{output, task};

pub(crate) const EXAMPLES: &str = "\
Examples:
  innkeeper status
  innkeeper status --json

The exit code is 1 if it does not run, or if a part does not respond.";

/// How long a part may take to respond.
const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The data folder of `innkeeper up`
    #[arg(long, value_name = "DIR", default_value = up::DATA_DIR)]
    data_dir: PathBuf,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// A part of `innkeeper up`.
struct PartStatus {
    name: &'static str,
    address: String,
    /// Why it does not work.
    problem: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let folder = &arguments.data_dir;
    let Some(up) = up::find_running(folder) else {
        if arguments.json {
            output::print_json(&json!({ "running": false, "data_dir": folder }))?;
        }
        bail!(
            "no `innkeeper up` runs in {}; start it with `innkeeper up`",
            folder.display()
        );
    };
    let parts = task::block_on("Asking the servers", async {
        let client = Client::builder().timeout(TIMEOUT).no_proxy().build();
        ask_parts(&up, &client.context("cannot start")?).await
    })?;
    if arguments.json {
        output::print_json(&as_json(folder, &up, &parts))?;
    } else {
        output::print(&as_text(folder, &up, &parts))?;
    }
    match parts.iter().filter(|part| part.problem.is_some()).count() {
        0 => Ok(()),
        1 => Err(anyhow!("one part does not respond")),
        number => Err(anyhow!("{number} parts do not respond")),
    }
}

async fn ask_parts(up: &Announcement, client: &Client) -> anyhow::Result<Vec<PartStatus>> {
    let (auth, hosting) = (up.text("auth_url")?, up.text("hosting_url")?);
    let portal = up.text("portal_url")?;
    let auth_health = format!("{auth}/health?deep=1");
    let hosting_health = format!("{}/health?deep=1", hosting.trim_end_matches("/v1"));
    let mail = up
        .number("mail_port")
        .and_then(|port| u16::try_from(port).ok());
    let (auth_problem, hosting_problem, portal_problem, mail_problem) = tokio::join!(
        get(client, &auth_health),
        get(client, &hosting_health),
        get(client, &portal),
        async {
            match mail {
                Some(port) => connect(port).await,
                None => None,
            }
        }
    );
    let part = |name, address, problem| PartStatus {
        name,
        address,
        problem,
    };
    let mut parts = vec![
        part("auth", auth, auth_problem),
        part("hosting", hosting, hosting_problem),
        part("start page", portal, portal_problem),
    ];
    if let Some(port) = mail {
        let address = format!("smtp://{}:{port}", Ipv4Addr::LOCALHOST);
        parts.push(part("mailbox", address, mail_problem));
    }
    Ok(parts)
}

/// Returns why a page cannot be fetched.
async fn get(client: &Client, url: &str) -> Option<String> {
    match client.get(url).send().await {
        Ok(response) if response.status().is_success() => None,
        Ok(response) => Some(format!("answers {}", response.status())),
        Err(error) if error.is_timeout() => Some("no response in time".to_owned()),
        Err(_) => Some("no connection".to_owned()),
    }
}

async fn connect(port: u16) -> Option<String> {
    match timeout(TIMEOUT, TcpStream::connect((Ipv4Addr::LOCALHOST, port))).await {
        Ok(Ok(_)) => None,
        _ => Some("no connection".to_owned()),
    }
}

fn as_text(folder: &Path, up: &Announcement, parts: &[PartStatus]) -> String {
    let rows: Vec<Vec<String>> = parts
        .iter()
        .map(|part| {
            let state = part.problem.as_deref().unwrap_or("ok");
            vec![part.name.to_owned(), state.to_owned(), part.address.clone()]
        })
        .collect();
    let since = output::short_time(up.optional_text("started_at").unwrap_or_default());
    format!(
        "`innkeeper up` runs in {}, process {}, since {since}.\n\n{}",
        folder.display(),
        up.number("pid").unwrap_or_default(),
        output::table(&["PART", "STATE", "ADDRESS"], &rows)
    )
}

fn as_json(folder: &Path, up: &Announcement, parts: &[PartStatus]) -> Value {
    let parts: Vec<Value> = parts
        .iter()
        .map(|part| {
            json!({
                "name": part.name,
                "address": part.address,
                "state": if part.problem.is_none() { "ok" } else { "down" },
                "problem": part.problem,
            })
        })
        .collect();
    json!({
        "running": true,
        "data_dir": folder,
        "pid": up.number("pid"),
        "started_at": up.optional_text("started_at"),
        "log_file": up.optional_text("log_file"),
        "parts": parts,
    })
}
