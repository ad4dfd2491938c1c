//! Which passwords are good enough.

use serde::Serialize;

use super::Breached;

/// What is wrong with a password, for its owner to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Weakness {
    /// One sentence for each reason.
    pub message: String,
    /// `length`, `characters`, `pwned`.
    pub reasons: Vec<&'static str>,
}

/// Why a password could not be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// It is longer than this server takes.
    #[error("Password cannot be longer than {0} characters")]
    TooLong(usize),
    /// The list of leaked passwords cannot be asked, and the settings insist on it.
    #[error("Unable to check the password against known leaks")]
    Unavailable,
}

/// The rules for new passwords.
#[derive(Debug, Clone, Copy)]
pub struct Policy<'a> {
    /// How many characters (not bytes) a password needs.
    pub min_length: usize,
    /// Sets of characters; a password needs one of each.
    pub required_characters: &'a [String],
    /// How many bytes a password may have.
    pub max_bytes: usize,
}

impl Policy<'_> {
    /// How many bytes a password may have.
    pub const MAX_BYTES: usize = 4096;
    /// The same for clients that expect the limit of bcrypt.
    pub const MAX_BYTES_GOTRUE: usize = 72;

    /// Judges a password by all rules, and by the list of leaked ones if there is such a list.
    pub async fn check(
        &self,
        password: &str,
        breached: Option<&Breached>,
    ) -> Result<Option<Weakness>, PolicyError> {
        let mut faults = self.faults(password)?;
        if let Some(breached) = breached
            && breached.contains(password).await?
        {
            let message =
                "Password is known to be weak and easy to guess, please choose a different one.";
            faults.push(("pwned", message.to_owned()));
        }
        if faults.is_empty() {
            return Ok(None);
        }
        let (reasons, messages): (Vec<_>, Vec<_>) = faults.into_iter().unzip();
        let message = messages.join(" ");
        Ok(Some(Weakness { message, reasons }))
    }

    fn faults(&self, password: &str) -> Result<Vec<(&'static str, String)>, PolicyError> {
        if password.len() > self.max_bytes {
            return Err(PolicyError::TooLong(self.max_bytes));
        }
        let mut faults = Vec::new();
        if password.chars().count() < self.min_length {
            let message = format!(
                "Password should be at least {} characters.",
                self.min_length
            );
            faults.push(("length", message));
        }
        let has_one_of = |set: &String| set.is_empty() || password.contains(|c| set.contains(c));
        if !self.required_characters.iter().all(has_one_of) {
            let message = format!(
                "Password should contain at least one character of each: {}.",
                self.required_characters.join(", ")
            );
            faults.push(("characters", message));
        }
        Ok(faults)
    }
}

#[cfg(test)]
mod tests {
    use super::{Policy, PolicyError};

    async fn reasons(policy: Policy<'_>, password: &str) -> Vec<&'static str> {
        let weakness = policy.check(password, None).await.unwrap();
        weakness.map_or(Vec::new(), |weakness| weakness.reasons)
    }

    const PLAIN: Policy<'_> = Policy {
        min_length: 6,
        required_characters: &[],
        max_bytes: Policy::MAX_BYTES,
    };

    #[tokio::test]
    async fn length_is_counted_in_characters() {
        for (password, weak) in [
            ("", true),
            ("12345", true),
            ("123456", false),
            ("äöüßé", true),
            ("äöüßéí", false),
            ("🔑🔑🔑🔑🔑🔑", false),
        ] {
            assert_eq!(
                reasons(PLAIN, password).await == ["length"],
                weak,
                "{password}"
            );
        }
    }

    #[tokio::test]
    async fn one_character_of_each_set_is_needed() {
        let sets = ["abc".to_owned(), "123:".to_owned(), String::new()];
        let policy = Policy {
            required_characters: &sets,
            ..PLAIN
        };
        for (password, weak) in [
            ("aaaaaa1", false),
            ("cccccc:", false),
            ("aaaaaaa", true),
            ("1111111", true),
            ("ABC123!", true),
        ] {
            assert_eq!(
                reasons(policy, password).await == ["characters"],
                weak,
                "{password}"
            );
        }
    }

    #[tokio::test]
    async fn every_reason_has_its_sentence() {
        let sets = ["abc".to_owned(), "123".to_owned()];
        let policy = Policy {
            required_characters: &sets,
            ..PLAIN
        };
        let weakness = policy.check("x", None).await.unwrap().unwrap();
        assert_eq!(
            serde_json::to_value(&weakness).unwrap(),
            serde_json::json!({
                "message": "Password should be at least 6 characters. \
                    Password should contain at least one character of each: abc, 123.",
                "reasons": ["length", "characters"],
            })
        );
    }

    #[tokio::test]
    async fn length_has_an_end() {
        for max_bytes in [Policy::MAX_BYTES, Policy::MAX_BYTES_GOTRUE] {
            let policy = Policy { max_bytes, ..PLAIN };
            assert!(policy.check(&"a".repeat(max_bytes), None).await.is_ok());
            let error = policy.check(&"a".repeat(max_bytes + 1), None).await;
            assert_eq!(error, Err(PolicyError::TooLong(max_bytes)));
        }
    }
}
