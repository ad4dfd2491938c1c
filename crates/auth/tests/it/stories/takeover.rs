//! A database that GoTrue has filled is used in place.

use aws_lc_rs::digest::{SHA224, digest};
use innkeeper_auth::config::Profile;
use innkeeper_service::clock::Clock;
use innkeeper_service::testing::TestDatabase;
use serde_json::json;
use tokio_postgres::NoTls;

use crate::migrate::history;
use crate::support::TestApp;
use crate::support::operator::{count, path_of};

/// A hash of `correct horse` by GoTrue.
pub(super) const BCRYPT: &str = "$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e";
const ADA: &str = "11111111-1111-4111-8111-111111111111";
const SESSION: &str = "22222222-2222-4222-8222-222222222222";
const REFRESH_TOKEN: &str = "abcdefgh2345";

/// Creates a database as GoTrue leaves it, with these rows.
pub(super) async fn earlier(rows: &str) -> TestDatabase {
    earlier_at(usize::MAX, rows).await
}

/// Creates a database as GoTrue leaves it after this many of its migrations, with these rows.
pub(super) async fn earlier_at(count: usize, rows: &str) -> TestDatabase {
    let database = TestDatabase::empty().await.unwrap();
    let (client, connection) = tokio_postgres::connect(database.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    let prepare = "create schema auth;
        set search_path to auth;
        set client_min_messages to warning;
        create table schema_migrations (version varchar(14) not null);
        create unique index schema_migrations_version_idx on schema_migrations (version)";
    client.batch_execute(prepare).await.unwrap();
    for (version, sql) in history().into_iter().take(count) {
        client.batch_execute(&sql).await.unwrap();
        let record = "insert into schema_migrations values ($1)";
        client.execute(record, &[&version]).await.unwrap();
    }
    client.batch_execute(rows).await.unwrap();
    database
}

/// Returns SQL for a user with a session and unused codes, as GoTrue writes them.
fn rows() -> String {
    let now = Clock::manual().now();
    let (recovery, confirmation) = (
        sha224("ada@example.com", "123456"),
        sha224("bea@example.com", "654321"),
    );
    format!(
        r#"insert into users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
            confirmation_token, confirmation_sent_at, recovery_token, recovery_sent_at, email_change_token_new,
            email_change, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, last_sign_in_at)
        values
            ('00000000-0000-0000-0000-000000000000', '{ADA}', 'authenticated', 'authenticated', 'ada@example.com',
            '{BCRYPT}', '{now}'::timestamptz, '', null, '{recovery}', '{now}'::timestamptz, '', '',
            '{{"provider": "email", "providers": ["email"]}}', '{{"full_name": "Ada"}}', '{now}'::timestamptz, '{now}'::timestamptz, '{now}'::timestamptz),
            ('00000000-0000-0000-0000-000000000000', '33333333-3333-4333-8333-333333333333', 'authenticated',
            'authenticated', 'bea@example.com', '{BCRYPT}', null, '{confirmation}', '{now}'::timestamptz, '', null, '', '',
            '{{"provider": "email", "providers": ["email"]}}', '{{}}', '{now}'::timestamptz, '{now}'::timestamptz, null);
        insert into identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
        select id::text, id, jsonb_build_object('sub', id, 'email', email), 'email', '{now}'::timestamptz, '{now}'::timestamptz, '{now}'::timestamptz from users;
        insert into one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
        values
            (gen_random_uuid(), '{ADA}', 'recovery_token', '{recovery}', 'ada@example.com',
            '{now}'::timestamptz at time zone 'UTC', '{now}'::timestamptz at time zone 'UTC'),
            (gen_random_uuid(), '33333333-3333-4333-8333-333333333333', 'confirmation_token', '{confirmation}',
            'bea@example.com', '{now}'::timestamptz at time zone 'UTC', '{now}'::timestamptz at time zone 'UTC');
        insert into sessions (id, user_id, created_at, updated_at, aal) values ('{SESSION}', '{ADA}', '{now}'::timestamptz, '{now}'::timestamptz, 'aal1');
        insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
        values (gen_random_uuid(), '{SESSION}', '{now}'::timestamptz, '{now}'::timestamptz, 'password');
        insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
        values
            ('00000000-0000-0000-0000-000000000000', '{REFRESH_TOKEN}', '{ADA}', false, '{now}'::timestamptz, '{now}'::timestamptz, '', '{SESSION}'),
            (null, 'zyxwvuts7654', '{ADA}', null, null, null, null, null);"#
    )
}

/// Hashes an address and a code as GoTrue stores them and writes them into links.
fn sha224(address: &str, code: &str) -> String {
    let digest = digest(&SHA224, format!("{address}{code}").as_bytes());
    let digits = digest
        .as_ref()
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

#[tokio::test]
async fn users_sessions_and_mails_of_the_earlier_server_go_on() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let app = TestApp::on(earlier(&rows()).await, |config| config.profile = profile).await;
        let now = app.clock.now().as_second();
        let token = app.token_of_secret(&json!({
            "sub": ADA, "aud": "authenticated", "role": "authenticated", "session_id": SESSION,
            "iat": now, "exp": now + 600, "email": "ada@example.com", "phone": "", "aal": "aal1",
            "amr": [{ "method": "password", "timestamp": now }], "is_anonymous": false,
        }));
        let me = app.get_as(&token, "/user").await.ok();
        assert_eq!(me["user_metadata"], json!({ "full_name": "Ada" }));
        assert_eq!(me["identities"][0]["provider"], "email");

        let refreshed = app.refresh(REFRESH_TOKEN).await.ok();
        assert_eq!(refreshed["user"]["id"], ADA);
        app.refresh(refreshed["refresh_token"].as_str().unwrap())
            .await
            .ok();
        let older = app.refresh("zyxwvuts7654").await;
        assert!(older.status < 500, "{}", older.text);

        app.sign_in("ada@example.com", "wrong horse")
            .await
            .refused(400, "invalid_credentials");
        app.sign_in("ada@example.com", "correct horse").await.ok();
        let renewed = "select count(*) from users where encrypted_password like '$argon2id$%'";
        assert_eq!(count(&app.sql().await, renewed).await, 1);
        app.sign_in("ada@example.com", "correct horse").await.ok();
        app.sign_in("bea@example.com", "correct horse")
            .await
            .refused(400, "email_not_confirmed");

        let link = format!(
            "/verify?token={}&type=recovery",
            sha224("ada@example.com", "123456")
        );
        let answer = app.get(&link).await;
        let location = answer.header("location").unwrap();
        assert!(location.contains("access_token="), "{location}");
        let answer = app.get(&link).await;
        assert!(answer.header("location").unwrap().contains("otp_expired"));
        let body = json!({ "type": "signup", "email": "bea@example.com", "token": "654321" });
        app.post("/verify", body).await.ok();
        app.sign_in("bea@example.com", "correct horse").await.ok();
    }
}

