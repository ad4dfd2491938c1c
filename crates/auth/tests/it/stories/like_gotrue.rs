//! Small things that clients of GoTrue may rely on, in the gotrue profile and, beside it, in std.

use innkeeper_auth::config::Profile;
use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::tokens::text;

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

async fn server(profile: Profile) -> TestApp {
    TestApp::with(|config| config.profile = profile).await
}

async fn created(app: &TestApp, body: Value) -> Value {
    app.post_as(&app.service_key(), "/admin/users", body)
        .await
        .ok()
}

/// Returns a link for an address without an account, as operators get it.
async fn first_link(app: &TestApp) -> Value {
    let body = json!({ "type": "magiclink", "email": ADA });
    app.post_as(&app.service_key(), "/admin/generate_link", body)
        .await
        .ok()
}

#[tokio::test]
async fn an_operator_who_confirms_an_address_marks_the_metadata_and_not_the_identity() {
    let app = server(Profile::Gotrue).await;
    let body = json!({ "email": ADA, "email_confirm": true, "user_metadata": { "name": "Ada" } });
    let user = created(&app, body).await;
    assert_eq!(
        user["user_metadata"],
        json!({ "name": "Ada", "email_verified": true })
    );
    let identity = &user["identities"][0]["identity_data"];
    assert_eq!(identity["email_verified"], false);
    assert!(user.get("confirmed_at").is_none(), "{user}");
    let id = text(&user, "id");
    let read = app
        .get_as(&app.service_key(), &format!("/admin/users/{id}"))
        .await
        .ok();
    assert!(read["confirmed_at"].is_string());

    let unconfirmed = created(&app, json!({ "phone": "4915112345678" })).await;
    assert_eq!(unconfirmed["user_metadata"], json!({}));
    let target = format!("/admin/users/{}", text(&unconfirmed, "id"));
    let body = json!({ "email": "bob@example.com", "email_confirm": true, "phone_confirm": true });
    let user = app.put_as(&app.service_key(), &target, body).await.ok();
    assert_eq!(user["user_metadata"], json!({ "email_verified": true }));
    let phone = &user["identities"][0]["identity_data"];
    assert_eq!(phone["phone_verified"], false, "{user}");

    let app = server(Profile::Std).await;
    let user = created(&app, json!({ "email": ADA, "email_confirm": true })).await;
    assert_eq!(user["user_metadata"], json!({}));
    let identity = &user["identities"][0]["identity_data"];
    assert_eq!(identity["email_verified"], true);
    assert!(user["confirmed_at"].is_string());
}

/// Where addresses and numbers count as confirmed at once, nobody has verified them.
#[tokio::test]
async fn a_sign_up_that_needs_no_confirmation_marks_the_identity_in_std_only() {
    for (profile, is_marked) in [(Profile::Std, true), (Profile::Gotrue, false)] {
        let app = TestApp::with(|config| {
            config.profile = profile;
            config.mailer.autoconfirm = true;
            config.sms.autoconfirm = true;
            config.external.phone_enabled = true;
        })
        .await;
        let body = json!({ "email": ADA, "password": PASSWORD });
        let session = app.post("/signup", body).await.ok();
        let shown = &session["user"]["identities"][0]["identity_data"];
        assert_eq!(shown["email_verified"], true);
        let read = app
            .get_as(&text(&session, "access_token"), "/user")
            .await
            .ok();
        let stored = &read["identities"][0]["identity_data"];
        assert_eq!(stored["email_verified"], is_marked, "{read}");
        assert_eq!(read["user_metadata"]["email_verified"], true);

        let data = json!({ "phone": "at home" });
        let body = json!({ "phone": "4915112345678", "password": PASSWORD, "data": data });
        let session = app.post("/signup", body).await.ok();
        let shown = &session["user"]["identities"][0]["identity_data"];
        assert_eq!(shown["phone_verified"], is_marked, "{session}");
        let phone = if is_marked {
            "4915112345678"
        } else {
            "at home"
        };
        assert_eq!(shown["phone"], phone);
        assert_eq!(session["user"]["user_metadata"]["phone"], phone);
    }
}

