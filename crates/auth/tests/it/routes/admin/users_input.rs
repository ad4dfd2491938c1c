//! Accepted and refused members of a user at `/admin/users`.

use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::operator::{count, path_of};
use crate::support::{API_VERSION_2024, Answer, TestApp, bearer};

const MEMBERS: [&str; 12] = [
    "id",
    "aud",
    "role",
    "email",
    "phone",
    "password",
    "password_hash",
    "email_confirm",
    "phone_confirm",
    "user_metadata",
    "app_metadata",
    "ban_duration",
];

#[tokio::test]
async fn members_of_the_wrong_type_are_refused_and_null_counts_as_absent() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator
        .create(json!({ "email": "kept@example.com", "phone": "4917" }))
        .await;
    for name in MEMBERS {
        let is_text = !name.ends_with("_confirm") && !name.ends_with("_metadata");
        let wrong: Vec<Value> = [
            json!(7),
            json!("text"),
            json!(true),
            json!({ "a": 1 }),
            json!([1]),
        ]
        .into_iter()
        .filter(|value| match value {
            Value::String(_) => !is_text,
            Value::Bool(_) => !name.ends_with("_confirm"),
            Value::Object(_) => !name.ends_with("_metadata"),
            _ => true,
        })
        .collect();
        for value in wrong {
            let mut body = json!({ "email": "new@example.com" });
            body[name] = value;
            let refusal = operator.post("/admin/users", body.clone()).await;
            refusal.refused(400, "bad_json");
            operator
                .put(&path_of(&user), body)
                .await
                .refused(400, "bad_json");
        }
    }
    let nothing: Value = MEMBERS.iter().map(|name| (*name, Value::Null)).collect();
    operator
        .post("/admin/users", nothing.clone())
        .await
        .refused(400, "validation_failed");
    let after = operator.put(&path_of(&user), nothing).await.ok();
    assert_eq!(after["email"], "kept@example.com");
    assert_eq!(after["phone"], "4917");
}

#[tokio::test]
async fn addresses_that_are_none_are_refused_in_the_clients_words() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator.create(json!({ "phone": "4917" })).await;
    let long = format!("{}@example.com", "a".repeat(250));
    for email in [
        "xx:;x@x.x",
        "ada",
        "@example.com",
        "ada@",
        "ada @example.com",
        "ada@example.com\r\nBcc: eve@example.com",
        "\u{430}da@example.com",
        "ada@ex\u{e4}mple.com",
        "ada@@example.com",
        "Ada <ada@example.com>",
        &long,
    ] {
        let link = json!({ "email": email, "type": "magiclink" });
        for (target, body) in [
            ("/admin/users", json!({ "email": email })),
            ("/admin/generate_link", link),
            ("/invite", json!({ "email": email })),
        ] {
            let refusal = operator
                .post(target, body)
                .await
                .refused(400, "validation_failed");
            let text = if email == long {
                "An email address is too long"
            } else {
                "Unable to validate email address: invalid format"
            };
            assert_eq!(refusal["msg"], text, "{email:?} at {target}");
        }
        let body = json!({ "email": email });
        operator
            .put(&path_of(&user), body)
            .await
            .refused(400, "validation_failed");
    }
    assert_eq!(
        count(&app.sql().await, "select count(*) from users").await,
        1
    );
}

#[tokio::test]
async fn numbers_that_are_none_are_refused() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator.create(json!({ "email": "ada@example.com" })).await;
    for phone in [
        "abc",
        "+",
        "0170123456",
        "1234567890123456",
        "+49(170)1",
        "49\u{0661}70",
    ] {
        for answer in [
            operator
                .post("/admin/users", json!({ "phone": phone }))
                .await,
            operator
                .put(&path_of(&user), json!({ "phone": phone }))
                .await,
        ] {
            let refusal = answer.refused(400, "validation_failed");
            let text = "Invalid phone number format (E.164 required)";
            assert_eq!(refusal["msg"], text, "{phone:?}");
        }
    }
    operator
        .post("/admin/users", json!({}))
        .await
        .refused(400, "validation_failed");
    let body = json!({ "email": "", "phone": "" });
    operator
        .post("/admin/users", body)
        .await
        .refused(400, "validation_failed");
}

