//! The implied sources of arguments without an attribute.

use innkeeper_rest::{Method, resource};
use serde::{Deserialize, Serialize};

use super::client;

#[derive(Serialize, Deserialize)]
struct Word {
    word: String,
}

struct Implied;

#[resource("/words")]
impl Implied {
    #[get]
    #[delete]
    #[options]
    fn without_body(&self, word: String) -> String {
        word
    }

    #[head]
    fn head(&self, word: String) -> String {
        word
    }

    #[post]
    #[put]
    #[patch]
    fn with_body(&self, word: Word) -> String {
        word.word
    }

    #[get("/{word}/path")]
    #[delete("/{word}/path")]
    #[post("/{word}/path")]
    #[put("/{word}/path")]
    fn in_path(&self, word: String) -> String {
        word
    }

    #[put("/{id}/{word}")]
    fn order_does_not_matter(&self, word: String, entity: Word, id: u8) -> String {
        format!("{id} {word} {}", entity.word)
    }

    #[get("/{type}/raw")]
    fn raw(&self, r#type: String, r#for: String) -> String {
        format!("{type} {for}", r#type = r#type, r#for = r#for)
    }
}

#[tokio::test]
async fn an_argument_of_a_verb_without_body_is_a_request_parameter() {
    let client = client(Implied);
    for method in [Method::GET, Method::DELETE, Method::OPTIONS] {
        let response = client
            .request(method.clone(), "/words?word=hi")
            .send()
            .await;
        assert_eq!(response.text(), "hi", "{method}");
    }
    let head = client.request(Method::HEAD, "/words?word=hi").send().await;
    assert_eq!(head.status(), 200);
    assert_eq!(head.header("content-length"), Some("2"));
    let missing = client.request(Method::HEAD, "/words").send().await;
    assert_eq!(missing.status(), 400);
}

#[tokio::test]
async fn an_argument_of_a_verb_with_body_is_the_entity() {
    let client = client(Implied);
    for method in [Method::POST, Method::PUT, Method::PATCH] {
        let request = client.request(method.clone(), "/words?word=query");
        let word = Word { word: "hi".into() };
        let response = request.json(&word).send().await;
        assert_eq!(response.text(), "hi", "{method}");
    }
}

#[tokio::test]
async fn an_argument_named_in_the_path_comes_from_the_path() {
    let client = client(Implied);
    for method in [Method::GET, Method::DELETE, Method::POST, Method::PUT] {
        let request = client.request(method.clone(), "/words/here/path?word=query");
        assert_eq!(request.send().await.text(), "here", "{method}");
    }
    let request = client.put("/words/7/here").json(&Word { word: "e".into() });
    assert_eq!(request.send().await.text(), "7 here e");
}

#[tokio::test]
async fn raw_identifiers_are_named_without_their_prefix() {
    let response = client(Implied).get("/words/a/raw?for=b").send().await;
    assert_eq!(response.text(), "a b");
}
