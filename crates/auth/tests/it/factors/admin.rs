//! Operators list, change and remove the factors of users.

use serde_json::json;

use super::{
    EMAIL, PASSWORD, both_profiles, claims_of, enrol, factor_actions, low_session, protected,
    std_app,
};
use crate::support::tokens::text;

#[tokio::test]
async fn operators_list_rename_and_remove_factors() {
    for app in both_profiles().await {
        let ada = protected(&app, EMAIL).await;
        let admin = app.service_key();
        let user = format!("/admin/users/{}", text(&ada.session["user"], "id"));
        let all = format!("{user}/factors");
        let one = format!("{all}/{}", ada.factor);
        let listed = app.get_as(&admin, &all).await.ok();
        assert_eq!(listed[0]["id"], ada.factor.as_str());
        assert_eq!(listed[0]["friendly_name"], "phone");
        assert!(listed[0].get("secret").is_none(), "{listed}");

        let body = json!({ "friendly_name": "new phone", "phone": "+49301234567" });
        let changed = app.put_as(&admin, &one, body).await.ok();
        assert_eq!(changed["friendly_name"], "new phone");
        // Only phone factors have a number.
        assert_eq!(changed["phone"], "");
        let removed = app.delete_as(&admin, &one, None).await.ok();
        assert_eq!(removed["id"], ada.factor.as_str());
        assert_eq!(app.get_as(&admin, &all).await.ok(), json!([]));
        let renewed = app.refresh(&text(&ada.session, "refresh_token")).await;
        assert_eq!(claims_of(&renewed.ok())["aal"], "aal1");
        // The user signs in without the factor again.
        let low = text(&low_session(&app, EMAIL).await, "access_token");
        let body = json!({ "password": "battery staple" });
        app.put_as(&low, "/user", body).await.ok();
        let actions = factor_actions(&app).await;
        for action in ["factor_updated", "factor_deleted"] {
            assert!(actions.iter().any(|it| it == action), "{actions:?}");
        }
    }
}

#[tokio::test]
async fn names_and_numbers_of_other_factors_are_refused() {
    let app = std_app(|config| config.mfa.phone.enroll = true).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    enrol(&app, &token, "one").await.ok();
    let other = text(&enrol(&app, &token, "two").await.ok(), "id");
    let mut phones = Vec::new();
    for number in ["+49301234567", "+49301234568"] {
        let body = json!({ "factor_type": "phone", "friendly_name": number, "phone": number });
        let enrolled = app.post_as(&token, "/factors", body).await.ok();
        phones.push(text(&enrolled, "id"));
    }
    let admin = app.service_key();
    let all = format!("/admin/users/{}/factors", text(&session["user"], "id"));
    for (factor, body, code) in [
        (
            &other,
            json!({ "friendly_name": "one" }),
            "mfa_factor_name_conflict",
        ),
        (
            &phones[0],
            json!({ "phone": "+49301234568" }),
            "mfa_verified_factor_exists",
        ),
    ] {
        app.put_as(&admin, &format!("{all}/{factor}"), body)
            .await
            .refused(422, code);
    }
    let target = format!("{all}/{}", phones[0]);
    app.put_as(&admin, &target, json!({ "phone": "none" }))
        .await
        .refused(400, "validation_failed");
    let changed = app
        .put_as(&admin, &target, json!({ "phone": "+49301234569" }))
        .await;
    assert_eq!(changed.ok()["phone"], "49301234569");
}

#[tokio::test]
async fn factors_of_other_users_are_not_found() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let eve = app.signed_up("eve@example.com", PASSWORD).await;
    let of_eve = format!(
        "/admin/users/{}/factors/{}",
        text(&eve["user"], "id"),
        ada.factor
    );
    let admin = app.service_key();
    app.delete_as(&admin, &of_eve, None)
        .await
        .refused(404, "mfa_factor_not_found");
    app.delete_as(&ada.token, &of_eve, None)
        .await
        .refused(403, "not_admin");
}
