//! Lists the outbox for operators, without the content of mails.

use innkeeper_service::database::Executor;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::mailer::Mailer;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::store;
use crate::store::outbox::MailRow;

/// The state of a mail in the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MailState {
    /// It waits for its next attempt.
    Waiting,
    /// It is being sent.
    Sending,
    /// The mail server has accepted it.
    Delivered,
    /// It was given up.
    Failed,
}

impl MailState {
    pub(crate) const ALL: [Self; 4] = [Self::Waiting, Self::Sending, Self::Delivered, Self::Failed];

    /// Returns the name in the database and on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sending => "sending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Parses the state in a request.
    pub(crate) fn from_request(name: &str) -> Result<Self> {
        Self::parse(name).ok_or_else(|| {
            AuthError::validation("The state must be waiting, sending, delivered or failed")
        })
    }
}

/// A mail in the list of the outbox.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mail")]
pub(crate) struct MailSummary {
    pub(crate) id: Uuid,
    pub(crate) kind: String,
    pub(crate) to: String,
    pub(crate) state: String,
    pub(crate) tries: i32,
    pub(crate) last_error: Option<String>,
    /// When it is tried next; `None` if it is not.
    pub(crate) next_try_at: Option<Timestamp>,
    pub(crate) created_at: Timestamp,
    /// When it was delivered or given up.
    pub(crate) ended_at: Option<Timestamp>,
}

impl Mailer {
    /// Returns a page of mails, newest first, and how many there are in all.
    pub(crate) async fn list(
        &self,
        conn: &dyn Executor,
        state: Option<MailState>,
        limit: i64,
        offset: i64,
    ) -> Result<(Vec<MailSummary>, i64)> {
        let state = state.map(MailState::name).unwrap_or_default();
        let total = store::outbox::count(conn, state).await?;
        let rows = store::outbox::list(conn, state, limit, offset).await?;
        let mails = rows.into_iter().map(|row| self.summary(row)).collect();
        Ok((mails, total))
    }

    /// Makes a waiting or failed mail due now, and tries it for as long as a new one.
    pub(crate) async fn retry(&self, conn: &dyn Executor, id: Uuid) -> Result<MailSummary> {
        let now = self.worker.outbox.clock.now();
        let give_up_at = self.worker.outbox.give_up_at(now);
        if let Some(row) = store::outbox::retry(conn, id, give_up_at, now).await? {
            self.wake();
            return Ok(self.summary(row));
        }
        let state = store::outbox::find_state(conn, id).await?;
        Err(match state.as_deref().map(MailState::parse) {
            None => AuthError::refused(ErrorCode::MailNotFound, "There is no such mail"),
            Some(Some(MailState::Delivered)) => AuthError::refused(
                ErrorCode::MailDelivered,
                "The mail was delivered, and what it said is erased",
            ),
            Some(_) => AuthError::refused(ErrorCode::MailSending, "The mail is being sent"),
        })
    }

    /// Makes all failed mails due now and returns how many there are.
    pub(crate) async fn retry_failed(&self, conn: &dyn Executor) -> Result<u64> {
        let now = self.worker.outbox.clock.now();
        let due =
            store::outbox::retry_failed(conn, self.worker.outbox.give_up_at(now), now).await?;
        self.wake();
        Ok(due)
    }

    fn summary(&self, row: MailRow) -> MailSummary {
        MailSummary {
            to: self.worker.outbox.open_recipient(row.id, &row.recipient),
            next_try_at: (row.state == MailState::Waiting.name()).then_some(row.next_try_at),
            id: row.id,
            kind: row.kind,
            state: row.state,
            tries: row.tries,
            last_error: row.last_error,
            created_at: row.created_at,
            ended_at: row.ended_at,
        }
    }
}
