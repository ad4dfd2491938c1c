//! Tests whether response times reveal who has an account.
//!
//! An attacker sends many requests about an address and compares with addresses without an account. This
//! test does the same: for each endpoint, requests about known and unknown addresses alternate in random
//! order over one connection, and two tests decide whether their times differ. Welch's t compares the
//! means; the rank test measures how often a known address takes longer than an unknown one, which is also
//! how often a guess by time is right. Above 4.5, either of them is certain.

mod hashes;
mod statistics;

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use innkeeper_service::cluster::Cluster;
use innkeeper_service::smtp_sink::SinkBehaviour;
use tokio::time::{Instant, sleep};
use tokio_postgres::NoTls;

use crate::http::{Connection, Site};
use crate::places::Places;
use crate::process::{Process, free_address};
use crate::server::{Algorithm, innkeeper, wait_for};
use crate::sink;
use statistics::Comparison;

/// The score above which a difference is not accidental.
const SURE: f64 = 4.5;
/// The pause before a request, so that work after the last response does not slow it down.
const PAUSE: Duration = Duration::from_millis(20);
const PASSWORD: &str = "correct horse battery";

/// A request about addresses of two kinds.
struct Case {
    name: &'static str,
    path: &'static str,
    /// The body, in which `@` stands for the name before `@example.com`.
    body: &'static str,
    /// The name of addresses with an account.
    known: &'static str,
    /// Whether the request has the API version header of the official clients.
    is_dated: bool,
}

const CASES: [Case; 8] = [
    Case {
        name: "sign-in, wrong password",
        path: "/token?grant_type=password",
        body: r#"{"email":"@@example.com","password":"wrong horse battery"}"#,
        known: "known",
        is_dated: true,
    },
    Case {
        name: "recover",
        path: "/recover",
        body: r#"{"email":"@@example.com"}"#,
        known: "known",
        is_dated: true,
    },
    Case {
        name: "otp, unknown signed up",
        path: "/otp",
        body: r#"{"email":"@@example.com"}"#,
        known: "known",
        is_dated: true,
    },
    Case {
        name: "otp, unknown ignored",
        path: "/otp",
        body: r#"{"email":"@@example.com","create_user":true}"#,
        known: "known",
        is_dated: false,
    },
    Case {
        name: "resend, confirmed",
        path: "/resend",
        body: r#"{"type":"signup","email":"@@example.com"}"#,
        known: "known",
        is_dated: true,
    },
    Case {
        name: "resend, unconfirmed",
        path: "/resend",
        body: r#"{"type":"signup","email":"@@example.com"}"#,
        known: "waiting",
        is_dated: true,
    },
    Case {
        name: "verify, wrong code",
        path: "/verify",
        body: r#"{"type":"email","email":"@@example.com","token":"000000"}"#,
        known: "known",
        is_dated: true,
    },
    Case {
        name: "sign-up",
        path: "/signup",
        body: r#"{"email":"@@example.com","password":"correct horse battery"}"#,
        known: "known",
        is_dated: true,
    },
];

/// Compares all cases and prints the results; returns false if the times of one differ.
pub(crate) async fn run(places: &Places, samples: usize) -> Result<bool> {
    let cluster = places.start_cluster().await?;
    let stand = Stand::start(places, &cluster, "timing").await?;
    println!("signing up {} users", 2 * samples);
    stand.populate(samples).await?;
    println!(
        "\n{:<26}{:>12}{:>12}{:>10}{:>10}{:>12}  {:<10}",
        "", "known, ms", "unknown, ms", "Welch t", "rank z", "guess right", "told apart"
    );
    let mut all_alike = true;
    for case in &CASES {
        stand.forget_mails().await?;
        let compared = stand.compare(case, samples).await.context(case.name)?;
        let is_alike = compared.t.abs() < SURE && compared.z.abs() < SURE;
        all_alike &= is_alike;
        println!(
            "{:<26}{:>12.3}{:>12.3}{:>10.2}{:>10.2}{:>11.1}%  {}",
            case.name,
            compared.medians.0,
            compared.medians.1,
            compared.t,
            compared.z,
            compared.guess * 100.0,
            if is_alike { "no" } else { "YES" }
        );
    }
    println!("\n{samples} requests about each kind of address; sure beyond {SURE}");
    stand.process.stop().await?;
    all_alike &= hashes::run(places, &cluster, samples).await?;
    cluster.stop().await?;
    Ok(all_alike)
}

