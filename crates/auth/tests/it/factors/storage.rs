//! How secrets are stored: sealed in std, as GoTrue reads them in gotrue.

use innkeeper_auth::config::{Config, EncryptionKey};
use innkeeper_auth::seal::Sealer;

use super::{EMAIL, PASSWORD, answer, code_in, enrol, gotrue_app, protected, std_app};
use crate::support::TestApp;
use crate::support::tokens::text;

async fn stored_secret(app: &TestApp) -> String {
    let sql = app.sql().await;
    let query = "select secret from mfa_factors";
    sql.query_one(query, &[]).await.unwrap().get(0)
}

fn with_encryption(config: &mut Config) {
    let key = EncryptionKey::new([7; 32]);
    let encryption = &mut config.security.db_encryption;
    encryption.encrypt = true;
    "first".clone_into(&mut encryption.encryption_key_id);
    encryption.encryption_key = Some(key.clone());
    encryption.decryption_keys.insert("first".to_owned(), key);
}

#[tokio::test]
async fn a_secret_is_sealed_in_std_and_plain_in_gotrue_unless_its_settings_encrypt() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let stored = stored_secret(&app).await;
    assert!(stored.starts_with('{') && !stored.contains(&ada.secret));

    let app = gotrue_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    assert_eq!(stored_secret(&app).await, ada.secret);

    let app = gotrue_app(with_encryption).await;
    let ada = protected(&app, EMAIL).await;
    let stored = stored_secret(&app).await;
    assert!(stored.contains(r#""key_id":"first""#), "{stored}");
    assert!(!stored.contains(&ada.secret));
}

/// A database of GoTrue that is taken over, and settings that change later.
#[tokio::test]
async fn a_plain_secret_works_and_is_sealed_by_its_next_use() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let sql = app.sql().await;
    let update = "update mfa_factors set secret = $1";
    sql.execute(update, &[&ada.secret]).await.unwrap();
    let code = code_in(&app, &ada.secret, 0);
    answer(&app, &ada.token, &ada.factor, &code).await.ok();
    assert!(stored_secret(&app).await.starts_with('{'));
}

#[tokio::test]
async fn a_secret_that_cannot_be_read_accepts_no_code() {
    let app = std_app(|_| {}).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    let enrolled = enrol(&app, &token, "app").await.ok();
    let code = code_in(&app, &text(&enrolled["totp"], "secret"), 0);
    let factor = text(&enrolled, "id");
    let sql = app.sql().await;
    for secret in [None, Some(""), Some("not base 32!")] {
        let update = "update mfa_factors set secret = $1";
        sql.execute(update, &[&secret]).await.unwrap();
        answer(&app, &token, &factor, &code)
            .await
            .refused(422, "mfa_verification_failed");
    }
}

/// What is left over is deleted: factors that nobody verified, and challenges.
#[tokio::test]
async fn old_challenges_and_unverified_factors_are_deleted() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let eve = app.signed_up("eve@example.com", PASSWORD).await;
    let token = text(&eve, "access_token");
    let factor = text(&enrol(&app, &token, "app").await.ok(), "id");
    super::challenge(&app, &token, &factor).await;
    let sql = app.sql().await;
    let counts = "select (select count(*) from mfa_factors), (select count(*) from mfa_challenges)";
    let read = async || {
        let row = sql.query_one(counts, &[]).await.unwrap();
        (row.get::<_, i64>(0), row.get::<_, i64>(1))
    };
    app.auth.clean_up().await.unwrap();
    assert_eq!(read().await, (2, 2));
    app.advance(24 * 3600 + 301);
    app.auth.clean_up().await.unwrap();
    assert_eq!(read().await, (1, 0));
    let left: String = sql
        .query_one("select id::text from mfa_factors", &[])
        .await
        .unwrap()
        .get(0);
    assert_eq!(left, ada.factor);
}

/// The key of the settings was exchanged; the former one still opens.
#[tokio::test]
async fn a_secret_that_an_older_key_has_sealed_is_sealed_again() {
    for app in [
        std_app(with_older_key).await,
        gotrue_app(with_older_key).await,
    ] {
        let ada = protected(&app, EMAIL).await;
        let older = Sealer::new(Some(("older".to_owned(), [9; 32])), [], b"").unwrap();
        let sealed = older.seal(&ada.factor, ada.secret.as_bytes()).unwrap();
        let sql = app.sql().await;
        let update = "update mfa_factors set secret = $1";
        sql.execute(update, &[&sealed]).await.unwrap();
        let code = code_in(&app, &ada.secret, 0);
        answer(&app, &ada.token, &ada.factor, &code).await.ok();
        let stored = stored_secret(&app).await;
        assert!(stored.contains(r#""key_id":"first""#), "{stored}");
        app.advance(60);
        let code = code_in(&app, &ada.secret, 0);
        answer(&app, &ada.token, &ada.factor, &code).await.ok();
    }
}

fn with_older_key(config: &mut Config) {
    with_encryption(config);
    let keys = &mut config.security.db_encryption.decryption_keys;
    keys.insert("older".to_owned(), EncryptionKey::new([9; 32]));
}
