//! Compares statements with a database.

use std::collections::HashMap;

use tokio_postgres::{Client, Statement};

use crate::database::{Column, Declaration, SqlToken, explain, sql_tokens};

/// Prepares statements in a migrated database, and returns everything that the code says differently: the names and
/// types of parameters, the names and types of columns, and which of them can be null.
///
/// Whether a column can be null is known of columns of tables. Expressions can be null if the code says so.
pub async fn check_statements(
    client: &Client,
    statements: impl IntoIterator<Item = &'static Declaration>,
) -> Vec<String> {
    let tables = Tables::read(client).await;
    let mut problems = Vec::new();
    for statement in statements {
        let file = statement.module.rsplit("::").next().unwrap_or_default();
        let found = check(client, statement, &tables).await;
        problems.extend(
            found
                .into_iter()
                .map(|problem| format!("{file}::{}: {problem}", statement.name)),
        );
    }
    problems
}

async fn check(client: &Client, statement: &Declaration, tables: &Tables) -> Vec<String> {
    let text = statement.text.join("\n");
    let tokens: Vec<SqlToken<'_>> = sql_tokens(&text)
        .filter(|token| *token != SqlToken::Space)
        .collect();
    let mut problems = check_names(statement, &tokens);
    match client.prepare(&statement.sql()).await {
        Ok(prepared) => {
            check_types(statement, &prepared, &mut problems);
            check_columns(statement, &prepared, &tokens, tables, &mut problems);
        }
        Err(error) => problems.push(explain(&error)),
    }
    problems
}

fn check_names(statement: &Declaration, tokens: &[SqlToken<'_>]) -> Vec<String> {
    let mut problems = Vec::new();
    for token in tokens {
        if let SqlToken::Parameter(name) = token
            && !statement.parameters.iter().any(|known| known.name == *name)
        {
            problems.push(format!("nothing is given for :{name}"));
        }
    }
    let mut pairs = compared(tokens);
    for parameter in statement.parameters {
        if !tokens.contains(&SqlToken::Parameter(parameter.name)) {
            problems.push(format!(":{} is not used", parameter.name));
        }
        let value = parameter.value.trim_end_matches("()");
        let word = value
            .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
            .next();
        pairs.push((word.unwrap_or_default(), parameter.name));
    }
    for (one, other) in &pairs {
        if one < other && pairs.contains(&(other, one)) {
            problems.push(format!("{one} and {other} are swapped"));
        }
    }
    problems
}

/// Returns columns with the parameters that they are compared with or set to.
fn compared<'a>(tokens: &[SqlToken<'a>]) -> Vec<(&'a str, &'a str)> {
    let mut pairs = Vec::new();
    for window in tokens.windows(3) {
        if let [
            SqlToken::Text(column),
            SqlToken::Text("="),
            SqlToken::Parameter(name),
        ] = window
        {
            pairs.push((*column, *name));
        }
    }
    let mut rest = tokens.split(|token| *token == SqlToken::Text("into"));
    rest.next();
    for insert in rest {
        let columns = list(insert);
        let Some(start) = insert
            .iter()
            .position(|token| matches!(token, SqlToken::Text("values" | "select")))
        else {
            continue;
        };
        let values = list(insert.get(start..).unwrap_or_default());
        for (column, value) in columns.into_iter().zip(values) {
            if let ([SqlToken::Text(column)], [SqlToken::Parameter(name)]) = (column, value) {
                pairs.push((column, name));
            }
        }
    }
    pairs
}

/// Returns the elements of the list that begins after `values (`, `select` or the name of a table.
fn list<'t, 'a>(tokens: &'t [SqlToken<'a>]) -> Vec<&'t [SqlToken<'a>]> {
    let start = match tokens.first() {
        Some(SqlToken::Text("select")) => 1,
        _ => tokens
            .iter()
            .position(|token| *token == SqlToken::Text("("))
            .map_or(tokens.len(), |at| at + 1),
    };
    let tokens = tokens.get(start..).unwrap_or_default();
    let mut depth = 0_usize;
    let end = tokens.iter().position(|token| match token {
        SqlToken::Text("(") => {
            depth += 1;
            false
        }
        SqlToken::Text(")") if depth == 0 => true,
        SqlToken::Text(")") => {
            depth -= 1;
            false
        }
        SqlToken::Text("from" | "where") => depth == 0,
        _ => false,
    });
    let mut depth = 0_usize;
    let tokens = tokens
        .get(..end.unwrap_or(tokens.len()))
        .unwrap_or_default();
    tokens
        .split(|token| {
            match token {
                SqlToken::Text("(") => depth += 1,
                SqlToken::Text(")") => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && *token == SqlToken::Text(",")
        })
        .collect()
}

fn check_types(statement: &Declaration, prepared: &Statement, problems: &mut Vec<String>) {
    for (parameter, wanted) in statement.parameters.iter().zip(prepared.params()) {
        if !(parameter.accepts)(wanted) {
            problems.push(format!(":{} must be of type {wanted}", parameter.name));
        }
    }
}

fn check_columns(
    statement: &Declaration,
    prepared: &Statement,
    tokens: &[SqlToken<'_>],
    tables: &Tables,
    problems: &mut Vec<String>,
) {
    let (read, found) = (statement.columns, prepared.columns());
    // What a statement returns need not be read.
    if !read.is_empty() && read.len() != found.len() {
        let names: Vec<&str> = found.iter().map(tokio_postgres::Column::name).collect();
        problems.push(format!("{} columns are read of {names:?}", read.len()));
    }
    for (column, found) in read.iter().zip(found) {
        let name = found.name();
        if column.name.is_some_and(|expected| expected != name) {
            problems.push(format!("column {name} is read as {:?}", column.name));
        }
        if !(column.accepts)(found.type_()) {
            problems.push(format!("column {name} is of type {}", found.type_()));
        }
        if let (Some(table), Some(number)) = (found.table_oid(), found.column_id())
            && let Some(known) = tables.0.get(&(table, number))
        {
            check_null(
                column,
                name,
                known.is_nullable || is_outer(tokens, &known.table),
                problems,
            );
        }
    }
}

fn check_null(column: &Column, name: &str, is_nullable: bool, problems: &mut Vec<String>) {
    let problem = match (is_nullable, (column.reads_null)(), column.reason.is_some()) {
        (true, false, false) => "can be null",
        (false, true, false) => "is never null",
        (true, true, true) | (false, false, true) => "needs no reason",
        _ => return,
    };
    problems.push(format!("column {name} {problem}"));
}

/// Returns whether the rows of a table may be missing.
fn is_outer(tokens: &[SqlToken<'_>], table: &str) -> bool {
    tokens.windows(3).any(|window| {
        window
            == [
                SqlToken::Text("left"),
                SqlToken::Text("join"),
                SqlToken::Text(table),
            ]
    })
}

/// The columns of all tables, by the ids of the table and the column.
struct Tables(HashMap<(u32, i16), TableColumn>);

struct TableColumn {
    table: String,
    is_nullable: bool,
}

impl Tables {
    async fn read(client: &Client) -> Self {
        let rows = client
            .query(
                "select a.attrelid, a.attnum, c.relname, not a.attnotnull \
                   from pg_attribute a join pg_class c on c.oid = a.attrelid \
                  where a.attnum > 0",
                &[],
            )
            .await
            .unwrap_or_default();
        let columns = rows.iter().map(|row| {
            let column = TableColumn {
                table: row.get(2),
                is_nullable: row.get(3),
            };
            ((row.get(0), row.get(1)), column)
        });
        Self(columns.collect())
    }
}
