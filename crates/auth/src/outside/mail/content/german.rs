//! The built-in mails in German.

use super::words::Words;
use crate::config::MessageKind;

/// Returns the text of a mail; `is_to_new` says whether it goes to the address that an account is to change to.
pub(super) fn words(kind: MessageKind, is_to_new: bool) -> Words {
    let (title, about) = subject_matter(kind);
    let (follow, button) = link(kind);
    Words {
        subject: Some(subject(kind, title)),
        title,
        about,
        follow,
        button,
        enter_after_link: "Oder geben Sie diesen Code ein:",
        enter: "Geben Sie diesen Code ein:",
        expiry: "Link und Code sind bis {{ .ExpiresAt }} gültig, und nur einmal.",
        code_expiry: "Der Code ist bis {{ .ExpiresAt }} gültig, und nur einmal.",
        farewell: farewell(kind, is_to_new),
    }
}

/// Returns what to do if the recipient did not cause the mail.
fn farewell(kind: MessageKind, is_to_new: bool) -> &'static str {
    match kind {
        MessageKind::Invite => {
            "Sie haben nicht um diese Mail gebeten: Jemand bei {{ .SiteURL }} hat Sie eingeladen. Wenn Sie dort \
             kein Konto möchten, ignorieren Sie sie. Ohne Ihre Zustimmung kann das Konto nicht benutzt werden."
        }
        MessageKind::Confirmation => {
            "Wenn Sie kein Konto angelegt haben, ignorieren Sie diese Mail. Ohne Ihre Bestätigung kann das Konto \
             nicht benutzt werden."
        }
        MessageKind::Recovery => {
            "Wenn Sie nicht darum gebeten haben, ignorieren Sie diese Mail. Ihr Passwort bleibt, wie es ist."
        }
        MessageKind::MagicLink => {
            "Wenn Sie nicht darum gebeten haben, ignorieren Sie diese Mail, und geben Sie Link und Code nicht \
             weiter. Ohne sie kann sich niemand anmelden."
        }
        MessageKind::EmailChange if is_to_new => {
            "Wenn Sie dieses Konto nicht kennen, folgen Sie dem Link nicht und geben Sie den Code nicht weiter. \
             Ohne Ihre Bestätigung bekommt das Konto Ihre Adresse nicht."
        }
        MessageKind::EmailChange => {
            "Wenn Sie nicht darum gebeten haben, ignorieren Sie diese Mail nicht: Vielleicht ist jemand anderes \
             in Ihrem Konto angemeldet. Folgen Sie dem Link nicht. Melden Sie sich bei {{ .SiteURL }} an, setzen \
             Sie ein neues Passwort, und melden Sie es den Betreibern der Seite."
        }
        MessageKind::Reauthentication => {
            "Wenn Sie gerade nichts ändern, ignorieren Sie diese Mail nicht: Vielleicht ist jemand anderes in \
             Ihrem Konto angemeldet. Geben Sie den Code nicht weiter. Melden Sie sich bei {{ .SiteURL }} an, \
             setzen Sie ein neues Passwort, und melden Sie es den Betreibern der Seite."
        }
        MessageKind::EmailTaken => {
            "Wenn Sie es waren, melden Sie sich mit dieser Adresse an. Sonst müssen Sie nichts tun."
        }
        _ => {
            "Wenn Sie das nicht waren, setzen Sie sofort ein neues Passwort und melden Sie es den \
             Betreibern der Seite."
        }
    }
}

