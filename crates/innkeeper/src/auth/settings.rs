//! `innkeeper auth settings`: checks the settings and shows the ones that are set.

use clap::Args;
use innkeeper_auth::config::TABLE;
use innkeeper_service::settings::{Reader, Setting};
use serde_json::json;

use crate::output;
use crate::settings::{SettingsSource, read_auth};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// A setting that is set, under the name the operator used.
struct ShownSetting {
    name: String,
    /// `None` for a secret.
    value: Option<String>,
}

pub(super) fn run(source: &SettingsSource, arguments: &Arguments) -> anyhow::Result<()> {
    let mut reader = source.auth_reader()?;
    let config = read_auth(&mut reader)?;
    let shown = shown_settings(&mut reader);
    if arguments.json {
        let settings: Vec<_> = shown
            .iter()
            .map(|setting| json!({ "name": setting.name, "value": setting.value, "secret": setting.value.is_none() }))
            .collect();
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
    rows.extend(shown.iter().map(|setting| {
        let value = setting.value.clone();
        let value = value.unwrap_or_else(|| "(set, not shown)".to_owned());
        (setting.name.as_str(), value)
    }));
    output::print(&output::pairs(&rows))
}

fn shown_settings(reader: &mut Reader) -> Vec<ShownSetting> {
    let mut shown = Vec::new();
    for setting in TABLE.iter().flat_map(|section| section.settings) {
        for name in names(reader, setting) {
            if !reader.is_set(&name) {
                continue;
            }
            let value = reader.optional::<String>(&name);
            shown.push(ShownSetting {
                name: reader.shown_name(&name),
                value: value.filter(|_| !setting.secret),
            });
        }
    }
    shown
}

/// Returns the setting's name or, for a pattern, the names that are set.
fn names(reader: &mut Reader, setting: &Setting) -> Vec<String> {
    match setting.name.split_once('<') {
        None => vec![setting.name.to_owned()],
        Some((before, rest)) => {
            let after = rest.split_once('>').map_or("", |(_, after)| after);
            let words = reader.words_of(setting.name).into_iter();
            words.map(|word| format!("{before}{word}{after}")).collect()
        }
    }
}
