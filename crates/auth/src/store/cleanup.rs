//! Deletes expired rows of several tables, in small batches.
//!
//! Each statement reads the rows after an id, in the order of the primary key, so that it needs no other index and
//! neither waits long nor makes others wait.

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use uuid::Uuid;

use super::Result;

/// The first half of the advisory lock's key: "innc". The other half is a hash of the schema's name.
const LOCK: i32 = 0x696e_6e63;

/// A table whose rows expire.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CleanupTable {
    Sessions,
    OneTimeTokens,
    OneTimeCodes,
    EarlierLinks,
    FlowStates,
    Outbox,
    AuditLog,
    AnonymousUsers,
    Factors,
    Challenges,
    WebauthnChallenges,
}

impl CleanupTable {
    pub(crate) const ALL: [Self; 11] = [
        Self::Sessions,
        Self::OneTimeTokens,
        Self::OneTimeCodes,
        Self::EarlierLinks,
        Self::FlowStates,
        Self::Outbox,
        Self::AuditLog,
        Self::AnonymousUsers,
        Self::Factors,
        Self::Challenges,
        Self::WebauthnChallenges,
    ];
}

/// Rows are expired if their time is before these.
#[derive(Debug)]
pub(crate) struct Cutoffs {
    /// The end of sessions that have one.
    pub(crate) session_ended: Timestamp,
    /// The start of sessions, if the length of sessions is limited.
    pub(crate) session_started: Option<Timestamp>,
    /// The last use of sessions, if unused sessions end.
    pub(crate) session_used: Option<Timestamp>,
    /// The time when one-time links and codes were sent.
    pub(crate) token_sent: Timestamp,
    /// The last change of PKCE flows.
    pub(crate) flow_changed: Timestamp,
    /// The time when mails were delivered.
    pub(crate) mail_delivered: Timestamp,
    /// The time when mails were given up.
    pub(crate) mail_failed: Timestamp,
    /// The time when audit entries were written, if they are not kept forever.
    pub(crate) audit_written: Option<Timestamp>,
    /// The time when second factors were enrolled that were never verified, and challenges were opened.
    pub(crate) factor_used: Timestamp,
    /// The end of the challenges of passkeys.
    pub(crate) challenge_expired: Timestamp,
    /// The sign-up of anonymous users, if they are not kept forever.
    pub(crate) anonymous_created: Option<Timestamp>,
    /// The last use of anonymous users, if it counts as well.
    pub(crate) anonymous_used: Option<Timestamp>,
}

rows! {
    /// What was done with a batch.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Swept {
        /// The last id that was read.
        pub(crate) last: Option<Uuid>,
        /// The number of deleted rows.
        pub(crate) gone: i64,
    }

    struct SweptTokens {
        last: Option<i64>,
        gone: i64,
    }
}

/// The result of a table whose rows are kept forever: no row needs to be read.
const NOTHING: Swept = Swept {
    last: None,
    gone: 0,
};

