//! Failures that are not specific to a route: their two shapes, bad bodies, limits, a slow or
//! unavailable database, and log lines.

use futures_util::future::join_all;
use innkeeper_auth::config::Profile;
use innkeeper_rest::Method;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::profile::gotrue;
use crate::support::tokens::text;
use crate::support::{API_VERSION_2024, Answer, TestApp, bearer};

/// Every route that reads a body, and whether it needs an admin.
const BODIES: [(&str, &str, bool); 12] = [
    ("POST", "/signup", false),
    ("POST", "/resend", false),
    ("POST", "/verify", false),
    ("POST", "/otp", false),
    ("POST", "/magiclink", false),
    ("POST", "/recover", false),
    ("POST", "/token?grant_type=password", false),
    ("POST", "/token?grant_type=refresh_token", false),
    ("POST", "/token?grant_type=pkce", false),
    ("POST", "/invite", true),
    ("POST", "/admin/users", true),
    ("POST", "/admin/generate_link", true),
];

async fn send_raw(
    app: &TestApp,
    (method, target, needs_admin): (&str, &str, bool),
    dated: bool,
    body: &str,
) -> Answer {
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    let mut request = app.client.request(method, target).body(body.to_owned());
    if needs_admin {
        let (name, value) = bearer(&app.service_key());
        request = request.header(name, value);
    }
    if dated {
        request = request.header(API_VERSION_2024.0, API_VERSION_2024.1);
    }
    Answer::new(request.send().await)
}

#[tokio::test]
async fn a_failure_has_the_shape_that_the_version_header_asks_for() {
    let app = TestApp::start().await;
    let ask = async |header: Option<&str>| {
        let headers: Vec<(&str, &str)> = header
            .map(|date| (API_VERSION_2024.0, date))
            .into_iter()
            .collect();
        app.send(Method::GET, "/user", &headers, None).await
    };
    for plain in [
        None,
        Some("2023-12-31"),
        Some("yesterday"),
        Some(""),
        Some("2024-13-01"),
    ] {
        let answer = ask(plain).await;
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("x-supabase-api-version"), None, "{plain:?}");
        let body = answer.refused(401, "no_authorization");
        assert_eq!(
            body,
            json!({
                "code": 401,
                "error_code": "no_authorization",
                "msg": "This endpoint requires a valid Bearer token",
            })
        );
    }
    for dated in ["2024-01-01", "2024-06-30", "2999-01-01"] {
        let answer = ask(Some(dated)).await;
        assert_eq!(answer.header("x-supabase-api-version"), Some("2024-01-01"));
        let body = answer.refused(401, "no_authorization");
        assert_eq!(
            body,
            json!({
                "code": "no_authorization",
                "message": "This endpoint requires a valid Bearer token",
            })
        );
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_are_told_in_the_same_shapes_in_std() {
    let app = TestApp::start().await;
    let body = app.get("/nowhere").await.refused(404, "not_found");
    assert_eq!(body["code"], 404);
    let answer = app
        .send(Method::GET, "/nowhere", &[API_VERSION_2024], None)
        .await;
    assert_eq!(answer.refused(404, "not_found")["code"], "not_found");
    let answer = app.send(Method::DELETE, "/signup", &[], None).await;
    assert_eq!(answer.header("allow"), Some("POST"));
    answer.refused(405, "method_not_allowed");
    let answer = app
        .send(Method::POST, "/settings", &[API_VERSION_2024], None)
        .await;
    assert_eq!(answer.header("allow"), Some("GET, HEAD"));
    answer.refused(405, "method_not_allowed");
}

#[tokio::test]
async fn unknown_paths_and_methods_are_told_as_that_server_does_in_gotrue() {
    let app = TestApp::with(|config| config.profile = Profile::Gotrue).await;
    for headers in [&[][..], &[API_VERSION_2024]] {
        let answer = app.send(Method::GET, "/nowhere", headers, None).await;
        assert_eq!(answer.status, 404);
        assert_eq!(answer.text.trim_end(), "404 page not found");
        let kind = answer.header("content-type").unwrap();
        assert!(kind.starts_with("text/plain"), "{kind}");
        let answer = app.send(Method::DELETE, "/signup", headers, None).await;
        assert_eq!((answer.status, answer.text.as_str()), (405, ""));
        assert_eq!(answer.header("allow"), Some("POST"));
    }
}

#[tokio::test]
async fn head_works_where_get_does() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let (name, value) = bearer(&text(&session, "access_token"));
    for target in ["/health", "/settings", "/.well-known/jwks.json", "/user"] {
        let headers = [(name, value.as_str())];
        let answer = app.send(Method::HEAD, target, &headers, None).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, ""), "{target}");
    }
    app.send(Method::HEAD, "/signup", &[], None)
        .await
        .failed(405);
}

