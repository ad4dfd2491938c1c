//! Finding the account and the purpose of a link or a code.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use innkeeper_service::database::Executor;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::verify_type::VerifyType;
use super::{MAX_ATTEMPTS, TokenKind, gotrue_codes};
use crate::app::App;
use crate::base::contact::{Contact, Phone};
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::flow::user::User;
use crate::store;
use crate::store::one_time_tokens::{CodeRow, FormerRow};

/// A link or code that was found and is valid.
#[derive(Debug)]
pub(crate) struct ValidToken {
    pub(crate) user: User,
    pub(crate) kind: TokenKind,
    /// Whether it was sent to the phone number of the account, or to its next one.
    pub(crate) is_by_phone: bool,
    /// Whether it confirms the password of its sign-up.
    pub(crate) carries_password: bool,
    /// The PKCE flow of a link that names it.
    pub(crate) flow_id: Option<Uuid>,
}

/// Finds the token of a link, and locks the account. A link that names an account but is not valid counts as a wrong
/// attempt at its code. The outer error rolls back, the inner one does not.
pub(crate) async fn by_link(
    app: &App,
    tx: &dyn Executor,
    requested: VerifyType,
    secret: &str,
) -> Result<Result<ValidToken>> {
    let Some(link) = look_up(tx, secret).await? else {
        return Ok(Err(link_expired()));
    };
    let Some(user) = store::users::lock_by_id(tx, link.user_id).await? else {
        return Ok(Err(link_expired()));
    };
    // Another request may have used it while this one waited for the account.
    let Some(link) = look_up(tx, secret).await? else {
        return Ok(Err(link_expired()));
    };
    let Some(kind) = TokenKind::parse(&link.kind) else {
        return Ok(Err(link_expired()));
    };
    if !link.is_valid(app, requested, &user, kind) {
        let now = app.clock.now();
        store::one_time_tokens::count_attempt(tx, user.id, kind.name(), now).await?;
        return Ok(Err(link_expired()));
    }
    let carries_password = link
        .carries_password
        .unwrap_or_else(|| gotrue_carries_password(&user, kind));
    Ok(Ok(ValidToken {
        user,
        kind,
        is_by_phone: false,
        carries_password,
        flow_id: link.flow_id,
    }))
}

/// A link as it is stored.
struct StoredLink {
    user_id: Uuid,
    kind: String,
    sent_at: Option<Timestamp>,
    /// The email address that it was sent to; unknown for links of GoTrue.
    relates_to: Option<String>,
    carries_password: Option<bool>,
    flow_id: Option<Uuid>,
}

impl StoredLink {
    /// Whether it has not expired, is of the requested type, and was sent to the address that the user has, or is to
    /// have.
    fn is_valid(&self, app: &App, requested: VerifyType, user: &User, kind: TokenKind) -> bool {
        let address = address_of(user, kind);
        // Nobody has got the link of a text message.
        let is_for_this_address = !address.is_empty()
            && self
                .relates_to
                .as_deref()
                .is_none_or(|it| it.eq_ignore_ascii_case(address));
        let is_over = self
            .sent_at
            .is_none_or(|at| has_expired(app, at, lifetime(app, address)));
        requested.accepts(kind) && !is_over && is_for_this_address
    }
}

/// Looks at a valid link without using it: returns its user and its kind.
pub(crate) async fn preview(
    app: &App,
    requested: VerifyType,
    secret: &str,
) -> Result<Option<(User, TokenKind)>> {
    let conn = app.shared().await?;
    let Some(link) = look_up(&conn, secret).await? else {
        return Ok(None);
    };
    let Some(kind) = TokenKind::parse(&link.kind) else {
        return Ok(None);
    };
    let user = store::users::find_by_id(&conn, link.user_id).await?;
    Ok(user
        .filter(|user| link.is_valid(app, requested, user, kind))
        .map(|user| (user, kind)))
}

async fn look_up(conn: &dyn Executor, secret: &str) -> Result<Option<StoredLink>> {
    if gotrue_codes::is_link(secret) {
        let row = store::one_time_tokens::find_by_gotrue_link(conn, secret).await?;
        return Ok(row.map(|row| StoredLink {
            user_id: row.user_id,
            kind: row.kind,
            sent_at: row.sent_at,
            relates_to: None,
            carries_password: row.carries_password,
            flow_id: None,
        }));
    }
    let row = store::one_time_tokens::find_by_link(conn, &super::hash(secret)).await?;
    Ok(row.map(|row| StoredLink {
        user_id: row.user_id,
        kind: row.kind,
        sent_at: Some(row.sent_at),
        relates_to: Some(row.relates_to),
        carries_password: row.carries_password,
        flow_id: row.flow_id,
    }))
}

