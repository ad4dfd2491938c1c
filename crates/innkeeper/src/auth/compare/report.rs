//! The differences of a comparison, as a table and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::by_design::{REASONS, Reason, Seen};
use super::difference::{Difference, differences};
use super::recording::{Answer, Recording};
use super::script::{Case, Script};
use crate::output::{Colours, on_one_line};

/// Longer values are cut in the table.
const WIDEST: usize = 60;

/// What a comparison found.
#[derive(Debug)]
pub(super) struct Report {
    cases: usize,
    /// Cases that no server could be sent, with the variable that they miss.
    not_sent: Vec<(String, String)>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    case: String,
    difference: Difference,
    reason: Option<&'static Reason>,
}

impl Report {
    pub(super) fn new(script: &Script, with: &Recording, against: &Recording) -> Self {
        let mut report = Self {
            cases: 0,
            not_sent: Vec::new(),
            rows: Vec::new(),
        };
        // Only between the two servers is a difference meant.
        let is_one_innkeeper = with.is_innkeeper != against.is_innkeeper;
        for case in script.cases().filter(|case| script.compares(case)) {
            report.cases += 1;
            let absent = Answer::NotSent("the case".to_owned());
            let first = with.get(&case.name).unwrap_or(&absent);
            let second = against.get(&case.name).unwrap_or(&absent);
            if let (Answer::NotSent(variable), Answer::NotSent(_)) = (first, second) {
                report.not_sent.push((case.name.clone(), variable.clone()));
            }
            for difference in limited_or_differences(case, first, second) {
                let statuses = (first.status(), second.status());
                let seen = Seen::new(&case.name, &difference, statuses, against.is_innkeeper);
                let reason = is_one_innkeeper.then(|| seen.reason()).flatten();
                report.rows.push(Row {
                    case: case.name.clone(),
                    difference,
                    reason,
                });
            }
        }
        report
    }

    /// Returns the number of differences that are not by design.
    pub(super) fn unexplained(&self) -> usize {
        self.rows.iter().filter(|row| row.reason.is_none()).count()
    }

    pub(super) fn as_json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            json!({
                "case": row.case,
                "place": row.difference.place,
                "with": row.difference.with,
                "against": row.difference.against,
                "by_design": row.reason.map(|reason| reason.title),
            })
        });
        let not_sent = self.not_sent.iter();
        let not_sent = not_sent.map(|(case, variable)| json!({ "case": case, "lacks": variable }));
        json!({
            "cases": self.cases,
            "unexplained": self.unexplained(),
            "differences": rows.collect::<Vec<_>>(),
            "not_sent": not_sent.collect::<Vec<_>>(),
        })
    }

    pub(super) fn as_text(&self, colours: Colours) -> String {
        let unexplained = self.rows.iter().filter(|row| row.reason.is_none());
        let mut text = table(
            "CASE",
            &unexplained.map(Row::cells).collect::<Vec<_>>(),
            colours,
        );
        for reason in REASONS {
            let cells = self.cells_by_reason(reason);
            if !cells.is_empty() {
                let title = colours.bold(&format!("By design: {}", reason.title));
                // Writing to a string cannot fail.
                let _ = write!(
                    text,
                    "{title}\n{}\n{}",
                    reason.why,
                    table("CASES", &cells, colours)
                );
            }
        }
        for (case, variable) in &self.not_sent {
            let _ = writeln!(text, "{case} was not sent: no answer has ${{{variable}}}");
        }
        let by_design = self.rows.len() - self.unexplained();
        let _ = writeln!(
            text,
            "{} cases: {} differences, {by_design} more by design.",
            self.cases,
            self.unexplained()
        );
        text
    }

    /// Returns the differences of one reason, equal ones together.
    fn cells_by_reason(&self, reason: &Reason) -> Vec<[String; 4]> {
        let mut cells: Vec<([String; 4], usize)> = Vec::new();
        let rows = self.rows.iter();
        for row in rows.filter(|row| row.reason.is_some_and(|own| own.title == reason.title)) {
            let new = row.cells();
            let same = cells.iter_mut().find(|(known, _)| known[1..] == new[1..]);
            match same {
                Some((_, number)) => *number += 1,
                None => cells.push((new, 1)),
            }
        }
        let told = cells.into_iter().map(|(mut cells, number)| {
            if number > 1 {
                cells[0] = format!("{} and {} more", cells[0], number - 1);
            }
            cells
        });
        told.collect()
    }
}

impl Row {
    fn cells(&self) -> [String; 4] {
        [
            self.case.clone(),
            self.difference.place.clone(),
            shown(self.difference.with.as_ref()),
            shown(self.difference.against.as_ref()),
        ]
    }
}

