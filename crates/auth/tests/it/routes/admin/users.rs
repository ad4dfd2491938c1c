//! `POST /admin/users`, `POST /admin/users/{id}` and `GET /admin/users/{id}`.

use innkeeper_rest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::operator::{count, path_of};
use crate::support::{API_VERSION_2024, TestApp, redacted};

/// Returns a body with every member that a new user can have.
fn all_members() -> Value {
    json!({
        "email": "Ada@Example.com",
        "phone": "+491701234567",
        "password": "correct horse",
        "role": "staff",
        "email_confirm": true,
        "phone_confirm": true,
        "user_metadata": { "full_name": "Ada", "sub": "mine", "nested": { "a": null } },
        "app_metadata": { "plan": "gold", "provider": "forged", "providers": [] },
        "ban_duration": "none",
        "data": { "ignored": true },
    })
}

#[tokio::test]
async fn a_created_user_has_what_was_given_and_nothing_else() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator.create(all_members()).await;
    let identity = |provider: &str, data: Value| {
        json!({
            "identity_id": "[uuid]",
            "id": "[uuid]",
            "user_id": "[uuid]",
            "identity_data": data,
            "provider": provider,
            "last_sign_in_at": "[time]",
            "created_at": "[time]",
            "updated_at": "[time]",
        })
    };
    let mut by_email = identity(
        "email",
        json!({ "sub": "[uuid]", "email": "ada@example.com", "email_verified": true, "phone_verified": false }),
    );
    by_email["email"] = json!("ada@example.com");
    let by_phone = identity(
        "phone",
        json!({ "sub": "[uuid]", "phone": "491701234567", "email_verified": false, "phone_verified": true }),
    );
    let expected = json!({
        "id": "[uuid]",
        "aud": "authenticated",
        "role": "staff",
        "email": "ada@example.com",
        "email_confirmed_at": "[time]",
        "phone": "491701234567",
        "phone_confirmed_at": "[time]",
        "confirmed_at": "[time]",
        "app_metadata": { "plan": "gold", "provider": "email", "providers": ["email", "phone"] },
        "user_metadata": { "full_name": "Ada", "sub": "mine", "nested": { "a": null } },
        "identities": [by_email, by_phone],
        "created_at": "[time]",
        "updated_at": "[time]",
        "is_anonymous": false,
    });
    assert_eq!(redacted(&user), expected);
    assert_eq!(operator.show(&user).await, user);
    app.sign_in("ada@example.com", "correct horse").await.ok();
}

#[tokio::test]
async fn a_user_is_confirmed_only_when_asked_for() {
    let app = TestApp::start().await;
    let operator = app.operator();
    for (body, confirmed) in [
        (json!({}), false),
        (json!({ "email_confirm": false }), false),
        (json!({ "email_confirm": null }), false),
        (json!({ "phone_confirm": true }), false),
        (json!({ "email_confirm": true }), true),
    ] {
        let email = format!("{}@example.com", Uuid::new_v4());
        let mut whole = json!({ "email": email, "password": "correct horse" });
        let members = whole.as_object_mut().unwrap();
        members.extend(body.as_object().unwrap().clone());
        let user = operator.create(whole).await;
        assert_eq!(
            user.get("email_confirmed_at").is_some(),
            confirmed,
            "{body}"
        );
        assert_eq!(user.get("confirmed_at").is_some(), confirmed, "{body}");
        assert!(user.get("phone_confirmed_at").is_none());
        assert_eq!(
            user["identities"][0]["identity_data"]["email_verified"],
            confirmed
        );
        let answer = app.sign_in(&email, "correct horse").await;
        if confirmed {
            answer.ok();
        } else {
            answer.refused(400, "email_not_confirmed");
        }
    }
    assert_eq!(app.mailbox.sink().mails().len(), 0);
}

#[tokio::test]
async fn a_user_may_have_a_number_alone() {
    let app = TestApp::start().await;
    let body = json!({ "phone": "+1 202 555 0123", "phone_confirm": true });
    let user = app.operator().create(body).await;
    assert_eq!(user["phone"], "12025550123");
    assert_eq!(user["email"], "");
    assert_eq!(
        user["app_metadata"],
        json!({ "provider": "phone", "providers": ["phone"] })
    );
    assert!(user["phone_confirmed_at"].is_string());
    let emails = "select count(*) from users where email is null";
    assert_eq!(count(&app.sql().await, emails).await, 1);
}

