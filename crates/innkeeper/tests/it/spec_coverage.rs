//! `docs/spec-coverage.md` is correct: its rows are well-formed, everything above "Not yet" is
//! tested, and every test it names exists and runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// One row of the page.
#[derive(Debug, PartialEq)]
struct Row {
    id: Id,
    /// Empty for an open row.
    tests: Vec<TestName>,
}

/// `002-4.12`: specification, part, running number within the part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Id {
    specification: u16,
    part: u16,
    number: u16,
}

/// `rest::routing::literal_wins_over_parameter`: crate, modules, function.
#[derive(Debug, PartialEq)]
struct TestName {
    krate: String,
    modules: Vec<String>,
    function: String,
}

/// The page, split at its "Not yet" heading, with errors that name their line.
#[derive(Debug, Default)]
struct Page {
    done: Vec<Row>,
    not_yet: Vec<Row>,
    faults: Vec<String>,
}

impl Page {
    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.done.iter().chain(&self.not_yet)
    }
}

// Reading the page

fn parse_page(text: &str) -> Page {
    let mut page = Page::default();
    let mut done = true;
    for (index, line) in text.lines().enumerate() {
        if line == "## Not yet" {
            done = false;
        }
        if !line.starts_with('|') || line == "| id | rule | test |" || line == "|---|---|---|" {
            continue;
        }
        match parse_row(line) {
            Ok(row) if done => page.done.push(row),
            Ok(row) => page.not_yet.push(row),
            Err(fault) => page.faults.push(format!("line {}: {fault}", index + 1)),
        }
    }
    page
}

fn parse_row(line: &str) -> Result<Row, String> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let &["", id, rule, tests, ""] = cells.as_slice() else {
        return Err(format!("expected `| id | rule | test |`, found `{line}`"));
    };
    if rule.is_empty() {
        return Err(format!("{id} has no rule"));
    }
    let id = parse_id(id).ok_or_else(|| format!("`{id}` is no id such as `002-4.12`"))?;
    let tests = match tests {
        "open" => Vec::new(),
        names => names
            .split(',')
            .map(parse_test_name)
            .collect::<Result<_, _>>()?,
    };
    Ok(Row { id, tests })
}

fn parse_id(text: &str) -> Option<Id> {
    let (specification, rest) = text.split_once('-')?;
    let (part, number) = rest.split_once('.')?;
    let id = Id {
        specification: specification.parse().ok()?,
        part: part.parse().ok()?,
        number: number.parse().ok()?,
    };
    // One spelling per id: no signs, no leading zeros beyond the three digits.
    (show(id) == text).then_some(id)
}

fn show(id: Id) -> String {
    format!("{:03}-{}.{}", id.specification, id.part, id.number)
}

fn parse_test_name(text: &str) -> Result<TestName, String> {
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

// Finding tests

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

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> Page {
    parse_page(&fs::read_to_string(root().join("docs/spec-coverage.md")).unwrap_or_default())
}

// The checks

#[test]
fn rows_are_well_formed_and_ids_are_unique() {
    let page = page();
    assert!(page.faults.is_empty(), "{:#?}", page.faults);

    let mut seen = BTreeSet::new();
    let twice: Vec<_> = page
        .rows()
        .filter(|row| !seen.insert(row.id))
        .map(|row| show(row.id))
        .collect();
    assert!(twice.is_empty(), "these ids stand twice: {twice:?}");
}

#[test]
fn no_row_of_a_specification_is_missing() {
    let page = page();
    let mut numbers: BTreeMap<(u16, u16), BTreeSet<u16>> = BTreeMap::new();
    for Row { id, .. } in page.rows() {
        numbers
            .entry((id.specification, id.part))
            .or_default()
            .insert(id.number);
    }

    let specifications: BTreeSet<u16> = numbers
        .keys()
        .map(|(specification, _)| *specification)
        .collect();
    assert_eq!(specifications, BTreeSet::from([0, 1, 2]));
    for ((specification, part), numbers) in numbers {
        let expected: BTreeSet<u16> = (1..).take(numbers.len()).collect();
        assert_eq!(
            numbers, expected,
            "part {part} of {specification:03} has a gap"
        );
    }
}

#[test]
fn every_row_above_not_yet_names_a_test() {
    let open: Vec<_> = page()
        .done
        .iter()
        .filter(|row| row.tests.is_empty())
        .map(|row| show(row.id))
        .collect();
    assert!(
        open.is_empty(),
        "open, so they belong under \"Not yet\": {open:?}"
    );
}

#[test]
fn every_named_test_exists() {
    let mut missing = Vec::new();
    for row in page().rows() {
        for name in &row.tests {
            let found = files_of(&root(), name).unwrap().iter().any(|file| {
                fs::read_to_string(file).is_ok_and(|source| has_test(&source, &name.function))
            });
            if !found {
                let modules = name.modules.join("::");
                missing.push(format!(
                    "{}: {}::{modules}::{}",
                    show(row.id),
                    name.krate,
                    name.function
                ));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "no such test, or it is ignored: {missing:#?}"
    );
}

// The checker itself

fn name(krate: &str, modules: &[&str], function: &str) -> TestName {
    TestName {
        krate: krate.to_owned(),
        modules: modules.iter().map(|&module| module.to_owned()).collect(),
        function: function.to_owned(),
    }
}

#[test]
fn ids_have_one_spelling() {
    let id = Id {
        specification: 2,
        part: 4,
        number: 12,
    };
    assert_eq!(parse_id("002-4.12"), Some(id));
    for wrong in [
        "2-4.12",
        "002-04.12",
        "002-4.+12",
        "002-4",
        "002.4.12",
        "002-4.12 ",
        "",
        "002-4.x",
    ] {
        assert_eq!(parse_id(wrong), None, "{wrong}");
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
fn rows_have_three_cells() {
    let row = parse_row("| 000-1.2 | A rule. | a::b::c, a::b::d |").unwrap();
    assert_eq!(row.tests, [name("a", &["b"], "c"), name("a", &["b"], "d")]);
    assert_eq!(parse_row("| 000-1.2 | A rule. | open |").unwrap().tests, []);
    for wrong in [
        "| 000-1.2 | A rule. |",
        "| 000-1.2 | A | rule. | open |",
        "| 000-1.2 | A rule. | open",
        "| 000-1.2 | | open |",
        "| 000-1.2 | A rule. | |",
        "| 000-1.2 | A rule. | open, a::b::c |",
        "| 000-1 | A rule. | open |",
    ] {
        assert!(parse_row(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_heading_splits_the_page_and_faults_name_their_line() {
    let page = parse_page(
        "# Title\n| id | rule | test |\n|---|---|---|\n| 000-1.1 | A. | a::b::c |\n\n\
         ## Not yet\n\n| 000-1.2 | B. | open |\n| oops |\n",
    );
    assert_eq!(page.done.len(), 1);
    assert_eq!(page.not_yet.len(), 1);
    assert_eq!(
        page.faults,
        ["line 9: expected `| id | rule | test |`, found `| oops |`"]
    );
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
    let files = files_of(&root(), &name("innkeeper", &["spec_coverage"], "x")).unwrap();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(files[0].ends_with("tests/it/spec_coverage.rs"), "{files:?}");
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