/// Returns the email address that a token of this kind must have been sent to. An admin may have given the
/// account another one since, and whoever reads the old mailbox must not confirm the new address.
fn address_of(user: &User, kind: TokenKind) -> &str {
    match kind {
        TokenKind::EmailChangeNew => &user.new_email,
        _ => &user.email,
    }
}

/// Whether a token of GoTrue confirms the password of a sign-up. GoTrue did not store it; its confirmation
/// mails were those of sign-ups.
fn gotrue_carries_password(user: &User, kind: TokenKind) -> bool {
    kind == TokenKind::Confirmation && user.invited_at.is_none()
}

/// A code that a client sends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SentCode<'a> {
    pub(crate) requested: VerifyType,
    pub(crate) aud: &'a str,
    /// Where the code was sent to.
    pub(crate) contact: &'a Contact,
    pub(crate) code: &'a str,
    /// What the provider says of the code, if the provider has made it.
    pub(crate) is_approved: Option<bool>,
}

/// Finds the token of a code, and locks the account. A wrong code is counted. The outer error rolls back,
/// the inner one does not.
pub(crate) async fn by_code(
    app: &App,
    tx: &dyn Executor,
    sent: SentCode<'_>,
) -> Result<Result<ValidToken>> {
    let Some((user, kinds)) = find_holder(tx, sent).await? else {
        return Ok(Err(code_expired()));
    };
    let rows = store::one_time_tokens::list_codes(tx, user.id).await?;
    let former = store::one_time_tokens::find_gotrue_hashes(tx, user.id).await?;
    for &kind in kinds {
        let row = rows.iter().find(|row| row.kind == kind.name());
        if row.is_some_and(|row| row.attempts >= MAX_ATTEMPTS) {
            continue;
        }
        let ours = row.filter(|row| is_code_of(app, row, &user, kind, sent));
        let carries_password = match ours {
            Some(row) => row.carries_password,
            None if is_gotrue_code(app, former.as_ref(), kind, sent)
                || is_standing_test_code(app, sent) =>
            {
                gotrue_carries_password(&user, kind)
            }
            None => continue,
        };
        return Ok(Ok(ValidToken {
            user,
            kind,
            is_by_phone: sent.contact.phone().is_some(),
            carries_password,
            flow_id: None,
        }));
    }
    let now = app.clock.now();
    for kind in kinds {
        store::one_time_tokens::count_attempt(tx, user.id, kind.name(), now).await?;
    }
    Ok(Err(code_expired()))
}

/// Whether this is the code that this server sent to this address or number.
fn is_code_of(app: &App, row: &CodeRow, user: &User, kind: TokenKind, sent: SentCode<'_>) -> bool {
    let stored = row.code_mac.as_deref().unwrap_or_default();
    let relates_to = row.relates_to.as_deref().unwrap_or_default();
    let address = sent.contact.as_str();
    if !relates_to.eq_ignore_ascii_case(address) {
        return false;
    }
    match sent.is_approved {
        // How long it lives is up to the provider, too.
        Some(is_approved) => is_approved,
        None => {
            !has_expired(app, row.created_at, lifetime(app, address))
                && super::is_code(app, user.id, kind, sent.code, stored)
        }
    }
}

/// Whether this is the code that GoTrue sent to this address or number.
fn is_gotrue_code(
    app: &App,
    former: Option<&FormerRow>,
    kind: TokenKind,
    sent: SentCode<'_>,
) -> bool {
    let address = sent.contact.as_str();
    former
        .and_then(|former| gotrue_codes::sent_at(former, kind, address, sent.code))
        .is_some_and(|at| !has_expired(app, at, lifetime(app, address)))
}

/// Whether this is the code of a number for tests, which in GoTrue is always valid.
fn is_standing_test_code(app: &App, sent: SentCode<'_>) -> bool {
    let Some(phone) = sent.contact.phone() else {
        return false;
    };
    let code = app.config.sms.test_code(phone.as_str(), app.clock.now());
    app.config.profile == Profile::Gotrue
        && code.is_some_and(|code| {
            verify_slices_are_equal(code.as_bytes(), sent.code.as_bytes()).is_ok()
        })
}

