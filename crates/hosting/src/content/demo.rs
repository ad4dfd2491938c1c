//! The demo content: articles, plans and images of a fictional company, and the disk image of its server.

use std::io;
use std::path::Path;

use crate::content::EmbeddedFile;

pub use crate::machines::engine::qemu::{DEMO_IMAGE, write_demo_image};

/// Makes a list of embedded files from their names.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(EmbeddedFile {
            name: $name,
            bytes: include_bytes!(concat!("../../content/", $name)),
        }),*]
    };
}

/// The files of the demo content, sorted by name.
pub const FILES: &[EmbeddedFile] = files![
    "blog/backups-you-can-restore.md",
    "blog/how-we-name-things.md",
    "blog/post-mortem-september-storage.md",
    "blog/turku-is-open.md",
    "images/covers/backups.svg",
    "images/covers/games.svg",
    "images/covers/kb.svg",
    "images/covers/names.png",
    "images/covers/storage.svg",
    "images/covers/turku.svg",
    "kb/billing/invoices-and-credit.md",
    "kb/games/console-commands.md",
    "kb/games/move-a-world.md",
    "kb/vps/first-steps.md",
    "kb/vps/restore-a-backup.md",
    "kb/web/point-a-domain.md",
    "plans.toml",
    "status.toml",
];

/// Writes the demo content into a folder, without replacing existing files.
pub fn write_to(folder: &Path) -> io::Result<()> {
    for file in FILES {
        let path = folder.join(file.name);
        if path.exists() {
            continue;
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, file.bytes)?;
    }
    Ok(())
}