/// Returns the subject, which may say more than the title.
fn subject(kind: MessageKind, title: &'static str) -> &'static str {
    match kind {
        MessageKind::MagicLink => "Ihr Link zum Anmelden",
        MessageKind::Reauthentication => "{{ .Token }} ist Ihr Bestätigungscode",
        _ => title,
    }
}

fn subject_matter(kind: MessageKind) -> (&'static str, &'static str) {
    match kind {
        MessageKind::Invite => (
            "Sie sind eingeladen",
            "Sie sind eingeladen, auf {{ .SiteURL }} ein Konto für {{ .Email }} anzulegen.",
        ),
        MessageKind::Confirmation => (
            "Bestätigen Sie Ihre Adresse",
            "Auf {{ .SiteURL }} wurde ein Konto mit der Adresse {{ .Email }} angelegt.",
        ),
        MessageKind::Recovery => (
            "Setzen Sie Ihr Passwort zurück",
            "Auf {{ .SiteURL }} wurde ein neues Passwort für das Konto {{ .Email }} angefordert.",
        ),
        MessageKind::MagicLink => (
            "Anmelden",
            "Auf {{ .SiteURL }} wurde ein Link zum Anmelden als {{ .Email }} angefordert.",
        ),
        MessageKind::EmailChange => (
            "Bestätigen Sie Ihre neue Adresse",
            "Die Adresse eines Kontos auf {{ .SiteURL }} soll\
             {{ with .Email }} von {{ . }}{{ end }}{{ with .NewEmail }} zu {{ . }}{{ end }} geändert werden.",
        ),
        MessageKind::Reauthentication => (
            "Bestätigen Sie, dass Sie es sind",
            "Eine Änderung am Konto {{ .Email }} auf {{ .SiteURL }} muss bestätigt werden.",
        ),
        MessageKind::EmailTaken => (
            "Ihre Adresse wurde für ein anderes Konto angegeben",
            "Jemand wollte die Adresse eines anderen Kontos auf {{ .SiteURL }} zu {{ .Email }} ändern. \
             Sie gehört zu Ihrem Konto; deshalb wurde nichts geändert.",
        ),
        kind => notification(kind),
    }
}

fn notification(kind: MessageKind) -> (&'static str, &'static str) {
    match kind {
        MessageKind::PasswordChanged => (
            "Ihr Passwort wurde geändert",
            "Das Passwort des Kontos {{ .Email }} auf {{ .SiteURL }} wurde geändert.",
        ),
        MessageKind::EmailChanged => (
            "Ihre Adresse wurde geändert",
            "Die Adresse Ihres Kontos auf {{ .SiteURL }} wurde\
             {{ with .OldEmail }} von {{ . }}{{ end }} zu {{ .Email }} geändert.",
        ),
        MessageKind::PhoneChanged => (
            "Ihre Telefonnummer wurde geändert",
            "Die Telefonnummer des Kontos {{ .Email }} auf {{ .SiteURL }} wurde\
             {{ with .OldPhone }} von {{ . }}{{ end }}{{ with .Phone }} zu {{ . }}{{ end }} geändert.",
        ),
        MessageKind::IdentityLinked => (
            "Es gibt einen neuen Weg, sich anzumelden",
            "Das Konto {{ .Email }} auf {{ .SiteURL }} lässt sich nun auch mit {{ .Provider }} öffnen.",
        ),
        MessageKind::IdentityUnlinked => (
            "Ein Weg, sich anzumelden, wurde entfernt",
            "Das Konto {{ .Email }} auf {{ .SiteURL }} lässt sich nicht mehr mit {{ .Provider }} öffnen.",
        ),
        MessageKind::MfaFactorEnrolled => (
            "Es gibt einen neuen zweiten Faktor",
            "Zum Konto {{ .Email }} auf {{ .SiteURL }} kam ein zweiter Faktor hinzu \
             ({{ .FactorType }}).",
        ),
        _ => (
            "Ein zweiter Faktor wurde entfernt",
            "Vom Konto {{ .Email }} auf {{ .SiteURL }} wurde ein zweiter Faktor entfernt \
             ({{ .FactorType }}).",
        ),
    }
}

fn link(kind: MessageKind) -> (&'static str, &'static str) {
    match kind {
        MessageKind::Invite => (
            "Folgen Sie diesem Link, um die Einladung anzunehmen:",
            "Einladung annehmen",
        ),
        MessageKind::Confirmation => (
            "Folgen Sie diesem Link, um zu bestätigen, dass die Adresse Ihnen gehört:",
            "Adresse bestätigen",
        ),
        MessageKind::Recovery => (
            "Folgen Sie diesem Link, um ein neues Passwort zu wählen:",
            "Neues Passwort wählen",
        ),
        MessageKind::MagicLink => ("Folgen Sie diesem Link, um sich anzumelden:", "Anmelden"),
        MessageKind::EmailChange => (
            "Folgen Sie diesem Link, um die Änderung zu bestätigen:",
            "Änderung bestätigen",
        ),
        _ => (
            "Folgen Sie diesem Link, um sie zu bestätigen:",
            "Bestätigen",
        ),
    }
}
