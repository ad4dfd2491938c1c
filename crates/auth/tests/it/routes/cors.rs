//! Cross-origin requests, in both profiles.

use innkeeper_auth::config::Profile;
use innkeeper_rest::Method;

use crate::support::{Answer, TestApp};

const ORIGIN: (&str, &str) = ("Origin", "https://app.example.com");

async fn preflight(app: &TestApp, target: &str, method: &str, headers: &str) -> Answer {
    let all = [
        ORIGIN,
        ("Access-Control-Request-Method", method),
        ("Access-Control-Request-Headers", headers),
    ];
    app.send(Method::OPTIONS, target, &all, None).await
}

#[tokio::test]
async fn every_site_may_ask_and_read_the_headers_that_clients_need() {
    for (profile, credentials) in [(Profile::Std, None), (Profile::Gotrue, Some("true"))] {
        let app = TestApp::with(|config| config.profile = profile).await;
        for target in ["/settings", "/user", "/nowhere"] {
            let answer = app.send(Method::GET, target, &[ORIGIN], None).await;
            assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
            assert_eq!(
                answer.header("access-control-allow-credentials"),
                credentials,
                "{profile:?} {target}"
            );
            let exposed = answer.header("access-control-expose-headers").unwrap();
            let exposed = exposed.to_lowercase();
            for name in ["x-total-count", "link", "x-supabase-api-version"] {
                assert!(exposed.contains(name), "{exposed}");
            }
        }
    }
}

#[tokio::test]
async fn a_preflight_for_any_path_is_204_without_a_token() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let app = TestApp::with(|config| config.profile = profile).await;
        for target in ["/signup", "/user", "/admin/users", "/logout", "/nowhere"] {
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                let headers = "authorization, apikey, content-type, x-client-info, \
                               x-supabase-api-version, x-jwt-aud, x-use-cookie, x-client-ip";
                let answer = preflight(&app, target, method, headers).await;
                assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{target}");
                assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
                let allowed = answer.header("access-control-allow-headers").unwrap();
                let allowed = allowed.to_lowercase();
                for name in headers.split(", ").map(str::trim) {
                    assert!(allowed.contains(name), "{name} in {allowed}");
                }
                let methods = answer.header("access-control-allow-methods").unwrap();
                assert!(methods.contains(method), "{methods}");
            }
        }
    }
}

#[tokio::test]
async fn a_preflight_for_an_unknown_header_or_method_allows_nothing() {
    let app = TestApp::start().await;
    for (method, headers) in [("POST", "x-secret"), ("TRACE", "authorization")] {
        let answer = preflight(&app, "/signup", method, headers).await;
        for name in [
            "access-control-allow-origin",
            "access-control-allow-headers",
            "access-control-allow-methods",
        ] {
            assert_eq!(answer.header(name), None, "{method} {headers} {name}");
        }
    }
    let app =
        TestApp::with(|config| config.cors_allowed_headers = vec!["x-secret".to_owned()]).await;
    let answer = preflight(&app, "/signup", "POST", "x-secret").await;
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
}

#[tokio::test]
async fn gotrue_allows_what_was_asked_for_and_only_where_there_is_an_origin() {
    let app = TestApp::with(|config| config.profile = Profile::Gotrue).await;
    let answer = preflight(&app, "/user", "PUT", "authorization, x-client-info").await;
    assert_eq!(answer.header("access-control-allow-methods"), Some("PUT"));
    let headers = answer.header("access-control-allow-headers");
    assert_eq!(headers, Some("authorization, x-client-info"));

    let answer = app.send(Method::GET, "/settings", &[ORIGIN], None).await;
    let exposed = answer.header("access-control-expose-headers");
    assert_eq!(exposed, Some("x-total-count, link, x-supabase-api-version"));
    assert_eq!(answer.header("vary"), Some("origin"));
    let answer = app.send(Method::GET, "/settings", &[], None).await;
    for name in [
        "access-control-allow-origin",
        "access-control-allow-credentials",
        "access-control-expose-headers",
    ] {
        assert_eq!(answer.header(name), None, "{name}");
    }
    assert_eq!(answer.header("vary"), Some("origin"));

    let app = TestApp::start().await;
    let answer = app.send(Method::GET, "/settings", &[], None).await;
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!(answer.header("vary"), None);
}

#[tokio::test]
async fn options_that_is_no_preflight_is_405() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let app = TestApp::with(|config| config.profile = profile).await;
        let answer = app.send(Method::OPTIONS, "/signup", &[], None).await;
        assert_eq!(answer.status, 405, "{}", answer.text);
    }
}
