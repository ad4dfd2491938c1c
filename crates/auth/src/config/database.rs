//! `DB_*` and `DATABASE_URL`.

use innkeeper_service::database::Pooler;
use innkeeper_service::secret::Secret;
use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;

use super::Profile;
use super::checks::none_if_zero;

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "DB_DRIVER",
        Kind::Text,
        "The kind of database; only `postgres` is supported.",
    ),
    Setting::new(
        "DATABASE_URL",
        Kind::Other("a connection string"),
        "The connection string of the database.",
    )
    .aliases(&["DB_DATABASE_URL"])
    .bare()
    .secret()
    .required("always"),
    Setting::new("DB_NAMESPACE", Kind::Text, "The schema of all tables.")
        .aliases(&["DB_DB_NAMESPACE"])
        .bare()
        .default(&["auth"]),
    Setting::new(
        "DB_MAX_POOL_SIZE",
        Kind::Integer,
        "The maximum number of connections of this server, for requests and everything else together; 0 means \
         as many as are needed. At least 2.",
    )
    .default(&["0"]),
    Setting::new(
        "DB_MAX_IDLE_POOL_SIZE",
        Kind::Integer,
        "The maximum number of idle connections; 0 means no separate limit.",
    )
    .default(&["0"]),
    Setting::new(
        "DB_CONN_MAX_LIFETIME",
        Kind::Duration,
        "The age at which a connection is replaced; `0` means never.",
    ),
    Setting::new(
        "DB_CONN_MAX_IDLE_TIME",
        Kind::Duration,
        "How long an idle connection stays open; `0` means forever.",
    )
    .default(&["5m"]),
    Setting::new(
        "DB_POOLER",
        Kind::OneOf(Pooler::WORDS),
        "What is between this server and PostgreSQL: `transaction` for a pooler such as PgBouncer that gives \
         each transaction another session, `session` for none or one that keeps the session. `auto` notices \
         a pooler by itself.",
    )
    .default(&["auto"]),
    Setting::new(
        "DB_CLEANUP_ENABLED",
        Kind::Boolean,
        "Deletes expired links, codes and sessions once an hour.",
    )
    .default(&["true", "false"]),
];

/// `DB_*` settings.
#[derive(Debug, Clone)]
pub struct DatabaseConfig {
    /// `DATABASE_URL` or `DB_DATABASE_URL`, required.
    pub url: Secret<String>,
    /// `DB_NAMESPACE`: the schema of all tables, default `auth`.
    pub namespace: String,
    /// `DB_MAX_POOL_SIZE`: the most connections of all kinds together; 0 means as many as are needed.
    pub max_pool_size: u32,
    /// `DB_MAX_IDLE_POOL_SIZE`; 0 means no separate limit.
    pub max_idle_pool_size: u32,
    /// `DB_CONN_MAX_LIFETIME`: when a connection is replaced.
    pub conn_max_lifetime: Option<SignedDuration>,
    /// `DB_CONN_MAX_IDLE_TIME`: when an idle connection is closed, default 5 min.
    pub conn_max_idle_time: Option<SignedDuration>,
    /// `DB_POOLER`: what is between this server and PostgreSQL, default whatever is noticed.
    pub pooler: Pooler,
    /// `DB_CLEANUP_ENABLED`: whether expired rows are deleted, default on in std.
    pub cleanup_enabled: bool,
}

impl DatabaseConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        let url: Secret<String> = reader.required("DATABASE_URL").unwrap_or_default();
        check_driver(reader, &url);
        Self {
            url,
            namespace: read_namespace(reader),
            max_pool_size: read_limit(reader, profile),
            max_idle_pool_size: reader.get("DB_MAX_IDLE_POOL_SIZE"),
            conn_max_lifetime: none_if_zero(reader, "DB_CONN_MAX_LIFETIME"),
            conn_max_idle_time: Some(reader.get("DB_CONN_MAX_IDLE_TIME"))
                .filter(|idle: &SignedDuration| !idle.is_zero()),
            pooler: reader.get("DB_POOLER"),
            cleanup_enabled: reader.get("DB_CLEANUP_ENABLED"),
        }
    }
}

/// Reads the limit on connections. A single one would be needed twice by the same request.
fn read_limit(reader: &mut Reader, profile: Profile) -> u32 {
    let limit: u32 = reader.get("DB_MAX_POOL_SIZE");
    if limit != 1 {
        return limit;
    }
    let problem =
        "must be 0 or at least 2: one connection for transactions, one for all other statements";
    match profile {
        Profile::Std => reader.fault("DB_MAX_POOL_SIZE", problem),
        Profile::Gotrue => {
            reader.warn("DB_MAX_POOL_SIZE", &format!("{problem}; 2 is used instead"));
        }
    }
    2
}

fn is_postgres(word: &str) -> bool {
    matches!(word, "postgres" | "postgresql")
}

/// Checks the driver, and the scheme of the URL if it has one.
fn check_driver(reader: &mut Reader, url: &Secret<String>) {
    let driver: Option<String> = reader.optional("DB_DRIVER");
    if let Some(driver) = driver.filter(|driver| !is_postgres(driver)) {
        let problem = format!("only `postgres` is supported, found `{driver}`");
        reader.fault("DB_DRIVER", &problem);
    }
    // A connection string such as `host=localhost` has no scheme.
    let scheme = url.reveal().split_once("://").map(|(scheme, _)| scheme);
    if scheme.is_some_and(|scheme| !is_postgres(scheme)) {
        reader.fault(
            "DATABASE_URL",
            "must start with postgres:// or postgresql://",
        );
    }
}

fn read_namespace(reader: &mut Reader) -> String {
    let namespace: String = reader.get("DB_NAMESPACE");
    // PostgreSQL would cut a longer name and then not find it.
    if namespace.len() > 63 || namespace.contains(|letter: char| letter.is_control()) {
        reader.fault(
            "DB_NAMESPACE",
            "must be the name of a schema, of at most 63 bytes",
        );
    }
    namespace
}
