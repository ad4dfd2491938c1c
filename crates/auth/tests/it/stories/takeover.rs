//! A database that an earlier server has filled, and applications behind its back, is served in place.

use aws_lc_rs::digest::{SHA224, digest};
use innkeeper_auth::config::{Config, Profile};
use innkeeper_rest::Method;
use innkeeper_service::testing::TestDatabase;
use serde_json::{Value, json};
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

use crate::migrate::history;
use crate::support::operator::{count, path_of};
use crate::support::{Answer, TestApp, bearer};

/// `correct horse`, as the earlier server hashes it.
const BCRYPT: &str = "$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e";
const ADA: &str = "11111111-1111-4111-8111-111111111111";
const SESSION: &str = "22222222-2222-4222-8222-222222222222";
const REFRESH_TOKEN: &str = "abcdefgh2345";

/// A database as the earlier server leaves it, with these rows.
async fn earlier(rows: &str) -> TestDatabase {
    let database = TestDatabase::empty().await.unwrap();
    let (client, connection) = tokio_postgres::connect(database.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    let prepare = "create schema auth;
        set search_path to auth;
        set client_min_messages to warning;
        create table schema_migrations (version varchar(14) not null);
        create unique index schema_migrations_version_idx on schema_migrations (version)";
    client.batch_execute(prepare).await.unwrap();
    for (version, sql) in history() {
        client.batch_execute(&sql).await.unwrap();
        let record = "insert into schema_migrations values ($1)";
        client.execute(record, &[&version]).await.unwrap();
    }
    client.batch_execute(rows).await.unwrap();
    database
}

/// A user with a session and mails on the way, written as the earlier server writes.
fn rows() -> String {
    let (recovery, confirmation) = (sha224("ada@example.com", "123456"), sha224("bea@example.com", "654321"));
    format!(
        r#"insert into users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
            confirmation_token, confirmation_sent_at, recovery_token, recovery_sent_at, email_change_token_new,
            email_change, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, last_sign_in_at)
        values
            ('00000000-0000-0000-0000-000000000000', '{ADA}', 'authenticated', 'authenticated', 'ada@example.com',
            '{BCRYPT}', now(), '', null, '{recovery}', now(), '', '',
            '{{"provider": "email", "providers": ["email"]}}', '{{"full_name": "Ada"}}', now(), now(), now()),
            ('00000000-0000-0000-0000-000000000000', '33333333-3333-4333-8333-333333333333', 'authenticated',
            'authenticated', 'bea@example.com', '{BCRYPT}', null, '{confirmation}', now(), '', null, '', '',
            '{{"provider": "email", "providers": ["email"]}}', '{{}}', now(), now(), null);
        insert into identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
        select id::text, id, jsonb_build_object('sub', id, 'email', email), 'email', now(), now(), now() from users;
        insert into one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
        values
            (gen_random_uuid(), '{ADA}', 'recovery_token', '{recovery}', 'ada@example.com',
            now() at time zone 'UTC', now() at time zone 'UTC'),
            (gen_random_uuid(), '33333333-3333-4333-8333-333333333333', 'confirmation_token', '{confirmation}',
            'bea@example.com', now() at time zone 'UTC', now() at time zone 'UTC');
        insert into sessions (id, user_id, created_at, updated_at, aal) values ('{SESSION}', '{ADA}', now(), now(), 'aal1');
        insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
        values (gen_random_uuid(), '{SESSION}', now(), now(), 'password');
        insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
        values
            ('00000000-0000-0000-0000-000000000000', '{REFRESH_TOKEN}', '{ADA}', false, now(), now(), '', '{SESSION}'),
            (null, 'zyxwvuts7654', '{ADA}', null, null, null, null, null);"#
    )
}

