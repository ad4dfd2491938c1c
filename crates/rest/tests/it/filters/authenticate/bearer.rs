//! Bearer tokens.

use innkeeper_rest::filter::{Bearer, Check, StaticKeys};
use innkeeper_rest::{Rejection, Request, StatusCode};

use super::{Caller, ask, behind, check, refusal};

#[tokio::test]
async fn who_has_a_token_is_let_in_and_known_to_the_handler() {
    let client = behind(Bearer::new(check));
    for authorization in ["Bearer s3cr3t", "bearer s3cr3t", "BEARER   s3cr3t"] {
        let response = ask(&client, "/me", &[("authorization", authorization)]).await;
        assert_eq!((response.status(), response.text()), (200, "ada".into()));
    }
}

#[tokio::test]
async fn who_has_none_is_told_what_is_needed() {
    let client = behind(Bearer::new(check).realm("the \"shop\"").unwrap());
    for headers in [
        &[] as &[(&str, &str)],
        &[("authorization", "Basic YTpi")],
        &[("authorization", "Bearers s3cr3t")],
        &[("authorization", "s3cr3t")],
        &[("authorization", "")],
        &[("x-api-key", "s3cr3t")],
    ] {
        let response = ask(&client, "/me", headers).await;
        let challenge = Some("Bearer realm=\"the \\\"shop\\\"\"");
        let expected = (401, "unauthenticated".to_owned(), challenge);
        assert_eq!(refusal(&response), expected, "{headers:?}");
        let body: serde_json::Value = response.json().unwrap();
        assert_eq!(body["detail"], "a bearer token is required");
    }
    let response = ask(&client, "/me?access_token=s3cr3t", &[]).await;
    assert_eq!(
        response.status(),
        401,
        "tokens in the query are not looked for"
    );
}

#[tokio::test]
async fn a_token_that_is_none_or_of_nobody_is_invalid() {
    let client = behind(Bearer::new(check).realm("shop").unwrap());
    for authorization in [
        "Bearer wrong",
        "Bearer s3cr3t x",
        "Bearer s3cr3t,",
        "Bearer =",
        "Bearer a=b",
        "Bearer \u{fc}",
        "Bearer token=\"s3cr3t\"",
    ] {
        let response = ask(&client, "/me", &[("authorization", authorization)]).await;
        let challenge = Some("Bearer realm=\"shop\", error=\"invalid_token\"");
        let expected = (401, "unauthenticated".to_owned(), challenge);
        assert_eq!(refusal(&response), expected, "{authorization}");
    }
}

#[tokio::test]
async fn a_header_that_can_mean_several_things_means_nothing() {
    let client = behind(Bearer::new(check).optional());
    let twice = [
        ("authorization", "Bearer s3cr3t"),
        ("authorization", "Bearer s3cr3t"),
    ];
    for headers in [
        &twice[..],
        &[("authorization", "Bearer")],
        &[("authorization", "Bearer  ")],
    ] {
        let response = ask(&client, "/me", headers).await;
        let challenge = Some("Bearer error=\"invalid_request\"");
        let expected = (400, "ambiguous_credentials".to_owned(), challenge);
        assert_eq!(refusal(&response), expected, "{headers:?}");
    }
}

#[tokio::test]
async fn a_check_may_refuse_in_its_own_words() {
    let client = behind(Bearer::new(check));
    for (token, status, code, challenge) in [
        (
            "expired",
            401,
            "key_expired",
            Some("Bearer error=\"invalid_token\""),
        ),
        ("suspended", 403, "suspended", None),
        ("broken", 500, "internal_error", None),
    ] {
        let authorization = format!("Bearer {token}");
        let response = ask(&client, "/me", &[("authorization", &authorization)]).await;
        assert_eq!(refusal(&response), (status, code.to_owned(), challenge));
        assert!(!response.text().contains("database"), "that is for the log");
    }
}

