//! The version of the API, which is part of the path of a request.

use std::fmt;

/// The version of the API that every engine since 2020 has.
pub(super) const OLDEST_VERSION: ApiVersion = ApiVersion {
    major: 1,
    minor: 41,
};
/// The version for engines that refuse the old one.
const NEWEST_VERSION: ApiVersion = ApiVersion {
    major: 1,
    minor: 53,
};

/// A version of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ApiVersion {
    major: u32,
    minor: u32,
}

impl ApiVersion {
    /// Chooses the version for an engine, from the oldest one that it has.
    pub(super) fn choose(oldest: Option<&str>) -> Self {
        match oldest.and_then(parse) {
            Some(oldest) if oldest > OLDEST_VERSION => NEWEST_VERSION,
            _ => OLDEST_VERSION,
        }
    }
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}

fn parse(text: &str) -> Option<ApiVersion> {
    let (major, minor) = text.split_once('.')?;
    Some(ApiVersion {
        major: major.parse().ok()?,
        minor: minor.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::ApiVersion;

    #[test]
    fn an_engine_that_refuses_the_old_version_is_recognised() {
        let chosen = |oldest| ApiVersion::choose(oldest).to_string();
        assert_eq!(chosen(Some("1.44")), "1.53");
        for oldest in [Some("1.41"), Some("1.24"), Some(""), None] {
            assert_eq!(chosen(oldest), "1.41");
        }
    }
}
