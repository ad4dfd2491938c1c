//! The kinds of mail.

use serde::{Deserialize, Serialize};

/// The notifications that are sent when they are switched on, as settings spell them.
pub const NOTIFICATIONS: &[&str] = &[
    "PASSWORD_CHANGED",
    "EMAIL_CHANGED",
    "PHONE_CHANGED",
    "IDENTITY_LINKED",
    "IDENTITY_UNLINKED",
    "MFA_FACTOR_ENROLLED",
    "MFA_FACTOR_UNENROLLED",
];

/// The kinds of mail: those with a link or a code, and notifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// An administrator invited the address.
    Invite,
    /// A sign-up waits for confirmation.
    Confirmation,
    /// The password is to be reset.
    Recovery,
    /// Sign-in without a password.
    MagicLink,
    /// A change of address waits for confirmation.
    EmailChange,
    /// A password change waits for the nonce.
    Reauthentication,
    /// The password has changed.
    PasswordChanged,
    /// The address has changed; the mail goes to the former one.
    EmailChanged,
    /// The phone number has changed.
    PhoneChanged,
    /// A way to sign in was added.
    IdentityLinked,
    /// A way to sign in was removed.
    IdentityUnlinked,
    /// A second factor was added.
    MfaFactorEnrolled,
    /// A second factor was removed.
    MfaFactorUnenrolled,
    /// Somebody tried to move another account to the address; the mail goes to its owner.
    EmailTaken,
}

impl MessageKind {
    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::Invite,
        Self::Confirmation,
        Self::Recovery,
        Self::MagicLink,
        Self::EmailChange,
        Self::Reauthentication,
        Self::PasswordChanged,
        Self::EmailChanged,
        Self::PhoneChanged,
        Self::IdentityLinked,
        Self::IdentityUnlinked,
        Self::MfaFactorEnrolled,
        Self::MfaFactorUnenrolled,
        Self::EmailTaken,
    ];

    /// Returns the kind as settings spell it.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Invite => "INVITE",
            Self::Confirmation => "CONFIRMATION",
            Self::Recovery => "RECOVERY",
            Self::MagicLink => "MAGIC_LINK",
            Self::EmailChange => "EMAIL_CHANGE",
            Self::Reauthentication => "REAUTHENTICATION",
            Self::PasswordChanged => "PASSWORD_CHANGED_NOTIFICATION",
            Self::EmailChanged => "EMAIL_CHANGED_NOTIFICATION",
            Self::PhoneChanged => "PHONE_CHANGED_NOTIFICATION",
            Self::IdentityLinked => "IDENTITY_LINKED_NOTIFICATION",
            Self::IdentityUnlinked => "IDENTITY_UNLINKED_NOTIFICATION",
            Self::MfaFactorEnrolled => "MFA_FACTOR_ENROLLED_NOTIFICATION",
            Self::MfaFactorUnenrolled => "MFA_FACTOR_UNENROLLED_NOTIFICATION",
            Self::EmailTaken => "EMAIL_TAKEN",
        }
    }

    /// Whether the mail only reports a change and has neither link nor code.
    pub fn is_notification(self) -> bool {
        self.notification().is_some()
    }

    /// Returns the notification as `MAILER_NOTIFICATIONS_<KIND>_ENABLED` spells it.
    pub(super) fn notification(self) -> Option<&'static str> {
        self.setting().strip_suffix("_NOTIFICATION")
    }
}

/// One value for each kind of message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PerMessage<T> {
    /// For [`MessageKind::Invite`].
    pub invite: T,
    /// For [`MessageKind::Confirmation`].
    pub confirmation: T,
    /// For [`MessageKind::Recovery`].
    pub recovery: T,
    /// For [`MessageKind::MagicLink`].
    pub magic_link: T,
    /// For [`MessageKind::EmailChange`].
    pub email_change: T,
    /// For [`MessageKind::Reauthentication`].
    pub reauthentication: T,
    /// For [`MessageKind::PasswordChanged`].
    pub password_changed: T,
    /// For [`MessageKind::EmailChanged`].
    pub email_changed: T,
    /// For [`MessageKind::PhoneChanged`].
    pub phone_changed: T,
    /// For [`MessageKind::IdentityLinked`].
    pub identity_linked: T,
    /// For [`MessageKind::IdentityUnlinked`].
    pub identity_unlinked: T,
    /// For [`MessageKind::MfaFactorEnrolled`].
    pub mfa_factor_enrolled: T,
    /// For [`MessageKind::MfaFactorUnenrolled`].
    pub mfa_factor_unenrolled: T,
    /// For [`MessageKind::EmailTaken`].
    pub email_taken: T,
}

impl<T> PerMessage<T> {
    /// Computes the value of each kind.
    pub fn from_fn(mut value: impl FnMut(MessageKind) -> T) -> Self {
        Self {
            invite: value(MessageKind::Invite),
            confirmation: value(MessageKind::Confirmation),
            recovery: value(MessageKind::Recovery),
            magic_link: value(MessageKind::MagicLink),
            email_change: value(MessageKind::EmailChange),
            reauthentication: value(MessageKind::Reauthentication),
            password_changed: value(MessageKind::PasswordChanged),
            email_changed: value(MessageKind::EmailChanged),
            phone_changed: value(MessageKind::PhoneChanged),
            identity_linked: value(MessageKind::IdentityLinked),
            identity_unlinked: value(MessageKind::IdentityUnlinked),
            mfa_factor_enrolled: value(MessageKind::MfaFactorEnrolled),
            mfa_factor_unenrolled: value(MessageKind::MfaFactorUnenrolled),
            email_taken: value(MessageKind::EmailTaken),
        }
    }

    /// Returns the value of a kind.
    pub fn get(&self, kind: MessageKind) -> &T {
        match kind {
            MessageKind::Invite => &self.invite,
            MessageKind::Confirmation => &self.confirmation,
            MessageKind::Recovery => &self.recovery,
            MessageKind::MagicLink => &self.magic_link,
            MessageKind::EmailChange => &self.email_change,
            MessageKind::Reauthentication => &self.reauthentication,
            MessageKind::PasswordChanged => &self.password_changed,
            MessageKind::EmailChanged => &self.email_changed,
            MessageKind::PhoneChanged => &self.phone_changed,
            MessageKind::IdentityLinked => &self.identity_linked,
            MessageKind::IdentityUnlinked => &self.identity_unlinked,
            MessageKind::MfaFactorEnrolled => &self.mfa_factor_enrolled,
            MessageKind::MfaFactorUnenrolled => &self.mfa_factor_unenrolled,
            MessageKind::EmailTaken => &self.email_taken,
        }
    }
}
