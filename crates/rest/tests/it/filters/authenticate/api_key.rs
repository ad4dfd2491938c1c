//! API keys.

use innkeeper_rest::filter::{ApiKey, CredentialProblem};
use innkeeper_rest::{Rejection, StatusCode};

use super::{ask, behind, check, refusal};

#[tokio::test]
async fn a_key_in_a_header_lets_its_owner_in() {
    let client = behind(ApiKey::in_header("X-Api-Key", check).unwrap());
    let response = ask(&client, "/me", &[("x-api-key", "s3cr3t")]).await;
    assert_eq!((response.status(), response.text()), (200, "ada".into()));
    for headers in [
        &[] as &[(&str, &str)],
        &[("x-api-key", "wrong")],
        &[("x-api-key", "")],
        &[("x-api-key", "\u{fc}")],
        &[("authorization", "Bearer s3cr3t")],
    ] {
        let response = ask(&client, "/me", headers).await;
        let challenge = Some("ApiKey header=\"x-api-key\"");
        let expected = (401, "unauthenticated".to_owned(), challenge);
        assert_eq!(refusal(&response), expected, "{headers:?}");
    }
    let twice = [("x-api-key", "s3cr3t"), ("x-api-key", "s3cr3t")];
    assert_eq!(ask(&client, "/me", &twice).await.status(), 400);
}

#[tokio::test]
async fn a_key_in_the_query_lets_its_owner_in() {
    let filter = ApiKey::in_query("api_key", check).unwrap();
    let client = behind(filter.realm("shop").unwrap());
    for (query, status) in [
        ("?api_key=s3cr3t", 200),
        ("?a=b&api_key=s3cr3t&c", 200),
        ("?api%5Fkey=s3cr3%74", 200),
        ("", 401),
        ("?", 401),
        ("?api_key", 401),
        ("?api_key=", 401),
        ("?api_key=wrong", 401),
        ("?api_key=%zz", 401),
        ("?API_KEY=s3cr3t", 401),
        ("?api_key=s3cr3t&api_key=s3cr3t", 400),
    ] {
        let response = ask(&client, &format!("/me{query}"), &[]).await;
        assert_eq!(response.status(), status, "{query}");
        if status != 200 {
            let challenge = "ApiKey realm=\"shop\", query=\"api_key\"";
            assert_eq!(response.header("www-authenticate"), Some(challenge));
        }
    }
}

#[tokio::test]
async fn a_key_may_come_as_a_bearer_token_too() {
    let client = behind(ApiKey::in_header("x-api-key", check).unwrap().or_bearer());
    let key = |value| ("x-api-key", value);
    let bearer = |value| ("authorization", value);
    for (headers, status) in [
        (&[key("s3cr3t")] as &[(&str, &str)], 200),
        (&[bearer("Bearer s3cr3t")], 200),
        (&[key("s3cr3t"), bearer("Bearer s3cr3t")], 200),
        (&[key("s3cr3t"), bearer("Basic YTpi")], 200),
        (&[key("s3cr3t"), bearer("Bearer other")], 400),
        (&[key("s3cr3t"), bearer("Bearer ,")], 400),
        (&[bearer("Bearer wrong")], 401),
        (&[], 401),
    ] {
        assert_eq!(
            ask(&client, "/me", headers).await.status(),
            status,
            "{headers:?}"
        );
    }
    let response = ask(&client, "/me", &[]).await;
    let challenge = "ApiKey header=\"x-api-key\", Bearer";
    assert_eq!(response.header("www-authenticate"), Some(challenge));
    let response = ask(&client, "/me", &[key("wrong")]).await;
    let challenge = "ApiKey header=\"x-api-key\", Bearer error=\"invalid_token\"";
    assert_eq!(response.header("www-authenticate"), Some(challenge));
}

#[tokio::test]
async fn an_optional_key_may_be_missing_but_not_wrong() {
    let client = behind(ApiKey::in_header("x-api-key", check).unwrap().optional());
    for (headers, status, text) in [
        (&[] as &[(&str, &str)], 200, "nobody"),
        (&[("x-api-key", "s3cr3t")], 200, "ada"),
        (&[("x-api-key", "wrong")], 401, ""),
    ] {
        let response = ask(&client, "/me/perhaps", headers).await;
        assert_eq!(response.status(), status, "{headers:?}");
        assert!(text.is_empty() || response.text() == text);
    }
}

#[tokio::test]
async fn a_check_may_refuse_in_its_own_words() {
    let client = behind(ApiKey::in_header("x-api-key", check).unwrap());
    let response = ask(&client, "/me", &[("x-api-key", "expired")]).await;
    let challenge = Some("ApiKey header=\"x-api-key\"");
    assert_eq!(
        refusal(&response),
        (401, "key_expired".to_owned(), challenge)
    );
}

#[tokio::test]
async fn requests_without_a_usable_key_may_be_refused_in_other_words() {
    let keys = ApiKey::in_header("x-api-key", check).unwrap().or_bearer();
    let client = behind(keys.refuse_with(|problem| match problem {
        CredentialProblem::Missing => Rejection::new(StatusCode::UNAUTHORIZED, "no_key", "none"),
        CredentialProblem::Ambiguous(problem) => {
            Rejection::new(StatusCode::BAD_REQUEST, "two_keys", problem)
        }
        _ => Rejection::new(StatusCode::UNAUTHORIZED, "odd_key", "odd"),
    }));
    let (own, invalid) = (
        "ApiKey header=\"x-api-key\", Bearer",
        "ApiKey header=\"x-api-key\", Bearer error=\"invalid_token\"",
    );
    for (headers, status, code, challenge) in [
        (&[] as &[(&str, &str)], 401, "no_key", Some(own)),
        (&[("x-api-key", "")], 401, "odd_key", Some(invalid)),
        (
            &[("x-api-key", "a"), ("authorization", "Bearer b")],
            400,
            "two_keys",
            None,
        ),
        // The check refuses keys that can be read.
        (
            &[("x-api-key", "wrong")],
            401,
            "unauthenticated",
            Some(invalid),
        ),
    ] {
        let response = ask(&client, "/me", headers).await;
        let expected = (status, code.to_owned(), challenge);
        assert_eq!(refusal(&response), expected, "{headers:?}");
    }
}

#[test]
fn names_that_are_none_are_errors() {
    let error = ApiKey::in_header("x key", check).unwrap_err();
    assert_eq!(error.to_string(), "`x key` is not a header name");
    for name in ["", "a b", "a&b", "a=b", "ü"] {
        assert!(ApiKey::in_query(name, check).is_err(), "{name}");
    }
}
