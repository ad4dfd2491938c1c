//! What feedback may say.

use super::Feedback;

/// Why an article may not have helped.
pub const REASONS: [&str; 6] = [
    "incomplete",
    "incorrect",
    "not_what_i_needed",
    "other",
    "outdated",
    "unclear",
];

const LONGEST_COMMENT: usize = 2000;
const LONGEST_EMAIL: usize = 254;

/// One thing that is wrong with feedback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The name of the field.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

impl Feedback {
    /// Feedback with what is empty left out, or everything that is wrong with it.
    pub fn checked(mut self) -> Result<Self, Vec<Fault>> {
        for text in [&mut self.reason, &mut self.comment, &mut self.email] {
            let trimmed = text
                .as_deref()
                .map(str::trim)
                .filter(|text| !text.is_empty());
            *text = trimmed.map(str::to_owned);
        }
        let faults = [
            ("reason", self.reason.as_deref().and_then(wrong_reason)),
            ("comment", self.comment.as_deref().and_then(wrong_comment)),
            ("email", self.email.as_deref().and_then(wrong_email)),
        ];
        let faults: Vec<Fault> = faults
            .into_iter()
            .filter_map(|(field, problem)| {
                Some(Fault {
                    field,
                    problem: problem?,
                })
            })
            .collect();
        if faults.is_empty() {
            Ok(self)
        } else {
            Err(faults)
        }
    }
}

fn wrong_reason(reason: &str) -> Option<String> {
    let is_known = REASONS.contains(&reason);
    (!is_known).then(|| format!("expected one of {}", REASONS.join(", ")))
}

fn wrong_comment(comment: &str) -> Option<String> {
    if comment.chars().count() > LONGEST_COMMENT {
        return Some(format!("longer than {LONGEST_COMMENT} characters"));
    }
    let is_odd = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
    comment
        .contains(is_odd)
        .then(|| "has control characters".to_owned())
}

/// Whether somebody could be written to there is for the mail server to find out.
fn wrong_email(email: &str) -> Option<String> {
    let is_odd =
        |letter: char| letter.is_control() || letter.is_whitespace() || "<>,;\"".contains(letter);
    let parts = email.rsplit_once('@');
    let is_good = email.len() <= LONGEST_EMAIL
        && !email.contains(is_odd)
        && parts.is_some_and(|(name, host)| {
            let has_dots = !host.starts_with('.') && !host.ends_with('.') && !host.contains("..");
            !name.is_empty() && !name.contains('@') && !host.is_empty() && has_dots
        });
    (!is_good).then(|| "expected an address such as ada@example.com".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::Feedback;

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
        let faults = feedback("bored", &long, "nobody").checked().unwrap_err();
        let fields: Vec<&str> = faults.iter().map(|fault| fault.field).collect();
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
