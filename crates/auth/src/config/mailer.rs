//! `MAILER_*`: what mails say and how long they hold.

use std::collections::BTreeMap;

use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use url::Url;

use super::Profile;
use super::checks::{one_line, positive, within};

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
    Setting::new(name, Kind::Text, "The subject of that mail.").default(defaults)
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

/// `MAILER_*` settings.
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
    pub subjects: PerMessage<String>,
    /// `MAILER_SUBJECTS_<KIND>_NOTIFICATION`, by [`NOTIFICATIONS`].
    pub notification_subjects: BTreeMap<&'static str, String>,
    /// `MAILER_URLPATHS_<KIND>`, default `/verify`; a magic link uses that of recovery.
    pub urlpaths: PerMessage<String>,
    /// `MAILER_EXTERNAL_HOSTS`: hosts that may stand in a link instead of the server's own.
    pub external_hosts: Vec<String>,
    /// `MAILER_CONFIRMATION_PAGE`: a link opens a page with a button and confirms nothing by itself.
    pub confirmation_page: bool,
}

/// The kinds of message that carry a link or a code.
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
}

impl MessageKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Invite,
        Self::Confirmation,
        Self::Recovery,
        Self::MagicLink,
        Self::EmailChange,
        Self::Reauthentication,
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
        }
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
        }
    }
}

impl MailerConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile, external_url: Option<&Url>) -> Self {
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
            subjects: PerMessage::from_fn(|kind| read_subject(reader, kind.setting())),
            notification_subjects: NOTIFICATIONS
                .iter()
                .map(|kind| (*kind, read_subject(reader, &format!("{kind}_NOTIFICATION"))))
                .collect(),
            urlpaths: PerMessage::from_fn(|kind| read_urlpath(reader, kind, external_url)),
            external_hosts: reader.get("MAILER_EXTERNAL_HOSTS"),
            confirmation_page: reader.get("MAILER_CONFIRMATION_PAGE"),
        }
    }
}

fn read_subject(reader: &mut Reader, kind: &str) -> String {
    one_line(reader, &format!("MAILER_SUBJECTS_{kind}"))
}

fn read_urlpath(reader: &mut Reader, kind: MessageKind, external_url: Option<&Url>) -> String {
    let own = match kind {
        // A code needs no link; the value is there so that every kind has one.
        MessageKind::MagicLink | MessageKind::Reauthentication => MessageKind::Recovery,
        kind => kind,
    };
    let name = format!("MAILER_URLPATHS_{}", own.setting());
    let path: String = reader.get(&name);
    if own == kind && external_url.is_some_and(|url| url.join(&path).is_err()) {
        reader.fault(&name, "is neither a path nor a URL");
    }
    path
}
