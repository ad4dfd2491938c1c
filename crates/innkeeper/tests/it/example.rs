//! Runs the framework's database example against a real database.

use innkeeper_rest::testing::Client;
use innkeeper_service::testing::TestDatabase;

#[path = "../../../rest/examples/with_postgresql.rs"]
#[expect(dead_code, reason = "a test does not start the program")]
mod with_postgresql;

#[tokio::test]
async fn guests_are_kept_in_the_database() {
    let database = TestDatabase::empty().await.unwrap();
    let start = async || {
        let connection = with_postgresql::connect(database.url()).await.unwrap();
        Client::new(with_postgresql::app(connection)).unwrap()
    };
    let client = start().await;
    let welcome = async |body: &'static str| client.post("/guests").body(body).send().await;

    let ada = welcome(r#"{"name":"Ada","nights":2}"#).await;
    assert_eq!(ada.status(), 201);
    assert_eq!(ada.header("location"), Some("/guests/1"));
    assert_eq!(ada.text(), r#"{"id":1,"name":"Ada","nights":2}"#);
    assert_eq!(welcome(r#"{"name":"Ada","nights":1}"#).await.status(), 409);
    assert_eq!(welcome(r#"{"name":"Eve","nights":0}"#).await.status(), 422);
    assert_eq!(welcome(r#"{"name":"Bob","nights":1}"#).await.status(), 201);

    // Another process, or the same one after a restart.
    let client = start().await;
    let long = client.get("/guests?least=2").send().await;
    assert_eq!(long.text(), r#"[{"id":1,"name":"Ada","nights":2}]"#);
    assert_eq!(client.delete("/guests/1").send().await.status(), 204);
    assert_eq!(client.get("/guests/1").send().await.status(), 404);
    assert_eq!(client.delete("/guests/1").send().await.status(), 404);
}
