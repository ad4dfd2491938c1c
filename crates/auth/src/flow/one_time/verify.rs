//! The verification of links and codes.

use innkeeper_rest::filter::ClientAddress;
use innkeeper_service::database::Executor;

use super::confirm::{self, Confirmation};
use super::find::{self, SentCode, ValidToken};
use super::verify_type::VerifyType;
use super::{PKCE_PREFIX, TokenKind, sms_check};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::contact::Contact;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::flow::session::issue::{self, IssuedTokens};
use crate::flow::user::{User, metadata, notify};

/// The message for a confirmed address whose sign-ups did not agree on a password.
const NO_PASSWORD: &str = "The email address is confirmed. No password was stored, because different people may have \
     signed up with it; please choose a new password.";
/// The same for a phone number.
const NO_PASSWORD_BY_PHONE: &str = "The phone number is confirmed. No password was stored, because different people \
     may have signed up with it; please choose a new password.";

/// An attempt to use a link or a code.
#[derive(Debug)]
pub(crate) struct VerifyAttempt {
    pub(crate) kind: VerifyType,
    pub(crate) proof: Proof,
    /// The password to set if the account has none.
    pub(crate) password: Option<String>,
}

/// The proof that the user has read the message.
#[derive(Debug)]
pub(crate) enum Proof {
    /// The secret of a link.
    Link(String),
    /// A code, and where it was sent to.
    Code {
        aud: String,
        contact: Contact,
        code: String,
    },
}

impl Proof {
    /// Returns the sender of a wrong proof, as the audit log names it. The secret of a link names nobody.
    fn sender(&self) -> Actor<'_> {
        let name = match self {
            Self::Code { contact, .. } => contact.as_str(),
            Self::Link(_) => "",
        };
        Actor::Sender { id: None, name }
    }

    /// Returns the provider of the identity that the proof is about.
    fn provider(&self) -> &'static str {
        match self {
            Self::Link(_) => "email",
            Self::Code { contact, .. } => contact.provider(),
        }
    }
}

/// The result of using a link or a code.
#[derive(Debug)]
pub(crate) enum Verification {
    /// The user is signed in.
    SignedIn(Box<IssuedTokens>, VerifyType),
    /// One of two email addresses has confirmed; the other one must still do so.
    Half,
    /// The client that requested the link can exchange this code.
    Exchange {
        code: String,
        message: Option<&'static str>,
    },
}

/// Uses a link or a code. `exchange` says whether a PKCE link ends in a code, as it does in a browser, or
/// in a session.
pub(crate) async fn verify(
    app: &App,
    attempt: &VerifyAttempt,
    exchange: bool,
    client: &ClientInfo,
) -> Result<Verification> {
    check_guesses(app, &attempt.proof, client)?;
    match use_proof(app, attempt, exchange, client).await {
        Ok(verified) => Ok(verified),
        Err(error) => {
            let error = count_guess(app, &attempt.proof, error, client);
            let traits = metadata::member("provider", attempt.proof.provider());
            let sender = attempt.proof.sender();
            app.audit_refusal(AuditAction::SignInFailed, &error, traits, sender, client)
                .await;
            Err(error)
        }
    }
}

/// Refuses a link of a client that has sent too many wrong ones, whether or not this one is right.
fn check_guesses(app: &App, proof: &Proof, client: &ClientInfo) -> Result<()> {
    if !matches!(proof, Proof::Link(_)) {
        return Ok(());
    }
    app.link_throttle
        .check(&sender_of(client), client.address, app.clock.now())
        .map_err(|wait| AuthError::Throttled(wait.0))
}

/// Counts a wrong link against its client, and returns the error for it. Codes are counted per account.
fn count_guess(app: &App, proof: &Proof, error: AuthError, client: &ClientInfo) -> AuthError {
    let is_wrong = error.code() == ErrorCode::OtpExpired.as_str();
    if !is_wrong || !matches!(proof, Proof::Link(_)) {
        return error;
    }
    let now = app.clock.now();
    let counted = app
        .link_throttle
        .record_failure(&sender_of(client), client.address, now);
    match counted {
        Ok(()) => error,
        // Others of a flood were counted since this one was let through.
        Err(wait) => AuthError::Throttled(wait.0),
    }
}

