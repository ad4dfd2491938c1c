//! What a page says about what happened on the page before.

use serde::{Deserialize, Serialize};

use super::words::{Words, fill};

/// A message for the next page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Notice {
    AddressConfirmed,
    ChoosePassword,
    CodeSent,
    ConfirmFirst,
    EmailChangeHalf,
    EmailChangeStarted,
    EmailChanged,
    FactorAdded,
    FactorRemoved,
    MessageSent,
    /// A text message was sent before, and the next one is possible after so many seconds.
    MessageSentBefore(u64),
    OthersEnded,
    PasskeyAdded,
    PasskeyRemoved,
    PasskeyRenamed,
    PasswordChanged,
    PasswordNotStored,
    /// A recovery code was used, and so many are left.
    RecoveryCodeUsed(i64),
    SecondFactorNeeded,
    /// A mail was sent before, and the next one is possible after so many seconds.
    SentBefore(u64),
    SessionEnded,
    SignInAgain,
    SignedOut,
}

impl Notice {
    pub(super) fn text(self, words: &Words) -> String {
        match self {
            Self::AddressConfirmed => words.address_confirmed.clone(),
            Self::ChoosePassword => words.choose_password.clone(),
            Self::CodeSent => words.code_sent.clone(),
            Self::ConfirmFirst => words.confirm_first.clone(),
            Self::EmailChangeHalf => words.email_change_half.clone(),
            Self::EmailChangeStarted => words.email_change_started.clone(),
            Self::EmailChanged => words.email_changed.clone(),
            Self::FactorAdded => words.factor_added.clone(),
            Self::FactorRemoved => words.factor_removed.clone(),
            Self::MessageSent => words.message_sent.clone(),
            Self::MessageSentBefore(seconds) => {
                words.with_wait(&words.message_sent_before, seconds)
            }
            Self::OthersEnded => words.others_ended.clone(),
            Self::PasskeyAdded => words.passkey_added.clone(),
            Self::PasskeyRemoved => words.passkey_removed.clone(),
            Self::PasskeyRenamed => words.passkey_renamed.clone(),
            Self::PasswordChanged => words.password_changed.clone(),
            Self::PasswordNotStored => words.password_not_stored.clone(),
            Self::RecoveryCodeUsed(left) => {
                fill(&words.recovery_code_used, &[("left", &left.to_string())])
            }
            Self::SecondFactorNeeded => words.second_factor_needed.clone(),
            Self::SentBefore(seconds) => words.with_wait(&words.sent_before, seconds),
            Self::SessionEnded => words.session_ended.clone(),
            Self::SignInAgain => words.sign_in_again.clone(),
            Self::SignedOut => words.signed_out.clone(),
        }
    }
}
