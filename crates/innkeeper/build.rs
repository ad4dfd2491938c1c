//! Sets the version of the binary, with its commit, and finds the JavaScript client of the start page.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    set_version();
    set_portal_folder();
}

/// Sets `INNKEEPER_PORTAL`, the folder of the client, for the feature that embeds it.
fn set_portal_folder() {
    println!("cargo::rerun-if-env-changed=INNKEEPER_PORTAL");
    if env::var_os("CARGO_FEATURE_PORTAL_CLIENT").is_none() {
        return;
    }
    match portal_folder() {
        Some(folder) => {
            println!("cargo::rerun-if-changed={}", folder.display());
            println!("cargo::rustc-env=INNKEEPER_PORTAL={}", folder.display());
        }
        None => println!(
            "cargo::error=the feature `portal-client` needs the JavaScript client; \
             run scripts/portal, or set INNKEEPER_PORTAL to its folder"
        ),
    }
}

/// Returns the folder in `INNKEEPER_PORTAL`, or the one in the target folder.
fn portal_folder() -> Option<PathBuf> {
    let is_complete = |folder: &Path| folder.join("auth-js.js").is_file();
    if let Some(named) = env::var_os("INNKEEPER_PORTAL") {
        return Some(PathBuf::from(named)).filter(|folder| is_complete(folder));
    }
    let out = PathBuf::from(env::var_os("OUT_DIR")?);
    let mut folders = out.ancestors().map(|parent| parent.join("portal"));
    folders.find(|folder| is_complete(folder))
}

/// Sets `INNKEEPER_VERSION`. The commit is `INNKEEPER_COMMIT`, for builds outside the repository, or
/// comes from git; without either there is none.
fn set_version() {
    println!("cargo::rerun-if-env-changed=INNKEEPER_COMMIT");
    let named = env::var_os("INNKEEPER_COMMIT").filter(|commit| !commit.is_empty());
    let commit = match named {
        Some(commit) => Some(commit.to_string_lossy().into_owned()),
        None => git_commit(),
    };
    let version = env!("CARGO_PKG_VERSION");
    let version = match commit {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=INNKEEPER_VERSION={version}");
}

/// Returns the current commit, if this folder is tracked by git: it may be an unpacked archive inside
/// another repository.
fn git_commit() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    // This file changes with every commit and every switch of branches.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
