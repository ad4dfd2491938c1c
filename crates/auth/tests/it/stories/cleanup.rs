//! Expired rows are deleted from time to time; all others are kept.

use innkeeper_auth::config::Config;
use jiff::SignedDuration;
use serde_json::json;
use uuid::Uuid;

use crate::support::TestApp;
use crate::support::mail_flows::without_pauses;
use crate::support::operator::count;
use crate::support::tokens::{parts_of, text};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
const ADA: &str = "ada@example.com";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const TABLES: [&str; 3] = ["one_time_tokens", "innkeeper_one_time_codes", "flow_state"];

fn confirmed(config: &mut Config) {
    without_pauses(config);
    config.mailer.autoconfirm = true;
}

async fn rows(app: &TestApp, table: &str) -> i64 {
    count(&app.sql().await, &format!("select count(*) from {table}")).await
}

/// Requests a link with a PKCE challenge.
async fn ask_for_link(app: &TestApp) {
    let body = json!({
        "email": ADA,
        "code_challenge": CHALLENGE,
        "code_challenge_method": "s256",
    });
    app.post("/otp", body).await.ok();
}

#[tokio::test]
async fn links_codes_and_exchanges_go_a_day_after_they_expired() {
    let app = TestApp::with(confirmed).await;
    app.signed_up(ADA, "correct horse").await;
    ask_for_link(&app).await;
    app.mailbox.next_to(ADA).await;
    app.advance(DAY);
    assert_eq!(app.auth.clean_up().await.unwrap(), 0);
    for table in TABLES {
        assert_eq!(rows(&app, table).await, 1, "{table}");
    }
    app.advance(2 * HOUR + 1);
    assert_eq!(app.auth.clean_up().await.unwrap(), 3);
    for table in TABLES {
        assert_eq!(rows(&app, table).await, 0, "{table}");
    }
    assert_eq!(app.auth.clean_up().await.unwrap(), 0);
    // After the cleanup, the user can request another link.
    ask_for_link(&app).await;
    let mail = app.mailbox.next_to(ADA).await;
    assert!(app.follow(&mail).await.query().contains_key("code"));
}

#[tokio::test]
async fn a_link_works_to_its_last_moment_however_often_is_cleaned_up() {
    let app = TestApp::with(|config| {
        confirmed(config);
        config.mailer.otp_exp = SignedDuration::from_hours(72);
        config.external.flow_state_expiry_duration = SignedDuration::from_mins(5);
    })
    .await;
    app.signed_up(ADA, "correct horse").await;
    ask_for_link(&app).await;
    let mail = app.mailbox.next_to(ADA).await;
    for _ in 0..2 {
        app.advance(DAY);
        assert_eq!(app.auth.clean_up().await.unwrap(), 0);
    }
    app.advance(DAY - 60);
    assert_eq!(app.auth.clean_up().await.unwrap(), 0);
    let code = app.follow(&mail).await.query()["code"].clone();
    assert_eq!(app.auth.clean_up().await.unwrap(), 0);
    let body = json!({ "auth_code": code, "code_verifier": VERIFIER });
    app.post("/token?grant_type=pkce", body).await.ok();
}

#[tokio::test]
async fn guesses_at_a_code_that_an_earlier_server_sent_stay_counted_while_it_is_good() {
    let app = TestApp::with(confirmed).await;
    app.signed_up(ADA, "correct horse").await;
    let sql = app.sql().await;
    // The row is old; the code whose guesses it counts is not.
    app.post("/otp", json!({ "email": ADA })).await.ok();
    app.mailbox.next_to(ADA).await;
    app.advance(3 * DAY);
    let now = app.clock.now();
    let sent = "update users set recovery_token = repeat('a', 56), recovery_sent_at = $1";
    sql.execute(sent, &[&now]).await.unwrap();
    app.verify_code("recovery", ADA, "000000").await.failed(403);
    assert_eq!(app.auth.clean_up().await.unwrap(), 0);
    let attempts = "select sum(attempts) from innkeeper_one_time_codes";
    assert_eq!(count(&sql, attempts).await, 1);
}

