//! Switches of features that are not built yet. Turning one on stops the start in std; in gotrue it gives a
//! warning and has no effect.

use innkeeper_service::settings::{Kind, Reader, Setting};

use super::Profile;
use super::checks::unavailable;

const OFF: &str = "Must stay off.";

pub(super) const SETTINGS: &[Setting] = &[
    switch("SAML_ENABLED"),
    switch("PASSKEY_ENABLED"),
    switch("OAUTH_SERVER_ENABLED"),
    switch("PROFILER_ENABLED"),
    switch("EXTERNAL_WEB3_<CHAIN>_ENABLED").words(&["SOLANA", "ETHEREUM"]),
    switch("MFA_<FACTOR>_ENABLED").words(FACTORS),
];

const fn switch(name: &'static str) -> Setting {
    Setting::new(name, Kind::Boolean, OFF)
        .default(&["false"])
        .not_yet()
}

const FACTORS: &[&str] = &[
    "TOTP_ENROLL",
    "TOTP_VERIFY",
    "PHONE_ENROLL",
    "PHONE_VERIFY",
    "WEB_AUTHN_ENROLL",
    "WEB_AUTHN_VERIFY",
];

/// Reports every switch that is on.
pub(super) fn check(reader: &mut Reader, profile: Profile) {
    for (name, what) in [
        ("SAML_ENABLED", "sign-in by SAML"),
        ("PASSKEY_ENABLED", "sign-in by passkey"),
        ("OAUTH_SERVER_ENABLED", "the OAuth server"),
        ("PROFILER_ENABLED", "the profiler"),
    ] {
        unavailable(reader, profile, name, what);
    }
    for (pattern, what) in [
        ("EXTERNAL_WEB3_<CHAIN>_ENABLED", "sign-in by wallet"),
        ("MFA_<FACTOR>_ENABLED", "a second factor"),
    ] {
        for name in names(reader, pattern) {
            unavailable(reader, profile, &name, what);
        }
    }
}

/// Returns the names that are set and match a pattern.
fn names(reader: &mut Reader, pattern: &str) -> Vec<String> {
    let (before, rest) = pattern.split_once('<').unwrap_or((pattern, ""));
    let after = rest.split_once('>').map_or("", |(_, after)| after);
    let words = reader.words_of(pattern).into_iter();
    words.map(|word| format!("{before}{word}{after}")).collect()
}
