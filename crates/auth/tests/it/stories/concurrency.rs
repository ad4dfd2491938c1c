//! Many concurrent clients with the same token, on two replicas.

use futures_util::future::join_all;
use innkeeper_auth::config::Profile;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::faults::post_to;
use crate::support::operator::count;
use crate::support::tokens::text;
use crate::support::{Answer, TestApp};

const GRANT: &str = "/token?grant_type=refresh_token";

/// Refreshes one token fifty times at once on two replicas, and returns the bodies of the responses.
async fn fifty(app: &TestApp, token: &str) -> Vec<Value> {
    let replica = app.replica().await;
    let body = json!({ "refresh_token": token });
    let answers: Vec<Answer> = join_all((0..50).map(async |number| {
        let client = if number % 2 == 0 {
            &app.client
        } else {
            &replica
        };
        post_to(client, GRANT, &body).await
    }))
    .await;
    answers.into_iter().map(Answer::ok).collect()
}

#[tokio::test]
async fn fifty_refreshes_of_one_token_give_one_child_and_never_a_second_family() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let app = TestApp::with(|config| {
            config.mailer.autoconfirm = true;
            config.profile = profile;
        })
        .await;
        let mut session = app.signed_up("ada@example.com", "correct horse").await;
        for round in 1..=3 {
            let mut bodies = fifty(&app, &text(&session, "refresh_token")).await;
            let child = text(&bodies[0], "refresh_token");
            assert_ne!(child, text(&session, "refresh_token"));
            assert!(bodies.iter().all(|body| body["refresh_token"] == child));
            session = bodies.remove(0);
            let sql = app.sql().await;
            let row = sql
                .query("select refresh_token_counter from sessions", &[])
                .await
                .unwrap();
            let counters: Vec<i64> = row.iter().map(|row| row.get(0)).collect();
            assert_eq!(counters, [round]);
            let refreshes = "select count(*) from audit_log_entries
                where payload ->> 'action' = 'token_refreshed'";
            assert_eq!(count(&sql, refreshes).await, round);
        }
    }
}

#[tokio::test]
async fn of_two_refreshes_that_read_the_same_counter_one_is_refused() {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.security.refresh_token_reuse_interval = SignedDuration::ZERO;
    })
    .await;
    let replica = app.replica().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let body = json!({ "refresh_token": session["refresh_token"] });
    let sql = app.sql().await;
    sql.batch_execute("begin; select from sessions for update")
        .await
        .unwrap();
    let both_wait = async {
        let waiting = "select count(*) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'";
        while count(&sql, waiting).await < 2 {
            tokio::task::yield_now().await;
        }
        sql.batch_execute("commit").await.unwrap();
    };
    let (one, other, ()) = tokio::join!(
        post_to(&app.client, GRANT, &body),
        post_to(&replica, GRANT, &body),
        both_wait
    );
    let (winner, loser) = if one.status == 200 {
        (one, other)
    } else {
        (other, one)
    };
    assert_eq!(winner.header("sb-auth-refresh-token-counter"), Some("1"));
    winner.ok();
    loser.refused(400, "refresh_token_already_used");
    let refreshes = "select count(*) from audit_log_entries
        where payload ->> 'action' = 'token_refreshed'";
    assert_eq!(count(&sql, refreshes).await, 1);
}

#[tokio::test]
async fn fifty_refreshes_of_one_stored_token_give_one_child_too() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let sql = app.sql().await;
    sql.batch_execute(
        "update sessions set refresh_token_hmac_key = null, refresh_token_counter = null;
         insert into refresh_tokens (token, user_id, session_id, revoked, created_at, updated_at)
         select 'abcdefgh2345', user_id::text, id, false, created_at, created_at from sessions",
    )
    .await
    .unwrap();
    let bodies = fifty(&app, "abcdefgh2345").await;
    let child = text(&bodies[0], "refresh_token");
    assert!(bodies.iter().all(|body| body["refresh_token"] == child));
    assert!(
        bodies
            .iter()
            .all(|body| body["user"]["id"] == session["user"]["id"])
    );
    assert_eq!(count(&sql, "select count(*) from sessions").await, 1);
    app.refresh(&child).await.ok();
}

#[tokio::test]
async fn a_refresh_that_races_with_the_end_of_its_session_does_not_revive_it() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let access = text(&session, "access_token");
    let token = text(&session, "refresh_token");
    let (mut answers, ended) = futures_util::future::join(
        join_all((0..20).map(|_| app.refresh(&token))),
        app.post_as(&access, "/logout", json!({})),
    )
    .await;
    ended.failed(204);
    answers.retain(|answer| answer.status != 200);
    for answer in answers {
        answer.refused(400, "refresh_token_not_found");
    }
    let sql = app.sql().await;
    assert_eq!(count(&sql, "select count(*) from sessions").await, 0);
    app.refresh(&token)
        .await
        .refused(400, "refresh_token_not_found");
}
