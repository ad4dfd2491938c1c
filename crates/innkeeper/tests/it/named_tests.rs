//! Tests that pages of the documentation name, and whether they exist and run.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

/// `rest::routing::literal_wins_over_parameter`: crate, modules, function.
#[derive(Debug, PartialEq)]
pub(crate) struct TestName {
    pub(crate) krate: String,
    pub(crate) modules: Vec<String>,
    pub(crate) function: String,
}

impl TestName {
    /// Whether there is such a test, and it is not ignored.
    pub(crate) fn exists(&self) -> bool {
        files_of(&root(), self).unwrap().iter().any(|file| {
            fs::read_to_string(file).is_ok_and(|source| has_test(&source, &self.function))
        })
    }
}

impl fmt::Display for TestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modules = self.modules.join("::");
        write!(f, "{}::{modules}::{}", self.krate, self.function)
    }
}

/// Parses `crate::module::test_name`, with or without backticks.
pub(crate) fn parse_test_name(text: &str) -> Result<TestName, String> {
    let text = text.trim().trim_matches('`');
    let is_name = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_lowercase())
            && part
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let parts: Vec<&str> = text.split("::").collect();
    match parts.as_slice() {
        [krate, modules @ .., function]
            if !modules.is_empty() && parts.iter().all(|part| is_name(part)) =>
        {
            Ok(TestName {
                krate: (*krate).to_owned(),
                modules: modules.iter().map(|&module| module.to_owned()).collect(),
                function: (*function).to_owned(),
            })
        }
        _ => Err(format!(
            "`{text}` is neither `open` nor `crate::module::test_name`"
        )),
    }
}

/// Returns the `.rs` files that may hold `name`: its module among the integration tests, and every source
/// file of the crate whose module path ends like it.
fn files_of(root: &Path, name: &TestName) -> io::Result<Vec<PathBuf>> {
    let folder = root.join("crates").join(name.krate.replace('_', "-"));
    let mut files = Vec::new();
    for (base, exact) in [(folder.join("tests/it"), true), (folder.join("src"), false)] {
        for file in rust_files(&base)? {
            let relative = file.strip_prefix(&base).unwrap_or(&file);
            let modules = module_path(relative);
            if modules == name.modules || !exact && modules.ends_with(&name.modules) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

fn rust_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if !folder.is_dir() {
        return Ok(files);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// Returns the module path: `route/table.rs`, `route/table/mod.rs` and `route/table/tests.rs` are all
/// `route::table`.
fn module_path(relative: &Path) -> Vec<String> {
    let mut modules: Vec<String> = relative
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    if modules.len() > 1
        && modules
            .last()
            .is_some_and(|last| last == "mod" || last == "tests")
    {
        modules.pop();
    }
    modules
}

/// Whether the source has a test function of this name that is not ignored.
fn has_test(source: &str, name: &str) -> bool {
    let (mut is_test, mut is_ignored) = (false, false);
    for line in source.lines() {
        let mut line = line.trim_start();
        while line.starts_with("#[") {
            let (attribute, rest) = split_attribute(line);
            is_test |= attribute == "#[test]" || attribute.starts_with("#[tokio::test");
            is_ignored |= attribute.starts_with("#[ignore");
            line = rest.trim_start();
        }
        if let Some(function) = function_name(line) {
            if function == name && is_test && !is_ignored {
                return true;
            }
            (is_test, is_ignored) = (false, false);
        }
    }
    false
}

/// Splits a line that starts with an attribute after the closing bracket.
fn split_attribute(line: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    for (at, c) in line.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return line.split_at(at + c.len_utf8());
        }
    }
    (line, "")
}

fn function_name(line: &str) -> Option<&str> {
    let line = line
        .strip_prefix("pub ")
        .or_else(|| line.strip_prefix("pub(crate) "))
        .unwrap_or(line);
    let line = line.strip_prefix("async ").unwrap_or(line);
    let name = line.strip_prefix("fn ")?;
    name.split(['(', '<']).next().map(str::trim)
}

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

// The checker itself

/// Returns a name of its parts.
pub(crate) fn name(krate: &str, modules: &[&str], function: &str) -> TestName {
    TestName {
        krate: krate.to_owned(),
        modules: modules.iter().map(|&module| module.to_owned()).collect(),
        function: function.to_owned(),
    }
}

#[test]
fn test_names_have_a_crate_a_module_and_a_function() {
    for (text, expected) in [
        ("rest::routing::wins", name("rest", &["routing"], "wins")),
        (
            " `rest_macros::path::a1` ",
            name("rest_macros", &["path"], "a1"),
        ),
        (
            "auth::routes::token::b",
            name("auth", &["routes", "token"], "b"),
        ),
    ] {
        assert_eq!(parse_test_name(text), Ok(expected));
    }
    for wrong in [
        "",
        "open",
        "wins",
        "rest::wins",
        "rest::::wins",
        "rest::Routing::wins",
        "rest::1::a",
    ] {
        assert!(parse_test_name(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn files_are_modules() {
    for (file, expected) in [
        ("routing.rs", &["routing"][..]),
        ("routing/mod.rs", &["routing"]),
        ("routing/tests.rs", &["routing"]),
        ("route/table.rs", &["route", "table"]),
        ("lib.rs", &["lib"]),
    ] {
        assert_eq!(module_path(Path::new(file)), expected, "{file}");
    }
}

#[test]
fn files_of_a_test_are_found_in_this_crate() {
    let files = files_of(&root(), &name("innkeeper", &["named_tests"], "x")).unwrap();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(files[0].ends_with("tests/it/named_tests.rs"), "{files:?}");
    assert_eq!(
        files_of(&root(), &name("no_such_crate", &["a"], "x")).unwrap(),
        [""; 0].map(PathBuf::from)
    );
}

#[test]
fn only_tests_that_run_count() {
    for (source, expected) in [
        ("#[test]\nfn wins() {}", true),
        ("    #[test]\n    fn wins() {}", true),
        ("#[tokio::test]\nasync fn wins() {}", true),
        (
            "#[tokio::test(flavor = \"multi_thread\")]\n#[cfg(unix)]\nasync fn wins() {}",
            true,
        ),
        (
            "#[tokio::test(\n    start_paused = true,\n)]\nasync fn wins() {}",
            true,
        ),
        ("#[test] fn wins(a in any::<u8>()) {", true),
        ("/// Doc.\n#[test]\n// why\npub fn wins<>() {}", true),
        ("#[test]\n#[ignore = \"slow\"]\nfn wins() {}", false),
        ("fn wins() {}", false),
        ("// #[test]\nfn wins() {}", false),
        ("#[test]\nfn wins_too() {}", false),
        ("#[test]\nfn other() {}\nfn wins() {}", false),
        ("#[test]\nfn other() { wins() }", false),
        ("", false),
    ] {
        assert_eq!(has_test(source, "wins"), expected, "{source}");
    }
}