#[tokio::test]
async fn a_body_that_is_no_json_is_told_everywhere_in_both_shapes() {
    let app = TestApp::start().await;
    let deep = "[".repeat(100_000);
    let deep_object = r#"{"data":"#.repeat(50_000);
    for route in BODIES {
        for body in [
            "",
            "{",
            r#"{"email":"ada@example.com"#,
            r#"{"email":"ada@example.com",}"#,
            "email=ada%40example.com",
            "[]",
            r#"["email"]"#,
            "7",
            "1e999999",
            "\"text\"",
            "true",
            "\u{feff}{}",
            "{} {}",
            &deep,
            &deep_object,
        ] {
            let answer = send_raw(&app, route, false, body).await;
            let refused = answer.refused(400, "bad_json");
            let message = refused["msg"].as_str().unwrap();
            let start = "Could not parse request body as JSON: ";
            assert!(message.starts_with(start), "{route:?} {message}");
            assert!(message.len() < 300, "{message}");
            send_raw(&app, route, true, body)
                .await
                .refused(400, "bad_json");
        }
    }
}

#[tokio::test]
async fn null_counts_as_an_empty_object_and_the_content_type_does_not_matter() {
    let app = TestApp::start().await;
    for route in BODIES {
        let null = send_raw(&app, route, false, "null").await;
        let empty = send_raw(&app, route, false, "{}").await;
        assert_eq!(
            (null.status, &null.text),
            (empty.status, &empty.text),
            "{route:?}"
        );
        assert!((400..500).contains(&null.status), "{route:?} {}", null.text);
    }
    let body = json!({ "email": "nobody@example.com", "password": "x" }).to_string();
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "nonsense",
    ] {
        let request = app
            .client
            .post("/token?grant_type=password")
            .header("content-type", kind)
            .header("accept", "application/xml")
            .body(body.clone());
        Answer::new(request.send().await).refused(400, "invalid_credentials");
    }
}

/// Every member that some route reads.
const MEMBERS: [&str; 26] = [
    "email",
    "phone",
    "password",
    "data",
    "type",
    "token",
    "token_hash",
    "refresh_token",
    "auth_code",
    "code_verifier",
    "code_challenge",
    "code_challenge_method",
    "create_user",
    "channel",
    "gotrue_meta_security",
    "id",
    "aud",
    "role",
    "user_metadata",
    "app_metadata",
    "ban_duration",
    "email_confirm",
    "password_hash",
    "redirect_to",
    "new_email",
    "nonce",
];

/// Returns values that nearly every member must refuse.
fn odd_values() -> Vec<Value> {
    let long = "x".repeat(70_000);
    vec![
        json!(null),
        json!(""),
        json!(7),
        json!(-1.5e300),
        json!(u64::MAX),
        json!(true),
        json!([]),
        json!([{}]),
        json!({}),
        json!({ "a": { "b": [] } }),
        json!("\u{0}"),
        json!("a\r\nb: c"),
        json!("\u{202e}gro.elpmaxe@ada\u{7f}"),
        json!("аda@example.com"),
        json!(long),
    ]
}

