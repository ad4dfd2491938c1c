//! `POST /token`.

mod password;
mod pkce;
mod refresh;

use serde_json::json;

use crate::support::{Answer, TestApp};

#[tokio::test]
async fn an_unknown_grant_is_refused_in_both_shapes() {
    let app = TestApp::start().await;
    let refused = |answer: Answer| answer.refused(400, "invalid_credentials");
    for target in [
        "/token?grant_type=client_credentials",
        "/token?grant_type=",
        "/token?grant_type=PASSWORD",
        "/token",
    ] {
        let body = refused(app.post(target, json!({})).await);
        assert_eq!(
            body,
            json!({ "code": 400, "error_code": "invalid_credentials", "msg": "unsupported_grant_type" })
        );
        let body = refused(app.post_versioned(target, json!({})).await);
        assert_eq!(
            body,
            json!({ "code": "invalid_credentials", "message": "unsupported_grant_type" })
        );
    }
}
