//! `GET /health`.

use jiff::SignedDuration;
use serde_json::json;

use crate::support::Site;

#[tokio::test]
async fn health_says_that_the_server_is_up_outside_v1() {
    let site = Site::with(&[]).await;
    site.clock.advance(SignedDuration::from_secs(90));
    let mut answer = site.get("/health").await.json();
    let uptime = answer["uptimeSeconds"].take().as_i64().unwrap();
    assert!((90..200).contains(&uptime), "{uptime}");
    let expected =
        json!({ "status": "ok", "version": innkeeper_hosting::VERSION, "uptimeSeconds": null });
    assert_eq!(answer, expected);
    assert_eq!(
        site.get("/health").await.header("cache-control"),
        Some("no-store")
    );
    assert_eq!(site.get("/v1/health").await.status, 404);
}
