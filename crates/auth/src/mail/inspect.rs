//! The outbox as operators see it: never what a mail says.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::Mailer;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::store::outbox::MailRow;
use crate::store::{self, GenericClient};

/// What became of a mail so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It waits for its next try.
    Waiting,
    /// It is being sent.
    Sending,
    /// The mail server has it.
    Delivered,
    /// It was given up.
    Failed,
}

impl State {
    pub(crate) const ALL: [Self; 4] = [Self::Waiting, Self::Sending, Self::Delivered, Self::Failed];

    /// Its name in the database and on the wire.
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

    /// The state that an operator asks for.
    pub(crate) fn read(name: &str) -> Result<Self> {
        Self::parse(name).ok_or_else(|| {
            AuthError::validation("The state must be waiting, sending, delivered or failed")
        })
    }
}

/// A mail as it is listed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mail")]
pub(crate) struct Listed {
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
    /// One page of mails, newest first, and how many there are.
    pub(crate) async fn list(
        &self,
        conn: &impl GenericClient,
        state: Option<State>,
        (size, skipped): (i64, i64),
    ) -> Result<(Vec<Listed>, i64)> {
        let state = state.map(State::name).unwrap_or_default();
        let total = store::outbox::count(conn, state).await?;
        let rows = store::outbox::list(conn, state, size, skipped).await?;
        let mails = rows.into_iter().map(|row| self.listed(row)).collect();
        Ok((mails, total))
    }

    /// Tries a mail that waits or was given up at once, and for as long as a new one.
    pub(crate) async fn retry(&self, conn: &impl GenericClient, id: Uuid) -> Result<Listed> {
        let now = self.outbox.clock.now();
        let give_up_at = self.outbox.give_up_at(now);
        if let Some(row) = store::outbox::retry(conn, id, give_up_at, now).await? {
            self.wake();
            return Ok(self.listed(row));
        }
        let state = store::outbox::find_state(conn, id).await?;
        Err(match state.as_deref().map(State::parse) {
            None => AuthError::refused(ErrorCode::MailNotFound, "There is no such mail"),
            Some(Some(State::Delivered)) => AuthError::refused(
                ErrorCode::MailDelivered,
                "The mail was delivered, and what it said is erased",
            ),
            Some(_) => AuthError::refused(ErrorCode::MailSending, "The mail is being sent"),
        })
    }

    /// Tries all mails again that were given up, and says how many.
    pub(crate) async fn retry_failed(&self, conn: &impl GenericClient) -> Result<u64> {
        let now = self.outbox.clock.now();
        let due = store::outbox::retry_failed(conn, self.outbox.give_up_at(now), now).await?;
        self.wake();
        Ok(due)
    }

    fn listed(&self, row: MailRow) -> Listed {
        Listed {
            to: self.outbox.open_recipient(row.id, &row.recipient),
            next_try_at: (row.state == State::Waiting.name()).then_some(row.next_try_at),
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
