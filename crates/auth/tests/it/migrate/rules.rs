//! Constraints, policies and functions of the schema itself.

use innkeeper_auth::migrate::migrate;
use innkeeper_service::cluster::{Cluster, ClusterOptions};
use innkeeper_service::random;
use innkeeper_service::testing::TestDatabase;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::{connect, empty};

async fn migrated() -> (TestDatabase, Client) {
    let (database, mut client) = empty().await;
    migrate(&mut client, "auth").await.unwrap();
    client
        .batch_execute("set search_path to auth")
        .await
        .unwrap();
    (database, client)
}

async fn constraint_hit(client: &Client, sql: &str) -> Option<String> {
    let error = client.batch_execute(sql).await.err()?;
    Some(error.as_db_error()?.constraint()?.to_owned())
}

#[tokio::test]
async fn a_user_written_by_hand_may_leave_everything_out() {
    let (_database, client) = migrated().await;
    client
        .batch_execute(
            "insert into users (id) values (gen_random_uuid()), (gen_random_uuid());
            insert into users (id, confirmation_token, recovery_token, email_change_token_new,
                email_change_token_current, reauthentication_token, phone_change_token, email_change, phone_change)
            values (gen_random_uuid(), null, null, null, null, null, null, null, null);
            insert into users (id, confirmation_token) values (gen_random_uuid(), ''), (gen_random_uuid(), '')",
        )
        .await
        .unwrap();
    let row = client
        .query_one(
            "select count(*), count(*) filter (where is_sso_user or is_anonymous), count(confirmed_at) from users",
            &[],
        )
        .await
        .unwrap();
    assert_eq!(
        (
            row.get::<_, i64>(0),
            row.get::<_, i64>(1),
            row.get::<_, i64>(2)
        ),
        (5, 0, 0)
    );
}

#[tokio::test]
async fn confirmation_and_the_address_of_an_identity_follow_from_the_rest() {
    let (_database, client) = migrated().await;
    let row = client
        .query_one(
            "insert into users (id, email_confirmed_at, phone_confirmed_at)
            values (gen_random_uuid(), '2026-02-01', '2026-01-01')
            returning confirmed_at = phone_confirmed_at, id",
            &[],
        )
        .await
        .unwrap();
    assert!(row.get::<_, bool>(0));
    let id: uuid::Uuid = row.get(1);
    let row = client
        .query_one(
            "insert into identities (provider_id, user_id, identity_data, provider)
            values ('1', $1, '{\"email\": \"A@Example.com\"}', 'email')
            returning email",
            &[&id],
        )
        .await
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "a@example.com");
}

#[tokio::test]
async fn what_must_be_unique_is_and_only_that() {
    let (_database, client) = migrated().await;
    let twice = |columns: &str, values: &str| {
        format!(
            "insert into users (id, {columns}) values (gen_random_uuid(), {values}), (gen_random_uuid(), {values})"
        )
    };
    let cases = [
        ("email", "'a@example.com'", Some("users_email_partial_key")),
        ("email, is_sso_user", "'b@example.com', true", None),
        ("phone", "'123'", Some("users_phone_key")),
        (
            "confirmation_token",
            "'abc'",
            Some("confirmation_token_idx"),
        ),
        ("confirmation_token", "'123456'", None),
        ("recovery_token", "'abc'", Some("recovery_token_idx")),
        (
            "email_change_token_new",
            "'abc'",
            Some("email_change_token_new_idx"),
        ),
        (
            "email_change_token_current",
            "'abc'",
            Some("email_change_token_current_idx"),
        ),
        (
            "reauthentication_token",
            "'abc'",
            Some("reauthentication_token_idx"),
        ),
        (
            "email_change_confirm_status",
            "3",
            Some("users_email_change_confirm_status_check"),
        ),
    ];
    for (columns, values, expected) in cases {
        let hit = constraint_hit(&client, &twice(columns, values)).await;
        assert_eq!(hit.as_deref(), expected, "{columns} {values}");
    }
    let key = |kid: &str, current: bool| {
        format!(
            "insert into innkeeper_signing_keys values ('{kid}', 'ES256', '', '{{}}', {current}, now())"
        )
    };
    for (kid, current, expected) in [
        ("1", true, None),
        ("2", false, None),
        ("3", false, None),
        ("4", true, Some("innkeeper_signing_keys_current_key")),
    ] {
        let hit = constraint_hit(&client, &key(kid, current)).await;
        assert_eq!(hit.as_deref(), expected, "{kid}");
    }
}

