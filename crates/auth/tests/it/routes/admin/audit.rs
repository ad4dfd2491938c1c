//! `GET /admin/audit`, and the entries that every flow writes.

use base64::Engine;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::operator::{Operator, count, path_of};
use crate::support::{Answer, TestApp};

fn actions(answer: &Answer) -> Vec<String> {
    let entries = answer.body.as_array();
    let entries = entries.unwrap_or_else(|| panic!("no list: {}", answer.text));
    let action = |entry: &Value| entry["payload"]["action"].as_str().unwrap().to_owned();
    entries.iter().map(action).collect()
}

async fn found(operator: &Operator<'_>, query: &str) -> Vec<String> {
    let answer = operator.get(&format!("/admin/audit?query={query}")).await;
    let mut actions = actions(&answer);
    let total = actions.len().to_string();
    assert_eq!(
        answer.header("x-total-count"),
        Some(total.as_str()),
        "{query}"
    );
    actions.sort();
    actions
}

#[tokio::test]
async fn an_entry_says_who_did_what_to_whom_from_where() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator
        .create(json!({ "email": "ada@example.com", "phone": "4917" }))
        .await;
    let entries = operator.get("/admin/audit").await.ok();
    let entry = &entries[0];
    assert_eq!(entries.as_array().unwrap().len(), 1);
    assert!(entry["created_at"].is_string());
    assert_eq!(
        *entry,
        json!({
            "id": entry["id"],
            "payload": {
                "actor_id": Uuid::nil(),
                "actor_username": "service_role",
                "actor_via_sso": false,
                "action": "user_signedup",
                "log_type": "team",
                "traits": {
                    "user_id": user["id"], "user_email": "ada@example.com", "user_phone": "4917",
                    "provider": "email",
                },
            },
            "created_at": entry["created_at"],
            "ip_address": "127.0.0.1",
        })
    );
}

#[tokio::test]
async fn an_operator_who_is_a_person_is_named() {
    let app = TestApp::start().await;
    let root = app
        .operator()
        .create(json!({
            "email": "root@example.com", "password": "correct horse", "email_confirm": true, "role": "supabase_admin",
        }))
        .await;
    let session = app.sign_in("root@example.com", "correct horse").await.ok();
    let operator = app.operator_with(session["access_token"].as_str().unwrap().to_owned());
    app.advance(1);
    operator.create(json!({ "email": "ada@example.com" })).await;
    let entries = operator.get("/admin/audit").await.ok();
    assert_eq!(entries[0]["payload"]["actor_id"], root["id"]);
    assert_eq!(entries[0]["payload"]["actor_username"], "root@example.com");
}

#[tokio::test]
async fn entries_are_found_by_author_action_and_type() {
    let app = TestApp::autoconfirm().await;
    let operator = app.operator();
    let session = app.signed_up("ada@example.com", "correct horse").await;
    app.signed_up("bea@example.com", "correct horse").await;
    operator
        .put(&path_of(&session["user"]), json!({ "role": "x" }))
        .await
        .ok();
    operator.delete(&path_of(&session["user"]), None).await.ok();
    for (query, expected) in [
        ("author:ada@example.com", vec!["login", "user_signedup"]),
        ("author:ADA", vec!["login", "user_signedup"]),
        ("author:service_role", vec!["user_deleted", "user_modified"]),
        ("author:serviceXrole", vec![]),
        ("author:%25", vec![]),
        ("action:login", vec!["login", "login"]),
        ("action:user_deleted", vec!["user_deleted"]),
        ("type:user", vec!["user_modified"]),
        ("type:account", vec!["login", "login"]),
        (
            "type:team",
            vec!["user_deleted", "user_signedup", "user_signedup"],
        ),
        ("type:none", vec![]),
    ] {
        assert_eq!(found(&operator, query).await, expected, "{query}");
    }
    for query in ["", "author:", "type:"] {
        assert_eq!(found(&operator, query).await.len(), 6, "{query}");
    }
    for query in [
        "email:ada@example.com",
        "author",
        "ada",
        ":",
        "payload-%3E%3E'x':y",
        "Author:x",
    ] {
        let answer = operator.get(&format!("/admin/audit?query={query}")).await;
        answer.refused(400, "validation_failed");
    }
    operator
        .get("/admin/audit?query=author:%00")
        .await
        .refused(400, "validation_failed");
}

