//! Only the schema from the settings is used.

use innkeeper_auth::Auth;
use innkeeper_auth::config::Config;
use innkeeper_rest::Method;
use innkeeper_rest::testing::Client;
use innkeeper_service::testing::TestDatabase;
use serde_json::json;
use tokio_postgres::NoTls;

use crate::support::operator::path_of;
use crate::support::{Answer, TestApp, bearer};

/// Signs a user up, confirms, signs in, refreshes, lists and deletes the user.
async fn live(app: &TestApp) {
    let session = app.signed_up("ada@example.com", "correct horse").await;
    app.refresh(session["refresh_token"].as_str().unwrap())
        .await
        .ok();
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    app.post("/recover", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    let body = json!({ "type": "recovery", "token_hash": mail.token() });
    app.post("/verify", body).await.ok();
    let operator = app.operator();
    let list = operator.get("/admin/users").await.ok();
    assert_eq!(list["users"][0]["id"], session["user"]["id"]);
    assert_ne!(operator.get("/admin/audit").await.ok(), json!([]));
    operator.delete(&path_of(&session["user"]), None).await.ok();
}

#[tokio::test]
async fn any_schema_serves_whatever_its_name() {
    for name in [
        "tenant",
        "Two Words",
        "select",
        "a\"quote",
        "it's; drop schema auth --",
        "Schlüssel_ключ",
    ] {
        let database = TestDatabase::empty().await.unwrap();
        let url = database.url().to_owned();
        let app = TestApp::on(database, |config| {
            config.database.namespace = name.to_owned();
        })
        .await;
        live(&app).await;
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        assert_eq!(
            schemas(&client).await,
            [name],
            "only the schema of the setting is there"
        );
        let replica = app.replica().await;
        let (header, value) = bearer(&app.service_key());
        let request = replica
            .request(Method::GET, "/admin/users")
            .header(header, &value);
        Answer::new(request.send().await).ok();
    }
}

/// Returns the schemas with tables, except for that of the other client behind a pooler.
async fn schemas(client: &tokio_postgres::Client) -> Vec<String> {
    let sql = "select distinct table_schema::text from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema', 'neighbour')";
    let rows = client.query(sql, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn two_schemas_of_one_database_know_nothing_of_each_other() {
    let database = TestDatabase::empty().await.unwrap();
    let first = TestApp::on(database, |config| {
        config.database.namespace = "first".to_owned();
    })
    .await;
    first.signed_up("ada@example.com", "correct horse").await;
    let other = Config {
        database: {
            let mut settings = first.config.database.clone();
            settings.namespace = "second".to_owned();
            settings
        },
        ..first.config.clone()
    };
    let second = Auth::start(other, first.clock.clone()).await.unwrap();
    let client = Client::new(second.routes().unwrap()).unwrap();
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    let request = client
        .request(Method::POST, "/token?grant_type=password")
        .json(&body);
    Answer::new(request.send().await).refused(400, "invalid_credentials");
    let (header, value) = bearer(&first.service_key());
    let request = client
        .request(Method::GET, "/admin/users")
        .header(header, &value);
    let list = Answer::new(request.send().await).ok();
    assert_eq!(list["users"], json!([]));
}
