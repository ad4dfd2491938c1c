//! The table of settings, and what is read by it.

use std::collections::BTreeSet;

use super::{Config, TABLE, reader};

fn faults(settings: &str) -> Vec<String> {
    let faults = Config::read(&mut reader().with_env_file(settings)).unwrap_err();
    faults.0.iter().map(ToString::to_string).collect()
}

#[test]
fn every_setting_of_the_table_is_read() {
    let mut reader = reader();
    Config::read(&mut reader).unwrap();
    assert_eq!(reader.never_asked(), [""; 0]);
}

#[test]
fn every_name_stands_for_one_setting() {
    let mut seen = BTreeSet::new();
    for setting in TABLE.iter().flat_map(|section| section.settings) {
        assert!(seen.insert(setting.name), "{} stands twice", setting.name);
        assert!(setting.doc.ends_with('.'), "{}", setting.name);
    }
}

#[test]
fn the_defaults_are_those_of_the_page() {
    let config = Config::read(&mut reader()).unwrap();
    assert_eq!(config.http.port, 8080);
    assert_eq!(config.http.connections_per_client, Some(1000));
    assert_eq!(config.content.dir, None);
    assert!(config.content.watch);
    let limits = config.limits;
    assert_eq!(
        (limits.health.requests(), limits.health.burst()),
        (600, 600)
    );
    assert_eq!((limits.public.requests(), limits.public.burst()), (120, 40));
    assert_eq!(
        (limits.content.requests(), limits.assets.burst()),
        (60, 200)
    );
    assert_eq!(limits.control.requests(), 60);
    assert_eq!(
        (limits.power.requests(), limits.power_key.requests()),
        (10, 30)
    );
    assert_eq!(
        (limits.command.requests(), limits.command.burst()),
        (300, 10)
    );
    assert_eq!((limits.log.requests(), limits.console.requests()), (30, 10));
}

#[test]
fn clients_may_have_any_number_of_connections_if_it_is_0() {
    let read = |text| Config::read(&mut reader().with_env_file(text)).unwrap();
    let count = |text| read(text).http.connections_per_client;
    assert_eq!(count("HOSTING_CONNECTIONS_PER_CLIENT=1"), Some(1));
    assert_eq!(count("HOSTING_CONNECTIONS_PER_CLIENT=0"), None);
}

#[test]
fn all_faults_are_reported_together() {
    let found = faults(
        "PORT=eighty\nHOSTING_CORS_ORIGINS=inn.example\nHOSTING_TRUSTED_PROXIES=here\n\
         HOSTING_CONTENT_DIR=/no/such/folder\nHOSTING_CONTENT_WATCH=perhaps\n\
         HOSTING_GAME_ADDRESS=two words\nHOSTING_GAME_PORTS=9-1\n\
         HOSTING_RATE_LIMIT_PUBLIC=120:0\nHOSTING_SITE_URL=ftp://inn.example\nHOSTING_LOG_LEVEL=loud\n",
    );
    let names: Vec<&str> = found
        .iter()
        .filter_map(|fault| fault.split(':').next())
        .collect();
    assert_eq!(
        names,
        [
            "HOSTING_CORS_ORIGINS",
            "HOSTING_TRUSTED_PROXIES",
            "PORT",
            "HOSTING_CONTENT_DIR",
            "HOSTING_SITE_URL",
            "HOSTING_CONTENT_WATCH",
            "HOSTING_GAME_ADDRESS",
            "HOSTING_GAME_PORTS",
            "HOSTING_RATE_LIMIT_PUBLIC",
            "HOSTING_LOG_LEVEL",
        ]
    );
}

#[test]
fn a_name_that_is_no_setting_is_a_warning() {
    let mut reader = reader().with_env_file("HOSTING_CONTENT_DRI=/tmp\n");
    let config = Config::read(&mut reader).unwrap();
    assert!(
        config.warnings[0].contains("CONTENT_DIR"),
        "{:?}",
        config.warnings
    );
}

#[test]
fn a_theme_that_cannot_be_used_is_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theme.css");
    let name = path.display();
    let setting = format!("HOSTING_STATUS_CSS={name}");
    let missing = faults(&setting);
    let expected = format!("HOSTING_STATUS_CSS: {name} cannot be read: ");
    assert!(missing[0].starts_with(&expected), "{missing:?}");
    std::fs::write(&path, "main {\n").unwrap();
    let expected = format!("HOSTING_STATUS_CSS: {name}:1: the `{{` is not closed");
    assert_eq!(faults(&setting), [expected]);
    std::fs::write(&path, "main { color: red }").unwrap();
    let config = Config::read(&mut reader().with_env_file(&setting)).unwrap();
    assert_eq!(config.content.status_css, Some(path));
}