#[tokio::test]
async fn the_answer_to_a_change_shows_the_identity_as_it_was() {
    for (profile, shown) in [(Profile::Gotrue, ADA), (Profile::Std, "eve@example.com")] {
        let app = server(profile).await;
        let admin = app.service_key();
        let user = created(&app, json!({ "email": ADA })).await;
        let target = format!("/admin/users/{}", text(&user, "id"));
        let body = json!({ "email": "eve@example.com" });
        let changed = app.put_as(&admin, &target, body).await.ok();
        assert_eq!(changed["email"], "eve@example.com");
        assert_eq!(changed["identities"][0]["identity_data"]["email"], shown);
        let stored = app.get_as(&admin, &target).await.ok();
        let stored = &stored["identities"][0]["identity_data"];
        assert_eq!(stored["email"], "eve@example.com");
        let body = json!({ "phone": "4915112345678" });
        let changed = app.put_as(&admin, &target, body).await.ok();
        assert_eq!(changed["identities"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn providers_are_kept_as_an_operator_says() {
    let sent = json!({ "provider": "ours", "providers": ["ours"], "plan": "pro" });
    let app = server(Profile::Gotrue).await;
    let body = json!({ "email": ADA, "app_metadata": sent });
    let user = created(&app, body.clone()).await;
    assert_eq!(user["app_metadata"], sent);
    let target = format!("/admin/users/{}", text(&user, "id"));
    let more = json!({ "app_metadata": { "provider": "theirs" } });
    let user = app.put_as(&app.service_key(), &target, more).await.ok();
    let expected = json!({ "provider": "theirs", "providers": ["ours"], "plan": "pro" });
    assert_eq!(user["app_metadata"], expected);

    let app = server(Profile::Std).await;
    let user = created(&app, body).await;
    let expected = json!({ "provider": "email", "providers": ["email"], "plan": "pro" });
    assert_eq!(user["app_metadata"], expected);
}

#[tokio::test]
async fn links_name_the_user_and_the_session_in_headers() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let app = server(profile).await;
        let link = first_link(&app).await;
        let target = format!("/verify?type=signup&token={}", text(&link, "hashed_token"));
        let answer = app.get(&target).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        assert_eq!(answer.header("sb-auth-user-id"), link["id"].as_str());
        assert!(answer.header("sb-auth-session-id").is_some());
    }
}

#[tokio::test]
async fn only_std_says_what_was_verified() {
    for (profile, expected) in [(Profile::Std, Some("signup")), (Profile::Gotrue, None)] {
        let app = server(profile).await;
        let link = first_link(&app).await;
        let body = json!({ "type": "signup", "token_hash": link["hashed_token"] });
        let session = app.post("/verify", body).await.ok();
        assert_eq!(session.get("type").and_then(Value::as_str), expected);
    }
}

#[tokio::test]
async fn an_unknown_type_is_refused_in_the_order_of_each_profile() {
    let cases = [
        (
            Profile::Std,
            json!({ "type": "odd", "token": "123456", "email": ADA }),
            (400, "validation_failed", "Unsupported verification type"),
        ),
        (
            Profile::Gotrue,
            json!({ "type": "odd", "token": "123456", "email": ADA }),
            (403, "otp_expired", "Token has expired or is invalid"),
        ),
        (
            Profile::Gotrue,
            json!({ "type": "odd", "token_hash": "abc" }),
            (400, "validation_failed", "Invalid email verification type"),
        ),
        (
            Profile::Gotrue,
            json!({ "type": "odd", "token": "1", "email": "no address" }),
            (422, "validation_failed", "Invalid email format"),
        ),
    ];
    for (profile, body, (status, code, message)) in cases {
        let app = server(profile).await;
        let answer = app.post("/verify", body).await.refused(status, code);
        assert_eq!(answer["msg"], message);
    }
}

#[tokio::test]
async fn without_a_mail_server_gotrue_drops_mails_and_std_refuses() {
    let body = json!({ "email": ADA, "password": "correct horse" });
    let app = TestApp::with(|config| {
        config.profile = Profile::Gotrue;
        config.smtp.host.clear();
    })
    .await;
    let user = app.post("/signup", body.clone()).await.ok();
    assert!(user["confirmation_sent_at"].is_string(), "{user}");
    app.post("/recover", json!({ "email": ADA })).await.ok();
    let health = app.get("/health?deep=1").await.ok();
    assert_eq!(health["checks"]["mail"], json!({ "status": "off" }));
    let app = TestApp::with(|config| config.smtp.host.clear()).await;
    app.post("/signup", body)
        .await
        .refused(422, "email_provider_disabled");
}

#[tokio::test]
async fn only_gotrue_accepts_a_token_of_the_future() {
    for (profile, status) in [(Profile::Gotrue, 200), (Profile::Std, 403)] {
        let app = TestApp::with(|config| {
            config.profile = profile;
            config.mailer.autoconfirm = true;
        })
        .await;
        let session = app.signed_up(ADA, "correct horse").await;
        let mut claims = app.claims_for(&session["user"]);
        claims["iat"] = json!(4_000_000_000_u64);
        claims["exp"] = json!(4_000_003_600_u64);
        let token = app.token_of_secret(&claims);
        assert_eq!(app.get_as(&token, "/user").await.status, status);
        // The second time, the token is remembered.
        assert_eq!(app.get_as(&token, "/user").await.status, status);
    }
}

#[tokio::test]
async fn refusals_have_the_words_that_clients_compare() {
    let cases = [
        ("/recover", json!({}), "Password recovery requires an email"),
        (
            "/resend",
            json!({ "type": "signup" }),
            "Type provided requires an email address",
        ),
        (
            "/resend",
            json!({ "type": "sms" }),
            "Type provided requires a phone number",
        ),
        (
            "/resend",
            json!({ "type": "signup", "email": ADA, "phone": "4915112345678" }),
            "Only an email address or phone number should be provided.",
        ),
        (
            "/token?grant_type=refresh_token",
            json!({}),
            "Refresh token is not valid",
        ),
    ];
    let app = server(Profile::Gotrue).await;
    for (target, body, message) in cases {
        let answer = app.post(target, body).await;
        let answer = answer.refused(400, "validation_failed");
        assert_eq!(answer["msg"], message, "{target}");
    }
}

#[tokio::test]
async fn refusals_of_operators_have_the_words_of_gotrue() {
    let app = server(Profile::Gotrue).await;
    let admin = app.service_key();
    let links = [
        (json!({ "type": "odd" }), "An email address is required"),
        (
            json!({ "type": "odd", "email": ADA }),
            "Invalid email action link type requested: odd",
        ),
    ];
    for (body, message) in links {
        let answer = app.post_as(&admin, "/admin/generate_link", body).await;
        let answer = answer.refused(400, "validation_failed");
        assert_eq!(answer["msg"], message);
    }
    let body = json!({ "type": "recovery", "email": "nobody@example.com" });
    let answer = app.post_as(&admin, "/admin/generate_link", body).await;
    let answer = answer.refused(404, "user_not_found");
    assert_eq!(answer["msg"], "User with this email not found");
    let lists = [
        (
            "/admin/users?sort=email",
            "Bad Sort Parameters: bad field for sort 'email'",
        ),
        (
            "/admin/users?sort=created_at+up",
            "Bad Sort Parameters: bad direction for sort 'up', only 'asc' and 'desc' allowed",
        ),
        (
            "/admin/audit?query=colour:red",
            "Invalid query scope: colour:red",
        ),
    ];
    for (target, message) in lists {
        let answer = app.get_as(&admin, target).await;
        let answer = answer.refused(400, "validation_failed");
        assert_eq!(answer["msg"], message, "{target}");
    }
}

#[tokio::test]
async fn gotrue_compares_the_audience_of_a_token_with_that_of_the_request() {
    let app = TestApp::with(|config| {
        config.profile = Profile::Gotrue;
        config.mailer.autoconfirm = true;
    })
    .await;
    let session = app.signed_up(ADA, "correct horse").await;
    let mut claims = app.claims_for(&session["user"]);
    let other = ("X-JWT-AUD", "other");
    for (aud, header, status) in [
        (json!("other"), None, 200),
        (json!("other"), Some(other), 200),
        (json!("elsewhere"), Some(other), 400),
        (json!(null), None, 400),
        (json!([]), None, 400),
    ] {
        claims["aud"] = aud.clone();
        let token = format!("Bearer {}", app.token_of_secret(&claims));
        let mut headers = vec![("Authorization", token.as_str())];
        headers.extend(header);
        let answer = app.send(Method::GET, "/user", &headers, None).await;
        assert_eq!(answer.status, status, "{aud} {}", answer.text);
        if status == 400 {
            let answer = answer.refused(400, "validation_failed");
            let message = "Token audience doesn't match request audience";
            assert_eq!(answer["msg"], message);
        }
    }
}

#[tokio::test]
async fn a_slash_at_the_end_is_for_the_paths_that_have_it_in_gotrue() {
    let app = server(Profile::Gotrue).await;
    for target in [
        "/health/",
        "/settings/",
        "/token/?grant_type=password",
        "/otp/",
        "/logout/",
    ] {
        let answer = app.send(Method::POST, target, &[], None).await;
        assert_eq!(
            (answer.status, answer.text.as_str()),
            (404, "404 page not found\n"),
            "{target}"
        );
    }
    let admin = app.service_key();
    app.get_as(&admin, "/admin/users/").await.ok();
    app.post(
        "/signup/",
        json!({ "email": ADA, "password": "correct horse" }),
    )
    .await
    .ok();
    let app = server(Profile::Std).await;
    app.get("/settings/").await.ok();
}

#[tokio::test]
async fn a_token_without_a_user_is_refused_before_the_method() {
    for (profile, status) in [(Profile::Gotrue, 403), (Profile::Std, 405)] {
        let app = server(profile).await;
        let token = format!("Bearer {}", app.service_key());
        let headers = [("Authorization", token.as_str())];
        for target in ["/user", "/reauthenticate"] {
            let answer = app.send(Method::DELETE, target, &headers, None).await;
            assert_eq!(answer.status, status, "{target} {}", answer.text);
        }
    }
}
