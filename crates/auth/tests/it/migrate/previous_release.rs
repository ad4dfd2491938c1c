//! The promise of `docs/versioning.md`: a database and the tokens of the previous release stay valid.
//!
//! The files in `release-0.1.0` were made by that release: the schema with one user in it
//! (`pg_dump --schema=auth --no-owner --no-privileges --inserts`), the tokens that the user had, and what
//! `previous_api` compares.

use std::fs;
use std::mem::discriminant;
use std::path::{Path, PathBuf};

use innkeeper_auth::config::Config;
use innkeeper_service::testing::TestDatabase;
use serde_json::{Value, json};

use super::{catalog, connect, empty, migrate};
use crate::support::TestApp;
use crate::support::tokens::{parts_of, text};

/// Returns the path of a file of that release.
pub(super) fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/migrate/release-0.1.0");
    folder.join(name)
}

pub(super) fn file(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap()
}

fn tokens() -> Value {
    serde_json::from_str(&file("tokens.json")).unwrap()
}

/// Restores the database of that release.
async fn restored() -> TestDatabase {
    let database = TestDatabase::empty().await.unwrap();
    let client = connect(database.url()).await;
    client.batch_execute(&file("auth.sql")).await.unwrap();
    database
}

#[tokio::test]
async fn the_schema_of_the_release_before_becomes_that_of_a_new_database() {
    let (_fresh, mut fresh) = empty().await;
    migrate(&mut fresh, "auth").await.unwrap();
    let database = restored().await;
    let mut client = connect(database.url()).await;
    migrate(&mut client, "auth").await.unwrap();
    let expected = catalog(&fresh, "auth").await;
    assert_eq!(catalog(&client, "auth").await, expected);
    let row = client
        .query_one("select email from auth.users", &[])
        .await
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "ada@example.com");
}

#[tokio::test]
async fn access_tokens_of_the_release_before_are_accepted() {
    let app = TestApp::on(restored().await, |_| {}).await;
    assert_eq!(
        app.config.jwt.secret.reveal(),
        Config::for_tests().jwt.secret.reveal()
    );
    for name in ["es256", "hs256"] {
        let token = text(&tokens(), name);
        let (header, claims) = parts_of(&token);
        assert_eq!(header["alg"].as_str(), Some(name.to_uppercase().as_str()));
        let user = app.get_as(&token, "/user").await.ok();
        assert_eq!(user["id"], claims["sub"]);
    }
}

#[tokio::test]
async fn tokens_have_every_claim_that_they_had_in_the_release_before() {
    let app = TestApp::on(restored().await, |_| {}).await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let (header, claims) = parts_of(&text(&session, "access_token"));
    let (old_header, old_claims) = parts_of(&text(&tokens(), "es256"));
    for (now, before) in [(header, old_header), (claims, old_claims)] {
        for (name, value) in before.as_object().unwrap() {
            let same_type = discriminant(&now[name]) == discriminant(value);
            assert!(same_type, "{name} was {value} and is {}", now[name]);
        }
    }
}

#[tokio::test]
async fn refresh_tokens_and_passwords_of_the_release_before_are_accepted() {
    let app = TestApp::on(restored().await, |_| {}).await;
    let session = app.refresh(&text(&tokens(), "refresh")).await.ok();
    assert_eq!(session["user"]["email"], "ada@example.com");
    app.refresh(&text(&session, "refresh_token")).await.ok();
    app.sign_in("ada@example.com", "correct horse").await.ok();
    let link = json!({ "email": "ada@example.com" });
    app.post("/recover", link).await.ok();
    app.mailbox.next_to("ada@example.com").await;
}
