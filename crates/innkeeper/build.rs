//! Tells the binary from which commit it was built.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    commit_of_the_version();
}

/// `INNKEEPER_COMMIT` for those who build without the repository, else what git says. Without either
/// the version stands alone.
fn commit_of_the_version() {
    println!("cargo::rerun-if-env-changed=INNKEEPER_COMMIT");
    let named = env::var_os("INNKEEPER_COMMIT").filter(|commit| !commit.is_empty());
    let commit = match named {
        Some(commit) => Some(commit.to_string_lossy().into_owned()),
        None => commit_of_git(),
    };
    let version = env!("CARGO_PKG_VERSION");
    let version = match commit {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=INNKEEPER_VERSION={version}");
}

/// The commit that is checked out, if this folder belongs to a repository of ours and not to one
/// around an unpacked archive.
fn commit_of_git() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    // It grows with every commit and every change of branch.
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