#[tokio::test]
async fn sessions_go_a_day_after_their_end_and_others_stay() {
    type Change = fn(&mut Config);
    let timebox: Change = |config| {
        config.sessions.timebox = Some(SignedDuration::from_hours(1));
    };
    let inactivity: Change = |config| {
        config.sessions.inactivity_timeout = Some(SignedDuration::from_hours(1));
    };
    for (change, ends_by_setting) in [
        (timebox, true),
        (inactivity, true),
        ((|_| {}) as Change, false),
    ] {
        let app = TestApp::with(|config| {
            confirmed(config);
            change(config);
        })
        .await;
        app.signed_up(ADA, "correct horse").await;
        app.advance(25 * HOUR - 60);
        assert_eq!(app.auth.clean_up().await.unwrap(), 0);
        let newer = app.sign_in(ADA, "correct horse").await.ok();
        app.advance(120);
        let gone = i64::from(ends_by_setting);
        assert_eq!(app.auth.clean_up().await.unwrap(), gone);
        assert_eq!(rows(&app, "sessions").await, 2 - gone);
        assert_eq!(rows(&app, "mfa_amr_claims").await, 2 - gone);
        app.get_as(&text(&newer, "access_token"), "/user")
            .await
            .ok();
        app.refresh(&text(&newer, "refresh_token")).await.ok();
    }
}

#[tokio::test]
async fn a_session_with_an_end_of_its_own_goes_but_not_before_its_last_access_token() {
    let app = TestApp::with(|config| {
        confirmed(config);
        config.jwt.exp = SignedDuration::from_hours(48);
    })
    .await;
    let session = app.signed_up(ADA, "correct horse").await;
    let sql = app.sql().await;
    let end = app.clock.now() + SignedDuration::from_secs(1);
    sql.execute("update sessions set not_after = $1", &[&end])
        .await
        .unwrap();
    app.advance(47 * HOUR);
    assert_eq!(app.auth.clean_up().await.unwrap(), 0);
    app.get_as(&text(&session, "access_token"), "/user")
        .await
        .ok();
    app.advance(HOUR + 5);
    assert_eq!(app.auth.clean_up().await.unwrap(), 1);
}

#[tokio::test]
async fn a_session_of_an_earlier_server_lives_as_long_as_its_tokens_were_used() {
    let app = TestApp::with(|config| {
        confirmed(config);
        config.sessions.inactivity_timeout = Some(SignedDuration::from_hours(1));
    })
    .await;
    let session = app.signed_up(ADA, "correct horse").await;
    let (_, claims) = parts_of(&text(&session, "access_token"));
    let id = Uuid::parse_str(claims["session_id"].as_str().unwrap()).unwrap();
    let sql = app.sql().await;
    let former = "update sessions set refresh_token_hmac_key = null, refresh_token_counter = null";
    sql.execute(former, &[]).await.unwrap();
    app.advance(3 * DAY);
    let now = app.clock.now();
    let long_ago = now - SignedDuration::from_hours(60);
    for (token, parent, revoked, at) in [
        ("aaaaaaaaaaaa", None, true, long_ago),
        ("bbbbbbbbbbbb", Some("aaaaaaaaaaaa"), false, now),
    ] {
        let insert = "insert into refresh_tokens
                (token, parent, user_id, session_id, revoked, created_at, updated_at)
            select $1, $2, user_id::text, id, $3, $4, $4 from sessions where id = $5";
        sql.execute(insert, &[&token, &parent, &revoked, &at, &id])
            .await
            .unwrap();
    }
    assert_eq!(app.auth.clean_up().await.unwrap(), 0);
    // Even the used token is kept: its reuse must be recognised as theft.
    assert_eq!(rows(&app, "refresh_tokens").await, 2);
    app.refresh("bbbbbbbbbbbb").await.ok();

    app.advance(3 * DAY);
    assert_eq!(app.auth.clean_up().await.unwrap(), 1);
    assert_eq!(rows(&app, "refresh_tokens").await, 0);
}

