//! `DATABASE_URL` and `DB_*`: the database for history and feedback.

use innkeeper_service::database::Pooler;
use innkeeper_service::secret::Secret;
use innkeeper_service::settings::{Kind, Reader, Setting};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "DATABASE_URL",
        Kind::Other("a connection string"),
        "The URL of the database. Without a database there is no history and no feedback.",
    )
    .bare()
    .secret(),
    Setting::new("DB_NAMESPACE", Kind::Text, "The schema of all tables.").default(&["hosting"]),
    Setting::new(
        "DB_POOLER",
        Kind::OneOf(Pooler::WORDS),
        "What is between this server and PostgreSQL: `transaction` for a pooler such as PgBouncer that gives \
         each transaction another session, `session` for none or one that keeps the session. `auto` notices \
         a pooler by itself.",
    )
    .default(&["auto"]),
    Setting::new(
        "STATUS_PROBES",
        Kind::Boolean,
        "Whether this replica may probe components; one replica does at a time.",
    )
    .default(&["true"]),
];

/// `DATABASE_URL`, `DB_*` and `STATUS_*` settings.
#[derive(Debug, Clone)]
pub struct DatabaseConfig {
    /// `DATABASE_URL`: the URL of the database, if there is one.
    pub url: Option<Secret<String>>,
    /// `DB_NAMESPACE`: the schema of all tables, default `hosting`.
    pub namespace: String,
    /// `DB_POOLER`: what is between this server and PostgreSQL, default whatever is noticed.
    pub pooler: Pooler,
    /// `STATUS_PROBES`, default true.
    pub probes: bool,
}

impl DatabaseConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let url: Option<Secret<String>> = reader.optional("DATABASE_URL");
        let scheme = url.as_ref().and_then(|url| url.reveal().split_once("://"));
        if scheme.is_some_and(|(scheme, _)| !matches!(scheme, "postgres" | "postgresql")) {
            let problem = "must start with postgres:// or postgresql://";
            reader.fault("DATABASE_URL", problem);
        }
        let namespace: String = reader.get("DB_NAMESPACE");
        if namespace.len() > 63 || namespace.contains(|letter: char| letter.is_control()) {
            let problem = "must be the name of a schema, of at most 63 bytes";
            reader.fault("DB_NAMESPACE", problem);
        }
        Self {
            url,
            namespace,
            pooler: reader.get("DB_POOLER"),
            probes: reader.get("STATUS_PROBES"),
        }
    }
}
