//! `GET /health`: whether the server is up; with `deep=1`, whether its components are.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::{Response, resource};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;

/// How long the database may take to answer.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);

pub(crate) struct Health {
    pub(crate) app: Arc<App>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Health")]
struct HealthReport {
    version: &'static str,
    /// Always `GoTrue`: clients look for this name.
    name: &'static str,
    server: &'static str,
    description: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<HealthChecks>,
}

/// The state of each component. The log says why one is down; clients do not learn it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Checks")]
struct HealthChecks {
    database: ComponentCheck,
    keys: ComponentCheck,
    mail: ComponentCheck,
}

/// The state of one component.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Check")]
struct ComponentCheck {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<u64>,
}

impl ComponentCheck {
    fn of(is_up: bool) -> Self {
        Self {
            status: if is_up { "up" } else { "down" },
            waiting: None,
        }
    }

    fn is_down(&self) -> bool {
        self.status == "down"
    }
}

#[resource("/health")]
impl Health {
    /// Returns whether the server is up: 503 until it was ready for the first time. With `deep=1` it checks the database and the signing keys, and counts
    /// the waiting mails; 503 if a component is down.
    #[get]
    #[responds(200, HealthReport)]
    #[responds(503, HealthReport)]
    async fn show(&self, #[param(default = "")] deep: String) -> Response {
        let mut report = HealthReport {
            version: crate::base::VERSION,
            name: "GoTrue",
            server: "innkeeper",
            description: "Innkeeper auth is a user registration and authentication API",
            status: None,
            checks: None,
        };
        if !matches!(deep.as_str(), "1" | "t" | "true") {
            // Once it was ready, a restart would not help.
            let status = if self.app.ready.is_set() { 200 } else { 503 };
            return Response::status(status).entity(report);
        }
        let checks = self.check().await;
        let is_down = checks.database.is_down() || checks.keys.is_down();
        report.status = Some(if is_down { "down" } else { "up" });
        report.checks = Some(checks);
        let status = if is_down { 503 } else { 200 };
        Response::status(status).entity(report)
    }
}

impl Health {
    async fn check(&self) -> HealthChecks {
        let app = &self.app;
        let database = match tokio::time::timeout(DATABASE_TIMEOUT, app.database.ping()).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::warn!(%error, "the database does not answer");
                false
            }
            Err(_) => {
                tracing::warn!("the database does not answer in time");
                false
            }
        };
        // The mail server is not checked: mails wait for it, requests do not.
        let mail = if app.sends_mail() {
            ComponentCheck {
                waiting: if database { self.waiting().await } else { None },
                ..ComponentCheck::of(true)
            }
        } else {
            ComponentCheck {
                status: "off",
                waiting: None,
            }
        };
        HealthChecks {
            database: ComponentCheck::of(database),
            keys: ComponentCheck::of(app.ready.is_set()),
            mail,
        }
    }

    /// Counts the waiting mails, if the database answers in time.
    async fn waiting(&self) -> Option<u64> {
        let counting = async {
            let conn = self.app.shared().await.ok()?;
            self.app.mailer.count_waiting(&conn).await.ok()
        };
        let counted = tokio::time::timeout(DATABASE_TIMEOUT, counting).await;
        counted.unwrap_or_default()
    }
}
