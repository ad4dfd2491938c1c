//! Requests that wait for rows that a test holds.

use super::operator::count;
use super::{Sql, TestApp, eventually};

/// A transaction of a test that makes requests wait.
pub(crate) struct Held {
    sql: Sql,
    watcher: Sql,
}

impl TestApp {
    /// Begins a transaction with these statements, whose changes nobody sees yet.
    pub(crate) async fn hold(&self, statements: &str) -> Held {
        let sql = self.sql().await;
        let statements = format!("begin; {statements}");
        sql.batch_execute(&statements).await.unwrap();
        Held {
            sql,
            watcher: self.sql().await,
        }
    }
}

impl Held {
    /// Waits until this many statements wait for the transaction.
    pub(crate) async fn wait_for(&self, waiting: i64) {
        let query = "select count(*) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'";
        eventually(format!("{waiting} statements wait"), async || {
            count(&self.watcher, query).await >= waiting
        })
        .await;
    }

    /// Commits when this many statements wait for the transaction.
    pub(crate) async fn release_to(self, waiting: i64) {
        self.wait_for(waiting).await;
        self.sql.batch_execute("commit").await.unwrap();
    }
}