#[tokio::test]
async fn policies_learn_who_asks_from_either_form_of_the_claims() {
    let (_database, client) = migrated().await;
    let id = "6e3c5ec8-0d9e-4b0f-9d2c-8f5a5b2f7a11";
    let sql = "select concat_ws(' ', uid(), role(), email(), jwt() ->> 'aal')";
    let ask = async || {
        client
            .query_one(sql, &[])
            .await
            .unwrap()
            .get::<_, String>(0)
    };
    assert_eq!(ask().await, "");
    let claims = format!(r#"{{"sub":"{id}","role":"authenticated","email":"a@b.c","aal":"aal1"}}"#);
    client
        .execute(
            "select set_config('request.jwt.claims', $1, false)",
            &[&claims],
        )
        .await
        .unwrap();
    assert_eq!(ask().await, format!("{id} authenticated a@b.c aal1"));
    client
        .batch_execute(
            "set request.jwt.claim.role to 'service_role';
            set request.jwt.claim.email to ''",
        )
        .await
        .unwrap();
    assert_eq!(ask().await, format!("{id} service_role a@b.c aal1"));
}

#[tokio::test]
async fn a_role_that_was_let_in_by_mistake_sees_no_rows() {
    let (database, client) = migrated().await;
    let role = database
        .url()
        .rsplit_once('/')
        .unwrap()
        .1
        .replace("test", "stranger");
    client
        .batch_execute(&format!(
            "insert into users (id) values (gen_random_uuid());
            insert into innkeeper_secrets values ('a', 'b', now());
            create role {role};
            grant usage on schema auth to {role};
            grant select on all tables in schema auth to {role};
            set role {role}"
        ))
        .await
        .unwrap();
    for table in [
        "users",
        "schema_migrations",
        "innkeeper_secrets",
        "innkeeper_migrations",
    ] {
        let row = client
            .query_one(&format!("select count(*) from {table}"), &[])
            .await
            .unwrap();
        assert_eq!(row.get::<_, i64>(0), 0, "{table}");
    }
}

#[tokio::test]
async fn a_role_of_another_application_can_neither_read_nor_change_the_schema() {
    let (database, client) = migrated().await;
    let role = database
        .url()
        .rsplit_once('/')
        .unwrap()
        .1
        .replace("test", "neighbour");
    client
        .batch_execute(&format!("create role {role}; set role {role}"))
        .await
        .unwrap();
    for statement in [
        "select count(*) from auth.users",
        "insert into auth.users (id) values (gen_random_uuid())",
        "update auth.users set role = 'service_role'",
        "delete from auth.sessions",
        "alter table auth.users add column note text",
        "create table auth.notes (id int)",
        "drop table auth.innkeeper_secrets",
        "drop schema auth cascade",
    ] {
        let refused = client.batch_execute(statement).await.unwrap_err();
        assert_eq!(
            refused.code(),
            Some(&SqlState::INSUFFICIENT_PRIVILEGE),
            "{statement}: {refused}"
        );
    }
}

#[tokio::test]
async fn a_server_without_the_role_postgres_will_do() {
    let id = u64::from_le_bytes(random::bytes());
    let mut options =
        ClusterOptions::new(std::env::temp_dir().join(format!("innkeeper-it-{id:016x}")));
    options.durable = false;
    options.remove = true;
    let cluster = Cluster::start(options).await.unwrap();
    connect(&cluster.url("postgres"))
        .await
        .batch_execute("create role owner superuser login password 'x'")
        .await
        .unwrap();
    let url = format!("postgres://owner:x@127.0.0.1:{}/postgres", cluster.port());
    let mut client = connect(&url).await;
    client
        .batch_execute("alter role postgres rename to root")
        .await
        .unwrap();
    assert_eq!(
        migrate(&mut client, "auth").await.unwrap().upstream.len(),
        70
    );
    cluster.stop().await.unwrap();
}
