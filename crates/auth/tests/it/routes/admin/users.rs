//! `POST /admin/users`, `POST /admin/users/{id}` and `GET /admin/users/{id}`.

use innkeeper_auth::config::Profile;
use innkeeper_rest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::operator::{count, path_of};
use crate::support::{DATED, TestApp};

/// Hashes that other servers made, and their passwords.
const HASHES: [(&str, &str); 4] = [
    (
        "$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
        "correct horse",
    ),
    (
        "$argon2id$v=19$m=64,t=1,p=2$YSBzYWx0IG9mIDE2IGJ5Lg==$0NNyljZFIyogUZf/8njo/w==",
        "correct horse",
    ),
    (
        "$argon2i$v=19$m=4096,t=3,p=1$YSBzYWx0IG9mIDE2IGJ5Lg$eElpkbNhiKjzcjOD0sRXCwwjdQ8E128CbndYbkBwKh4",
        "correct horse",
    ),
    (
        "$fbscrypt$v=1,n=10,r=8,p=2,ss=Bw==$c2l4dGVlbiBieXRlIHNhbHQ=$5++Q274Gjd9dXC/mJQNAUALpz1UON/0rsox3avyRwbY=",
        "plain scrypt",
    ),
];

#[tokio::test]
async fn a_created_user_has_what_was_given_and_nothing_else() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator
        .create(json!({
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
        }))
        .await;
    let at = user["created_at"].clone();
    let id = user["id"].clone();
    let identity_of = |index: usize| user["identities"][index]["identity_id"].clone();
    let expected = json!({
        "id": id,
        "aud": "authenticated",
        "role": "staff",
        "email": "ada@example.com",
        "email_confirmed_at": at,
        "phone": "491701234567",
        "phone_confirmed_at": at,
        "confirmed_at": at,
        "app_metadata": { "plan": "gold", "provider": "email", "providers": ["email", "phone"] },
        "user_metadata": { "full_name": "Ada", "sub": "mine", "nested": { "a": null } },
        "identities": [
            {
                "identity_id": identity_of(0),
                "id": id,
                "user_id": id,
                "identity_data": {
                    "sub": id, "email": "ada@example.com", "email_verified": true, "phone_verified": false,
                },
                "provider": "email",
                "last_sign_in_at": at,
                "created_at": at,
                "updated_at": at,
                "email": "ada@example.com",
            },
            {
                "identity_id": identity_of(1),
                "id": id,
                "user_id": id,
                "identity_data": {
                    "sub": id, "phone": "491701234567", "phone_verified": true, "email_verified": false,
                },
                "provider": "phone",
                "last_sign_in_at": at,
                "created_at": at,
                "updated_at": at,
            },
        ],
        "created_at": at,
        "updated_at": at,
        "is_anonymous": false,
    });
    let sorted = |mut user: Value| {
        let identities = user["identities"].as_array_mut().unwrap();
        identities.sort_by_key(|identity| identity["provider"].to_string());
        user
    };
    assert_eq!(sorted(user.clone()), sorted(expected));
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
        assert_eq!(user.get("email_confirmed_at").is_some(), confirmed, "{body}");
        assert_eq!(user.get("confirmed_at").is_some(), confirmed, "{body}");
        assert!(user.get("phone_confirmed_at").is_none());
        assert_eq!(user["identities"][0]["identity_data"]["email_verified"], confirmed);
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
    assert_eq!(user["app_metadata"], json!({ "provider": "phone", "providers": ["phone"] }));
    assert!(user["phone_confirmed_at"].is_string());
    let emails = "select count(*) from users where email is null";
    assert_eq!(count(&app.sql().await, emails).await, 1);
}

#[tokio::test]
async fn a_user_gets_the_default_role_and_the_audience_of_the_request() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator.create(json!({ "email": "a@example.com", "role": "", "aud": "" })).await;
    assert_eq!((&user["role"], &user["aud"]), (&json!("authenticated"), &json!("authenticated")));
    let body = json!({ "email": "b@example.com", "password": "correct horse", "email_confirm": true });
    let header = ("X-JWT-AUD", "elsewhere");
    let user = operator.send(Method::POST, "/admin/users", header, Some(&body)).await.ok();
    assert_eq!(user["aud"], "elsewhere");
    let user = operator.create(json!({ "email": "c@example.com", "aud": "third" })).await;
    assert_eq!(user["aud"], "third");
    // Users are looked up in the audience of the request.
    app.sign_in("b@example.com", "correct horse").await.refused(400, "invalid_credentials");
    let body = json!({ "email": "b@example.com", "password": "correct horse" });
    let target = "/token?grant_type=password";
    app.send(Method::POST, target, &[header], Some(&body)).await.ok();
}

