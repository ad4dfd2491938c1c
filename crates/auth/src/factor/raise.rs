//! Raises a session to the second level, and issues its tokens.

use jiff::Timestamp;

use crate::app::App;
use crate::client::ClientInfo;
use crate::error::Result;
use crate::jwt::Amr;
use crate::model::SessionRecord;
use crate::session::issue::{self, NextRefreshToken, TokenPair};
use crate::session::token::RefreshKey;
use crate::store::SharedConnection;
use crate::user::{Object, User};

/// A session that is about to be raised by a method.
pub(super) struct Raise<'a> {
    pub(super) session: SessionRecord,
    method: &'a str,
    now: Timestamp,
    /// The sealed key of the session's refresh tokens, if it has none yet.
    pub(super) hmac_key: String,
    custom: Option<Object>,
}

impl<'a> Raise<'a> {
    /// Prepares a session. A hook may change the claims of its access token; nothing was written yet.
    pub(super) async fn prepare(
        app: &App,
        conn: &SharedConnection,
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
            custom,
        })
    }

    /// Issues the tokens of the session, which has this key and counter now.
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
        let key = issue::open_key(app, &session).ok_or_else(|| {
            let problem = format!(
                "the session has no key of refresh tokens after {}",
                self.method
            );
            crate::error::AuthError::internal(problem)
        })?;
        let next = NextRefreshToken::Signed {
            key,
            counter: session.refresh_counter(),
        };
        issue::issue_for(app, user, &session, next, self.custom.as_ref(), self.now)
    }
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

    use super::with_method;
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
}
