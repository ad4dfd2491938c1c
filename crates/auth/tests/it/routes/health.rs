//! `GET /health`.

use serde_json::json;

use crate::support::TestApp;

#[tokio::test]
async fn health_says_what_clients_look_for() {
    let app = TestApp::start().await;
    let health = app.get("/health").await.ok();
    assert_eq!(health["name"], json!("GoTrue"));
    assert_eq!(health["server"], json!("innkeeper"));
    assert_eq!(health["version"], json!(env!("CARGO_PKG_VERSION")));
    assert!(health["description"].is_string());
}
