//! Deletes expired rows of several tables.

use innkeeper_auth_queries::queries::cleanup as queries;
pub(crate) use innkeeper_auth_queries::queries::cleanup::Swept;
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};

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

/// The result of a table whose rows are kept forever: no row needs to be read.
const NOTHING: Swept = Swept {
    last: None,
    gone: 0,
};

/// Tries to take the advisory lock of the cleanup, until the end of the transaction.
pub(crate) async fn try_lock(tx: &impl GenericClient) -> Result<bool> {
    Ok(queries::try_lock().bind(tx, &LOCK).one().await?)
}

/// Deletes the expired rows among the next `batch` rows after an id. Returns the id that was reached and
/// the number of deleted rows.
pub(crate) async fn sweep(
    conn: &impl GenericClient,
    table: CleanupTable,
    cutoffs: &Cutoffs,
    after: Uuid,
    batch: i64,
) -> Result<Swept> {
    let swept = match table {
        CleanupTable::Sessions => {
            let (ended, started) = (&cutoffs.session_ended, &cutoffs.session_started);
            queries::sweep_sessions()
                .bind(conn, &after, &batch, ended, started, &cutoffs.session_used)
                .one()
                .await
        }
        CleanupTable::OneTimeTokens => {
            queries::sweep_one_time_tokens()
                .bind(conn, &after, &batch, &cutoffs.token_sent)
                .one()
                .await
        }
        CleanupTable::OneTimeCodes => {
            queries::sweep_one_time_codes()
                .bind(conn, &after, &batch, &cutoffs.token_sent)
                .one()
                .await
        }
        CleanupTable::EarlierLinks => {
            queries::sweep_earlier_links()
                .bind(conn, &after, &batch, &cutoffs.token_sent)
                .one()
                .await
        }
        CleanupTable::FlowStates => {
            queries::sweep_flow_states()
                .bind(conn, &after, &batch, &cutoffs.flow_changed)
                .one()
                .await
        }
        CleanupTable::Outbox => {
            let (delivered, failed) = (&cutoffs.mail_delivered, &cutoffs.mail_failed);
            queries::sweep_outbox()
                .bind(conn, &after, &batch, delivered, failed)
                .one()
                .await
        }
        CleanupTable::AuditLog => {
            let Some(written) = &cutoffs.audit_written else {
                return Ok(NOTHING);
            };
            queries::sweep_audit_log()
                .bind(conn, &after, &batch, written)
                .one()
                .await
        }
        CleanupTable::Factors => return sweep_factors(conn, cutoffs, after, batch).await,
        CleanupTable::Challenges => return sweep_challenges(conn, cutoffs, after, batch).await,
        CleanupTable::AnonymousUsers => {
            return sweep_anonymous_users(conn, cutoffs, after, batch).await;
        }
        CleanupTable::WebauthnChallenges => {
            return sweep_webauthn_challenges(conn, cutoffs, after, batch).await;
        }
    };
    Ok(swept?)
}

async fn sweep_webauthn_challenges(
    conn: &impl GenericClient,
    cutoffs: &Cutoffs,
    after: Uuid,
    batch: i64,
) -> Result<Swept> {
    Ok(queries::sweep_webauthn_challenges()
        .bind(conn, &after, &batch, &cutoffs.challenge_expired)
        .one()
        .await?)
}

async fn sweep_factors(
    conn: &impl GenericClient,
    cutoffs: &Cutoffs,
    after: Uuid,
    batch: i64,
) -> Result<Swept> {
    Ok(queries::sweep_factors()
        .bind(conn, &after, &batch, &cutoffs.factor_used)
        .one()
        .await?)
}

async fn sweep_challenges(
    conn: &impl GenericClient,
    cutoffs: &Cutoffs,
    after: Uuid,
    batch: i64,
) -> Result<Swept> {
    Ok(queries::sweep_challenges()
        .bind(conn, &after, &batch, &cutoffs.factor_used)
        .one()
        .await?)
}

async fn sweep_anonymous_users(
    conn: &impl GenericClient,
    cutoffs: &Cutoffs,
    after: Uuid,
    batch: i64,
) -> Result<Swept> {
    let Some(created) = &cutoffs.anonymous_created else {
        return Ok(NOTHING);
    };
    let used = &cutoffs.anonymous_used;
    let swept = queries::sweep_anonymous_users()
        .bind(conn, &after, &batch, created, used)
        .one()
        .await?;
    Ok(swept)
}

/// Does the same as [`sweep`] for revoked refresh tokens without a session, whose ids are numbers.
pub(crate) async fn sweep_refresh_tokens(
    conn: &impl GenericClient,
    ended: Timestamp,
    after: i64,
    batch: i64,
) -> Result<(Option<i64>, i64)> {
    let swept = queries::sweep_refresh_tokens()
        .bind(conn, &after, &batch, &ended)
        .one()
        .await?;
    Ok((swept.last, swept.gone))
}
