//! Databases that GoTrue migrated up to some version.

use innkeeper_auth::migrate::migrate;
use tokio_postgres::Client;

use super::{catalog, empty, history};

/// The bookkeeping table as GoTrue's own migration creates it.
pub(super) const WIDE: &str = "create table schema_migrations (version varchar(255) primary key)";

/// The same table as GoTrue's migration library creates it.
const NARROW: &str = "create table schema_migrations (version varchar(14) not null);
    create unique index schema_migrations_version_idx on schema_migrations (version)";

/// Applies and records the first `count` versions.
pub(super) async fn apply(client: &Client, bookkeeping: &str, count: usize) {
    client
        .batch_execute(&format!(
            "create schema auth; set search_path to auth; set client_min_messages to warning; {bookkeeping}"
        ))
        .await
        .unwrap();
    for (version, sql) in &history()[..count] {
        client.batch_execute(sql).await.unwrap();
        record(client, version).await;
    }
}

pub(super) async fn record(client: &Client, version: &str) {
    client
        .execute("insert into schema_migrations values ($1)", &[&version])
        .await
        .unwrap();
}

async fn fresh() -> Vec<String> {
    let (_database, mut client) = empty().await;
    migrate(&mut client, "auth").await.unwrap();
    catalog(&client, "auth").await
}

#[tokio::test]
async fn every_part_of_the_history_ends_in_the_same_schema() {
    let fresh = fresh().await;
    for count in [0, 1, 2, 5, 17, 23, 30, 43, 44, 50, 51, 59, 66, 69, 70] {
        let (_database, mut client) = empty().await;
        apply(&client, WIDE, count).await;
        let report = migrate(&mut client, "auth").await.unwrap();
        assert_eq!(report.upstream.len(), 70 - count);
        assert_eq!(
            catalog(&client, "auth").await,
            fresh,
            "after {count} versions"
        );
    }
}

#[tokio::test]
async fn the_bookkeeping_of_old_installations_is_understood_and_kept() {
    let fresh = fresh().await;
    let older = [
        "20171026211738",
        "20171026211808",
        "20180103212743",
        "20180125194653",
    ];
    let (_database, mut client) = empty().await;
    apply(&client, NARROW, 30).await;
    for version in older {
        record(&client, version).await;
    }
    assert_eq!(
        migrate(&mut client, "auth").await.unwrap().upstream.len(),
        40
    );
    assert_eq!(catalog(&client, "auth").await, fresh);
    let recorded: Vec<String> = client
        .query(
            "select version::text from auth.schema_migrations order by 1",
            &[],
        )
        .await
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    let mut expected: Vec<String> = history().into_iter().map(|(version, _)| version).collect();
    expected.extend(older.map(str::to_owned));
    expected.sort();
    assert_eq!(recorded, expected);
}

#[tokio::test]
async fn a_version_missing_in_the_middle_is_made_up_for() {
    let fresh = fresh().await;
    let (_database, mut client) = empty().await;
    migrate(&mut client, "auth").await.unwrap();
    client
        .batch_execute("delete from auth.schema_migrations where version like '2022%'")
        .await
        .unwrap();
    let again = migrate(&mut client, "auth").await.unwrap();
    assert!(again.upstream.len() > 10);
    assert_eq!(catalog(&client, "auth").await, fresh);
}

/// Objects that GoTrue creates at a version and drops at a later one; our migrations never create them.
const LEFT_BEHIND: &[(usize, &str)] = &[
    (
        1,
        "alter table users add constraint users_email_key unique (email)",
    ),
    (
        1,
        "create index users_instance_id_email_idx on users (instance_id, email)",
    ),
    (
        1,
        "create index refresh_tokens_token_idx on refresh_tokens (token)",
    ),
    (
        6,
        "alter table refresh_tokens add constraint refresh_tokens_parent_fkey
            foreign key (parent) references refresh_tokens (token)",
    ),
    (23, "create table sso_sessions (id uuid primary key)"),
    (
        23,
        "alter table saml_relay_states add column from_ip_address inet",
    ),
    (
        51,
        "alter table mfa_factors add constraint mfa_factors_phone_key unique (phone)",
    ),
    (
        51,
        "create unique index unique_verified_phone_factor on mfa_factors (user_id, phone)",
    ),
    (
        56,
        "alter table oauth_clients add column client_id text unique;
            create index oauth_clients_client_id_idx on oauth_clients (client_id)",
    ),
    (
        56,
        "alter table oauth_clients alter column client_secret_hash set not null",
    ),
];

