//! What was found, for people and for programs.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::output::{Colours, on_one_line};

/// Everything that was looked at, in order.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

#[derive(Debug)]
struct Finding {
    part: &'static str,
    state: State,
    what: String,
    advice: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    /// Not looked at, and no harm in that.
    Note,
    Warning,
    Problem,
}

impl State {
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
    /// Something is as it should be.
    pub(super) fn ok(&mut self, part: &'static str, what: impl Into<String>) {
        self.push(part, State::Ok, &what.into(), None);
    }

    /// Something was not looked at, or is worth knowing.
    pub(super) fn note(&mut self, part: &'static str, what: impl Into<String>) {
        self.push(part, State::Note, &what.into(), None);
    }

    /// Something works and may not for long.
    pub(super) fn warn(&mut self, part: &'static str, what: impl Into<String>, advice: &str) {
        let advice = Some(advice.to_owned()).filter(|advice| !advice.is_empty());
        self.push(part, State::Warning, &what.into(), advice);
    }

    /// Something does not work.
    pub(super) fn wrong(&mut self, part: &'static str, what: impl Into<String>, advice: &str) {
        self.push(part, State::Problem, &what.into(), Some(advice.to_owned()));
    }

    fn push(&mut self, part: &'static str, state: State, what: &str, advice: Option<String>) {
        self.0.push(Finding {
            part,
            state,
            // Some of it comes from servers.
            what: on_one_line(what),
            advice,
        });
    }

    pub(super) fn problems(&self) -> usize {
        self.count(State::Problem)
    }

    fn count(&self, state: State) -> usize {
        let found = self.0.iter().filter(|finding| finding.state == state);
        found.count()
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
            let word = format!("{:<7}", finding.state.word());
            let word = match finding.state {
                State::Ok => colours.green(&word),
                State::Note => word,
                State::Warning => colours.yellow(&word),
                State::Problem => colours.red(&word),
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
                    "state": finding.state.word(),
                    "what": finding.what,
                    "advice": finding.advice,
                })
            })
            .collect();
        json!({
            "problems": self.count(State::Problem),
            "warnings": self.count(State::Warning),
            "findings": findings,
        })
    }
}
