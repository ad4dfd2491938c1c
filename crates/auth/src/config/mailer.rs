//! `MAILER_*`: what mails say and how long they hold.

use std::collections::BTreeSet;

use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use url::Url;

use super::checks::{complain, one_line, positive, within};
use super::{Profile, TemplatesConfig};
use crate::mail;

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "MAILER_AUTOCONFIRM",
        Kind::Boolean,
        "Addresses count as confirmed at once.",
    )
    .default(&["false"]),
    Setting::new(
        "MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS",
        Kind::Boolean,
        "Users sign in before they have confirmed their address. Not together with autoconfirm.",
    )
    .default(&["false"]),
    Setting::new(
        "MAILER_OTP_EXP",
        Kind::Seconds,
        "How long a link or code in a mail holds.",
    )
    .default(&["3600", "86400"]),
    Setting::new(
        "MAILER_OTP_LENGTH",
        Kind::Integer,
        "How many digits a code in a mail has, from 6 to 10.",
    )
    .default(&["6"]),
    Setting::new(
        "MAILER_SECURE_EMAIL_CHANGE_ENABLED",
        Kind::Boolean,
        "Both the old and the new address confirm a change.",
    )
    .default(&["true"]),
    Setting::new(
        "MAILER_CONFIRMATION_PAGE",
        Kind::Boolean,
        "A link opens a page with a button, so that programs which follow links use up nothing.",
    )
    .default(&["false"]),
    Setting::new(
        "MAILER_EXTERNAL_HOSTS",
        Kind::List,
        "Hosts that may stand in links when the request came by them.",
    ),
    subject(
        "MAILER_SUBJECTS_INVITE",
        &["You have been invited", "You've been invited"],
    ),
    subject(
        "MAILER_SUBJECTS_CONFIRMATION",
        &["Confirm Your Signup", "Confirm your email address"],
    ),
    subject(
        "MAILER_SUBJECTS_RECOVERY",
        &["Reset Your Password", "Reset your password"],
    ),
    subject(
        "MAILER_SUBJECTS_MAGIC_LINK",
        &["Your Magic Link", "Your sign-in link"],
    ),
    subject(
        "MAILER_SUBJECTS_EMAIL_CHANGE",
        &["Confirm Email Change", "Confirm your new email address"],
    ),
    subject(
        "MAILER_SUBJECTS_REAUTHENTICATION",
        &[
            "Confirm Reauthentication",
            "{{ .Token }} is your verification code",
        ],
    ),
    subject(
        "MAILER_SUBJECTS_PASSWORD_CHANGED_NOTIFICATION",
        &[
            "Your password has been changed",
            "Your password was changed",
        ],
    )
    .aliases(&["MAILER_SUBJECTS_PASSWORD_CHANGED"]),
    subject(
        "MAILER_SUBJECTS_EMAIL_CHANGED_NOTIFICATION",
        &[
            "Your email address has been changed",
            "Your email address was changed",
        ],
    )
    .aliases(&["MAILER_SUBJECTS_EMAIL_CHANGED"]),
    subject(
        "MAILER_SUBJECTS_PHONE_CHANGED_NOTIFICATION",
        &["Your phone number was changed"],
    )
    .aliases(&["MAILER_SUBJECTS_PHONE_CHANGED"]),
    subject(
        "MAILER_SUBJECTS_IDENTITY_LINKED_NOTIFICATION",
        &["A new sign-in method was linked to your account"],
    )
    .aliases(&["MAILER_SUBJECTS_IDENTITY_LINKED"]),
    subject(
        "MAILER_SUBJECTS_IDENTITY_UNLINKED_NOTIFICATION",
        &["A sign-in method was removed from your account"],
    )
    .aliases(&["MAILER_SUBJECTS_IDENTITY_UNLINKED"]),
    subject(
        "MAILER_SUBJECTS_MFA_FACTOR_ENROLLED_NOTIFICATION",
        &[
            "A new MFA factor has been enrolled",
            "A new verification method was added to your account",
        ],
    )
    .aliases(&["MAILER_SUBJECTS_MFA_FACTOR_ENROLLED"]),
    subject(
        "MAILER_SUBJECTS_MFA_FACTOR_UNENROLLED_NOTIFICATION",
        &[
            "An MFA factor has been unenrolled",
            "A verification method was removed from your account",
        ],
    )
    .aliases(&["MAILER_SUBJECTS_MFA_FACTOR_UNENROLLED"]),
    Setting::new(
        "MAILER_URLPATHS_<KIND>",
        Kind::Other("a path or URL"),
        "What a link opens, seen from `API_EXTERNAL_URL`. A magic link uses that of recovery.",
    )
    .words(&["INVITE", "CONFIRMATION", "RECOVERY", "EMAIL_CHANGE"])
    .default(&["/verify"]),
];