/// Deletes the expired rows among the next `batch` rows after an id. Returns the id that was reached and
/// the number of deleted rows.
pub(crate) async fn sweep(
    conn: &dyn Executor,
    table: CleanupTable,
    cutoffs: &Cutoffs,
    after: Uuid,
    batch: i64,
) -> Result<Swept> {
    match table {
        CleanupTable::Sessions => {
            let (ended, timeboxed) = (cutoffs.session_ended, cutoffs.session_started);
            sweep_sessions(conn, after, batch, ended, timeboxed, cutoffs.session_used).await
        }
        CleanupTable::OneTimeTokens => {
            sweep_one_time_tokens(conn, after, batch, cutoffs.token_sent).await
        }
        CleanupTable::OneTimeCodes => {
            sweep_one_time_codes(conn, after, batch, cutoffs.token_sent).await
        }
        CleanupTable::EarlierLinks => {
            sweep_earlier_links(conn, after, batch, cutoffs.token_sent).await
        }
        CleanupTable::FlowStates => {
            sweep_flow_states(conn, after, batch, cutoffs.flow_changed).await
        }
        CleanupTable::Outbox => {
            let (delivered, failed) = (cutoffs.mail_delivered, cutoffs.mail_failed);
            sweep_outbox(conn, after, batch, delivered, failed).await
        }
        CleanupTable::AuditLog => match cutoffs.audit_written {
            Some(written) => sweep_audit_log(conn, after, batch, written).await,
            None => Ok(NOTHING),
        },
        CleanupTable::AnonymousUsers => match cutoffs.anonymous_created {
            Some(created) => {
                sweep_anonymous_users(conn, after, batch, created, cutoffs.anonymous_used).await
            }
            None => Ok(NOTHING),
        },
        CleanupTable::Factors => sweep_factors(conn, after, batch, cutoffs.factor_used).await,
        CleanupTable::Challenges => sweep_challenges(conn, after, batch, cutoffs.factor_used).await,
        CleanupTable::WebauthnChallenges => {
            sweep_webauthn_challenges(conn, after, batch, cutoffs.challenge_expired).await
        }
    }
}

/// Does the same as [`sweep`] for revoked refresh tokens without a session, whose ids are numbers.
pub(crate) async fn sweep_refresh_tokens(
    conn: &dyn Executor,
    ended: Timestamp,
    after: i64,
    batch: i64,
) -> Result<(Option<i64>, i64)> {
    let swept = sweep_used_tokens(conn, after, batch, ended).await?;
    Ok((swept.last, swept.gone))
}

/// The beginning of a statement: reads the next rows of a table by their ids, and deletes those that meet the
/// conditions that follow.
macro_rules! delete_next {
    ($table:literal) => {
        concat!(
            "with seen as (select t.id from ",
            $table,
            " t where t.id > :after order by t.id limit :batch), gone as (delete from ",
            $table,
            " t using seen where t.id = seen.id",
        )
    };
}

/// The end of a statement.
const SWEPT: &str = "
    returning seen.id)
select (select seen.id from seen order by seen.id desc limit 1) as last,
       (select count(*) from gone) as gone";

/// When GoTrue sent a link or a code: the column of the user has the time.
const SENT_BY_GOTRUE: &str = "
       (select case t.token_type::text
                 when 'confirmation_token' then u.confirmation_sent_at
                 when 'recovery_token' then u.recovery_sent_at
                 when 'reauthentication_token' then u.reauthentication_sent_at
                 when 'phone_change_token' then u.phone_change_sent_at
                 else u.email_change_sent_at
               end
          from users u
         where u.id = t.user_id)";

