//! The server's statements, for clients that are not the server.

use anyhow::{Context, Result};
use innkeeper_service::database::{Declaration, SqlToken, sql_tokens};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use crate::statements::Used;

/// Returns the statement of the server with this name.
pub(crate) fn find(name: &str) -> Result<&'static Declaration> {
    let mut all = innkeeper_auth::statements();
    let found = all.find(|statement| {
        let file = statement.module.rsplit("::").next().unwrap_or_default();
        name.split_once("::") == Some((file, statement.name))
    });
    found.with_context(|| format!("the server has no statement {name}"))
}

/// Replaces each parameter of a statement by a value; every parameter must be known.
pub(crate) fn fill(
    statement: &Declaration,
    value: impl Fn(&str) -> Option<String>,
) -> Result<String> {
    let text = statement.text.join("\n");
    let mut filled = String::new();
    for token in sql_tokens(&text) {
        match token {
            SqlToken::Parameter(name) => {
                let found = value(name).with_context(|| format!("no value for :{name}"))?;
                filled += &found;
            }
            SqlToken::Space => filled.push(' '),
            SqlToken::Text(text) => filled += text,
        }
    }
    Ok(filled)
}

/// A statement that is prepared on a connection.
pub(crate) struct Prepared {
    statement: Statement,
    /// For each parameter of the statement, its position among the benchmark's.
    positions: Vec<usize>,
}

impl Prepared {
    pub(crate) async fn new(client: &Client, (name, parameters): Used) -> Result<Self> {
        let known = find(name)?;
        let mut positions = Vec::new();
        for parameter in known.parameters {
            let position = parameters.iter().position(|used| *used == parameter.name);
            let missing = || format!("no value for :{} of {name}", parameter.name);
            positions.push(position.with_context(missing)?);
        }
        Ok(Self {
            statement: client.prepare(&known.sql()).await?,
            positions,
        })
    }

    /// Runs the statement, with values in the order of [`Used`].
    pub(crate) async fn run(
        &self,
        client: &Client,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Row>> {
        let ordered = self.positions.iter().map(|at| values.get(*at).copied());
        let ordered: Option<Vec<_>> = ordered.collect();
        let ordered = ordered.context("a value is missing")?;
        Ok(client.query_opt(&self.statement, &ordered).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statements::USED;

    #[test]
    fn every_statement_is_one_of_the_server() {
        for (name, parameters) in USED {
            let known = find(name).unwrap().parameters;
            let mut known: Vec<&str> = known.iter().map(|parameter| parameter.name).collect();
            let mut used = parameters.to_vec();
            known.sort_unstable();
            used.sort_unstable();
            assert_eq!(known, used, "{name}");
        }
        assert!(find("users::unknown").is_err());
    }

    #[test]
    fn parameters_are_replaced_and_neither_casts_nor_texts_are() {
        let statement = find("sessions::open_session").unwrap();
        let filled = fill(statement, |name| Some(format!("<{name}>"))).unwrap();
        assert!(filled.contains("cast(<v1_token> as text)") && filled.contains("::inet"));
        assert!(fill(statement, |_| None).is_err());
    }
}
