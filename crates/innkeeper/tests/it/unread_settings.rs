//! Settings that nothing reads are marked "not yet" in the table, and no other is.
//!
//! The sources are parsed, and a field of a settings struct counts as read where code outside of the
//! `config` folder, or a method of the struct, accesses it by the name of its section (`config.sms.otp_exp`),
//! by a variable of that name, or by a parameter of that type.

mod reads;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use innkeeper_service::settings::{Section, Setting, Support};

use reads::{ConfigField, find_reads};

/// Fields whose settings take effect while they are read, through other fields.
const USED_BY_CONFIG: [(&str, &str); 1] = [("CaptchaConfig", "provider")];

#[test]
fn unread_settings_of_the_auth_server_are_marked() {
    assert_eq!(mistakes("auth", innkeeper_auth::config::TABLE), [""; 0]);
}

#[test]
fn unread_settings_of_the_hosting_server_are_marked() {
    let table = innkeeper_hosting::config::TABLE;
    assert_eq!(mistakes("hosting", table), [""; 0]);
}

/// Returns the fields whose mark is wrong.
fn mistakes(server: &str, table: &[Section]) -> Vec<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let config = sources(&crates.join(server).join("src/config"));
    let mut code = sources(&crates.join(server).join("src"));
    code.retain(|path| !config.contains(path));
    code.extend(sources(&crates.join("innkeeper/src")));
    let (fields, reads) = find_reads(&config, &code);
    assert!(fields.len() > 20, "{}", fields.len());
    fields
        .iter()
        .filter_map(|field| mistake(field, table, &reads))
        .collect()
}

fn mistake(
    field: &ConfigField,
    table: &[Section],
    reads: &BTreeSet<(String, String)>,
) -> Option<String> {
    let mut settings = table.iter().flat_map(|section| section.settings);
    let setting: Option<&Setting> = settings.find(|setting| {
        let mut names = std::iter::once(&setting.name).chain(setting.aliases);
        names.any(|name| field.settings.iter().any(|setting| setting == name))
    });
    let shown = format!("{}.{}", field.owner, field.name);
    let is_read = reads.contains(&(field.owner.clone(), field.name.clone()));
    if USED_BY_CONFIG.contains(&(field.owner.as_str(), field.name.as_str())) {
        return is_read.then(|| format!("{shown} is read, and need not be in `USED_BY_CONFIG`"));
    }
    match (is_read, setting) {
        (true, Some(setting)) if setting.support == Support::NotYet => Some(format!(
            "{shown} is read, but {} is marked `not_yet`",
            setting.name
        )),
        (false, Some(setting)) if setting.support != Support::Supported => None,
        (false, Some(setting)) => Some(format!(
            "nothing reads {shown}, but {} is not marked `not_yet`",
            setting.name
        )),
        (false, None) if !field.settings.is_empty() => {
            Some(format!("{shown} names settings that are not in the table"))
        }
        (false, None) if field.is_section => None,
        (false, None) => Some(format!("nothing reads {shown}")),
        (true, _) => None,
    }
}

/// Returns the Rust files of a folder, without those of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if ["tests", "tests.rs", "for_tests.rs"].contains(&name) {
            continue;
        }
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
