//! Finds the script of the docs page, for the feature that embeds it.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=INNKEEPER_DOCS_PAGE");
    if env::var_os("CARGO_FEATURE_DOCS_PAGE").is_none() {
        return;
    }
    match folder() {
        Some(folder) => {
            println!("cargo::rerun-if-changed={}", folder.display());
            println!("cargo::rustc-env=INNKEEPER_DOCS_PAGE={}", folder.display());
        }
        None => println!(
            "cargo::error=the feature `docs-page` embeds files that are not there; \
             run scripts/docs-page, or name their folder in INNKEEPER_DOCS_PAGE"
        ),
    }
}

/// The folder that is named, or the one in the target folder.
fn folder() -> Option<PathBuf> {
    let complete = |folder: &Path| folder.join("swagger-ui-bundle.js").is_file();
    if let Some(named) = env::var_os("INNKEEPER_DOCS_PAGE") {
        return Some(PathBuf::from(named)).filter(|folder| complete(folder));
    }
    let out = PathBuf::from(env::var_os("OUT_DIR")?);
    let mut folders = out.ancestors().map(|above| above.join("docs-page"));
    folders.find(|folder| complete(folder))
}
