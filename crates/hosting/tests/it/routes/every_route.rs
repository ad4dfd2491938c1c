//! Rules of all routes: paths, methods, and the format of errors.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::support::Site;

const METHODS: [&str; 9] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW",
];

#[test]
fn every_route_but_health_is_below_v1() {
    let table = innkeeper_hosting::route_table();
    let outside: Vec<_> = table
        .iter()
        .filter(|(_, path)| !path.starts_with("/v1/"))
        .collect();
    assert_eq!(outside, [&("GET", "/health".to_owned())]);
    for path in [
        "/v1/plans",
        "/v1/blog/list",
        "/v1/blog/article",
        "/v1/kb/list",
        "/v1/kb/article",
        "/v1/status",
        "/v1/heo-status.js",
        "/v1/openapi.json",
        "/v1/status.html",
    ] {
        assert!(table.contains(&("GET", path.to_owned())), "{path}");
    }
}

/// Returns the methods of each path of the table, with what its parameters stand for in the demo content.
fn methods_by_path() -> BTreeMap<String, BTreeSet<&'static str>> {
    let mut paths: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (verb, path) in innkeeper_hosting::route_table() {
        let path = path.replace("{*path}", "images/covers/kb.svg");
        let path = path
            .replace("{server_id}", "survival")
            .replace("{id}", "web-1");
        let path = match path.as_str() {
            "/v1/blog/article" => "/v1/blog/article?path=/blog/turku-is-open",
            "/v1/kb/article" => "/v1/kb/article?path=/kb/vps/first-steps",
            "/v1/heo-status/{version}/heo-status.js" => "/v1/heo-status/1.1.0/heo-status.js",
            "/v1/console/{file}" => "/v1/console/console.js",
            path => path,
        };
        assert!(!path.contains('{'), "{path}");
        let methods = paths.entry(path.to_owned()).or_default();
        methods.insert(verb);
        if verb == "GET" {
            methods.insert("HEAD");
        }
    }
    paths
}

fn is_control(path: &str) -> bool {
    path.starts_with("/v1/hosting/")
}