#[tokio::test]
async fn entries_come_in_pages_with_the_newest_first() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator.create(json!({ "email": "ada@example.com" })).await;
    app.advance(1);
    operator
        .put(&path_of(&user), json!({ "role": "x" }))
        .await
        .ok();
    app.advance(1);
    operator.delete(&path_of(&user), None).await.ok();

    let first = operator.get("/admin/audit?page=1&per_page=2").await;
    assert_eq!(actions(&first), ["user_deleted", "user_modified"]);
    assert_eq!(first.header("x-total-count"), Some("3"));
    assert_eq!(
        first.header("link"),
        Some(
            "</admin/audit?page=2&per_page=2>; rel=\"next\", \
             </admin/audit?page=2&per_page=2>; rel=\"last\""
        )
    );
    let last = operator
        .get("/admin/audit?page=2&per_page=2&query=author:service_role")
        .await;
    assert_eq!(actions(&last), ["user_signedup"]);
    assert_eq!(
        last.header("link"),
        Some("</admin/audit?page=2&per_page=2&query=author%3Aservice_role>; rel=\"last\"")
    );
    let all = operator.get("/admin/audit?page=&per_page=").await;
    assert_eq!(actions(&all).len(), 3);
    operator
        .get("/admin/audit?page=-1")
        .await
        .refused(400, "validation_failed");
    operator
        .get("/admin/audit?per_page=x")
        .await
        .refused(400, "validation_failed");
}

#[tokio::test]
async fn the_log_can_be_switched_off() {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.audit_log_disable_postgres = true;
    })
    .await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    app.refresh(session["refresh_token"].as_str().unwrap())
        .await
        .ok();
    let operator = app.operator();
    operator.delete(&path_of(&session["user"]), None).await.ok();
    assert_eq!(operator.get("/admin/audit").await.ok(), json!([]));
    assert_eq!(
        count(&app.sql().await, "select count(*) from audit_log_entries").await,
        0
    );
}

