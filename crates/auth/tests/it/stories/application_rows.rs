//! Users whom applications inserted into the tables with SQL.

use serde_json::json;

use super::takeover::{BCRYPT, earlier};
use crate::support::operator::{count, path_of};
use crate::support::{TestApp, plan};

/// Returns SQL that inserts minimal rows with unusual values, as applications write them.
fn odd_rows() -> String {
    format!(
        r#"insert into users (id, email, encrypted_password) values
            (gen_random_uuid(), 'bare@example.com', '{BCRYPT}');
        insert into users (id, email, encrypted_password, email_confirmed_at) values
            (gen_random_uuid(), 'confirmed@example.com', '{BCRYPT}', now()),
            (gen_random_uuid(), 'Mixed.Case@Example.com', '{BCRYPT}', now()),
            (gen_random_uuid(), 'nothing@example.com', '', now()),
            (gen_random_uuid(), 'broken@example.com', 'not a hash', now()),
            (gen_random_uuid(), '', '{BCRYPT}', now()),
            (gen_random_uuid(), null, '{BCRYPT}', now());
        insert into users (id, email, aud, role, encrypted_password, email_confirmed_at, raw_app_meta_data,
            raw_user_meta_data, phone_change, phone_change_token, email_change_confirm_status, created_at) values
            (gen_random_uuid(), 'list@example.com', 'authenticated', null, '{BCRYPT}', now(), '[1, 2]', '"text"',
                null, null, null, now()),
            (gen_random_uuid(), 'null@example.com', 'authenticated', '', '{BCRYPT}', now(), 'null', 'null',
                null, null, null, now());
        update users set confirmation_token = null, recovery_token = null, email_change_token_new = null,
            email_change = null, email_change_token_current = null, reauthentication_token = null,
            instance_id = case when email = 'list@example.com'
                then '00000000-0000-0000-0000-000000000000'::uuid end;
        insert into identities (provider_id, user_id, identity_data, provider)
        select id::text, id, '{{}}', 'email' from users where email = 'null@example.com';
        insert into identities (provider_id, user_id, identity_data, provider, created_at)
        select 'x', id, '[]', 'github', 'infinity' from users where email = 'list@example.com';"#
    )
}

const WITH_PASSWORD: [&str; 4] = [
    "confirmed@example.com",
    "mixed.case@example.com",
    "list@example.com",
    "null@example.com",
];

#[tokio::test]
async fn users_whom_applications_wrote_sign_in() {
    let app = TestApp::on(earlier(&odd_rows()).await, |_| {}).await;
    for email in WITH_PASSWORD {
        app.sign_in(email, "wrong horse")
            .await
            .refused(400, "invalid_credentials");
        let session = app.sign_in(email, "correct horse").await.ok();
        let token = session["access_token"].as_str().unwrap();
        let me = app.get_as(token, "/user").await.ok();
        assert!(
            me["user_metadata"].is_object() && me["app_metadata"].is_object(),
            "{me}"
        );
        assert!(
            me["created_at"].is_string() && me["updated_at"].is_string(),
            "{me}"
        );
        let session = app
            .refresh(session["refresh_token"].as_str().unwrap())
            .await
            .ok();
        let token = session["access_token"].as_str().unwrap();
        let body = json!({ "data": { "name": "Ada" } });
        let me = app.put_as(token, "/user", body).await.ok();
        assert_eq!(me["user_metadata"], json!({ "name": "Ada" }));
        app.post_as(token, "/logout", json!({})).await.failed(204);
    }
    app.sign_in("bare@example.com", "correct horse")
        .await
        .refused(400, "email_not_confirmed");
    app.sign_in("nothing@example.com", "").await.failed(400);
    for email in ["nothing@example.com", "broken@example.com"] {
        app.sign_in(email, "correct horse")
            .await
            .refused(400, "invalid_credentials");
    }
}

#[tokio::test]
async fn users_whom_applications_wrote_are_told_how_they_signed_in() {
    let app = TestApp::on(earlier(&odd_rows()).await, |_| {}).await;
    let by_mail = json!({ "provider": "email", "providers": ["email"] });
    let elsewhere = json!({ "provider": "github", "providers": ["github"] });
    let sql = app.sql().await;
    let identity = "insert into identities (provider_id, user_id, identity_data, provider)
        select '1', id, '{}', 'github' from users where email like 'Mixed%'";
    sql.batch_execute(identity).await.unwrap();
    for (email, expected) in [
        ("confirmed@example.com", &by_mail),
        ("null@example.com", &by_mail),
        ("list@example.com", &by_mail),
        ("mixed.case@example.com", &elsewhere),
    ] {
        let session = app.sign_in(email, "correct horse").await.ok();
        assert_eq!(session["user"]["app_metadata"], *expected, "{email}");
        let token = session["access_token"].as_str().unwrap();
        let claims = crate::support::mail_flows::claims_of(token);
        assert_eq!(claims["app_metadata"], *expected, "{email}");
        let me = app.get_as(token, "/user").await.ok();
        assert_eq!(me["app_metadata"], *expected, "{email}");
    }
    // A sign-in by code adds the same members, and keeps those of the application.
    let keeps =
        r#"update users set raw_app_meta_data = '{"plan": "gold"}' where email like 'confirmed%'"#;
    sql.batch_execute(keeps).await.unwrap();
    let email = "confirmed@example.com";
    app.post("/otp", json!({ "email": email })).await.ok();
    let mail = app.mailbox.next_to(email).await;
    let session = app.verify_code("email", email, &mail.code()).await.ok();
    let expected = json!({ "plan": "gold", "provider": "email", "providers": ["email"] });
    assert_eq!(session["user"]["app_metadata"], expected);
    // An existing provider is not changed.
    let says =
        r#"update users set raw_app_meta_data = '{"provider": "ldap"}' where email like 'null%'"#;
    sql.batch_execute(says).await.unwrap();
    let session = app.sign_in("null@example.com", "correct horse").await.ok();
    let expected = json!({ "provider": "ldap" });
    assert_eq!(session["user"]["app_metadata"], expected);
}