#[tokio::test]
async fn every_route_answers_its_methods() {
    let site = Site::demo().await;
    for (path, methods) in methods_by_path() {
        // These need a key.
        if is_control(&path) {
            continue;
        }
        for method in methods {
            let answer = site.send(method, &path, &[]).await;
            let expected = match method {
                // A form has a content type.
                "POST" if path == "/v1/console" => 415,
                // Feedback without a body is malformed.
                "POST" => 400,
                _ => 200,
            };
            assert_eq!(answer.status, expected, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn every_route_answers_405_to_all_other_methods() {
    let site = Site::demo().await;
    let paths = methods_by_path();
    assert!(paths.keys().any(|path| is_control(path)));
    for (path, methods) in paths {
        for method in METHODS {
            if methods.contains(method) {
                continue;
            }
            let answer = site.send(method, &path, &[]).await;
            assert_eq!(answer.status, 405, "{method} {path}");
            if method == "HEAD" {
                assert_eq!(answer.body.len(), 0, "{path}");
            } else if is_control(&path) {
                let problem = answer.json();
                assert_eq!(problem["code"], "method_not_allowed", "{method} {path}");
                assert_eq!(problem["message"], "method not allowed", "{method} {path}");
            } else {
                // The widget's script, too.
                answer.refused(405, "method not allowed");
            }
            let allow = answer.header("allow").unwrap();
            let allowed: BTreeSet<&str> = allow.split(", ").collect();
            assert_eq!(allowed, methods, "{method} {path}");
            assert_eq!(
                answer.header("cache-control"),
                Some("no-store"),
                "{method} {path}"
            );
        }
    }
}

#[tokio::test]
async fn no_response_may_be_shown_in_a_frame() {
    let site = Site::demo().await;
    for (method, target) in [
        ("GET", "/health"),
        ("GET", "/v1/plans"),
        ("HEAD", "/v1/plans"),
        ("GET", "/v1/blog/list"),
        ("GET", "/v1/blog/feed.atom"),
        ("GET", "/v1/status"),
        ("GET", "/v1/status.html"),
        ("GET", "/v1/status.css"),
        ("GET", "/v1/status.atom"),
        ("GET", "/v1/heo-status.js"),
        ("GET", "/v1/assets/images/covers/kb.svg"),
        ("GET", "/v1/assets/images/covers/names.png"),
        ("GET", "/v1/openapi.json"),
        ("GET", "/v1/docs"),
        ("GET", "/v1/docs/docs.css"),
        ("GET", "/v1/console"),
        ("GET", "/v1/console/console.js"),
        ("GET", "/v1/hosting/machines"),
        ("GET", "/v1/nowhere"),
        ("GET", "/nowhere"),
        ("BREW", "/v1/plans"),
        ("OPTIONS", "/v1/plans"),
        ("GET", "/v1/blog/list?limit=none"),
    ] {
        let answer = site.send(method, target, &[]).await;
        let policies = answer.headers("content-security-policy");
        assert_eq!(policies.len(), 1, "{method} {target}");
        let mut directives = policies[0].split(';').map(str::trim);
        assert!(
            directives.any(|directive| directive == "frame-ancestors 'none'"),
            "{method} {target}: {policies:?}"
        );
    }
    let plans = site.get("/v1/plans").await;
    let tag = plans.header("etag").unwrap();
    let same = site.get_with("/v1/plans", &[("if-none-match", tag)]).await;
    assert_eq!(same.status, 304);
    assert_eq!(
        same.header("content-security-policy"),
        Some("frame-ancestors 'none'")
    );
}

#[tokio::test]
async fn errors_are_one_line_of_text_unless_json_is_asked_for() {
    let site = Site::demo().await;
    site.get("/v1/nowhere").await.refused(404, "not found");
    site.get("/nowhere").await.refused(404, "not found");
    for accept in [
        "*/*",
        "text/html, */*;q=0.8",
        "text/plain, application/json",
        "nonsense",
    ] {
        let answer = site
            .get_with("/v1/blog/article?path=/x", &[("accept", accept)])
            .await;
        answer.refused(404, "article not found");
    }
    for accept in [
        "application/json",
        "application/problem+json",
        "application/json, text/plain;q=0.5",
    ] {
        let answer = site
            .get_with("/v1/blog/article?path=/x", &[("accept", accept)])
            .await;
        assert_eq!(
            answer.header("content-type"),
            Some("application/problem+json"),
            "{accept}"
        );
        assert_eq!(
            answer.json(),
            json!({
                "type": "about:blank", "title": "Not Found", "status": 404, "detail": "article not found",
                "message": "article not found", "code": "not_found", "instance": "/v1/blog/article",
            })
        );
    }
    let refused = site
        .send("POST", "/v1/plans", &[("accept", "application/json")])
        .await
        .json();
    assert_eq!(
        (&refused["detail"], &refused["message"]),
        (&json!("method not allowed"), &json!("method not allowed"))
    );
}

#[tokio::test]
async fn unknown_paths_of_the_control_endpoints_get_json() {
    let site = Site::demo().await;
    for path in [
        "/v1/hosting",
        "/v1/hosting/",
        "/v1/hosting/cloud",
        "/v1/hosting/cloud/nothing",
        "/v1/hosting/cloud/vps-custom/web-1/explode",
    ] {
        let id = ("x-request-id", "r-1");
        let answer = site.get_with(path, &[("accept", "text/plain"), id]).await;
        assert_eq!(
            answer.header("content-type"),
            Some("application/problem+json")
        );
        assert_eq!(
            answer.json(),
            json!({
                "type": "about:blank", "title": "Not Found", "status": 404, "detail": "not found",
                "message": "not found", "code": "not_found", "instance": path, "requestId": "r-1",
            })
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
    }
    // An id that was made for the request is the one in the header.
    for headers in [&[][..], &[("x-request-id", "not an id")]] {
        let answer = site.get_with("/v1/hosting/nothing", headers).await;
        let id = answer.header("x-request-id").unwrap();
        assert_eq!(answer.json()["requestId"], id);
    }
}

#[test]
fn most_endpoints_are_public() {
    let document = innkeeper_hosting::openapi().unwrap();
    let (mut public, mut with_key) = (0, 0);
    for (verb, path) in innkeeper_hosting::route_table() {
        let path = path.replace("{*", "{");
        let operation = &document["paths"][&path][verb.to_lowercase()];
        let needs_key = operation["security"]
            .as_array()
            .is_some_and(|all| !all.is_empty());
        assert_eq!(needs_key, is_control(&path), "{verb} {path}");
        if needs_key {
            with_key += 1;
        } else {
            public += 1;
        }
    }
    assert!(public > with_key, "{public} {with_key}");
}

#[tokio::test]
async fn public_endpoints_need_no_credentials_and_mind_none() {
    let site = Site::demo().await;
    let paths = methods_by_path();
    let public: Vec<_> = paths.iter().filter(|(path, _)| !is_control(path)).collect();
    for path in [
        "/health",
        "/v1/status",
        "/v1/plans",
        "/v1/blog/list",
        "/v1/blog/article?path=/blog/turku-is-open",
        "/v1/kb/list",
        "/v1/kb/article?path=/kb/vps/first-steps",
        "/v1/kb/feedback",
        "/v1/heo-status.js",
    ] {
        assert!(public.iter().any(|(known, _)| *known == path), "{path}");
    }
    for (path, methods) in public {
        for method in methods {
            let plain = site.send(method, path, &[]).await;
            assert!(![401, 403].contains(&plain.status), "{method} {path}");
            assert_eq!(plain.header("www-authenticate"), None, "{method} {path}");
            for credentials in [
                ("authorization", "Bearer nonsense"),
                ("authorization", "Basic bm9uc2Vuc2U="),
                ("x-api-key", "nonsense"),
            ] {
                let answer = site.send(method, path, &[credentials]).await;
                let case = format!("{method} {path} {credentials:?}");
                assert_eq!(answer.status, plain.status, "{case}");
                assert_eq!(answer.body, plain.body, "{case}");
            }
        }
    }
}

#[tokio::test]
async fn every_answer_has_a_request_id() {
    let site = Site::demo().await;
    let own = site.get_with("/v1/plans", &[("x-request-id", "r-1")]).await;
    assert_eq!(own.header("x-request-id"), Some("r-1"));
    assert!(site.get("/nowhere").await.header("x-request-id").is_some());
}
