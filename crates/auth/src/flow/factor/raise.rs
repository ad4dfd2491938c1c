//! Raises a session to the second level, and issues its tokens.

use innkeeper_service::database::{Executor, Transaction};
use jiff::Timestamp;
use uuid::Uuid;

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::config::Profile;
use crate::flow::caller::Caller;
use crate::flow::session::issue::{self, NextRefreshToken, TokenPair};
use crate::flow::session::token::{RefreshKey, RefreshToken, generate_v1};
use crate::flow::user::{Object, User};
use crate::model::Amr;
use crate::model::SessionRecord;
use crate::store;

/// How many seconds after a session was raised the same form may come again.
const SAME_MOMENT: i64 = 10;

/// A session that is about to be raised by a method.
pub(super) struct Raise<'a> {
    pub(super) session: SessionRecord,
    method: &'a str,
    now: Timestamp,
    /// The sealed key of the session's refresh tokens, if it has none yet.
    pub(super) hmac_key: String,
    /// The refresh token of a session without such a key, as long as GoTrue may be used again.
    pub(super) v1_token: Option<String>,
    custom: Option<Object>,
}

impl<'a> Raise<'a> {
    /// Prepares a session. A hook may change the claims of its access token; nothing was written yet.
    pub(super) async fn prepare(
        app: &App,
        conn: &dyn Executor,
        user: &User,
        session: &SessionRecord,
        method: &'a str,
        client: &ClientInfo,
    ) -> Result<Self> {
        let now = app.clock.now();
        let session = with_method(session, method, now);
        let hmac_key = issue::seal_key(app, session.id, &RefreshKey::generate())?;
        let custom =
            issue::customize_renewal(app, conn, user, &session, method, now, client).await?;
        Ok(Self {
            session,
            method,
            now,
            hmac_key,
            v1_token: (app.config.profile == Profile::Gotrue).then(generate_v1),
            custom,
        })
    }

    /// Whether the session may keep tokens of version 1. A refresh at the same moment adds such a token, which the
    /// statement that raises the session must see: the session is to be [locked](Self::lock) before.
    pub(super) fn is_version_1(&self) -> bool {
        self.v1_token.is_some() && self.session.hmac_key.is_none()
    }

    /// Locks the user, and a session of version 1, in the order of the statements that raise sessions.
    pub(super) async fn lock(&self, tx: &Transaction<'_>, user_id: Uuid) -> Result<()> {
        store::users::lock_by_id(tx, user_id).await?;
        if self.is_version_1() {
            store::sessions::lock(tx, self.session.id).await?;
        }
        Ok(())
    }

    /// Issues the tokens of the session, which has this key and counter now, or the token of version 1 without a key.
    pub(super) fn issue(
        self,
        app: &App,
        user: User,
        hmac_key: Option<String>,
        counter: Option<i64>,
    ) -> Result<TokenPair> {
        let session = SessionRecord {
            hmac_key,
            counter,
            ..self.session
        };
        let next = match (issue::open_key(app, &session), self.v1_token) {
            (Some(key), _) => NextRefreshToken::Signed {
                key,
                counter: session.refresh_counter(),
            },
            (None, Some(token)) if session.hmac_key.is_none() => NextRefreshToken::Stored(token),
            _ => {
                let problem = format!("the session has no refresh tokens after {}", self.method);
                return Err(AuthError::internal(problem));
            }
        };
        issue::issue_for(app, user, &session, next, self.custom.as_ref(), self.now)
    }
}

/// Returns the newest refresh token of a session that was raised a moment ago. A browser that sends a form twice may
/// drop the first answer, and with it the token.
pub(crate) async fn newest_token(app: &App, caller: &Caller) -> Result<Option<String>> {
    let now = app.clock.now();
    let session = caller.session.as_ref();
    let Some(session) = session.filter(|session| was_just_raised(session, now)) else {
        return Ok(None);
    };
    if let Some(key) = issue::open_key(app, session) {
        let token = RefreshToken {
            session_id: session.id,
            counter: session.refresh_counter(),
        };
        return Ok(Some(token.encode(&key)));
    }
    let conn = app.shared().await?;
    let active = store::refresh_tokens::find_active(&conn, session.id).await?;
    Ok(active.and_then(|active| active.token))
}

/// Whether a session has the second level, and got it not longer ago than somebody clicks twice.
fn was_just_raised(session: &SessionRecord, now: Timestamp) -> bool {
    let methods = session.methods.iter().flatten();
    let newest = methods.map(|method| method.timestamp).max();
    let age = newest.map(|newest| now.as_second().saturating_sub(newest));
    session.has_second_level() && age.is_some_and(|age| age <= SAME_MOMENT)
}

/// Returns the session at the second level, with the method as its newest.
fn with_method(session: &SessionRecord, method: &str, now: Timestamp) -> SessionRecord {
    let newest = Amr {
        method: method.to_owned(),
        timestamp: now.as_second(),
        provider: None,
    };
    let others = session.methods.iter().flatten();
    let others = others.filter(|other| other.method != method).cloned();
    SessionRecord {
        aal: Some("aal2".to_owned()),
        methods: Some(std::iter::once(newest).chain(others).collect()),
        ..session.clone()
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::{was_just_raised, with_method};
    use crate::model::SessionRecord;

    #[test]
    fn the_new_method_comes_first_and_stands_once() {
        let session = |methods: &[(&str, i64)]| -> SessionRecord {
            let methods: Vec<_> = methods
                .iter()
                .map(|(method, at)| json!({ "method": method, "timestamp": at }))
                .collect();
            let id = uuid::Uuid::nil();
            serde_json::from_value(json!({ "id": id, "aal": "aal1", "methods": methods })).unwrap()
        };
        let now = Timestamp::from_second(9).unwrap();
        for (before, after) in [
            (vec![], vec![("totp", 9)]),
            (vec![("password", 5)], vec![("totp", 9), ("password", 5)]),
            (
                vec![("mfa/phone", 7), ("totp", 6), ("password", 5)],
                vec![("totp", 9), ("mfa/phone", 7), ("password", 5)],
            ),
        ] {
            let raised = with_method(&session(&before), "totp", now);
            assert!(raised.has_second_level());
            let methods = raised.methods.unwrap();
            let found: Vec<(&str, i64)> = methods
                .iter()
                .map(|amr| (amr.method.as_str(), amr.timestamp))
                .collect();
            assert_eq!(found, after);
        }
    }

    #[test]
    fn a_session_was_raised_just_now_for_ten_seconds() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let id = uuid::Uuid::nil();
        let methods = json!([
            { "method": "totp", "timestamp": 100 },
            { "method": "password", "timestamp": 90 },
        ]);
        for (aal, now, expected) in [
            ("aal2", 100, true),
            ("aal2", 110, true),
            ("aal2", 111, false),
            ("aal1", 100, false),
        ] {
            let session = json!({ "id": id, "aal": aal, "methods": methods });
            let session: SessionRecord = serde_json::from_value(session).unwrap();
            assert_eq!(was_just_raised(&session, at(now)), expected, "{aal} {now}");
        }
        let session = json!({ "id": id, "aal": "aal2" });
        let session: SessionRecord = serde_json::from_value(session).unwrap();
        assert!(!was_just_raised(&session, at(100)));
    }
}
