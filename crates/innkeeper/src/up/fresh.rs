//! `innkeeper up --fresh`: moves the data of earlier starts to a backup, once everything else was checked.

use std::fs::{self, DirBuilder};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use innkeeper_hosting::config::Config;
use innkeeper_hosting::end_machines;
use innkeeper_service::clock::Clock;
use innkeeper_service::cluster::Cluster;
use tokio::sync::oneshot;

use super::folder::DataFolder;
use crate::{output, progress};

/// The data of earlier starts. Settings and content are not part of it.
const DATA: [&str; 7] = [
    "postgres",
    "mail",
    "machines",
    "demo.json",
    "stopped.json",
    "innkeeper.log",
    "innkeeper.log.1",
];

/// Moves the data of the folder to a backup in it, after the user has agreed.
pub(super) async fn start_over(
    folder: &DataFolder,
    has_own_database: bool,
    is_agreed: bool,
) -> anyhow::Result<()> {
    // A symbolic link counts, even if it leads nowhere.
    let exists = |name: &&str| fs::symlink_metadata(folder.root().join(name)).is_ok();
    let data: Vec<&str> = DATA.into_iter().filter(exists).collect();
    if data.is_empty() {
        return Ok(());
    }
    let backup = backup_path(folder.root());
    if !is_agreed {
        ask(folder.root(), &backup, has_own_database).await?;
    }
    progress::show("Moving the data", move_data(folder, &data, &backup)).await?;
    output::tell(&format!("The old data is in {}.", backup.display()));
    Ok(())
}

fn backup_path(root: &Path) -> PathBuf {
    let now = Clock::system().now().strftime("%Y%m%dT%H%M%SZ");
    root.join(format!("backup-{now}"))
}

async fn move_data(folder: &DataFolder, data: &[&str], backup: &Path) -> anyhow::Result<()> {
    let root = folder.root();
    if data.contains(&"machines") {
        let ended = end_machines(&Config::defaults().vps, &folder.machines()?).await;
        ended.map_err(|error| anyhow!("the machines cannot be ended: {error}"))?;
    }
    // A server that was killed may still be writing.
    Cluster::wait_for_end(&folder.cluster()).await?;
    let moved = || -> io::Result<()> {
        DirBuilder::new().mode(0o700).create(backup)?;
        for name in data {
            fs::rename(root.join(name), backup.join(name))?;
        }
        // The stored keys can be opened only with the secret of the settings.
        if root.join(".env").exists() {
            fs::copy(root.join(".env"), backup.join(".env"))?;
        }
        Ok(())
    };
    moved().with_context(|| format!("cannot move the data to {}", backup.display()))
}

/// Asks the user on the terminal. Without one the answer is no.
async fn ask(root: &Path, backup: &Path, has_own_database: bool) -> anyhow::Result<()> {
    let shown = root.display();
    if !io::stdin().is_terminal() {
        bail!(
            "--fresh would erase the data in {shown}, and nobody can be asked here; to agree, pass --yes"
        );
    }
    let (moved, kept) = if has_own_database {
        ("Mails and machines", "settings, content and your database")
    } else {
        ("Accounts, mails and machines", "settings and content")
    };
    output::tell(&format!(
        "{moved} are moved to {};\n{kept} stay.",
        backup.display()
    ));
    // Without the prompt the answer can still be typed.
    let _ = write!(io::stderr(), "Start over in {shown}? [y/N] ");
    let (sender, answer) = oneshot::channel();
    // A thread of its own, so that Ctrl-C does not wait for it.
    std::thread::spawn(move || {
        let mut line = String::new();
        // Without an answer it is no.
        let _ = io::stdin().read_line(&mut line);
        let _ = sender.send(line);
    });
    let answer = answer.await.unwrap_or_default();
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => bail!("nothing was changed"),
    }
}
