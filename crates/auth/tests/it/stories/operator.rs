//! Commands of an operator: schema, users, keys and tokens without a running server.

use innkeeper_auth::config::JwtAlgorithm;
use innkeeper_auth::{
    AccountSelector, NewAccount, OperateError, create_user, delete_user, generate_keys,
    migrate_database, service_token,
};
use innkeeper_service::secret::Secret;
use innkeeper_service::testing::{HeldPort, TestDatabase};
use jiff::SignedDuration;
use serde_json::Value;

use crate::support::TestApp;
use crate::support::operator::count;
use crate::support::tokens::{parts_of, text};

fn account(email: &str) -> NewAccount {
    NewAccount {
        email: Some(email.to_owned()),
        password: Some("correct horse".to_owned()),
        ..NewAccount::default()
    }
}

#[tokio::test]
async fn the_schema_is_brought_up_to_date_and_then_there_is_nothing_to_do() {
    let app = TestApp::start().await;
    let database = TestDatabase::empty().await.unwrap();
    let mut config = app.config.clone();
    config.database.url = Secret::new(database.url().to_owned());
    let report = migrate_database(&config).await.unwrap();
    assert_eq!(report.upstream.len(), 70);
    assert!(migrate_database(&config).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_user_that_an_operator_creates_signs_in() {
    let app = TestApp::start().await;
    let ada = NewAccount {
        confirm: true,
        ..account("Ada@example.com")
    };
    let user = create_user(&app.config, &app.clock, &ada).await.unwrap();
    assert_eq!(user["email"], "ada@example.com");
    assert_eq!(user["role"], "authenticated");
    assert_eq!(user["aud"], "authenticated");
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    assert_eq!(session["user"]["id"], user["id"]);

    let unconfirmed = account("bob@example.com");
    create_user(&app.config, &app.clock, &unconfirmed)
        .await
        .unwrap();
    app.sign_in("bob@example.com", "correct horse")
        .await
        .refused(400, "email_not_confirmed");
    let sql = app.sql().await;
    let by_operator = "select count(*) from audit_log_entries
        where payload ->> 'actor_username' = 'operator'";
    assert_eq!(count(&sql, by_operator).await, 2);
}

#[tokio::test]
async fn an_admin_that_an_operator_creates_may_use_the_admin_endpoints() {
    let app = TestApp::start().await;
    let ada = NewAccount {
        confirm: true,
        admin: true,
        ..account("ada@example.com")
    };
    let user = create_user(&app.config, &app.clock, &ada).await.unwrap();
    assert_eq!(user["role"], "service_role");
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    app.get_as(&text(&session, "access_token"), "/admin/users")
        .await
        .ok();
    let odd = NewAccount {
        admin: true,
        role: Some("reader".to_owned()),
        ..account("bob@example.com")
    };
    let error = create_user(&app.config, &app.clock, &odd)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("JWT_ADMIN_ROLES"), "{error}");
}

#[tokio::test]
async fn what_the_server_refuses_is_refused_here_with_its_words() {
    let app = TestApp::start().await;
    create_user(&app.config, &app.clock, &account("ada@example.com"))
        .await
        .unwrap();
    let short = NewAccount {
        password: Some("short".to_owned()),
        ..account("bob@example.com")
    };
    for (wrong, words) in [
        (account("ada@example.com"), "already been registered"),
        (account("no address"), "Unable to validate email address"),
        (short, "at least 6 characters"),
    ] {
        let error = create_user(&app.config, &app.clock, &wrong)
            .await
            .unwrap_err();
        assert!(matches!(error, OperateError::Refused(_)), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[tokio::test]
async fn a_user_is_deleted_by_id_or_address_in_its_audience() {
    let app = TestApp::with(|config| config.jwt.audiences = vec!["elsewhere".to_owned()]).await;
    let create = async |email: &str, aud: Option<&str>| -> Value {
        let account = NewAccount {
            aud: aud.map(str::to_owned),
            ..account(email)
        };
        create_user(&app.config, &app.clock, &account)
            .await
            .unwrap()
    };
    let delete = async |account: &str, aud: Option<&str>| {
        let selector = AccountSelector { account, aud };
        delete_user(&app.config, &app.clock, selector, false).await
    };
    let ada = create("ada@example.com", None).await;
    let bob = create("bob@example.com", None).await;
    create("eve@example.com", Some("elsewhere")).await;
    delete(&text(&ada, "id"), None).await.unwrap();
    let deleted = delete("BOB@example.com", None).await.unwrap();
    assert_eq!(deleted.to_string(), text(&bob, "id"));
    for gone in [&text(&ada, "id"), "bob@example.com", "eve@example.com"] {
        let error = delete(gone, None).await.unwrap_err();
        assert_eq!(error.to_string(), "User not found");
    }
    delete("eve@example.com", Some("elsewhere")).await.unwrap();
    let sql = app.sql().await;
    assert_eq!(count(&sql, "select count(*) from users").await, 0);
}

#[tokio::test]
async fn a_token_for_services_needs_no_database_and_ends_when_it_is_told_to() {
    let app = TestApp::start().await;
    let mut config = app.config.clone();
    let away = HeldPort::take().unwrap();
    config.database.url = Secret::new(format!("postgres://nobody@{}/none", away.address()));
    let hour = Some(SignedDuration::from_hours(1));
    let token = service_token(&config, &app.clock, "service_role", hour)
        .await
        .unwrap();
    app.operator_with(token.clone())
        .get("/admin/users")
        .await
        .ok();
    app.advance(3601);
    app.operator_with(token)
        .get("/admin/users")
        .await
        .refused(403, "bad_jwt");
    let anon = service_token(&config, &app.clock, "anon", None)
        .await
        .unwrap();
    assert_eq!(parts_of(&anon).1["role"], "anon");
    app.operator_with(anon)
        .get("/admin/users")
        .await
        .refused(403, "not_admin");
}

#[tokio::test]
async fn generated_keys_are_a_setting_that_works() {
    for algorithm in [
        JwtAlgorithm::Rs256,
        JwtAlgorithm::Es256,
        JwtAlgorithm::EdDsa,
        JwtAlgorithm::Hs256,
    ] {
        let keys = generate_keys(algorithm).unwrap();
        let app = TestApp::with(|config| {
            config.mailer.autoconfirm = true;
            config.jwt.keys = Some(Secret::new(keys.clone()));
        })
        .await;
        let session = app.signed_up("ada@example.com", "correct horse").await;
        let token = text(&session, "access_token");
        let (header, _) = parts_of(&token);
        let written: Value = serde_json::from_str(&keys).unwrap();
        assert_eq!(header["alg"], algorithm.name());
        assert_eq!(header["kid"], written[0]["kid"]);
        app.get_as(&token, "/user").await.ok();
    }
}

#[tokio::test]
async fn a_database_that_is_away_or_refuses_ends_a_command_at_once() {
    let app = TestApp::start().await;
    let mut config = app.config.clone();
    let away = HeldPort::take().unwrap();
    config.database.url = Secret::new(format!("postgres://nobody@{}/none", away.address()));
    let error = migrate_database(&config).await.unwrap_err();
    assert!(error.to_string().contains("cannot be reached"), "{error}");
    let error = create_user(&config, &app.clock, &account("ada@example.com")).await;
    assert!(matches!(error, Err(OperateError::Start(_))));
}
