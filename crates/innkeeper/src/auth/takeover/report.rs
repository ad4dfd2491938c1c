//! The result of `innkeeper auth takeover check`, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use innkeeper_auth::TakeoverReport;
use innkeeper_auth::migrate::{LAST_VERSION, V2_VERSION};
use serde_json::{Value, json};

use super::env_settings::EnvSettings;
use crate::output;

/// What taking over a database would do.
pub(super) struct Report {
    pub(super) found: TakeoverReport,
    pub(super) settings: Option<EnvSettings>,
    pub(super) accepts_newer: bool,
}

impl Report {
    /// Returns why the database would be refused, or could not be used with these settings.
    pub(super) fn refusals(&self) -> Vec<String> {
        let schema = &self.found.schema;
        let mut refusals = Vec::new();
        if schema.version.is_none() {
            refusals.push(format!("schema {} has no history of GoTrue", schema.schema));
        }
        if let (Some(last), false) = (schema.newer.last(), self.accepts_newer) {
            refusals.push(format!(
                "version {last} is newer than this release knows ({LAST_VERSION}); upgrade Innkeeper, or pass \
                 --accept-newer"
            ));
        }
        refusals.extend(schema.problems.iter().map(ToString::to_string));
        refusals.extend(self.missing_keys());
        if let Some(settings) = &self.settings {
            let faults = settings.faults.iter();
            refusals.extend(faults.map(|fault| format!("settings: {fault}")));
        }
        refusals
    }

    /// Returns a text for each key that encrypts values and that the settings do not have.
    fn missing_keys(&self) -> Vec<String> {
        let known = self.settings.as_ref().and_then(|it| it.key_ids.as_ref());
        let Some(known) = known else {
            return Vec::new();
        };
        let used = self.found.counts.encryption_key_ids.iter();
        used.filter(|id| !known.contains(id))
            .map(|id| {
                format!("values are encrypted with the key {id}, which the settings do not have")
            })
            .collect()
    }

    /// Whether new sessions get refresh tokens of version 1, because the GoTrue beside knows no other.
    fn is_v1_only(&self) -> bool {
        let begun = self.found.state.as_ref();
        let version = match begun {
            Some(state) => state.found_version.as_deref(),
            None => self.found.schema.version.as_deref(),
        };
        version.is_some_and(|version| version < V2_VERSION)
            && begun.is_none_or(|state| state.finished_at.is_none())
    }

    pub(super) fn as_json(&self) -> Value {
        let schema = &self.found.schema;
        let refusals = self.refusals();
        json!({
            "schema": schema.schema,
            "version": schema.version,
            "known_version": LAST_VERSION,
            "newer_versions": schema.newer,
            "can_be_taken_over": refusals.is_empty(),
            "refusals": refusals,
            "migrations": self.found.missing,
            "estimated_seconds": self.found.estimate.as_secs_f64().ceil(),
            "counts": self.found.counts,
            "unknown_tables": schema.unknown_tables,
            "unknown_columns": schema.unknown_columns,
            "new_sessions": if self.is_v1_only() { "v1" } else { "v2" },
            "takeover": self.found.state.as_ref().map(|state| json!({
                "found_version": state.found_version,
                "found_at": state.found_at.to_string(),
                "accepted_version": state.accepted_version,
                "finished_at": state.finished_at.map(|at| at.to_string()),
            })),
            "settings": self.settings.as_ref().map(EnvSettings::document),
        })
    }

    pub(super) fn as_text(&self) -> String {
        let mut text = output::pairs(&self.schema_rows());
        text.push('\n');
        text.push_str(&output::pairs(&self.count_rows()));
        if let Some(settings) = &self.settings {
            text.push('\n');
            text.push_str(&settings_text(settings));
        }
        let refusals = self.refusals();
        if refusals.is_empty() {
            text.push_str("\nThe database can be taken over. Nothing was changed.\n");
        } else {
            text.push_str(&list(
                "\nThe database would be refused. Nothing was changed.",
                &refusals,
            ));
        }
        text
    }

