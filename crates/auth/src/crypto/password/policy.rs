//! The policy that new passwords must meet.

use super::breached::BreachedList;
use crate::base::error::AuthError;
use crate::base::weakness::{EASY_TO_GUESS, Weakness};

/// The reason why a password was refused without a list of weaknesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasswordPolicyError {
    /// The password is longer than this many bytes.
    #[error("Password cannot be longer than {0} characters")]
    TooLong(usize),
    /// The list of leaked passwords is unavailable, and the settings require the check.
    #[error("Unable to check the password against known leaks")]
    Unavailable,
}

impl From<PasswordPolicyError> for AuthError {
    fn from(error: PasswordPolicyError) -> Self {
        match error {
            PasswordPolicyError::TooLong(_) => Self::validation(error.to_string()),
            PasswordPolicyError::Unavailable => Self::internal(error),
        }
    }
}

/// The rules for new passwords.
#[derive(Debug, Clone, Copy)]
pub struct PasswordPolicy<'a> {
    /// The minimum length in characters, not bytes.
    pub min_length: usize,
    /// Sets of characters; a password needs one character of each.
    pub required_characters: &'a [String],
    /// The maximum length in bytes.
    pub max_bytes: usize,
}

impl PasswordPolicy<'_> {
    /// The maximum length in bytes.
    pub const MAX_BYTES: usize = 4096;
    /// The maximum length in bytes in the gotrue profile, which is bcrypt's limit.
    pub const MAX_BYTES_GOTRUE: usize = 72;

    /// Checks a password against all rules, and against the list of leaked passwords if there is one.
    pub async fn check(
        &self,
        password: &str,
        breached: Option<&BreachedList>,
    ) -> Result<Option<Weakness>, PasswordPolicyError> {
        let mut weaknesses = self.weaknesses(password)?;
        if let Some(breached) = breached
            && breached
                .contains(password)
                .await
                .map_err(|_| PasswordPolicyError::Unavailable)?
        {
            weaknesses.push(("pwned", EASY_TO_GUESS.to_owned()));
        }
        if weaknesses.is_empty() {
            return Ok(None);
        }
        let (reasons, messages): (Vec<_>, Vec<_>) = weaknesses.into_iter().unzip();
        let message = messages.join(" ");
        Ok(Some(Weakness { message, reasons }))
    }

    fn weaknesses(
        &self,
        password: &str,
    ) -> Result<Vec<(&'static str, String)>, PasswordPolicyError> {
        if password.len() > self.max_bytes {
            return Err(PasswordPolicyError::TooLong(self.max_bytes));
        }
        let mut weaknesses = Vec::new();
        if password.chars().count() < self.min_length {
            let message = format!(
                "Password should be at least {} characters.",
                self.min_length
            );
            weaknesses.push(("length", message));
        }
        let has_one_of = |set: &String| set.is_empty() || password.contains(|c| set.contains(c));
        if !self.required_characters.iter().all(has_one_of) {
            let message = format!(
                "Password should contain at least one character of each: {}.",
                self.required_characters.join(", ")
            );
            weaknesses.push(("characters", message));
        }
        Ok(weaknesses)
    }
}

#[cfg(test)]
mod tests {
    use super::{PasswordPolicy, PasswordPolicyError};

    async fn reasons(policy: PasswordPolicy<'_>, password: &str) -> Vec<&'static str> {
        let weakness = policy.check(password, None).await.unwrap();
        weakness.map_or(Vec::new(), |weakness| weakness.reasons)
    }

    const PLAIN: PasswordPolicy<'_> = PasswordPolicy {
        min_length: 6,
        required_characters: &[],
        max_bytes: PasswordPolicy::MAX_BYTES,
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
        let policy = PasswordPolicy {
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
        let policy = PasswordPolicy {
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
        for max_bytes in [PasswordPolicy::MAX_BYTES, PasswordPolicy::MAX_BYTES_GOTRUE] {
            let policy = PasswordPolicy { max_bytes, ..PLAIN };
            assert!(policy.check(&"a".repeat(max_bytes), None).await.is_ok());
            let error = policy.check(&"a".repeat(max_bytes + 1), None).await;
            assert_eq!(error, Err(PasswordPolicyError::TooLong(max_bytes)));
        }
    }
}