statements! {
    /// Tries to take the advisory lock of the cleanup, so that one replica cleans up at a time. It is released at the
    /// end of the transaction: behind a connection pooler, the session may belong to somebody else by then.
    pub(crate) async fn try_lock() -> bool
    where { key: i32 = LOCK }
    {
        "select pg_try_advisory_xact_lock(:key, hashtext(current_schema()::text))"
    }

    /// Sessions that ended before these times, with their methods and tokens. GoTrue recorded the last use of a
    /// session in its tokens.
    async fn sweep_sessions(
        after: Uuid, batch: i64, ended: Timestamp, timeboxed: Option<Timestamp>, idle: Option<Timestamp>,
    ) -> Swept {
        delete_next!("sessions"),
        "and (t.not_after < :ended
              or t.created_at < :timeboxed
              or coalesce(t.refreshed_at at time zone 'UTC',
                          (select max(r.updated_at) from refresh_tokens r where r.session_id = t.id),
                          t.created_at) < :idle)",
        SWEPT
    }

    /// Links that were sent before this time.
    async fn sweep_one_time_tokens(after: Uuid, batch: i64, sent: Timestamp) -> Swept {
        delete_next!("one_time_tokens"),
        "and greatest(t.created_at at time zone 'UTC', t.updated_at at time zone 'UTC',", SENT_BY_GOTRUE, ") < :sent",
        SWEPT
    }

    /// Codes that were sent before this time, with their attempts. All codes of a user are read at once.
    async fn sweep_one_time_codes(after: Uuid, batch: i64, sent: Timestamp) -> Swept {
        "with seen as (
                select c.user_id as id, c.token_type
                  from innkeeper_one_time_codes c
                 where c.user_id > :after
                 order by c.user_id
                 fetch first :batch rows with ties),
              gone as (
                delete from innkeeper_one_time_codes t
                 using seen
                 where t.user_id = seen.id
                   and t.token_type = seen.token_type
                   and greatest(t.created_at,", SENT_BY_GOTRUE, ") < :sent",
        SWEPT
    }

    /// Earlier links of sign-ups that were sent before this time. All links of a user are read at once.
    async fn sweep_earlier_links(after: Uuid, batch: i64, sent: Timestamp) -> Swept {
        "with seen as (
                select e.user_id as id, e.link_hash
                  from innkeeper_earlier_links e
                 where e.user_id > :after
                 order by e.user_id
                 fetch first :batch rows with ties),
              gone as (
                delete from innkeeper_earlier_links t
                 using seen
                 where t.link_hash = seen.link_hash
                   and t.created_at < :sent",
        SWEPT
    }

    /// PKCE flows that were not changed since this time.
    async fn sweep_flow_states(after: Uuid, batch: i64, touched: Timestamp) -> Swept {
        delete_next!("flow_state"),
        "and greatest(t.created_at, t.updated_at, t.auth_code_issued_at) < :touched",
        SWEPT
    }

    /// GoTrue's tokens that belong to no session and were used or revoked before this time. Tokens of a session are
    /// deleted with the session.
    async fn sweep_used_tokens(after: i64, batch: i64, ended: Timestamp) -> SweptTokens {
        delete_next!("refresh_tokens"),
        "and t.session_id is null and t.revoked and coalesce(t.updated_at, t.created_at) < :ended",
        SWEPT
    }

    /// Mails that were delivered or given up before these times.
    async fn sweep_outbox(after: Uuid, batch: i64, delivered: Timestamp, failed: Timestamp) -> Swept {
        delete_next!("innkeeper_outbox"),
        "and ((t.state = 'delivered' and t.ended_at < :delivered)
              or (t.state = 'failed' and t.ended_at < :failed))",
        SWEPT
    }

    /// Entries of the audit log that were written before this time.
    async fn sweep_audit_log(after: Uuid, batch: i64, written: Timestamp) -> Swept {
        delete_next!("audit_log_entries"), "and t.created_at < :written", SWEPT
    }

    /// Anonymous users who signed up before a time and, where that is asked, were not used since another.
    async fn sweep_anonymous_users(
        after: Uuid, batch: i64, created: Timestamp, used: Option<Timestamp>,
    ) -> Swept {
        include_str!("cleanup/anonymous_users.sql"), SWEPT
    }

    /// Second factors that were enrolled before this time and never verified.
    async fn sweep_factors(after: Uuid, batch: i64, enrolled: Timestamp) -> Swept {
        delete_next!("mfa_factors"), "and t.status = 'unverified' and t.created_at < :enrolled", SWEPT
    }

    /// Challenges of second factors that were opened before this time.
    async fn sweep_challenges(after: Uuid, batch: i64, opened: Timestamp) -> Swept {
        delete_next!("mfa_challenges"), "and t.created_at < :opened", SWEPT
    }

    /// Challenges of passkeys that expired before this time.
    async fn sweep_webauthn_challenges(after: Uuid, batch: i64, expired: Timestamp) -> Swept {
        delete_next!("webauthn_challenges"), "and t.expires_at < :expired", SWEPT
    }
}
