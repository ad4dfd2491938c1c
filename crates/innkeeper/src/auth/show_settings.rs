//! `innkeeper auth settings`: what is set, and whether it is right.

use clap::Args;
use innkeeper_auth::config::TABLE;
use innkeeper_service::settings::{Reader, Setting};
use serde_json::json;

use super::settings::{Source, read};
use crate::output;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// A setting as it was found. Secrets have no value here.
struct Shown {
    name: String,
    value: Option<String>,
}

pub(super) fn run(source: &Source, arguments: &Arguments) -> anyhow::Result<()> {
    let mut reader = source.reader()?;
    let config = read(&mut reader)?;
    let shown = shown(&mut reader);
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
    for remark in config.warnings.iter().chain(&config.notices) {
        output::tell(&format!("warning: {}", output::on_one_line(remark)));
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

fn shown(reader: &mut Reader) -> Vec<Shown> {
    let mut shown = Vec::new();
    for setting in TABLE.iter().flat_map(|section| section.settings) {
        for name in names(reader, setting) {
            if !reader.is_set(&name) {
                continue;
            }
            let value = reader.optional::<String>(&name);
            shown.push(Shown {
                name: reader.shown_name(&name),
                value: value.filter(|_| !setting.secret),
            });
        }
    }
    shown
}

/// The name, or those that are set where it is a pattern.
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