#[tokio::test]
async fn entries_of_others_are_shown_as_they_are() {
    let app = TestApp::start().await;
    app.sql()
        .await
        .batch_execute(
            r#"insert into audit_log_entries (instance_id, id, payload, created_at) values
            (null, gen_random_uuid(), null, null),
            (null, gen_random_uuid(), '[1]', '2024-01-01'),
            (null, gen_random_uuid(), '{"actor_name": "Ada", "action": "login"}', '2024-01-01')"#,
        )
        .await
        .unwrap();
    let operator = app.operator();
    assert_eq!(
        operator
            .get("/admin/audit")
            .await
            .ok()
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert_eq!(found(&operator, "author:ada").await, ["login"]);
}

/// Values from requests and responses that must not be in the log.
#[derive(Default)]
struct Secrets(Vec<String>);

impl Secrets {
    fn keep(&mut self, secret: impl Into<String>) -> String {
        let secret = secret.into();
        self.0.push(secret.clone());
        secret
    }

    fn keep_session(&mut self, session: &Value) -> String {
        self.keep(session["refresh_token"].as_str().unwrap());
        self.keep(session["access_token"].as_str().unwrap())
    }
}

#[tokio::test]
async fn every_flow_leaves_an_entry_and_no_secret() {
    let app = TestApp::with(|config| {
        config.security.update_password_require_reauthentication = true;
    })
    .await;
    let operator = app.operator();
    let mut secrets = Secrets::default();
    secrets.keep(operator.key.clone());
    sign_up_and_change(&app, &mut secrets).await;
    invite_and_generate(&app, &mut secrets).await;
    refresh_twice(&app, &mut secrets).await;

    let entries = operator.get("/admin/audit?per_page=1000").await;
    let mut seen = actions(&entries);
    seen.sort();
    seen.dedup();
    assert_eq!(
        seen,
        [
            "invite_accepted",
            "login",
            "logout",
            "sign_in_failed",
            "token_refreshed",
            "token_revoked",
            "user_confirmation_requested",
            "user_deleted",
            "user_invited",
            "user_modified",
            "user_reauthenticate_requested",
            "user_recovery_requested",
            "user_repeated_signup",
            "user_signedup",
            "user_updated_password",
        ]
    );
    assert!(secrets.0.len() > 20);
    for secret in &secrets.0 {
        assert!(
            !entries.text.contains(secret.as_str()),
            "{secret} is in the log"
        );
        let encoded = base64::engine::general_purpose::STANDARD.encode(secret);
        assert!(!entries.text.contains(&encoded), "{secret} is in the log");
    }
    for word in [
        "password\":",
        "token\":",
        "hash\":",
        "otp\":",
        "nonce",
        "$argon2",
        "http://",
    ] {
        assert!(!entries.text.contains(word), "{word} is in the log");
    }
}

/// Runs the flows of a user: sign-up, confirmation, reauthentication, changes, recovery, sign-out.
async fn sign_up_and_change(app: &TestApp, secrets: &mut Secrets) {
    let password = secrets.keep("a first passphrase");
    let body = json!({ "email": "ada@example.com", "password": password });
    app.post("/signup", body.clone()).await.ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    secrets.keep(mail.token());
    let token = secrets.keep(mail.code());
    let verify = json!({ "type": "signup", "email": "ada@example.com", "token": token });
    secrets.keep_session(&app.post("/verify", verify).await.ok());
    app.advance(1000);
    app.post("/signup", body).await.ok();
    let wrong = secrets.keep("a wrong passphrase");
    app.sign_in("ada@example.com", &wrong).await.failed(400);
    let session = app.sign_in("ada@example.com", &password).await.ok();
    let access = secrets.keep_session(&session);

    app.get_as(&access, "/reauthenticate").await.ok();
    let nonce = secrets.keep(app.mailbox.next_to("ada@example.com").await.code());
    let password = secrets.keep("a second passphrase");
    let body = json!({ "password": password, "nonce": nonce });
    app.put_as(&access, "/user", body).await.ok();
    let body = json!({ "email": "new@example.com", "data": { "pin": secrets.keep("4711-0815") } });
    app.put_as(&access, "/user", body).await.ok();
    for address in ["new@example.com", "ada@example.com"] {
        let mail = app.mailbox.next_to(address).await;
        secrets.keep(mail.code());
        let token_hash = secrets.keep(mail.token());
        let body = json!({ "type": "email_change", "token_hash": token_hash });
        app.post("/verify", body).await.ok();
    }
    app.advance(1000);
    app.post("/recover", json!({ "email": "new@example.com" }))
        .await
        .ok();
    let mail = app.mailbox.next_to("new@example.com").await;
    let token_hash = secrets.keep(mail.token());
    let body = json!({ "type": "recovery", "token_hash": token_hash });
    let access = secrets.keep_session(&app.post("/verify", body).await.ok());
    app.post_as(&access, "/logout", json!({})).await.failed(204);
}

/// Runs the flows of an operator.
async fn invite_and_generate(app: &TestApp, secrets: &mut Secrets) {
    let operator = app.operator();
    operator
        .post("/invite", json!({ "email": "bea@example.com" }))
        .await
        .ok();
    let mail = app.mailbox.next_to("bea@example.com").await;
    let password = secrets.keep("an invited passphrase");
    let token_hash = secrets.keep(mail.token());
    let body = json!({ "type": "invite", "token_hash": token_hash, "password": password });
    secrets.keep_session(&app.post("/verify", body).await.ok());
    let hash = secrets.keep("$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e");
    let body = json!({ "email": "cleo@example.com", "password_hash": hash, "email_confirm": true });
    let user = operator.create(body).await;
    for kind in [
        "magiclink",
        "recovery",
        "email_change_current",
        "email_change_new",
    ] {
        let body =
            json!({ "type": kind, "email": "cleo@example.com", "new_email": "dora@example.com" });
        let link = operator.post("/admin/generate_link", body).await.ok();
        for name in ["hashed_token", "email_otp", "action_link"] {
            secrets.keep(link[name].as_str().unwrap());
        }
    }
    let body = json!({ "password": secrets.keep("a third passphrase") });
    operator.put(&path_of(&user), body).await.ok();
    operator
        .delete(&format!("{}/sessions", path_of(&user)), None)
        .await
        .failed(204);
    operator.delete(&path_of(&user), None).await.ok();
}

/// Uses a refresh token again after the reuse interval.
async fn refresh_twice(app: &TestApp, secrets: &mut Secrets) {
    let session = app
        .sign_in("bea@example.com", "an invited passphrase")
        .await
        .ok();
    secrets.keep_session(&session);
    let first = session["refresh_token"].as_str().unwrap();
    secrets.keep_session(&app.refresh(first).await.ok());
    app.advance(1000);
    app.refresh(first)
        .await
        .refused(400, "refresh_token_already_used");
}
