use url::Url;

use crate::outside::mail::confirmation_url;

#[test]
fn paths_are_resolved_as_browsers_do() {
    for (server, path, expected) in [
        (
            "http://localhost:9999",
            "/verify",
            "http://localhost:9999/verify",
        ),
        (
            "https://inn.example/auth/v1",
            "/verify",
            "https://inn.example/verify",
        ),
        (
            "https://inn.example/auth/v1/",
            "verify",
            "https://inn.example/auth/v1/verify",
        ),
        (
            "https://inn.example/auth/v1",
            "/auth/v1/verify",
            "https://inn.example/auth/v1/verify",
        ),
        (
            "https://inn.example",
            "https://other.example:8443/v",
            "https://other.example:8443/v",
        ),
        ("https://inn.example/auth", "", "https://inn.example/auth"),
        (
            "https://inn.example",
            "/verify?old=1#top",
            "https://inn.example/verify",
        ),
    ] {
        let server = Url::parse(server).unwrap();
        assert_eq!(
            confirmation_url(&server, path, "abc", "signup", "http://localhost:3000").unwrap(),
            format!("{expected}?token=abc&type=signup&redirect_to=http://localhost:3000")
        );
    }
}

#[test]
fn redirects_stay_readable_unless_they_would_be_misread() {
    let server = Url::parse("http://localhost:9999").unwrap();
    for (redirect_to, expected) in [
        ("http://localhost:3000", "http://localhost:3000"),
        ("https://a.example/b?c", "https://a.example/b?c"),
        (
            "https://a.example/?b=c&d",
            "https%3A%2F%2Fa.example%2F%3Fb%3Dc%26d",
        ),
        ("https://a.example/#b", "https%3A%2F%2Fa.example%2F%23b"),
        ("myapp://callback", "myapp://callback"),
        ("https://a.example/b c", "https://a.example/b%20c"),
        ("", ""),
    ] {
        let link =
            confirmation_url(&server, "/verify", "abc", "email_change", redirect_to).unwrap();
        assert_eq!(
            link,
            format!(
                "http://localhost:9999/verify?token=abc&type=email_change&redirect_to={expected}"
            )
        );
        let parsed = Url::parse(&link).unwrap();
        let (_, read) = parsed.query_pairs().last().unwrap();
        assert_eq!(read, redirect_to);
    }
}

#[test]
fn the_token_cannot_add_parameters() {
    let server = Url::parse("http://localhost:9999").unwrap();
    assert_eq!(
        confirmation_url(&server, "/verify", "pkce_a&b=c#d", "x&y", "z").unwrap(),
        "http://localhost:9999/verify?token=pkce_a%26b%3Dc%23d&type=x%26y&redirect_to=z"
    );
}

#[test]
fn a_path_that_is_not_a_url_is_an_error() {
    let server = Url::parse("http://localhost:9999").unwrap();
    assert!(confirmation_url(&server, "https://", "a", "b", "c").is_err());
}
