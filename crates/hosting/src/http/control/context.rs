//! What all control endpoints share: credentials, limits, and access to machines.

use std::sync::Arc;
use std::time::Duration;

use http::header::RETRY_AFTER;
use innkeeper_rest::filter::FilterError;
use innkeeper_rest::{Origins, Rejection};
use innkeeper_service::database::PooledConnection;
use innkeeper_service::limiter::SharedLimiter;
use tokio::time::timeout;

use super::credentials::Credentials;
use super::refusal::{refusal, unavailable};
use crate::app::App;
use crate::base::error_code::ControlErrorCode;
use crate::http::rate_limits::{self, ControlLimits, Limit};
use crate::machines::power::PowerControl;
use crate::machines::{GameRecord, MachineView, StatsRecord};
use crate::model::{Action, Machine, MachineSpec, ObservedState};

/// How long a host may take to tell how much a machine uses.
const USAGE_TIMEOUT: Duration = Duration::from_secs(2);

/// What all control endpoints share.
#[derive(Debug)]
pub(crate) struct Control {
    pub(super) app: Arc<App>,
    pub(super) credentials: Credentials,
    pub(super) limits: ControlLimits,
    /// The pages that may use consoles with tickets: our own, and those of approved origins.
    pub(super) console_origins: Origins,
}

/// Counts against a limit by a text, where no filter does so.
pub(super) async fn count(limit: &Limit, text: &str) -> Result<(), Rejection> {
    let counted = limit.count_for(text).await;
    counted.map_err(|decision| {
        let wait = decision.more_in.as_secs() + 1;
        let refused = refusal(ControlErrorCode::RateLimited, "too many requests");
        refused.with_header(RETRY_AFTER, wait.into())
    })
}

impl Control {
    pub(in crate::http) fn new(
        app: &Arc<App>,
        limiter: &Arc<SharedLimiter>,
    ) -> Result<Arc<Self>, FilterError> {
        let failures = rate_limits::key_failures(app, limiter)?;
        Ok(Arc::new(Self {
            app: Arc::clone(app),
            credentials: Credentials::new(app, failures)?,
            limits: ControlLimits::new(&app.config.limits, limiter)?,
            console_origins: Origins::these(&app.config.http.cors_origins)?.or_same(),
        }))
    }

    /// Returns a connection to the database.
    pub(super) async fn connection(&self) -> Result<PooledConnection, Rejection> {
        let database = self.app.database.as_ref();
        let database = database.ok_or_else(|| unavailable("DATABASE_URL is not set"))?;
        let connection = database.ready_connection().await;
        connection.map_err(|error| unavailable(error.to_string()))
    }

    /// Returns what changes the power of machines.
    pub(super) fn power(&self) -> Result<&PowerControl, Rejection> {
        let power = self.app.power.as_ref();
        power.ok_or_else(|| unavailable("DATABASE_URL is not set"))
    }

    /// Adds to a machine what is needed to show it with an action that has not ended.
    pub(super) async fn view(
        &self,
        machine: Machine,
        active: Option<Action>,
    ) -> Result<MachineView, Rejection> {
        let connection = self.connection().await?;
        let view = match active {
            Some(_) => MachineView::with_action(&connection, machine, active).await,
            // Another action may have begun since the one that ended.
            None => MachineView::of(&connection, machine).await,
        };
        view.map_err(|error| unavailable(error.to_string()))
    }

    /// Returns how much a game server uses; `None` if it is off, or its host does not answer in time.
    pub(super) async fn stats(&self, machine: &Machine) -> Option<StatsRecord> {
        let MachineSpec::Game(spec) = &machine.spec else {
            return None;
        };
        let started_at = machine.started_at;
        let started_at = started_at.filter(|_| machine.observed == ObservedState::Running)?;
        let engine = self.app.node.as_ref()?.engines().game().ok()?;
        let usage = timeout(USAGE_TIMEOUT, engine.usage(machine.id)).await;
        let usage = usage.ok()?.ok()?;
        let uptime = self.app.clock.now().duration_since(started_at);
        Some(StatsRecord {
            cpu_pct: usage.cpu_percent,
            memory_bytes: usage.memory_bytes,
            memory_limit_bytes: u64::from(spec.memory_mib) << 20,
            disk_bytes: machine.disk_bytes,
            rx_bytes: usage.received_bytes,
            tx_bytes: usage.sent_bytes,
            uptime_ms: i64::try_from(uptime.as_millis()).unwrap_or(i64::MAX).max(0),
        })
    }

    /// Returns the record of a game server.
    pub(super) fn game_record(&self, view: &MachineView, stats: Option<StatsRecord>) -> GameRecord {
        GameRecord::of(view, self.app.config.game.address.as_deref(), stats)
    }
}
