//! The options of `innkeeper auth compare`.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use url::Url;

#[derive(Debug, Args)]
pub(in crate::auth) struct Arguments {
    /// The server to compare
    #[arg(long, value_name = "URL", required_unless_present = "list")]
    with: Option<String>,
    /// The server or recording to compare it with
    #[arg(
        long,
        value_name = "URL|FILE",
        required_unless_present_any = ["record", "list"]
    )]
    against: Option<String>,
    /// Record the answers of --with in FILE instead
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    pub(super) record: Option<PathBuf>,
    /// A service token for the server of --with
    #[arg(long, value_name = "TOKEN")]
    with_token: Option<String>,
    /// A service token for the server of --against
    #[arg(long, value_name = "TOKEN")]
    against_token: Option<String>,
    /// Write to servers that have users too
    #[arg(long)]
    pub(super) scratch: bool,
    /// Only cases whose names begin so; repeatable
    #[arg(long, value_name = "PREFIX")]
    pub(super) only: Vec<String>,
    /// List the names of the cases
    #[arg(long)]
    pub(super) list: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(super) json: bool,
}

/// The address of a server and how to enter it.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) url: Url,
    pub(super) token: String,
    /// The option that gives the token, for messages.
    pub(super) token_option: &'static str,
}

/// What a server is compared with.
#[derive(Debug)]
pub(super) enum Other {
    Server(Side),
    File(PathBuf),
}

impl Arguments {
    pub(super) fn with(&self) -> anyhow::Result<Side> {
        let text = self.with.as_deref().context("--with is missing")?;
        let Some(url) = http_url(text) else {
            bail!("--with {text} is not the address of a server, such as http://localhost:8081");
        };
        Ok(Side {
            url,
            token: token(self.with_token.as_deref(), "--with-token")?,
            token_option: "--with-token",
        })
    }

    pub(super) fn against(&self) -> anyhow::Result<Other> {
        let text = self.against.as_deref().context("--against is missing")?;
        let Some(url) = http_url(text) else {
            return Ok(Other::File(PathBuf::from(text)));
        };
        Ok(Other::Server(Side {
            url,
            token: token(self.against_token.as_deref(), "--against-token")?,
            token_option: "--against-token",
        }))
    }
}

/// Parses the address of a server; anything else is the name of a file.
fn http_url(text: &str) -> Option<Url> {
    let is_http = text.starts_with("http://") || text.starts_with("https://");
    is_http.then(|| Url::parse(text).ok()).flatten()
}

/// Returns the token of an option or of the variable of the same name.
fn token(given: Option<&str>, option: &str) -> anyhow::Result<String> {
    let variable = format!(
        "COMPARE_{}",
        option
            .trim_start_matches('-')
            .replace('-', "_")
            .to_uppercase()
    );
    let token = given
        .map(str::to_owned)
        .or_else(|| env::var_os(&variable)?.into_string().ok())
        .map(|token| token.trim().to_owned())
        .filter(|token| !token.is_empty());
    token.ok_or_else(|| anyhow!("a service token is missing: give {option}, or set {variable}"))
}
