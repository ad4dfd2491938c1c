//! Differences between Innkeeper and GoTrue that are meant to be there.

use super::difference::Difference;
use super::pattern::matches;

/// Why answers differ, and where. In all patterns `*` stands for any text.
#[derive(Debug)]
pub(super) struct Reason {
    /// What differs, in a few words.
    pub(super) title: &'static str,
    pub(super) why: &'static str,
    /// Names of cases.
    cases: &'static [&'static str],
    places: &'static [&'static str],
    /// Values of Innkeeper and GoTrue as JSON; an absent one is empty.
    values: &'static [(&'static str, &'static str)],
}

const ANY: &[(&str, &str)] = &[("*", "*")];

/// All reasons; the first that fits a difference explains it.
pub(super) const REASONS: &[Reason] = &[Reason {
    title: "`/health` names the server",
    why: "It has its own version and description, and a member `server` that tells the two servers apart.",
    cases: &["*"],
    places: &["body.version", "body.description", "body.server"],
    values: ANY,
}];

/// Returns the reason of a difference; `ours` and `theirs` are the values of Innkeeper and of GoTrue.
pub(super) fn reason(
    case: &str,
    difference: &Difference,
    is_turned: bool,
) -> Option<&'static Reason> {
    let text = |value: &Option<_>| value.as_ref().map(ToString::to_string).unwrap_or_default();
    let (with, against): (String, String) = (text(&difference.with), text(&difference.against));
    let (ours, theirs) = if is_turned {
        (against, with)
    } else {
        (with, against)
    };
    let fits =
        |patterns: &[&str], text: &str| patterns.iter().any(|pattern| matches(pattern, text));
    REASONS.iter().find(|reason| {
        fits(reason.cases, case)
            && fits(reason.places, &difference.place)
            && reason
                .values
                .iter()
                .any(|(first, second)| matches(first, &ours) && matches(second, &theirs))
    })
}
