//! Counts of what a schema of GoTrue holds. Older schemas lack some of the tables and columns.

use std::collections::BTreeMap;

use innkeeper_service::migrate::{MigrateError, quoted};
use serde::Serialize;
use tokio_postgres::Client;

use super::SchemaReport;

/// The columns of users that GoTrue cannot read when they are null.
const TOKEN_COLUMNS: [&str; 8] = [
    "confirmation_token",
    "recovery_token",
    "email_change_token_new",
    "email_change",
    "email_change_token_current",
    "phone_change",
    "phone_change_token",
    "reauthentication_token",
];

/// The columns whose values GoTrue can encrypt.
const ENCRYPTED_COLUMNS: [&str; 4] = [
    "users.encrypted_password",
    "mfa_factors.secret",
    "sessions.refresh_token_hmac_key",
    "custom_oauth_providers.client_secret",
];

/// The rows of a schema that GoTrue has used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RowCounts {
    /// All users.
    pub users: i64,
    /// Users by the kind of their password hash: `bcrypt`, `argon2`, `firebase`, `encrypted`, `other` or `none`.
    pub passwords: BTreeMap<String, i64>,
    /// Users with a null where GoTrue expects a text, as applications insert them.
    pub users_with_null_tokens: i64,
    /// Identities.
    pub identities: i64,
    /// Sessions with a refresh token of version 1.
    pub sessions_v1: i64,
    /// Sessions with refresh tokens of version 2.
    pub sessions_v2: i64,
    /// Unused refresh tokens from before GoTrue had sessions.
    pub tokens_without_session: i64,
    /// Second factors by their type.
    pub factors: BTreeMap<String, i64>,
    /// Sign-ins under way with a provider or with PKCE.
    pub flow_states: i64,
    /// Unused links and codes.
    pub one_time_tokens: i64,
    /// Entries of the audit log.
    pub audit_log_entries: i64,
    /// The ids of the keys with which values are encrypted.
    pub encryption_key_ids: Vec<String>,
}

/// Counts the rows of a schema.
pub(crate) async fn count(
    connection: &Client,
    report: &SchemaReport,
) -> Result<RowCounts, MigrateError> {
    let counter = Counter { connection, report };
    let passwords = if report.has("users") {
        counter.by_name(PASSWORDS).await?
    } else {
        BTreeMap::new()
    };
    let factors = if report.has("mfa_factors") {
        counter.by_name(FACTORS).await?
    } else {
        BTreeMap::new()
    };
    let (sessions_v1, sessions_v2) = counter.sessions().await?;
    Ok(RowCounts {
        users: passwords.values().sum(),
        passwords,
        users_with_null_tokens: counter.null_tokens().await?,
        identities: counter.rows("identities").await?,
        sessions_v1,
        sessions_v2,
        tokens_without_session: counter.tokens_without_session().await?,
        factors,
        flow_states: counter.rows("flow_state").await?,
        one_time_tokens: counter.rows("one_time_tokens").await?,
        audit_log_entries: counter.rows("audit_log_entries").await?,
        encryption_key_ids: counter.key_ids().await?,
    })
}

/// `{schema}` stands for the schema in all statements.
const PASSWORDS: &str = "
    select case
            when coalesce(encrypted_password, '') = '' then 'none'
            when encrypted_password ~ '^\\$2[aby]?\\$' then 'bcrypt'
            when encrypted_password like '$argon2%' then 'argon2'
            when encrypted_password like '$fbscrypt$%' then 'firebase'
            when encrypted_password like '{%' then 'encrypted'
            else 'other'
        end,
        count(*)
    from {schema}.users
    group by 1";

const FACTORS: &str = "select factor_type::text, count(*) from {schema}.mfa_factors group by 1";

const UNUSED_TOKEN: &str = "exists (
    select 1
    from {schema}.refresh_tokens t
    where t.session_id = s.id
        and t.revoked is not true
)";

/// Counts rows of a schema whose columns are known.
struct Counter<'a> {
    connection: &'a Client,
    report: &'a SchemaReport,
}

impl Counter<'_> {
    fn in_schema(&self, sql: &str) -> String {
        sql.replace("{schema}", &quoted(&self.report.schema))
    }

    async fn by_name(&self, sql: &str) -> Result<BTreeMap<String, i64>, MigrateError> {
        let rows = self.connection.query(&self.in_schema(sql), &[]).await?;
        rows.iter()
            .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
            .collect()
    }

    async fn number(&self, sql: &str) -> Result<i64, MigrateError> {
        let row = self.connection.query_one(&self.in_schema(sql), &[]).await?;
        Ok(row.try_get(0)?)
    }

    async fn rows(&self, table: &str) -> Result<i64, MigrateError> {
        if !self.report.has(table) {
            return Ok(0);
        }
        let sql = format!("select count(*) from {{schema}}.{table}");
        self.number(&sql).await
    }

    async fn sessions(&self) -> Result<(i64, i64), MigrateError> {
        if !self.report.has("sessions") {
            return Ok((0, 0));
        }
        let (mut without_key, mut with_key) = ("true", "false");
        if self.report.has("sessions.refresh_token_hmac_key") {
            without_key = "s.refresh_token_hmac_key is null";
            with_key = "s.refresh_token_hmac_key is not null";
        }
        let v1 = format!(
            "select count(*) from {{schema}}.sessions s where {without_key} and {UNUSED_TOKEN}"
        );
        let v2 = format!("select count(*) from {{schema}}.sessions s where {with_key}");
        Ok((self.number(&v1).await?, self.number(&v2).await?))
    }

    async fn tokens_without_session(&self) -> Result<i64, MigrateError> {
        if !self.report.has("refresh_tokens") {
            return Ok(0);
        }
        let condition = if self.report.has("refresh_tokens.session_id") {
            "session_id is null"
        } else {
            "true"
        };
        let sql = format!(
            "select count(*) from {{schema}}.refresh_tokens where revoked is not true and {condition}"
        );
        self.number(&sql).await
    }

    async fn null_tokens(&self) -> Result<i64, MigrateError> {
        let there = TOKEN_COLUMNS
            .into_iter()
            .filter(|column| self.report.has(&format!("users.{column}")));
        let nulls: Vec<String> = there.map(|column| format!("{column} is null")).collect();
        if nulls.is_empty() {
            return Ok(0);
        }
        let sql = format!(
            "select count(*) from {{schema}}.users where {}",
            nulls.join(" or ")
        );
        self.number(&sql).await
    }

    async fn key_ids(&self) -> Result<Vec<String>, MigrateError> {
        let there = ENCRYPTED_COLUMNS
            .into_iter()
            .filter(|column| self.report.has(column))
            .filter_map(|column| column.split_once('.'));
        let parts: Vec<String> = there
            .map(|(table, column)| {
                format!(
                    "select substring({column} from '\"key_id\" *: *\"([^\"]*)\"') as id
                     from {{schema}}.{table} where {column} like '{{%'"
                )
            })
            .collect();
        if parts.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "select distinct id from ({}) found where id is not null order by 1",
            parts.join(" union ")
        );
        let rows = self.connection.query(&self.in_schema(&sql), &[]).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }
}
