//! Hostile requests against both servers as processes: no failure but 503, no panic, and no memory kept.
//!
//! Half of the requests are well-formed HTTP with spoilt targets, tokens and bodies, so that they reach the
//! handlers; the other half are mutated bytes, as in `crates/rest/tests/it/fuzz`.

#[path = "../../../../rest/tests/it/fuzz/mutate.rs"]
mod mutate;
mod seeds;
mod sender;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use innkeeper_service::testing::{HeldPort, TestDatabase, eventually};
use rustix::process::Signal;
use tokio::process::Command;
use tokio::task::JoinSet;

use self::mutate::Random;
use self::sender::Sender;
use crate::support::{Process, folder, innkeeper};

/// Clients at the same time.
const CLIENTS: usize = 8;

/// The memory that a server may keep beyond what it had after the first tenth of the requests.
const KEPT_KIB: usize = 48 * 1024;

/// The time-out of everything, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_requests_do_no_harm_to_the_auth_server() {
    attack_auth(1500).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_requests_do_no_harm_to_the_hosting_server() {
    attack_hosting(1500).await;
}

/// `HOSTILE_REQUESTS` says how many.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes; make test-long runs it"]
async fn a_million_hostile_requests_do_no_harm() {
    let count = std::env::var_os("HOSTILE_REQUESTS");
    let count = count.and_then(|count| count.to_str()?.parse().ok());
    let count: usize = count.unwrap_or(1_000_000);
    attack_auth(count / 2).await;
    attack_hosting(count / 2).await;
}

async fn attack_auth(count: usize) {
    let (database, folder, port) = (
        TestDatabase::empty().await.unwrap(),
        folder(),
        HeldPort::take().unwrap(),
    );
    let mut command = innkeeper(&["auth", "serve"]);
    for (name, value) in [
        ("SITE_URL", "http://localhost:3000"),
        ("API_EXTERNAL_URL", "http://localhost:8081"),
        ("API_MAX_REQUEST_DURATION", "120s"),
        ("HOST", "127.0.0.1"),
        ("DB_DRIVER", "postgres"),
        ("DATABASE_URL", database.url()),
        ("JWT_SECRET", seeds::SECRET),
        ("MAILER_AUTOCONFIRM", "true"),
        ("SMTP_HOST", "localhost"),
        ("SMTP_PORT", "2525"),
        ("SMTP_ADMIN_EMAIL", "inn@example.com"),
        ("RATE_LIMIT_TOKEN_REFRESH", "100000000"),
        ("RATE_LIMIT_OTP", "100000000"),
        ("RATE_LIMIT_VERIFY", "100000000"),
        ("LOG_LEVEL", "warn"),
    ] {
        command.env(format!("AUTH_{name}"), value);
    }
    command.env("AUTH_PORT", port.number().to_string());
    attack(&mut command, folder.path(), &port, seeds::auth(), count).await;
}

async fn attack_hosting(count: usize) {
    let (database, folder, port) = (
        TestDatabase::empty().await.unwrap(),
        folder(),
        HeldPort::take().unwrap(),
    );
    let content = folder.path().join("content");
    for (name, text) in seeds::CONTENT {
        let path = content.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut command = innkeeper(&["hosting", "serve"]);
    command
        .env("HOSTING_CONTENT_DIR", &content)
        .env("HOSTING_DATABASE_URL", database.url())
        .env("HOSTING_HOST", "127.0.0.1")
        .env("HOSTING_PORT", port.number().to_string())
        .env("HOSTING_LOG_LEVEL", "warn");
    for kind in [
        "HEALTH", "CONTENT", "ASSETS", "WIDGET", "FEEDBACK", "CONTROL", "PUBLIC",
    ] {
        command.env(format!("HOSTING_RATE_LIMIT_{kind}"), "1000000");
    }
    attack(&mut command, folder.path(), &port, seeds::hosting(), count).await;
}

/// Starts a server, sends hostile requests, and stops the server.
async fn attack(
    command: &mut Command,
    folder: &Path,
    port: &HeldPort,
    seeds: Vec<seeds::ApiRequest>,
    count: usize,
) {
    let process = Process::start(command.current_dir(folder));
    let sender = Arc::new(Sender::new(port.address(), seeds));
    sender.until_served(PATIENCE).await;
    send(&sender, 1, count / 10).await;
    let before = resident_kib(process.pid());
    let answers = send(&sender, 2, count - count / 10).await;
    // Most are answered: the rest are cut off in the middle, as mutated lengths are.
    assert!(answers > count / 3, "{answers} answers to {count} requests");
    eventually(
        format!("little more than {before} KiB is kept"),
        async || {
            let now = resident_kib(process.pid());
            if now <= before + KEPT_KIB {
                Ok(())
            } else {
                Err(now)
            }
        },
    )
    .await;
    sender.until_served(PATIENCE).await;
    process.signal(Signal::TERM);
    let (status, log) = process.ended().await;
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(!log.contains("panicked"), "{log}");
}

/// Sends hostile requests from several clients, and returns the number of responses.
async fn send(sender: &Arc<Sender>, seed: u64, count: usize) -> usize {
    let (mut clients, left) = (JoinSet::new(), Arc::new(AtomicUsize::new(count)));
    for client in 0..CLIENTS {
        let (sender, left) = (Arc::clone(sender), Arc::clone(&left));
        let mut random = Random::new(seed * 1000 + u64::try_from(client).unwrap());
        clients.spawn(async move {
            let mut answers = 0;
            let take = |left: usize| left.checked_sub(1);
            while left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                .is_ok()
            {
                answers += sender.send_one(&mut random, client).await;
            }
            answers
        });
    }
    clients.join_all().await.into_iter().sum()
}

/// Returns the memory that a process has in RAM.
fn resident_kib(pid: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let digits = line.unwrap().trim().trim_end_matches(" kB");
    digits.parse().unwrap()
}