/// How the earlier server stores a code and writes it in links.
fn sha224(address: &str, code: &str) -> String {
    let digest = digest(&SHA224, format!("{address}{code}").as_bytes());
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
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
        app.refresh(refreshed["refresh_token"].as_str().unwrap()).await.ok();
        let older = app.refresh("zyxwvuts7654").await;
        assert!(older.status < 500, "{}", older.text);

        app.sign_in("ada@example.com", "wrong horse").await.refused(400, "invalid_credentials");
        app.sign_in("ada@example.com", "correct horse").await.ok();
        let renewed = "select count(*) from users where encrypted_password like '$argon2id$%'";
        assert_eq!(count(&app.sql().await, renewed).await, 1);
        app.sign_in("ada@example.com", "correct horse").await.ok();
        app.sign_in("bea@example.com", "correct horse").await.refused(400, "email_not_confirmed");

        let link = format!("/verify?token={}&type=recovery", sha224("ada@example.com", "123456"));
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

/// Rows that applications write with SQL: as little as the table demands, and odd things in the rest.
fn odd_rows() -> String {
    format!(
        r#"insert into users (id, email, encrypted_password) values
            (gen_random_uuid(), 'bare@example.com', '{BCRYPT}');
        insert into users (id, email, encrypted_password, email_confirmed_at) values
            (gen_random_uuid(), 'confirmed@example.com', '{BCRYPT}', now()),
            (gen_random_uuid(), 'Mixed.Case@Example.com', '{BCRYPT}', now()),
            (gen_random_uuid(), 'nothing@example.com', '', now()),
            (gen_random_uuid(), 'broken@example.com', 'not a hash', now()),
            (gen_random_uuid(), '', '{BCRYPT}', now()),
            (gen_random_uuid(), null, '{BCRYPT}', now());
        insert into users (id, email, aud, role, encrypted_password, email_confirmed_at, raw_app_meta_data,
            raw_user_meta_data, phone_change, phone_change_token, email_change_confirm_status, created_at) values
            (gen_random_uuid(), 'list@example.com', 'authenticated', null, '{BCRYPT}', now(), '[1, 2]', '"text"',
                null, null, null, now()),
            (gen_random_uuid(), 'null@example.com', 'authenticated', '', '{BCRYPT}', now(), 'null', 'null',
                null, null, null, now());
        update users set confirmation_token = null, recovery_token = null, email_change_token_new = null,
            email_change = null, email_change_token_current = null, reauthentication_token = null,
            instance_id = case when email = 'list@example.com'
                then '00000000-0000-0000-0000-000000000000'::uuid end;
        insert into identities (provider_id, user_id, identity_data, provider)
        select id::text, id, '{{}}', 'email' from users where email = 'null@example.com';
        insert into identities (provider_id, user_id, identity_data, provider, created_at)
        select 'x', id, '[]', 'github', 'infinity' from users where email = 'list@example.com';"#
    )
}

const WITH_PASSWORD: [&str; 4] =
    ["confirmed@example.com", "mixed.case@example.com", "list@example.com", "null@example.com"];

#[tokio::test]
async fn users_whom_applications_wrote_sign_in() {
    let app = TestApp::on(earlier(&odd_rows()).await, |_| {}).await;
    for email in WITH_PASSWORD {
        app.sign_in(email, "wrong horse").await.refused(400, "invalid_credentials");
        let session = app.sign_in(email, "correct horse").await.ok();
        let token = session["access_token"].as_str().unwrap();
        let me = app.get_as(token, "/user").await.ok();
        assert!(me["user_metadata"].is_object() && me["app_metadata"].is_object(), "{me}");
        assert!(me["created_at"].is_string() && me["updated_at"].is_string(), "{me}");
        let session = app.refresh(session["refresh_token"].as_str().unwrap()).await.ok();
        let token = session["access_token"].as_str().unwrap();
        let body = json!({ "data": { "name": "Ada" } });
        let me = app.put_as(token, "/user", body).await.ok();
        assert_eq!(me["user_metadata"], json!({ "name": "Ada" }));
        app.post_as(token, "/logout", json!({})).await.failed(204);
    }
    app.sign_in("bare@example.com", "correct horse").await.refused(400, "email_not_confirmed");
    app.sign_in("nothing@example.com", "").await.failed(400);
    for email in ["nothing@example.com", "broken@example.com"] {
        app.sign_in(email, "correct horse").await.refused(400, "invalid_credentials");
    }
}

#[tokio::test]
async fn users_whom_applications_wrote_get_their_mail() {
    let app = TestApp::on(earlier(&odd_rows()).await, |_| {}).await;
    for (target, kind) in [("/recover", "recovery"), ("/otp", "email")] {
        for email in [&WITH_PASSWORD[..], &["bare@example.com", "broken@example.com"]].concat() {
            app.post(target, json!({ "email": email })).await.ok();
            let sent_to = if email.starts_with("mixed") { "Mixed.Case@Example.com" } else { email };
            let mail = app.mailbox.next_to(sent_to).await;
            let body = json!({ "type": kind, "email": email, "token": mail.code() });
            let session = app.post("/verify", body).await.ok();
            assert_eq!(session["user"]["app_metadata"]["provider"], "email", "{email}");
        }
        app.advance(1000);
    }
}

#[tokio::test]
async fn users_whom_applications_wrote_are_operators_users_too() {
    let app = TestApp::on(earlier(&odd_rows()).await, |_| {}).await;
    let operator = app.operator();
    let list = operator.get("/admin/users").await.ok();
    let users = list["users"].as_array().unwrap().clone();
    assert_eq!(users.len(), 9);
    for (index, user) in users.iter().enumerate() {
        operator.get(&path_of(user)).await.ok();
        let body = json!({
            "email": format!("{index}@example.org"),
            "phone": format!("49170{index}"),
            "password": "battery staple",
            "email_confirm": true,
            "phone_confirm": true,
            "role": "authenticated",
            "aud": "authenticated",
            "user_metadata": { "a": 1 },
            "app_metadata": { "b": 2 },
            "ban_duration": "none",
        });
        let after = operator.put(&path_of(user), body).await.ok();
        assert_eq!(after["user_metadata"], json!({ "a": 1 }));
        assert_eq!(after["app_metadata"]["b"], 2);
        app.sign_in(&format!("{index}@example.org"), "battery staple").await.ok();
        let sessions = operator.get(&format!("{}/sessions", path_of(user))).await.ok();
        assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1);
        let body = Some(json!({ "should_soft_delete": index % 2 == 0 }));
        operator.delete(&path_of(user), body).await.ok();
    }
}

