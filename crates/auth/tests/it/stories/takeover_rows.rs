//! Databases of GoTrue at its present and at two earlier versions, full of rows: nothing is lost.

use std::fmt::Write as _;

use innkeeper_auth::check_takeover;
use innkeeper_auth::config::Profile;
use innkeeper_auth::migrate::migrate;
use innkeeper_auth::session::token::{RefreshKey, RefreshToken};
use innkeeper_service::clock::Clock;
use innkeeper_service::testing::TestDatabase;
use serde_json::{Value, json};
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

use super::takeover::{BCRYPT, earlier_at};
use crate::support::TestApp;
use crate::support::operator::count;
use crate::support::tokens::text;

/// The numbers of migrations: today, before refresh tokens of version 2, and before anonymous users, one-time tokens
/// and factors other than TOTP.
const VERSIONS: [usize; 3] = [70, 61, 45];

const ARGON2: &str =
    "$argon2id$v=19$m=64,t=1,p=2$YSBzYWx0IG9mIDE2IGJ5Lg==$0NNyljZFIyogUZf/8njo/w==";
const FIREBASE: &str = "$fbscrypt$v=1,n=10,r=8,p=2,ss=Bw==$c2l4dGVlbiBieXRlIHNhbHQ=$5++Q274Gjd9dXC/mJQNAUALpz1UON/0rsox3avyRwbY=";

/// The users: address, hash, and whether the application inserted the row with nulls.
const USERS: [(&str, &str, bool); 4] = [
    ("bcrypt@example.com", BCRYPT, false),
    ("argon2@example.com", ARGON2, false),
    ("firebase@example.com", FIREBASE, false),
    ("nulls@example.com", BCRYPT, true),
];

/// The key of all sessions of version 2, as GoTrue stores it.
const KEY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn user_id(number: usize) -> Uuid {
    Uuid::from_u128(0x1111_1111_1111_4111_8111_0000_0000_0000 + number as u128)
}

/// Returns the session of a user, of version 1 or 2.
fn session_id(user: usize, version: u128) -> Uuid {
    Uuid::from_u128(0x2222_2222_2222_4222_8222_0000_0000_0000 + user as u128 * 16 + version)
}

fn v1_token(user: usize) -> String {
    format!("abcdefghijk{user}")
}

/// Returns SQL for the rows of one user, as GoTrue writes them at this version.
fn rows_of(number: usize, migrations: usize) -> String {
    let now = Clock::manual().now();
    let (email, hash, has_nulls) = USERS[number];
    let (id, v1) = (user_id(number), session_id(number, 1));
    let empty = if has_nulls { "null" } else { "''" };
    let mut sql = format!(
        r#"insert into users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
            confirmation_token, recovery_token, email_change_token_new, email_change, phone_change,
            raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
        values ('00000000-0000-0000-0000-000000000000', '{id}', 'authenticated', 'authenticated', '{email}', '{hash}',
            '{now}', {empty}, {empty}, {empty}, {empty}, {empty}, '{{"provider": "email", "providers": ["email"]}}',
            '{{"name": "User {number}"}}', '{now}', '{now}');
        insert into identities (provider_id, user_id, identity_data, provider, created_at, updated_at) values
            ('{id}', '{id}', jsonb_build_object('sub', '{id}', 'email', '{email}'), 'email', '{now}', '{now}'),
            ('gh{number}', '{id}', jsonb_build_object('sub', 'gh{number}'), 'github', '{now}', '{now}');
        insert into sessions (id, user_id, created_at, updated_at, aal) values ('{v1}', '{id}', '{now}', '{now}', 'aal1');
        insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
        values
            ('00000000-0000-0000-0000-000000000000', 'zyxwvutsrqp{number}', '{id}', true, '{now}', '{now}', '', '{v1}'),
            ('00000000-0000-0000-0000-000000000000', '{token}', '{id}', false, '{now}', '{now}', 'zyxwvutsrqp{number}', '{v1}');
        insert into mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
        values (gen_random_uuid(), '{id}', 'phone of {number}', 'totp', 'verified', '{now}', '{now}', 'JBSWY3DPEHPK3PXP');
        insert into flow_state (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type,
            authentication_method, created_at, updated_at)
        values (gen_random_uuid(), '{id}', 'code{number}', 's256', 'challenge', 'email', 'magiclink', '{now}', '{now}');
        insert into audit_log_entries (instance_id, id, payload, created_at)
        values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), '{{"action": "login"}}', '{now}');"#,
        token = v1_token(number),
    );
    if migrations >= 62 {
        let v2 = session_id(number, 2);
        write!(
            sql,
            "insert into sessions (id, user_id, created_at, updated_at, aal, refresh_token_hmac_key, refresh_token_counter)
             values ('{v2}', '{id}', '{now}', '{now}', 'aal1', '{KEY}', 7);"
        )
        .unwrap();
    }
    if migrations >= 49 {
        write!(
            sql,
            "insert into one_time_tokens (id, user_id, token_type, token_hash, relates_to)
             values (gen_random_uuid(), '{id}', 'recovery_token', 'hash{number}', '{email}');"
        )
        .unwrap();
    }
    write!(
            sql,
        "insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
         select gen_random_uuid(), id, '{now}', '{now}', 'password' from sessions where user_id = '{id}';"
    )
    .unwrap();
    sql
}

