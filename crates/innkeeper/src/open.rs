//! `innkeeper open`: opens a page of `innkeeper up` in the browser.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::bail;
use clap::{Args, ValueEnum};

use crate::output;
use crate::up::{self, Announcement};

pub(crate) const EXAMPLES: &str = "\
Examples:
  innkeeper open
  innkeeper open mailbox
  innkeeper open docs --print

The program in BROWSER is run if it is set, else xdg-open or open.";

/// Programs that open a page in the user's browser.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The page: start, mailbox or docs
    #[arg(value_enum, default_value_t = PageName::Start, hide_possible_values = true)]
    page: PageName,
    /// Print its address instead
    #[arg(long)]
    print: bool,
    /// The data folder of `innkeeper up`
    #[arg(long, value_name = "DIR", default_value = up::DATA_DIR)]
    data_dir: PathBuf,
}

/// A page of `innkeeper up`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PageName {
    Start,
    Mailbox,
    Docs,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let folder = &arguments.data_dir;
    let Some(up) = up::find_running(folder) else {
        bail!(
            "no `innkeeper up` runs in {}; start it with `innkeeper up`",
            folder.display()
        );
    };
    let address = arguments.page.address(&up)?;
    if !arguments.print {
        open(&address)?;
    }
    output::print(&format!("{address}\n"))
}

impl PageName {
    fn address(self, up: &Announcement) -> anyhow::Result<String> {
        match self {
            Self::Start => up.text("portal_url"),
            Self::Mailbox => match up.optional_text("mailbox_url") {
                Some(address) => Ok(address.to_owned()),
                None => {
                    bail!("mail goes to the mail server in the settings, so there is no mailbox")
                }
            },
            Self::Docs => Ok(format!("{}/docs", up.text("hosting_url")?)),
        }
    }
}

fn open(address: &str) -> anyhow::Result<()> {
    let own = std::env::var_os("BROWSER").filter(|program| !program.is_empty());
    let programs: Vec<OsString> = match own {
        Some(program) => vec![program],
        None => OPENERS.map(OsString::from).into(),
    };
    for program in &programs {
        let mut command = Command::new(program);
        command.arg(address).stdin(Stdio::null());
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        if status.is_ok_and(|status| status.success()) {
            return Ok(());
        }
    }
    bail!("no browser could be started; open {address} yourself")
}
