//! The `type` of `/verify`: what a client says its link or code is for.

use super::TokenKind;

/// What a link or code is for, as the client says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VerifyType {
    Signup,
    Invite,
    MagicLink,
    Recovery,
    EmailChange,
    /// Any code that was sent by mail.
    Email,
    Sms,
    PhoneChange,
}

impl VerifyType {
    const ALL: [Self; 8] = [
        Self::Signup,
        Self::Invite,
        Self::MagicLink,
        Self::Recovery,
        Self::EmailChange,
        Self::Email,
        Self::Sms,
        Self::PhoneChange,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Signup => "signup",
            Self::Invite => "invite",
            Self::MagicLink => "magiclink",
            Self::Recovery => "recovery",
            Self::EmailChange => "email_change",
            Self::Email => "email",
            Self::Sms => "sms",
            Self::PhoneChange => "phone_change",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether a stored link of this kind is of this type.
    pub(crate) fn accepts(self, kind: TokenKind) -> bool {
        match kind {
            TokenKind::Confirmation => matches!(self, Self::Signup | Self::Invite | Self::Email),
            TokenKind::Recovery => matches!(self, Self::MagicLink | Self::Recovery | Self::Email),
            TokenKind::EmailChangeNew | TokenKind::EmailChangeCurrent => self == Self::EmailChange,
            // Codes have no links.
            TokenKind::PhoneChange | TokenKind::Reauthentication => false,
        }
    }

    /// Returns the specific type: `email` stands for any type that was sent by mail.
    pub(crate) fn resolve(self, kind: TokenKind) -> Self {
        match (self, kind) {
            (Self::Email, TokenKind::Confirmation) => Self::Signup,
            (Self::Email, _) => Self::MagicLink,
            (other, _) => other,
        }
    }
}