#[tokio::test]
async fn users_whom_applications_wrote_get_their_mail() {
    let app = TestApp::on(earlier(&odd_rows()).await, |_| {}).await;
    for (target, kind) in [("/recover", "recovery"), ("/otp", "email")] {
        for email in [
            &WITH_PASSWORD[..],
            &["bare@example.com", "broken@example.com"],
        ]
        .concat()
        {
            app.post(target, json!({ "email": email })).await.ok();
            let sent_to = if email.starts_with("mixed") {
                "Mixed.Case@Example.com"
            } else {
                email
            };
            let mail = app.mailbox.next_to(sent_to).await;
            let body = json!({ "type": kind, "email": email, "token": mail.code() });
            let session = app.post("/verify", body).await.ok();
            assert!(session["user"]["email_confirmed_at"].is_string(), "{email}");
        }
        app.advance(1000);
    }
}

#[tokio::test]
async fn users_whom_applications_wrote_are_operators_users_too() {
    let app = TestApp::on(earlier(&odd_rows()).await, |_| {}).await;
    let operator = app.operator();
    let list = operator.get("/admin/users").await.ok();
    let users = list["users"].as_array().unwrap().clone();
    assert_eq!(users.len(), 9);
    for (index, user) in users.iter().enumerate() {
        operator.get(&path_of(user)).await.ok();
        let body = json!({
            "email": format!("{index}@example.org"),
            "phone": format!("49170{index}"),
            "password": "battery staple",
            "email_confirm": true,
            "phone_confirm": true,
            "role": "authenticated",
            "aud": "authenticated",
            "user_metadata": { "a": 1 },
            "app_metadata": { "b": 2 },
            "ban_duration": "none",
        });
        let after = operator.put(&path_of(user), body).await.ok();
        assert_eq!(after["user_metadata"], json!({ "a": 1 }));
        assert_eq!(after["app_metadata"]["b"], 2);
        app.sign_in(&format!("{index}@example.org"), "battery staple")
            .await
            .ok();
        let sessions = operator
            .get(&format!("{}/sessions", path_of(user)))
            .await
            .ok();
        assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1);
        let body = Some(json!({ "should_soft_delete": index % 2 == 0 }));
        operator.delete(&path_of(user), body).await.ok();
    }
}

#[tokio::test]
async fn an_address_stored_in_another_spelling_is_the_same_address() {
    let app = TestApp::on(earlier(&odd_rows()).await, |_| {}).await;
    let operator = app.operator();
    let session = app
        .sign_in("MIXED.case@example.COM", "correct horse")
        .await
        .ok();
    let user = &session["user"];
    assert_eq!(user["email"], "Mixed.Case@Example.com");
    let body = json!({ "email": "mixed.case@example.com", "password": "an impostor" });
    operator
        .post("/admin/users", body.clone())
        .await
        .refused(422, "email_exists");
    app.post("/signup", body).await.ok();
    let body = json!({ "type": "magiclink", "email": "mixed.case@example.com" });
    let link = operator.post("/admin/generate_link", body).await.ok();
    assert_eq!(link["id"], user["id"]);
    let sql = app.sql().await;
    let same = "select count(*) from users where lower(email) = 'mixed.case@example.com'";
    assert_eq!(count(&sql, same).await, 1);

    // If two spellings are two accounts, each is found by its own spelling.
    let more = format!(
        "insert into users (id, aud, email, encrypted_password, email_confirmed_at)
        values (gen_random_uuid(), 'authenticated', 'mixed.case@example.com', '{BCRYPT}', now())"
    );
    sql.batch_execute(&more).await.unwrap();
    let session = app
        .sign_in("mixed.case@example.com", "correct horse")
        .await
        .ok();
    assert_eq!(session["user"]["email"], "mixed.case@example.com");
    let list = operator
        .get("/admin/users?email=mixed.case@example.com")
        .await
        .ok();
    assert_eq!(list["users"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn addresses_are_found_by_an_index_in_whatever_spelling() {
    let app = TestApp::start().await;
    let sql = app.sql().await;
    // PostgreSQL scans a small table without using the index.
    let many = "insert into users (id, aud, email, instance_id)
        select gen_random_uuid(), 'authenticated', n || '@example.com', '00000000-0000-0000-0000-000000000000'
        from generate_series(1, 5000) n;
        analyze users";
    sql.batch_execute(many).await.unwrap();
    let values = [
        ("email", "'ada@example.com'"),
        ("phone", "'4917'"),
        ("aud", "'authenticated'"),
        ("pattern", "'a'"),
        ("except", "'00000000-0000-0000-0000-000000000000'"),
    ];
    for name in [
        "find_by_email",
        "lock_by_email",
        "is_email_taken",
        "list_exact",
    ] {
        let plan = plan(&sql, name, &values).await;
        assert!(
            plan.contains("users_instance_id_email_idx"),
            "{name}: {plan}"
        );
        assert!(plan.contains("users_email_partial_key"), "{name}: {plan}");
        assert!(!plan.contains("Seq Scan on users"), "{name}: {plan}");
    }
}
