//! The order of a crate's parts.

use std::collections::{BTreeMap, BTreeSet};

/// The parts of each crate from top to bottom; a part imports only those below it. A part is a file or a folder of
/// `src`, without its ending.
pub(super) const WINGS: [(&str, &[&str]); 7] = [
    (
        "auth",
        &[
            "lib",
            "server",
            "http/api",
            "http/pages",
            "http",
            "flow",
            "app",
            "outside",
            "crypto",
            "store",
            "config",
            "model",
            "base",
        ],
    ),
    (
        "gotemplate",
        &[
            "lib",
            "template",
            "render",
            "parser",
            "syntax",
            "lexer",
            "html_context",
            "functions",
            "error",
            "content_type",
            "escape",
            "format",
            "value",
            "limits",
        ],
    ),
    (
        "hosting",
        &[
            "lib", "server", "http", "app", "operate", "status", "content", "machines", "store",
            "config", "model", "base",
        ],
    ),
    (
        "innkeeper",
        &[
            "main",
            "settings_page",
            "auth",
            "hosting",
            "doctor",
            "status",
            "openapi",
            "open",
            "man",
            "logs",
            "completions",
            "settings_source",
            "shown_settings",
            "up",
            "settings",
            "portal",
            "demo_provider",
            "runtime",
            "file_limit",
            "reload",
            "health",
            "task",
            "progress",
            "duration",
            "checks",
            "logging",
            "listen",
            "about",
            "output",
        ],
    ),
    (
        "rest",
        &[
            "lib",
            "guide",
            "private",
            "validation",
            "autoref",
            "convert",
            "testing",
            "server",
            "app",
            "openapi",
            "api",
            "resource",
            "websocket",
            "filter",
            "files",
            "pipeline",
            "source",
            "call",
            "paging",
            "prepared",
            "error_format",
            "range",
            "conditional",
            "format",
            "multipart",
            "deferred",
            "coding",
            "future",
            "response",
            "events",
            "request",
            "rejection",
            "route",
            "body",
            "head",
            "syntax",
            "runtime",
            "box_error",
        ],
    ),
    (
        "rest-macros",
        &[
            "lib",
            "misuse",
            "location",
            "expand",
            "block",
            "route",
            "source",
            "resource_args",
            "method",
            "verb",
            "argument",
            "path",
            "api_error",
            "runtime_crate",
            "annotations",
            "errors",
            "attribute",
        ],
    ),
    (
        "service",
        &[
            "lib",
            "testing",
            "telemetry",
            "smtp_sink",
            "outbound",
            "migrate",
            "limiter",
            "html",
            "connections",
            "cluster",
            "database",
            "settings",
            "duration",
            "secret",
            "random",
            "loopback",
            "clock",
        ],
    ),
];

/// Imports upwards that are known: account pages call the functions of endpoints.
const EXEMPT: [(&str, &[(&str, &str)]); 1] = [(
    "auth",
    &[
        ("http/pages/account_page.rs", "http/api/user.rs"),
        ("http/pages/authenticator.rs", "http/api/rate_limits.rs"),
        ("http/pages/code.rs", "http/api/client.rs"),
        ("http/pages/code.rs", "http/api/rate_limits.rs"),
        ("http/pages/code.rs", "http/api/recover.rs"),
        ("http/pages/code.rs", "http/api/resend.rs"),
        ("http/pages/confirm.rs", "http/api/client.rs"),
        ("http/pages/email_link.rs", "http/api/otp.rs"),
        ("http/pages/email_link.rs", "http/api/rate_limits.rs"),
        ("http/pages/factor_code.rs", "http/api/rate_limits.rs"),
        (
            "http/pages/forgotten_password.rs",
            "http/api/rate_limits.rs",
        ),
        ("http/pages/forgotten_password.rs", "http/api/recover.rs"),
        ("http/pages/passkey_sign_in.rs", "http/api/captcha.rs"),
        ("http/pages/password_form.rs", "http/api/reauthenticate.rs"),
        ("http/pages/phone_factor.rs", "http/api/rate_limits.rs"),
        ("http/pages/providers.rs", "http/api/client.rs"),
        ("http/pages/second_factor.rs", "http/api/client.rs"),
        ("http/pages/second_factor.rs", "http/api/rate_limits.rs"),
        ("http/pages/security_key.rs", "http/api/rate_limits.rs"),
        ("http/pages/sign_in.rs", "http/api/captcha.rs"),
        ("http/pages/sign_in.rs", "http/api/token.rs"),
        ("http/pages/sign_up.rs", "http/api/rate_limits.rs"),
        ("http/pages/sign_up.rs", "http/api/signup.rs"),
        ("http/pages/visit.rs", "http/api/client.rs"),
    ],
)];

