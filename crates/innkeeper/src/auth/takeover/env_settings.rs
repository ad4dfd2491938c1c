//! The settings of GoTrue in a file, as this server reads them.

use innkeeper_auth::config::{self, Config};
use innkeeper_service::settings::EnvFile;
use serde_json::{Value, json};

/// What this server makes of a settings file of GoTrue. It contains names, no values.
#[derive(Debug)]
pub(super) struct EnvSettings {
    /// The settings that this server reads.
    pub(super) known: Vec<String>,
    /// The names with GoTrue's prefix that this server does not know.
    pub(super) unknown: Vec<String>,
    /// Why the server would not start with this file.
    pub(super) faults: Vec<String>,
    /// What the server would warn of.
    pub(super) warnings: Vec<String>,
    /// The profile, and why.
    pub(super) profile: Option<String>,
    /// The ids of the keys that decrypt values.
    pub(super) key_ids: Option<Vec<String>>,
    /// The URL of the database, a secret.
    pub(super) database_url: Option<String>,
    pub(super) schema: Option<String>,
}

impl EnvSettings {
    /// Reads the text of a file.
    pub(super) fn read(text: &str) -> Self {
        let mut reader = config::reader().with_env_file(text);
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        let file = EnvFile::parse(text);
        for (name, value) in &file.values {
            if value.is_empty() {
                continue;
            }
            if reader.knows(name) {
                known.push(name.clone());
            } else if name.starts_with("GOTRUE_") {
                unknown.push(name.clone());
            }
        }
        // With a fault there are no settings to look into; the two that are needed here are read by themselves.
        let database_url = reader.optional::<String>("DATABASE_URL");
        let schema = reader.optional::<String>("DB_NAMESPACE");
        let mut settings = Self {
            known,
            unknown,
            faults: Vec::new(),
            warnings: Vec::new(),
            profile: None,
            key_ids: None,
            database_url,
            schema,
        };
        match Config::read(&mut reader) {
            Ok(config) => settings.add(&config),
            Err(faults) => {
                settings.faults = faults.0.iter().map(ToString::to_string).collect();
            }
        }
        settings
    }

    fn add(&mut self, config: &Config) {
        let notices = config.warnings.iter().chain(&config.notices);
        self.warnings = notices.cloned().collect();
        self.profile = Some(format!(
            "{} ({})",
            config.profile.name(),
            config.profile_reason
        ));
        let encryption = &config.security.db_encryption;
        let mut key_ids: Vec<String> = encryption.decryption_keys.keys().cloned().collect();
        if encryption.encryption_key.is_some() {
            key_ids.push(encryption.encryption_key_id.clone());
        }
        self.key_ids = Some(key_ids);
    }

    pub(super) fn document(&self) -> Value {
        json!({
            "profile": self.profile,
            "known": self.known,
            "unknown": self.unknown,
            "faults": self.faults,
            "warnings": self.warnings,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::EnvSettings;

    const COMPLETE: &str = "
GOTRUE_SITE_URL=http://localhost:3000
API_EXTERNAL_URL=http://localhost:9999
GOTRUE_API_HOST=localhost
GOTRUE_DB_DRIVER=postgres
DATABASE_URL=postgres://localhost/auth
GOTRUE_JWT_SECRET=short
GOTRUE_NOT_A_SETTING=1
GOTRUE_EMPTY=
OTHER=1
";

    #[test]
    fn names_are_sorted_into_known_and_unknown_ones() {
        let settings = EnvSettings::read(COMPLETE);
        assert_eq!(settings.faults, [""; 0]);
        assert!(settings.known.contains(&"GOTRUE_JWT_SECRET".to_owned()));
        assert!(settings.known.contains(&"DATABASE_URL".to_owned()));
        assert_eq!(settings.unknown, ["GOTRUE_NOT_A_SETTING"]);
        assert_eq!(
            settings.database_url.as_deref(),
            Some("postgres://localhost/auth")
        );
        assert!(settings.profile.unwrap().starts_with("gotrue (implied"));
        // A short secret is accepted, as GoTrue accepts it, and warned of.
        assert!(
            settings
                .warnings
                .iter()
                .any(|warning| warning.starts_with("GOTRUE_JWT_SECRET: is shorter than 32 bytes")),
            "{:?}",
            settings.warnings
        );
    }

    #[test]
    fn what_would_prevent_a_start_is_named_without_values() {
        let settings = EnvSettings::read("GOTRUE_JWT_EXP=soon\nDATABASE_URL=postgres://h/d\n");
        let faults = settings.faults.join("\n");
        assert!(faults.contains("SITE_URL"), "{faults}");
        assert!(faults.contains("GOTRUE_JWT_EXP"), "{faults}");
        assert_eq!(settings.database_url.as_deref(), Some("postgres://h/d"));
        assert!(!settings.document().to_string().contains("postgres://"));
    }
}