#[tokio::test]
async fn without_an_audience_and_a_group_both_are_empty_texts() {
    let app = TestApp::with(|config| {
        config.jwt.aud = String::new();
        config.jwt.default_group_name = String::new();
    })
    .await;
    let body = json!({ "email": "a@example.com", "password": "correct horse", "email_confirm": true });
    let user = app.operator().create(body).await;
    assert_eq!((&user["role"], &user["aud"]), (&json!(""), &json!("")));
    let session = app.sign_in("a@example.com", "correct horse").await.ok();
    let token = session["access_token"].as_str().unwrap();
    assert_eq!(app.get_as(token, "/user").await.ok()["aud"], "");
    let list = app.operator().get("/admin/users").await.ok();
    assert_eq!((&list["aud"], list["users"].as_array().unwrap().len()), (&json!(""), 1));
}

#[tokio::test]
async fn an_id_may_be_chosen_in_the_body_or_the_path() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let (first, second) = (Uuid::new_v4(), Uuid::new_v4());
    let user = operator.create(json!({ "id": first, "email": "a@example.com" })).await;
    assert_eq!(user["id"], json!(first));
    assert_eq!(user["identities"][0]["id"], json!(first));
    let path = format!("/admin/users/{second}");
    let user = operator.post(&path, json!({ "email": "b@example.com" })).await.ok();
    assert_eq!(user["id"], json!(second));
    assert_eq!(operator.show(&user).await["email"], "b@example.com");

    for (path, body, status, code) in [
        (path.clone(), json!({ "email": "c@example.com" }), 422, "conflict"),
        ("/admin/users".to_owned(), json!({ "id": first, "email": "c@example.com" }), 422, "conflict"),
        (path.clone(), json!({ "id": first, "email": "c@example.com" }), 400, "validation_failed"),
        ("/admin/users".to_owned(), json!({ "id": Uuid::nil(), "email": "c@example.com" }), 400, "validation_failed"),
        (format!("/admin/users/{}", Uuid::nil()), json!({ "email": "c@example.com" }), 400, "validation_failed"),
        ("/admin/users".to_owned(), json!({ "id": "not-an-id", "email": "c@example.com" }), 400, "validation_failed"),
        ("/admin/users/not-an-id".to_owned(), json!({ "email": "c@example.com" }), 404, "validation_failed"),
    ] {
        operator.post(&path, body).await.refused(status, code);
    }
    let body = json!({ "id": second.to_string().to_uppercase(), "email": "b@example.com" });
    operator.post(&path, body).await.refused(422, "email_exists");
    assert_eq!(count(&app.sql().await, "select count(*) from users").await, 2);
}

#[tokio::test]
async fn an_address_and_a_number_belong_to_one_user() {
    let app = TestApp::start().await;
    let operator = app.operator();
    operator.create(json!({ "email": "ada@example.com", "phone": "491701234567" })).await;
    for (body, code) in [
        (json!({ "email": "ada@example.com" }), "email_exists"),
        (json!({ "email": "ADA@example.COM", "password": "correct horse" }), "email_exists"),
        (json!({ "email": "ada@example.com", "aud": "elsewhere" }), "email_exists"),
        (json!({ "email": "new@example.com", "phone": "+49 170 1234567" }), "phone_exists"),
        (json!({ "phone": "491701234567" }), "phone_exists"),
    ] {
        operator.post("/admin/users", body).await.refused(422, code);
    }
    let dated = json!({ "email": "ada@example.com" });
    let answer = operator.send(Method::POST, "/admin/users", DATED, Some(&dated)).await;
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
    let ask = || operator.post("/admin/users", json!({ "email": "ada@example.com", "phone": "4917" }));
    let answers = futures_util::future::join_all((0..8).map(|_| ask())).await;
    let (good, bad): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!(good.len(), 1);
    for answer in bad {
        answer.refused(422, "email_exists");
    }
}

