//! Sign-up with an email address or a phone number, and a password.

use std::time::Instant;

use innkeeper_service::database::Executor;
use uuid::Uuid;

use super::account::{approve, create, is_taken_error, reload, start_over};
use super::pending::{self, OfferedPassword, PendingPassword, is_in_use};
use super::shown::{decoy, unconfirmed_user, waiting};
use super::signup_request::Signup;
use super::{User, autoconfirm, by_contact, metadata, password};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::contact::Contact;
use crate::base::error::Result;
use crate::config::{MessageKind, Profile};
use crate::flow::hook;
use crate::flow::one_time::mail_limit::{self, UnsentMessage};
use crate::flow::one_time::send::{self, OneTimeMail, PendingMails};
use crate::flow::one_time::send_sms::{self, PreparedSms, SmsTarget};
use crate::flow::one_time::{TokenKind, sms_limit};
use crate::flow::response_timer::ResponseTimer;
use crate::flow::session::issue::IssuedTokens;
use crate::outside::sms::SmsKind;
use crate::store;

/// How often a sign-up is tried while other requests change the account.
const MAX_TRIES: usize = 3;

/// The result of a sign-up.
#[derive(Debug)]
pub(crate) enum SignupOutcome {
    /// The email address must be confirmed first; for a taken address, a decoy.
    Unconfirmed(Box<User>),
    /// The user is signed in.
    SignedIn(Box<IssuedTokens>),
}

/// Signs a user up.
pub(crate) async fn sign_up(
    app: &App,
    signup: Signup,
    client: &ClientInfo,
) -> Result<SignupOutcome> {
    if signup.is_confirmed_at_once(app) {
        let hash = app.hashes.hash(&signup.password).await?;
        let issued = autoconfirm::sign_up(app, &signup, &hash, client).await?;
        return Ok(SignupOutcome::SignedIn(Box::new(issued)));
    }
    let mut timer = ResponseTimer::start();
    let waiting = sign_up_by_message(app, &signup, client, &mut timer).await;
    match signup.contact {
        Contact::Email(_) => timer.wait().await,
        Contact::Phone(_) => send_sms::wait_for_slot(app, timer).await,
    }
    Ok(SignupOutcome::Unconfirmed(Box::new(waiting?)))
}

/// Signs a user up and sends the confirmation. A taken email address or phone number gets the same response.
async fn sign_up_by_message(
    app: &App,
    signup: &Signup,
    client: &ClientInfo,
    timer: &mut ResponseTimer,
) -> Result<User> {
    let unsent = UnsentMessage::default();
    let recipient = signup.contact.as_str();
    if is_idle(app, signup).await? {
        return store_and_send(app, signup, &unsent, client, timer).await;
    }
    match signup.contact {
        Contact::Email(_) => {
            app.check_mail()?;
            let work = Box::pin(store_and_send(app, signup, &unsent, client, timer));
            let kind = MessageKind::Confirmation;
            mail_limit::with_claim_unless(app, recipient, kind, &unsent, work).await
        }
        Contact::Phone(_) => {
            let work = Box::pin(store_and_send(app, signup, &unsent, client, timer));
            let kind = SmsKind::Confirmation;
            sms_limit::with_claim(app, recipient, kind, &unsent, work).await
        }
    }
}

/// Whether there is nothing to send in GoTrue, where the sign-up then neither waits nor counts. In std all sign-ups
/// wait alike.
async fn is_idle(app: &App, signup: &Signup) -> Result<bool> {
    if app.config.profile == Profile::Std {
        return Ok(false);
    }
    let conn = app.shared().await?;
    let known = by_contact::find(&conn, &signup.aud, &signup.contact).await?;
    Ok(known.is_some_and(|user| is_in_use(app, &user)))
}

/// Stores the sign-up and sends the confirmation, unless the email address or phone number is taken.
async fn store_and_send(
    app: &App,
    signup: &Signup,
    unsent: &UnsentMessage,
    client: &ClientInfo,
    timer: &mut ResponseTimer,
) -> Result<User> {
    let approved = approve(app, signup, client).await?;
    let mut sms = None;
    // Repeated, because another request may sign up with the address at the same moment.
    for _ in 0..MAX_TRIES {
        let conn = app.shared().await?;
        let known = by_contact::find(&conn, &signup.aud, &signup.contact).await?;
        let is_taken = known.as_ref().is_some_and(|user| is_in_use(app, user));
        let unconfirmed = known.filter(|_| !is_taken);
        // The same work for all addresses, which therefore does not count for the time of the response.
        let begun = Instant::now();
        let turn = password::turn(app, signup.contact.as_str()).await?;
        let offered = pending::offer(app, unconfirmed.as_ref(), signup).await?;
        drop(turn);
        timer.exclude(begun.elapsed());
        if sms.is_none() && !is_taken {
            sms = prepare_sms(app, signup, approved, unconfirmed, client).await?;
        }
        let prepared = PreparedSignup {
            approved,
            offered: &offered,
            sms: sms.as_ref(),
        };
        if let Some(shown) = try_store(app, signup, &prepared, unsent, client).await? {
            return Ok(shown);
        }
    }
    // The address belongs to an account of another audience.
    unsent.mark();
    Ok(decoy(app, signup))
}

