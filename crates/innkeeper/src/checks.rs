//! The checks of the settings that a server makes at its start, without starting it.

use anyhow::anyhow;
use innkeeper_auth::config as auth;
use innkeeper_hosting::config as hosting;
use innkeeper_service::telemetry::check_log_file;

use crate::listen;
use crate::logging::log_options;
use crate::output::with_causes;

/// Checks the auth server's settings as `innkeeper auth serve` does. Must be called on a runtime.
pub(crate) fn auth(config: &auth::Config) -> anyhow::Result<()> {
    listen::check_host(&config.api.host, config.api.port)?;
    check_log_file(&log_options(&config.telemetry))?;
    innkeeper_auth::check_settings(config).map_err(|error| anyhow!("{}", with_causes(&error)))
}

/// Checks the hosting server's settings as `innkeeper hosting serve` does. Must be called on a runtime.
pub(crate) fn hosting(config: &hosting::Config) -> anyhow::Result<()> {
    listen::check_host(&config.http.host, config.http.port)?;
    check_log_file(&config.log)?;
    innkeeper_hosting::check_settings(config).map_err(|error| anyhow!("{}", with_causes(&error)))
}
