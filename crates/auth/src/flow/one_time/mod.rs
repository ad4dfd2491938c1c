//! One-time links and codes: how they are made and stored.
//!
//! A link carries 256 random bits and is stored as their hash. A code is short, so it is stored as a
//! keyed hash, and only a few guesses are allowed. Neither can be derived from the other.

pub(crate) mod confirm;
pub(crate) mod find;
pub(crate) mod gotrue_codes;
pub(crate) mod mail_limit;
pub(crate) mod pkce;
pub(crate) mod send;
pub(crate) mod send_sms;
pub(crate) mod sms_check;
pub(crate) mod sms_limit;
pub(crate) mod verify;
pub(crate) mod verify_type;

use std::fmt::Write;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_service::database::Executor;
use innkeeper_service::random;
use uuid::Uuid;

use crate::app::App;
use crate::base::error::Result;
use crate::store;

/// How many wrong guesses are allowed for each code.
pub(crate) const MAX_ATTEMPTS: i32 = 5;
/// The most digits that a code can have.
const MAX_DIGITS: usize = 10;
/// The prefix of a link's secret that is exchanged for a PKCE code.
pub(crate) const PKCE_PREFIX: &str = "pkce_";

/// The purpose of a link or code, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A sign-up or an invitation.
    Confirmation,
    /// A magic link or a forgotten password.
    Recovery,
    /// A change of email address, confirmed at the new one.
    EmailChangeNew,
    /// A change of email address, confirmed at the current one.
    EmailChangeCurrent,
    /// A change of phone number, confirmed at the new one.
    PhoneChange,
    /// The nonce of a change of password.
    Reauthentication,
}

impl TokenKind {
    /// Returns its name in the database.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation_token",
            Self::Recovery => "recovery_token",
            Self::EmailChangeNew => "email_change_token_new",
            Self::EmailChangeCurrent => "email_change_token_current",
            Self::PhoneChange => "phone_change_token",
            Self::Reauthentication => "reauthentication_token",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        [
            Self::Confirmation,
            Self::Recovery,
            Self::EmailChangeNew,
            Self::EmailChangeCurrent,
            Self::PhoneChange,
            Self::Reauthentication,
        ]
        .into_iter()
        .find(|kind| kind.name() == name)
    }
}

/// A new link and its code, in plain text.
pub(crate) struct OneTimeSecret {
    /// The secret of the link.
    pub(crate) link: String,
    /// The code that the user can type instead.
    pub(crate) code: String,
}

/// What a new link and code are issued for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenPurpose<'a> {
    pub(crate) user_id: Uuid,
    pub(crate) kind: TokenKind,
    /// The email address or phone number that it is sent to.
    pub(crate) relates_to: &'a str,
    /// The PKCE flow whose code the link is exchanged for.
    pub(crate) flow_id: Option<Uuid>,
    /// Whether using it confirms the password of the sign-up.
    pub(crate) carries_password: bool,
}

/// Creates and stores a link and a code; earlier ones of the same kind stop working, except for the links of
/// sign-ups.
pub(crate) async fn issue(
    app: &App,
    conn: &dyn Executor,
    purpose: TokenPurpose<'_>,
) -> Result<OneTimeSecret> {
    let code = random::digits(app.config.mailer.otp_length);
    store_code(app, conn, purpose, code).await
}

/// Stores a code, with a new link. Nobody is told the link of a code that is sent by text message.
async fn store_code(
    app: &App,
    conn: &dyn Executor,
    purpose: TokenPurpose<'_>,
    code: String,
) -> Result<OneTimeSecret> {
    let secret = URL_SAFE_NO_PAD.encode(random::bytes::<32>());
    let link = if purpose.flow_id.is_some() {
        format!("{PKCE_PREFIX}{secret}")
    } else {
        secret
    };
    let tag = code_tag(app, purpose.user_id, purpose.kind, &code);
    let stored = store::one_time_tokens::NewOneTimeToken {
        user_id: purpose.user_id,
        kind: purpose.kind.name(),
        token_hash: &hash(&link),
        relates_to: purpose.relates_to,
        code_mac: tag.as_ref(),
        carries_password: purpose.carries_password,
        flow_id: purpose.flow_id,
    };
    store::one_time_tokens::replace(conn, &stored, app.clock.now()).await?;
    Ok(OneTimeSecret { link, code })
}

/// Returns the hash that is stored of a secret with enough randomness.
pub(crate) fn hash(secret: &str) -> String {
    hex(digest(&SHA256, secret.as_bytes()).as_ref())
}

/// Encodes bytes in lower-case hexadecimal.
fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
    }
    text
}

/// Whether a text has the form of a code. The secret of a link never has.
pub(crate) fn has_form_of_code(text: &str) -> bool {
    text.len() <= MAX_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether `stored` is the keyed hash of this code.
pub(crate) fn is_code(
    app: &App,
    user_id: Uuid,
    kind: TokenKind,
    code: &str,
    stored: &[u8],
) -> bool {
    let tag = code_tag(app, user_id, kind, code);
    verify_slices_are_equal(tag.as_ref(), stored).is_ok()
}

fn code_tag(app: &App, user_id: Uuid, kind: TokenKind, code: &str) -> hmac::Tag {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &app.mac_keys.code);
    let mut context = hmac::Context::with_key(&key);
    context.update(user_id.as_bytes());
    context.update(kind.name().as_bytes());
    context.update(code.as_bytes());
    context.sign()
}

#[cfg(test)]
mod tests {
    use super::has_form_of_code;

    #[test]
    fn codes_are_told_from_the_secrets_of_links() {
        for code in ["123456", "0123456789", "1"] {
            assert!(has_form_of_code(code), "{code}");
        }
        for other in [
            "01234567890",
            "12345a",
            "AwvTqWDoOTPhM5CE0IoVb0S6cQ2fFUT6Q7kq3PyZsFU",
        ] {
            assert!(!has_form_of_code(other), "{other}");
        }
    }
}
