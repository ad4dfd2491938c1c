//! Security headers.

use std::time::Duration;

use innkeeper_rest::filter::{SecurityHeaders, SecurityHeadersBuilder};
use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Response, RestApi, resource};

struct Plain;

#[resource("/plain")]
impl Plain {
    #[get]
    fn get(&self) -> u8 {
        1
    }

    #[get("/own")]
    fn own(&self) -> Response {
        Response::ok()
            .header("referrer-policy", "same-origin")
            .header("content-security-policy", "default-src 'self'")
            .body("<p>mine</p>")
    }
}

const NAMES: [&str; 6] = [
    "x-content-type-options",
    "referrer-policy",
    "content-security-policy",
    "x-frame-options",
    "strict-transport-security",
    "permissions-policy",
];

/// Returns the security headers of a response, except the one that the framework always sends.
fn careful(response: &TestResponse) -> Vec<String> {
    let there = NAMES.iter().skip(1);
    let there = there.filter_map(|name| Some(format!("{name}: {}", response.header(name)?)));
    there.collect()
}

const USUAL: [&str; 3] = [
    "referrer-policy: no-referrer",
    "content-security-policy: frame-ancestors 'none'",
    "x-frame-options: DENY",
];

async fn assert_careful(client: &Client, paths: &[(&str, bool)]) {
    for (path, expected) in paths {
        let response = client.get(*path).send().await;
        let expected: &[&str] = if *expected { &USUAL } else { &[] };
        assert_eq!(careful(&response), expected, "{path}");
    }
}

#[tokio::test]
async fn at_an_application_every_answer_has_them() {
    let app = App::new()
        .filter(SecurityHeaders::new())
        .mount("/a", RestApi::new(Plain))
        .handler("/ping", async |_| "pong");
    let client = Client::new(app).unwrap();
    let paths = ["/a/plain", "/a/nothing", "/nothing", "/ping"];
    assert_careful(&client, &paths.map(|path| (path, true))).await;
}

#[tokio::test]
async fn answers_of_tower_services_have_them_too() {
    let service = tower::service_fn(async |_: http::Request<innkeeper_rest::Body>| {
        Ok::<_, std::convert::Infallible>(http::Response::new(String::from("as it is")))
    });
    let app = App::new().filter(SecurityHeaders::new());
    let client = Client::new(app.service("/service", service)).unwrap();
    let response = client.get("/service").send().await;
    assert_eq!(response.text(), "as it is");
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(careful(&response), USUAL);
}

#[tokio::test]
async fn at_a_mount_answers_below_its_prefix_have_them() {
    let app = App::new()
        .mount("/a", RestApi::new(Plain).filter(SecurityHeaders::new()))
        .mount("/b", RestApi::new(Plain));
    let client = Client::new(app).unwrap();
    let paths = [
        ("/a/plain", true),
        ("/a/nothing", true),
        ("/b/plain", false),
    ];
    assert_careful(&client, &paths).await;
}

struct Careful;

#[resource("/careful")]
#[filter(SecurityHeaders::new())]
impl Careful {
    #[get]
    fn get(&self) -> u8 {
        1
    }
}

struct Mixed;

#[resource("/mixed")]
impl Mixed {
    #[get]
    #[filter(SecurityHeaders::new())]
    fn get(&self) -> u8 {
        1
    }

    #[get("/bare")]
    fn bare(&self) -> u8 {
        2
    }
}

#[tokio::test]
async fn at_a_resource_or_method_answers_of_its_routes_have_them() {
    let api = RestApi::new(Careful).with(Mixed);
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let paths = [
        ("/careful", true),
        ("/careful/nothing", false),
        ("/mixed", true),
        ("/mixed/bare", false),
    ];
    assert_careful(&client, &paths).await;
}

/// Returns the security headers of a response to this path with these settings.
async fn behind(builder: SecurityHeadersBuilder, path: &str) -> Vec<String> {
    let app = App::new().filter(builder.build().unwrap());
    let client = Client::new(app.mount("/", RestApi::new(Plain))).unwrap();
    careful(&client.get(path).send().await)
}

#[tokio::test]
async fn what_a_handler_has_set_stays() {
    let headers = behind(SecurityHeaders::builder(), "/plain/own").await;
    assert_eq!(
        headers,
        [
            "referrer-policy: same-origin",
            "content-security-policy: default-src 'self'",
            "x-frame-options: DENY",
        ]
    );
}

