//! Triggers of the application that raise errors, and the responses to clients.

use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::log::Log;
use crate::support::profile::gotrue;
use crate::support::{API_VERSION_2024, Answer, TestApp};

/// Installs a trigger that runs this statement before a user is inserted.
async fn install(app: &TestApp, statement: &str) {
    let sql = format!(
        "create function public.refuse() returns trigger language plpgsql as $$
            begin {statement}; return new; end $$;
        create trigger refuse before insert on users for each row execute function public.refuse()"
    );
    app.sql().await.batch_execute(&sql).await.unwrap();
}

async fn sign_up(app: &TestApp, headers: &[(&str, &str)]) -> Answer {
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    app.send(Method::POST, "/signup", headers, Some(&body))
        .await
}

const PLAIN: &str =
    "raise exception 'Only employees' using detail = 'example.com', hint = 'Ask your boss'";
const NAMED: &str = "raise sqlstate 'PT418' using message = 'I am a teapot'";

fn without_id(mut body: Value) -> Value {
    body.as_object_mut().unwrap().remove("error_id");
    body
}

#[tokio::test]
async fn what_a_trigger_says_is_passed_on_in_both_shapes() {
    let log = Log::capture();
    let app = TestApp::autoconfirm().await;
    install(&app, PLAIN).await;
    let body = sign_up(&app, &[]).await.refused(500, "P0001");
    assert_eq!(
        without_id(body),
        json!({
            "code": 500,
            "error_code": "P0001",
            "msg": "Only employees",
            "detail": "example.com",
            "hint": "Ask your boss",
        })
    );
    let body = sign_up(&app, &[API_VERSION_2024])
        .await
        .refused(500, "P0001");
    assert_eq!(
        body,
        json!({
            "code": "P0001",
            "message": "Only employees",
            "detail": "example.com",
            "hint": "Ask your boss",
        })
    );
    assert!(log.text().contains("sql.state=\"P0001\""), "{}", log.text());
    assert_eq!(app.accounts("ada@example.com").await, 0);
}

#[tokio::test]
async fn a_code_may_name_the_status() {
    let app = TestApp::start().await;
    install(&app, NAMED).await;
    let body = sign_up(&app, &[]).await.refused(418, "PT418");
    let expected = json!({ "code": 418, "error_code": "PT418", "msg": "I am a teapot" });
    assert_eq!(body, expected);
    // No mail was sent, so the interval between mails does not apply.
    let body = sign_up(&app, &[API_VERSION_2024])
        .await
        .refused(418, "PT418");
    assert_eq!(body, json!({ "code": "PT418", "message": "I am a teapot" }));
    let body = json!({ "email": "ben@example.com" });
    app.operator()
        .post("/admin/users", body)
        .await
        .refused(418, "PT418");
}

#[tokio::test]
async fn gotrue_has_one_shape_for_what_a_trigger_says() {
    let app = TestApp::with(gotrue).await;
    install(&app, NAMED).await;
    for headers in [&[][..], &[API_VERSION_2024]] {
        let body = sign_up(&app, headers).await.failed(418);
        assert_eq!(body, json!({ "code": "PT418", "message": "I am a teapot" }));
    }
}

#[tokio::test]
async fn a_link_sends_its_user_back_with_what_a_trigger_says() {
    let app = TestApp::start().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let sql = "create function public.refuse() returns trigger language plpgsql as $$
            begin raise sqlstate 'PT403' using message = 'The inn is full'; end $$;
        create trigger refuse before update of email_confirmed_at on users
        for each row execute function public.refuse()";
    app.sql().await.batch_execute(sql).await.unwrap();
    let answer = app.follow(&mail).await;
    answer.sent_back_with("PT403");
    assert_eq!(answer.said("error"), "access_denied");
    assert_eq!(answer.said("error_description"), "The inn is full");
}

#[tokio::test]
async fn what_the_database_itself_says_is_for_the_log_only() {
    let app = TestApp::autoconfirm().await;
    install(&app, "perform 1 / 0").await;
    for headers in [&[][..], &[API_VERSION_2024]] {
        let answer = sign_up(&app, headers).await;
        assert!(!answer.text.contains("zero"), "{}", answer.text);
        answer.refused(500, "unexpected_failure");
    }
}

#[tokio::test]
async fn a_trigger_may_raise_that_a_rule_is_broken() {
    let app = TestApp::autoconfirm().await;
    let statement =
        "raise check_violation using message = 'Only employees', hint = 'Ask your boss'";
    install(&app, statement).await;
    let body = sign_up(&app, &[]).await.refused(500, "23514");
    let expected = json!({
        "code": 500,
        "error_code": "23514",
        "msg": "Only employees",
        "hint": "Ask your boss",
    });
    assert_eq!(without_id(body), expected);
}

#[tokio::test]
async fn a_broken_rule_of_the_applications_own_table_is_named_without_values() {
    let app = TestApp::autoconfirm().await;
    let sql = "create table public.users (name text constraint names_are_unique unique);
        insert into public.users values ('taken')";
    app.sql().await.batch_execute(sql).await.unwrap();
    install(&app, "insert into public.users values ('taken')").await;
    let answer = sign_up(&app, &[API_VERSION_2024]).await;
    assert!(!answer.text.contains("taken"), "{}", answer.text);
    let message = "duplicate key value violates unique constraint \"names_are_unique\"";
    let body = answer.refused(500, "23505");
    assert_eq!(body, json!({ "code": "23505", "message": message }));
}

#[tokio::test]
async fn a_broken_rule_of_this_servers_tables_is_for_the_log_only() {
    let app = TestApp::autoconfirm().await;
    install(
        &app,
        "insert into sessions (id, user_id) values (gen_random_uuid(), gen_random_uuid())",
    )
    .await;
    let answer = sign_up(&app, &[]).await;
    assert!(!answer.text.contains("sessions"), "{}", answer.text);
    answer.refused(500, "unexpected_failure");
}
