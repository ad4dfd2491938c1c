//! `docs/asvs.md` is correct: every requirement is there once, what is met names a test or a file that exists, and
//! what is not says why.

use std::fs;

use crate::named_tests::{parse_test_name, root};

/// The requirements of levels 1 and 2 in each chapter of ASVS 5.0.
const CHAPTERS: [usize; 17] = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7];

/// Chapter, section, number within the section.
type RequirementId = [usize; 3];

/// One row of the page.
#[derive(Debug, PartialEq)]
struct Requirement {
    id: RequirementId,
    state: State,
    /// Evidence, or a reason.
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Met,
    NotMet,
    NotApplicable,
}

fn parse_row(line: &str) -> Result<Requirement, String> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let &["", id, rule, state, text, ""] = cells.as_slice() else {
        return Err(format!("expected five cells, found `{line}`"));
    };
    let numbers: Option<Vec<usize>> = id.split('.').map(|part| part.parse().ok()).collect();
    let id = numbers.and_then(|numbers| RequirementId::try_from(numbers).ok());
    let id = id.ok_or_else(|| format!("an id such as `6.2.1` is expected in `{line}`"))?;
    let state = match state {
        "met" => State::Met,
        "not met" => State::NotMet,
        "n/a" => State::NotApplicable,
        _ => return Err(format!("`{state}` is not a state: `{line}`")),
    };
    if rule.is_empty() || text.is_empty() {
        return Err(format!("an empty cell in `{line}`"));
    }
    let text = text.to_owned();
    Ok(Requirement { id, state, text })
}

/// Returns the names in backticks that are tests or paths; settings and other words are neither.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let names = text.split('`').skip(1).step_by(2);
    names.filter(|name| name.contains("::") || name.contains('/') || name.contains('.'))
}

/// Whether a test or file of this name exists.
fn exists(name: &str) -> bool {
    if name.contains("::") {
        parse_test_name(name).is_ok_and(|name| name.exists())
    } else {
        root().join(name).exists()
    }
}

fn rows() -> Vec<Requirement> {
    let page = fs::read_to_string(root().join("docs/asvs.md")).unwrap();
    let rows = page
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| id |"));
    rows.map(|line| parse_row(line).unwrap()).collect()
}

#[test]
fn every_requirement_is_there_once_and_in_order() {
    let rows = rows();
    assert!(
        rows.windows(2).all(|pair| pair[0].id < pair[1].id),
        "not in order, or twice"
    );
    for (chapter, expected) in (1..).zip(CHAPTERS) {
        let count = rows.iter().filter(|row| row.id[0] == chapter).count();
        assert_eq!(count, expected, "chapter {chapter}");
    }
    assert_eq!(rows.len(), CHAPTERS.iter().sum::<usize>());
}

#[test]
fn what_is_met_is_shown_and_every_name_exists() {
    let rows = rows();
    let unshown: Vec<_> = rows
        .iter()
        .filter(|row| row.state == State::Met && named(&row.text).next().is_none())
        .map(|row| row.id)
        .collect();
    assert!(unshown.is_empty(), "met, but nothing shows it: {unshown:?}");
    let names = rows
        .iter()
        .flat_map(|row| named(&row.text).map(|name| (row.id, name)));
    let missing: Vec<_> = names.filter(|(_, name)| !exists(name)).collect();
    assert!(
        missing.is_empty(),
        "no such test or file, or it is ignored: {missing:#?}"
    );
}

/// The table at the top of the page says how many are met.
#[test]
fn the_summary_counts_the_rows() {
    let page = fs::read_to_string(root().join("docs/asvs.md")).unwrap();
    let rows = rows();
    let count = |state| rows.iter().filter(|row| row.state == state).count();
    let summary = format!(
        "{} met, {} not met, {} not applicable.",
        count(State::Met),
        count(State::NotMet),
        count(State::NotApplicable)
    );
    assert!(page.contains(&summary), "expected: {summary}");
}

#[test]
fn rows_have_an_id_a_rule_a_state_and_a_text() {
    let row = parse_row("| 6.2.10 | A rule. | met | `Cargo.toml` |").unwrap();
    assert_eq!((row.id, row.state), ([6, 2, 10], State::Met));
    for wrong in [
        "| 6.2 | A rule. | met | `Cargo.toml` |",
        "| 6.2.1 | A rule. | maybe | `Cargo.toml` |",
        "| 6.2.1 | A rule. | met | |",
        "| 6.2.1 | | met | `Cargo.toml` |",
        "| 6.2.1 | A rule. | met |",
    ] {
        assert!(parse_row(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn names_of_tests_and_files_are_looked_up_and_settings_are_not() {
    let text = "`rest::a::b`, `docs/security.md` and `Cargo.toml`, with `JWT_AUD` set";
    let names: Vec<&str> = named(text).collect();
    assert_eq!(names, ["rest::a::b", "docs/security.md", "Cargo.toml"]);
    assert!(exists("Cargo.toml"));
    assert!(exists(
        "innkeeper::asvs::rows_have_an_id_a_rule_a_state_and_a_text"
    ));
    assert!(!exists("docs/nothing.md"));
    assert!(!exists("innkeeper::asvs::there_is_no_such_test"));
}