const fn subject(name: &'static str, defaults: &'static [&'static str]) -> Setting {
    Setting::new(name, Kind::Text, "The subject of that mail, a template.").default(defaults)
}

/// The kinds of mail that tell a user what has happened, as settings spell them.
pub const NOTIFICATIONS: &[&str] = &[
    "PASSWORD_CHANGED",
    "EMAIL_CHANGED",
    "PHONE_CHANGED",
    "IDENTITY_LINKED",
    "IDENTITY_UNLINKED",
    "MFA_FACTOR_ENROLLED",
    "MFA_FACTOR_UNENROLLED",
];

/// `MAILER_*` settings. What there is one of for each kind is boxed: settings are moved about.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct MailerConfig {
    /// `MAILER_AUTOCONFIRM`: addresses count as confirmed at once.
    pub autoconfirm: bool,
    /// `MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS`.
    pub allow_unverified_email_sign_ins: bool,
    /// `MAILER_OTP_EXP` in seconds, default 3600 (gotrue 86400).
    pub otp_exp: SignedDuration,
    /// `MAILER_OTP_LENGTH`, default 6, from 6 to 10.
    pub otp_length: u32,
    /// `MAILER_SECURE_EMAIL_CHANGE_ENABLED`: both addresses confirm a change.
    pub secure_email_change_enabled: bool,
    /// `MAILER_SUBJECTS_<KIND>`.
    pub subjects: Box<PerMessage<String>>,
    /// `MAILER_TEMPLATES_<KIND>` and what goes with them.
    pub templates: Box<TemplatesConfig>,
    /// `MAILER_NOTIFICATIONS_<KIND>_ENABLED`: the notifications that are sent, none by default.
    pub notifications: BTreeSet<MessageKind>,
    /// `MAILER_URLPATHS_<KIND>`, default `/verify`; a magic link uses that of recovery.
    pub urlpaths: Box<PerMessage<String>>,
    /// `MAILER_EXTERNAL_HOSTS`: hosts that may stand in a link instead of the server's own.
    pub external_hosts: Vec<String>,
    /// `MAILER_CONFIRMATION_PAGE`: a link opens a page with a button and confirms nothing by itself.
    pub confirmation_page: bool,
}

/// The kinds of message: those that carry a link or a code, and notifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// An administrator invited the address.
    Invite,
    /// A sign-up waits for confirmation.
    Confirmation,
    /// The password was forgotten.
    Recovery,
    /// Sign-in without a password.
    MagicLink,
    /// The address is to change.
    EmailChange,
    /// A password change waits for the nonce.
    Reauthentication,
    /// The password has changed.
    PasswordChanged,
    /// The address has changed; goes to the former one.
    EmailChanged,
    /// The phone number has changed.
    PhoneChanged,
    /// There is another way to sign in.
    IdentityLinked,
    /// A way to sign in was removed.
    IdentityUnlinked,
    /// There is another second factor.
    MfaFactorEnrolled,
    /// A second factor was removed.
    MfaFactorUnenrolled,
}

impl MessageKind {
    /// All kinds.
    pub const ALL: [Self; 13] = [
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
    ];

    /// The kind as settings spell it.
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
        }
    }

    /// Whether it only says what has happened, and asks for nothing.
    pub fn is_notification(self) -> bool {
        self.notification().is_some()
    }

    /// The notification as its switch spells it.
    fn notification(self) -> Option<&'static str> {
        self.setting().strip_suffix("_NOTIFICATION")
    }

    /// The subjects that it has when none is set, in both profiles.
    pub(crate) fn default_subjects(self) -> &'static [&'static str] {
        let name = format!("MAILER_SUBJECTS_{}", self.setting());
        let mut settings = SETTINGS.iter();
        settings
            .find(|setting| setting.name == name)
            .map_or(&[], |setting| setting.defaults)
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
}

impl<T> PerMessage<T> {
    /// Asks for each kind's value.
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
        }
    }

    /// The value for this kind.
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
        }
    }
}

impl MailerConfig {
    pub(super) fn read(
        reader: &mut Reader,
        profile: Profile,
        site: Option<&Url>,
        external_url: Option<&Url>,
    ) -> Self {
        let autoconfirm = reader.get("MAILER_AUTOCONFIRM");
        let allow_unverified_email_sign_ins = reader.get("MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS");
        if autoconfirm && allow_unverified_email_sign_ins {
            let problem = "cannot be on together with MAILER_AUTOCONFIRM";
            reader.fault("MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS", problem);
        }
        Self {
            autoconfirm,
            allow_unverified_email_sign_ins,
            otp_exp: positive(reader, profile, "MAILER_OTP_EXP"),
            otp_length: within(reader, profile, "MAILER_OTP_LENGTH", 6..=10),
            secure_email_change_enabled: reader.get("MAILER_SECURE_EMAIL_CHANGE_ENABLED"),
            subjects: Box::new(PerMessage::from_fn(|kind| {
                read_subject(reader, profile, kind)
            })),
            templates: Box::new(TemplatesConfig::read(reader, profile, site)),
            notifications: MessageKind::ALL
                .into_iter()
                .filter(|kind| {
                    let name = kind.notification();
                    name.is_some_and(|name| {
                        reader.get(&format!("MAILER_NOTIFICATIONS_{name}_ENABLED"))
                    })
                })
                .collect(),
            urlpaths: Box::new(PerMessage::from_fn(|kind| {
                read_urlpath(reader, kind, external_url)
            })),
            external_hosts: reader.get("MAILER_EXTERNAL_HOSTS"),
            confirmation_page: reader.get("MAILER_CONFIRMATION_PAGE"),
        }
    }
}

fn read_subject(reader: &mut Reader, profile: Profile, kind: MessageKind) -> String {
    let name = format!("MAILER_SUBJECTS_{}", kind.setting());
    let subject = one_line(reader, &name);
    if let Err(problem) = mail::check_subject(&subject) {
        complain(reader, profile, &name, &problem);
        return reader.default_text(&name).to_owned();
    }
    subject
}

fn read_urlpath(reader: &mut Reader, kind: MessageKind, external_url: Option<&Url>) -> String {
    let own = match kind {
        MessageKind::Invite | MessageKind::Confirmation | MessageKind::EmailChange => kind,
        // A code and a notification need no link; the value is there so that every kind has one.
        _ => MessageKind::Recovery,
    };
    let name = format!("MAILER_URLPATHS_{}", own.setting());
    let path: String = reader.get(&name);
    if own == kind && external_url.is_some_and(|url| url.join(&path).is_err()) {
        reader.fault(&name, "is neither a path nor a URL");
    }
    path
}
