//! The policy of an application: origins, methods, headers and credentials.

use std::time::Duration;

use innkeeper_rest::filter::{Cors, CorsBuilder};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Response, RestApi, resource};

use super::{PAGE, ask, cors_headers, one_page, preflight, vary};

struct Notes;

#[resource("/notes")]
impl Notes {
    #[get]
    fn list(&self) -> Response {
        Response::ok().header("vary", "accept-language").entity([1])
    }

    #[put]
    fn replace(&self) {}

    #[get("/own")]
    fn own(&self) -> Response {
        Response::ok()
            .header(
                "access-control-allow-origin",
                "https://of-the-handler.example",
            )
            .header("access-control-allow-credentials", "true")
            .header("vary", "Accept, Origin")
    }
}

fn client(cors: Cors) -> Client {
    let app = App::new().filter(cors).mount("/", RestApi::new(Notes));
    Client::new(app).unwrap()
}

fn built(builder: CorsBuilder) -> Client {
    client(builder.build().unwrap())
}

#[tokio::test]
async fn a_preflight_is_told_what_is_allowed() {
    let cors = Cors::builder()
        .origins([PAGE, "https://other.example"])
        .methods(["GET", "PUT"])
        .headers(["Content-Type", "X-Key"])
        .exposed_headers(["x-total"])
        .credentials()
        .max_age(Duration::from_millis(600_999));
    let asked = [
        ("origin", PAGE),
        ("access-control-request-method", "PUT"),
        ("access-control-request-headers", "x-key,content-type"),
    ];
    let response = preflight(&built(cors), "/notes", &asked).await;
    assert_eq!((response.status(), response.text()), (204, String::new()));
    assert_eq!(
        cors_headers(&response),
        [
            "access-control-allow-credentials: true",
            "access-control-allow-headers: content-type, x-key",
            "access-control-allow-methods: GET, PUT",
            "access-control-allow-origin: https://page.example",
            "access-control-max-age: 600",
        ]
    );
    assert_eq!(
        vary(&response),
        "origin, access-control-request-method, access-control-request-headers"
    );
}

#[tokio::test]
async fn preflights_that_allow_nothing_can_be_refused_in_the_error_format() {
    let client = built(Cors::builder().origin(PAGE).refuse_preflights());
    assert_eq!(ask(&client, "/notes", "GET").await.status(), 204);
    let refused = ask(&client, "/notes", "PUT").await;
    assert_eq!(refused.status(), 403);
    let problem: serde_json::Value = refused.json().unwrap();
    assert_eq!(problem["code"], "origin_not_allowed");
    assert!(cors_headers(&refused).is_empty());
    assert!(vary(&refused).contains("origin"));
}

#[tokio::test]
async fn an_answer_tells_whether_the_page_may_read_it() {
    let client = client(one_page());
    let response = client.get("/notes").header("origin", PAGE).send().await;
    assert_eq!(response.text(), "[1]");
    assert_eq!(
        cors_headers(&response),
        [
            "access-control-allow-credentials: true",
            "access-control-allow-origin: https://page.example",
            "access-control-expose-headers: x-total",
        ]
    );
    assert_eq!(vary(&response), "accept-language, origin");
}

#[tokio::test]
async fn other_origins_are_answered_without_leave() {
    let client = client(one_page());
    for origin in [
        "https://evil.example",
        "http://page.example",
        "https://page.example:444",
        "https://page.example/",
        "https://PAGE.example",
        "https://page.example.evil.example",
        "null",
        "*",
        "",
        "https://page.example https://page.example",
        "\u{fffd}",
    ] {
        let response = client.get("/notes").header("origin", origin).send().await;
        assert_eq!(response.text(), "[1]", "the request itself is answered");
        assert!(cors_headers(&response).is_empty(), "{origin}");
        assert_eq!(vary(&response), "accept-language, origin");
        let asked = [("origin", origin), ("access-control-request-method", "GET")];
        let response = preflight(&client, "/notes", &asked).await;
        assert_eq!(response.status(), 204);
        assert!(cors_headers(&response).is_empty(), "{origin}");
        assert!(vary(&response).starts_with("origin, "));
    }
}

#[tokio::test]
async fn two_origins_in_one_request_are_none() {
    let client = client(one_page());
    let request = client.get("/notes").header("origin", PAGE);
    let response = request.header("origin", PAGE).send().await;
    assert!(cors_headers(&response).is_empty());
}

#[tokio::test]
async fn an_answer_to_no_page_depends_on_the_origin_too() {
    let response = client(one_page()).get("/notes").send().await;
    assert!(cors_headers(&response).is_empty());
    assert_eq!(vary(&response), "accept-language, origin");
}

