//! `DELETE /admin/users/{id}`.

use innkeeper_rest::Method;
use serde_json::json;
use uuid::Uuid;

use crate::support::operator::{count, path_of};
use crate::support::{Answer, TestApp, bearer};

#[tokio::test]
async fn deleting_a_user_deletes_all_that_belongs_to_it() {
    let app = TestApp::autoconfirm().await;
    let operator = app.operator();
    let session = app.signed_up("ada@example.com", "correct horse").await;
    app.post("/recover", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let user = &session["user"];
    let sql = app.sql().await;
    let tables = [
        "users",
        "identities",
        "sessions",
        "mfa_amr_claims",
        "one_time_tokens",
        "innkeeper_one_time_codes",
    ];
    for table in tables {
        let all = format!("select count(*) from {table}");
        assert_ne!(count(&sql, &all).await, 0, "{table}");
    }
    let answer = operator.delete(&path_of(user), None).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.text, "{}");
    for table in tables {
        let all = format!("select count(*) from {table}");
        assert_eq!(count(&sql, &all).await, 0, "{table}");
    }
    operator
        .get(&path_of(user))
        .await
        .refused(404, "user_not_found");
    operator
        .delete(&path_of(user), None)
        .await
        .refused(404, "user_not_found");
    let token = session["access_token"].as_str().unwrap();
    app.get_as(token, "/user")
        .await
        .refused(403, "user_not_found");
    let left = app.post_as(token, "/logout", json!({})).await;
    assert!([401, 403, 404].contains(&left.status), "{}", left.text);
    app.refresh(session["refresh_token"].as_str().unwrap())
        .await
        .refused(400, "refresh_token_not_found");
    let again = app.signed_up("ada@example.com", "battery staple").await;
    assert_ne!(again["user"]["id"], user["id"]);
}

#[tokio::test]
async fn the_body_may_be_missing_empty_or_null() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let (name, value) = bearer(&operator.key);
    for body in [
        "",
        "null",
        "{}",
        "{\"should_soft_delete\":null}",
        "{\"should_soft_delete\":false}",
        "{\"x\":1}",
    ] {
        let user = operator.create(json!({ "email": "ada@example.com" })).await;
        let request = app
            .client
            .request(Method::DELETE, path_of(&user))
            .header(name, &value);
        let answer = Answer::new(request.body(body).send().await);
        assert_eq!(answer.ok(), json!({}), "{body}");
        operator
            .get(&path_of(&user))
            .await
            .refused(404, "user_not_found");
    }
    let user = operator.create(json!({ "email": "ada@example.com" })).await;
    for body in ["{", "{\"should_soft_delete\":\"yes\"}", "7", "true"] {
        let request = app
            .client
            .request(Method::DELETE, path_of(&user))
            .header(name, &value);
        let answer = Answer::new(request.body(body).send().await);
        answer.refused(400, "bad_json");
    }
    operator.get(&path_of(&user)).await.ok();
}

#[tokio::test]
async fn a_user_who_is_not_there_cannot_be_deleted() {
    let app = TestApp::start().await;
    for body in [None, Some(json!({ "should_soft_delete": true }))] {
        let unknown = format!("/admin/users/{}", Uuid::new_v4());
        app.operator()
            .delete(&unknown, body.clone())
            .await
            .refused(404, "user_not_found");
        app.operator()
            .delete("/admin/users/x", body)
            .await
            .refused(404, "validation_failed");
    }
}

#[tokio::test]
async fn a_user_whom_the_applications_tables_need_stays() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator.create(json!({ "email": "ada@example.com" })).await;
    for timing in ["not deferrable", "deferrable initially deferred"] {
        app.sql()
            .await
            .batch_execute(&format!(
                "drop table if exists public.profiles;
                create table public.profiles (owner uuid references users (id) {timing});
                insert into public.profiles select id from users"
            ))
            .await
            .unwrap();
        let refusal = operator
            .delete(&path_of(&user), None)
            .await
            .refused(409, "conflict");
        assert!(
            refusal["msg"].as_str().unwrap().contains("profiles"),
            "{refusal}"
        );
        assert_eq!(operator.show(&user).await, user);
    }
    let softly = json!({ "should_soft_delete": true });
    operator.delete(&path_of(&user), Some(softly)).await.ok();
}
