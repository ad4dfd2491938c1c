//! `game_profiles`: how servers of each game are run.

use innkeeper_hosting_queries::client::Params as _;
use innkeeper_hosting_queries::queries::game_profiles as queries;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::{GenericClient, Result};
use crate::model::GameProfile;

/// Returns the profile with this name.
pub(crate) async fn by_name(conn: &impl GenericClient, name: &str) -> Result<Option<GameProfile>> {
    let found = queries::find_by_name().bind(conn, &name).opt().await?;
    Ok(found.and_then(profile))
}

/// Returns all profiles, by name.
pub(crate) async fn list(conn: &impl GenericClient) -> Result<Vec<GameProfile>> {
    let rows = queries::list_profiles().bind(conn).all().await?;
    Ok(rows.into_iter().filter_map(profile).collect())
}

/// Adds a profile or replaces the one with its name. Servers that run keep what they were started with.
pub(crate) async fn save(
    conn: &impl GenericClient,
    profile: &GameProfile,
    now: Timestamp,
) -> Result<()> {
    let save = queries::upsert_profile();
    save.params(
        conn,
        &queries::UpsertProfileParams {
            name: &*profile.name,
            version: profile.version.as_deref(),
            image: &*profile.image,
            command: &*profile.command,
            environment: json(&profile.environment),
            data_path: &*profile.data_path,
            stop: json(&profile.stop),
            ready_pattern: profile.ready_pattern.as_deref(),
            ready_seconds: i32::try_from(profile.ready_seconds).unwrap_or(i32::MAX),
            ports: json(&profile.ports),
            read_only_root: profile.read_only_root,
            now,
        },
    )
    .await?;
    Ok(())
}

/// Deletes a profile; returns false if there is none with this name. Fails while a machine uses it.
pub(crate) async fn delete(conn: &impl GenericClient, name: &str) -> Result<bool> {
    Ok(queries::delete_profile().bind(conn, &name).await? > 0)
}

/// Returns a part of a profile as JSON, which always works.
fn json(part: &impl Serialize) -> Value {
    serde_json::to_value(part).unwrap_or(Value::Null)
}

/// Returns the profile of a row; `None` if it cannot be read.
fn profile(row: queries::ProfileRow) -> Option<GameProfile> {
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
