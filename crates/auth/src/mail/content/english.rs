//! The built-in mails in English.

use super::words::Words;
use crate::config::MessageKind;

pub(super) fn words(kind: MessageKind) -> Words {
    let (title, about) = subject_matter(kind);
    let (follow, button) = link(kind);
    Words {
        subject: None,
        title,
        about,
        follow,
        button,
        enter_after_link: "Or enter this code:",
        enter: "Enter this code:",
        farewell: match kind {
            MessageKind::EmailTaken => {
                "If it was you, sign in with this address instead. Otherwise you need not do anything."
            }
            kind if kind.is_notification() => {
                "If you did not do this, change your password now and contact the operators of the site."
            }
            _ => "If you did not request this, you can ignore this mail.",
        },
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
            "We received a request to change the address of your account on {{ .SiteURL }} from {{ .Email }}\
             {{ with .NewEmail }} to {{ . }}{{ end }}.",
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
