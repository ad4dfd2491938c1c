//! User names and passwords.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use innkeeper_rest::Rejection;
use innkeeper_rest::filter::{Basic, UserAndPassword, same_secret};
use innkeeper_rest::testing::Client;

use super::{Caller, ask, behind, refusal};

async fn check(given: UserAndPassword) -> Result<Option<Caller>, Rejection> {
    let right = same_secret(&given.password, "päss:wörd");
    Ok(right.then_some(Caller(given.user)))
}

fn client() -> Client {
    behind(Basic::new("the back office", check).unwrap())
}

fn encoded(text: impl AsRef<[u8]>) -> String {
    format!("Basic {}", STANDARD.encode(text))
}

#[tokio::test]
async fn who_knows_the_password_is_let_in() {
    for user in ["ada", "", "Zoë"] {
        let authorization = encoded(format!("{user}:päss:wörd"));
        let authorization = authorization.replace("Basic", "bAsIc");
        let response = ask(&client(), "/me", &[("authorization", &authorization)]).await;
        assert_eq!((response.status(), response.text()), (200, user.to_owned()));
    }
}

const CHALLENGE: &str = "Basic realm=\"the back office\", charset=\"UTF-8\"";

#[tokio::test]
async fn who_does_not_is_asked_for_it() {
    for authorization in [
        None,
        Some("Bearer abc".to_owned()),
        Some(encoded("ada:wrong")),
        Some(encoded("ada:")),
    ] {
        let headers: Vec<(&str, &str)> = authorization
            .as_deref()
            .map(|value| ("authorization", value))
            .into_iter()
            .collect();
        let response = ask(&client(), "/me", &headers).await;
        let expected = (401, "unauthenticated".to_owned(), Some(CHALLENGE));
        assert_eq!(refusal(&response), expected, "{authorization:?}");
    }
}

#[tokio::test]
async fn what_is_no_user_and_password_is_refused() {
    let right = "adam:päss:wörd";
    for (authorization, status) in [
        (encoded("no colon"), 401),
        (encoded(""), 400),
        (encoded([0xff, b':', b'a']), 401),
        (encoded("ada:\u{7}"), 401),
        (encoded("a\nda:b"), 401),
        (encoded(right).replace('=', ""), 401),
        (format!("{} x", encoded(right)), 401),
        (format!("Basic {right}"), 401),
        ("Basic ****".to_owned(), 401),
        ("Basic".to_owned(), 400),
    ] {
        let response = ask(&client(), "/me", &[("authorization", &authorization)]).await;
        assert_eq!(response.status(), status, "{authorization}");
        assert_eq!(response.header("www-authenticate"), Some(CHALLENGE));
    }
}

#[tokio::test]
async fn an_optional_password_may_be_missing_but_not_wrong() {
    let client = behind(Basic::new("office", check).unwrap().optional());
    assert_eq!(ask(&client, "/me/perhaps", &[]).await.text(), "nobody");
    for (password, status) in [("päss:wörd", 200), ("wrong", 401)] {
        let authorization = encoded(format!("ada:{password}"));
        let response = ask(&client, "/me/perhaps", &[("authorization", &authorization)]).await;
        assert_eq!(response.status(), status);
    }
}

#[test]
fn a_realm_that_is_none_is_an_error_and_passwords_are_not_shown() {
    for realm in ["", "ü", "a\tb"] {
        assert!(Basic::new(realm, check).is_err(), "{realm:?}");
    }
    let given = UserAndPassword {
        user: "ada".to_owned(),
        password: "hidden".to_owned(),
    };
    assert_eq!(
        format!("{given:?}"),
        "UserAndPassword { user: \"ada\", .. }"
    );
}
