//! `innkeeper about`: the parts and their versions.

use std::fmt::Write;

use serde_json::json;

/// One part of Innkeeper, as shown to people.
struct Part {
    name: &'static str,
    version: &'static str,
    summary: &'static str,
}

const PARTS: &[Part] = &[
    Part {
        name: "rest",
        // All packages carry the workspace's version; the binary does not link the framework itself.
        version: env!("CARGO_PKG_VERSION"),
        summary: "the REST framework, a library",
    },
    Part {
        name: "auth",
        version: innkeeper_auth::VERSION,
        summary: "the authentication server; nothing to run yet",
    },
    Part {
        name: "hosting",
        version: innkeeper_hosting::VERSION,
        summary: "the hosting API; nothing to run yet",
    },
];

/// What `innkeeper about` prints: a table, or JSON.
pub(crate) fn text(json: bool) -> String {
    if json { as_json() } else { as_table() }
}

fn as_table() -> String {
    let mut table = format!("{:<10}{:<10}{}\n", "PART", "VERSION", "WHAT IT IS");
    for part in PARTS {
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "{:<10}{:<10}{}",
            part.name, part.version, part.summary
        );
    }
    table
}

fn as_json() -> String {
    let parts: Vec<_> = PARTS
        .iter()
        .map(|part| json!({ "name": part.name, "version": part.version, "summary": part.summary }))
        .collect();
    let document = json!({ "version": env!("CARGO_PKG_VERSION"), "parts": parts });
    format!("{document:#}\n")
}
