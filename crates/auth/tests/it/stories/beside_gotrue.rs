//! The gotrue profile on a database that GoTrue uses at the same time, or will use again.

use innkeeper_auth::config::{Config, Profile};
use innkeeper_auth::finish_takeover;
use innkeeper_auth::seal::is_sealed;
use innkeeper_auth::session::token::{ParsedRefreshToken, RefreshKey, RefreshToken, generate_v1};
use innkeeper_service::clock::Clock;
use innkeeper_service::secret::Secret;
use serde_json::json;
use uuid::Uuid;

use super::takeover::{BCRYPT, earlier_at};
use crate::support::operator::count;
use crate::support::tokens::text;
use crate::support::{Sql, TestApp};

const ADA: &str = "11111111-1111-4111-8111-111111111111";
const SESSION: &str = "22222222-2222-4222-8222-222222222222";
const V1_TOKEN: &str = "abcdefgh2345";

/// How many migrations GoTrue had before sessions got the columns of version 2, and has today.
const WITHOUT_V2: usize = 61;
const TODAY: usize = 70;

/// Returns SQL for a user with a session of version 1.
fn rows() -> String {
    let now = Clock::manual().now();
    format!(
        r#"insert into users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
            confirmation_token, recovery_token, email_change_token_new, email_change, raw_app_meta_data,
            raw_user_meta_data, created_at, updated_at)
        values ('00000000-0000-0000-0000-000000000000', '{ADA}', 'authenticated', 'authenticated',
            'ada@example.com', '{BCRYPT}', '{now}', '', '', '', '', '{{"provider": "email", "providers": ["email"]}}',
            '{{}}', '{now}', '{now}');
        insert into identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
        select id::text, id, jsonb_build_object('sub', id, 'email', email), 'email', '{now}', '{now}' from users;
        insert into sessions (id, user_id, created_at, updated_at, aal)
        values ('{SESSION}', '{ADA}', '{now}', '{now}', 'aal1');
        insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
        values (gen_random_uuid(), '{SESSION}', '{now}', '{now}', 'password');
        insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
        values ('00000000-0000-0000-0000-000000000000', '{V1_TOKEN}', '{ADA}', false, '{now}', '{now}', '', '{SESSION}')"#
    )
}

/// Starts a server in the gotrue profile on a database that GoTrue has migrated so far.
async fn beside(migrations: usize, change: impl FnOnce(&mut Config)) -> TestApp {
    let database = earlier_at(migrations, &rows()).await;
    TestApp::on(database, |config| {
        config.profile = Profile::Gotrue;
        config.mailer.autoconfirm = true;
        change(config);
    })
    .await
}

