//! Sign-ups with an email address or phone number that waits for its confirmation.
//!
//! Nobody knows which of several people owns the address. If they chose different passwords, none of them is
//! stored, because the owner cannot tell from a link whose password it would confirm.

use innkeeper_service::database::PooledConnection;

use super::signup_request::Signup;
use super::{User, by_contact, password};
use crate::app::App;
use crate::base::contact::Contact;
use crate::base::error::Result;
use crate::flow::one_time::find;
use crate::store;

/// The password of a sign-up, prepared for what was known of the address. Either way, one hash was computed.
#[derive(Debug)]
pub(crate) enum OfferedPassword {
    /// Nobody waits for a confirmation: the hash can be stored.
    Hashed(String),
    /// An earlier sign-up waits: its password was compared.
    Compared {
        stored: Option<String>,
        is_same: bool,
    },
}

/// What becomes of the password of an account that was never confirmed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PendingPassword<'a> {
    /// The new one is stored.
    Replace(&'a str),
    /// It is the same one.
    Keep,
    /// None is stored.
    Drop,
    /// The account has changed since the password was prepared.
    Outdated,
}

/// Whether an account is in use: it is confirmed, or its owner may sign in without confirmation.
pub(crate) fn is_in_use(app: &App, user: &User) -> bool {
    let allows_unverified =
        app.config.mailer.allow_unverified_email_sign_ins && !user.email.is_empty();
    user.is_confirmed() || (allows_unverified && user.encrypted_password.is_some())
}

/// Moves an account of another audience that was never confirmed to this one, so that nobody keeps the owner of
/// an address away by signing up with it elsewhere.
pub(crate) async fn adopt(
    app: &App,
    conn: &mut PooledConnection,
    aud: &str,
    contact: &Contact,
) -> Result<()> {
    let tx = conn.transaction().await?;
    let holder = by_contact::lock_in_any_audience(&tx, contact).await?;
    if let Some(user) = holder.filter(|user| user.aud != aud && !is_in_use(app, user)) {
        store::users::set_audience(&tx, user.id, aud, app.clock.now()).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Prepares the password of a sign-up with an address that nobody has confirmed.
pub(crate) async fn offer(
    app: &App,
    known: Option<&User>,
    signup: &Signup,
) -> Result<OfferedPassword> {
    let chosen = &signup.password;
    match known.filter(|user| is_waiting(app, user, &signup.contact)) {
        Some(user) => Ok(OfferedPassword::Compared {
            stored: user.encrypted_password.clone(),
            is_same: password::matches(app, Some(user), chosen).await?,
        }),
        None => Ok(OfferedPassword::Hashed(app.hashes.hash(chosen).await?)),
    }
}

/// Whether a link or code that was sent to this unconfirmed account is still valid.
pub(crate) fn is_waiting(app: &App, user: &User, contact: &Contact) -> bool {
    let lifetime = find::lifetime(app, contact.as_str());
    user.confirmation_sent_at
        .is_some_and(|at| !find::has_expired(app, at, lifetime))
}

/// Decides what becomes of the password of an account, as it is now.
pub(crate) fn decide<'a>(
    offered: &'a OfferedPassword,
    is_waiting: bool,
    stored_now: Option<&str>,
) -> PendingPassword<'a> {
    match offered {
        OfferedPassword::Hashed(hash) if !is_waiting => PendingPassword::Replace(hash),
        OfferedPassword::Compared { stored, is_same }
            if is_waiting && stored.as_deref() == stored_now =>
        {
            if *is_same {
                PendingPassword::Keep
            } else {
                PendingPassword::Drop
            }
        }
        _ => PendingPassword::Outdated,
    }
}

#[cfg(test)]
mod tests {
    use super::{OfferedPassword, PendingPassword, decide};

    #[test]
    fn only_the_same_password_survives_another_sign_up() {
        let hashed = OfferedPassword::Hashed("new".to_owned());
        let compared = |stored: Option<&str>, is_same| OfferedPassword::Compared {
            stored: stored.map(str::to_owned),
            is_same,
        };
        let same = compared(Some("old"), true);
        let other = compared(Some("old"), false);
        let none = compared(None, false);
        for (offered, is_waiting, stored, expected) in [
            (&hashed, false, None, PendingPassword::Replace("new")),
            (&hashed, false, Some("old"), PendingPassword::Replace("new")),
            (&hashed, true, Some("old"), PendingPassword::Outdated),
            (&hashed, true, None, PendingPassword::Outdated),
            (&same, true, Some("old"), PendingPassword::Keep),
            (&same, true, Some("another"), PendingPassword::Outdated),
            (&same, true, None, PendingPassword::Outdated),
            (&same, false, Some("old"), PendingPassword::Outdated),
            (&other, true, Some("old"), PendingPassword::Drop),
            (&none, true, None, PendingPassword::Drop),
            (&none, true, Some("old"), PendingPassword::Outdated),
            (&none, false, None, PendingPassword::Outdated),
        ] {
            let decided = decide(offered, is_waiting, stored);
            assert_eq!(decided, expected, "{offered:?} {is_waiting} {stored:?}");
        }
    }
}
