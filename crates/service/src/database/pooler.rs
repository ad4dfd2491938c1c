//! Connection poolers between a server and PostgreSQL.
//!
//! In the transaction mode of PgBouncer each transaction may run in another session of PostgreSQL, which
//! other clients use too. Prepared statements and settings of the session are lost or, worse, those of
//! another client. [`super::rewrite`] describes how connections work without them.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tokio_postgres::error::SqlState;

use crate::settings::{Kind, Value};

/// What stands between a server and PostgreSQL: `DB_POOLER`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pooler {
    /// Whatever is noticed when a connection is opened.
    #[default]
    Auto,
    /// Nothing, or a pooler that gives each connection a session of its own.
    Session,
    /// A pooler that gives each transaction a session.
    Transaction,
}

impl Pooler {
    /// The words of the setting, the default first.
    pub const WORDS: &'static [&'static str] = &["auto", "session", "transaction"];
}

impl Value for Pooler {
    fn parse(text: &str, kind: Kind) -> Option<Self> {
        match String::parse(text, kind)?.as_str() {
            "auto" => Some(Self::Auto),
            "session" => Some(Self::Session),
            "transaction" => Some(Self::Transaction),
            _ => None,
        }
    }
}

/// What is known about the pooler of a database.
#[derive(Debug)]
pub(super) struct PoolerState {
    setting: Pooler,
    noticed_at: OnceLock<Instant>,
}

impl PoolerState {
    pub(super) fn new(setting: Pooler) -> Self {
        Self {
            setting,
            noticed_at: OnceLock::new(),
        }
    }

    /// Whether a session ends with its transaction. `None` if that is not known yet.
    pub(super) fn is_transaction_mode(&self) -> Option<bool> {
        match self.setting {
            Pooler::Session => Some(false),
            Pooler::Transaction => Some(true),
            Pooler::Auto => self.noticed_at.get().map(|_| true),
        }
    }

    /// Remembers that there is a pooler, unless the setting says otherwise.
    pub(super) fn notice(&self, reason: &str) {
        if self.setting == Pooler::Auto && self.noticed_at.set(Instant::now()).is_ok() {
            tracing::info!(
                reason,
                "a connection pooler was noticed; from now on statements do not depend on the session"
            );
        }
    }

    /// Whether a connection was opened before the pooler was noticed, so that it must not be used again.
    pub(super) fn is_outdated(&self, age: Duration) -> bool {
        self.noticed_at
            .get()
            .is_some_and(|noticed_at| age > noticed_at.elapsed())
    }
}

/// Whether an error says that the session of a prepared statement was exchanged: the statement does not
/// exist, or exists already.
pub(super) fn is_foreign_session(code: &[u8]) -> bool {
    code == SqlState::INVALID_SQL_STATEMENT_NAME.code().as_bytes()
        || code == SqlState::DUPLICATE_PSTATEMENT.code().as_bytes()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Pooler, PoolerState, is_foreign_session};

    #[test]
    fn a_noticed_pooler_changes_connections_only_without_a_setting() {
        let cases = [
            (Pooler::Auto, None, Some(true)),
            (Pooler::Session, Some(false), Some(false)),
            (Pooler::Transaction, Some(true), Some(true)),
        ];
        for (setting, before, after) in cases {
            let state = PoolerState::new(setting);
            assert_eq!(state.is_transaction_mode(), before, "{setting:?}");
            state.notice("a test");
            assert_eq!(state.is_transaction_mode(), after, "{setting:?}");
        }
    }

    #[test]
    fn connections_from_before_are_outdated() {
        let state = PoolerState::new(Pooler::Auto);
        assert!(!state.is_outdated(Duration::from_hours(1)));
        state.notice("a test");
        assert!(state.is_outdated(Duration::from_hours(1)));
        assert!(!state.is_outdated(Duration::ZERO));
    }

    #[test]
    fn two_errors_reveal_another_session() {
        let codes = ["26000", "42P05", "26001", "42P03", "00000", ""];
        let found = codes.map(|code| is_foreign_session(code.as_bytes()));
        assert_eq!(found, [true, true, false, false, false, false]);
    }
}
