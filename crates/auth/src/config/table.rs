//! The table of all settings, and the page generated from it.

use innkeeper_service::settings::{Reader, Section, markdown};

use super::{
    api, custom, database, external, general, hooks, jwt, linking, mailer, metadata, mfa, missing,
    outbox, pages, password, rate_limit, security, sessions, sms, smtp, telemetry, templates,
    webauthn,
};

/// The prefixes of settings; the first one wins.
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
        title: "Custom providers",
        settings: custom::SETTINGS,
    },
    Section {
        title: "Linking of accounts",
        settings: linking::SETTINGS,
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
        title: "Metadata",
        settings: metadata::SETTINGS,
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
        title: "Second factors",
        settings: mfa::SETTINGS,
    },
    Section {
        title: "Passkeys and security keys",
        settings: webauthn::SETTINGS,
    },
    Section {
        title: "Pages",
        settings: pages::SETTINGS,
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
        title: "Features that are not built yet",
        settings: missing::SETTINGS,
    },
];

/// Returns a reader for the settings of this server, without any source yet.
pub fn reader() -> Reader {
    Reader::new(TABLE, PREFIXES)
}

/// Returns this server's part of the page `docs/settings.md`.
pub fn settings_markdown() -> String {
    format!("{INTRODUCTION}{}", markdown(TABLE, &["std", "gotrue"]))
}

const INTRODUCTION: &str = "\
<!-- Generated from the tables in crates/auth/src/config, crates/hosting/src/config and crates/innkeeper/src/up; \
UPDATE_DOCS=1 cargo test -p innkeeper settings_page rewrites it. -->

# Settings of the auth server

The server reads settings from the environment and from a file `.env` in the working folder. The
environment wins. A file named on the command line wins over both. All mistakes are reported together,
before the server listens.

**Names.** A setting `X` is written `AUTH_X`. `GOTRUE_X` is the same setting; if both are set, `AUTH_X`
wins. Settings marked \"also bare\" are also read without a prefix, which the prefixed names override. An
empty value counts as not set. A name that starts with `AUTH_` and is not a setting gives a warning with
the nearest name that is one.

**Profiles.** There are two sets of defaults. `std` follows the specification and takes the safer choice
where it leaves one. `gotrue` follows GoTrue, so that its users can switch binaries and change nothing. A
mistake that affects only a part of the server stops the start in `std` and gives a warning in `gotrue`.
`AUTH_PROFILE` chooses the profile. When it is not set, the profile is `gotrue` if there is a `GOTRUE_`
setting and no `AUTH_` setting, else `std`. The start log says which profile applies and why.

**Values.** Booleans are `1 t T TRUE true True` and `0 f F FALSE false False`. Durations are numbers
with the units `ns us ms s m h`, also combined and with fractions: `90s`, `1h30m`, `1.5h`. Where the
tables say seconds, write a plain number. The elements of a list are separated by commas.

**Not yet.** Settings with this mark belong to features that are not built. Nothing uses them: in both
profiles the server starts, and a warning names each one that is set.

**The file `.env`.** A line is `NAME=value`. A value without quotes ends at ` #` or at the end of the
line. Single quotes keep everything as it is; double quotes support `\\n`, `\\r`, `\\t`, `\\\\` and
`\\\"`. `$NAME` is replaced by a value further up in the file, except in single quotes.
";
