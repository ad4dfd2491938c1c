//! `innkeeper hosting settings`: checks the settings as the server does, and shows the ones that are set.

use clap::Args;
use innkeeper_hosting::config::TABLE;
use serde_json::json;

use crate::settings::read_hosting;
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
    let mut reader = source.hosting_reader()?;
    let config = read_hosting(&mut reader)?;
    task::on_runtime(|| checks::hosting(&config))?;
    let shown = ShownSetting::all(&mut reader, TABLE);
    if arguments.json {
        let settings: Vec<_> = shown.iter().map(ShownSetting::document).collect();
        return output::print_json(&json!({ "settings": settings, "warnings": config.warnings }));
    }
    for warning in &config.warnings {
        output::tell(&format!("warning: {}", output::on_one_line(warning)));
    }
    let rows: Vec<_> = shown.iter().map(ShownSetting::row).collect();
    if rows.is_empty() {
        return output::print("No settings are set; the defaults apply.\n");
    }
    output::print(&output::pairs(&rows))
}