/// Returns one difference for a case that a rate limit ended, else the differences of the answers.
fn limited_or_differences(case: &Case, with: &Answer, against: &Answer) -> Vec<Difference> {
    let is_limited = |answer: &Answer| answer.status() == Some(&json!(429));
    let (first, second) = (is_limited(with), is_limited(against));
    if case.is_limited || !(first || second) {
        return differences(with, against);
    }
    let told = |is_limited: bool| {
        let told = if is_limited {
            "429, raise its rate limits"
        } else {
            "within its rate limits"
        };
        Some(json!(told))
    };
    vec![Difference {
        place: "rate limit".to_owned(),
        with: told(first),
        against: told(second),
    }]
}

fn table(first: &str, cells: &[[String; 4]], colours: Colours) -> String {
    if cells.is_empty() {
        return String::new();
    }
    let head = [first, "PLACE", "WITH", "AGAINST"].map(str::to_owned);
    let widths: Vec<usize> = (0..4)
        .map(|column| {
            let all = cells.iter().chain([&head]);
            let widths = all.filter_map(|row| row.get(column).map(|cell| cell.chars().count()));
            widths.max().unwrap_or_default() + 2
        })
        .collect();
    let line = |row: &[String; 4]| {
        let cells = row.iter().zip(&widths);
        let mut line = String::new();
        for (cell, width) in cells {
            // Writing to a string cannot fail.
            let _ = write!(line, "{cell:<width$}");
        }
        line.trim_end().to_owned()
    };
    let mut text = colours.bold(&line(&head));
    for row in cells {
        text.push('\n');
        text.push_str(&line(row));
    }
    text.push_str("\n\n");
    text
}

/// Returns a value as JSON on one line that is not too long.
fn shown(value: Option<&Value>) -> String {
    let text = value.map_or_else(|| "(absent)".to_owned(), Value::to_string);
    let text = on_one_line(&text);
    if text.chars().count() <= WIDEST {
        return text;
    }
    let start: String = text.chars().take(WIDEST - 1).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::recording::Recording;
    use super::super::script::Script;
    use super::Report;
    use crate::output::Colours;

    const DUPLICATE: &str = "signup.duplicate_of_unconfirmed";

    fn recording(is_innkeeper: bool, answers: &Value) -> Recording {
        let document = json!({
            "format": 1,
            "script": "",
            "server_version": "",
            "is_innkeeper": is_innkeeper,
            "answers": answers,
        });
        Recording::parse(&document.to_string()).unwrap()
    }

    fn report(only: &str, with: &Value, against: &Value) -> Report {
        let script = Script::embedded()
            .unwrap()
            .only(&[only.to_owned()])
            .unwrap();
        Report::new(&script, &recording(true, with), &recording(false, against))
    }

    #[test]
    fn a_limit_that_the_case_is_not_about_is_told_as_such() {
        let limited = json!({ "status": 429, "body": {} });
        let within = json!({ "status": 200, "body": { "id": 1 } });
        let case = "meta.health";
        let found = report(case, &json!({ case: limited }), &json!({ case: within }));
        let text = found.as_text(Colours::none());
        assert_eq!(found.unexplained(), 1);
        assert!(
            text.contains("rate limit") && text.contains("raise"),
            "{text}"
        );
        let found = report(
            DUPLICATE,
            &json!({ DUPLICATE: limited }),
            &json!({ DUPLICATE: limited }),
        );
        assert!(!found.as_text(Colours::none()).contains("raise"));
    }

    #[test]
    fn differences_by_design_follow_with_their_reasons_and_do_not_count() {
        let with = json!({ "status": 200, "header": { "cache-control": "no-store" } });
        let against = json!({ "status": 200, "header": {} });
        let names = ["meta.settings", "meta.settings@2024-01-01"];
        let answers = |answer: &Value| json!({ names[0]: answer, names[1]: answer });
        let found = report("meta.settings", &answers(&with), &answers(&against));
        let text = found.as_text(Colours::none());
        assert_eq!(found.unexplained(), 0);
        assert!(text.starts_with("By design: `Cache-Control`\n"), "{text}");
        assert!(text.contains("meta.settings and 1 more  "), "{text}");
        assert!(
            text.ends_with("2 cases: 0 differences, 2 more by design.\n"),
            "{text}"
        );
        assert_eq!(
            found.as_json()["differences"][0]["by_design"],
            "`Cache-Control`"
        );
    }

    #[test]
    fn what_neither_server_could_be_sent_is_told() {
        let not_sent = json!({ "meta.health": { "not_sent": "ada" } });
        let found = report("meta.health", &not_sent, &not_sent);
        let text = found.as_text(Colours::none());
        assert!(
            text.contains("meta.health was not sent: no answer has ${ada}"),
            "{text}"
        );
        assert_eq!(found.unexplained(), 0);
    }
}
