//! Finding out whether a link or a code is good.

use jiff::Timestamp;

use super::verify_type::VerifyType;
use super::{ATTEMPTS, TokenKind, former};
use crate::app::App;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::store::one_time_tokens::{CodeRow, FormerRow};
use crate::store::{self, GenericClient};
use crate::user::User;

/// A token that was found and is good.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) user: User,
    pub(crate) kind: TokenKind,
    /// Whether it makes the password of its sign-up good.
    pub(crate) carries_password: bool,
}

/// Finds what a link is for, and locks the account. The outer error rolls back, the inner one does
/// not.
pub(crate) async fn by_link(
    app: &App,
    tx: &impl GenericClient,
    wanted: VerifyType,
    secret: &str,
) -> Result<Result<Found>> {
    let Some(seen) = look_up(tx, secret).await? else {
        return Ok(Err(link_expired()));
    };
    let Some(user) = store::users::lock_by_id(tx, seen.user_id).await? else {
        return Ok(Err(link_expired()));
    };
    // Whoever was faster has used it up while this one waited for the account.
    let Some(link) = look_up(tx, secret).await? else {
        return Ok(Err(link_expired()));
    };
    let Some(kind) = TokenKind::parse(&link.kind) else {
        return Ok(Err(link_expired()));
    };
    let is_for_this_address = link
        .relates_to
        .is_none_or(|it| it.eq_ignore_ascii_case(address_of(&user, kind)));
    let is_over = link.sent_at.is_none_or(|at| is_over(app, at));
    if !wanted.accepts(kind) || is_over || !is_for_this_address {
        return Ok(Err(link_expired()));
    }
    let carries_password = link
        .carries_password
        .unwrap_or_else(|| former_carries_password(&user, kind));
    Ok(Ok(Found {
        user,
        kind,
        carries_password,
    }))
}

/// What is stored of a link.
struct Link {
    user_id: uuid::Uuid,
    kind: String,
    sent_at: Option<Timestamp>,
    /// The address it was sent to; unknown for links of an earlier server.
    relates_to: Option<String>,
    carries_password: Option<bool>,
}

async fn look_up(conn: &impl GenericClient, secret: &str) -> Result<Option<Link>> {
    if former::is_link(secret) {
        let row = store::one_time_tokens::find_by_gotrue_link(conn, secret).await?;
        return Ok(row.map(|row| Link {
            user_id: row.user_id,
            kind: row.kind,
            sent_at: row.sent_at,
            relates_to: None,
            carries_password: None,
        }));
    }
    let row = store::one_time_tokens::find_by_link(conn, &super::hash(secret)).await?;
    Ok(row.map(|row| Link {
        user_id: row.user_id,
        kind: row.kind,
        sent_at: Some(row.sent_at),
        relates_to: Some(row.relates_to),
        carries_password: row.carries_password,
    }))
}

/// The address that a token of this kind must have been sent to. An administrator may have given the
/// account another one since, and whoever reads the old mailbox must not confirm the new address.
fn address_of(user: &User, kind: TokenKind) -> &str {
    match kind {
        TokenKind::EmailChangeNew => &user.new_email,
        _ => &user.email,
    }
}

/// An earlier server did not note it; its confirmation mails were those of sign-ups.
fn former_carries_password(user: &User, kind: TokenKind) -> bool {
    kind == TokenKind::Confirmation && user.invited_at.is_none()
}

/// Finds what a code is for, and locks the account. A wrong one is counted. The outer error rolls
/// back, the inner one does not.
pub(crate) async fn by_code(
    app: &App,
    tx: &impl GenericClient,
    wanted: VerifyType,
    (aud, email): (&str, &str),
    code: &str,
) -> Result<Result<Found>> {
    let Some((user, kinds)) = find_holder(tx, wanted, aud, email).await? else {
        return Ok(Err(code_expired()));
    };
    let rows = store::one_time_tokens::list_codes(tx, user.id).await?;
    let former = store::one_time_tokens::find_gotrue_hashes(tx, user.id).await?;
    for &kind in kinds {
        let row = rows.iter().find(|row| row.kind == kind.name());
        if row.is_some_and(|row| row.attempts >= ATTEMPTS) {
            continue;
        }
        let ours = row.filter(|row| is_ours(app, row, (&user, kind), (email, code)));
        let carries_password = match ours {
            Some(row) => row.carries_password,
            None if is_theirs(app, former.as_ref(), kind, (email, code)) => {
                former_carries_password(&user, kind)
            }
            None => continue,
        };
        return Ok(Ok(Found {
            user,
            kind,
            carries_password,
        }));
    }
    let now = app.clock.now();
    for kind in kinds {
        store::one_time_tokens::count_attempt(tx, user.id, kind.name(), now).await?;
    }
    Ok(Err(code_expired()))
}

/// Whether this is the code that we sent to this address.
fn is_ours(
    app: &App,
    row: &CodeRow,
    (user, kind): (&User, TokenKind),
    (email, code): (&str, &str),
) -> bool {
    let stored = row.code_mac.as_deref().unwrap_or_default();
    let relates_to = row.relates_to.as_deref().unwrap_or_default();
    relates_to.eq_ignore_ascii_case(email)
        && !is_over(app, row.created_at)
        && super::is_code(app, user.id, kind, code, stored)
}

/// Whether this is the code that an earlier server sent to this address.
fn is_theirs(
    app: &App,
    former: Option<&FormerRow>,
    kind: TokenKind,
    (email, code): (&str, &str),
) -> bool {
    former
        .and_then(|former| former::sent_at(former, kind, email, code))
        .is_some_and(|at| !is_over(app, at))
}

/// Whose code it must be, and of which kinds.
async fn find_holder(
    tx: &impl GenericClient,
    wanted: VerifyType,
    aud: &str,
    email: &str,
) -> Result<Option<(User, &'static [TokenKind])>> {
    let kinds: &[TokenKind] = match wanted {
        VerifyType::Signup | VerifyType::Invite => &[TokenKind::Confirmation],
        VerifyType::MagicLink | VerifyType::Recovery => &[TokenKind::Recovery],
        VerifyType::Email => &[TokenKind::Confirmation, TokenKind::Recovery],
        VerifyType::EmailChange => &[TokenKind::EmailChangeCurrent],
        VerifyType::Sms | VerifyType::PhoneChange => return Ok(None),
    };
    if let Some(user) = store::users::lock_by_email(tx, aud, email).await? {
        return Ok(Some((user, kinds)));
    }
    if wanted == VerifyType::EmailChange {
        let user = store::users::lock_by_pending_email(tx, aud, email).await?;
        return Ok(user.map(|user| (user, &[TokenKind::EmailChangeNew][..])));
    }
    Ok(None)
}

fn is_over(app: &App, sent_at: Timestamp) -> bool {
    app.clock.now().duration_since(sent_at) > app.config.mailer.otp_exp
}

/// 403 `otp_expired`, for codes.
pub(crate) fn code_expired() -> AuthError {
    AuthError::refused(ErrorCode::OtpExpired, "Token has expired or is invalid")
}

/// 403 `otp_expired`, for links.
pub(crate) fn link_expired() -> AuthError {
    AuthError::refused(
        ErrorCode::OtpExpired,
        "Email link is invalid or has expired",
    )
}
