//! How much metadata a user can have, and that its tokens can always be sent back.

use innkeeper_auth::config::Profile;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::mail_flows::claims_of;
use crate::support::served::Served;

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

/// Returns metadata of exactly this many bytes.
fn of_size(bytes: usize) -> Value {
    json!({ "x": "y".repeat(bytes - r#"{"x":""}"#.len()) })
}

fn nested(levels: usize) -> Value {
    (1..levels).fold(json!(1), |inner, _| json!([inner]))
}

async fn server(profile: Profile) -> TestApp {
    TestApp::with(|config| {
        config.profile = profile;
        config.mailer.autoconfirm = true;
        config.smtp.max_frequency = Some(SignedDuration::ZERO);
        if profile == Profile::Gotrue {
            config.metadata.max_user_size = 256 * 1024;
            config.metadata.max_app_size = 32 * 1024;
        }
    })
    .await
}

fn token(session: &Value) -> &str {
    session["access_token"].as_str().unwrap()
}

#[tokio::test]
async fn users_cannot_store_more_than_the_bounds() {
    let app = server(Profile::Std).await;
    for (data, status) in [
        (of_size(16 * 1024), 200),
        (of_size(16 * 1024 + 1), 422),
        (json!({ "deep": nested(32) }), 200),
        (json!({ "deep": nested(33) }), 422),
        (json!({ "many": vec![0; 1023] }), 200),
        (json!({ "many": vec![0; 1024] }), 422),
    ] {
        let email = format!("{}@example.com", uuid::Uuid::new_v4());
        let body = json!({ "email": email, "password": PASSWORD, "data": data });
        let answer = app.post("/signup", body.clone()).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        if status == 422 {
            answer.refused(422, "metadata_too_large");
            app.post("/otp", body)
                .await
                .refused(422, "metadata_too_large");
        }
    }
}

#[tokio::test]
async fn many_small_changes_do_not_pass_the_bound_either() {
    let app = server(Profile::Std).await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let mut refused = 0;
    for number in 0..16 {
        let mut part = serde_json::Map::new();
        part.insert(format!("part{number}"), json!("y".repeat(2000)));
        let answer = app
            .put_as(token(&session), "/user", json!({ "data": part }))
            .await;
        if answer.status != 200 {
            answer.refused(422, "metadata_too_large");
            refused += 1;
        }
    }
    assert!((8..=9).contains(&refused), "{refused}");
    let session = app.sign_in(ADA, PASSWORD).await.ok();
    assert!(token(&session).len() < 32 * 1024);
    assert!(claims_of(token(&session))["user_metadata"]["part0"].is_string());
}

#[tokio::test]
async fn operators_are_bound_too() {
    let app = server(Profile::Std).await;
    let operator = app.operator();
    let user = operator.create(json!({ "email": ADA })).await;
    let path = format!("/admin/users/{}", user["id"].as_str().unwrap());
    for name in ["user_metadata", "app_metadata"] {
        let mut body = serde_json::Map::new();
        body.insert(name.to_owned(), of_size(16 * 1024 + 1));
        operator
            .put(&path, Value::Object(body.clone()))
            .await
            .refused(422, "metadata_too_large");
        body.insert("email".to_owned(), json!("ben@example.com"));
        operator
            .post("/admin/users", Value::Object(body))
            .await
            .refused(422, "metadata_too_large");
    }
    let invited = json!({ "email": "cem@example.com", "data": of_size(16 * 1024 + 1) });
    operator
        .post("/invite", invited)
        .await
        .refused(422, "metadata_too_large");
}

#[tokio::test]
async fn what_is_larger_already_signs_in_and_may_shrink() {
    let app = server(Profile::Std).await;
    app.signed_up(ADA, PASSWORD).await;
    let data = json!({ "a": "y".repeat(90_000), "b": "y".repeat(10_000) });
    let sql = app.sql().await;
    sql.execute("update users set raw_user_meta_data = $1", &[&data])
        .await
        .unwrap();
    let session = app.sign_in(ADA, PASSWORD).await.ok();
    let change = |data: Value| app.put_as(token(&session), "/user", json!({ "data": data }));
    change(json!({})).await.ok();
    change(json!({ "c": 1 }))
        .await
        .refused(422, "metadata_too_large");
    change(json!({ "b": null })).await.ok();
    let user = change(json!({ "a": null, "c": 1 })).await.ok();
    assert_eq!(user["user_metadata"], json!({ "c": 1 }));
}

#[tokio::test]
async fn a_token_of_the_largest_metadata_is_accepted() {
    let app = server(Profile::Gotrue).await;
    let operator = app.operator();
    let user = json!({
        "email": ADA, "password": PASSWORD, "email_confirm": true,
        "user_metadata": of_size(256 * 1024), "app_metadata": of_size(32 * 1024),
    });
    operator.create(user).await;
    let session = app.sign_in(ADA, PASSWORD).await.ok();
    let claims = claims_of(token(&session));
    assert_eq!(claims["user_metadata"], json!({}));
    assert_eq!(
        claims["app_metadata"]["x"].as_str().unwrap().len(),
        32 * 1024 - 8
    );
    assert_eq!(
        session["user"]["user_metadata"]["x"]
            .as_str()
            .unwrap()
            .len(),
        256 * 1024 - 8
    );
    let bearer = format!("Bearer {}", token(&session));
    let served = Served::start(app);
    let answer = served.get("/user", &[("authorization", &bearer)]).await;
    assert_eq!(answer.status(), 200);
    served.stop().await;
}