#[tokio::test]
async fn a_method_that_is_not_allowed_gets_no_leave_at_all() {
    let client = client(one_page());
    for method in ["POST", "put", "Put", "DELETE", "PUT, GET", "", "*"] {
        let response = ask(&client, "/notes", method).await;
        assert_eq!(response.status(), 204);
        assert!(cors_headers(&response).is_empty(), "{method}");
    }
    let asked = [
        ("origin", PAGE),
        ("access-control-request-method", "PUT"),
        ("access-control-request-method", "GET"),
    ];
    let response = preflight(&client, "/notes", &asked).await;
    assert!(cors_headers(&response).is_empty(), "one of two");
}

#[tokio::test]
async fn a_header_that_is_not_allowed_gets_no_leave_at_all() {
    let client = client(one_page());
    for (headers, allowed) in [
        ("x-key", true),
        ("X-KEY , Content-Type", true),
        ("", true),
        (",,x-key,", true),
        ("x-other", false),
        ("x-key,x-other", false),
        ("x-key;content-type", false),
        ("*", false),
    ] {
        let asked = [
            ("origin", PAGE),
            ("access-control-request-method", "PUT"),
            ("access-control-request-headers", headers),
        ];
        let response = preflight(&client, "/notes", &asked).await;
        assert_eq!(response.status(), 204);
        assert_eq!(!cors_headers(&response).is_empty(), allowed, "{headers}");
    }
    let asked = [
        ("origin", PAGE),
        ("access-control-request-method", "PUT"),
        ("access-control-request-headers", "x-key"),
        ("access-control-request-headers", "x-other"),
    ];
    let response = preflight(&client, "/notes", &asked).await;
    assert!(cors_headers(&response).is_empty(), "in a second line");
}

#[tokio::test]
async fn requested_headers_are_mirrored_if_asked_for() {
    let client = built(Cors::builder().origin(PAGE).mirror_headers());
    let asked = [
        ("origin", PAGE),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "X-One,authorization"),
    ];
    let response = preflight(&client, "/notes", &asked).await;
    assert_eq!(
        cors_headers(&response),
        [
            "access-control-allow-headers: x-one, authorization",
            "access-control-allow-methods: GET, HEAD, POST",
            "access-control-allow-origin: https://page.example",
        ]
    );
    let response = preflight(&client, "/notes", &asked[..2]).await;
    assert_eq!(response.header("access-control-allow-headers"), None);
    assert_eq!(
        response.header("access-control-allow-origin"),
        Some(PAGE),
        "a page may ask for no header"
    );
    let broken = [
        asked[0],
        asked[1],
        ("access-control-request-headers", "a b"),
    ];
    let response = preflight(&client, "/notes", &broken).await;
    assert!(cors_headers(&response).is_empty(), "that is no header name");
}

#[tokio::test]
async fn a_preflight_may_see_only_what_it_asked_for() {
    let cors = Cors::builder()
        .any_origin()
        .methods(["GET", "PUT"])
        .headers(["x-key", "x-other"])
        .repeat_requested();
    let client = built(cors);
    let asked = [
        ("origin", PAGE),
        ("access-control-request-method", "PUT"),
        ("access-control-request-headers", "X-Key"),
    ];
    let response = preflight(&client, "/notes", &asked).await;
    assert_eq!(
        cors_headers(&response),
        [
            "access-control-allow-headers: x-key",
            "access-control-allow-methods: PUT",
            "access-control-allow-origin: *",
        ]
    );
    for (method, header) in [("DELETE", "x-key"), ("PUT", "x-third")] {
        let asked = [
            ("origin", PAGE),
            ("access-control-request-method", method),
            ("access-control-request-headers", header),
        ];
        let response = preflight(&client, "/notes", &asked).await;
        assert!(cors_headers(&response).is_empty(), "{method} {header}");
    }
}

#[tokio::test]
async fn a_star_may_be_left_to_requests_with_an_origin() {
    let client = built(Cors::builder().any_origin().only_with_origin());
    let response = client.get("/notes").send().await;
    assert!(cors_headers(&response).is_empty());
    assert_eq!(vary(&response), "accept-language, origin");
    let response = client.get("/notes").header("origin", PAGE).send().await;
    assert_eq!(cors_headers(&response), ["access-control-allow-origin: *"]);
    assert_eq!(vary(&response), "accept-language, origin");
}

