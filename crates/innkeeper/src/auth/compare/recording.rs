//! The normalised answers of one server, and the file that holds them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use serde_json::{Map, Value, json};

use super::script::Script;
use super::server::Server;

/// The version of the file's format.
const FORMAT: u64 = 1;

/// What a server answered to each case. It holds no tokens, ids or addresses: they are normalised.
#[derive(Debug)]
pub(super) struct Recording {
    /// The version of the script.
    script: String,
    pub(super) is_innkeeper: bool,
    pub(super) server_version: String,
    answers: BTreeMap<String, Answer>,
}

/// The answer to one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// `status`, `header` and `body` or `text`.
    Received(Value),
    /// The request needs this variable, which no earlier answer had.
    NotSent(String),
}

impl Answer {
    /// Returns the status of a received answer.
    pub(super) fn status(&self) -> Option<&Value> {
        match self {
            Self::Received(answer) => answer.get("status"),
            Self::NotSent(_) => None,
        }
    }
}

impl Recording {
    pub(super) fn new(script: &Script, server: &Server) -> Self {
        Self {
            script: script.version.clone(),
            is_innkeeper: server.is_innkeeper,
            server_version: server.version.clone(),
            answers: BTreeMap::new(),
        }
    }

    pub(super) fn push(&mut self, case: &str, answer: Answer) {
        self.answers.insert(case.to_owned(), answer);
    }

    pub(super) fn get(&self, case: &str) -> Option<&Answer> {
        self.answers.get(case)
    }

    pub(super) fn len(&self) -> usize {
        self.answers.len()
    }

    pub(super) fn write(&self, file: &Path) -> anyhow::Result<()> {
        let answers = self.answers.iter().map(|(case, answer)| {
            let answer = match answer {
                Answer::Received(answer) => answer.clone(),
                Answer::NotSent(variable) => json!({ "not_sent": variable }),
            };
            (case.clone(), answer)
        });
        let document = json!({
            "format": FORMAT,
            "script": self.script,
            "is_innkeeper": self.is_innkeeper,
            "server_version": self.server_version,
            "answers": answers.collect::<Map<_, _>>(),
        });
        fs::write(file, format!("{document:#}\n"))
            .with_context(|| format!("cannot write {}", file.display()))
            .map_err(|error| anyhow!("{error:#}"))
    }

    /// Reads a file of this version of the script.
    pub(super) fn read(file: &Path, script: &Script) -> anyhow::Result<Self> {
        let name = file.display();
        let text =
            fs::read_to_string(file).map_err(|error| anyhow!("cannot read {name}: {error}"))?;
        let recording = Self::parse(&text)
            .with_context(|| format!("{name} is not a recording of `innkeeper auth compare`"))
            .map_err(|error| anyhow!("{error:#}"))?;
        if recording.script != script.version {
            bail!(
                "{name} is a recording of another version of the script; \
                 record it again with this version of innkeeper"
            );
        }
        Ok(recording)
    }

    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let mut document: Value = serde_json::from_str(text)?;
        let format = document.get("format").and_then(Value::as_u64);
        if format != Some(FORMAT) {
            bail!("its format is not {FORMAT}");
        }
        let Some(Value::Object(answers)) = document.get_mut("answers").map(Value::take) else {
            bail!("it has no answers");
        };
        let text = |name: &str| {
            let value = document.get(name).and_then(Value::as_str);
            value
                .map(str::to_owned)
                .with_context(|| format!("it has no {name}"))
        };
        let answers = answers.into_iter().map(|(case, answer)| {
            let not_sent = answer.get("not_sent").and_then(Value::as_str);
            let answer = match not_sent {
                Some(variable) => Answer::NotSent(variable.to_owned()),
                None => Answer::Received(answer),
            };
            (case, answer)
        });
        Ok(Self {
            script: text("script")?,
            is_innkeeper: document.get("is_innkeeper") == Some(&Value::Bool(true)),
            server_version: text("server_version")?,
            answers: answers.collect(),
        })
    }
}
