//! Links and codes that work once: what they are, and how they are stored.
//!
//! A link carries 256 random bits and is stored as their hash. A code is short, so it is stored as a
//! keyed hash, and only a few guesses are allowed. One says nothing about the other.

pub(crate) mod confirm;
pub(crate) mod find;
pub(crate) mod former;
pub(crate) mod frequency;
pub(crate) mod pkce;
pub(crate) mod send;
pub(crate) mod verify;
pub(crate) mod verify_type;

use std::fmt::Write;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_service::random;
use uuid::Uuid;

use crate::app::App;
use crate::error::Result;
use crate::store::{self, GenericClient};

/// How many wrong codes are allowed for each that was sent.
pub(crate) const ATTEMPTS: i32 = 5;
/// What the secret of a link begins with when it ends in a code exchange.
pub(crate) const PKCE_PREFIX: &str = "pkce_";

/// What a link or code is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A sign-up or an invitation.
    Confirmation,
    /// A magic link or a forgotten password.
    Recovery,
    /// A change of address, asked at the new one.
    EmailChangeNew,
    /// A change of address, asked at the present one.
    EmailChangeCurrent,
    /// The nonce of a change of password.
    Reauthentication,
}

impl TokenKind {
    /// Its name in the database.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation_token",
            Self::Recovery => "recovery_token",
            Self::EmailChangeNew => "email_change_token_new",
            Self::EmailChangeCurrent => "email_change_token_current",
            Self::Reauthentication => "reauthentication_token",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        [
            Self::Confirmation,
            Self::Recovery,
            Self::EmailChangeNew,
            Self::EmailChangeCurrent,
            Self::Reauthentication,
        ]
        .into_iter()
        .find(|kind| kind.name() == name)
    }
}

/// A link and a code on their way to a mailbox.
pub(crate) struct Secret {
    /// What the link carries.
    pub(crate) link: String,
    /// What the user can type instead.
    pub(crate) code: String,
}

/// What a new link and code are for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purpose<'a> {
    pub(crate) user_id: Uuid,
    pub(crate) kind: TokenKind,
    /// The address it is sent to.
    pub(crate) relates_to: &'a str,
    /// Whether the link ends in a code exchange.
    pub(crate) pkce: bool,
    /// Whether confirming it makes the password of its sign-up good.
    pub(crate) carries_password: bool,
}

/// Makes and stores a link and a code; earlier ones of the kind stop working.
pub(crate) async fn issue(
    app: &App,
    conn: &impl GenericClient,
    purpose: Purpose<'_>,
) -> Result<Secret> {
    let secret = URL_SAFE_NO_PAD.encode(random::bytes::<32>());
    let link = if purpose.pkce {
        format!("{PKCE_PREFIX}{secret}")
    } else {
        secret
    };
    let code = random::digits(app.config.mailer.otp_length);
    let tag = code_tag(app, purpose.user_id, purpose.kind, &code);
    let stored = store::one_time_tokens::NewOneTimeToken {
        user_id: purpose.user_id,
        kind: purpose.kind.name(),
        token_hash: &hash(&link),
        relates_to: purpose.relates_to,
        code_mac: tag.as_ref(),
        carries_password: purpose.carries_password,
    };
    store::one_time_tokens::replace(conn, &stored, app.clock.now()).await?;
    Ok(Secret { link, code })
}

/// What is stored of a secret with much randomness in it.
pub(crate) fn hash(secret: &str) -> String {
    hex(digest(&SHA256, secret.as_bytes()).as_ref())
}

/// Two lower-case digits for each byte.
fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
    }
    text
}

/// Whether this is the code that was stored.
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
    let key = hmac::Key::new(hmac::HMAC_SHA256, &app.secrets.code);
    let mut context = hmac::Context::with_key(&key);
    context.update(user_id.as_bytes());
    context.update(kind.name().as_bytes());
    context.update(code.as_bytes());
    context.sign()
}
