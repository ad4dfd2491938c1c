//! Feedback as readers send it, and its validation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reasons why an article may not have helped.
pub const REASONS: [&str; 6] = [
    "incomplete",
    "incorrect",
    "not_what_i_needed",
    "other",
    "outdated",
    "unclear",
];

const MAX_COMMENT: usize = 2000;
const MAX_EMAIL: usize = 254;

/// Feedback that a reader sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = Feedback::example())]
pub struct Feedback {
    /// The path of the article.
    #[schemars(regex(pattern = "^/"), length(max = 1024))]
    pub path: String,
    /// Whether the article helped.
    pub helpful: bool,
    /// Why the article did not help.
    #[schemars(extend("enum" = reasons()))]
    pub reason: Option<String>,
    /// A comment.
    #[schemars(length(max = 2000))]
    pub comment: Option<String>,
    /// An email address for replies.
    #[schemars(length(max = 254))]
    pub email: Option<String>,
}

impl Feedback {
    /// Returns feedback on an article of the demo content, for the OpenAPI document.
    fn example() -> Self {
        Self {
            path: "/kb/vps/first-steps".to_owned(),
            helpful: false,
            reason: Some("unclear".to_owned()),
            comment: Some("Which user do I sign in as?".to_owned()),
            email: None,
        }
    }
}

/// Returns the allowed reasons, for the OpenAPI document; an empty one counts as none.
fn reasons() -> Vec<Option<&'static str>> {
    let known = REASONS.map(Some).into_iter();
    known.chain([Some(""), None]).collect()
}

/// A field of feedback that is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidField {
    /// The name of the field.
    pub field: &'static str,
    /// What is wrong with its value.
    pub problem: String,
}

impl Feedback {
    /// Trims texts and drops empty ones; returns all invalid fields if there are any.
    pub fn checked(mut self) -> Result<Self, Vec<InvalidField>> {
        for text in [&mut self.reason, &mut self.comment, &mut self.email] {
            let trimmed = text
                .as_deref()
                .map(str::trim)
                .filter(|text| !text.is_empty());
            *text = trimmed.map(str::to_owned);
        }
        let invalid = [
            ("reason", self.reason.as_deref().and_then(check_reason)),
            ("comment", self.comment.as_deref().and_then(check_comment)),
            ("email", self.email.as_deref().and_then(check_email)),
        ];
        let invalid: Vec<InvalidField> = invalid
            .into_iter()
            .filter_map(|(field, problem)| {
                Some(InvalidField {
                    field,
                    problem: problem?,
                })
            })
            .collect();
        if invalid.is_empty() {
            Ok(self)
        } else {
            Err(invalid)
        }
    }
}

fn check_reason(reason: &str) -> Option<String> {
    let is_known = REASONS.contains(&reason);
    (!is_known).then(|| format!("expected one of {}", REASONS.join(", ")))
}

fn check_comment(comment: &str) -> Option<String> {
    if comment.chars().count() > MAX_COMMENT {
        return Some(format!("longer than {MAX_COMMENT} characters"));
    }
    let is_forbidden = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
    comment
        .contains(is_forbidden)
        .then(|| "contains control characters".to_owned())
}

/// Checks the form of an address; whether mail can be delivered there is for the mail server to find out.
fn check_email(email: &str) -> Option<String> {
    let is_forbidden =
        |letter: char| letter.is_control() || letter.is_whitespace() || "<>,;\"".contains(letter);
    let parts = email.rsplit_once('@');
    let is_good = email.len() <= MAX_EMAIL
        && !email.contains(is_forbidden)
        && parts.is_some_and(|(name, host)| {
            let has_dots = !host.starts_with('.') && !host.ends_with('.') && !host.contains("..");
            !name.is_empty() && !name.contains('@') && !host.is_empty() && has_dots
        });
    (!is_good).then(|| "expected an email address such as ada@example.com".to_owned())
}

#[cfg(test)]
mod tests {
    use super::Feedback;

    fn feedback(reason: &str, comment: &str, email: &str) -> Feedback {
        Feedback {
            path: "/kb/a".to_owned(),
            helpful: false,
            reason: Some(reason.to_owned()),
            comment: Some(comment.to_owned()),
            email: Some(email.to_owned()),
        }
    }

    #[test]
    fn what_is_empty_is_left_out() {
        let checked = feedback(" ", "  two\n lines ", "").checked().unwrap();
        assert_eq!((checked.reason, checked.email), (None, None));
        assert_eq!(checked.comment.as_deref(), Some("two\n lines"));
    }

    #[test]
    fn everything_that_is_wrong_is_named() {
        let long = "ä".repeat(2001);
        let invalid = feedback("bored", &long, "nobody").checked().unwrap_err();
        let fields: Vec<&str> = invalid.iter().map(|invalid| invalid.field).collect();
        assert_eq!(fields, ["reason", "comment", "email"]);
        assert!(
            feedback("unclear", &"ä".repeat(2000), "a@b.example")
                .checked()
                .is_ok()
        );
        assert!(feedback("other", "nul\0", "a@b.example").checked().is_err());
        for email in [
            "@b",
            "a@",
            "a b@c",
            "a@b..c",
            "a@.b",
            "a@b@c",
            "<a@b>",
            &format!("{}@b", "a".repeat(300)),
        ] {
            assert!(feedback("other", "x", email).checked().is_err(), "{email}");
        }
    }
}
