//! The one table of settings, and the page made from it.

use innkeeper_service::settings::{Reader, Section, markdown};

use super::{
    api, database, external, general, hooks, jwt, mailer, missing, outbox, password, rate_limit,
    security, sessions, sms, smtp, telemetry, templates,
};

/// Under which prefixes settings stand; the first one wins.
pub const PREFIXES: &[&str] = &["AUTH_", "GOTRUE_"];

/// Every setting. The columns of defaults are those of the profiles std and gotrue.
pub const TABLE: &[Section] = &[
    Section {
        title: "General",
        settings: general::SETTINGS,
    },
    Section {
        title: "API",
        settings: api::SETTINGS,
    },
    Section {
        title: "Database",
        settings: database::SETTINGS,
    },
    Section {
        title: "Tokens",
        settings: jwt::SETTINGS,
    },
    Section {
        title: "Ways to sign in",
        settings: external::SETTINGS,
    },
    Section {
        title: "Mail server",
        settings: smtp::SETTINGS,
    },
    Section {
        title: "Mails",
        settings: mailer::SETTINGS,
    },
    Section {
        title: "Mail templates and notifications",
        settings: templates::SETTINGS,
    },
    Section {
        title: "Outbox",
        settings: outbox::SETTINGS,
    },
    Section {
        title: "Text messages",
        settings: sms::SETTINGS,
    },
    Section {
        title: "Passwords",
        settings: password::SETTINGS,
    },
    Section {
        title: "Security",
        settings: security::SETTINGS,
    },
    Section {
        title: "Sessions",
        settings: sessions::SETTINGS,
    },
    Section {
        title: "Hooks",
        settings: hooks::SETTINGS,
    },
    Section {
        title: "Limits",
        settings: rate_limit::SETTINGS,
    },
    Section {
        title: "Logs, traces, metrics",
        settings: telemetry::SETTINGS,
    },
    Section {
        title: "OpenTelemetry",
        settings: innkeeper_service::telemetry::OTEL_SETTINGS,
    },
    Section {
        title: "Not available yet",
        settings: missing::SETTINGS,
    },
];

/// A reader for this server's settings, without any source yet.
pub fn reader() -> Reader {
    Reader::new(TABLE, PREFIXES)
}

/// This server's part of the page `docs/settings.md`.
pub fn settings_markdown() -> String {
    format!("{INTRODUCTION}{}", markdown(TABLE, &["std", "gotrue"]))
}

const INTRODUCTION: &str = "\
<!-- Made from the tables in crates/auth/src/config and crates/hosting/src/config; UPDATE_DOCS=1 cargo test \
-p innkeeper settings_page rewrites it. -->

# Settings of the auth server

Settings come from the environment and from a file `.env` in the working folder. The environment
wins. A file named on the command line wins over both. Everything that is wrong is reported at once,
before the server listens.

**Names.** A setting `X` is written `AUTH_X`. `GOTRUE_X` names the same setting; if both are there,
`AUTH_X` counts. Those marked \"also bare\" are read without prefix too, after the others. An empty
value is the same as none. A name that starts with `AUTH_` and is no setting gives a warning with the
nearest name that is one.

**Profiles.** There are two columns of defaults. `std` follows the specification and takes the safer
choice where it leaves one. `gotrue` follows the server whose settings start with `GOTRUE_`, so that
its users switch binaries and change nothing; what keeps only a part of the server from working is a
warning there and stops the start in `std`. `AUTH_PROFILE` chooses. When it is not set, `gotrue` is
implied if there is a `GOTRUE_` setting and no `AUTH_` setting. The start log says which profile
applies and why.

**Values.** Booleans are `1 t T TRUE true True` and `0 f F FALSE false False`. Durations are numbers
with the units `ns us ms s m h`, also combined and with fractions: `90s`, `1h30m`, `1.5h`. Where the
tables say seconds, a plain number is meant. Lists have commas between their parts.

**The file `.env`.** A line is `NAME=value`. A value without quotes ends at ` #` or at the end of the
line. Single quotes keep everything as it is; double quotes know `\\n`, `\\r`, `\\t`, `\\\\` and `\\\"`.
`$NAME` stands for a value further up in the file, except in single quotes.
";
