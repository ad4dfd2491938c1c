//! The demo provider of `innkeeper up`, without a browser.

use innkeeper_service::testing::TestDatabase;
use serde_json::Value;

use crate::support::{Up, folder};

async fn get(url: String) -> (u16, Value) {
    let answer = reqwest::get(url).await.unwrap();
    (
        answer.status().as_u16(),
        answer.json().await.unwrap_or_default(),
    )
}

#[tokio::test]
async fn the_settings_of_an_operator_take_the_place_of_the_demo() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let data = folder.path().join("inn");
    let mut command = Up::command(&data);
    command
        .env("DATABASE_URL", database.url())
        .env(
            "AUTH_EXTERNAL_KEYCLOAK_URL",
            "https://sso.example.com/realms/inn",
        )
        .env("AUTH_EXTERNAL_ANONYMOUS_USERS_ENABLED", "false");
    let up = Up::from(&mut command, &data).await;
    let (_, config) = get(format!("{}/portal/config.json", up.portal_url)).await;
    assert_eq!(config["demo_provider"], Value::Null);
    assert_eq!(up.document()["demo_provider"], Value::Null);
    let document = "/demo-provider/.well-known/openid-configuration";
    assert_eq!(get(format!("{}{document}", up.portal_url)).await.0, 404);
    let (_, settings) = get(format!("{}/settings", up.url)).await;
    assert_eq!(settings["external"]["keycloak"], false);
    assert_eq!(settings["external"]["anonymous_users"], false);
    up.process.stop().await;
}

#[tokio::test]
async fn the_demo_provider_answers_this_machine_and_its_client_alone() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let document = format!(
        "{}/demo-provider/.well-known/openid-configuration",
        up.portal_url
    );
    let (status, discovered) = get(document.clone()).await;
    assert_eq!(status, 200);
    assert_eq!(
        discovered["issuer"],
        format!("{}/demo-provider", up.portal_url)
    );
    let request = reqwest::Client::new().get(&document);
    let refused = request.header("host", "evil.example").send().await.unwrap();
    assert_eq!(refused.status(), 421);

    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let start = format!("{}/authorize?provider=keycloak", up.url);
    let sent = client.get(start).send().await.unwrap();
    assert_eq!(sent.status(), 302);
    let address = sent.headers()["location"].to_str().unwrap().to_owned();
    let endpoint = discovered["authorization_endpoint"].as_str().unwrap();
    assert!(address.starts_with(&format!("{endpoint}?")), "{address}");
    let page = client.get(&address).send().await.unwrap();
    assert_eq!(page.status(), 200);
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'self'"),
        "{policy}"
    );
    assert_eq!(page.headers()["x-frame-options"], "DENY");
    let other = address.replace("%2Fcallback", "%2Fother");
    assert_ne!(other, address);
    assert_eq!(client.get(other).send().await.unwrap().status(), 400);

    // The secret is in the file that only the owner can read.
    let provider = &up.document()["demo_provider"];
    assert_eq!(provider["client_id"], "innkeeper");
    assert!(provider["client_secret"].as_str().unwrap().len() > 40);
    up.process.stop().await;
}
