//! Finds the client of the start page, for the feature that embeds it.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=INNKEEPER_PORTAL");
    if env::var_os("CARGO_FEATURE_PORTAL_CLIENT").is_none() {
        return;
    }
    match folder() {
        Some(folder) => {
            println!("cargo::rerun-if-changed={}", folder.display());
            println!("cargo::rustc-env=INNKEEPER_PORTAL={}", folder.display());
        }
        None => println!(
            "cargo::error=the feature `portal-client` embeds a file that is not there; \
             run scripts/portal, or name its folder in INNKEEPER_PORTAL"
        ),
    }
}

/// The folder that is named, or the one in the target folder.
fn folder() -> Option<PathBuf> {
    let complete = |folder: &Path| folder.join("auth-js.js").is_file();
    if let Some(named) = env::var_os("INNKEEPER_PORTAL") {
        return Some(PathBuf::from(named)).filter(|folder| complete(folder));
    }
    let out = PathBuf::from(env::var_os("OUT_DIR")?);
    let mut folders = out.ancestors().map(|above| above.join("portal"));
    folders.find(|folder| complete(folder))
}
