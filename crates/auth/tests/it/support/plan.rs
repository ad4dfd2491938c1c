//! How the database runs statements of the store.

use tokio_postgres::Client;

/// Returns the plan of a statement of `store::users` or `store::user_list`, with these values as its parameters.
pub(crate) async fn plan(sql: &Client, name: &str, values: &[(&str, &str)]) -> String {
    let statement = innkeeper_auth::statements()
        .find(|statement| statement.module.contains("::user") && statement.name == name)
        .unwrap();
    let mut text = statement.sql();
    // From the last one, because `$1` is also the beginning of `$10`.
    for (index, parameter) in statement.parameters.iter().enumerate().rev() {
        let value = values.iter().find(|(name, _)| *name == parameter.name);
        let (_, value) = value.unwrap();
        text = text.replace(&format!("${}", index + 1), value);
    }
    let rows = sql.query(&format!("explain {text}"), &[]).await.unwrap();
    let lines: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    lines.join("\n")
}