/// The known imports upwards of a crate.
pub(super) fn exempt(name: &str) -> impl Iterator<Item = (String, String)> {
    let of_crate = EXEMPT.iter().filter(move |(known, _)| *known == name);
    let edges = of_crate.flat_map(|(_, edges)| *edges);
    edges.map(|(from, to)| ((*from).to_owned(), (*to).to_owned()))
}

/// What the imports of a crate say about the order of its parts.
#[derive(Debug)]
pub(super) struct Order {
    /// The files and folders at the top of `src`.
    pub(super) entries: BTreeSet<String>,
    /// Files that belong to no part.
    pub(super) unplaced: BTreeSet<String>,
    /// Imports from a part to one above it.
    pub(super) upwards: Vec<(String, String)>,
}

/// Compares the imports between files with the order of the parts.
pub(super) fn order(
    files: &BTreeSet<String>,
    edges: &BTreeSet<(String, String)>,
    parts: &[&str],
) -> Order {
    let floors: BTreeMap<&str, Option<usize>> = files
        .iter()
        .map(|file| (file.as_str(), floor(file, parts)))
        .collect();
    let is_upward = |(from, to): &&(String, String)| {
        let floor = |file: &String| floors.get(file.as_str()).copied().flatten();
        matches!((floor(from), floor(to)), (Some(from), Some(to)) if to < from)
    };
    let unplaced = files.iter().filter(|file| floors[file.as_str()].is_none());
    Order {
        entries: files.iter().map(|file| top(file)).collect(),
        unplaced: unplaced.cloned().collect(),
        upwards: edges.iter().filter(is_upward).cloned().collect(),
    }
}

/// The position of the part that a file belongs to: the one with the longest name.
fn floor(file: &str, parts: &[&str]) -> Option<usize> {
    let belongs = |part: &str| {
        file.strip_prefix(part)
            .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    };
    let found = parts.iter().enumerate().filter(|(_, part)| belongs(part));
    let longest = found.max_by_key(|(_, part)| part.len());
    longest.map(|(position, _)| position)
}

/// The file or folder at the top of `src` that a file belongs to, without its ending.
fn top(file: &str) -> String {
    let first = file.split('/').next().unwrap_or_default();
    first.trim_end_matches(".rs").to_owned()
}

#[test]
fn an_import_of_a_part_above_is_found() {
    let names = [
        "lib.rs",
        "api/mod.rs",
        "api/pages/a.rs",
        "store.rs",
        "store/b.rs",
        "c.rs",
    ];
    let files = BTreeSet::from(names.map(str::to_owned));
    let edge = |(from, to): (&str, &str)| (from.to_owned(), to.to_owned());
    let edges = [
        ("api/mod.rs", "store/b.rs"),
        ("store.rs", "api/mod.rs"),
        ("store/b.rs", "store.rs"),
        ("api/pages/a.rs", "api/mod.rs"),
        ("c.rs", "lib.rs"),
    ]
    .map(edge);
    let found = order(
        &files,
        &BTreeSet::from(edges),
        &["lib", "api", "api/pages", "store"],
    );
    assert_eq!(found.entries.len(), 4);
    assert_eq!(found.unplaced, BTreeSet::from(["c.rs".to_owned()]));
    let expected = [("api/pages/a.rs", "api/mod.rs"), ("store.rs", "api/mod.rs")];
    assert_eq!(found.upwards, expected.map(edge));
}