/// What a sign-up needs that is made outside of its transaction.
#[derive(Debug)]
struct PreparedSignup<'a> {
    /// The id for a new account; `None` if there was one.
    approved: Option<Uuid>,
    offered: &'a OfferedPassword,
    /// The code for a phone number; `None` if another account had it.
    sms: Option<&'a PreparedSms>,
}

/// Makes the code of a sign-up with a phone number.
async fn prepare_sms(
    app: &App,
    signup: &Signup,
    approved: Option<Uuid>,
    known: Option<User>,
    client: &ClientInfo,
) -> Result<Option<PreparedSms>> {
    let Some(phone) = signup.contact.phone() else {
        return Ok(None);
    };
    let user = known.unwrap_or_else(|| {
        let id = approved.unwrap_or_else(Uuid::new_v4);
        unconfirmed_user(app, signup, id, Uuid::nil())
    });
    let target = SmsTarget {
        kind: SmsKind::Confirmation,
        phone,
        channel: signup.channel,
        user: &user,
        client,
    };
    send_sms::prepare(app, target).await.map(Some)
}

/// Stores the sign-up and enqueues the message, in one transaction; `None` if the account has changed since the
/// password was prepared.
async fn try_store(
    app: &App,
    signup: &Signup,
    prepared: &PreparedSignup<'_>,
    unsent: &UnsentMessage,
    client: &ClientInfo,
) -> Result<Option<User>> {
    let PreparedSignup {
        approved, offered, ..
    } = *prepared;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let known = by_contact::lock(&tx, &signup.aud, &signup.contact).await?;
    let is_taken = known.as_ref().is_some_and(|user| is_in_use(app, user));
    if prepared.sms.is_none() && signup.contact.phone().is_some() && !is_taken {
        return Ok(None);
    }
    let id = match (known, offered) {
        (Some(user), _) if is_taken => {
            audit_signup(app, &tx, AuditAction::RepeatedSignup, &user, signup, client).await?;
            tx.commit().await?;
            unsent.mark();
            return Ok(Some(decoy(app, signup)));
        }
        (Some(user), offered) => match sign_up_again(app, &tx, user, signup, offered).await? {
            Some(id) => id,
            None => return Ok(None),
        },
        (None, OfferedPassword::Compared { .. }) => return Ok(None),
        (None, OfferedPassword::Hashed(hash)) => {
            let hash = Some(hash.clone());
            match create(app, &tx, signup, approved, hash, None).await {
                Ok(id) => id,
                Err(error) if is_taken_error(&error) => {
                    tx.rollback().await?;
                    pending::adopt(app, &mut conn, &signup.aud, &signup.contact).await?;
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
    };
    let (user, pending) = add_confirmation(app, &tx, id, signup, prepared.sms, client).await?;
    tx.commit().await?;
    drop(conn);
    if approved == Some(id) {
        hook::accounts::after_user_created(app, &user, client);
    }
    app.sms.wake();
    pending.send(app).await?;
    Ok(Some(waiting(app, signup, &user)))
}

/// Signs up with the address of an account that was never confirmed. Returns its id, or `None` if it has changed
/// since the password was prepared.
async fn sign_up_again(
    app: &App,
    tx: &dyn Executor,
    user: User,
    signup: &Signup,
    offered: &OfferedPassword,
) -> Result<Option<Uuid>> {
    let (id, stored) = (user.id, user.encrypted_password.clone());
    let is_waiting = pending::is_waiting(app, &user, &signup.contact);
    let stored = match pending::decide(offered, is_waiting, stored.as_deref()) {
        PendingPassword::Replace(hash) => {
            store::one_time_tokens::clear_all(tx, id).await?;
            Some(password::sealed_for_storage(app, id, hash.to_owned())?)
        }
        PendingPassword::Keep => stored,
        PendingPassword::Drop => None,
        PendingPassword::Outdated => return Ok(None),
    };
    // Links to the address itself stay valid.
    for kind in [
        TokenKind::EmailChangeNew,
        TokenKind::EmailChangeCurrent,
        TokenKind::PhoneChange,
    ] {
        store::one_time_tokens::clear_kind(tx, id, kind.name()).await?;
    }
    start_over(app, tx, user, signup, stored, false).await?;
    Ok(Some(id))
}

async fn audit_signup(
    app: &App,
    tx: &dyn Executor,
    action: AuditAction,
    user: &User,
    signup: &Signup,
    client: &ClientInfo,
) -> Result<()> {
    let traits = metadata::member("provider", signup.contact.provider());
    app.audit_as(tx, action, traits, Actor::User(user), client)
        .await
}

/// Adds the link and the code of a sign-up, and enqueues the message. Returns the account.
async fn add_confirmation(
    app: &App,
    tx: &dyn Executor,
    id: Uuid,
    signup: &Signup,
    sms: Option<&PreparedSms>,
    client: &ClientInfo,
) -> Result<(User, PendingMails)> {
    let user = reload(tx, id).await?;
    let action = AuditAction::ConfirmationRequested;
    audit_signup(app, tx, action, &user, signup, client).await?;
    if let Some(sms) = sms {
        sms.store(app, tx, id, true).await?;
        return Ok((user, PendingMails::default()));
    }
    let mail = OneTimeMail {
        kind: MessageKind::Confirmation,
        challenge: signup.challenge.as_ref(),
        client,
        carries_password: true,
    };
    let pending = send::enqueue_mail(app, tx, &user, mail).await?;
    Ok((user, pending))
}