async fn filled(migrations: usize) -> TestDatabase {
    let rows: String = (0..USERS.len())
        .map(|number| rows_of(number, migrations))
        .collect();
    let own = "alter table users add column note text default 'of the application';
        create table notes (id int primary key); insert into notes values (1);";
    earlier_at(migrations, &format!("{rows}{own}")).await
}

async fn connect(database: &TestDatabase) -> Client {
    let (client, connection) = tokio_postgres::connect(database.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
}

/// Returns every row of every table, except for the history.
async fn all_rows(client: &Client) -> Vec<(String, Value)> {
    let tables = client
        .query(
            "select table_name::text from information_schema.tables
             where table_schema = 'auth' and table_type = 'BASE TABLE' and table_name <> 'schema_migrations'",
            &[],
        )
        .await
        .unwrap();
    let mut rows = Vec::new();
    for table in tables {
        let table: String = table.get(0);
        let sql = format!("select to_jsonb(t) from auth.{table} t");
        for row in client.query(&sql, &[]).await.unwrap() {
            rows.push((table.clone(), row.get(0)));
        }
    }
    rows
}

/// Whether a row has all values that it had before.
fn is_kept(before: &Value, after: &Value) -> bool {
    let before = before.as_object().unwrap();
    before.iter().all(|(name, value)| after[name] == *value)
}

#[tokio::test]
async fn no_row_and_no_value_is_lost() {
    for migrations in VERSIONS {
        let database = filled(migrations).await;
        let mut client = connect(&database).await;
        let before = all_rows(&client).await;
        assert!(before.len() > 40);
        migrate(&mut client, "auth").await.unwrap();
        let after = all_rows(&client).await;
        for (table, row) in &before {
            let kept = after
                .iter()
                .any(|(other, now)| other == table && is_kept(row, now));
            assert!(kept, "{table} lost {row} after {migrations}");
        }
    }
}

#[tokio::test]
async fn everybody_stays_signed_in_and_can_sign_in() {
    for migrations in VERSIONS {
        for profile in [Profile::Std, Profile::Gotrue] {
            let database = filled(migrations).await;
            let app = TestApp::on(database, |config| config.profile = profile).await;
            for (number, (email, hash, _)) in USERS.into_iter().enumerate() {
                let refreshed = app.refresh(&v1_token(number)).await.ok();
                assert_eq!(refreshed["user"]["id"], user_id(number).to_string());
                let user = app
                    .get_as(&text(&refreshed, "access_token"), "/user")
                    .await
                    .ok();
                assert_eq!(user["user_metadata"]["name"], format!("User {number}"));
                assert_eq!(user["identities"].as_array().unwrap().len(), 2);
                app.refresh(&text(&refreshed, "refresh_token")).await.ok();
                if migrations >= 62 {
                    let token = RefreshToken {
                        session_id: session_id(number, 2),
                        counter: 7,
                    };
                    let key = RefreshKey::from_text(KEY).unwrap();
                    app.refresh(&token.encode(&key)).await.ok();
                }
                let password = if hash == FIREBASE {
                    "plain scrypt"
                } else {
                    "correct horse"
                };
                app.sign_in(email, "wrong horse")
                    .await
                    .refused(400, "invalid_credentials");
                app.sign_in(email, password).await.ok();
                // The hash may be new by now.
                app.sign_in(email, password).await.ok();
            }
            let sql = app.sql().await;
            for (table, rows) in [
                ("users", 4),
                ("identities", 8),
                ("mfa_factors", 4),
                ("notes", 1),
            ] {
                let rows_now = format!("select count(*) from {table}");
                assert_eq!(count(&sql, &rows_now).await, rows, "{table}");
            }
        }
    }
}

#[tokio::test]
async fn the_check_says_what_is_there_and_changes_nothing() {
    for (migrations, version, v2, tokens) in [
        (70, "20260625000000", 4, 4),
        (61, "20250925093508", 0, 4),
        (45, "20240115144230", 0, 0),
    ] {
        let database = filled(migrations).await;
        let client = connect(&database).await;
        let before = all_rows(&client).await;
        let report = check_takeover(database.url(), "auth").await.unwrap();
        assert_eq!(report.schema.version.as_deref(), Some(version));
        assert_eq!(report.schema.problems, []);
        assert_eq!(report.schema.unknown_columns, ["users.note"]);
        assert_eq!(report.schema.unknown_tables, ["notes"]);
        assert!(report.state.is_none());
        assert!(report.missing.len() > 70 - migrations);
        assert!(!report.estimate.is_zero());
        let counts = &report.counts;
        let passwords = json!({ "bcrypt": 2, "argon2": 1, "firebase": 1 });
        assert_eq!(json!(counts.passwords), passwords);
        assert_eq!(json!(counts.factors), json!({ "totp": 4 }));
        assert_eq!(
            (
                counts.users,
                counts.identities,
                counts.users_with_null_tokens
            ),
            (4, 8, 1)
        );
        assert_eq!((counts.sessions_v1, counts.sessions_v2), (4, v2));
        assert_eq!((counts.flow_states, counts.one_time_tokens), (4, tokens));
        assert_eq!(counts.tokens_without_session, 0);
        assert_eq!(all_rows(&client).await, before);
    }
}

#[tokio::test]
async fn after_the_take_over_the_check_tells_when_it_began() {
    let database = filled(61).await;
    let mut client = connect(&database).await;
    migrate(&mut client, "auth").await.unwrap();
    let report = check_takeover(database.url(), "auth").await.unwrap();
    let state = report.state.unwrap();
    assert_eq!(state.found_version.as_deref(), Some("20250925093508"));
    assert_eq!(state.finished_at, None);
    assert!(report.missing.is_empty() && report.estimate.is_zero());
    assert_eq!(report.schema.version.as_deref(), Some("20260625000000"));
}

#[tokio::test]
async fn encrypted_values_are_told_with_the_ids_of_their_keys() {
    let database = filled(70).await;
    let client = connect(&database).await;
    client
        .batch_execute(
            r#"update auth.users set encrypted_password =
                '{"key_id":"first","alg":"aes-gcm-hkdf","data":"x","nonce":"y"}' where email like 'argon2%';
            update auth.mfa_factors set secret =
                '{"key_id":"second","alg":"aes-gcm-hkdf","data":"x","nonce":"y"}' where friendly_name like '%1';
            update auth.sessions set refresh_token_hmac_key =
                '{"key_id":"first","alg":"aes-gcm-hkdf","data":"x","nonce":"y"}'
                where refresh_token_hmac_key is not null"#,
        )
        .await
        .unwrap();
    let report = check_takeover(database.url(), "auth").await.unwrap();
    assert_eq!(report.counts.encryption_key_ids, ["first", "second"]);
    assert_eq!(report.counts.passwords["encrypted"], 1);
}

/// What nobody can use any more needs no take-over.
#[tokio::test]
async fn only_tokens_that_still_work_are_counted() {
    let database = filled(70).await;
    let client = connect(&database).await;
    client
        .batch_execute(
            "insert into auth.refresh_tokens (token, user_id, revoked) values
                ('unusedunused', 'x', false), ('usedusedused', 'x', true);
            insert into auth.sessions (id, user_id)
            select gen_random_uuid(), id from auth.users limit 1;
            insert into auth.refresh_tokens (token, user_id, revoked, session_id)
            select 'usedofsession', s.user_id::text, true, s.id
            from auth.sessions s
            where s.refresh_token_hmac_key is null
                and not exists (select 1 from auth.refresh_tokens t where t.session_id = s.id)",
        )
        .await
        .unwrap();
    let counts = check_takeover(database.url(), "auth").await.unwrap().counts;
    assert_eq!(counts.tokens_without_session, 1);
    assert_eq!((counts.sessions_v1, counts.sessions_v2), (4, 4));
}

#[tokio::test]
async fn hashes_are_counted_by_their_kind() {
    let database = filled(70).await;
    let client = connect(&database).await;
    let count = async |hashes: [&str; 4]| {
        let update = "
            update auth.users u
               set encrypted_password = n.hash
              from (select id, ($1::text[])[row_number() over (order by id)] as hash from auth.users) n
             where n.id = u.id";
        client.execute(update, &[&hashes.as_slice()]).await.unwrap();
        let report = check_takeover(database.url(), "auth").await.unwrap();
        json!(report.counts.passwords)
    };
    let found = count(["$2a$10$x", "$2b$10$x", "$2y$10$x", ""]).await;
    assert_eq!(found, json!({ "bcrypt": 3, "none": 1 }));
    let found = count(["$1$md5", "plain", "$2$old", "{\"key_id\":\"k\"}"]).await;
    assert_eq!(found, json!({ "bcrypt": 1, "encrypted": 1, "other": 2 }));
}
