//! Using a link or a code.

use jiff::Timestamp;
use uuid::Uuid;

use super::confirm::{self, Outcome};
use super::{ATTEMPTS, PKCE_PREFIX, TokenKind, former};
use crate::api::client::ClientInfo;
use crate::app::App;
use crate::contact::Email;
use crate::error::{AuthError, Result};
use crate::session::issue::{self, Issued};
use crate::store::{self, GenericClient};
use crate::user::User;

/// What the client says it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VerifyType {
    Signup,
    Invite,
    MagicLink,
    Recovery,
    EmailChange,
    /// Any code that was mailed.
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

    /// Whether a token of this kind is what the client says it is.
    fn accepts(self, kind: TokenKind) -> bool {
        match kind {
            TokenKind::Confirmation => matches!(self, Self::Signup | Self::Invite | Self::Email),
            TokenKind::Recovery => matches!(self, Self::MagicLink | Self::Recovery | Self::Email),
            TokenKind::EmailChangeNew | TokenKind::EmailChangeCurrent => self == Self::EmailChange,
            TokenKind::Reauthentication => false,
        }
    }

    /// What it turns out to be: `email` stands for whatever was sent.
    pub(crate) fn resolve(self, kind: TokenKind) -> Self {
        match (self, kind) {
            (Self::Email, TokenKind::Confirmation) => Self::Signup,
            (Self::Email, _) => Self::MagicLink,
            (other, _) => other,
        }
    }
}

/// A use of a link or a code.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) kind: VerifyType,
    pub(crate) proof: Proof,
    /// For an account that has no password.
    pub(crate) password: Option<String>,
}

/// What proves that the user has read the mail.
#[derive(Debug)]
pub(crate) enum Proof {
    /// The secret of a link.
    Link(String),
    /// A code, and the address it was sent to.
    Code { aud: String, email: Email, code: String },
    /// A code that was sent to a number.
    SmsCode,
}

/// What a use of a link or a code ends in.
#[derive(Debug)]
pub(crate) enum Verified {
    /// The user is signed in.
    In(Box<Issued>, VerifyType),
    /// One of two addresses has agreed; the other is still to be asked.
    Half,
    /// The client that asked for the link can exchange this code.
    Exchange(String),
}

/// Uses a link or a code. `exchange` says whether a link of a code exchange ends in a code, as it does
/// in a browser, or in a session.
pub(crate) async fn verify(
    app: &App,
    attempt: &Attempt,
    exchange: bool,
    client: &ClientInfo,
) -> Result<Verified> {
    let hash = match &attempt.password {
        Some(password) => Some(app.hashes.hash(password).await?),
        None => None,
    };
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let found = match &attempt.proof {
        Proof::Link(secret) => find_link(app, &tx, attempt.kind, secret).await?,
        Proof::Code { aud, email, code } => {
            find_code(app, &tx, attempt.kind, (aud, email.as_str()), code).await?
        }
        // No text message was ever sent.
        Proof::SmsCode => Err(code_expired()),
    };
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            // A wrong guess was counted.
            tx.commit().await?;
            return Err(error);
        }
    };
    if found.user.is_banned(app.clock.now()) {
        return Err(AuthError::refused(403, "user_banned", "User is banned"));
    }
    let resolved = attempt.kind.resolve(found.kind);
    let user_id = found.user.id;
    let exchanged = exchange && is_exchange(&attempt.proof);
    let outcome = confirm::apply(app, &tx, found, (resolved, hash), client).await?;
    let verified = match outcome {
        Outcome::Half => Verified::Half,
        Outcome::Whole(_) if exchanged => {
            Verified::Exchange(confirm::issue_exchange_code(app, &tx, user_id, resolved).await?)
        }
        Outcome::Whole(user) => {
            let issued = issue::open(app, &tx, *user, ("otp", "email"), client).await?;
            Verified::In(Box::new(issued), resolved)
        }
    };
    tx.commit().await?;
    Ok(verified)
}

fn is_exchange(proof: &Proof) -> bool {
    matches!(proof, Proof::Link(secret) if secret.starts_with(PKCE_PREFIX))
}

/// A token that was found and is good.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) user: User,
    pub(crate) kind: TokenKind,
    /// Whether it makes the password of its sign-up good.
    pub(crate) carries_password: bool,
}