#[tokio::test]
async fn without_a_password_a_user_has_none() {
    let app = TestApp::start().await;
    let operator = app.operator();
    for password in [json!(null), json!("")] {
        let email = format!("{}@example.com", Uuid::new_v4());
        operator
            .create(json!({ "email": email, "password": password, "email_confirm": true }))
            .await;
        for guess in ["", "password"] {
            let answer = app.sign_in(&email, guess).await;
            assert_eq!(answer.status, 400, "{}", answer.text);
        }
    }
    let sql = "select count(*) from users where encrypted_password is null";
    assert_eq!(count(&app.sql().await, sql).await, 2);
}

#[tokio::test]
async fn a_new_users_password_is_not_judged_but_has_a_limit() {
    for (profile, limit) in [(Profile::Std, 4096), (Profile::Gotrue, 72)] {
        let app = TestApp::with(|config| config.profile = profile).await;
        let operator = app.operator();
        let long = "x".repeat(limit);
        for password in ["a", &long] {
            let email = format!("{}@example.com", Uuid::new_v4());
            let body = json!({ "email": email, "password": password, "email_confirm": true });
            operator.create(body).await;
            app.sign_in(&email, password).await.ok();
        }
        let body = json!({ "email": "long@example.com", "password": format!("{long}x") });
        let refusal = operator.post("/admin/users", body).await;
        let refusal = refusal.refused(400, "validation_failed");
        let expected = format!("Password cannot be longer than {limit} characters");
        assert_eq!(refusal["msg"], expected);
    }
}

#[tokio::test]
async fn hashes_of_other_servers_are_taken_over_and_renewed_at_sign_in() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let sql = app.sql().await;
    for (hash, password) in HASHES {
        let email = format!("{}@example.com", Uuid::new_v4());
        operator
            .create(json!({ "email": email, "password_hash": hash, "email_confirm": true }))
            .await;
        app.sign_in(&email, "wrong horse").await.refused(400, "invalid_credentials");
        app.sign_in(&email, password).await.ok();
        let of_user = "select encrypted_password from users where email = $1";
        let row = sql.query_one(of_user, &[&email]).await.unwrap();
        let stored: &str = row.get(0);
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        app.sign_in(&email, password).await.ok();
    }
}

#[tokio::test]
async fn broken_hashes_are_refused_and_so_are_a_hash_and_a_password_together() {
    let app = TestApp::start().await;
    let operator = app.operator();
    for hash in [
        "no such kind",
        "$2a$04$tooshort",
        "$2a$31$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
        "$argon2id$v=19$m=64,t=1,p=2$!!!$0NNyljZFIyogUZf/8njo/w==",
        "$argon2id$v=19$m=4294967295,t=1,p=2$YSBzYWx0IG9mIDE2IGJ5Lg==$0NNyljZFIyogUZf/8njo/w==",
        "$argon2d$v=19$m=64,t=1,p=2$YSBzYWx0IG9mIDE2IGJ5Lg==$0NNyljZFIyogUZf/8njo/w==",
        "$fbscrypt$v=1,n=40,r=8,p=2,ss=Bw==$c2l4dGVlbiBieXRlIHNhbHQ=$5++Q274Gjd9dXC/mJQNAUALpz1UON/0rsox3avyRwbY=",
        "$fbscrypt$",
        "$1$md5$crypt",
    ] {
        let body = json!({ "email": "ada@example.com", "password_hash": hash });
        let refusal = operator.post("/admin/users", body).await;
        let refusal = refusal.refused(400, "validation_failed");
        let rest = hash.rsplit('$').next().unwrap();
        assert!(rest.is_empty() || !refusal.to_string().contains(rest), "{refusal}");
    }
    let (hash, password) = HASHES[0];
    let body = json!({ "email": "ada@example.com", "password_hash": hash, "password": password });
    operator.post("/admin/users", body).await.refused(400, "validation_failed");
    assert_eq!(count(&app.sql().await, "select count(*) from users").await, 0);
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
    app.sign_in("ada@example.com", "correct horse").await.refused(400, "user_banned");
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
        let answer = operator.get(&target).await.refused(404, "validation_failed");
        assert_eq!(answer["msg"], "user_id must be an UUID");
    }
    let user = operator.create(json!({ "email": "ada@example.com" })).await;
    assert_eq!(operator.get(&path_of(&user)).await.ok(), user);
}