#[tokio::test]
async fn a_user_gets_the_default_role_and_the_audience_of_the_request() {
    let app = TestApp::with(|config| {
        config.jwt.audiences = vec!["elsewhere".to_owned(), "third".to_owned()];
    })
    .await;
    let operator = app.operator();
    let user = operator
        .create(json!({ "email": "a@example.com", "role": "", "aud": "" }))
        .await;
    assert_eq!(
        (&user["role"], &user["aud"]),
        (&json!("authenticated"), &json!("authenticated"))
    );
    let body =
        json!({ "email": "b@example.com", "password": "correct horse", "email_confirm": true });
    let header = ("X-JWT-AUD", "elsewhere");
    let user = operator
        .send(Method::POST, "/admin/users", header, Some(&body))
        .await
        .ok();
    assert_eq!(user["aud"], "elsewhere");
    let user = operator
        .create(json!({ "email": "c@example.com", "aud": "third" }))
        .await;
    assert_eq!(user["aud"], "third");
    // Users are looked up in the audience of the request.
    app.sign_in("b@example.com", "correct horse")
        .await
        .refused(400, "invalid_credentials");
    let body = json!({ "email": "b@example.com", "password": "correct horse" });
    let target = "/token?grant_type=password";
    app.send(Method::POST, target, &[header], Some(&body))
        .await
        .ok();
}

#[tokio::test]
async fn without_an_audience_and_a_group_both_are_empty_texts() {
    let app = TestApp::with(|config| {
        config.jwt.aud = String::new();
        config.jwt.default_group_name = String::new();
    })
    .await;
    let body =
        json!({ "email": "a@example.com", "password": "correct horse", "email_confirm": true });
    let user = app.operator().create(body).await;
    assert_eq!((&user["role"], &user["aud"]), (&json!(""), &json!("")));
    let session = app.sign_in("a@example.com", "correct horse").await.ok();
    let token = session["access_token"].as_str().unwrap();
    assert_eq!(app.get_as(token, "/user").await.ok()["aud"], "");
    let list = app.operator().get("/admin/users").await.ok();
    assert_eq!(
        (&list["aud"], list["users"].as_array().unwrap().len()),
        (&json!(""), 1)
    );
}

#[tokio::test]
async fn an_id_may_be_chosen_in_the_body_or_the_path() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let (first, second) = (Uuid::new_v4(), Uuid::new_v4());
    let user = operator
        .create(json!({ "id": first, "email": "a@example.com" }))
        .await;
    assert_eq!(user["id"], json!(first));
    assert_eq!(user["identities"][0]["id"], json!(first));
    let path = format!("/admin/users/{second}");
    let user = operator
        .post(&path, json!({ "email": "b@example.com" }))
        .await
        .ok();
    assert_eq!(user["id"], json!(second));
    assert_eq!(operator.show(&user).await["email"], "b@example.com");

    let email = "c@example.com";
    let (list, of) = ("/admin/users".to_owned(), |id: &str| {
        format!("/admin/users/{id}")
    });
    let nil = Uuid::nil();
    for (path, id, status, code) in [
        (path.clone(), json!(null), 422, "conflict"),
        (list.clone(), json!(first), 422, "conflict"),
        (path.clone(), json!(first), 400, "validation_failed"),
        (list.clone(), json!(nil), 400, "validation_failed"),
        (of(&nil.to_string()), json!(null), 400, "validation_failed"),
        (list, json!("not-an-id"), 400, "validation_failed"),
        (of("not-an-id"), json!(null), 404, "validation_failed"),
    ] {
        let body = json!({ "id": id, "email": email });
        operator.post(&path, body).await.refused(status, code);
    }
    let body = json!({ "id": second.to_string().to_uppercase(), "email": "b@example.com" });
    operator
        .post(&path, body)
        .await
        .refused(422, "email_exists");
    assert_eq!(
        count(&app.sql().await, "select count(*) from users").await,
        2
    );
}

