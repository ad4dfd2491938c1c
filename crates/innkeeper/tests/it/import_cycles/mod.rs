//! No crate has a cycle of imports between more than three of its files, and its parts import downwards only.
//!
//! A file imports another when it names, outside of tests, an item that the other defines. Re-exports are
//! followed to the definition. The `mod` and `pub use` lines of a file that has child modules are its table
//! of contents and not imports.

mod graph; // strongly connected components
mod modules; // the modules of a crate, and what a path means in each
mod uses; // the paths that an item names
mod wings; // the order of a crate's parts

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use modules::Crate;

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
#[expect(clippy::print_stdout, reason = "it prints figures")]
fn no_part_of_a_crate_imports_one_above_it() {
    let mut report = String::new();
    let mut counts = String::from("crate         entries  imports upwards  cycles\n");
    for folder in crate_folders() {
        let name = folder.file_name().unwrap().to_string_lossy();
        let read = Crate::read(&folder.join("src"));
        let edges = read.imports();
        let (_, parts) = wings::WINGS
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap();
        let order = wings::order(&read.files(), &edges, parts);
        let exempt: BTreeSet<_> = wings::exempt(&name).collect();
        let entries = order.entries.len();
        let cycles = graph::cycles(&edges).len();
        writeln!(
            counts,
            "{name:<13} {entries:>7} {:>16} {cycles:>7}",
            order.upwards.len()
        )
        .unwrap();
        for file in &order.unplaced {
            writeln!(report, "{name}: {file} belongs to no part").unwrap();
        }
        let upwards: BTreeSet<_> = order.upwards.into_iter().collect();
        for (from, to) in upwards.difference(&exempt) {
            writeln!(report, "{name}: {from} -> {to} leads upwards").unwrap();
        }
        for (from, to) in exempt.difference(&upwards) {
            writeln!(
                report,
                "{name}: {from} -> {to} is exempt and does not exist"
            )
            .unwrap();
        }
    }
    println!("{counts}");
    assert!(report.is_empty(), "{report}");
}

fn crate_folders() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = fs::read_dir(crates).unwrap();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.join("src").is_dir());
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
fn a_module_and_its_item_may_have_the_same_name() {
    let found = cycles_of(&[
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "mod inner; pub use inner::inner;"),
        ("a/inner.rs", "use crate::b::B; pub fn inner() {}"),
        ("b.rs", "use crate::a::inner; pub struct B;"),
    ]);
    let cycle = ["a/inner.rs", "b.rs"].map(str::to_owned);
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
