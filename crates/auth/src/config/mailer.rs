//! `MAILER_*`: subjects, links and validity of mails.

use std::collections::BTreeSet;

use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;
use url::Url;

use super::checks::{one_line, positive, report, within};
use super::message_kind::{MessageKind, PerMessage};
use super::profile::Profile;
use super::templates::{TemplatesConfig, check_subject};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "MAILER_AUTOCONFIRM",
        Kind::Boolean,
        "Addresses are confirmed without a mail.",
    )
    .default(&["false"]),
    Setting::new(
        "MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS",
        Kind::Boolean,
        "Users can sign in before they have confirmed their address. Not together with autoconfirm.",
    )
    .default(&["false"]),
    Setting::new(
        "MAILER_OTP_EXP",
        Kind::Seconds,
        "How long a link or code in a mail is valid.",
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
        "Both the old and the new address must confirm a change.",
    )
    .default(&["true"]),
    Setting::new(
        "MAILER_CONFIRMATION_PAGE",
        Kind::Boolean,
        "A link opens a page with a button, so that programs that follow links do not use it up.",
    )
    .default(&["false"]),
    Setting::new(
        "MAILER_EXTERNAL_HOSTS",
        Kind::List,
        "Hosts that a link may have when the request was sent to them.",
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
    built_in_subject("MAILER_SUBJECTS_PHONE_CHANGED_NOTIFICATION")
        .aliases(&["MAILER_SUBJECTS_PHONE_CHANGED"]),
    built_in_subject("MAILER_SUBJECTS_IDENTITY_LINKED_NOTIFICATION")
        .aliases(&["MAILER_SUBJECTS_IDENTITY_LINKED"]),
    built_in_subject("MAILER_SUBJECTS_IDENTITY_UNLINKED_NOTIFICATION")
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
    subject(
        "MAILER_SUBJECTS_EMAIL_TAKEN",
        &["Your email address was entered for another account"],
    ),
    Setting::new(
        "MAILER_URLPATHS_<KIND>",
        Kind::Other("a path or URL"),
        "The path or URL of a link, relative to `API_EXTERNAL_URL`. A magic link uses that of recovery.",
    )
    .words(&["INVITE", "CONFIRMATION", "RECOVERY", "EMAIL_CHANGE"])
    .default(&["/verify"]),
];

const fn subject(name: &'static str, defaults: &'static [&'static str]) -> Setting {
    Setting::new(name, Kind::Text, "The subject of that mail, a template.").default(defaults)
}

/// Describes the subject of a mail that has none by default.
const fn built_in_subject(name: &'static str) -> Setting {
    Setting::new(
        name,
        Kind::Text,
        "The subject of that mail, a template. When it is not set, the mail has a built-in subject.",
    )
}

/// `MAILER_*` settings. Values for each kind of mail are boxed, because settings are moved.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct MailerConfig {
    /// `MAILER_AUTOCONFIRM`: addresses are confirmed without a mail.
    pub autoconfirm: bool,
    /// `MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS`.
    pub allow_unverified_email_sign_ins: bool,
    /// `MAILER_OTP_EXP` in seconds, default 3600 (gotrue 86400).
    pub otp_exp: SignedDuration,
    /// `MAILER_OTP_LENGTH`, default 6, from 6 to 10.
    pub otp_length: u32,
    /// `MAILER_SECURE_EMAIL_CHANGE_ENABLED`: both addresses must confirm a change.
    pub secure_email_change_enabled: bool,
    /// `MAILER_SUBJECTS_<KIND>`; a mail with an empty one has a built-in subject.
    pub subjects: Box<PerMessage<String>>,
    /// `MAILER_TEMPLATES_<KIND>` and what goes with them.
    pub templates: Box<TemplatesConfig>,
    /// `MAILER_NOTIFICATIONS_<KIND>_ENABLED`: the notifications that are sent, none by default.
    pub notifications: BTreeSet<MessageKind>,
    /// `MAILER_URLPATHS_<KIND>`, default `/verify`; a magic link uses that of recovery.
    pub urlpaths: Box<PerMessage<String>>,
    /// `MAILER_EXTERNAL_HOSTS`: hosts that a link may have instead of the server's own.
    pub external_hosts: Vec<String>,
    /// `MAILER_CONFIRMATION_PAGE`: a link opens a page with a button, and confirms nothing until it is pressed.
    pub confirmation_page: bool,
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

/// Returns the default subjects of a kind, of both profiles.
pub(crate) fn default_subjects(kind: MessageKind) -> &'static [&'static str] {
    let name = format!("MAILER_SUBJECTS_{}", kind.setting());
    let mut settings = SETTINGS.iter();
    settings
        .find(|setting| setting.name == name)
        .map_or(&[], |setting| setting.defaults)
}

fn read_subject(reader: &mut Reader, profile: Profile, kind: MessageKind) -> String {
    let name = format!("MAILER_SUBJECTS_{}", kind.setting());
    let subject = one_line(reader, &name);
    if let Err(problem) = check_subject(&subject) {
        report(reader, profile, &name, &problem);
        return reader.default_text(&name).to_owned();
    }
    subject
}

fn read_urlpath(reader: &mut Reader, kind: MessageKind, external_url: Option<&Url>) -> String {
    let own = match kind {
        MessageKind::Invite | MessageKind::Confirmation | MessageKind::EmailChange => kind,
        // Codes and notifications have no link; the value is unused.
        _ => MessageKind::Recovery,
    };
    let name = format!("MAILER_URLPATHS_{}", own.setting());
    let path: String = reader.get(&name);
    if own == kind && external_url.is_some_and(|url| url.join(&path).is_err()) {
        reader.fault(&name, "is neither a path nor a URL");
    }
    path
}
