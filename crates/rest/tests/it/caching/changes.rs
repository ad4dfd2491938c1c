//! Conditional changes: a client that has not seen the current version changes nothing.

use std::sync::Mutex;
use std::time::{Duration, UNIX_EPOCH};

use innkeeper_rest::testing::Client;
use innkeeper_rest::{
    App, ETag, PreconditionOutcome, Rejection, Request, Response, RestApi, Validators, resource,
};
use serde_json::Value;

/// One note with its version number.
struct Notes(Mutex<Option<(u32, String)>>);

#[resource("/note")]
impl Notes {
    #[put]
    fn put(
        &self,
        #[body] text: String,
        #[request] request: &Request,
    ) -> Result<Response, Rejection> {
        let mut note = self.0.lock().unwrap();
        let current = note.as_ref().map(|(version, _)| ETag::strong(version));
        request.preconditions().require(current)?;
        let version = note.as_ref().map_or(1, |(version, _)| version + 1);
        *note = Some((version, text));
        Ok(Response::no_content().etag(ETag::strong(version)))
    }

    #[delete]
    fn delete(&self, #[request] request: &Request) -> Result<(), Rejection> {
        let mut note = self.0.lock().unwrap();
        let current = note.as_ref().map(|(version, _)| ETag::strong(version));
        request.preconditions().check(current)?;
        *note = None;
        Ok(())
    }

    #[post]
    fn verdict(&self, #[request] request: &Request) -> String {
        let modified = UNIX_EPOCH + Duration::from_secs(784_111_777);
        let current = Validators::from(ETag::weak("w")).last_modified(modified);
        format!("{:?}", request.preconditions().evaluate(current))
    }
}

fn client() -> Client {
    let notes = Notes(Mutex::new(None));
    Client::new(App::new().mount("/", RestApi::new(notes))).unwrap()
}

async fn put(client: &Client, name: &str, condition: &str) -> (u16, Option<String>) {
    let request = client.put("/note").header(name, condition).body("text");
    let answer = request.send().await;
    (answer.status(), answer.header("etag").map(str::to_owned))
}

#[tokio::test]
async fn the_second_of_two_writers_is_told() {
    let client = client();
    assert_eq!(
        put(&client, "if-none-match", "*").await,
        (204, Some("\"1\"".into()))
    );
    // Another client cannot create it again.
    assert_eq!(put(&client, "if-none-match", "*").await.0, 412);
    assert_eq!(
        put(&client, "if-match", "\"1\"").await,
        (204, Some("\"2\"".into()))
    );
    assert_eq!(put(&client, "if-match", "\"1\"").await, (412, None));
    assert_eq!(put(&client, "if-match", "\"1\", \"2\"").await.0, 204);
}

#[tokio::test]
async fn a_change_without_a_condition_is_428_where_one_is_required() {
    let client = client();
    let answer = client.put("/note").body("text").send().await;
    assert_eq!(answer.status(), 428);
    assert_eq!(
        answer.json::<Value>().unwrap()["code"],
        "precondition_required"
    );
    // An invalid date is not a condition.
    assert_eq!(
        put(&client, "if-unmodified-since", "yesterday").await.0,
        428
    );
    // DELETE does not require a condition.
    assert_eq!(client.delete("/note").send().await.status(), 204);
}

#[tokio::test]
async fn a_condition_that_cannot_be_read_never_lets_a_change_through() {
    let client = client();
    assert_eq!(put(&client, "if-none-match", "*").await.0, 204);
    for condition in ["1", "W/\"1\"", "\"1", "", ",", "'1'"] {
        assert_eq!(
            put(&client, "if-match", condition).await.0,
            412,
            "{condition}"
        );
        let request = client.delete("/note").header("if-match", condition);
        assert_eq!(request.send().await.status(), 412, "{condition}");
    }
}

#[tokio::test]
async fn what_is_not_there_matches_nothing() {
    let client = client();
    for condition in ["*", "\"1\""] {
        assert_eq!(put(&client, "if-match", condition).await.0, 412);
    }
}

#[tokio::test]
async fn methods_that_change_are_never_told_that_nothing_is_new() {
    let client = client();
    for (name, value, expected) in [
        ("if-none-match", "\"w\"", PreconditionOutcome::Failed),
        ("if-none-match", "\"x\"", PreconditionOutcome::Proceed),
        ("if-match", "W/\"w\"", PreconditionOutcome::Failed),
        (
            "if-modified-since",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            PreconditionOutcome::Proceed,
        ),
        (
            "if-unmodified-since",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            PreconditionOutcome::Proceed,
        ),
        (
            "if-unmodified-since",
            "Sun, 06 Nov 1994 08:49:36 GMT",
            PreconditionOutcome::Failed,
        ),
    ] {
        let answer = client.post("/note").header(name, value).send().await;
        assert_eq!(answer.text(), format!("{expected:?}"), "{name} {value}");
    }
}
