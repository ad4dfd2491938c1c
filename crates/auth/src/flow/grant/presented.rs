//! A presented refresh token: its session, its place in the chain of that session's tokens, and the
//! step to the next one. This is all that differs between the two formats of tokens.
//!
//! Version 2 is signed with the key of its session. Version 1 stands in the database as GoTrue stored
//! it; its first use gives the session a key, and all further tokens are of version 2. In the gotrue profile it is
//! exchanged for another one of version 1 as long as GoTrue may be used again.

use http::StatusCode;
use innkeeper_service::database::Executor;
use jiff::Timestamp;
use uuid::Uuid;

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::flow::session::SessionRecord;
use crate::flow::session::issue::{self, NextRefreshToken};
use crate::flow::session::token::{ParsedRefreshToken, RefreshKey, SignedToken, generate_v1};
use crate::flow::user::User;
use crate::store;
use crate::store::audit::NewAuditEntry;
use crate::store::refresh_tokens::TokenRow;
use crate::store::sessions::{RefreshClient, SessionUpgrade};

/// A refresh token whose session was found.
pub(super) struct PresentedToken<'a> {
    pub(super) user: User,
    pub(super) session: SessionRecord,
    format: Format<'a>,
}

enum Format<'a> {
    V1 { token: &'a str, row: TokenRow },
    V2 { key: RefreshKey, counter: u64 },
}

/// Where a token stands in the chain of its session's tokens.
pub(super) struct ChainPosition {
    pub(super) presented: u64,
    /// The counter of the session's newest token.
    pub(super) current: u64,
    /// When the newest token was issued.
    pub(super) moved_at: Option<Timestamp>,
    /// The newest token, if it is of version 1.
    stored: Option<String>,
}

impl<'a> PresentedToken<'a> {
    /// Finds the user and the session of a token. The signature of version 2 is checked.
    pub(super) async fn find(
        app: &App,
        conn: &dyn Executor,
        presented: &'a ParsedRefreshToken,
    ) -> Result<Self> {
        match presented {
            ParsedRefreshToken::V2(signed) => Self::find_signed(app, conn, signed).await,
            ParsedRefreshToken::V1(token) => Self::find_stored(app, conn, token).await,
            ParsedRefreshToken::Malformed => Err(not_found()),
        }
    }

    async fn find_signed(app: &App, conn: &dyn Executor, signed: &SignedToken) -> Result<Self> {
        let row = store::users::find_by_session(conn, signed.session_id()).await?;
        let Some((user, Some(session))) = row else {
            return Err(not_found());
        };
        let key = issue::open_key(app, &session).ok_or_else(not_found)?;
        let counter = signed.verify(&key).ok_or_else(not_found)?.counter;
        Ok(Self {
            user,
            session,
            format: Format::V2 { key, counter },
        })
    }

    async fn find_stored(app: &App, conn: &dyn Executor, token: &'a str) -> Result<Self> {
        // The token is read before its session, so that the token it was exchanged for is seen, too.
        let row = find_row(app, conn, token).await?;
        let session_id = row.session_id.ok_or_else(not_found)?;
        let found_session = store::users::find_by_session(conn, session_id).await?;
        let Some((user, Some(mut session))) = found_session else {
            return Err(session_not_found());
        };
        // Before GoTrue stored when a session was refreshed, its tokens said so.
        session.refreshed_at = session.refreshed_at.or(row.updated_at);
        Ok(Self {
            user,
            session,
            format: Format::V1 { token, row },
        })
    }

    /// Finds out how far the token is behind the session's newest.
    pub(super) async fn position(&self, conn: &dyn Executor) -> Result<ChainPosition> {
        let session = &self.session;
        let (token, row) = match &self.format {
            Format::V2 { counter, .. } => {
                return Ok(ChainPosition {
                    presented: *counter,
                    current: session.refresh_counter(),
                    moved_at: session.refreshed_at,
                    stored: None,
                });
            }
            Format::V1 { token, row } => (*token, row),
        };
        if session.hmac_key.is_some() {
            let newest = store::refresh_tokens::newest_of_session(conn, session.id).await?;
            // Only the newest token of version 1 was exchanged for the first of version 2.
            let is_parent = newest == Some(row.id);
            let behind = session.refresh_counter().max(1) + u64::from(!is_parent);
            return Ok(ChainPosition {
                presented: 0,
                current: behind,
                moved_at: session.refreshed_at,
                stored: None,
            });
        }
        let active = store::refresh_tokens::find_active(conn, session.id).await?;
        let behind = match &active {
            _ if row.revoked != Some(true) => 0,
            Some(active) if active.parent.as_deref() == Some(token) => 1,
            _ => 2,
        };
        Ok(ChainPosition {
            presented: 0,
            current: behind,
            moved_at: row.updated_at,
            stored: active.and_then(|active| active.token),
        })
    }

