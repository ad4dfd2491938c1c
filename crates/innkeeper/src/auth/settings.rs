//! `innkeeper auth settings`: checks the settings as the server does, and shows the ones that are set.

use clap::Args;
use innkeeper_auth::config::TABLE;
use serde_json::json;

use crate::settings::read_auth;
use crate::settings_source::SettingsSource;
use crate::shown_settings::ShownSetting;
use crate::{checks, output, task};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &SettingsSource, arguments: &Arguments) -> anyhow::Result<()> {
    let mut reader = source.auth_reader()?;
    let config = read_auth(&mut reader)?;
    task::on_runtime(|| checks::auth(&config))?;
    let shown = ShownSetting::all(&mut reader, TABLE);
    if arguments.json {
        let settings: Vec<_> = shown.iter().map(ShownSetting::document).collect();
        return output::print_json(&json!({
            "profile": config.profile.name(),
            "profile_reason": config.profile_reason,
            "settings": settings,
            "warnings": config.warnings,
            "notices": config.notices,
        }));
    }
    for warning in config.warnings.iter().chain(&config.notices) {
        output::tell(&format!("warning: {}", output::on_one_line(warning)));
    }
    let profile = format!("{} ({})", config.profile.name(), config.profile_reason);
    let mut rows = vec![("profile", profile)];
    rows.extend(shown.iter().map(ShownSetting::row));
    output::print(&output::pairs(&rows))
}