#[tokio::test]
async fn an_address_stored_in_another_spelling_is_the_same_address() {
    let app = TestApp::on(earlier(&odd_rows()).await, |_| {}).await;
    let operator = app.operator();
    let session = app.sign_in("MIXED.case@example.COM", "correct horse").await.ok();
    let user = &session["user"];
    assert_eq!(user["email"], "Mixed.Case@Example.com");
    let body = json!({ "email": "mixed.case@example.com", "password": "an impostor" });
    operator.post("/admin/users", body.clone()).await.refused(422, "email_exists");
    app.post("/signup", body).await.ok();
    let body = json!({ "type": "magiclink", "email": "mixed.case@example.com" });
    let link = operator.post("/admin/generate_link", body).await.ok();
    assert_eq!(link["id"], user["id"]);
    let sql = app.sql().await;
    let same = "select count(*) from users where lower(email) = 'mixed.case@example.com'";
    assert_eq!(count(&sql, same).await, 1);

    // Where two spellings are two accounts, each is found by its own.
    let more = format!(
        "insert into users (id, aud, email, encrypted_password, email_confirmed_at)
        values (gen_random_uuid(), 'authenticated', 'mixed.case@example.com', '{BCRYPT}', now())"
    );
    sql.batch_execute(&more).await.unwrap();
    let session = app.sign_in("mixed.case@example.com", "correct horse").await.ok();
    assert_eq!(session["user"]["email"], "mixed.case@example.com");
    let list = operator.get("/admin/users?email=mixed.case@example.com").await.ok();
    assert_eq!(list["users"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn addresses_are_found_by_an_index_in_whatever_spelling() {
    let app = TestApp::start().await;
    let sql = app.sql().await;
    // A small table is read whole if it may be.
    sql.batch_execute("set enable_seqscan to off").await.unwrap();
    let statements = include_str!("../../../queries/users.sql");
    for name in ["find_by_email", "lock_by_email", "is_email_taken", "list_exact"] {
        let start = statements.split_once(&format!("--! {name}")).unwrap().1;
        let (_, body) = start.split_once('\n').unwrap();
        let body = body.split_once(';').unwrap().0;
        let statement = body
            .replace(":email", "'ada@example.com'")
            .replace(":phone", "'4917'")
            .replace(":aud", "'authenticated'")
            .replace(":pattern", "'a'")
            .replace(":except", "'00000000-0000-0000-0000-000000000000'");
        let plan = sql.query(&format!("explain {statement}"), &[]).await.unwrap();
        let plan: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
        let plan = plan.join("\n");
        assert!(plan.contains("users_instance_id_email_idx"), "{name}: {plan}");
        assert!(plan.contains("users_email_partial_key"), "{name}: {plan}");
        assert!(!plan.contains("Seq Scan on users"), "{name}: {plan}");
    }
}

/// What the earlier server takes for granted in every row.
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
    ("identities have times", "select count(*) from identities where created_at is null or updated_at is null or identity_data ->> 'sub' is null"),
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
    app.put_as(token, "/user", json!({ "email": "newer@example.com" })).await.ok();
    app.get_as(token, "/reauthenticate").await.ok();
    app.post("/signup", json!({ "email": "waiting@example.com", "password": "correct horse" })).await.ok();
    app.post("/otp", json!({ "email": "otp@example.com" })).await.ok();
    operator.post("/invite", json!({ "email": "guest@example.com" })).await.ok();
    let phone = operator.create(json!({ "phone": "4917", "email": "" })).await;
    operator.create(json!({ "email": "made@example.com", "phone": "" })).await;
    for kind in ["recovery", "magiclink", "recovery"] {
        let body = json!({ "type": kind, "email": "ada@example.com" });
        operator.post("/admin/generate_link", body).await.ok();
    }
    let gone = operator.create(json!({ "email": "gone@example.com" })).await;
    operator.delete(&path_of(&gone), Some(json!({ "should_soft_delete": true }))).await.ok();
    operator.put(&path_of(&phone), json!({ "ban_duration": "1h" })).await.ok();

    let sql = app.sql().await;
    for (rule, broken) in RULES {
        assert_eq!(count(&sql, broken).await, 0, "{rule}");
    }
    assert_eq!(count(&sql, "select count(*) from users").await, 9);
    // The row of the token that was exchanged still says whose it is, as text.
    let owner = format!("select count(*) from refresh_tokens where user_id = '{ADA}' and revoked");
    assert_eq!(count(&sql, &owner).await, 1);
    assert_eq!(count(&sql, "select count(*) from schema_migrations").await, 70);
}

/// Signs up, confirms, signs in, refreshes, is listed and deleted.
async fn live(app: &TestApp) {
    let session = app.signed_up("ada@example.com", "correct horse").await;
    app.refresh(session["refresh_token"].as_str().unwrap()).await.ok();
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    app.post("/recover", json!({ "email": "ada@example.com" })).await.ok();
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
    for name in ["tenant", "Two Words", "select", "a\"quote", "it's; drop schema auth --", "Schlüssel_ключ"] {
        let database = TestDatabase::empty().await.unwrap();
        let url = database.url().to_owned();
        let app = TestApp::on(database, |config| config.database.namespace = name.to_owned()).await;
        live(&app).await;
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        assert_eq!(schemas(&client).await, [name], "only the schema of the setting is there");
        let replica = app.replica().await;
        let (header, value) = bearer(&app.service_key());
        let request = replica.request(Method::GET, "/admin/users").header(header, &value);
        Answer::new(request.send().await).ok();
    }
}

async fn schemas(client: &Client) -> Vec<String> {
    let sql = "select distinct table_schema::text from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema')";
    let rows = client.query(sql, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn two_schemas_of_one_database_know_nothing_of_each_other() {
    let database = TestDatabase::empty().await.unwrap();
    let first = TestApp::on(database, |config| config.database.namespace = "first".to_owned()).await;
    first.signed_up("ada@example.com", "correct horse").await;
    let other = Config {
        database: {
            let mut settings = first.config.database.clone();
            settings.namespace = "second".to_owned();
            settings
        },
        ..first.config.clone()
    };
    let second = innkeeper_auth::Auth::start(other, first.clock.clone()).await.unwrap();
    let client = innkeeper_rest::testing::Client::new(second.routes().unwrap()).unwrap();
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    let request = client.request(Method::POST, "/token?grant_type=password").json(&body);
    Answer::new(request.send().await).refused(400, "invalid_credentials");
    let (header, value) = bearer(&first.service_key());
    let request = client.request(Method::GET, "/admin/users").header(header, &value);
    let list = Answer::new(request.send().await).ok();
    assert_eq!(list["users"], Value::Array(Vec::new()));
    let unknown = format!("/admin/users/{}", Uuid::new_v4());
    first.operator().get(&unknown).await.refused(404, "user_not_found");
}
