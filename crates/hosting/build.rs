//! Finds the terminal of the console page, for the feature that embeds it.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=INNKEEPER_CONSOLE_PAGE");
    if env::var_os("CARGO_FEATURE_CONSOLE_PAGE").is_none() {
        return;
    }
    match console_page_folder() {
        Some(folder) => {
            println!("cargo::rerun-if-changed={}", folder.display());
            println!(
                "cargo::rustc-env=INNKEEPER_CONSOLE_PAGE={}",
                folder.display()
            );
        }
        None => println!(
            "cargo::error=the feature `console-page` needs the terminal of the console page; \
             run scripts/console-page, or set INNKEEPER_CONSOLE_PAGE to its folder"
        ),
    }
}

/// Returns the folder in `INNKEEPER_CONSOLE_PAGE`, or the one in the target folder.
fn console_page_folder() -> Option<PathBuf> {
    let is_complete = |folder: &Path| folder.join("xterm.js").is_file();
    if let Some(named) = env::var_os("INNKEEPER_CONSOLE_PAGE") {
        return Some(PathBuf::from(named)).filter(|folder| is_complete(folder));
    }
    let out = PathBuf::from(env::var_os("OUT_DIR")?);
    let mut folders = out.ancestors().map(|parent| parent.join("console-page"));
    folders.find(|folder| is_complete(folder))
}
