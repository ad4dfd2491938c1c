//! Tests of the settings.

mod custom;
mod deprecation;
mod hooks;
mod page;
mod pages;
mod profiles;
mod protection;
mod requirements;
mod sections;
mod sms;
mod specified;
mod switches;
mod telemetry;
mod templates;
mod types;
mod webauthn;

use innkeeper_service::settings::Reader;

use super::{Config, reader};

/// The required settings of the std profile.
const STD: &[(&str, &str)] = &[
    ("AUTH_SITE_URL", "https://example.com"),
    ("AUTH_API_EXTERNAL_URL", "https://auth.example.com"),
    (
        "AUTH_DATABASE_URL",
        "postgres://user:hunter2@localhost/auth",
    ),
    ("AUTH_JWT_SECRET", "0123456789abcdef0123456789abcdef"),
    ("AUTH_SMTP_ADMIN_EMAIL", "admin@example.com"),
    ("AUTH_SMTP_HOST", "mail.example.com"),
    ("AUTH_SMTP_PORT", "25"),
];

/// The required settings of the gotrue profile.
const GOTRUE: &[(&str, &str)] = &[
    ("GOTRUE_SITE_URL", "https://example.com"),
    ("API_EXTERNAL_URL", "https://auth.example.com"),
    ("DATABASE_URL", "postgres://user:hunter2@localhost/auth"),
    ("GOTRUE_JWT_SECRET", "0123456789abcdef0123456789abcdef"),
    ("GOTRUE_SMTP_ADMIN_EMAIL", "admin@example.com"),
    ("GOTRUE_SMTP_HOST", "mail.example.com"),
];

/// Returns a reader of these settings; later ones win.
fn reader_of(settings: &[&[(&str, &str)]]) -> Reader {
    let pairs = settings.iter().copied().flatten();
    reader().with_environment(pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
}

/// Reads the settings of std with these changes.
fn std_with(changes: &[(&str, &str)]) -> Config {
    Config::read(&mut reader_of(&[STD, changes])).unwrap()
}

/// Reads the settings of gotrue with these changes.
fn gotrue_with(changes: &[(&str, &str)]) -> Config {
    Config::read(&mut reader_of(&[GOTRUE, changes])).unwrap()
}

/// Returns the faults that the changes cause in std.
fn std_faults(changes: &[(&str, &str)]) -> Vec<String> {
    faults_of(&[STD, changes])
}

/// Returns the faults that the changes cause in gotrue.
fn gotrue_faults(changes: &[(&str, &str)]) -> Vec<String> {
    faults_of(&[GOTRUE, changes])
}

fn faults_of(settings: &[&[(&str, &str)]]) -> Vec<String> {
    let faults = Config::read(&mut reader_of(settings)).expect_err("a fault");
    faults.0.iter().map(ToString::to_string).collect()
}
