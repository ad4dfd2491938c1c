//! `docs/spec-coverage.md` is correct: its rows are well-formed, everything above "Not yet" is
//! tested, and every test it names exists and runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::named_tests::{TestName, name, parse_test_name, root};

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
            if !name.exists() {
                missing.push(format!("{}: {name}", show(row.id)));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "no such test, or it is ignored: {missing:#?}"
    );
}

// The checker itself

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
