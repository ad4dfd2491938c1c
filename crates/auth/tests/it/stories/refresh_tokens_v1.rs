//! Refresh tokens of version 1 in a database of GoTrue: they are stored in plain text, each with its
//! parent.

use innkeeper_auth::config::{Config, Profile};
use innkeeper_auth::session::token::{RefreshKey, RefreshToken};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use uuid::Uuid;

use crate::support::operator::count;
use crate::support::tokens::{parts_of, text};
use crate::support::{Answer, Sql, TestApp};

const FIRST: &str = "aaaaaaaaaaaa";
const SECOND: &str = "bbbbbbbbbbbb";
const THIRD: &str = "cccccccccccc";

/// A server on a database of GoTrue, with one user.
struct Old {
    app: TestApp,
    sql: Sql,
    user: Uuid,
    /// The only session, unless the tokens are older than sessions.
    session: Option<Uuid>,
}

impl Old {
    /// Starts a server and a session as GoTrue stores it.
    async fn start(change: impl FnOnce(&mut Config)) -> Self {
        let app = TestApp::with(|config| {
            config.mailer.autoconfirm = true;
            change(config);
        })
        .await;
        let body = app.signed_up("ada@example.com", "correct horse").await;
        let (_, claims) = parts_of(&text(&body, "access_token"));
        let sql = app.sql().await;
        sql.execute(
            "update sessions set refresh_token_hmac_key = null, refresh_token_counter = null",
            &[],
        )
        .await
        .unwrap();
        let id = |name: &str| Uuid::parse_str(claims[name].as_str().unwrap()).unwrap();
        Self {
            app,
            sql,
            user: id("sub"),
            session: Some(id("session_id")),
        }
    }

    /// Like [`start`](Self::start), but from before GoTrue had sessions.
    async fn without_sessions() -> Self {
        let mut old = Box::pin(Self::start(|_| {})).await;
        old.sql.execute("delete from sessions", &[]).await.unwrap();
        old.session = None;
        old
    }

    /// Inserts a chain of tokens; all but the last were used, this many seconds ago.
    async fn chain(&self, tokens: &[&str], seconds_ago: i64) {
        let mut parent = None;
        let at = self.ago(seconds_ago);
        for (number, token) in tokens.iter().enumerate() {
            let revoked = number + 1 < tokens.len();
            self.sql
                .execute(
                    "insert into refresh_tokens
                            (token, parent, user_id, session_id, revoked, created_at, updated_at)
                     values ($1, $2, $3, $4, $5, $6, $6)",
                    &[
                        token,
                        &parent,
                        &self.user.to_string(),
                        &self.session,
                        &revoked,
                        &at,
                    ],
                )
                .await
                .unwrap();
            parent = Some(*token);
        }
    }

    fn ago(&self, seconds: i64) -> Timestamp {
        self.app.clock.now() - SignedDuration::from_secs(seconds)
    }

    async fn refresh(&self, token: &str) -> Answer {
        self.app.refresh(token).await
    }

    async fn sessions(&self) -> i64 {
        count(&self.sql, "select count(*) from sessions").await
    }
}

/// Returns whether a token is of version 2.
fn is_signed(token: &str) -> bool {
    token.len() > 22
}

/// Returns the refresh token of a successful response.
#[track_caller]
fn given(answer: Answer) -> String {
    text(&answer.ok(), "refresh_token")
}

#[tokio::test]
async fn an_active_token_works_and_is_exchanged_for_one_of_the_present_kind() {
    for token in [FIRST, "0123456789az", "AbCdEfGhIjKlMnOpQrSt-_"] {
        let old = Old::start(|_| {}).await;
        old.chain(&[token], 100).await;
        let answer = old.refresh(token).await;
        assert_eq!(answer.header("sb-auth-refresh-token-counter"), Some("1"));
        assert_eq!(answer.header("sb-auth-refresh-token-reuse"), Some("false"));
        let body = answer.ok();
        let next = text(&body, "refresh_token");
        assert!(is_signed(&next), "{next}");
        let (_, claims) = parts_of(&text(&body, "access_token"));
        assert_eq!(claims["session_id"], old.session.unwrap().to_string());
        assert_eq!(claims["amr"][0]["method"], "password");
        // The new tokens can be refreshed, too.
        let after = given(old.refresh(&next).await);
        given(old.refresh(&after).await);
        let row = old
            .sql
            .query_one("select refresh_token_hmac_key from sessions", &[])
            .await
            .unwrap();
        assert!(row.get::<_, String>(0).starts_with('{'));
        let active = "select count(*) from refresh_tokens where revoked is not true";
        assert_eq!(count(&old.sql, active).await, 0);
    }
}