    fn schema_rows(&self) -> Vec<(&'static str, String)> {
        let found = &self.found;
        let schema = &found.schema;
        let version = schema.version.as_deref().unwrap_or("none");
        let mut rows = vec![
            ("Schema", schema.schema.clone()),
            (
                "GoTrue's version",
                format!("{version} (known: {LAST_VERSION})"),
            ),
            ("Migrations", migrations_text(&found.missing)),
            (
                "Estimated time",
                format!("{:.0} s", found.estimate.as_secs_f64().ceil()),
            ),
        ];
        if let Some(state) = &found.state {
            let end = match state.finished_at {
                Some(at) => format!("finished {at:.0}"),
                None => "not finished".to_owned(),
            };
            rows.push(("Take-over", format!("begun {:.0}, {end}", state.found_at)));
        }
        let names = |names: &[String]| match names {
            [] => "none".to_owned(),
            names => format!("{} (left alone)", names.join(", ")),
        };
        rows.push(("Unknown tables", names(&schema.unknown_tables)));
        rows.push(("Unknown columns", names(&schema.unknown_columns)));
        rows
    }

    fn count_rows(&self) -> Vec<(&'static str, String)> {
        let counts = &self.found.counts;
        let mut rows = vec![
            ("Users", with_parts(counts.users, &counts.passwords)),
            ("Identities", counts.identities.to_string()),
            (
                "Sessions",
                format!(
                    "{} with tokens of version 1, {} of version 2",
                    counts.sessions_v1, counts.sessions_v2
                ),
            ),
            (
                "Factors",
                with_parts(counts.factors.values().sum(), &counts.factors),
            ),
            ("Flow states", counts.flow_states.to_string()),
            ("One-time tokens", counts.one_time_tokens.to_string()),
            ("Audit log", format!("{} entries", counts.audit_log_entries)),
        ];
        if counts.users_with_null_tokens > 0 {
            let number = counts.users_with_null_tokens;
            rows.push((
                "Null tokens",
                format!("{number} users, whom GoTrue cannot read and this server can"),
            ));
        }
        if counts.tokens_without_session > 0 {
            let number = counts.tokens_without_session;
            rows.push((
                "Old tokens",
                format!(
                    "{number} refresh tokens without a session, which get one when they are used"
                ),
            ));
        }
        if !counts.encryption_key_ids.is_empty() {
            rows.push(("Encryption keys", counts.encryption_key_ids.join(", ")));
        }
        let format = if self.is_v1_only() {
            "version 1, which the GoTrue of this schema reads, until `innkeeper auth takeover finish`"
        } else {
            "version 2"
        };
        rows.push(("New sessions", format.to_owned()));
        rows
    }
}

fn migrations_text(missing: &[&str]) -> String {
    // Our own have short numbers.
    let is_own = |name: &&&str| name.starts_with("00") && name.as_bytes().get(2) != Some(&b'_');
    let own = missing.iter().filter(is_own).count();
    let shared = missing.len() - own;
    format!("{shared} of GoTrue's history, {own} of this server's own tables")
}

fn with_parts(total: i64, parts: &BTreeMap<String, i64>) -> String {
    if parts.is_empty() {
        return total.to_string();
    }
    let parts: Vec<String> = parts
        .iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    format!("{total}: {}", parts.join(", "))
}

fn settings_text(settings: &EnvSettings) -> String {
    let mut text = String::new();
    if let Some(profile) = &settings.profile {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "Profile: {}", output::on_one_line(profile));
    }
    text.push_str(&list(
        "These settings are carried over under the names that they have:",
        &settings.known,
    ));
    if !settings.unknown.is_empty() {
        text.push_str(&list(
            "This server does not know these settings:",
            &settings.unknown,
        ));
    }
    if !settings.warnings.is_empty() {
        text.push_str(&list("The server would warn of:", &settings.warnings));
    }
    text
}

fn list(headline: &str, lines: &[String]) -> String {
    let mut text = format!("{headline}\n");
    for line in lines {
        let _ = writeln!(text, "  {}", output::on_one_line(line));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::migrations_text;

    #[test]
    fn migrations_are_counted_by_their_history() {
        assert_eq!(
            migrations_text(&["00_init_auth_schema", "20260625000000_x", "0011_sms"]),
            "2 of GoTrue's history, 1 of this server's own tables"
        );
    }
}