#[tokio::test]
async fn what_the_database_cannot_store_is_refused_and_nothing_stays() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator
        .create(json!({ "email": "kept@example.com" }))
        .await;
    let before = operator.show(&user).await;
    let long = "x".repeat(256);
    for (name, value) in [
        ("role", json!("a\0b")),
        ("role", json!(long)),
        ("aud", json!("a\0b")),
        ("aud", json!(long)),
        ("user_metadata", json!({ "a": "\0" })),
        ("user_metadata", json!({ "a\0": "b" })),
        ("user_metadata", json!({ "a": { "b": ["\0"] } })),
        ("app_metadata", json!({ "a": "\0" })),
    ] {
        let mut body = json!({ "email": "new@example.com" });
        body[name] = value;
        for answer in [
            operator.post("/admin/users", body.clone()).await,
            operator.put(&path_of(&user), body.clone()).await,
        ] {
            assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        }
    }
    assert_eq!(operator.show(&user).await, before);
    assert_eq!(
        count(&app.sql().await, "select count(*) from users").await,
        1
    );
}

#[tokio::test]
async fn metadata_keeps_every_letter_and_number() {
    let app = TestApp::start().await;
    let metadata = json!({
        "name": "Zoë 🦊 \u{202e}\"\\\n",
        "": "empty name",
        "deep": [[[{ "a": [] }]]],
        "numbers": [0, -1, 1.5, 9_007_199_254_740_993_u64],
        "text": "x".repeat(10_000),
    });
    let body = json!({ "email": "ada@example.com", "user_metadata": metadata });
    let user = app.operator().create(body).await;
    assert_eq!(user["user_metadata"], metadata);
}

#[tokio::test]
async fn bodies_that_are_no_json_objects_are_refused() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator
        .create(json!({ "email": "kept@example.com" }))
        .await;
    let (name, value) = bearer(&operator.key);
    for body in [
        "",
        "{",
        "{\"email\":",
        "text",
        "7",
        "\"x\"",
        "email=a@example.com",
        "[1]",
        "\u{feff}{}",
    ] {
        for (method, target) in [
            (Method::POST, "/admin/users"),
            (Method::PUT, path_of(&user).as_str()),
            (Method::POST, "/admin/generate_link"),
            (Method::POST, "/invite"),
        ] {
            let request = app
                .client
                .request(method.clone(), target)
                .header(name, &value);
            let answer = Answer::new(request.body(body).send().await);
            assert_eq!(
                answer.status, 400,
                "{method} {target} {body:?}: {}",
                answer.text
            );
            answer.refused(400, "bad_json");
        }
    }
    let body = "{\"email\":\"late@example.com\"";
    let request = app
        .client
        .request(Method::POST, "/admin/users")
        .header(name, &value);
    let answer = request
        .header(API_VERSION_2024.0, API_VERSION_2024.1)
        .body(body)
        .send()
        .await;
    assert_eq!(
        Answer::new(answer).refused(400, "bad_json")["code"],
        "bad_json"
    );
}

#[tokio::test]
async fn a_ban_lasts_as_long_as_its_duration_says() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator.create(json!({ "email": "ada@example.com" })).await;
    let path = path_of(&user);
    for (text, seconds) in [
        ("1h30m", 5400),
        ("90s", 90),
        ("1.5h", 5400),
        ("250ms", 0),
        ("1000us", 0),
        ("5000000000ns", 5),
        ("1h1m1s1ms1us1ns", 3661),
        ("876600h", 876_600 * 3600),
        ("2562047h47m16s", 2_562_047 * 3600 + 47 * 60 + 16),
        ("+2m", 120),
    ] {
        let from = app.clock.now();
        let after = operator
            .put(&path, json!({ "ban_duration": text }))
            .await
            .ok();
        let until: jiff::Timestamp = after["banned_until"].as_str().unwrap().parse().unwrap();
        let found = until.duration_since(from).as_secs();
        assert!((seconds..=seconds + 30).contains(&found), "{text}: {found}");
    }
}

#[tokio::test]
async fn a_ban_that_has_no_duration_changes_nothing() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator
        .create(json!({ "email": "ada@example.com", "ban_duration": "1h" }))
        .await;
    let path = path_of(&user);
    for text in [
        "1",
        "1d",
        "h",
        "forever",
        "1h 30m",
        "2562048h",
        "99999999999999999999h",
        "None",
        " ",
        "1e3s",
    ] {
        let body = json!({ "ban_duration": text, "role": "changed" });
        let refusal = operator
            .put(&path, body)
            .await
            .refused(400, "validation_failed");
        let words = refusal["msg"].as_str().unwrap();
        assert!(
            words.starts_with("invalid format for ban duration"),
            "{words}"
        );
        let body = json!({ "email": "new@example.com", "ban_duration": text });
        operator
            .post("/admin/users", body)
            .await
            .refused(400, "validation_failed");
    }
    let after = operator
        .put(&path, json!({ "ban_duration": "" }))
        .await
        .ok();
    assert_eq!(after["banned_until"], user["banned_until"]);
    assert_eq!(after["role"], "authenticated");
    let after = operator
        .put(&path, json!({ "ban_duration": "none" }))
        .await
        .ok();
    assert!(after.get("banned_until").is_none());
}
