//! What to do with a refresh token: a decision without a database.

use jiff::{SignedDuration, Timestamp};

/// What becomes of a presented refresh token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rotation {
    /// It is the newest: its child is issued.
    Rotate,
    /// It is the one before the newest and may still be in use: the newest is given again.
    ReturnCurrent,
    /// It was used before: the session ends, and with it every token descended from it.
    RevokeFamily,
    /// It was used before, and rotation is off: it is refused and nothing else happens.
    Refuse,
    /// It was never issued.
    Unknown,
}

/// The settings a decision depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Policy {
    /// Whether reuse ends the session.
    pub(crate) rotation: bool,
    /// How long the token before the newest is still good.
    pub(crate) reuse_interval: SignedDuration,
    /// Whether the token before the newest is good for as long as the newest was not used.
    pub(crate) parent_stays: bool,
}

/// Decides by the counter of the presented token, the session's own counter, and when it last moved.
pub(crate) fn decide(
    presented: u64,
    current: u64,
    moved_at: Option<Timestamp>,
    now: Timestamp,
    policy: Policy,
) -> Rotation {
    let Some(behind) = current.checked_sub(presented) else {
        return Rotation::Unknown;
    };
    let inside = moved_at.is_some_and(|at| now.duration_since(at) <= policy.reuse_interval);
    match behind {
        0 => Rotation::Rotate,
        1 if inside || policy.parent_stays => Rotation::ReturnCurrent,
        _ if policy.rotation => Rotation::RevokeFamily,
        _ => Rotation::Refuse,
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{Policy, Rotation, decide};

    const STD: Policy = Policy {
        rotation: true,
        reuse_interval: SignedDuration::from_secs(10),
        parent_stays: false,
    };
    const GOTRUE: Policy = Policy {
        rotation: true,
        reuse_interval: SignedDuration::ZERO,
        parent_stays: true,
    };
    const OFF: Policy = Policy {
        rotation: false,
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
            (5, 7, Some(0), GOTRUE, Rotation::RevokeFamily),
            (5, 7, Some(100_000), GOTRUE, Rotation::RevokeFamily),
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
