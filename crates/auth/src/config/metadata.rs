//! `USER_METADATA_*` and `APP_METADATA_*`: how much users can store.

use innkeeper_service::settings::{Kind, Reader, Setting};

use super::Profile;
use super::checks::within;

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "USER_METADATA_MAX_SIZE",
        Kind::Integer,
        "The number of bytes that `user_metadata` may have as JSON.",
    )
    .default(&["16384", "262144"]),
    Setting::new(
        "APP_METADATA_MAX_SIZE",
        Kind::Integer,
        "The number of bytes that `app_metadata` may have as JSON. Every access token contains it.",
    )
    .default(&["16384", "32768"]),
    Setting::new(
        "USER_METADATA_FROM_PROVIDERS",
        Kind::Boolean,
        "Every sign-in with an external provider copies its data into `user_metadata`; otherwise only the first one does.",
    )
    .default(&["false", "true"]),
];

/// The most bytes of `app_metadata`: a token with more would be refused by this server itself.
const MAX_APP_SIZE: u32 = 32 * 1024;

/// `USER_METADATA_*` and `APP_METADATA_*` settings.
#[derive(Debug, Clone)]
pub struct MetadataConfig {
    /// `USER_METADATA_MAX_SIZE` in bytes, default 16 KiB.
    pub max_user_size: u32,
    /// `APP_METADATA_MAX_SIZE` in bytes, default 16 KiB.
    pub max_app_size: u32,
    /// `USER_METADATA_FROM_PROVIDERS`: every sign-in with a provider overwrites the user's metadata, default false.
    pub from_providers: bool,
}

impl MetadataConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        let user = within(reader, profile, "USER_METADATA_MAX_SIZE", 256..=1024 * 1024);
        let app = within(reader, profile, "APP_METADATA_MAX_SIZE", 256..=MAX_APP_SIZE);
        Self {
            max_user_size: user,
            max_app_size: app,
            from_providers: reader.get("USER_METADATA_FROM_PROVIDERS"),
        }
    }
}