#[tokio::test]
async fn what_the_history_dropped_is_dropped() {
    let fresh = fresh().await;
    for (count, sql) in LEFT_BEHIND {
        let (_database, mut client) = empty().await;
        apply(&client, WIDE, *count).await;
        client.batch_execute(sql).await.unwrap();
        migrate(&mut client, "auth").await.unwrap();
        assert_eq!(catalog(&client, "auth").await, fresh, "{sql}");
    }
}

#[tokio::test]
async fn users_from_before_identities_get_theirs() {
    let (_database, mut client) = empty().await;
    apply(&client, WIDE, 20).await;
    client
        .batch_execute(
            "insert into users (id, email, encrypted_password, invited_at, last_sign_in_at, created_at) values
                ('00000000-0000-0000-0000-000000000001', 'Old@example.com', 'hash', null, '2022-01-02', '2022-01-01'),
                ('00000000-0000-0000-0000-000000000002', 'guest@example.com', '', '2022-01-01', null, '2022-01-01'),
                ('00000000-0000-0000-0000-000000000003', null, 'hash', null, null, '2022-01-01'),
                ('00000000-0000-0000-0000-000000000004', 'has@example.com', 'hash', null, null, '2022-01-01');
            insert into identities (provider, id, user_id, identity_data) values
                ('github', '77', '00000000-0000-0000-0000-000000000004', '{\"email\": \"Has@example.com\"}')",
        )
        .await
        .unwrap();
    migrate(&mut client, "auth").await.unwrap();
    let rows: Vec<String> = client
        .query(
            "select concat_ws(' ', right(user_id::text, 1), provider, right(provider_id, 2), email,
                identity_data ->> 'email', last_sign_in_at::date)
            from auth.identities
            order by user_id",
            &[],
        )
        .await
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(
        rows,
        [
            "1 email 01 old@example.com Old@example.com 2022-01-02",
            "2 email 02 guest@example.com guest@example.com",
            "4 github 77 has@example.com Has@example.com",
        ]
    );
}

#[tokio::test]
async fn rows_from_the_middle_of_the_history_survive() {
    let (_database, mut client) = empty().await;
    apply(&client, WIDE, 1).await;
    client
        .batch_execute(
            "insert into users (id, email, confirmed_at, email_change_token)
            values (gen_random_uuid(), 'a@example.com', '2020-01-01', 'change')",
        )
        .await
        .unwrap();
    for count in 1..70 {
        let (version, sql) = &history()[count];
        client.batch_execute(sql).await.unwrap();
        record(&client, version).await;
        if version == "20230322519590" {
            client
                .batch_execute("insert into flow_state (id, provider_type) values (gen_random_uuid(), 'email')")
                .await
                .unwrap();
        }
        if version == "20250731150234" {
            client
                .batch_execute(
                    "insert into oauth_clients (id, registration_type, redirect_uris, grant_types)
                    values (gen_random_uuid(), 'manual', '', '')",
                )
                .await
                .unwrap();
        }
    }
    migrate(&mut client, "auth").await.unwrap();
    let row = client
        .query_one(
            "select
                (select concat_ws(' ', confirmed_at::date, email_change_token_new) from auth.users),
                (select authentication_method from auth.flow_state),
                (select token_endpoint_auth_method from auth.oauth_clients)",
            &[],
        )
        .await
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "2020-01-01 change");
    assert_eq!(row.get::<_, &str>(1), "oauth");
    assert_eq!(row.get::<_, &str>(2), "client_secret_basic");
}
