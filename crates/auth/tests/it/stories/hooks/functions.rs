//! Hooks that are functions in the database.

use innkeeper_auth::config::{Config, HookKind};
use serde_json::{Value, json};

use crate::support::hook::use_function;
use crate::support::mail_flows::{claims_of, without_pauses};
use crate::support::operator::count;
use crate::support::tokens::text;
use crate::support::{API_VERSION_2024, TestApp, eventually};

/// Starts a server with a database function as hook; `body` is its PL/pgSQL code.
async fn start(kind: HookKind, body: &str, change: impl FnOnce(&mut Config)) -> TestApp {
    let app = TestApp::with(|config| {
        use_function(config, kind, "hook");
        change(config);
    })
    .await;
    install(&app, body).await;
    app
}

/// Creates or replaces the function.
async fn install(app: &TestApp, body: &str) {
    let sql = format!(
        "drop function if exists public.hook;
         create function public.hook(event jsonb) returns jsonb language plpgsql as
         $$ begin {body} end $$"
    );
    app.sql().await.batch_execute(&sql).await.unwrap();
}

fn autoconfirm(config: &mut Config) {
    config.mailer.autoconfirm = true;
}

const ADD_PLAN: &str = "return jsonb_set(event, '{claims,plan}', to_jsonb(
    (select plan from public.profiles where id = (event->>'user_id')::uuid)));";

/// A trigger of the application that adds a row for each account.
const PROFILES: &str = "
    create table public.profiles (id uuid primary key, plan text);
    create function public.add_profile() returns trigger language plpgsql as
    $$ begin insert into public.profiles values (new.id, 'gold'); return new; end $$;
    create trigger add_profile after insert on users
    for each row execute function public.add_profile()";

#[tokio::test]
async fn a_function_sees_what_its_transaction_has_written() {
    let app = start(HookKind::CustomAccessToken, ADD_PLAN, autoconfirm).await;
    app.sql().await.batch_execute(PROFILES).await.unwrap();
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let plan = |session: &Value| claims_of(&text(session, "access_token"))["plan"].clone();
    assert_eq!(plan(&session), "gold");

    let silver = "update public.profiles set plan = 'silver'";
    app.sql().await.batch_execute(silver).await.unwrap();
    let refreshed = app.refresh(&text(&session, "refresh_token")).await.ok();
    assert_eq!(plan(&refreshed), "silver");
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    assert_eq!(plan(&session), "silver");
    let token = text(&session, "access_token");
    app.get_as(&token, "/user").await.ok();
}

#[tokio::test]
async fn a_function_that_refuses_or_fails_undoes_the_sign_in() {
    let kind = HookKind::CustomAccessToken;
    let app = start(kind, "return event;", autoconfirm).await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let refusal = "return '{\"error\": {\"http_code\": 402, \"message\": \"Pay first\"}}';";
    for (body, status, code, message) in [
        (refusal, 402, "unknown", "Pay first"),
        (
            "raise exception 'The inn is full';",
            500,
            "P0001",
            "The inn is full",
        ),
        (
            "raise sqlstate 'PT418' using message = 'A teapot';",
            418,
            "PT418",
            "A teapot",
        ),
        (
            "perform 1 / 0; return event;",
            500,
            "unexpected_failure",
            "Unexpected failure, please check server logs for more information",
        ),
        (
            "return null;",
            500,
            "unexpected_failure",
            "The hook gave an answer that cannot be used: `claims` must be an object",
        ),
        (
            "return '[]'::jsonb;",
            500,
            "unexpected_failure",
            "The hook gave an answer that cannot be used: it is not an object",
        ),
        (
            "return jsonb_set(event, '{more}', to_jsonb(repeat('x', 300000)));",
            422,
            "hook_payload_over_size_limit",
            "Payload size exceeded size limit of 204800 bytes",
        ),
    ] {
        install(&app, body).await;
        let refused = app.sign_in("ada@example.com", "correct horse").await;
        assert_eq!(refused.refused(status, code)["msg"], message);
        let body = json!({ "email": "ben@example.com", "password": "correct horse" });
        let refused = app.post_versioned("/signup", body).await;
        assert_eq!(refused.header(API_VERSION_2024.0), Some(API_VERSION_2024.1));
        assert_eq!(refused.refused(status, code)["message"], message);
        let refused = app.refresh(&text(&session, "refresh_token")).await;
        refused.refused(status, code);
    }
    assert_eq!(app.accounts("ben@example.com").await, 0);
    let sql = app.sql().await;
    assert_eq!(count(&sql, "select count(*) from sessions").await, 1);
    install(&app, "return event;").await;
    app.refresh(&text(&session, "refresh_token")).await.ok();
}

