//! The code that a visitor is about to enter: what it is for, and where it was sent.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::flow::one_time::verify_type::VerifyType;

/// What a code is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CodePurpose {
    SignUp,
    SignIn,
    Recovery,
    EmailChange,
}

impl CodePurpose {
    const ALL: [Self; 4] = [
        Self::SignUp,
        Self::SignIn,
        Self::Recovery,
        Self::EmailChange,
    ];

    /// Returns the name of the purpose in a form.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SignUp => "sign_up",
            Self::SignIn => "sign_in",
            Self::Recovery => "recovery",
            Self::EmailChange => "email_change",
        }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.name() == name)
    }

    pub(super) fn verify_type(self) -> VerifyType {
        match self {
            Self::SignUp => VerifyType::Signup,
            Self::SignIn => VerifyType::Email,
            Self::Recovery => VerifyType::Recovery,
            Self::EmailChange => VerifyType::EmailChange,
        }
    }
}

/// A code that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PendingCode {
    pub(super) purpose: CodePurpose,
    pub(super) email: String,
}

/// A challenge of a phone factor, whose code was sent by text message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PendingChallenge {
    pub(super) factor_id: Uuid,
    pub(super) challenge_id: Uuid,
}
