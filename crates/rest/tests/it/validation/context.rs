//! Validation contexts of entities.

use garde::Validate;
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, RestApi, filter, resource};
use serde::Deserialize;
use serde_json::json;

/// The maximum length of a name, set by a filter.
#[derive(Clone, Debug)]
struct Longest(usize);

/// Like `Longest`, with a default.
#[derive(Clone, Debug)]
struct Usual(usize);

impl Default for Usual {
    fn default() -> Self {
        Self(3)
    }
}

fn within(longest: usize) -> impl Fn(&str) -> garde::Result {
    move |name| {
        if name.len() <= longest {
            Ok(())
        } else {
            Err(garde::Error::new(format!("longer than {longest}")))
        }
    }
}

#[derive(Debug, Deserialize, Validate)]
#[garde(context(Longest))]
struct Strict {
    #[garde(custom(|name: &str, longest: &Longest| within(longest.0)(name)))]
    name: String,
}

#[derive(Debug, Deserialize, Validate)]
#[garde(context(Usual))]
struct Easy {
    #[garde(custom(|name: &str, longest: &Usual| within(longest.0)(name)))]
    name: String,
}

struct Names;

#[resource("/names")]
impl Names {
    #[post("/strict")]
    fn strict(&self, name: Strict) -> String {
        name.name
    }

    #[post("/easy")]
    fn easy(&self, name: Easy) -> String {
        name.name
    }
}

fn client(longest: Option<usize>) -> Client {
    let set = filter::before(move |request| {
        if let Some(longest) = longest {
            request.values_mut().set(Longest(longest));
            request.values_mut().set(Usual(longest));
        }
        Ok(())
    });
    Client::new(App::new().mount("/", RestApi::new(Names).filter(set))).unwrap()
}

async fn status(client: &Client, target: &str, name: &str) -> u16 {
    client
        .post(target)
        .json(&json!({ "name": name }))
        .send()
        .await
        .status()
}

#[tokio::test]
async fn a_context_that_a_filter_has_set_is_used() {
    let client = client(Some(5));
    for target in ["/names/strict", "/names/easy"] {
        assert_eq!(status(&client, target, "abcde").await, 200);
        assert_eq!(status(&client, target, "abcdef").await, 422);
    }
}

#[tokio::test]
async fn a_context_with_a_default_needs_no_filter() {
    let client = client(None);
    assert_eq!(status(&client, "/names/easy", "abc").await, 200);
    assert_eq!(status(&client, "/names/easy", "abcd").await, 422);
}

#[tokio::test]
async fn a_context_that_nobody_has_set_is_a_mistake_of_the_server() {
    assert_eq!(status(&client(None), "/names/strict", "abc").await, 500);
}