#[tokio::test]
async fn codes_of_the_earlier_server_work_once_and_can_hardly_be_guessed() {
    let app = TestApp::on(earlier(&rows()).await, |_| {}).await;
    let verify = async |code: &str| {
        let body = json!({ "type": "recovery", "email": "ada@example.com", "token": code });
        app.post("/verify", body).await
    };
    verify("000000").await.refused(403, "otp_expired");
    verify("123456").await.ok();
    verify("123456").await.refused(403, "otp_expired");
    for guess in 0..5 {
        let body = json!({ "type": "signup", "email": "bea@example.com", "token": format!("00000{guess}") });
        app.post("/verify", body).await.refused(403, "otp_expired");
    }
    let body = json!({ "type": "signup", "email": "bea@example.com", "token": "654321" });
    app.post("/verify", body).await.refused(403, "otp_expired");
}

/// Invariants that GoTrue expects of every row.
const RULES: [(&str, &str); 9] = [
    ("every account has an instance", "select count(*) from users where instance_id is distinct from '00000000-0000-0000-0000-000000000000'"),
    (
        "tokens that are not there are empty texts",
        "select count(*) from users where confirmation_token is null or recovery_token is null
            or email_change_token_new is null or email_change is null or email_change_token_current is null
            or phone_change is null or phone_change_token is null or reauthentication_token is null
            or email_change_confirm_status is null",
    ),
    ("addresses that are not there are null", "select count(*) from users where email = '' or phone = ''"),
    ("accounts have an audience, a role and times", "select count(*) from users where aud is null or role is null or created_at is null or updated_at is null"),
    ("metadata are objects", "select count(*) from users where jsonb_typeof(raw_app_meta_data) <> 'object' or jsonb_typeof(raw_user_meta_data) <> 'object'"),
    (
        "identities have a subject and times",
        "select count(*) from identities i join users u on u.id = i.user_id where i.created_at is null
            or i.updated_at is null or (i.identity_data ->> 'sub' is null and u.deleted_at is null)",
    ),
    ("one token of a kind for each account", "select count(*) from (select 1 from one_time_tokens group by user_id, token_type having count(*) > 1) twice"),
    ("sessions have a level and a method", "select count(*) from sessions s where aal is null or created_at is null or not exists (select 1 from mfa_amr_claims c where c.session_id = s.id)"),
    ("entries of the log have an instance", "select count(*) from audit_log_entries where instance_id is distinct from '00000000-0000-0000-0000-000000000000' or payload is null or created_at is null"),
];

#[tokio::test]
async fn what_is_written_is_what_the_earlier_server_expects() {
    let app = TestApp::on(earlier(&rows()).await, |_| {}).await;
    let operator = app.operator();
    app.refresh(REFRESH_TOKEN).await.ok();
    let session = app.signed_up("new@example.com", "correct horse").await;
    let token = session["access_token"].as_str().unwrap();
    app.put_as(token, "/user", json!({ "email": "newer@example.com" }))
        .await
        .ok();
    app.get_as(token, "/reauthenticate").await.ok();
    app.post(
        "/signup",
        json!({ "email": "waiting@example.com", "password": "correct horse" }),
    )
    .await
    .ok();
    app.post("/otp", json!({ "email": "otp@example.com" }))
        .await
        .ok();
    operator
        .post("/invite", json!({ "email": "guest@example.com" }))
        .await
        .ok();
    let phone = operator
        .create(json!({ "phone": "4917", "email": "" }))
        .await;
    operator
        .create(json!({ "email": "made@example.com", "phone": "" }))
        .await;
    for kind in ["recovery", "magiclink", "recovery"] {
        let body = json!({ "type": kind, "email": "ada@example.com" });
        operator.post("/admin/generate_link", body).await.ok();
    }
    let gone = operator
        .create(json!({ "email": "gone@example.com" }))
        .await;
    operator
        .delete(&path_of(&gone), Some(json!({ "should_soft_delete": true })))
        .await
        .ok();
    operator
        .put(&path_of(&phone), json!({ "ban_duration": "1h" }))
        .await
        .ok();

    let sql = app.sql().await;
    for (rule, broken) in RULES {
        assert_eq!(count(&sql, broken).await, 0, "{rule}");
    }
    assert_eq!(count(&sql, "select count(*) from users").await, 9);
    // The row of the exchanged token still has its owner, as text.
    let owner = format!("select count(*) from refresh_tokens where user_id = '{ADA}' and revoked");
    assert_eq!(count(&sql, &owner).await, 1);
    assert_eq!(
        count(&sql, "select count(*) from schema_migrations").await,
        70
    );
}
