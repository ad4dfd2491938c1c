//! The two sets of defaults.

use innkeeper_service::settings::Reader;

/// The set of defaults and conventions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// The defaults of the specification, and the safer choice where it leaves one.
    #[default]
    Std,
    /// The defaults of GoTrue, so that its users can switch binaries and change nothing.
    Gotrue,
}

impl Profile {
    /// Returns the name, as `AUTH_PROFILE` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Std => "std",
            Self::Gotrue => "gotrue",
        }
    }

    /// Returns the index of its defaults in the table of settings.
    pub(super) fn column(self) -> usize {
        match self {
            Self::Std => 0,
            Self::Gotrue => 1,
        }
    }

    /// Reads or infers the profile, and returns it with the reason.
    pub(super) fn read(reader: &mut Reader) -> (Self, String) {
        if let Some(name) = reader.optional::<String>("PROFILE") {
            let profile = if name == "gotrue" {
                Self::Gotrue
            } else {
                Self::Std
            };
            let setting = reader.shown_name("PROFILE");
            return (profile, format!("set by {setting}"));
        }
        let ours = reader.any_with_prefix("AUTH_");
        match (ours, reader.any_with_prefix("GOTRUE_")) {
            (None, Some(old)) => {
                let reason = format!("implied, because {old} is set and no AUTH_ setting is");
                (Self::Gotrue, reason)
            }
            (Some(ours), Some(old)) => {
                let reason = format!(
                    "the default, because {ours} is set; {old} alone would have implied gotrue"
                );
                (Self::Std, reason)
            }
            (_, None) => (Self::Std, "the default".to_owned()),
        }
    }
}