/// The outer error rolls back, the inner one does not.
async fn find_link(
    app: &App,
    tx: &impl GenericClient,
    wanted: VerifyType,
    secret: &str,
) -> Result<Result<Found>> {
    let hash = super::hash(secret);
    let former_hash = if former::is_link(secret) { secret } else { &hash };
    let Some(link) = store::one_time_tokens::find_by_link(tx, &hash, former_hash).await? else {
        return Ok(Err(link_expired()));
    };
    let Some(user) = store::users::lock_by_id(tx, link.user_id).await? else {
        return Ok(Err(link_expired()));
    };
    // Whoever was faster has used it up while this one waited for the account.
    let Some(link) = store::one_time_tokens::find_by_link(tx, &hash, former_hash).await? else {
        return Ok(Err(link_expired()));
    };
    let Some(kind) = TokenKind::parse(&link.kind) else {
        return Ok(Err(link_expired()));
    };
    if !wanted.accepts(kind) || is_over(app, link.created_at) {
        return Ok(Err(link_expired()));
    }
    // An earlier server did not note it; its confirmation mails were those of sign-ups.
    let carries_password = link
        .carries_password
        .unwrap_or(kind == TokenKind::Confirmation && user.invited_at.is_none());
    Ok(Ok(Found {
        user,
        kind,
        carries_password,
    }))
}

/// The outer error rolls back, the inner one does not.
async fn find_code(
    app: &App,
    tx: &impl GenericClient,
    wanted: VerifyType,
    (aud, email): (&str, &str),
    code: &str,
) -> Result<Result<Found>> {
    let Some((user, kinds)) = find_holder(tx, wanted, aud, email).await? else {
        return Ok(Err(code_expired()));
    };
    let codes = store::one_time_tokens::list_codes(tx, user.id).await?;
    for &kind in &kinds {
        let Some(row) = codes.iter().find(|row| row.kind == kind.name()) else {
            continue;
        };
        let stored = row.code_mac.as_deref().unwrap_or_default();
        if row.attempts < ATTEMPTS
            && !is_over(app, row.created_at)
            && super::is_code(app, user.id, kind, code, stored)
        {
            let carries_password = row.carries_password;
            return Ok(Ok(Found {
                user,
                kind,
                carries_password,
            }));
        }
    }
    if let Some(former) = store::one_time_tokens::former_hashes(tx, user.id).await? {
        let tries = |kind: TokenKind| {
            let row = codes.iter().find(|row| row.kind == kind.name());
            row.map_or(0, |row| row.attempts)
        };
        let good = kinds.iter().copied().find(|&kind| {
            tries(kind) < ATTEMPTS
                && former::sent_at(&former, kind, email, code).is_some_and(|at| !is_over(app, at))
        });
        if let Some(kind) = good {
            let carries_password = kind == TokenKind::Confirmation && user.invited_at.is_none();
            return Ok(Ok(Found {
                user,
                kind,
                carries_password,
            }));
        }
    }
    count(app, tx, user.id, &kinds).await?;
    Ok(Err(code_expired()))
}

async fn count(
    app: &App,
    tx: &impl GenericClient,
    user_id: Uuid,
    kinds: &[TokenKind],
) -> Result<()> {
    for kind in kinds {
        store::one_time_tokens::count_attempt(tx, user_id, kind.name(), app.clock.now()).await?;
    }
    Ok(())
}

/// Whose code it must be, and of which kinds.
async fn find_holder(
    tx: &impl GenericClient,
    wanted: VerifyType,
    aud: &str,
    email: &str,
) -> Result<Option<(User, Vec<TokenKind>)>> {
    let kinds = match wanted {
        VerifyType::Signup | VerifyType::Invite => vec![TokenKind::Confirmation],
        VerifyType::MagicLink | VerifyType::Recovery => vec![TokenKind::Recovery],
        VerifyType::Email => vec![TokenKind::Confirmation, TokenKind::Recovery],
        VerifyType::EmailChange => vec![TokenKind::EmailChangeCurrent],
        VerifyType::Sms | VerifyType::PhoneChange => return Ok(None),
    };
    if let Some(user) = store::users::lock_by_email(tx, aud, email).await? {
        return Ok(Some((user, kinds)));
    }
    if wanted == VerifyType::EmailChange {
        let user = store::users::lock_by_pending_email(tx, aud, email).await?;
        return Ok(user.map(|user| (user, vec![TokenKind::EmailChangeNew])));
    }
    Ok(None)
}

fn is_over(app: &App, sent_at: Timestamp) -> bool {
    app.clock.now().duration_since(sent_at) > app.config.mailer.otp_exp
}

/// 403 `otp_expired`, for codes.
pub(crate) fn code_expired() -> AuthError {
    AuthError::refused(403, "otp_expired", "Token has expired or is invalid")
}

/// 403 `otp_expired`, for links.
pub(crate) fn link_expired() -> AuthError {
    AuthError::refused(403, "otp_expired", "Email link is invalid or has expired")
}