#[tokio::test]
async fn however_much_has_expired_goes_at_once() {
    let app = TestApp::with(confirmed).await;
    let living = app.signed_up(ADA, "correct horse").await;
    let sql = app.sql().await;
    let many = "insert into sessions (id, user_id, created_at, not_after)
        select gen_random_uuid(), u.id, $1, $1::timestamptz - interval '2 days'
        from users u, generate_series(1, 1700)";
    sql.execute(many, &[&app.clock.now()]).await.unwrap();
    assert_eq!(app.auth.clean_up().await.unwrap(), 1700);
    app.refresh(&text(&living, "refresh_token")).await.ok();
}

#[tokio::test]
async fn the_audit_log_stays_unless_a_setting_says_for_how_long() {
    for retention in [None, Some(SignedDuration::from_hours(24 * 30))] {
        let app = TestApp::with(|config| {
            confirmed(config);
            config.audit_log_retention = retention;
        })
        .await;
        app.signed_up(ADA, "correct horse").await;
        let older = rows(&app, "audit_log_entries").await;
        assert!(older > 0);
        app.advance(20 * DAY);
        app.sign_in(ADA, "correct horse").await.ok();
        let all = rows(&app, "audit_log_entries").await;
        assert!(all > older);
        assert_eq!(app.auth.clean_up().await.unwrap(), 0);
        app.advance(10 * DAY + 1);
        let gone = if retention.is_some() { older } else { 0 };
        assert_eq!(app.auth.clean_up().await.unwrap(), gone);
        assert_eq!(rows(&app, "audit_log_entries").await, all - gone);
    }
}

#[tokio::test]
async fn nothing_is_deleted_where_the_setting_is_off_or_another_replica_is_at_it() {
    let app = TestApp::with(confirmed).await;
    assert!(app.config.database.cleanup_enabled);
    app.signed_up(ADA, "correct horse").await;
    ask_for_link(&app).await;
    app.advance(3 * DAY);
    let (off, _) = app
        .replica_with(|config| config.database.cleanup_enabled = false)
        .await;
    assert_eq!(off.clean_up().await.unwrap(), 0);

    let other = app.sql().await;
    let lock = "select pg_advisory_lock(x'696e6e63'::int, hashtext('auth'))";
    other.execute(lock, &[]).await.unwrap();
    assert_eq!(app.auth.clean_up().await.unwrap(), 0);
    assert_eq!(rows(&app, "flow_state").await, 1);

    let unlock = "select pg_advisory_unlock_all()";
    other.execute(unlock, &[]).await.unwrap();
    assert_eq!(app.auth.clean_up().await.unwrap(), 3);
}

#[tokio::test]
async fn revoked_tokens_without_a_session_go_and_others_stay() {
    let app = TestApp::with(confirmed).await;
    let session = app.signed_up(ADA, "correct horse").await;
    let user = session["user"]["id"].as_str().unwrap();
    let now = app.clock.now();
    let sql = format!(
        "insert into refresh_tokens (token, user_id, revoked, created_at, updated_at)
         values ('revoked', '{user}', true, '{now}', '{now}'),
                ('good', '{user}', false, '{now}', '{now}'),
                ('used', '{user}', true, '{now}', null)"
    );
    app.sql().await.batch_execute(&sql).await.unwrap();
    app.advance(DAY - HOUR);
    assert_eq!(app.auth.clean_up().await.unwrap(), 0);
    app.advance(2 * HOUR);
    assert_eq!(app.auth.clean_up().await.unwrap(), 2);
    let left = "select count(*) from refresh_tokens where token = 'good'";
    assert_eq!(count(&app.sql().await, left).await, 1);
    assert_eq!(rows(&app, "refresh_tokens").await, 1);
}
