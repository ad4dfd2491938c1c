//! Invalid settings.

use innkeeper_rest::Method;
use innkeeper_rest::filter::{Cors, CorsBuilder};

fn problems(builder: CorsBuilder) -> Vec<String> {
    builder.build().unwrap_err().problems().to_vec()
}

#[test]
fn text_that_is_no_origin_is_an_error_that_says_why() {
    for (origin, problem) in [
        (
            "example.com",
            "`example.com` is not an origin: an origin starts with a scheme such as `https://`",
        ),
        (
            "https://example.com/",
            "`https://example.com/` is not an origin: an origin ends after host and port, without a slash",
        ),
        (
            "*",
            "`*` is not an origin: to allow every origin, use `any_origin`",
        ),
        (
            "https://*",
            "`https://*` is not an origin: the last part of its host cannot be a pattern",
        ),
        (
            "https://a.example:x",
            "`https://a.example:x` is not an origin: its port is invalid",
        ),
        (
            "https://a\nb",
            "`https://a\\nb` is not an origin: its host is invalid",
        ),
    ] {
        assert_eq!(problems(Cors::builder().origin(origin)), [problem]);
    }
}

#[test]
fn text_that_is_no_method_or_header_name_is_an_error() {
    let builder = Cors::builder()
        .methods(["GET", "DE LETE", "", "*"])
        .headers(["x-key", "x key", "*"])
        .exposed_headers(["x-total", "x:total"]);
    assert_eq!(
        problems(builder),
        [
            "`DE LETE` is not a method",
            "`` is not a method",
            "`*` is not a method",
            "`x key` is not a header name",
            "`*` is not a header name: to allow all headers, use `mirror_headers`",
            "`x:total` is not a header name",
        ]
    );
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let builder = Cors::builder()
        .origins(["https://a.example", "b.example"])
        .any_origin()
        .credentials()
        .headers(["x-key"])
        .mirror_headers()
        .exposed_headers(["*"]);
    let error = builder.build().unwrap_err();
    assert_eq!(error.problems().len(), 5, "{error}");
    assert_eq!(error.to_string().lines().count(), 5);
}

#[test]
fn any_origin_and_credentials_do_not_go_together_by_accident() {
    let problems = problems(Cors::builder().any_origin().credentials());
    assert!(problems[0].starts_with("browsers refuse credentials with `any_origin`"));
    for explicit in [
        Cors::builder().mirror_origin().credentials(),
        Cors::builder().credentials_with_any_origin(),
        Cors::builder().credentials().credentials_with_any_origin(),
    ] {
        assert!(explicit.build().is_ok());
    }
}

#[test]
fn names_may_be_those_of_the_http_crate_and_lists_may_be_empty() {
    let none: [&str; 0] = [];
    let builder = Cors::builder()
        .origins(none)
        .methods([Method::GET, Method::PATCH])
        .headers([innkeeper_rest::HeaderName::from_static("x-key")])
        .exposed_headers(none);
    assert!(builder.build().is_ok());
}
