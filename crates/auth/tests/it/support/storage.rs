//! Assertions that the database does not contain secrets.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::TestApp;
use super::mailbox::ReceivedMail;

impl TestApp {
    /// Asserts that the database contains neither the link's secret nor the code of a mail.
    pub(crate) async fn assert_not_stored(&self, mail: &ReceivedMail) {
        let token = mail.token();
        let secret = token.strip_prefix("pkce_").unwrap_or(&token);
        let bytes = URL_SAFE_NO_PAD.decode(secret).unwrap();
        let hex = hex(&bytes);
        self.assert_no_row_holds(secret).await;
        self.assert_no_row_holds(&hex).await;
        self.assert_no_column_holds(&mail.code()).await;
    }

    /// Asserts that no row of any table contains this text.
    pub(crate) async fn assert_no_row_holds(&self, secret: &str) {
        let sql = self.sql().await;
        let tables = "select table_name::text from information_schema.tables \
                      where table_schema = current_schema() and table_type = 'BASE TABLE'";
        let tables = sql.query(tables, &[]).await.unwrap();
        assert!(tables.len() > 10);
        for table in tables {
            let table: String = table.get(0);
            let count =
                format!("select count(*) from \"{table}\" r where position($1 in r::text) > 0");
            let found: i64 = sql.query_one(&count, &[&secret]).await.unwrap().get(0);
            assert_eq!(found, 0, "{table} holds {secret}");
        }
    }

    /// Asserts that no column of text, JSON or bytes contains this code as a word. Times and ids are skipped:
    /// their digits may look like a code.
    pub(crate) async fn assert_no_column_holds(&self, code: &str) {
        let sql = self.sql().await;
        let columns = "select table_name::text, column_name::text, data_type::text \
                       from information_schema.columns where table_schema = current_schema() \
                       and data_type in ('text', 'character varying', 'json', 'jsonb', 'bytea')";
        let columns = sql.query(columns, &[]).await.unwrap();
        assert!(columns.len() > 50);
        let word = format!("(^|[^0-9A-Za-z.-]){code}([^0-9A-Za-z.-]|$)");
        for row in columns {
            let (table, column, kind): (String, String, String) =
                (row.get(0), row.get(1), row.get(2));
            let (condition, sought) = if kind == "bytea" {
                ("position(convert_to($1, 'UTF8') in c) > 0", code)
            } else {
                ("c::text ~ $1", word.as_str())
            };
            let count = format!(
                "select count(*) from (select \"{column}\" as c from \"{table}\") r where {condition}"
            );
            let found: i64 = sql.query_one(&count, &[&sought]).await.unwrap().get(0);
            assert_eq!(found, 0, "{table}.{column} holds a code");
        }
    }
}

/// Encodes bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}
