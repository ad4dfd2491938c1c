//! `GET /settings`.

use serde_json::{Value, json};

use crate::support::TestApp;

#[tokio::test]
async fn the_public_settings_are_those_of_both_apis() {
    let app = TestApp::start().await;
    let settings = app.get("/settings").await.ok();
    for (name, value) in [
        ("disable_signup", json!(false)),
        ("autoconfirm", json!(false)),
        ("mailer_autoconfirm", json!(false)),
        ("phone_autoconfirm", json!(false)),
        ("saml_enabled", json!(false)),
        ("saml_private_key_next_configured", json!(false)),
        ("passkeys_enabled", json!(false)),
    ] {
        assert_eq!(settings[name], value, "{name}");
    }
    assert!(settings["sms_provider"].is_string());
    let external = settings["external"].as_object().unwrap();
    for provider in [
        "anonymous_users",
        "apple",
        "azure",
        "bitbucket",
        "discord",
        "facebook",
        "snapchat",
        "figma",
        "fly",
        "github",
        "gitlab",
        "google",
        "keycloak",
        "kakao",
        "linkedin",
        "linkedin_oidc",
        "notion",
        "spotify",
        "slack",
        "slack_oidc",
        "workos",
        "twitch",
        "twitter",
        "email",
        "phone",
        "zoom",
    ] {
        assert!(external[provider].is_boolean(), "{provider}");
    }
    assert!(external.values().all(Value::is_boolean));
    assert_eq!(external["email"], true);
    assert_eq!(external["google"], false);
}

#[tokio::test]
async fn what_is_switched_shows() {
    let app = TestApp::with(|config| {
        config.disable_signup = true;
        config.mailer.autoconfirm = true;
        config.external.email_enabled = false;
        config.external.phone_enabled = true;
    })
    .await;
    let settings = app.get("/settings").await.ok();
    assert_eq!(settings["disable_signup"], true);
    assert_eq!(settings["autoconfirm"], true);
    assert_eq!(settings["mailer_autoconfirm"], true);
    assert_eq!(settings["external"]["email"], false);
    assert_eq!(settings["external"]["phone"], true);
}

#[tokio::test]
async fn no_setting_that_is_secret_shows() {
    let app = TestApp::start().await;
    let text = app.get("/settings").await.text;
    assert!(!text.contains(app.config.jwt.secret.reveal()));
    assert!(!text.contains("postgres://"));
}
