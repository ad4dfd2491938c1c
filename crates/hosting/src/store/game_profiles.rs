//! `game_profiles`: how servers of each game are run.

use std::collections::BTreeMap;

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use serde_json::Value;
use tokio_postgres::types::Json;

use super::Result;
use crate::model::{GameProfile, ProfilePort, StopMethod};

/// The stored profiles.
const PROFILES: &str = "
select p.name, p.version, p.image, p.command, p.environment, p.data_path, p.stop, p.ready_pattern,
       p.ready_seconds, p.ports, p.read_only_root
  from game_profiles p";

rows! {
    struct ProfileRow {
        name: String,
        version: Option<String>,
        image: String,
        command: Vec<String>,
        environment: Value,
        data_path: String,
        stop: Value,
        ready_pattern: Option<String>,
        ready_seconds: i32,
        ports: Value,
        read_only_root: bool,
    }
}

statements! {
    async fn row_by_name(name: &str) -> Option<ProfileRow> {
        PROFILES, "where p.name = :name"
    }

    async fn all_rows() -> Vec<ProfileRow> {
        PROFILES, "order by p.name"
    }

    /// Adds a profile or replaces the one with its name. Servers that run keep what they were started with.
    pub(crate) async fn save(profile: &GameProfile, now: Timestamp)
    where {
        name: &str = &profile.name,
        version: Option<&str> = profile.version.as_deref(),
        image: &str = &profile.image,
        command: &[String] = &profile.command,
        environment: Json<&BTreeMap<String, String>> = Json(&profile.environment),
        data_path: &str = &profile.data_path,
        stop: Json<&StopMethod> = Json(&profile.stop),
        ready_pattern: Option<&str> = profile.ready_pattern.as_deref(),
        ready_seconds: i32 = i32::try_from(profile.ready_seconds).unwrap_or(i32::MAX),
        ports: Json<&[ProfilePort]> = Json(&profile.ports),
        read_only_root: bool = profile.read_only_root,
        now: Timestamp,
    }
    { include_str!("game_profiles/save.sql") }

    async fn count_deleted(name: &str) -> u64 {
        "delete from game_profiles where name = :name"
    }
}

/// Returns the profile with this name.
pub(crate) async fn by_name(conn: &dyn Executor, name: &str) -> Result<Option<GameProfile>> {
    Ok(row_by_name(conn, name).await?.and_then(profile))
}

/// Returns all profiles, by name.
pub(crate) async fn list(conn: &dyn Executor) -> Result<Vec<GameProfile>> {
    let rows = all_rows(conn).await?;
    Ok(rows.into_iter().filter_map(profile).collect())
}

/// Deletes a profile; returns false if there is none with this name. Fails while a machine uses it.
pub(crate) async fn delete(conn: &dyn Executor, name: &str) -> Result<bool> {
    Ok(count_deleted(conn, name).await? > 0)
}

/// Returns the profile of a row; `None` if it cannot be read.
fn profile(row: ProfileRow) -> Option<GameProfile> {
    let read = || -> serde_json::Result<_> {
        let environment = serde_json::from_value(row.environment)?;
        let stop = serde_json::from_value(row.stop)?;
        Ok((environment, stop, serde_json::from_value(row.ports)?))
    };
    let (environment, stop, ports) = match read() {
        Ok(parts) => parts,
        Err(error) => {
            tracing::error!(profile = %row.name, %error, "the stored profile cannot be read");
            return None;
        }
    };
    Some(GameProfile {
        name: row.name,
        version: row.version,
        image: row.image,
        command: row.command,
        environment,
        data_path: row.data_path,
        stop,
        ready_pattern: row.ready_pattern,
        ready_seconds: u32::try_from(row.ready_seconds).unwrap_or_default(),
        ports,
        read_only_root: row.read_only_root,
    })
}
