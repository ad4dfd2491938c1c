//! Malformed and hostile requests: the response is a clear 4xx, never a 5xx, and nothing panics.

mod bodies;
mod headers;
mod multipart;
mod urls;

use bytes::Bytes;
use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, RestApi, Value, resource};
use serde::{Deserialize, Serialize};

use crate::sources::{assert_malformed, assert_missing, assert_problem};

#[derive(Debug, Serialize, Deserialize)]
struct Address {
    street: String,
    zip: u16,
}

#[derive(Debug, Serialize, Deserialize)]
struct Person {
    name: String,
    age: u8,
    #[serde(default)]
    homes: Vec<Address>,
}

struct Target;

#[resource("/x")]
impl Target {
    #[get("/text/{text}")]
    fn text(&self, text: String) -> String {
        text
    }

    #[get("/id/{id}")]
    fn id(&self, id: u64) -> u64 {
        id
    }

    #[get("/word/{id:[a-z]+}")]
    fn word(&self, id: String) -> String {
        id
    }

    #[get("/rest/{*rest}")]
    fn rest(&self, rest: String) -> usize {
        rest.len()
    }

    #[get("/query")]
    fn query(&self, q: Option<String>, n: Option<i32>, #[param] all: Vec<String>) -> String {
        format!("{q:?} {n:?} {}", all.len())
    }

    #[get("/header")]
    fn header(&self, #[header("X-Word")] word: String) -> String {
        word
    }

    #[get("/cookie")]
    fn cookie(&self, #[cookie("sid")] sid: u32) -> u32 {
        sid
    }

    #[post("/person")]
    fn person(&self, person: Person) -> Person {
        person
    }

    #[post("/any")]
    fn any(&self, any: Value) -> usize {
        any.to_string().len()
    }

    #[post("/body")]
    fn body(&self, #[body] body: String) -> usize {
        body.len()
    }

    #[post("/field")]
    fn field(&self, #[param] name: String) -> String {
        name
    }

    #[post("/bytes")]
    #[body_limit(16)]
    fn bytes(&self, #[body] body: Bytes) -> usize {
        body.len()
    }
}

fn client() -> Client {
    let api = RestApi::new(Target).body_limit(1024 * 1024);
    Client::new(App::new().mount("/", api)).unwrap()
}

/// Returns the pointer and detail of each field error.
fn field_errors(response: &TestResponse) -> Vec<(String, String)> {
    let body: Value = response.json().unwrap();
    let errors = body["errors"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    errors
        .iter()
        .map(|error| (text(&error["pointer"]), text(&error["detail"])))
        .collect()
}
