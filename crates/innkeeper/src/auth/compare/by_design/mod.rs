//! Differences between Innkeeper and GoTrue that are meant to be there.

mod table;

use serde_json::Value;

use super::difference::Difference;
use super::pattern::matches;
pub(super) use table::REASONS;

/// Why answers differ, and where. In all patterns `*` stands for any text.
#[derive(Debug)]
pub(super) struct Reason {
    /// What differs, in a few words.
    pub(super) title: &'static str,
    pub(super) why: &'static str,
    /// Names of cases.
    cases: &'static [&'static str],
    places: &'static [&'static str],
    /// Values of Innkeeper and of GoTrue, as JSON; an absent one is empty.
    values: &'static [(&'static str, &'static str)],
    /// Statuses of the whole answers of Innkeeper and of GoTrue.
    status: (&'static str, &'static str),
    /// Whether it explains texts that clients compare too.
    is_for_known_texts: bool,
}

/// Beginnings of the texts that clients of GoTrue compare with: here another wording is not a matter of taste.
const KNOWN_TEXTS: [&str; 13] = [
    "Anonymous sign-ins are disabled",
    "Email link is invalid or has expired",
    "Email not confirmed",
    "Invalid Refresh Token",
    "Invalid login credentials",
    "Invalid phone number format (E.164 required)",
    "SAML 2.0 is disabled",
    "Signups not allowed",
    "Token has expired or is invalid",
    "User already registered",
    "User from sub claim in JWT does not exist",
    "Web3 provider is disabled",
    "invalid claim: missing sub claim",
];

/// One difference, seen from Innkeeper.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    pub(super) case: &'a str,
    pub(super) place: &'a str,
    ours: String,
    theirs: String,
    status: (String, String),
}

impl<'a> Seen<'a> {
    /// The statuses are those of the two answers; with `is_turned`, Innkeeper is the second server.
    pub(super) fn new(
        case: &'a str,
        difference: &'a Difference,
        statuses: (Option<&Value>, Option<&Value>),
        is_turned: bool,
    ) -> Self {
        let text = |value: Option<&Value>| value.map(ToString::to_string).unwrap_or_default();
        let values = (
            text(difference.with.as_ref()),
            text(difference.against.as_ref()),
        );
        let statuses = (text(statuses.0), text(statuses.1));
        let turn = |(first, second): (String, String)| {
            if is_turned {
                (second, first)
            } else {
                (first, second)
            }
        };
        let (ours, theirs) = turn(values);
        Self {
            case,
            place: &difference.place,
            ours,
            theirs,
            status: turn(statuses),
        }
    }

    /// Returns the first reason that explains the difference.
    pub(super) fn reason(&self) -> Option<&'static Reason> {
        REASONS.iter().find(|reason| reason.explains(self))
    }
}

impl Reason {
    fn explains(&self, seen: &Seen<'_>) -> bool {
        let fits =
            |patterns: &[&str], text: &str| patterns.iter().any(|pattern| matches(pattern, text));
        let is_known = |text: &&str| seen.theirs.trim_matches('"').starts_with(text);
        fits(self.cases, seen.case)
            && fits(self.places, seen.place)
            && matches(self.status.0, &seen.status.0)
            && matches(self.status.1, &seen.status.1)
            && (self.is_for_known_texts || !KNOWN_TEXTS.iter().any(is_known))
            && self
                .values
                .iter()
                .any(|(ours, theirs)| matches(ours, &seen.ours) && matches(theirs, &seen.theirs))
    }
}

/// Returns the table of all reasons, for the page that a test compares with it.
#[cfg(test)]
fn markdown() -> String {
    use std::fmt::Write as _;

    let mut text = "| Difference | Reason |\n|---|---|\n".to_owned();
    for reason in REASONS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} | {} |", reason.title, reason.why);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use serde_json::{Value, json};

    use super::super::script::Script;
    use super::{Difference, REASONS, Seen, markdown, matches};

    fn title(case: &str, place: &str, ours: Value, theirs: Value) -> Option<&'static str> {
        let difference = Difference {
            place: place.to_owned(),
            with: Some(ours).filter(|value| !value.is_null()),
            against: Some(theirs).filter(|value| !value.is_null()),
        };
        let (first, second) = (json!(400), json!(400));
        let seen = Seen::new(case, &difference, (Some(&first), Some(&second)), false);
        let reason = seen.reason().map(|reason| reason.title);
        let turned = Difference {
            place: place.to_owned(),
            with: difference.against.clone(),
            against: difference.with.clone(),
        };
        let seen = Seen::new(case, &turned, (Some(&first), Some(&second)), true);
        assert_eq!(seen.reason().map(|reason| reason.title), reason);
        reason
    }

    #[test]
    fn other_words_are_by_design_unless_clients_compare_them() {
        let message = |theirs| {
            title(
                "bodies.array",
                "body.msg",
                json!("own words"),
                json!(theirs),
            )
        };
        assert_eq!(message("their words"), Some("Words of messages"));
        assert_eq!(message("Invalid login credentials"), None);
        let code = title("bodies.array", "body.code", json!(400), json!(422));
        assert_eq!(code, None);
    }

    #[test]
    fn an_absent_value_is_not_an_empty_text() {
        let wait = |ours, theirs| title("meta.health", "header.retry-after", ours, theirs);
        assert!(wait(json!("7"), Value::Null).is_some());
        assert!(wait(Value::Null, json!("7")).is_none());
    }

    #[test]
    fn every_pattern_of_cases_fits_a_case() {
        let script = Script::embedded().unwrap();
        for reason in REASONS {
            for pattern in reason.cases {
                let mut cases = script.cases();
                assert!(cases.any(|case| matches(pattern, &case.name)), "{pattern}");
            }
        }
    }

    #[test]
    fn the_page_lists_every_reason_once() {
        let titles: BTreeSet<_> = REASONS.iter().map(|reason| reason.title).collect();
        assert_eq!(titles.len(), REASONS.len());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/auth/compare.md");
        let page = std::fs::read_to_string(&path).unwrap();
        let (start, end) = ("| Difference | Reason |\n", "\n\n## ");
        let (before, rest) = page.split_once(start).unwrap();
        let (_, after) = rest.split_once(end).unwrap();
        let expected = format!("{before}{}{}{after}", markdown(), &end[1..]);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &expected).unwrap();
        }
        assert!(
            page == expected || std::env::var_os("UPDATE_DOCS").is_some(),
            "docs/auth/compare.md differs from the table; \
             `UPDATE_DOCS=1 cargo test -p innkeeper by_design` rewrites it"
        );
    }
}
