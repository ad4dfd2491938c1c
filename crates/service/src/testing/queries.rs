//! The sources of query crates that cornucopia generates.

/// Returns a generated source in which all statements are prepared once per connection.
///
/// cornucopia does so only for statements that return rows. It passes the text of the others to the driver, which
/// prepares and closes it each time: two more round trips.
///
/// # Panics
///
/// Panics if such a statement is left, because the generated code looks different from what is expected here.
pub fn with_kept_statements(source: &str) -> String {
    let kept = "&client.prepare(self.0).await?,";
    let changed = source
        .replace(".execute(self.0,", &format!(".execute({kept}"))
        .replace(
            ".execute(\n                self.0,",
            &format!(".execute(\n                {kept}"),
        );
    let without_spaces: String = changed.split_whitespace().collect();
    assert!(
        !without_spaces.contains(".execute(self.0"),
        "a statement is not prepared:\n{source}"
    );
    changed
}

#[cfg(test)]
mod tests {
    use super::with_kept_statements;

    #[test]
    fn statements_without_rows_are_prepared_like_others() {
        let short = with_kept_statements("client.execute(self.0, &[id]).await");
        assert_eq!(
            short,
            "client.execute(&client.prepare(self.0).await?, &[id]).await"
        );
        let long = "            .execute(\n                self.0,\n                &[\n";
        let changed = with_kept_statements(long);
        assert!(changed.contains("(\n                &client.prepare(self.0).await?,\n"));
    }

    #[test]
    #[should_panic(expected = "a statement is not prepared")]
    fn an_unexpected_form_is_noticed() {
        with_kept_statements("client.execute(\n    self.0, &[])");
    }
}
