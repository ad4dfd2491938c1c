//! No crate has a cycle of imports between more than three of its files, and the layers of the servers import
//! downwards only.
//!
//! A file imports another when it names, outside of tests, an item that the other defines. Re-exports are
//! followed to the definition. The `mod` and `pub use` lines of a file that has child modules are its table
//! of contents and not imports.

mod graph; // strongly connected components
mod modules; // the modules of a crate, and what a path means in each
mod uses; // the paths that an item names

use modules::Crate;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The number of files in the largest cycle that is tolerated.
const LIMIT: usize = 3;

#[test]
fn no_cycle_of_imports_has_more_than_three_files() {
    let mut report = String::new();
    for folder in crate_folders() {
        let edges = Crate::read(&folder.join("src")).imports();
        for cycle in graph::cycles(&edges) {
            if cycle.len() > LIMIT {
                describe(&folder, &cycle, &edges, &mut report);
            }
        }
    }
    assert!(report.is_empty(), "{report}");
}

#[test]
fn nothing_but_the_assembly_of_a_server_imports_its_http_layer() {
    // Pages stand beside the API.
    let is_http = |path: &str| path.starts_with("api/") || path.starts_with("pages/");
    for name in ["auth", "hosting"] {
        let upwards: Vec<_> = imports_of(name)
            .into_iter()
            .filter(|(from, to)| is_http(to) && !is_http(from) && from != "server.rs")
            .collect();
        assert_eq!(upwards, [], "{name}");
    }
}

#[test]
fn the_store_of_the_auth_server_imports_no_flow() {
    let below = ["store/", "model/", "config/"];
    let upwards: Vec<_> = imports_of("auth")
        .into_iter()
        .filter(|(from, to)| {
            from.starts_with("store/") && !below.iter().any(|part| to.starts_with(part))
        })
        .collect();
    assert_eq!(upwards, []);
}

fn imports_of(name: &str) -> BTreeSet<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    Crate::read(&crates.join(name).join("src")).imports()
}

/// The crates that people write; those made from SQL files are left out.
fn crate_folders() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = fs::read_dir(crates).unwrap();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    folders
        .retain(|path| path.join("src").is_dir() && !path.to_string_lossy().ends_with("-queries"));
    folders.sort();
    assert!(folders.len() > 5, "only {folders:?}");
    folders
}

fn describe(
    folder: &Path,
    cycle: &BTreeSet<String>,
    edges: &BTreeSet<(String, String)>,
    report: &mut String,
) {
    writeln!(
        report,
        "{}: a cycle of {} files",
        folder.display(),
        cycle.len()
    )
    .unwrap();
    for (from, to) in edges {
        if cycle.contains(from) && cycle.contains(to) {
            writeln!(report, "  {from} -> {to}").unwrap();
        }
    }
}

/// The cycles of a crate with these files.
fn cycles_of(files: &[(&str, &str)]) -> Vec<BTreeSet<String>> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    graph::cycles(&Crate::read(folder.path()).imports())
}

#[test]
fn imports_are_followed_through_reexports_globs_paths_and_macros() {
    let found = cycles_of(&[
        ("lib.rs", "mod a; mod b; mod c; mod d; pub use d::D;"),
        ("a.rs", "use crate::b::Named; fn a() {}"),
        ("b/mod.rs", "mod inner; pub use inner::Named;"),
        ("b/inner.rs", "use crate::c::*; pub struct Named(C);"),
        (
            "c.rs",
            "pub struct C; fn f() { println!(\"{:?}\", crate::D); }",
        ),
        ("d.rs", "pub struct D; fn f() { super::a::a() }"),
    ]);
    let cycle = ["a.rs", "b/inner.rs", "c.rs", "d.rs"].map(str::to_owned);
    assert_eq!(found, [BTreeSet::from(cycle)]);
}

#[test]
fn tests_and_tables_of_contents_are_not_imports() {
    let found = cycles_of(&[
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "mod inner; pub use inner::Inner; pub struct A;"),
        ("a/inner.rs", "use super::A; pub struct Inner(A);"),
        (
            "b.rs",
            "pub struct B; #[cfg(test)] mod tests { use crate::c::C; }",
        ),
    ]);
    assert_eq!(found, [] as [BTreeSet<String>; 0]);
}