#[tokio::test]
async fn a_used_token_gives_the_same_child_inside_the_interval_and_ends_the_session_after() {
    let old = Old::start(|_| {}).await;
    old.chain(&[FIRST], 100).await;
    let next = given(old.refresh(FIRST).await);
    old.app.advance(9);
    assert_eq!(given(old.refresh(FIRST).await), next);
    old.app.advance(2);
    old.refresh(FIRST)
        .await
        .refused(400, "refresh_token_already_used");
    old.refresh(&next)
        .await
        .refused(400, "refresh_token_not_found");
    assert_eq!(old.sessions().await, 0);
}

#[tokio::test]
async fn a_used_token_of_an_upgraded_session_ends_it_when_the_session_has_moved_on() {
    let old = Old::start(|_| {}).await;
    old.chain(&[FIRST], 100).await;
    let next = given(old.refresh(FIRST).await);
    given(old.refresh(&next).await);
    old.refresh(FIRST)
        .await
        .refused(400, "refresh_token_already_used");
    assert_eq!(old.sessions().await, 0);
}

#[tokio::test]
async fn the_parent_of_the_active_token_gives_that_one_inside_the_interval() {
    let old = Old::start(|_| {}).await;
    old.chain(&[FIRST, SECOND], 5).await;
    for _ in 0..2 {
        let answer = old.refresh(FIRST).await;
        assert_eq!(answer.header("sb-auth-refresh-token-prefix"), Some("bbbbb"));
        assert_eq!(answer.header("sb-auth-refresh-token-reuse"), Some("true"));
        assert_eq!(given(answer), SECOND);
    }
    assert!(is_signed(&given(old.refresh(SECOND).await)));
}

#[tokio::test]
async fn after_the_interval_the_parent_ends_the_session_in_std() {
    let old = Old::start(|_| {}).await;
    old.chain(&[FIRST, SECOND], 11).await;
    old.refresh(FIRST)
        .await
        .refused(400, "refresh_token_already_used");
    old.refresh(SECOND)
        .await
        .refused(400, "refresh_token_not_found");
    assert_eq!(old.sessions().await, 0);
    assert_eq!(
        count(&old.sql, "select count(*) from refresh_tokens").await,
        0
    );
}

#[tokio::test]
async fn after_the_interval_the_parent_still_gives_the_active_token_in_gotrue() {
    let old = Old::start(|config| config.profile = Profile::Gotrue).await;
    old.chain(&[FIRST, SECOND], 100_000).await;
    assert_eq!(given(old.refresh(FIRST).await), SECOND);
    let third = given(old.refresh(SECOND).await);
    assert!(!is_signed(&third), "{third}");
    assert_eq!(given(old.refresh(SECOND).await), third);
}

#[tokio::test]
async fn a_grandparent_ends_the_session_at_any_time() {
    // In GoTrue the interval is for all.
    for (profile, age) in [(Profile::Std, 1), (Profile::Gotrue, 100)] {
        let old = Old::start(|config| config.profile = profile).await;
        old.chain(&[FIRST, SECOND, THIRD], age).await;
        old.refresh(FIRST)
            .await
            .refused(400, "refresh_token_already_used");
        old.refresh(THIRD)
            .await
            .refused(400, "refresh_token_not_found");
    }
}

#[tokio::test]
async fn without_rotation_a_used_token_is_refused_and_the_session_goes_on() {
    let old = Old::start(|config| {
        config.security.refresh_token_rotation_enabled = false;
    })
    .await;
    old.chain(&[FIRST, SECOND, THIRD], 100).await;
    for used in [FIRST, SECOND] {
        old.refresh(used)
            .await
            .refused(400, "refresh_token_already_used");
    }
    given(old.refresh(THIRD).await);
}

#[tokio::test]
async fn a_token_from_before_sessions_gets_one() {
    let old = Old::without_sessions().await;
    old.chain(&[FIRST, SECOND, THIRD], 1000).await;
    let body = old.refresh(THIRD).await.ok();
    let next = text(&body, "refresh_token");
    assert!(is_signed(&next));
    let (_, claims) = parts_of(&text(&body, "access_token"));
    assert_eq!(claims["sub"], old.user.to_string());
    assert_eq!(claims["aal"], "aal1");
    old.app
        .get_as(&text(&body, "access_token"), "/user")
        .await
        .ok();
    assert_eq!(old.sessions().await, 1);
    // The session starts when the family's first token was created, and contains all of its tokens.
    let row = old
        .sql
        .query_one(
            "select s.created_at, (select count(*) from refresh_tokens t where t.session_id = s.id)
               from sessions s",
            &[],
        )
        .await
        .unwrap();
    assert!(row.get::<_, Timestamp>(0) <= old.ago(999));
    assert_eq!(row.get::<_, i64>(1), 3);
    let after = given(old.refresh(&next).await);
    assert_eq!(given(old.refresh(&next).await), after);
}

