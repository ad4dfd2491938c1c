//! Several servers on one database: behind a proxy, and when the database moves to another machine.

mod failover; // failover to a standby
mod proxy; // nginx in front of the replicas
mod restart; // a rolling restart under load
mod sharing; // keys, sessions and limits that replicas share

use std::path::Path;
use std::time::Duration;

use innkeeper_service::testing::eventually;
use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::support::{Process, innkeeper};

/// The time-out of everything, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A rate limit that no test reaches.
const PLENTY: &str = "1000000";

/// A server on a free port, and its address.
struct Replica {
    process: Process,
    address: String,
}

impl Replica {
    /// Starts an auth server whose accounts need no mail.
    async fn auth(folder: &Path, database: &str, more: &[(&str, &str)]) -> Self {
        let mut settings = vec![
            ("AUTH_SITE_URL", "http://localhost:3000"),
            ("AUTH_API_EXTERNAL_URL", "http://localhost:8081"),
            ("AUTH_API_HOST", "127.0.0.1"),
            ("AUTH_PORT", "0"),
            ("AUTH_DB_DRIVER", "postgres"),
            ("AUTH_DATABASE_URL", database),
            ("AUTH_JWT_SECRET", "a-secret-of-more-than-thirty-two-bytes"),
            ("AUTH_MAILER_AUTOCONFIRM", "true"),
            ("AUTH_SMTP_HOST", "localhost"),
            ("AUTH_SMTP_PORT", "2525"),
            ("AUTH_SMTP_ADMIN_EMAIL", "inn@example.com"),
            ("AUTH_RATE_LIMIT_TOKEN_REFRESH", PLENTY),
            ("AUTH_RATE_LIMIT_OTP", PLENTY),
            ("AUTH_TRUSTED_PROXIES", "127.0.0.0/8"),
        ];
        settings.extend(more);
        Self::start("auth", folder, &settings).await
    }

    /// Starts a hosting server with demo content.
    async fn hosting(folder: &Path, database: &str, more: &[(&str, &str)]) -> Self {
        let mut settings = vec![
            ("HOSTING_HOST", "127.0.0.1"),
            ("HOSTING_PORT", "0"),
            ("HOSTING_DATABASE_URL", database),
            ("HOSTING_TRUSTED_PROXIES", "127.0.0.0/8"),
            ("HOSTING_DRAIN_DELAY", "0s"),
        ];
        settings.extend(more);
        Self::start("hosting", folder, &settings).await
    }

    async fn start(part: &str, folder: &Path, settings: &[(&str, &str)]) -> Self {
        let mut command = innkeeper(&[part, "serve"]);
        command.current_dir(folder).envs(settings.iter().copied());
        let mut process = Process::start(&mut command);
        let address = loop {
            let line = process.error_line().await;
            if let Some((_, address)) = line.trim().rsplit_once("listening address=") {
                break address.to_owned();
            }
        };
        let replica = Self { process, address };
        replica.until_ready().await;
        replica
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Waits until it has connected to its database.
    async fn until_ready(&self) {
        let client = client();
        eventually(format!("{} is ready", self.address), async || {
            let answer = client.get(self.url("/health?deep=1")).send().await;
            answer.is_ok_and(|answer| answer.status() == 200)
        })
        .await;
    }
}

/// Returns a client that opens a connection for each request, like many clients.
fn client() -> Client {
    Client::builder()
        .pool_max_idle_per_host(0)
        .timeout(PATIENCE)
        .build()
        .unwrap()
}

async fn sign_up(client: &Client, url: &str, email: &str) -> Value {
    let body = json!({ "email": email, "password": "correct-horse-9" });
    let answer = client
        .post(format!("{url}/signup"))
        .json(&body)
        .send()
        .await;
    answered(answer.unwrap()).await
}

async fn answered(answer: Response) -> Value {
    let status = answer.status();
    let text = answer.text().await.unwrap();
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).unwrap()
}
