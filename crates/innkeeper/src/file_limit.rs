//! The number of files and connections that the process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Enough for all connections of both servers and the files they send.
const ENOUGH: u64 = 65_536;

/// Raises the soft limit as far as the hard limit allows. Most systems start programs with 1024, fewer than
/// the connections that a server takes.
pub(crate) fn raise() {
    let limits = getrlimit(Resource::Nofile);
    if let Some(current) = raised(limits) {
        let current = Some(current);
        // With the limit as it was the server works too, for fewer clients.
        if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current, ..limits }) {
            tracing::warn!(%error, "the limit of open files could not be raised");
        }
    }
}

/// Returns the new soft limit; `None` if it is to stay. A limit of `None` is none.
fn raised(Rlimit { current, maximum }: Rlimit) -> Option<u64> {
    let wanted = maximum.map_or(ENOUGH, |maximum| maximum.min(ENOUGH));
    (current? < wanted).then_some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_raised_and_never_lowered() {
        for (current, maximum, expected) in [
            (Some(1024), Some(4096), Some(4096)),
            (Some(1024), Some(1_048_576), Some(65_536)),
            (Some(1024), None, Some(65_536)),
            (Some(65_535), None, Some(65_536)),
            (Some(65_536), None, None),
            (Some(100_000), Some(1_048_576), None),
            (Some(4096), Some(4096), None),
            (None, None, None),
        ] {
            assert_eq!(
                raised(Rlimit { current, maximum }),
                expected,
                "{current:?} {maximum:?}"
            );
        }
    }
}