#[tokio::test]
async fn a_user_is_created_at_the_id_of_the_path_with_every_member() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let id = Uuid::new_v4();
    let path = format!("/admin/users/{id}");
    app.post(&path, all_members())
        .await
        .refused(401, "no_authorization");
    let user = operator.post(&path, all_members()).await.ok();
    for (name, value) in [
        ("id", json!(id)),
        ("email", json!("ada@example.com")),
        ("phone", json!("491701234567")),
        ("role", json!("staff")),
        ("user_metadata", all_members()["user_metadata"].clone()),
    ] {
        assert_eq!(user[name], value, "{name}");
    }
    assert_eq!(user["app_metadata"]["plan"], "gold");
    assert!(user["email_confirmed_at"].is_string() && user["phone_confirmed_at"].is_string());
    assert_eq!(operator.show(&user).await, user);
    app.sign_in("ada@example.com", "correct horse").await.ok();
    // A user without a password has not signed up with one.
    let path = format!("/admin/users/{}", Uuid::new_v4());
    let body = json!({ "email": "bob@example.com", "email_confirm": true, "ban_duration": "1h" });
    let user = operator.post(&path, body).await.ok();
    assert!(user["banned_until"].is_string(), "{user}");
    app.sign_in("bob@example.com", "correct horse")
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn an_address_and_a_number_belong_to_one_user() {
    let app = TestApp::with(|config| config.jwt.audiences = vec!["elsewhere".to_owned()]).await;
    let operator = app.operator();
    operator
        .create(json!({ "email": "ada@example.com", "phone": "491701234567" }))
        .await;
    for (body, code) in [
        (json!({ "email": "ada@example.com" }), "email_exists"),
        (
            json!({ "email": "ADA@example.COM", "password": "correct horse" }),
            "email_exists",
        ),
        (
            json!({ "email": "ada@example.com", "aud": "elsewhere" }),
            "email_exists",
        ),
        (
            json!({ "email": "new@example.com", "phone": "+49 170 1234567" }),
            "phone_exists",
        ),
        (json!({ "phone": "491701234567" }), "phone_exists"),
    ] {
        operator.post("/admin/users", body).await.refused(422, code);
    }
    let dated = json!({ "email": "ada@example.com" });
    let answer = operator
        .send(Method::POST, "/admin/users", API_VERSION_2024, Some(&dated))
        .await;
    assert_eq!(
        answer.failed(422),
        json!({
            "code": "email_exists",
            "message": "A user with this email address has already been registered",
        })
    );
}

#[tokio::test]
async fn of_many_who_create_the_same_user_at_once_one_succeeds() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let ask = || {
        operator.post(
            "/admin/users",
            json!({ "email": "ada@example.com", "phone": "4917" }),
        )
    };
    let answers = futures_util::future::join_all((0..8).map(|_| ask())).await;
    let (good, bad): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!(good.len(), 1);
    for answer in bad {
        // Email and phone are both taken; which conflict is found first depends on timing.
        let code = answer.text_at("/error_code");
        assert!(["email_exists", "phone_exists"].contains(&code.as_str()));
        answer.refused(422, &code);
    }
}

#[tokio::test]
async fn a_user_may_be_banned_from_the_start() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let body = json!({
        "email": "ada@example.com", "password": "correct horse", "email_confirm": true, "ban_duration": "1h",
    });
    let user = operator.create(body).await;
    assert!(user["banned_until"].is_string());
    app.sign_in("ada@example.com", "correct horse")
        .await
        .refused(400, "user_banned");
    app.advance(3601);
    app.sign_in("ada@example.com", "correct horse").await.ok();
}

#[tokio::test]
async fn a_user_who_is_not_there_is_not_found() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let unknown = format!("/admin/users/{}", Uuid::new_v4());
    let answer = operator.get(&unknown).await.refused(404, "user_not_found");
    assert_eq!(answer["msg"], "User not found");
    for id in ["not-an-id", "1", "..%2F", &"a".repeat(500)] {
        let target = format!("/admin/users/{id}");
        let answer = operator
            .get(&target)
            .await
            .refused(404, "validation_failed");
        assert_eq!(answer["msg"], "user_id must be an UUID");
    }
    let user = operator.create(json!({ "email": "ada@example.com" })).await;
    assert_eq!(operator.get(&path_of(&user)).await.ok(), user);
}