    /// Moves the session to its next token and writes the audit entry to the database, in one
    /// statement. Returns `None` if another request was faster.
    pub(super) async fn rotate(
        &self,
        app: &App,
        conn: &dyn Executor,
        entry: &NewAuditEntry,
        client: &ClientInfo,
    ) -> Result<Option<NextRefreshToken>> {
        let session = &self.session;
        let address = client.address.map(|address| address.to_string());
        let refresh_client = RefreshClient {
            user_agent: client.user_agent.as_deref(),
            address: address.as_deref(),
        };
        let is_audited = !app.config.audit_log_disable_postgres;
        let (is_first, key, counter) = match &self.format {
            Format::V1 { token, row } if is_beside_gotrue(app, row) => {
                let next = generate_v1();
                let is_first = store::refresh_tokens::exchange(
                    conn,
                    token,
                    &next,
                    refresh_client,
                    entry,
                    is_audited,
                )
                .await?;
                return Ok(is_first.then_some(NextRefreshToken::Stored(next)));
            }
            Format::V2 { key, .. } => {
                let counter = session.counter.unwrap_or_default();
                let is_first = store::sessions::advance(
                    conn,
                    session.id,
                    counter,
                    refresh_client,
                    entry,
                    is_audited,
                )
                .await?;
                let next = session.refresh_counter().saturating_add(1);
                (is_first, key.clone(), next)
            }
            Format::V1 { token, .. } => {
                let key = RefreshKey::generate();
                let upgrade = SessionUpgrade {
                    session_id: session.id,
                    token,
                    hmac_key: &issue::seal_key(app, session.id, &key)?,
                };
                let is_first =
                    store::sessions::upgrade(conn, upgrade, refresh_client, entry, is_audited)
                        .await?;
                (is_first, key, 1)
            }
        };
        Ok(is_first.then_some(NextRefreshToken::Signed { key, counter }))
    }

    /// Returns the session's newest token, to be issued again.
    pub(super) fn current(&self, app: &App, position: ChainPosition) -> Result<NextRefreshToken> {
        let key = match &self.format {
            Format::V2 { key, .. } => Some(key.clone()),
            Format::V1 { .. } => issue::open_key(app, &self.session),
        };
        match (key, position.stored) {
            (Some(key), _) => Ok(NextRefreshToken::Signed {
                key,
                counter: self.session.refresh_counter(),
            }),
            (None, Some(stored)) => Ok(NextRefreshToken::Stored(stored)),
            (None, None) => Err(not_found()),
        }
    }
}

/// Whether GoTrue may still refresh the sessions of this database, so that tokens of version 1 stay.
fn is_beside_gotrue(app: &App, row: &TokenRow) -> bool {
    app.config.profile == Profile::Gotrue && !row.is_taken_over
}

/// Finds a token of version 1 that has a session. Where tokens are older than sessions, its whole family
/// gets one.
async fn find_row(app: &App, conn: &dyn Executor, token: &str) -> Result<TokenRow> {
    let row = store::refresh_tokens::find_by_token(conn, token).await?;
    let row = row.ok_or_else(not_found)?;
    if row.session_id.is_some() {
        return Ok(row);
    }
    let id = Uuid::new_v4();
    if !store::refresh_tokens::adopt_family(conn, token, id, app.clock.now()).await? {
        // Another token of the family was faster, and opened the session.
        store::sessions::delete(conn, id).await?;
    }
    let row = store::refresh_tokens::find_by_token(conn, token).await?;
    row.ok_or_else(not_found)
}

/// 400 `refresh_token_not_found`.
pub(super) fn not_found() -> AuthError {
    AuthError::refused(
        ErrorCode::RefreshTokenNotFound,
        "Invalid Refresh Token: Refresh Token Not Found",
    )
}

fn session_not_found() -> AuthError {
    AuthError::refused_as(
        StatusCode::BAD_REQUEST,
        ErrorCode::SessionNotFound,
        "Invalid Refresh Token: Session Not Found",
    )
}
