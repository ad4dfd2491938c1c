//! `GET /health`: whether the server answers; with `deep=1`, whether its parts do too.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::{Response, resource};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) struct Health {
    pub(crate) app: Arc<App>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Health")]
struct Report {
    version: &'static str,
    /// Clients look for this name.
    name: &'static str,
    server: &'static str,
    description: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<Checks>,
}

/// What each part says. Why something is down stands in the log, for the operator alone.
#[derive(Serialize, JsonSchema)]
struct Checks {
    database: Check,
    keys: Check,
    mail: Check,
}

#[derive(Serialize, JsonSchema)]
struct Check {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<u64>,
}

impl Check {
    fn of(works: bool) -> Self {
        Self {
            status: if works { "up" } else { "down" },
            waiting: None,
        }
    }

    fn is_down(&self) -> bool {
        self.status == "down"
    }
}

#[resource("/health")]
impl Health {
    /// Says that the server is up. With `deep=1` it asks the database, sees whether there are keys to
    /// sign with, and tells how many mails wait; 503 if one of them is down.
    #[get]
    #[responds(200, Report)]
    #[responds(503, Report)]
    async fn show(&self, #[param(default = "")] deep: String) -> Response {
        let mut report = Report {
            version: crate::VERSION,
            name: "GoTrue",
            server: "innkeeper",
            description: "Innkeeper auth is a user registration and authentication API",
            status: None,
            checks: None,
        };
        if !matches!(deep.as_str(), "1" | "t" | "true") {
            return Response::ok().entity(report);
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
    async fn check(&self) -> Checks {
        let app = &self.app;
        let database = match tokio::time::timeout(PATIENCE, app.database.ping()).await {
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
        // The mail server is not asked: mails wait for it, and requests do not.
        let mail = if app.check_mail().is_ok() {
            Check {
                waiting: if database { self.waiting().await } else { None },
                ..Check::of(true)
            }
        } else {
            Check {
                status: "off",
                waiting: None,
            }
        };
        Checks {
            database: Check::of(database),
            keys: Check::of(app.ready.is_set()),
            mail,
        }
    }

    /// How many mails wait, if the database says so in time.
    async fn waiting(&self) -> Option<u64> {
        let counting = async {
            let conn = self.app.shared().await.ok()?;
            self.app.mailer.count_waiting(&conn).await.ok()
        };
        let counted = tokio::time::timeout(PATIENCE, counting).await;
        counted.unwrap_or_default()
    }
}
