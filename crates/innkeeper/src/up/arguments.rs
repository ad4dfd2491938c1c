//! The command line of `innkeeper up`.

use std::path::PathBuf;

use clap::Args;

/// The default data folder.
pub(crate) const DATA_DIR: &str = ".innkeeper";

pub(crate) const EXAMPLES: &str = "\
Examples:
  innkeeper up
  innkeeper up --data-dir second --auth-port 9081 --hosting-port 9080 \\
    --portal-port 9082 --mail-port 3525
  innkeeper up --fresh

The first start writes the settings to .env in the data folder, with the given
ports or the defaults: 8081 (auth), 8080 (hosting), 8082 (start page) and 2525
(mailbox). At later starts, a port option applies to that run only. To use
another database than the private PostgreSQL, set DATABASE_URL there or in the
environment. Articles, plans and status checks are in the folder content of the
data folder; changes take effect at once.

With --fresh, all settings, the ports and the installed PostgreSQL are checked
first. Settings and content stay. Accounts, mails and machines are moved to the
folder backup-<time> in the data folder.

A demo virtual private server and a demo game server run with QEMU and Podman,
if these are installed. Ctrl-C stops them; the next start continues with them.";

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
pub(crate) struct Arguments {
    /// The folder for all data
    #[arg(long, value_name = "DIR", default_value = DATA_DIR)]
    pub(super) data_dir: PathBuf,
    /// The auth server's port; 0 picks a free one
    #[arg(long, value_name = "PORT")]
    pub(super) auth_port: Option<u16>,
    /// The hosting server's port; 0 picks a free one
    #[arg(long, value_name = "PORT")]
    pub(super) hosting_port: Option<u16>,
    /// The start page's port; 0 picks a free one
    #[arg(long, value_name = "PORT")]
    pub(super) portal_port: Option<u16>,
    /// The mailbox's port; 0 picks a free one
    #[arg(long, value_name = "PORT")]
    pub(super) mail_port: Option<u16>,
    /// Start no machines of customers
    #[arg(long)]
    pub(super) no_machines: bool,
    /// Start over; the old data is moved to a backup
    #[arg(long)]
    pub(super) fresh: bool,
    /// Do not ask whether to start over
    #[arg(long, requires = "fresh")]
    pub(super) yes: bool,
    /// Print JSON, one line per event
    #[arg(long)]
    pub(super) json: bool,
}
