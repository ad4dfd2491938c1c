//! The rotation of refresh tokens, decided without a database.

use jiff::{SignedDuration, Timestamp};

/// What happens to a presented refresh token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rotation {
    /// It is the newest: the next one is issued.
    Rotate,
    /// It is not the newest but still valid: the newest is issued again.
    ReturnCurrent,
    /// It was used before: the session ends, and with it every token of its family.
    RevokeFamily,
    /// It was used before, and reuse does not end sessions: it is refused.
    Refuse,
    /// It was never issued.
    Unknown,
}

/// The settings a decision depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RotationPolicy {
    /// Whether the reuse of a token ends its session.
    pub(crate) revoke_on_reuse: bool,
    /// How long the token before the newest stays valid.
    pub(crate) reuse_interval: SignedDuration,
    /// Whether the token before the newest stays valid until the newest is used.
    pub(crate) parent_stays_valid: bool,
    /// Whether tokens before that one are valid for the interval, too.
    pub(crate) interval_is_for_all: bool,
}

/// Decides by the counter of the presented token, the session's own counter, and when it last moved.
pub(crate) fn decide(
    presented: u64,
    current: u64,
    moved_at: Option<Timestamp>,
    now: Timestamp,
    policy: RotationPolicy,
) -> Rotation {
    let Some(behind) = current.checked_sub(presented) else {
        return Rotation::Unknown;
    };
    let age = moved_at.map(|at| now.duration_since(at));
    let inside = age.is_some_and(|age| age <= policy.reuse_interval);
    // An interval of zero is none.
    let strictly_inside = age.is_some_and(|age| age < policy.reuse_interval);
    match behind {
        0 => Rotation::Rotate,
        1 if inside || policy.parent_stays_valid => Rotation::ReturnCurrent,
        _ if strictly_inside && policy.interval_is_for_all => Rotation::ReturnCurrent,
        _ if policy.revoke_on_reuse => Rotation::RevokeFamily,
        _ => Rotation::Refuse,
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{Rotation, RotationPolicy, decide};

    const STD: RotationPolicy = RotationPolicy {
        revoke_on_reuse: true,
        reuse_interval: SignedDuration::from_secs(10),
        parent_stays_valid: false,
        interval_is_for_all: false,
    };
    const GOTRUE: RotationPolicy = RotationPolicy {
        parent_stays_valid: true,
        interval_is_for_all: true,
        ..STD
    };
    const GOTRUE_WITHOUT_INTERVAL: RotationPolicy = RotationPolicy {
        reuse_interval: SignedDuration::ZERO,
        ..GOTRUE
    };
    const OFF: RotationPolicy = RotationPolicy {
        revoke_on_reuse: false,
        ..STD
    };

    #[test]
    fn each_case_has_its_answer() {
        // presented, current, seconds since the last move, policy, answer
        let cases = [
            (0, 0, None, STD, Rotation::Rotate),
            (7, 7, Some(0), STD, Rotation::Rotate),
            (7, 7, Some(100_000), STD, Rotation::Rotate),
            (6, 7, Some(0), STD, Rotation::ReturnCurrent),
            (6, 7, Some(10), STD, Rotation::ReturnCurrent),
            (6, 7, Some(11), STD, Rotation::RevokeFamily),
            (6, 7, None, STD, Rotation::RevokeFamily),
            (5, 7, Some(0), STD, Rotation::RevokeFamily),
            (0, 7, Some(0), STD, Rotation::RevokeFamily),
            (8, 7, Some(0), STD, Rotation::Unknown),
            (u64::MAX, 0, None, STD, Rotation::Unknown),
            (6, 7, Some(100_000), GOTRUE, Rotation::ReturnCurrent),
            (5, 7, Some(0), GOTRUE, Rotation::ReturnCurrent),
            (0, 7, Some(9), GOTRUE, Rotation::ReturnCurrent),
            (5, 7, Some(10), GOTRUE, Rotation::RevokeFamily),
            (5, 7, None, GOTRUE, Rotation::RevokeFamily),
            (8, 7, Some(0), GOTRUE, Rotation::Unknown),
            (
                6,
                7,
                Some(100_000),
                GOTRUE_WITHOUT_INTERVAL,
                Rotation::ReturnCurrent,
            ),
            (
                5,
                7,
                Some(0),
                GOTRUE_WITHOUT_INTERVAL,
                Rotation::RevokeFamily,
            ),
            (7, 7, Some(0), OFF, Rotation::Rotate),
            (6, 7, Some(10), OFF, Rotation::ReturnCurrent),
            (6, 7, Some(11), OFF, Rotation::Refuse),
            (3, 7, Some(0), OFF, Rotation::Refuse),
        ];
        let now = Timestamp::from_second(1_700_000_000).unwrap();
        for (presented, current, ago, policy, expected) in cases {
            let moved_at = ago.map(|seconds| now - SignedDuration::from_secs(seconds));
            let decided = decide(presented, current, moved_at, now, policy);
            assert_eq!(
                decided, expected,
                "token {presented} of {current}, moved {ago:?} s ago"
            );
        }
    }
}
