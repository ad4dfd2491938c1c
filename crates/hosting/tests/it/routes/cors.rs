//! Which origins may read responses.

use innkeeper_rest::filter::Quota;

use crate::support::Site;

async fn site() -> Site {
    Site::start(&[], |config| {
        let origins = ["https://inn.example", "https://*.preview.example"];
        config.http.cors_origins = origins.map(str::to_owned).to_vec();
    })
    .await
}

const ALLOW: &str = "access-control-allow-origin";

#[tokio::test]
async fn approved_origins_may_read_every_answer_and_others_none() {
    let site = site().await;
    for target in [
        "/health",
        "/v1/plans",
        "/v1/blog/list",
        "/v1/blog/article",
        "/v1/nowhere",
        "/nowhere",
    ] {
        for origin in ["https://inn.example", "https://pr-7.preview.example"] {
            let answer = site.get_with(target, &[("origin", origin)]).await;
            assert_eq!(answer.headers(ALLOW), [origin], "{target}");
            let exposed = answer.header("access-control-expose-headers").unwrap();
            for header in [
                "ratelimit",
                "x-ratelimit-remaining",
                "retry-after",
                "location",
                "x-request-id",
            ] {
                assert!(exposed.contains(header), "{exposed}");
            }
        }
        for origin in [
            "https://evil.example",
            "https://inn.example.evil.example",
            "http://inn.example",
            "null",
        ] {
            let answer = site.get_with(target, &[("origin", origin)]).await;
            assert_eq!(answer.header(ALLOW), None, "{target} {origin}");
            assert!(
                answer
                    .headers("vary")
                    .iter()
                    .any(|value| value.eq_ignore_ascii_case("origin"))
            );
        }
    }
}

#[tokio::test]
async fn every_route_lets_approved_origins_read_and_no_others() {
    let site = site().await;
    for (method, path) in innkeeper_hosting::route_table() {
        let path = path.replace("{*path}", "a.png").replace(['{', '}'], "");
        for (origin, allowed) in [
            ("https://inn.example", Some("https://inn.example")),
            ("https://evil.example", None),
        ] {
            let answer = site.send(method, &path, &[("origin", origin)]).await;
            assert_eq!(answer.header(ALLOW), allowed, "{method} {path}");
            let preflight = [
                ("origin", origin),
                ("access-control-request-method", method),
            ];
            let answer = site.send("OPTIONS", &path, &preflight).await;
            assert_eq!(answer.header(ALLOW), allowed, "{method} {path}");
            let status = if allowed.is_some() { 204 } else { 403 };
            assert_eq!(answer.status, status, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn preflights_allow_the_headers_of_the_reference() {
    let site = site().await;
    for header in [
        "authorization",
        "x-api-key",
        "idempotency-key",
        "prefer",
        "content-type",
    ] {
        let headers = [
            ("origin", "https://inn.example"),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", header),
        ];
        let answer = site.send("OPTIONS", "/v1/plans", &headers).await;
        assert_eq!(
            (answer.status, answer.header(ALLOW)),
            (204, Some("https://inn.example")),
            "{header}"
        );
    }
    let stranger = [
        ("origin", "https://evil.example"),
        ("access-control-request-method", "GET"),
    ];
    let refused = site.send("OPTIONS", "/v1/plans", &stranger).await;
    refused.refused(403, "this origin may not send this request");
    assert_eq!(refused.header(ALLOW), None);
    assert!(refused.headers("vary").contains(&"origin"), "{refused:?}");
    for (asked, value) in [
        ("access-control-request-method", "DELETE"),
        ("access-control-request-headers", "x-unknown"),
    ] {
        let headers = [
            ("origin", "https://inn.example"),
            ("access-control-request-method", "GET"),
            (asked, value),
        ];
        let refused = site.send("OPTIONS", "/v1/plans", &headers).await;
        assert_eq!(
            (refused.status, refused.header(ALLOW)),
            (403, None),
            "{asked}"
        );
    }
    let no_preflight = site
        .send("OPTIONS", "/v1/plans", &[("origin", "https://inn.example")])
        .await;
    no_preflight.refused(405, "method not allowed");
}

#[tokio::test]
async fn preflights_count_and_pages_can_read_that_they_must_wait() {
    let site = Site::start(&[], |config| {
        config.http.cors_origins = vec!["https://inn.example".to_owned()];
        config.limits.public = Quota::per_minute(60).with_burst(2);
    })
    .await;
    let preflight = [
        ("origin", "https://inn.example"),
        ("access-control-request-method", "GET"),
    ];
    for remaining in ["1", "0"] {
        let answer = site.send("OPTIONS", "/v1/plans", &preflight).await;
        assert_eq!(
            (answer.status, answer.header("x-ratelimit-remaining")),
            (204, Some(remaining))
        );
    }
    let refused = site
        .get_with("/v1/plans", &[("origin", "https://inn.example")])
        .await;
    assert_eq!(
        (refused.status, refused.header(ALLOW)),
        (429, Some("https://inn.example"))
    );
    assert_eq!(
        site.send("OPTIONS", "/v1/plans", &preflight).await.status,
        429
    );
}
