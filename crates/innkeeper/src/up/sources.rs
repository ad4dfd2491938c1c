//! Readers of the settings that apply under `innkeeper up`.

use std::path::Path;

use innkeeper_auth::config as auth;
use innkeeper_hosting::config as hosting;
use innkeeper_service::settings::Reader;

use super::env_file::DEFAULTS;

/// Returns a reader of the auth server's settings; see [`with_sources`].
pub(super) fn auth_reader(
    folder: &Path,
    generated: Option<&str>,
    overrides: &[(String, String)],
) -> Reader {
    with_sources(auth::reader(), folder, generated, overrides)
}

/// Returns a reader of the hosting server's settings; see [`with_sources`].
pub(super) fn hosting_reader(
    folder: &Path,
    generated: Option<&str>,
    overrides: &[(String, String)],
) -> Reader {
    with_sources(hosting::reader(), folder, generated, overrides)
}

/// Adds the sources of settings to a reader, weakest first: the defaults of `innkeeper up`, the
/// generated text of a new `.env`, the folder's `.env`, the environment, and the overrides.
pub(super) fn with_sources(
    reader: Reader,
    folder: &Path,
    generated: Option<&str>,
    overrides: &[(String, String)],
) -> Reader {
    reader
        .with_env_file(DEFAULTS)
        .with_env_file(generated.unwrap_or_default())
        .from_process(folder)
        .with_environment(overrides.iter().cloned())
}
