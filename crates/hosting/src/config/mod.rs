//! The settings of the server, read once at start.

mod containers;
mod content;
mod database;
mod game;
mod http;
mod keys;
mod limits;
mod log;
mod machines;
mod metrics;
mod table;
#[cfg(test)]
mod tests;
mod vps;

use innkeeper_service::settings::{Faults, Reader};

pub use containers::ContainerConfig;
pub use content::ContentConfig;
pub use database::DatabaseConfig;
pub use game::GameConfig;
pub use http::HttpConfig;
pub use keys::{KeyConfig, Pepper};
pub use limits::LimitConfig;
pub use machines::MachinesConfig;
pub use metrics::MetricsConfig;
pub use table::{PREFIXES, TABLE, reader, settings_markdown};
pub use vps::{Accelerator, VpsConfig};

/// Every setting of the server.
#[derive(Debug, Clone)]
pub struct Config {
    /// Warnings for the log, such as unknown settings.
    pub warnings: Vec<String>,
    /// The listener, CORS and proxies.
    pub http: HttpConfig,
    /// `CONTAINER_*`.
    pub containers: ContainerConfig,
    /// `CONTENT_*` and `SITE_*`.
    pub content: ContentConfig,
    /// `DATABASE_URL`, `DB_*` and `STATUS_*`.
    pub database: DatabaseConfig,
    /// `GAME_*`.
    pub game: GameConfig,
    /// `KEY_*`.
    pub keys: KeyConfig,
    /// `RATE_LIMIT_*`.
    pub limits: LimitConfig,
    /// `LOG_*`.
    pub log: innkeeper_service::telemetry::LogOptions,
    /// `MACHINES_DIR`, `ACTION_LEASE` and `ENGINE_TIMEOUT`.
    pub machines: MachinesConfig,
    /// `METRICS_*`.
    pub metrics: MetricsConfig,
    /// `VPS_*` and `QEMU_*`.
    pub vps: VpsConfig,
}

impl Config {
    /// Reads and checks every setting. All faults are reported together.
    ///
    /// ```
    /// use innkeeper_hosting::config::{Config, reader};
    ///
    /// let mut reader = reader().with_env_file("HOSTING_PORT=eighty\nHOSTING_CORS_ORIGINS=inn.example\n");
    /// let faults = Config::read(&mut reader).unwrap_err();
    /// assert_eq!(faults.0.len(), 2);
    /// ```
    pub fn read(reader: &mut Reader) -> Result<Self, Faults> {
        let mut config = Self {
            warnings: Vec::new(),
            http: HttpConfig::read(reader),
            containers: ContainerConfig::read(reader),
            content: ContentConfig::read(reader),
            database: DatabaseConfig::read(reader),
            game: GameConfig::read(reader),
            keys: KeyConfig::read(reader),
            limits: LimitConfig::read(reader),
            log: log::read(reader),
            machines: MachinesConfig::read(reader),
            metrics: MetricsConfig::read(reader),
            vps: VpsConfig::read(reader),
        };
        if config.machines.dir.is_some() && config.database.url.is_none() {
            reader.fault("MACHINES_DIR", "needs DATABASE_URL");
        }
        config.warnings = reader.take_warnings();
        config.warnings.extend(reader.unknown_names());
        reader.finish()?;
        Ok(config)
    }

    /// Returns the configuration if nothing is set.
    ///
    /// # Panics
    ///
    /// Never: what it reads is a constant.
    #[expect(clippy::expect_used, reason = "what it reads is a constant")]
    pub fn defaults() -> Self {
        Self::read(&mut reader()).expect("settings without faults")
    }

    /// Returns a configuration for tests: demo content on a loopback address.
    pub fn for_tests() -> Self {
        let mut config = Self::defaults();
        "127.0.0.1".clone_into(&mut config.http.host);
        config.http.port = 0;
        config
    }
}
