//! Deprecated settings and endpoints.

use innkeeper_service::settings::Reader;

/// A setting or endpoint that still works and will be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deprecated {
    /// The setting's name without prefix, or the endpoint's path.
    pub name: &'static str,
    /// The release that first logged the notice.
    pub since: &'static str,
    /// What to do instead.
    pub notice: &'static str,
}

/// The deprecated settings.
pub const SETTINGS: &[Deprecated] = &[
    Deprecated {
        name: "JWT_ADMIN_GROUP_NAME",
        since: "0.1.0",
        notice: "groups are not part of tokens; JWT_ADMIN_ROLES names the roles of administrators",
    },
    Deprecated {
        name: "JWT_DEFAULT_GROUP_NAME",
        since: "0.1.0",
        notice: "groups are not part of tokens; it still sets the role of new users",
    },
    Deprecated {
        name: "OPERATOR_TOKEN",
        since: "0.1.0",
        notice: "there is no multi-instance mode; remove it",
    },
    Deprecated {
        name: "API_ENDPOINT",
        since: "0.1.0",
        notice: "there is no multi-instance mode; remove it",
    },
];

/// The deprecated endpoints.
pub const ENDPOINTS: &[Deprecated] = &[Deprecated {
    name: "/magiclink",
    since: "0.1.0",
    notice: "use POST /otp with an email",
}];

/// Returns the notice for a setting, by its name without prefix.
pub fn setting(name: &str) -> Option<&'static str> {
    notice(SETTINGS, name)
}

/// Returns the notice for an endpoint, by its path.
pub fn endpoint(path: &str) -> Option<&'static str> {
    notice(ENDPOINTS, path)
}

fn notice(table: &'static [Deprecated], name: &str) -> Option<&'static str> {
    let entry = table.iter().find(|entry| entry.name == name)?;
    Some(entry.notice)
}

/// Returns a line for each deprecated setting that is set, and one for names with the old prefix.
pub(super) fn notices(reader: &mut Reader) -> Vec<String> {
    let mut notices = Vec::new();
    for entry in SETTINGS {
        if reader.is_set(entry.name) {
            let name = reader.shown_name(entry.name);
            let Deprecated { since, notice, .. } = entry;
            notices.push(format!("{name} is deprecated since {since}: {notice}"));
        }
    }
    let old = reader.old_names();
    if !old.is_empty() {
        notices.push(format!("read under the old prefix: {}", old.join(", ")));
    }
    notices
}