#[tokio::test]
async fn an_optional_token_may_be_missing_but_not_wrong() {
    let client = behind(Bearer::new(check).optional());
    for (headers, status, text) in [
        (&[] as &[(&str, &str)], 200, "nobody"),
        (&[("authorization", "Basic YTpi")], 200, "nobody"),
        (&[("authorization", "Bearer s3cr3t")], 200, "ada"),
        (&[("authorization", "Bearer wrong")], 401, ""),
        (&[("authorization", "Bearer ,")], 401, ""),
    ] {
        let response = ask(&client, "/me/perhaps", headers).await;
        assert_eq!(response.status(), status, "{headers:?}");
        assert!(text.is_empty() || response.text() == text, "{headers:?}");
    }
}

/// Accepts a token only on the path that it names.
struct PerRoute;

impl Check<String> for PerRoute {
    type Value = Caller;

    async fn check(&self, token: String, request: &Request) -> Result<Option<Caller>, Rejection> {
        Ok((request.path() == format!("/{token}")).then_some(Caller(token)))
    }
}

#[tokio::test]
async fn a_check_of_ones_own_sees_the_request() {
    let client = behind(Bearer::new(PerRoute));
    for (path, status) in [("/me", 200), ("/me/perhaps", 401)] {
        let response = ask(&client, path, &[("authorization", "Bearer me")]).await;
        assert_eq!(response.status(), status, "{path}");
    }
}

#[tokio::test]
async fn keys_that_are_known_from_the_start_are_a_check() {
    let caller = |name: &str| Caller(name.to_owned());
    let keys = [
        ("k-1", caller("ada")),
        ("k-2", caller("bob")),
        ("k", caller("cy")),
    ];
    let client = behind(Bearer::new(StaticKeys::new(keys).unwrap()));
    for (token, expected) in [("k-1", "ada"), ("k-2", "bob"), ("k", "cy")] {
        let authorization = format!("Bearer {token}");
        let response = ask(&client, "/me", &[("authorization", &authorization)]).await;
        assert_eq!(response.text(), expected);
    }
    for token in ["k-", "k-3", "k-11", "K-1"] {
        let authorization = format!("Bearer {token}");
        let response = ask(&client, "/me", &[("authorization", &authorization)]).await;
        assert_eq!(response.status(), 401, "{token}");
    }
}

#[test]
fn settings_that_cannot_be_meant_are_errors() {
    let error = Bearer::new(check).realm("a\nb").unwrap_err();
    let problem = "`a\\nb` is not a realm: a realm is a line of ASCII text";
    assert_eq!(error.problems(), [problem]);
    let error = StaticKeys::new([("a", 1), ("", 2), ("a", 3)]).unwrap_err();
    assert_eq!(
        error.problems(),
        ["a key cannot be empty", "a key occurs twice"]
    );
    let shown = format!("{:?}", StaticKeys::new([("a-secret", 1)]).unwrap());
    assert!(!shown.contains("a-secret"), "{shown}");
}

#[tokio::test]
async fn an_opaque_token_is_any_word_and_a_refusal_may_be_ones_own() {
    let refuse = || Rejection::new(StatusCode::UNAUTHORIZED, "no_authorization", "sign in");
    let known =
        |token: String| async move { Ok((token == "s3cr3t!").then(|| Caller("ada".to_owned()))) };
    let client = behind(Bearer::new(known).opaque().refuse_with(refuse));
    let response = ask(&client, "/me", &[("authorization", "bearer s3cr3t!")]).await;
    assert_eq!((response.status(), response.text()), (200, "ada".into()));
    for authorization in [
        "",
        "Bearer",
        "Bearer  s3cr3t!",
        "Bearer s3cr3t! x",
        "Basic s3cr3t!",
    ] {
        let response = ask(&client, "/me", &[("authorization", authorization)]).await;
        let expected = (401, "no_authorization".to_owned(), None);
        assert_eq!(refusal(&response), expected, "{authorization}");
    }
}
