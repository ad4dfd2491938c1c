//! The built-in mails in English.

use super::words::Words;
use crate::config::MessageKind;

/// Returns the text of a mail; `is_to_new` says whether it goes to the address that an account is to change to.
pub(super) fn words(kind: MessageKind, is_to_new: bool) -> Words {
    let (title, about) = subject_matter(kind);
    let (follow, button) = link(kind);
    Words {
        subject: subject(kind),
        title,
        about,
        follow,
        button,
        enter_after_link: "Or enter this code:",
        enter: "Enter this code:",
        expiry: "The link and the code are valid until {{ .ExpiresAt }}, and only once.",
        code_expiry: "The code is valid until {{ .ExpiresAt }}, and only once.",
        farewell: farewell(kind, is_to_new),
    }
}

/// Returns what to do if the recipient did not cause the mail.
fn farewell(kind: MessageKind, is_to_new: bool) -> &'static str {
    match kind {
        MessageKind::Invite => {
            "You did not ask for this mail: somebody at {{ .SiteURL }} invited you. If you do not want an \
             account there, ignore it. The account cannot be used unless you accept."
        }
        MessageKind::Confirmation => {
            "If you did not sign up, ignore this mail. The account cannot be used unless you confirm it."
        }
        MessageKind::Recovery => {
            "If you did not request this, ignore this mail. Your password stays as it is."
        }
        MessageKind::MagicLink => {
            "If you did not request this, ignore this mail, and do not pass on the link or the code. Nobody \
             can sign in without them."
        }
        MessageKind::EmailChange if is_to_new => {
            "If you do not know this account, do not follow the link and do not pass on the code. Your address \
             is not added to the account unless you confirm it."
        }
        MessageKind::EmailChange => {
            "If you did not request this, do not ignore this mail: somebody else may be signed in to your \
             account. Do not follow the link. Sign in to {{ .SiteURL }}, change your password, and contact the \
             operators of the site."
        }
        MessageKind::Reauthentication => {
            "If you are not changing anything, do not ignore this mail: somebody else may be signed in to your \
             account. Do not pass on the code. Sign in to {{ .SiteURL }}, change your password, and contact the \
             operators of the site."
        }
        MessageKind::EmailTaken => {
            "If it was you, sign in with this address instead. Otherwise you need not do anything."
        }
        _ => {
            "If you did not do this, change your password now and contact the operators of the site."
        }
    }
}

/// Returns the subjects of mails for which the settings have no default.
fn subject(kind: MessageKind) -> Option<&'static str> {
    match kind {
        MessageKind::PhoneChanged => Some("Your phone number was changed"),
        MessageKind::IdentityLinked => Some("A new sign-in method was linked to your account"),
        MessageKind::IdentityUnlinked => Some("A sign-in method was removed from your account"),
        _ => None,
    }
}

fn subject_matter(kind: MessageKind) -> (&'static str, &'static str) {
    match kind {
        MessageKind::Invite => (
            "You have been invited",
            "You have been invited to create an account on {{ .SiteURL }} for {{ .Email }}.",
        ),
        MessageKind::Confirmation => (
            "Confirm your address",
            "An account on {{ .SiteURL }} was created with the address {{ .Email }}.",
        ),
        MessageKind::Recovery => (
            "Reset your password",
            "We received a request to reset the password of the account {{ .Email }} on {{ .SiteURL }}.",
        ),
        MessageKind::MagicLink => (
            "Sign in",
            "We received a request to sign in to {{ .SiteURL }} as {{ .Email }}.",
        ),
        MessageKind::EmailChange => (
            "Confirm the change of your address",
            "We received a request to change the address of an account on {{ .SiteURL }}\
             {{ with .Email }} from {{ . }}{{ end }}{{ with .NewEmail }} to {{ . }}{{ end }}.",
        ),
        MessageKind::Reauthentication => (
            "Confirm that it is you",
            "A change to the account {{ .Email }} on {{ .SiteURL }} needs your confirmation.",
        ),
        MessageKind::EmailTaken => (
            "Your address was entered for another account",
            "Somebody asked to change the address of another account on {{ .SiteURL }} to {{ .Email }}. \
             It is the address of your account, so nothing was changed.",
        ),
        kind => notification(kind),
    }
}

fn notification(kind: MessageKind) -> (&'static str, &'static str) {
    match kind {
        MessageKind::PasswordChanged => (
            "Your password was changed",
            "The password of the account {{ .Email }} on {{ .SiteURL }} was changed.",
        ),
        MessageKind::EmailChanged => (
            "Your address was changed",
            "The address of your account on {{ .SiteURL }} was changed\
             {{ with .OldEmail }} from {{ . }}{{ end }} to {{ .Email }}.",
        ),
        MessageKind::PhoneChanged => (
            "Your phone number was changed",
            "The phone number of the account {{ .Email }} on {{ .SiteURL }} was changed\
             {{ with .OldPhone }} from {{ . }}{{ end }}{{ with .Phone }} to {{ . }}{{ end }}.",
        ),
        MessageKind::IdentityLinked => (
            "There is a new way to sign in",
            "The account {{ .Email }} on {{ .SiteURL }} can now also be used by signing in with \
             {{ .Provider }}.",
        ),
        MessageKind::IdentityUnlinked => (
            "A way to sign in was removed",
            "Signing in with {{ .Provider }} no longer opens the account {{ .Email }} on \
             {{ .SiteURL }}.",
        ),
        MessageKind::MfaFactorEnrolled => (
            "There is a new second factor",
            "A second factor ({{ .FactorType }}) was added to the account {{ .Email }} on \
             {{ .SiteURL }}.",
        ),
        _ => (
            "A second factor was removed",
            "A second factor ({{ .FactorType }}) was removed from the account {{ .Email }} on \
             {{ .SiteURL }}.",
        ),
    }
}

fn link(kind: MessageKind) -> (&'static str, &'static str) {
    match kind {
        MessageKind::Invite => (
            "Follow this link to accept the invitation:",
            "Accept the invitation",
        ),
        MessageKind::Confirmation => (
            "Follow this link to confirm that the address is yours:",
            "Confirm the address",
        ),
        MessageKind::Recovery => (
            "Follow this link to choose a new password:",
            "Choose a new password",
        ),
        MessageKind::MagicLink => ("Follow this link to sign in:", "Sign in"),
        MessageKind::EmailChange => (
            "Follow this link to confirm the change:",
            "Confirm the change",
        ),
        _ => ("Follow this link to confirm it:", "Confirm"),
    }
}