/// Returns the account whose code it must be, locked, and the kinds of tokens that match.
async fn find_holder(
    tx: &dyn Executor,
    sent: SentCode<'_>,
) -> Result<Option<(User, &'static [TokenKind])>> {
    let email = match sent.contact {
        Contact::Email(email) => email.as_str(),
        Contact::Phone(phone) => {
            return lock_by_phone(tx, sent.requested, sent.aud, phone).await;
        }
    };
    let kinds: &[TokenKind] = match sent.requested {
        VerifyType::Signup | VerifyType::Invite => &[TokenKind::Confirmation],
        VerifyType::MagicLink | VerifyType::Recovery => &[TokenKind::Recovery],
        VerifyType::Email => &[TokenKind::Confirmation, TokenKind::Recovery],
        VerifyType::EmailChange => &[TokenKind::EmailChangeCurrent],
        VerifyType::Sms | VerifyType::PhoneChange => return Ok(None),
    };
    if let Some(user) = store::users::lock_by_email(tx, sent.aud, email).await? {
        return Ok(Some((user, kinds)));
    }
    if sent.requested == VerifyType::EmailChange {
        let user = store::users::lock_by_pending_email(tx, sent.aud, email).await?;
        return Ok(user.map(|user| (user, &[TokenKind::EmailChangeNew][..])));
    }
    Ok(None)
}

/// Returns the account that a code was sent to by text message, locked, and the kind of its token.
pub(super) async fn lock_by_phone(
    tx: &dyn Executor,
    requested: VerifyType,
    aud: &str,
    phone: &Phone,
) -> Result<Option<(User, &'static [TokenKind])>> {
    Ok(match requested {
        VerifyType::Sms => {
            let user = store::user_phones::lock_by_phone(tx, aud, phone.as_str()).await?;
            user.map(|user| (user, &[TokenKind::Confirmation][..]))
        }
        VerifyType::PhoneChange => {
            let user = store::user_phones::lock_by_pending_phone(tx, aud, phone.as_str()).await?;
            user.map(|user| (user, &[TokenKind::PhoneChange][..]))
        }
        _ => None,
    })
}

/// Returns how long a link or code to this address or number is valid.
pub(crate) fn lifetime(app: &App, recipient: &str) -> SignedDuration {
    if recipient.contains('@') {
        app.config.mailer.otp_exp
    } else {
        app.config.sms.otp_exp
    }
}

/// Whether a link or code that was sent at this time has expired.
pub(crate) fn has_expired(app: &App, sent_at: Timestamp, lifetime: SignedDuration) -> bool {
    is_over(app.clock.now(), sent_at, lifetime)
}

/// Tells whether the lifetime of a token is over. It is valid at the last instant of it.
fn is_over(now: Timestamp, sent_at: Timestamp, lifetime: SignedDuration) -> bool {
    now.duration_since(sent_at) > lifetime
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

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    #[test]
    fn a_token_is_valid_until_the_last_instant_of_its_lifetime() {
        let sent_at = Timestamp::from_second(1_800_000_000).unwrap();
        let lifetime = SignedDuration::from_hours(1);
        let last = sent_at + lifetime;
        let instant = SignedDuration::from_micros(1);
        for (now, expected) in [
            (sent_at, false),
            (last - instant, false),
            (last, false),
            (last + instant, true),
            // The clock was set back.
            (sent_at - instant, false),
        ] {
            assert_eq!(super::is_over(now, sent_at, lifetime), expected, "{now}");
        }
    }

    #[test]
    fn only_links_of_sign_ups_in_gotrue_carry_a_password() {
        use super::{TokenKind, User, gotrue_carries_password};

        let invited = User {
            invited_at: Some(Timestamp::UNIX_EPOCH),
            ..User::default()
        };
        let cases = [
            (User::default(), TokenKind::Confirmation, true),
            (User::default(), TokenKind::Recovery, false),
            (invited.clone(), TokenKind::Confirmation, false),
            (invited, TokenKind::Recovery, false),
        ];
        for (user, kind, expected) in cases {
            assert_eq!(gotrue_carries_password(&user, kind), expected, "{kind:?}");
        }
    }
}
