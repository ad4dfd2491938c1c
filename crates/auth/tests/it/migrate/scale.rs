//! A take-over of many users while others read and refresh.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::takeover::{WIDE, apply};
use super::{connect, empty, migrate};
use crate::support::eventually;

const USERS: i64 = 100_000;

/// Inserts users, each with an identity, a session and a refresh token, and an entry of the audit log.
async fn fill(client: &tokio_postgres::Client) {
    let sql = format!(
        r#"insert into users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
            confirmation_token, recovery_token, email_change_token_new, email_change, raw_app_meta_data,
            raw_user_meta_data, created_at, updated_at)
        select '00000000-0000-0000-0000-000000000000', ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
            'authenticated', 'authenticated', 'user' || n || '@example.com', '$2a$10$' || md5(n::text) || md5(n::text),
            now(), '', '', '', '', '{{"provider": "email", "providers": ["email"]}}',
            jsonb_build_object('full_name', 'User ' || n), now() - n * interval '1 second', now()
        from generate_series(1, {USERS}) n;
        insert into identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
        select id::text, id, jsonb_build_object('sub', id, 'email', email), 'email', now(), now() from users;
        insert into sessions (id, user_id, created_at, updated_at, aal) select id, id, now(), now(), 'aal1' from users;
        insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
        select '00000000-0000-0000-0000-000000000000', 't' || right(id::text, 11), id::text, false, now(), now(), '', id
        from users;
        insert into audit_log_entries (instance_id, id, payload, created_at)
        select '00000000-0000-0000-0000-000000000000', id, '{{"action": "login"}}', now() from users;
        analyze"#
    );
    client.batch_execute(&sql).await.unwrap();
}

/// What the workers do.
#[derive(Default)]
struct Work {
    stop: AtomicBool,
    rounds: AtomicU64,
}

/// Reads a user, and writes what a refresh and a sign-in write, again and again. Returns how long one of them took at
/// most.
async fn load(url: String, first: i64, work: Arc<Work>) -> Duration {
    let client = connect(&url).await;
    let mut longest = Duration::ZERO;
    let mut number = first;
    while !work.stop.load(Ordering::Relaxed) {
        number = number % USERS + 1;
        let id = format!("00000000-0000-4000-8000-{number:012}");
        for sql in [
            format!("select email from auth.users where id = '{id}'"),
            format!(
                "update auth.refresh_tokens set revoked = true where session_id = '{id}' and not revoked;
                insert into auth.refresh_tokens (token, user_id, revoked, session_id)
                values (gen_random_uuid()::text, '{id}', false, '{id}');
                update auth.sessions set refreshed_at = now() where id = '{id}'"
            ),
            format!("update auth.users set last_sign_in_at = now() where id = '{id}'"),
        ] {
            let start = Instant::now();
            client.batch_execute(&sql).await.unwrap();
            longest = longest.max(start.elapsed());
        }
        work.rounds.fetch_add(1, Ordering::Relaxed);
    }
    longest
}

/// Prints how long a take-over takes, and how long a request had to wait for it at most.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a minute: make test-long"]
#[expect(clippy::print_stdout, reason = "it prints figures")]
async fn a_hundred_thousand_users_are_taken_over_while_others_use_them() {
    for migrations in [45, 61, 70] {
        let (database, mut client) = empty().await;
        apply(&client, WIDE, migrations).await;
        // Writes of this test go past columns that older versions do not have.
        fill(&client).await;
        let work = Arc::<Work>::default();
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                load(
                    database.url().to_owned(),
                    worker * 25_000,
                    Arc::clone(&work),
                )
            })
            .map(tokio::spawn)
            .collect();
        let are_busy = async || work.rounds.load(Ordering::Relaxed) >= 400;
        eventually("the workers are busy", are_busy).await;
        let before = work.rounds.load(Ordering::Relaxed);
        let start = Instant::now();
        let applied = migrate(&mut client, "auth").await.unwrap().len();
        let took = start.elapsed();
        let rounds = work.rounds.load(Ordering::Relaxed) - before;
        work.stop.store(true, Ordering::Relaxed);
        let mut longest = Duration::ZERO;
        for worker in workers {
            longest = longest.max(worker.await.unwrap());
        }
        println!(
            "{USERS} users, {applied} migrations after {migrations} of GoTrue: {:.1} s; {rounds} rounds of reads and \
             refreshes meanwhile, the longest statement {} ms",
            took.as_secs_f64(),
            longest.as_millis()
        );
        assert!(took < Duration::from_mins(1), "{took:?}");
        assert!(longest < Duration::from_secs(1), "{longest:?}");
    }
}