#[tokio::test]
async fn no_wrong_type_in_any_member_is_a_failure_of_the_server() {
    let app = TestApp::start().await;
    let values = odd_values();
    for route in BODIES {
        for member in MEMBERS {
            // Sent concurrently: some responses are delayed, to hide whether an account exists.
            let asked = values.iter().map(async |value| {
                let mut body = json!({ "email": "ada@example.com" });
                body[member] = value.clone();
                send_raw(&app, route, false, &body.to_string()).await
            });
            for (answer, value) in join_all(asked).await.into_iter().zip(&values) {
                let start: String = value.to_string().chars().take(40).collect();
                assert!(
                    answer.status < 500 && answer.status != 413,
                    "{route:?} {member} {start}: {}",
                    answer.text
                );
            }
        }
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_told_with_the_limit() {
    let app = TestApp::start().await;
    let body = json!({ "email": "a".repeat(1024 * 1024), "password": "x" }).to_string();
    for route in BODIES {
        let answer = send_raw(&app, route, false, &body).await;
        let refused = answer.refused(413, "request_entity_too_large");
        assert_eq!(
            refused["msg"], "Request body too large (max 1048576 bytes)",
            "{route:?}"
        );
        send_raw(&app, route, true, &body)
            .await
            .refused(413, "request_entity_too_large");
    }
}

#[tokio::test]
async fn a_request_that_takes_too_long_ends_with_504_and_its_id() {
    let app = TestApp::autoconfirm().await;
    let ada = json!({ "email": "ada@example.com" });
    let user = app.operator().create(ada).await;
    let token = app.token_of_secret(&app.claims_for(&user));
    let short = SignedDuration::from_millis(300);
    let (_, hurried) = app
        .replica_with(|config| config.api.max_request_duration = short)
        .await;
    let ask = async |name: &str, value: &str| {
        let (authorization, token) = bearer(&token);
        let request = hurried.get("/user").header(authorization, token);
        Answer::new(request.header(name, value).send().await)
    };
    let mut sql = app.sql().await;
    let lock = sql.transaction().await.unwrap();
    lock.batch_execute("lock table users in access exclusive mode")
        .await
        .unwrap();
    let answer = ask("X-Request-Id", "the-request").await;
    assert_eq!(answer.header("x-request-id"), Some("the-request"));
    let body = answer.refused(504, "request_timeout");
    assert_eq!(body["error_id"], "the-request");
    let body = ask(API_VERSION_2024.0, API_VERSION_2024.1).await;
    assert_eq!(
        body.refused(504, "request_timeout")["code"],
        "request_timeout"
    );
    app.get("/health").await.ok();
    lock.rollback().await.unwrap();
    app.get_as(&token, "/user").await.ok();
}

#[tokio::test]
async fn a_database_that_goes_away_is_503_and_nothing_is_restarted_when_it_is_back() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let token = text(&session, "access_token");
    app.lose_database().await;
    let (name, value) = bearer(&token);
    for _ in 0..3 {
        let answer = app.get_as(&token, "/user").await;
        assert_eq!(answer.header("retry-after"), Some("1"));
        let body = answer.refused(503, "database_unavailable");
        assert!(body["error_id"].is_string());
        // The client is not told where the database is, or why it is unavailable.
        assert_eq!(
            body["msg"],
            "The database is not available, try again later"
        );
        let headers = [(name, value.as_str()), API_VERSION_2024];
        let answer = app.send(Method::GET, "/user", &headers, None).await;
        let body = answer.refused(503, "database_unavailable");
        assert_eq!(body["code"], "database_unavailable");
    }
    let calls: [(&str, Value); 4] = [
        (
            "/token?grant_type=refresh_token",
            json!({ "refresh_token": session["refresh_token"] }),
        ),
        (
            "/token?grant_type=password",
            json!({ "email": "ada@example.com", "password": "correct horse" }),
        ),
        (
            "/signup",
            json!({ "email": "bob@example.com", "password": "correct horse" }),
        ),
        ("/otp", json!({ "email": "ada@example.com" })),
    ];
    for (target, body) in &calls {
        app.post(target, body.clone())
            .await
            .refused(503, "database_unavailable");
    }
    app.get("/health").await.ok();
    app.get("/settings").await.ok();
    app.find_database().await;
    app.get_as(&token, "/user").await.ok();
    for (target, body) in calls {
        app.post(target, body).await.ok();
    }
}

#[tokio::test]
async fn every_answer_has_an_id_and_takes_over_a_decent_one() {
    let app = TestApp::start().await;
    let made = app.get("/health").await;
    let made = made.header("x-request-id").unwrap();
    assert!(made.len() >= 16);
    let answer = app
        .send(
            Method::GET,
            "/nowhere",
            &[("X-Request-Id", "abc-123")],
            None,
        )
        .await;
    assert_eq!(answer.header("x-request-id"), Some("abc-123"));
    let odd = [("X-Request-Id", "a b\"<script>")];
    let answer = app.send(Method::GET, "/health", &odd, None).await;
    assert_ne!(answer.header("x-request-id"), Some("a b\"<script>"));
    let app = TestApp::with(|config| {
        config.api.request_id_header = Some("x-trace".parse().unwrap());
    })
    .await;
    let answer = app
        .send(Method::GET, "/health", &[("X-Trace", "abc-123")], None)
        .await;
    assert_eq!(answer.header("x-trace"), Some("abc-123"));
    assert_eq!(answer.header("x-request-id"), None);
}

#[tokio::test]
async fn every_answer_keeps_out_of_caches_and_referrers() {
    let app = TestApp::start().await;
    for target in ["/health", "/settings", "/user", "/nowhere", "/verify"] {
        let answer = app.get(target).await;
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{target}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
}

#[tokio::test]
async fn only_a_tls_listener_of_std_makes_browsers_keep_to_https() {
    let name = "strict-transport-security";
    let hosts = ["auth.example.com", "localhost:9999", "192.0.2.7"];
    let app = TestApp::start().await;
    let gotrue = TestApp::with(gotrue).await;
    for host in hosts {
        let encrypted = async |app: &TestApp| {
            let request = app.client.get("/health").header("host", host);
            request.encrypted().send().await
        };
        let expected = (host == "auth.example.com").then_some("max-age=31536000");
        assert_eq!(encrypted(&app).await.header(name), expected, "{host}");
        assert_eq!(encrypted(&gotrue).await.header(name), None, "{host}");
        let plain = app.client.get("/health").header("host", host).send().await;
        assert_eq!(plain.header(name), None, "{host}");
    }
}

#[tokio::test]
async fn no_answer_of_std_is_shown_in_a_frame_or_loads_anything() {
    let targets = ["/health", "/settings", "/user", "/nowhere", "/verify"];
    let app = TestApp::start().await;
    for target in targets {
        let answer = app.get(target).await;
        assert_eq!(
            answer.header("content-security-policy"),
            Some("default-src 'none'; frame-ancestors 'none'"),
            "{target}"
        );
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{target}");
    }
    let app = TestApp::with(gotrue).await;
    for target in targets {
        let answer = app.get(target).await;
        assert_eq!(answer.header("content-security-policy"), None, "{target}");
        assert_eq!(answer.header("x-frame-options"), None, "{target}");
    }
}