#[tokio::test]
async fn a_used_token_from_before_sessions_ends_its_whole_family() {
    let old = Old::without_sessions().await;
    old.chain(&[FIRST, SECOND, THIRD], 1000).await;
    old.refresh(FIRST)
        .await
        .refused(400, "refresh_token_already_used");
    old.refresh(THIRD)
        .await
        .refused(400, "refresh_token_not_found");
    assert_eq!(old.sessions().await, 0);
}

#[tokio::test]
async fn tokens_of_one_family_from_before_sessions_end_up_in_one_session() {
    let old = Old::without_sessions().await;
    old.chain(&[FIRST, SECOND], 3).await;
    let (first, second) = futures_util::future::join(old.refresh(FIRST), old.refresh(SECOND)).await;
    let second = given(second);
    assert!(is_signed(&second));
    // If the parent is accepted, it returns its child, or the token that the child was exchanged for.
    if first.status == 200 {
        let first = given(first);
        assert!(first == SECOND || first == second, "{first}");
        assert_eq!(old.sessions().await, 1);
    } else {
        first.refused(400, "refresh_token_already_used");
    }
}

#[tokio::test]
async fn tokens_of_one_family_do_not_wait_for_each_other() {
    let old = Old::without_sessions().await;
    old.chain(&[FIRST, SECOND], 3).await;
    let first_row = format!("select 1 from refresh_tokens where token = '{FIRST}' for update");
    let held = old.app.hold(&first_row).await;
    let release = held.release_to(2);
    let (second, first, ()) = tokio::join!(old.refresh(SECOND), old.refresh(FIRST), release);
    for answer in [first, second] {
        assert!([200, 400].contains(&answer.status), "{}", answer.text);
    }
    assert!(old.sessions().await <= 1);
}

#[tokio::test]
async fn a_token_whose_user_or_session_is_gone_is_not_found() {
    let mut old = Old::without_sessions().await;
    for (token, user) in [
        (FIRST, Uuid::new_v4().to_string()),
        (SECOND, "nobody".to_owned()),
    ] {
        old.sql
            .execute(
                "insert into refresh_tokens (token, user_id, revoked) values ($1, $2, false)",
                &[&token, &user],
            )
            .await
            .unwrap();
        old.refresh(token)
            .await
            .refused(400, "refresh_token_not_found");
    }
    old.session = None;
    assert_eq!(old.sessions().await, 0);
}

#[tokio::test]
async fn a_session_that_never_noted_its_refreshes_was_used_when_its_token_was_made() {
    let old = Old::start(|config| {
        config.sessions.inactivity_timeout = Some(SignedDuration::from_secs(600));
    })
    .await;
    let long_ago = old.ago(100_000);
    old.sql
        .execute("update sessions set created_at = $1", &[&long_ago])
        .await
        .unwrap();
    old.chain(&[FIRST], 300).await;
    let next = given(old.refresh(FIRST).await);
    old.app.advance(601);
    old.refresh(&next).await.refused(400, "session_expired");
}

#[tokio::test]
async fn a_signed_token_of_the_older_server_whose_key_stands_open_works() {
    let old = Old::start(|_| {}).await;
    let key = RefreshKey::generate();
    old.sql
        .execute(
            "update sessions set refresh_token_hmac_key = $1, refresh_token_counter = 7",
            &[&key.to_text().as_str()],
        )
        .await
        .unwrap();
    let session_id = old.session.unwrap();
    let token = |counter| {
        RefreshToken {
            session_id,
            counter,
        }
        .encode(&key)
    };
    assert_eq!(given(old.refresh(&token(7)).await), token(8));
    assert_eq!(given(old.refresh(&token(7)).await), token(8));
    // This token was never issued.
    old.refresh(&token(9))
        .await
        .refused(400, "refresh_token_not_found");
    assert_eq!(given(old.refresh(&token(8)).await), token(9));
}

#[tokio::test]
async fn banned_users_and_expired_sessions_refresh_nothing_here_either() {
    let old = Old::start(|_| {}).await;
    old.chain(&[FIRST], 100).await;
    let set = async |sql: &str| old.sql.execute(sql, &[]).await.unwrap();
    set("update users set banned_until = '2999-01-01'").await;
    old.refresh(FIRST).await.refused(400, "user_banned");
    set("update users set banned_until = null").await;
    set("update sessions set not_after = '2020-01-01'").await;
    old.refresh(FIRST).await.refused(400, "session_expired");
    set("update sessions set not_after = null").await;
    let body: Value = old.refresh(FIRST).await.ok();
    assert_eq!(body["token_type"], "bearer");
}