/// A server that sends mails, and its database.
struct Stand {
    process: Process,
    site: Site,
    sql: tokio_postgres::Client,
}

impl Stand {
    /// Starts a server on the database with this name, which is created if it does not exist.
    async fn start(places: &Places, cluster: &Cluster, name: &str) -> Result<Self> {
        let mails = sink::start(SinkBehaviour::Accept)?;
        cluster.ensure_database(name).await?;
        let url = cluster.url(name);
        let address = free_address()?;
        let mut command = innkeeper(places, Algorithm::Es256, &url, address.port());
        command
            .env("AUTH_MAILER_AUTOCONFIRM", "false")
            .env("AUTH_SMTP_PORT", mails.address().port().to_string());
        let mut process = Process::spawn(command, &places.folder_of(name)?)?;
        let site = Site {
            address,
            prefix: "",
            api_key: None,
        };
        wait_for(&mut process, &site, "/settings").await?;
        let (sql, connection) = tokio_postgres::connect(&url, NoTls).await?;
        tokio::spawn(connection);
        sql.batch_execute("set search_path to auth").await?;
        Ok(Self { process, site, sql })
    }

    /// Signs users up; only some of them confirm.
    async fn populate(&self, samples: usize) -> Result<()> {
        let mut connection = Connection::open(self.site.address).await?;
        for kind in ["known", "waiting"] {
            for number in 0..samples {
                let body =
                    format!(r#"{{"email":"{kind}-{number}@example.com","password":"{PASSWORD}"}}"#);
                let request = self.site.post("/signup", &body);
                connection.ask_ok(&request).await.context("signing up")?;
            }
        }
        let confirm = "update users set email_confirmed_at = now(), confirmation_token = ''
                        where email like 'known-%'";
        self.sql.batch_execute(confirm).await?;
        self.sql.batch_execute("vacuum analyze").await?;
        Ok(())
    }

    /// Resets the mail limit of every address.
    async fn forget_mails(&self) -> Result<()> {
        let forget = "delete from innkeeper_mail_sent";
        Ok(self.sql.batch_execute(forget).await?)
    }

    /// Sends requests about addresses of both kinds in random order, and compares their times.
    async fn compare(&self, case: &Case, samples: usize) -> Result<Comparison> {
        let mut connection = Connection::open(self.site.address).await?;
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        let mut statuses = (None, None);
        // Different addresses in each case, because some of them get an account.
        let stranger = format!("stranger-{}", case.name.replace([' ', ','], ""));
        let mut chance = 0x2545_f491_4f6c_dd1d_u64;
        for number in 0..samples {
            chance = next(chance);
            let order = if chance & (1 << 32) == 0 {
                [true, false]
            } else {
                [false, true]
            };
            for is_known in order {
                let kind = if is_known { case.known } else { &stranger };
                let request = self.request(case, &format!("{kind}-{number}"));
                sleep(PAUSE).await;
                let start = Instant::now();
                let status = connection.ask(&request).await?.status;
                let passed = start.elapsed().as_secs_f64() * 1000.0;
                let (times, seen) = if is_known {
                    (&mut known, &mut statuses.0)
                } else {
                    (&mut unknown, &mut statuses.1)
                };
                times.push(passed);
                ensure!(*seen.get_or_insert(status) == status, "{kind}: {status}");
            }
        }
        ensure!(statuses.0 == statuses.1, "the statuses tell: {statuses:?}");
        Ok(Comparison::of(&known, &unknown))
    }

    fn request(&self, case: &Case, name: &str) -> Vec<u8> {
        let body = case.body.replacen('@', name, 1);
        let request = self.site.post(case.path, &body);
        if case.is_dated {
            return request;
        }
        let version = "x-supabase-api-version: 2024-01-01\r\n";
        String::from_utf8_lossy(&request)
            .replacen(version, "", 1)
            .into_bytes()
    }
}

/// Returns the next pseudo-random number.
fn next(chance: u64) -> u64 {
    let chance = chance ^ (chance << 13);
    let chance = chance ^ (chance >> 7);
    chance ^ (chance << 17)
}
