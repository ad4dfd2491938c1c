//! Game profiles: how servers of one game are run, from files that operators write.

mod parse;

use innkeeper_service::clock::Clock;

use crate::config::Config;
use crate::model::GameProfile;
use crate::operate::{OperateError, connection, invalid};
use crate::store;

pub use parse::parse_profile;

/// Stores a profile from the text of a file, in place of one with the same name. Servers that run keep what
/// they were started with until they are started again.
pub async fn set_profile(
    config: &Config,
    clock: &Clock,
    text: &str,
) -> Result<GameProfile, OperateError> {
    let profile = parse_profile(text).map_err(|faults| invalid(faults.join("\n")))?;
    save_profile(config, clock, &profile).await?;
    Ok(profile)
}

/// Stores a profile, in place of one with the same name.
pub async fn save_profile(
    config: &Config,
    clock: &Clock,
    profile: &GameProfile,
) -> Result<(), OperateError> {
    let connection = connection(config).await?;
    Ok(store::game_profiles::save(&connection, profile, clock.now()).await?)
}

/// Returns all profiles, by name.
pub async fn list_profiles(config: &Config) -> Result<Vec<GameProfile>, OperateError> {
    Ok(store::game_profiles::list(&connection(config).await?).await?)
}

/// Removes a profile that no server uses.
pub async fn remove_profile(config: &Config, name: &str) -> Result<(), OperateError> {
    let connection = connection(config).await?;
    let removed = store::game_profiles::delete(&connection, name).await;
    let removed = removed.map_err(|error| match error.constraint() {
        Some(_) => invalid(format!(
            "game servers use the profile {name}; remove them first"
        )),
        None => error.into(),
    })?;
    if removed {
        return Ok(());
    }
    Err(OperateError::Unknown {
        kind: "profile",
        id: name.to_owned(),
    })
}