/// Refreshes a session of version 1 as GoTrue does.
async fn gotrue_refreshes_v1(sql: &mut Sql, token: &str) -> String {
    let tx = sql.transaction().await.unwrap();
    let row = tx
        .query_one(
            "select instance_id, user_id::uuid, parent, session_id, revoked, created_at, updated_at
             from refresh_tokens where token = $1 for update skip locked",
            &[&token],
        )
        .await
        .unwrap();
    // Go has no null for these columns.
    let _: Uuid = row.get(0);
    let (user, session): (Uuid, Uuid) = (row.get(1), row.get(3));
    assert!(!row.get::<_, bool>(4), "{token} was used before");
    let _: (jiff::Timestamp, jiff::Timestamp) = (row.get(5), row.get(6));
    tx.query_one(
        "select id from sessions where id = $1 for update skip locked",
        &[&session],
    )
    .await
    .unwrap();
    let next = generate_v1();
    tx.execute(
        "update refresh_tokens set revoked = true, updated_at = now() where token = $1",
        &[&token],
    )
    .await
    .unwrap();
    tx.execute(
        "insert into refresh_tokens
            (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
         values ('00000000-0000-0000-0000-000000000000', $1, $2, false, now(), now(), $3, $4)",
        &[&next, &user.to_string(), &token, &session],
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
    next
}

/// Refreshes a session of version 2 as GoTrue does without settings of encryption.
async fn gotrue_refreshes_v2(sql: &mut Sql, token: &str) -> String {
    let ParsedRefreshToken::V2(signed) = ParsedRefreshToken::parse(token) else {
        panic!("{token} is not of version 2");
    };
    let id = signed.session_id();
    let tx = sql.transaction().await.unwrap();
    let row = tx
        .query_one(
            "select refresh_token_hmac_key, refresh_token_counter
             from sessions where id = $1 for update skip locked",
            &[&id],
        )
        .await
        .unwrap();
    let key = RefreshKey::from_text(row.get(0)).expect("GoTrue reads the key as it is stored");
    let counter: i64 = row.get(1);
    let presented = signed.verify(&key).expect("the signature is right");
    assert_eq!(i64::try_from(presented.counter).unwrap(), counter);
    tx.execute(
        "update sessions set refresh_token_counter = refresh_token_counter + 1,
            refreshed_at = now() at time zone 'UTC' where id = $1",
        &[&id],
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
    let next = RefreshToken {
        session_id: id,
        counter: presented.counter + 1,
    };
    next.encode(&key)
}

async fn our_refresh(app: &TestApp, token: &str) -> String {
    text(&app.refresh(token).await.ok(), "refresh_token")
}

async fn our_sign_in(app: &TestApp) -> String {
    let answer = app.sign_in("ada@example.com", "correct horse").await;
    text(&answer.ok(), "refresh_token")
}

fn is_v1(token: &str) -> bool {
    matches!(ParsedRefreshToken::parse(token), ParsedRefreshToken::V1(_))
}

#[tokio::test]
async fn both_servers_refresh_a_session_of_version_1_in_turn() {
    for migrations in [WITHOUT_V2, TODAY] {
        let app = beside(migrations, |_| {}).await;
        let mut sql = app.sql().await;
        let mut token = V1_TOKEN.to_owned();
        for _ in 0..10 {
            token = our_refresh(&app, &token).await;
            assert!(is_v1(&token), "{token}");
            token = gotrue_refreshes_v1(&mut sql, &token).await;
        }
        let kept = "select count(*) from sessions where refresh_token_hmac_key is null";
        assert_eq!(count(&sql, kept).await, 1);
        let chain =
            "select count(*) from refresh_tokens c join refresh_tokens p on p.token = c.parent";
        assert_eq!(count(&sql, chain).await, 20);
    }
}

#[tokio::test]
async fn both_servers_refresh_a_session_of_version_2_in_turn() {
    let app = beside(TODAY, |_| {}).await;
    let mut sql = app.sql().await;
    let mut token = our_sign_in(&app).await;
    for _ in 0..10 {
        token = gotrue_refreshes_v2(&mut sql, &token).await;
        token = our_refresh(&app, &token).await;
    }
    let RefreshToken { counter, .. } = signed_part(&sql, &token).await;
    assert_eq!(counter, 20);
}

/// Verifies a token of version 2 with the key that stands open in the database.
async fn signed_part(sql: &Sql, token: &str) -> RefreshToken {
    let ParsedRefreshToken::V2(signed) = ParsedRefreshToken::parse(token) else {
        panic!("{token}");
    };
    let stored = "select refresh_token_hmac_key from sessions where id = $1";
    let row = sql.query_one(stored, &[&signed.session_id()]).await;
    let key = RefreshKey::from_text(row.unwrap().get(0)).unwrap();
    signed.verify(&key).unwrap()
}

#[tokio::test]
async fn beside_a_server_without_version_2_new_sessions_have_version_1() {
    let app = beside(WITHOUT_V2, |_| {}).await;
    let mut sql = app.sql().await;
    let answer = app.sign_in("ada@example.com", "correct horse").await;
    let first = answer.body["refresh_token"].as_str().unwrap().to_owned();
    assert!(is_v1(&first), "{first}");
    assert_eq!(
        answer.header("sb-auth-refresh-token-prefix"),
        Some(&first[..5])
    );
    let second = gotrue_refreshes_v1(&mut sql, &first).await;
    let third = our_refresh(&app, &second).await;
    // A token that the client did not store yet still works, on either side.
    assert_eq!(our_refresh(&app, &second).await, third);
    let session = app.signed_up("new@example.com", "correct horse").await;
    assert!(is_v1(&text(&session, "refresh_token")));
    let signed = "select count(*) from sessions where refresh_token_hmac_key is not null";
    assert_eq!(count(&sql, signed).await, 0);
}

#[tokio::test]
async fn many_refreshes_of_one_v1_token_at_once_give_one_child() {
    let app = beside(TODAY, |_| {}).await;
    let refreshes = (0..12).map(|_| app.refresh(V1_TOKEN));
    let answers = futures_util::future::join_all(refreshes).await;
    let mut tokens: Vec<String> = answers
        .into_iter()
        .map(|answer| text(&answer.ok(), "refresh_token"))
        .collect();
    tokens.dedup();
    assert_eq!(tokens.len(), 1);
    let sql = app.sql().await;
    assert_eq!(count(&sql, "select count(*) from refresh_tokens").await, 2);
}

#[tokio::test]
async fn finishing_the_take_over_moves_sessions_to_version_2_and_signs_nobody_out() {
    for migrations in [WITHOUT_V2, TODAY] {
        let app = beside(migrations, |_| {}).await;
        let token = our_refresh(&app, V1_TOKEN).await;
        let finished = finish_takeover(&app.config, &app.clock).await.unwrap();
        let age = app.clock.now().duration_since(finished.finished_at);
        assert!(age.abs().as_secs() < 1, "{age}");
        assert_eq!(finished.sessions_v1, 1);
        let expected = ["20250925093508", "20260625000000"][usize::from(migrations == TODAY)];
        assert_eq!(finished.found_version.as_deref(), Some(expected));
        app.advance(60);
        // The first time stands.
        let again = finish_takeover(&app.config, &app.clock).await.unwrap();
        assert_eq!(again.finished_at, finished.finished_at);

        let next = our_refresh(&app, &token).await;
        assert!(!is_v1(&next), "{next}");
        our_refresh(&app, &next).await;
        assert!(!is_v1(&our_sign_in(&app).await));
        let again = finish_takeover(&app.config, &app.clock).await.unwrap();
        assert_eq!(again.sessions_v1, 0);
    }
}

#[tokio::test]
async fn a_new_database_in_the_gotrue_profile_has_version_2_from_the_start() {
    let app = TestApp::with(|config| {
        config.profile = Profile::Gotrue;
        config.mailer.autoconfirm = true;
    })
    .await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let token = text(&session, "refresh_token");
    assert!(!is_v1(&token));
    signed_part(&app.sql().await, &token).await;
}

#[tokio::test]
async fn in_std_sessions_move_to_version_2_with_a_sealed_key_at_once() {
    let database = earlier_at(WITHOUT_V2, &rows()).await;
    let app = TestApp::on(database, |_| {}).await;
    for token in [our_refresh(&app, V1_TOKEN).await, our_sign_in(&app).await] {
        assert!(!is_v1(&token), "{token}");
    }
    let sql = app.sql().await;
    let keys = sql
        .query("select refresh_token_hmac_key from sessions", &[])
        .await
        .unwrap();
    assert_eq!(keys.len(), 2);
    assert!(keys.iter().all(|row| is_sealed(row.get(0))));
}

#[tokio::test]
async fn with_gotrues_settings_of_encryption_keys_and_hashes_are_sealed_with_its_key() {
    let app = beside(TODAY, |config| {
        let encryption = &mut config.security.db_encryption;
        encryption.encrypt = true;
        "of-gotrue".clone_into(&mut encryption.encryption_key_id);
        encryption.encryption_key = Some(Secret::new([7; 32]));
    })
    .await;
    our_sign_in(&app).await;
    let row = app
        .sql()
        .await
        .query_one(
            "select encrypted_password, refresh_token_hmac_key from users u
             join sessions s on s.user_id = u.id and s.refresh_token_hmac_key is not null",
            &[],
        )
        .await
        .unwrap();
    for value in [row.get::<_, &str>(0), row.get(1)] {
        assert!(
            is_sealed(value) && value.contains("\"of-gotrue\""),
            "{value}"
        );
    }
}

/// What Go's types of the rows require: no nulls, and values in the formats that GoTrue writes.
const RULES: [(&str, &str); 7] = [
    (
        "accounts",
        "select count(*) from users where instance_id is distinct from '00000000-0000-0000-0000-000000000000'
            or aud is null or role is null or email = '' or phone = '' or created_at is null or updated_at is null
            or confirmation_token is null or recovery_token is null or email_change_token_new is null
            or email_change is null or email_change_token_current is null or phone_change is null
            or phone_change_token is null or reauthentication_token is null or email_change_confirm_status is null
            or coalesce(encrypted_password, '$') not like '$%' and encrypted_password <> ''",
    ),
    (
        "identities",
        "select count(*) from identities where provider_id = '' or identity_data ->> 'sub' is null
            or created_at is null or updated_at is null",
    ),
    (
        "sessions",
        "select count(*) from sessions where aal is null or created_at is null or updated_at is null
            or refresh_token_hmac_key !~ '^[A-Za-z0-9_-]{43}$'
            or (refresh_token_hmac_key is null) <> (refresh_token_counter is null)",
    ),
    (
        "refresh tokens",
        "select count(*) from refresh_tokens where instance_id is distinct from '00000000-0000-0000-0000-000000000000'
            or token !~ '^[a-z2-7]{12}$' or user_id !~ '^[0-9a-f-]{36}$' or revoked is null or created_at is null
            or updated_at is null or parent is null or session_id is null",
    ),
    (
        "methods",
        "select count(*) from mfa_amr_claims where authentication_method = '' or created_at is null",
    ),
    (
        "one-time tokens",
        "select count(*) from one_time_tokens where token_hash = '' or created_at is null or updated_at is null",
    ),
    (
        "flow states",
        "select count(*) from flow_state where provider_type is null or authentication_method is null
            or created_at is null or updated_at is null",
    ),
];

#[tokio::test]
async fn the_way_back_is_open_gotrue_can_read_every_row_that_we_wrote() {
    for migrations in [WITHOUT_V2, TODAY] {
        let app = beside(migrations, |config| config.mailer.autoconfirm = false).await;
        our_refresh(&app, V1_TOKEN).await;
        let signed_in = app.sign_in("ada@example.com", "correct horse").await.ok();
        let token = text(&signed_in, "access_token");
        let session = app.signed_up("new@example.com", "correct horse").await;
        our_refresh(&app, &text(&session, "refresh_token")).await;
        let change = json!({ "email": "newer@example.com", "data": { "name": "Ada" } });
        app.put_as(&token, "/user", change).await.ok();
        app.get_as(&token, "/reauthenticate").await.ok();
        let challenge = "a".repeat(43);
        let body = json!({ "email": "otp@example.com", "code_challenge": challenge, "code_challenge_method": "s256" });
        app.post("/otp", body).await.ok();
        app.post("/recover", json!({ "email": "new@example.com" }))
            .await
            .ok();
        let operator = app.operator();
        operator
            .post("/invite", json!({ "email": "guest@example.com" }))
            .await
            .ok();
        operator
            .create(json!({ "phone": "4917", "password": "correct horse" }))
            .await;
        let sql = app.sql().await;
        for (what, broken) in RULES {
            assert_eq!(count(&sql, broken).await, 0, "{what} after {migrations}");
        }
        for table in ["users", "sessions", "one_time_tokens", "flow_state"] {
            let rows = format!("select count(*) from {table}");
            assert!(count(&sql, &rows).await > 0, "{table}");
        }
        // GoTrue finds nothing to migrate.
        let versions = "select count(*) from schema_migrations";
        assert_eq!(count(&sql, versions).await, 70);
    }
}

#[tokio::test]
async fn sessions_that_have_no_use_for_a_token_of_version_1_are_not_counted() {
    let app = beside(TODAY, |_| {}).await;
    let (used, signed) = (Uuid::new_v4(), Uuid::new_v4());
    let sql = app.sql().await;
    sql.batch_execute(&format!(
        "insert into sessions (id, user_id, refresh_token_hmac_key, refresh_token_counter) values
            ('{used}', '{ADA}', null, null), ('{signed}', '{ADA}', 'key', 0);
         insert into refresh_tokens (token, user_id, revoked, session_id) values
            ('usedusedused', '{ADA}', true, '{used}'), ('odd2odd2odd2', '{ADA}', false, '{signed}')"
    ))
    .await
    .unwrap();
    let finished = finish_takeover(&app.config, &app.clock).await.unwrap();
    assert_eq!(finished.sessions_v1, 1);
}

/// The first schema that has the columns of version 2.
#[tokio::test]
async fn beside_the_first_server_with_version_2_new_sessions_have_it() {
    let app = beside(WITHOUT_V2 + 1, |_| {}).await;
    assert!(!is_v1(&our_sign_in(&app).await));
}