#[tokio::test]
async fn every_setting_has_its_header() {
    let year = Duration::from_hours(365 * 24);
    let builder = SecurityHeaders::builder()
        .referrer_policy("no-referrer, strict-origin-when-cross-origin")
        .content_security_policy("default-src 'none'; img-src 'self';")
        .frame_ancestors(["'self'"])
        .hsts(year)
        .hsts_subdomains()
        .permissions_policy("camera=()");
    assert_eq!(
        behind(builder, "/plain").await,
        [
            "referrer-policy: no-referrer, strict-origin-when-cross-origin",
            "content-security-policy: default-src 'none'; img-src 'self'; frame-ancestors 'self'",
            "x-frame-options: SAMEORIGIN",
            "strict-transport-security: max-age=31536000; includeSubDomains",
            "permissions-policy: camera=()",
        ]
    );
    let builder = SecurityHeaders::builder()
        .frame_ancestors(["'self'", "https://a.example"])
        .hsts(Duration::ZERO);
    assert_eq!(
        behind(builder, "/plain").await,
        [
            "referrer-policy: no-referrer",
            "content-security-policy: frame-ancestors 'self' https://a.example",
            "strict-transport-security: max-age=0",
        ]
    );
}

#[tokio::test]
async fn hsts_can_be_for_names_on_tls_listeners_only() {
    let filter = SecurityHeaders::builder().hsts_where_encrypted(Duration::from_hours(1));
    let app = App::new().filter(filter.build().unwrap());
    let client = Client::new(app.mount("/", RestApi::new(Plain))).unwrap();
    for (host, expected) in [
        ("auth.example.com", Some("max-age=3600")),
        ("auth.example.com:8443", Some("max-age=3600")),
        ("localhost:8443", None),
        ("192.0.2.7", None),
        ("[2001:db8::1]:443", None),
    ] {
        let request = client.get("/plain").header("host", host);
        let response = request.encrypted().send().await;
        assert_eq!(
            response.header("strict-transport-security"),
            expected,
            "{host}"
        );
        let plain = client.get("/plain").header("host", host).send().await;
        assert_eq!(plain.header("strict-transport-security"), None, "{host}");
    }
    let without_host = client.get("/plain").encrypted().send().await;
    assert_eq!(without_host.header("strict-transport-security"), None);
    let both = SecurityHeaders::builder()
        .hsts(Duration::ZERO)
        .hsts_where_encrypted(Duration::ZERO);
    assert_eq!(
        both.build().unwrap_err().problems(),
        ["`hsts` and `hsts_where_encrypted` cannot be combined"]
    );
}

#[tokio::test]
async fn any_other_header_can_be_added() {
    let filter = SecurityHeaders::builder().header("Cross-Origin-Resource-Policy", "same-site");
    let app = App::new().filter(filter.build().unwrap());
    let client = Client::new(app.mount("/", RestApi::new(Plain))).unwrap();
    let response = client.get("/plain").send().await;
    assert_eq!(
        response.header("cross-origin-resource-policy"),
        Some("same-site")
    );
}

#[test]
fn settings_that_cannot_be_meant_are_told_at_once() {
    let builder = SecurityHeaders::builder()
        .referrer_policy("nobody")
        .content_security_policy("default-src 'none'; frame-ancestors *")
        .frame_ancestors(["'none'", "a b"])
        .hsts_subdomains()
        .permissions_policy("camera=()\n")
        .header("x y", "z")
        .header("X-Frame-Options", "DENY")
        .header("referrer-policy", "origin");
    let error = builder.build().unwrap_err();
    assert_eq!(
        error.problems(),
        [
            "`nobody` is not a referrer policy",
            "set frame ancestors with `frame_ancestors`, not in the policy",
            "`'none'` cannot be combined with other frame ancestors",
            "`a b` is not a frame ancestor",
            "`hsts_subdomains` has no effect without `hsts`",
            "`camera=()\\n` is not a value for the header `permissions-policy`",
            "`x y` is not a header name",
            "`referrer-policy` is set twice",
        ]
    );
    let nobody: [&str; 0] = [];
    assert!(
        SecurityHeaders::builder()
            .frame_ancestors(nobody)
            .build()
            .is_err()
    );
}

#[test]
fn without_ancestors_only_the_policy_is_left() {
    let headers = |builder: SecurityHeadersBuilder| {
        let filter = builder.any_frame_ancestor().build().unwrap();
        format!("{filter:?}")
    };
    let plain = headers(SecurityHeaders::builder());
    assert!(plain.contains("no-referrer") && plain.contains("nosniff"));
    assert!(!plain.contains("security-policy") && !plain.contains("x-frame-options"));
    let policy = SecurityHeaders::builder().content_security_policy("default-src 'none';");
    let policy = headers(policy);
    assert!(policy.contains("\"default-src 'none'\""), "{policy}");
    assert!(!policy.contains("ancestors") && !policy.contains("x-frame-options"));
}