/// Returns the network of the client, which wrong links are counted for.
fn sender_of(client: &ClientInfo) -> String {
    let network = |address| ClientAddress(address).network();
    client.address.map(network).unwrap_or_default()
}

async fn use_proof(
    app: &App,
    attempt: &VerifyAttempt,
    exchange: bool,
    client: &ClientInfo,
) -> Result<Verification> {
    let hash = match &attempt.password {
        Some(password) => Some(app.hashes.hash(password).await?),
        None => None,
    };
    let is_approved = ask_provider(app, attempt).await?;
    let _permit = app.hooks.token_permit().await;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let token = find_token(app, &tx, attempt, is_approved).await?;
    let token = match token {
        Ok(token) => token,
        Err(error) => {
            // A wrong guess was counted.
            tx.commit().await?;
            return Err(error);
        }
    };
    if token.user.is_banned(app.clock.now()) {
        return Err(AuthError::refused(ErrorCode::UserBanned, "User is banned"));
    }
    let resolved = attempt.kind.resolve(token.kind);
    let (user_id, token_kind, flow_id) = (token.user.id, token.kind, token.flow_id);
    let former = token.user.clone();
    let no_password = if token.is_by_phone {
        NO_PASSWORD_BY_PHONE
    } else {
        NO_PASSWORD
    };
    let exchanged = exchange && is_exchange(&attempt.proof);
    let outcome = confirm::apply(app, &tx, token, resolved, hash, client).await?;
    if let Confirmation::Complete { user, .. } = &outcome {
        tell_owner(app, &tx, token_kind, &former, user, client).await?;
    }
    let verified = match outcome {
        Confirmation::Half => Verification::Half,
        Confirmation::Complete { lacks_password, .. } if exchanged => Verification::Exchange {
            code: confirm::issue_exchange_code(app, &tx, user_id, token_kind, flow_id).await?,
            message: lacks_password.then_some(no_password),
        },
        Confirmation::Complete {
            user,
            lacks_password,
        } => {
            let mut issued =
                issue::open_session(app, &tx, *user, "otp", attempt.proof.provider(), client)
                    .await?;
            issued.body.message = lacks_password.then_some(no_password);
            Verification::SignedIn(Box::new(issued), resolved)
        }
    };
    tx.commit().await?;
    app.mailer.wake();
    Ok(verified)
}

/// Asks the provider about a code that it has made; `None` for all others.
async fn ask_provider(app: &App, attempt: &VerifyAttempt) -> Result<Option<bool>> {
    match &attempt.proof {
        Proof::Code {
            aud,
            contact: Contact::Phone(phone),
            code,
        } => sms_check::ask_provider(app, attempt.kind, aud, phone, code).await,
        _ => Ok(None),
    }
}

/// Finds the token of the proof. The outer error rolls back, the inner one does not.
async fn find_token(
    app: &App,
    tx: &dyn Executor,
    attempt: &VerifyAttempt,
    is_approved: Option<bool>,
) -> Result<Result<ValidToken>> {
    match &attempt.proof {
        Proof::Link(secret) => find::by_link(app, tx, attempt.kind, secret).await,
        Proof::Code { aud, contact, code } => {
            let sent = SentCode {
                requested: attempt.kind,
                aud,
                contact,
                code,
                is_approved,
            };
            find::by_code(app, tx, sent).await
        }
    }
}

/// Tells the owner of an account by mail that the email address or the phone number has changed.
async fn tell_owner(
    app: &App,
    tx: &dyn Executor,
    kind: TokenKind,
    former: &User,
    user: &User,
    client: &ClientInfo,
) -> Result<()> {
    match kind {
        TokenKind::EmailChangeNew | TokenKind::EmailChangeCurrent => {
            notify::email_changed(app, tx, user, &former.email, client).await
        }
        TokenKind::PhoneChange => notify::phone_changed(app, tx, user, &former.phone, client).await,
        _ => Ok(()),
    }
}

fn is_exchange(proof: &Proof) -> bool {
    matches!(proof, Proof::Link(secret) if secret.starts_with(PKCE_PREFIX))
}
