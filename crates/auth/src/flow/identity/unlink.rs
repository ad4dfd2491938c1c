//! Unlinking: a user removes an identity from the account.

use innkeeper_service::database::Transaction;
use uuid::Uuid;

use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::flow::user::account::reload;
use crate::flow::user::metadata::{self, member};
use crate::flow::user::{Identity, User, notify};
use crate::store;

/// Removes an identity from the account of a user, who must keep another one.
pub(crate) async fn unlink(
    app: &App,
    user_id: Uuid,
    identity_id: Uuid,
    client: &ClientInfo,
) -> Result<()> {
    let now = app.clock.now();
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let locked = store::users::lock_by_id(&tx, user_id).await?;
    locked.ok_or_else(|| not_found("User not found"))?;
    // The statement that waited for the lock does not see which identities are gone meanwhile; this one does.
    let user = reload(&tx, user_id).await?;
    let identities = user.identities.as_deref().unwrap_or_default();
    let gone = removable(identities, identity_id)?;
    if !store::identities::delete_of_user(&tx, gone.identity_id, user.id).await? {
        return Err(not_found("Identity doesn't exist"));
    }
    if gone.provider == "phone" {
        store::users::remove_phone(&tx, user.id, now).await?;
    } else {
        choose_email(app, &tx, &user, gone).await?;
    }
    let mut changed = reload(&tx, user.id).await?;
    metadata::refresh_providers(&mut changed);
    store::users::set_metadata(&tx, &changed, now).await?;
    let traits = member("provider", gone.provider.as_str());
    let actor = Actor::User(&user);
    app.audit_as(&tx, AuditAction::IdentityUnlinked, traits, actor, client)
        .await?;
    // To the address that the account had.
    notify::identity_unlinked(app, &tx, &user, &gone.provider, client).await?;
    tx.commit().await?;
    app.mailer.wake();
    Ok(())
}

/// Returns the identity to remove, if the user has it and can still sign in without it.
fn removable(identities: &[Identity], id: Uuid) -> Result<&Identity> {
    if identities.len() <= 1 {
        return Err(AuthError::refused(
            ErrorCode::SingleIdentityNotDeletable,
            "User must have at least 1 identity after unlinking",
        ));
    }
    let found = identities.iter().find(|it| it.identity_id == id);
    found.ok_or_else(|| not_found("Identity doesn't exist"))
}

/// Gives the account the address of another identity, if its own came from the one that is gone.
async fn choose_email(app: &App, tx: &Transaction<'_>, user: &User, gone: &Identity) -> Result<()> {
    let identities = user.identities.iter().flatten();
    let rest: Vec<&Identity> = identities
        .filter(|it| it.identity_id != gone.identity_id)
        .collect();
    let email = match next_email(app.config.profile, &user.email, &rest) {
        NextEmail::Kept => return Ok(()),
        NextEmail::Replaced(email) => Some(email),
        NextEmail::Removed => None,
    };
    let now = app.clock.now();
    let confirmed_at = user.email_confirmed_at.filter(|_| email.is_some());
    let replaced = store::users::replace_email(tx, user.id, email, confirmed_at, now).await;
    match replaced {
        Err(error) if error.constraint() == Some("users_email_partial_key") => {
            Err(AuthError::refused(
                ErrorCode::EmailConflictIdentityNotDeletable,
                "Unable to unlink identity due to email conflict",
            ))
        }
        replaced => Ok(replaced?),
    }
}

/// The address of an account after an identity was removed.
#[derive(Debug, PartialEq, Eq)]
enum NextEmail<'a> {
    /// The account keeps its own.
    Kept,
    Replaced(&'a str),
    /// The account has none from now on.
    Removed,
}

/// Returns the new address of an account with these identities. In std only verified addresses are chosen.
fn next_email<'a>(profile: Profile, current: &str, rest: &[&'a Identity]) -> NextEmail<'a> {
    let mut emails = rest.iter().filter_map(|it| it.email.as_deref());
    if current.is_empty() || emails.any(|email| email.eq_ignore_ascii_case(current)) {
        return NextEmail::Kept;
    }
    let counts = |identity: &&&'a Identity| {
        let verified = identity.identity_data.get("email_verified");
        let is_verified = verified.and_then(serde_json::Value::as_bool) == Some(true);
        profile == Profile::Gotrue || is_verified
    };
    let mut chosen = rest
        .iter()
        .filter(counts)
        .filter_map(|it| it.email.as_deref());
    chosen
        .find(|email| !email.is_empty())
        .map_or(NextEmail::Removed, NextEmail::Replaced)
}

fn not_found(message: &'static str) -> AuthError {
    AuthError::refused(ErrorCode::IdentityNotFound, message)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::NextEmail::{Kept, Removed, Replaced};
    use super::{next_email, removable};
    use crate::config::Profile;
    use crate::flow::user::Identity;
    use crate::flow::user::metadata::member;

    fn identity(id: u128, email: Option<&str>, is_verified: bool) -> Identity {
        Identity {
            identity_id: Uuid::from_u128(id),
            id: id.to_string(),
            user_id: Uuid::nil(),
            identity_data: member("email_verified", is_verified),
            provider: "github".to_owned(),
            last_sign_in_at: None,
            created_at: None,
            updated_at: None,
            email: email.map(str::to_owned),
        }
    }

    #[test]
    fn the_last_identity_and_those_of_others_stay() {
        let one = [identity(1, None, false)];
        let two = [identity(1, None, false), identity(2, None, false)];
        let code = |identities: &[Identity], id| {
            let found = removable(identities, Uuid::from_u128(id));
            found
                .map(|it| it.identity_id.as_u128())
                .map_err(|error| error.code().to_owned())
        };
        assert_eq!(
            code(&[], 1),
            Err("single_identity_not_deletable".to_owned())
        );
        assert_eq!(
            code(&one, 1),
            Err("single_identity_not_deletable".to_owned())
        );
        assert_eq!(code(&two, 3), Err("identity_not_found".to_owned()));
        assert_eq!(code(&two, 2), Ok(2));
    }

    #[test]
    fn the_next_address_is_a_verified_one_in_std() {
        let same = identity(1, Some("ada@x.de"), false);
        let verified = identity(2, Some("new@x.de"), true);
        let unverified = identity(3, Some("typed@x.de"), false);
        let none = identity(4, None, true);
        for (current, rest, std, gotrue) in [
            ("ada@x.de", vec![&same], Kept, Kept),
            ("ADA@x.de", vec![&verified, &same], Kept, Kept),
            ("", vec![&verified], Kept, Kept),
            ("ada@x.de", vec![&none], Removed, Removed),
            (
                "ada@x.de",
                vec![&unverified],
                Removed,
                Replaced("typed@x.de"),
            ),
            (
                "ada@x.de",
                vec![&none, &unverified, &verified],
                Replaced("new@x.de"),
                Replaced("typed@x.de"),
            ),
        ] {
            assert_eq!(next_email(Profile::Std, current, &rest), std, "{current}");
            assert_eq!(
                next_email(Profile::Gotrue, current, &rest),
                gotrue,
                "{current}"
            );
        }
    }
}
