//! The passwords of accounts: policy, verification and storage.

use innkeeper_service::database::Executor;
use uuid::Uuid;

use super::{Object, User};
use crate::app::App;
use crate::app::throttle::RetryAfter;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::config::Profile;
use crate::crypto::password::{CheckTurn, Weakness, is_trivial};
use crate::crypto::seal;
use crate::store;

/// Refuses a new password that does not meet the policy or, in std, is easy to guess for somebody who knows these
/// words about its owner. Passwords that are in use already may be easier to guess.
pub(crate) async fn check(app: &App, password: &str, owner: &[String]) -> Result<()> {
    if let Some(weakness) = weakness(app, password).await? {
        return Err(weakness.into());
    }
    if app.config.profile == Profile::Std && is_trivial(password, owner) {
        return Err(Weakness::easy_to_guess().into());
    }
    Ok(())
}

/// The members of the metadata that hold a name.
const NAMES: [&str; 10] = [
    "name",
    "full_name",
    "first_name",
    "last_name",
    "given_name",
    "family_name",
    "display_name",
    "nickname",
    "preferred_username",
    "user_name",
];

/// Returns words that others know about the owner of a password: the email address or phone number, its parts, and the names of the
/// metadata. Neither their number nor their length grows with the metadata.
pub(crate) fn owner_words(email: Option<&str>, data: Option<&Object>) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(email) = email {
        words.push(email);
        let (local, domain) = email.rsplit_once('@').unwrap_or((email, ""));
        words.extend([local, domain]);
        words.extend(local.split(['.', '+', '-', '_']).take(8));
        words.extend(domain.split('.').next());
    }
    let names = NAMES.iter().filter_map(|name| data?.get(*name)?.as_str());
    for name in names {
        words.push(name);
        words.extend(name.split_whitespace().take(4));
    }
    let is_useful = |word: &&str| (3..=100).contains(&word.len());
    let words = words.into_iter().filter(is_useful).take(40);
    words.map(str::to_owned).collect()
}

/// The number of characters that the column of the hash holds.
const MAX_STORED: usize = 255;

/// Returns the hash of a new password as it is stored: sealed for this account if hashes are sealed. An
/// imported hash may be too long for that; it is replaced at the first sign-in.
pub(crate) fn sealed_for_storage(app: &App, id: Uuid, hash: String) -> Result<String> {
    if !app.config.security.db_encryption.encrypt {
        return Ok(hash);
    }
    let sealed = app
        .sealer
        .seal(&id.to_string(), hash.as_bytes())
        .map_err(AuthError::internal)?;
    if sealed.chars().count() > MAX_STORED {
        tracing::warn!(user.id = %id, "a password hash is too long to be sealed");
        return Ok(hash);
    }
    Ok(sealed)
}

/// Ends what was sent before a new password was stored: links and codes stop working. In GoTrue the account also
/// forgets when they were sent.
pub(crate) async fn clear_sent(app: &App, tx: &dyn Executor, id: Uuid) -> Result<()> {
    store::one_time_tokens::clear_all(tx, id).await?;
    if app.config.profile == Profile::Gotrue {
        store::one_time_tokens::forget_sent_times(tx, id).await?;
    }
    Ok(())
}

/// Returns why a password does not meet the policy, if so.
pub(crate) async fn weakness(app: &App, password: &str) -> Result<Option<Weakness>> {
    Ok(app.policy().check(password, app.breached.as_ref()).await?)
}

/// Waits for the turn of this identifier at the hashing pool; until the turn is dropped, one check may be made. Call it
/// outside of transactions: a check that replaces the hash waits for the row of the account.
pub(crate) async fn turn<'a>(app: &'a App, identifier: &str) -> Result<CheckTurn<'a>> {
    let turn = app.check_turns.wait(identifier).await;
    turn.ok_or(AuthError::Throttled(1))
}

/// Whether this is the password of the account. Without an account, or without a password, the check takes
/// as long and fails.
pub(crate) async fn matches(app: &App, user: Option<&User>, password: &str) -> Result<bool> {
    let stored = match user {
        Some(user) => open_hash(app, user)?,
        None => None,
    };
    let check = app.hashes.verify(password, stored.as_deref()).await?;
    Ok(check.matches)
}

/// Returns the name that failed sign-ins of an account are counted for.
fn throttled_name(user: &User) -> &str {
    if user.email.is_empty() {
        &user.phone
    } else {
        &user.email
    }
}

/// As [`matches()`], and counts a wrong password as a failed sign-in: whoever may ask here must not get more
/// guesses than there.
pub(crate) async fn matches_within_throttle(
    app: &App,
    user: &User,
    password: &str,
    client: &ClientInfo,
) -> Result<bool> {
    let wait = |wait: RetryAfter| AuthError::Throttled(wait.0);
    let (name, address) = (throttled_name(user), client.address);
    app.throttle
        .check(name, address, app.clock.now())
        .map_err(wait)?;
    let is_right = matches(app, Some(user), password).await?;
    let now = app.clock.now();
    if is_right {
        app.throttle
            .record_success(name, address, now)
            .map_err(wait)?;
    } else {
        app.throttle
            .record_failure(name, address, now)
            .map_err(wait)?;
    }
    Ok(is_right)
}

/// As [`matches()`], and replaces a hash with outdated parameters or a missing seal.
pub(crate) async fn matches_and_upgrade(
    app: &App,
    conn: &dyn Executor,
    user: Option<&User>,
    password: &str,
) -> Result<bool> {
    let stored = match user {
        Some(user) => open_hash(app, user)?,
        None => None,
    };
    let check = app.hashes.verify(password, stored.as_deref()).await?;
    let (true, Some(user), Some(hash)) = (check.matches, user, stored) else {
        return Ok(check.matches);
    };
    let former = user.encrypted_password.as_deref().unwrap_or_default();
    let seals = app.config.security.db_encryption.encrypt;
    let is_unsealed = seals && (!seal::is_sealed(former) || app.sealer.needs_reseal(former));
    if check.needs_rehash || is_unsealed {
        let mut hash = hash;
        if check.needs_rehash {
            hash = app.hashes.hash(password).await?;
        }
        let hash = sealed_for_storage(app, user.id, hash)?;
        store::users::upgrade_password(conn, user.id, former, &hash).await?;
    }
    Ok(true)
}

/// Returns the hash of the account's password, unsealed if needed; GoTrue seals hashes, too.
fn open_hash(app: &App, user: &User) -> Result<Option<String>> {
    match user.encrypted_password.as_deref() {
        Some(sealed) if seal::is_sealed(sealed) => {
            let opened = app
                .sealer
                .open(&user.id.to_string(), sealed)
                .map_err(AuthError::internal)?;
            Ok(Some(String::from_utf8_lossy(&opened).into_owned()))
        }
        other => Ok(other.map(str::to_owned)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::owner_words;

    #[test]
    fn the_address_and_the_names_are_words_about_the_owner() {
        let data = json!({
            "full_name": "Ada King Lovelace", "nickname": 7, "story": "not a name", "name": "x".repeat(101),
        });
        let words = owner_words(Some("ada.king@example.com"), data.as_object());
        assert_eq!(
            words,
            [
                "ada.king@example.com",
                "ada.king",
                "example.com",
                "ada",
                "king",
                "example",
                "Ada King Lovelace",
                "Ada",
                "King",
                "Lovelace",
            ]
        );
        assert_eq!(owner_words(None, None), [] as [&str; 0]);
    }
}
