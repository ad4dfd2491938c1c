//! The results of the checks, as text for people and as JSON for programs.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::output::{Colours, on_one_line};

/// The results of all checks, in order.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

#[derive(Debug)]
struct Finding {
    part: &'static str,
    severity: Severity,
    what: String,
    advice: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Severity {
    Ok,
    /// Not checked, which is not a problem by itself.
    Note,
    Warning,
    Problem,
}

impl Severity {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

impl Findings {
    /// Adds a check that succeeded.
    pub(super) fn ok(&mut self, part: &'static str, what: impl Into<String>) {
        self.push(part, Severity::Ok, &what.into(), None);
    }

    /// Adds something that was not checked, or is worth knowing.
    pub(super) fn note(&mut self, part: &'static str, what: impl Into<String>) {
        self.push(part, Severity::Note, &what.into(), None);
    }

    /// Adds something that works now but may fail soon. The advice may be empty.
    pub(super) fn warn(&mut self, part: &'static str, what: impl Into<String>, advice: &str) {
        let advice = Some(advice.to_owned()).filter(|advice| !advice.is_empty());
        self.push(part, Severity::Warning, &what.into(), advice);
    }

    /// Adds something that does not work.
    pub(super) fn problem(&mut self, part: &'static str, what: impl Into<String>, advice: &str) {
        self.push(
            part,
            Severity::Problem,
            &what.into(),
            Some(advice.to_owned()),
        );
    }

    fn push(&mut self, part: &'static str, severity: Severity, what: &str, advice: Option<String>) {
        self.0.push(Finding {
            part,
            severity,
            // Some messages come from servers.
            what: on_one_line(what),
            advice,
        });
    }

    pub(super) fn problems(&self) -> usize {
        self.count(Severity::Problem)
    }

    fn count(&self, severity: Severity) -> usize {
        let findings = self.0.iter();
        findings
            .filter(|finding| finding.severity == severity)
            .count()
    }

    pub(super) fn as_text(&self, colours: Colours) -> String {
        let mut text = String::new();
        let mut part = "";
        for finding in &self.0 {
            if finding.part != part {
                part = finding.part;
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{}", colours.bold(part));
            }
            let word = format!("{:<7}", finding.severity.word());
            let word = match finding.severity {
                Severity::Ok => colours.green(&word),
                Severity::Note => word,
                Severity::Warning => colours.yellow(&word),
                Severity::Problem => colours.red(&word),
            };
            let _ = writeln!(text, "  {word}  {}", finding.what);
            if let Some(advice) = &finding.advice {
                let _ = writeln!(text, "           -> {advice}");
            }
        }
        text
    }

    pub(super) fn as_json(&self) -> Value {
        let findings: Vec<Value> = self
            .0
            .iter()
            .map(|finding| {
                json!({
                    "part": finding.part,
                    "state": finding.severity.word(),
                    "what": finding.what,
                    "advice": finding.advice,
                })
            })
            .collect();
        json!({
            "problems": self.count(Severity::Problem),
            "warnings": self.count(Severity::Warning),
            "findings": findings,
        })
    }
}