#[tokio::test]
async fn a_function_that_is_not_there_is_no_affair_of_the_client() {
    let app = TestApp::with(|config| {
        autoconfirm(config);
        use_function(config, HookKind::BeforeUserCreated, "nothing");
    })
    .await;
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    let refused = app.post("/signup", body).await;
    assert!(!refused.text.contains("nothing"), "{}", refused.text);
    refused.refused(500, "unexpected_failure");
    assert_eq!(app.accounts("ada@example.com").await, 0);
}

#[tokio::test]
async fn a_function_that_takes_too_long_is_ended_and_no_limit_stays_behind() {
    let sleeps = "perform pg_sleep(60); return event;";
    let app = start(HookKind::CustomAccessToken, sleeps, |config| {
        autoconfirm(config);
        // One of them is shared.
        config.database.max_pool_size = 2;
    })
    .await;
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    let refused = app.post("/signup", body).await;
    let message = "Failed to reach hook within maximum time of 2 seconds";
    assert_eq!(refused.refused(422, "hook_timeout")["msg"], message);

    // A trigger at the end of the same transaction records its statement timeout.
    let sql = "
        create table public.limits (value text);
        create function public.note() returns trigger language plpgsql as
        $$ begin insert into public.limits values (current_setting('statement_timeout'));
           return null; end $$;
        create constraint trigger note after insert on sessions
        deferrable initially deferred for each row execute function public.note()";
    app.sql().await.batch_execute(sql).await.unwrap();
    install(&app, "return event;").await;
    app.signed_up("ada@example.com", "correct horse").await;
    let row = app.sql().await;
    let row = row.query_one("select value from public.limits", &[]).await;
    assert_eq!(row.unwrap().get::<_, String>(0), "0");
}

#[tokio::test]
async fn a_function_can_keep_accounts_from_being_made() {
    let body = "if event->'user'->>'email' like '%@example.com' then return '{}'; end if;
        return jsonb_build_object('error',
            jsonb_build_object('http_code', 403, 'message', 'Only employees'));";
    let app = start(HookKind::BeforeUserCreated, body, autoconfirm).await;
    app.signed_up("ada@example.com", "correct horse").await;
    let body = json!({ "email": "eve@elsewhere.org", "password": "correct horse" });
    let refused = app.post("/signup", body).await.refused(403, "unknown");
    assert_eq!(refused["msg"], "Only employees");
    assert_eq!(app.accounts("eve@elsewhere.org").await, 0);
}

#[tokio::test]
async fn what_a_function_counts_stands_even_if_it_rejects() {
    let body = "insert into public.attempts values (event->>'valid');
        if (select count(*) from public.attempts) > 1 then
            return '{\"decision\": \"reject\", \"message\": \"Enough\"}';
        end if;
        return '{\"decision\": \"continue\"}';";
    let app = start(HookKind::PasswordVerificationAttempt, body, |_| {}).await;
    let sql = app.sql().await;
    let table = "create table public.attempts (valid text)";
    sql.batch_execute(table).await.unwrap();
    app.confirmed("ada@example.com").await;
    app.sign_in("ada@example.com", "correct horse").await.ok();
    for _ in 0..2 {
        let refused = app.sign_in("ada@example.com", "correct horse").await;
        assert_eq!(refused.refused(400, "invalid_credentials")["msg"], "Enough");
    }
    assert_eq!(count(&sql, "select count(*) from public.attempts").await, 3);
}

#[tokio::test]
async fn functions_take_mails_and_are_told_of_accounts() {
    let app = TestApp::with(|config| {
        config.smtp.host = String::new();
        without_pauses(config);
        use_function(config, HookKind::SendEmail, "hook");
        use_function(config, HookKind::AfterUserCreated, "hook");
    })
    .await;
    let sql = app.sql().await;
    let table = "create table public.calls (name text, event jsonb)";
    sql.batch_execute(table).await.unwrap();
    let body = "insert into public.calls values (event->'metadata'->>'name', event);
        return '{}';";
    install(&app, body).await;
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    app.post("/signup", body).await.ok();
    let told = called(&sql, "after-user-created").await;
    assert_eq!(told["user"]["id"], app.only_user().await["id"]);
    let mail = called(&sql, "send-email").await;
    let code = text(&mail["email_data"], "token");
    app.verify_code("signup", "ada@example.com", &code)
        .await
        .ok();
}

/// Waits for a background call of a hook, and returns its event.
async fn called(sql: &tokio_postgres::Client, name: &str) -> Value {
    let statement = "select event from public.calls where name = $1";
    let call = async || sql.query_opt(statement, &[&name]).await.unwrap();
    let row = eventually(format!("the hook {name} is called"), call).await;
    row.get(0)
}