#[tokio::test]
async fn patterns_allow_what_they_stand_for() {
    let client = built(Cors::builder().origins(["https://*.page.example", "http://localhost:*"]));
    for (origin, allowed) in [
        ("https://shop.page.example", true),
        ("http://localhost", true),
        ("http://localhost:5173", true),
        ("https://page.example", false),
        ("https://a.shop.page.example", false),
        ("https://shop.page.example.evil.example", false),
        ("http://localhost.evil.example", false),
    ] {
        let response = client.get("/notes").header("origin", origin).send().await;
        let expected = allowed.then_some(origin);
        let found = response.header("access-control-allow-origin");
        assert_eq!(found, expected, "{origin}");
    }
}

#[tokio::test]
async fn any_origin_is_a_star_and_depends_on_nothing() {
    let client = built(Cors::builder().any_origin().exposed_headers(["x-total"]));
    for origin in [None, Some(PAGE), Some("null"), Some("nonsense")] {
        let mut request = client.get("/notes");
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        let response = request.send().await;
        assert_eq!(
            cors_headers(&response),
            [
                "access-control-allow-origin: *",
                "access-control-expose-headers: x-total",
            ]
        );
        assert_eq!(vary(&response), "accept-language");
    }
    let response = ask(&client, "/notes", "GET").await;
    assert_eq!(
        vary(&response),
        "access-control-request-method, access-control-request-headers"
    );
}

#[tokio::test]
async fn a_star_with_credentials_is_sent_to_those_who_insist() {
    let client = built(Cors::builder().credentials_with_any_origin());
    let response = client.get("/notes").header("origin", PAGE).send().await;
    assert_eq!(
        cors_headers(&response),
        [
            "access-control-allow-credentials: true",
            "access-control-allow-origin: *",
        ]
    );
    let response = ask(&client, "/notes", "POST").await;
    assert_eq!(
        cors_headers(&response),
        [
            "access-control-allow-credentials: true",
            "access-control-allow-methods: GET, HEAD, POST",
            "access-control-allow-origin: *",
        ]
    );
}

#[tokio::test]
async fn a_mirrored_origin_is_a_real_one_and_null_is_allowed_if_it_is_listed() {
    let strict = built(Cors::builder().mirror_origin().credentials());
    let lenient = built(Cors::builder().mirror_origin().origin("null"));
    for (origin, by_strict, by_lenient) in [
        ("https://anybody.example:8443", true, true),
        ("null", false, true),
        ("nonsense", false, false),
        ("https://a.example, https://b.example", false, false),
    ] {
        for (client, allowed) in [(&strict, by_strict), (&lenient, by_lenient)] {
            let response = client.get("/notes").header("origin", origin).send().await;
            let found = response.header("access-control-allow-origin");
            assert_eq!(found, allowed.then_some(origin));
            assert_eq!(vary(&response), "accept-language, origin");
        }
    }
}

#[tokio::test]
async fn nobody_is_allowed_until_somebody_is_named() {
    let client = built(Cors::builder().credentials());
    let response = client.get("/notes").header("origin", PAGE).send().await;
    assert!(cors_headers(&response).is_empty());
}

#[tokio::test]
async fn the_filter_decides_whatever_the_handler_has_set() {
    let client = client(one_page());
    let response = client.get("/notes/own").header("origin", PAGE).send().await;
    assert_eq!(response.header("access-control-allow-origin"), Some(PAGE));
    assert_eq!(vary(&response), "Accept, Origin", "said once");
    let other = "https://of-the-handler.example";
    let response = client.get("/notes/own").header("origin", other).send();
    assert!(cors_headers(&response.await).is_empty());
}

#[tokio::test]
async fn options_without_both_headers_is_for_the_application() {
    let client = client(one_page());
    for asked in [
        &[][..],
        &[("origin", PAGE)],
        &[("access-control-request-method", "GET")],
    ] {
        let response = preflight(&client, "/notes", asked).await;
        assert_eq!(response.header("allow"), Some("GET, HEAD, PUT, OPTIONS"));
    }
    let response = preflight(&client, "/nothing", &[("origin", PAGE)]).await;
    assert_eq!(response.status(), 404);
    assert_eq!(response.header("access-control-allow-origin"), Some(PAGE));
}

#[tokio::test]
async fn a_preflight_for_many_headers_is_answered() {
    let client = built(Cors::builder().origin(PAGE).headers(["x-0"]));
    let names: Vec<String> = (0..5000).map(|number| format!("x-{number}")).collect();
    let names = names.join(",");
    let asked = [
        ("origin", PAGE),
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", names.as_str()),
    ];
    let response = preflight(&client, "/notes", &asked).await;
    assert_eq!(response.status(), 204);
    assert!(cors_headers(&response).is_empty());
}
