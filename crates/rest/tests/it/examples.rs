//! Examples with more than a handler, tried as their comments describe.

use innkeeper_rest::testing::{Client, TestResponse};

#[path = "../../examples/filters.rs"]
#[expect(dead_code, reason = "a test does not start the program")]
mod filters;

#[tokio::test]
async fn filters_let_in_who_may_come() {
    let client = Client::new(filters::app().unwrap()).unwrap();
    let public = client
        .get("/public/rooms")
        .header("origin", "https://shop.example");
    let public = public.send().await;
    assert_eq!(public.text(), r#"["attic","cellar"]"#);
    assert_eq!(
        public.header("access-control-allow-origin"),
        Some("https://shop.example")
    );
    assert_eq!(public.header("x-content-type-options"), Some("nosniff"));
    for _ in 0..5 {
        let search = client.get("/public/rooms/search?word=at").send().await;
        assert_eq!(search.text(), r#"["attic"]"#);
    }
    assert_eq!(
        client
            .get("/public/rooms/search?word=at")
            .send()
            .await
            .status(),
        429
    );

    let clear = async |token: &str| -> TestResponse {
        let request = client.delete("/desk/bookings");
        request
            .header("authorization", format!("Bearer {token}"))
            .send()
            .await
    };
    assert_eq!(clear("t-nobody").await.status(), 401);
    assert_eq!(clear("t-ada").await.status(), 403);
    assert_eq!(clear("t-root").await.status(), 204);

    let keyed = client
        .get("/partners/availability")
        .header("x-api-key", "k-5f2a91");
    assert_eq!(keyed.send().await.text(), "rooms for north");
    assert_eq!(
        client.get("/partners/availability").send().await.status(),
        401
    );
}
