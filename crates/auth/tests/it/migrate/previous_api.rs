//! The promise of `docs/versioning.md`: what clients and operators used in the previous release is still there.
//!
//! The lists in `release-0.1.0` may have more lines today than then, and no line may be missing. For another release,
//! `UPDATE_DOCS=1` writes the lists that do not exist; those that exist stay as they are.

use std::collections::BTreeSet;
use std::fs;

use innkeeper_auth::Auth;
use innkeeper_auth::config::{Config, TABLE, deprecated, reader};
use serde_json::Value;

use super::previous_release::{file, path};

/// Returns a list of the previous release.
fn recorded(name: &str, now: &BTreeSet<String>) -> BTreeSet<String> {
    if std::env::var_os("UPDATE_DOCS").is_some() && !path(name).exists() {
        let lines: Vec<&str> = now.iter().map(String::as_str).collect();
        fs::write(path(name), lines.join("\n") + "\n").unwrap();
    }
    file(name).lines().map(str::to_owned).collect()
}

/// Follows a reference of the document.
fn resolved<'v>(document: &'v Value, schema: &'v Value) -> &'v Value {
    let reference = schema["$ref"].as_str().and_then(|it| it.strip_prefix('#'));
    reference.map_or(schema, |pointer| {
        document.pointer(pointer).unwrap_or(&Value::Null)
    })
}

/// Returns the members of a schema and their members, such as `user` and `user.email`.
fn members(document: &Value, schema: &Value, depth: usize) -> BTreeSet<String> {
    let schema = resolved(document, schema);
    let mut found = BTreeSet::new();
    for name in ["allOf", "anyOf", "oneOf"] {
        for part in schema[name].as_array().into_iter().flatten() {
            found.extend(members(document, part, depth));
        }
    }
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        if depth > 0 {
            let inner = members(document, member, depth - 1);
            found.extend(inner.iter().map(|member| format!("{name}.{member}")));
        }
        found.insert(name.clone());
    }
    found
}

/// Adds what one operation takes and answers.
fn operation(document: &Value, name: &str, operation: &Value, found: &mut BTreeSet<String>) {
    found.insert(name.to_owned());
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let parameter = resolved(document, parameter);
        let named = parameter["name"].as_str().unwrap();
        found.insert(format!("{name} takes {named}"));
    }
    let body = |content: &Value, what: &str, found: &mut BTreeSet<String>| {
        let schema = &content["content"]["application/json"]["schema"];
        let members = members(document, schema, 1);
        found.extend(
            members
                .iter()
                .map(|member| format!("{name} {what} {member}")),
        );
    };
    body(&operation["requestBody"], "reads", found);
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        if status.starts_with(['2', '3']) {
            found.insert(format!("{name} answers {status}"));
            let response = resolved(document, response);
            body(response, &format!("answers {status} with"), found);
        }
    }
}

/// Returns what requests must have, as `POST /token needs grant_type`.
fn needed(document: &Value) -> BTreeSet<String> {
    let mut needed = BTreeSet::new();
    for (name, operation) in operations(document) {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let parameter = resolved(document, parameter);
            if parameter["required"] == true {
                let named = parameter["name"].as_str().unwrap();
                needed.insert(format!("{name} needs {named}"));
            }
        }
        let content = &operation["requestBody"]["content"]["application/json"]["schema"];
        let schema = resolved(document, content);
        for member in schema["required"].as_array().into_iter().flatten() {
            needed.insert(format!("{name} needs {}", member.as_str().unwrap()));
        }
    }
    needed
}

/// Returns every operation with its name, such as `GET /user`.
fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    paths
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().iter();
            methods.map(move |(method, it)| (format!("{} {path}", method.to_uppercase()), it))
        })
        .collect()
}

#[test]
fn every_endpoint_of_the_release_before_is_there_with_its_members() {
    let document = Auth::openapi().unwrap();
    let mut now = BTreeSet::new();
    for (name, it) in operations(&document) {
        operation(&document, &name, it, &mut now);
    }
    assert!(
        now.contains("POST /token answers 200 with access_token"),
        "{now:?}"
    );
    let before = recorded("api.txt", &now);
    let gone: Vec<&String> = before.difference(&now).collect();
    assert!(gone.is_empty(), "{gone:#?}");
    // No request of a client may become incomplete.
    let now = needed(&document);
    let before_needed = recorded("api-needs.txt", &now);
    let new: Vec<&String> = now
        .difference(&before_needed)
        .filter(|line| before.contains(line.split(" needs ").next().unwrap()))
        .collect();
    assert!(new.is_empty(), "{new:#?}");
}

/// Returns every name of a setting, without prefix.
fn names() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for setting in TABLE.iter().flat_map(|section| section.settings) {
        names.extend(setting.aliases.iter().map(|alias| (*alias).to_owned()));
        let words = match setting.words {
            [] => &["ANY"][..],
            words => words,
        };
        let (before, rest) = setting.name.split_once('<').unwrap_or((setting.name, ""));
        match rest.split_once('>') {
            None => {
                names.insert(before.to_owned());
            }
            Some((_, after)) => {
                names.extend(words.iter().map(|word| format!("{before}{word}{after}")));
            }
        }
    }
    names
}

#[test]
fn every_setting_of_the_release_before_is_known() {
    let before = recorded("settings.txt", &names());
    assert!(before.contains("SITE_URL") && before.contains("EXTERNAL_GITHUB_CLIENT_ID"));
    let set = before
        .iter()
        .map(|name| (format!("AUTH_{name}"), "x".to_owned()));
    assert_eq!(reader().with_environment(set).unknown_names(), [""; 0]);
}

#[test]
fn the_settings_that_the_release_before_needed_are_enough() {
    for name in ["std.env", "gotrue.env"] {
        let mut reader = reader().with_env_file(&file(name));
        let config = Config::read(&mut reader).unwrap();
        assert_eq!(config.warnings, [""; 0], "{name}");
    }
}

fn major(version: &str) -> u64 {
    version.split('.').next().unwrap().parse().unwrap()
}

#[test]
fn what_the_release_before_deprecated_stays_for_two_major_releases() {
    let mut now = BTreeSet::new();
    for (kind, table) in [
        ("setting", deprecated::SETTINGS),
        ("endpoint", deprecated::ENDPOINTS),
    ] {
        let lines = table.iter();
        now.extend(lines.map(|entry| format!("{} {kind} {}", entry.since, entry.name)));
    }
    for line in recorded("deprecated.txt", &now) {
        let since = line.split(' ').next().unwrap();
        let may_be_gone = major(innkeeper_auth::VERSION) >= major(since) + 2;
        assert!(now.contains(&line) || may_be_gone, "{line} is gone");
    }
}
