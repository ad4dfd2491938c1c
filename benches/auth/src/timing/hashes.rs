//! Tests whether the time of a failed sign-in reveals the kind of an account's password hash.
//!
//! The database is like one that was taken over: accounts with hashes of four kinds. Sign-ins with a wrong
//! password for each kind and for unknown addresses alternate in random order, and every pair is compared.

use std::time::Duration;

use anyhow::{Result, ensure};
use innkeeper_service::cluster::Cluster;
use tokio::time::{Instant, sleep};

use super::statistics::Comparison;
use super::{PAUSE, SURE, Stand, next};
use crate::http::Connection;
use crate::places::Places;

/// Kinds of accounts, with the stored hash; no password of these requests is right. The last one is unknown.
const KINDS: [(&str, Option<&str>); 5] = [
    (
        "bcrypt-10",
        Some("$2a$10$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"),
    ),
    (
        "bcrypt-12",
        Some("$2a$12$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"),
    ),
    (
        "argon2id",
        Some(
            "$argon2id$v=19$m=19456,t=2,p=1$c2l4dGVlbiBieXRlIHNhbHQ$c2l4dGVlbiBieXRlIHNhbHRzaXh0ZWVuIGJ5dGUgc2FsdA",
        ),
    ),
    (
        "firebase",
        Some(
            "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==$c2l4dGVlbiBieXRlIHNhbHQ=$5++Q274Gjd9dXC/mJQNAUALpz1UON/0rsox3avyRwbY=",
        ),
    ),
    ("unknown", None),
];

/// The shortest time of a failed sign-in once the server has measured bcrypt-12.
const MEASURED: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_mins(1);

/// Compares all pairs and prints the results; returns false if the times of one differ.
pub(super) async fn run(places: &Places, cluster: &Cluster, samples: usize) -> Result<bool> {
    // Each of them takes as long as the costliest hash.
    let samples = (samples / 2).max(10);
    let name = "timing_hashes";
    let stand = Stand::start(places, cluster, name).await?;
    for (kind, hash) in KINDS {
        if let Some(hash) = hash {
            insert(&stand, kind, hash, samples).await?;
        }
    }
    // The kinds of hashes are measured at start.
    stand.process.stop().await?;
    let stand = Stand::start(places, cluster, name).await?;
    wait_until_measured(&stand).await?;
    let times = collect(&stand, samples).await?;
    stand.process.stop().await?;

    println!(
        "\n{:<26}{:>12}{:>12}{:>10}{:>10}{:>12}  {:<10}",
        "sign-in, kinds of hashes",
        "one, ms",
        "other, ms",
        "Welch t",
        "rank z",
        "guess right",
        "told apart"
    );
    let mut all_alike = true;
    for (index, ((one, _), one_times)) in KINDS.iter().zip(&times).enumerate() {
        for ((other, _), other_times) in KINDS.iter().zip(&times).skip(index + 1) {
            let compared = Comparison::of(one_times, other_times);
            let is_alike = compared.t.abs() < SURE && compared.z.abs() < SURE;
            all_alike &= is_alike;
            println!(
                "{:<26}{:>12.3}{:>12.3}{:>10.2}{:>10.2}{:>11.1}%  {}",
                format!("{one}, {other}"),
                compared.medians.0,
                compared.medians.1,
                compared.t,
                compared.z,
                compared.guess * 100.0,
                if is_alike { "no" } else { "YES" }
            );
        }
    }
    println!("\n{samples} sign-ins of each kind; sure beyond {SURE}");
    Ok(all_alike)
}

/// Inserts confirmed accounts with this hash.
async fn insert(stand: &Stand, kind: &str, hash: &str, count: usize) -> Result<()> {
    let count = i32::try_from(count)?;
    let insert = "insert into users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
                                     confirmation_token, recovery_token, email_change_token_new, email_change,
                                     created_at, updated_at)
                  select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
                         $1 || '-' || number || '@example.com', $2, now(), '', '', '', '', now(), now()
                    from generate_series(0, $3 - 1) as number";
    stand.sql.execute(insert, &[&kind, &hash, &count]).await?;
    stand.sql.batch_execute("vacuum analyze users").await?;
    Ok(())
}

/// Waits until failed sign-ins take the time of the costliest kind.
async fn wait_until_measured(stand: &Stand) -> Result<()> {
    let mut connection = Connection::open(stand.site.address).await?;
    let started = Instant::now();
    for number in 0_u32.. {
        let start = Instant::now();
        connection
            .ask(&request(stand, &format!("nobody-{number}")))
            .await?;
        if start.elapsed() > MEASURED {
            break;
        }
        ensure!(
            started.elapsed() < PATIENCE,
            "the server did not measure the hashes"
        );
        sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

/// Returns the times of failed sign-ins by kind, in milliseconds.
async fn collect(stand: &Stand, samples: usize) -> Result<Vec<Vec<f64>>> {
    let mut connection = Connection::open(stand.site.address).await?;
    let mut times: Vec<_> = KINDS.iter().map(|_| Vec::new()).collect();
    let mut chance = 0x9e37_79b9_7f4a_7c15_u64;
    for number in 0..samples {
        let mut order: Vec<_> = KINDS.iter().zip(&mut times).collect();
        order.sort_by_cached_key(|_| {
            chance = next(chance);
            chance
        });
        for ((kind, _), times) in order {
            let request = request(stand, &format!("{kind}-{number}"));
            sleep(PAUSE).await;
            let start = Instant::now();
            let status = connection.ask(&request).await?.status;
            times.push(start.elapsed().as_secs_f64() * 1000.0);
            ensure!(status == 400, "{kind}: {status}");
        }
    }
    Ok(times)
}

fn request(stand: &Stand, name: &str) -> Vec<u8> {
    let body = format!(r#"{{"email":"{name}@example.com","password":"wrong horse battery"}}"#);
    stand.site.post("/token?grant_type=password", &body)
}
