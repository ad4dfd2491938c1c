//! How long a sign-in lasts: timebox, inactivity, one session per user, tags.

use innkeeper_auth::config::Config;
use jiff::SignedDuration;
use serde_json::Value;

use crate::support::tokens::{parts_of, text};
use crate::support::{Answer, TestApp};

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

async fn start(change: impl FnOnce(&mut Config)) -> (TestApp, Value) {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        change(config);
    })
    .await;
    let session = app.signed_up(ADA, PASSWORD).await;
    (app, session)
}

/// Signs in again, a second later.
async fn sign_in(app: &TestApp) -> Value {
    app.advance(1);
    app.sign_in(ADA, PASSWORD).await.ok()
}

async fn refresh(app: &TestApp, session: &Value) -> Answer {
    app.advance(1);
    app.refresh(&text(session, "refresh_token")).await
}

fn expired(answer: Answer, reason: &str) {
    let body = answer.refused(400, "session_expired");
    let message = format!("Invalid Refresh Token: Session Expired{reason}");
    assert_eq!(body["msg"], message);
}

#[tokio::test]
async fn a_timeboxed_session_ends_however_much_it_is_used() {
    let hour = SignedDuration::from_hours(1);
    let (app, mut session) = start(|config| config.sessions.timebox = Some(hour)).await;
    for _ in 0..3 {
        app.advance(1100);
        session = refresh(&app, &session).await.ok();
    }
    app.advance(400);
    expired(refresh(&app, &session).await, "");
    let session = sign_in(&app).await;
    refresh(&app, &session).await.ok();
}

#[tokio::test]
async fn an_unused_session_ends_and_a_used_one_does_not() {
    let hour = SignedDuration::from_hours(1);
    let (app, mut session) = start(|config| config.sessions.inactivity_timeout = Some(hour)).await;
    for _ in 0..3 {
        app.advance(3000);
        session = refresh(&app, &session).await.ok();
    }
    app.advance(3600);
    expired(refresh(&app, &session).await, " (Inactivity)");
}

#[tokio::test]
async fn a_session_ends_at_the_time_that_its_row_says() {
    let (app, session) = start(|_| {}).await;
    let sql = app.sql().await;
    let end = app.clock.now() + SignedDuration::from_secs(100);
    sql.execute("update sessions set not_after = $1", &[&end])
        .await
        .unwrap();
    let session = refresh(&app, &session).await.ok();
    app.advance(100);
    expired(refresh(&app, &session).await, "");
}

#[tokio::test]
async fn with_one_session_per_user_only_the_newest_goes_on() {
    let (app, first) = start(|config| config.sessions.single_per_user = true).await;
    let second = sign_in(&app).await;
    expired(refresh(&app, &first).await, " (Revoked by Newer Login)");
    let second = refresh(&app, &second).await.ok();
    let third = sign_in(&app).await;
    expired(refresh(&app, &second).await, " (Revoked by Newer Login)");
    // Another user's sign-in does not count as a newer login.
    app.signed_up("bob@example.com", PASSWORD).await;
    refresh(&app, &third).await.ok();
}

#[tokio::test]
async fn a_newer_session_that_has_ended_revokes_nothing() {
    let (app, first) = start(|config| config.sessions.single_per_user = true).await;
    let second = sign_in(&app).await;
    let (_, claims) = parts_of(&text(&second, "access_token"));
    let sql = app.sql().await;
    let id: uuid::Uuid = claims["session_id"].as_str().unwrap().parse().unwrap();
    sql.execute(
        "update sessions set not_after = '2020-01-01' where id = $1",
        &[&id],
    )
    .await
    .unwrap();
    refresh(&app, &first).await.ok();
}

#[tokio::test]
async fn sessions_with_different_tags_stand_side_by_side() {
    let (app, web) = start(|config| {
        config.sessions.single_per_user = true;
        config.sessions.tags = vec!["web".to_owned(), "phone".to_owned()];
    })
    .await;
    let sql = app.sql().await;
    let row = sql
        .query_one("select tag from sessions", &[])
        .await
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "web");
    // As if another instance of the server, with its own tags, had opened this session.
    let phone = sign_in(&app).await;
    let (_, claims) = parts_of(&text(&phone, "access_token"));
    let id: uuid::Uuid = claims["session_id"].as_str().unwrap().parse().unwrap();
    sql.execute("update sessions set tag = 'phone' where id = $1", &[&id])
        .await
        .unwrap();
    let web = refresh(&app, &web).await.ok();
    let phone = refresh(&app, &phone).await.ok();
    // A session with an unknown tag counts as having the first tag.
    sql.execute("update sessions set tag = 'tablet' where id <> $1", &[&id])
        .await
        .unwrap();
    let newest = sign_in(&app).await;
    expired(refresh(&app, &web).await, " (Revoked by Newer Login)");
    refresh(&app, &phone).await.ok();
    refresh(&app, &newest).await.ok();
}
