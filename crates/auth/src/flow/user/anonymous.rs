//! Anonymous users, who have neither an email address nor a phone number and can get one later.

use uuid::Uuid;

use super::account::reload;
use super::{Object, User, metadata};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::flow::hook;
use crate::flow::session::issue::{self, IssuedTokens};
use crate::store::{self, users::NewUser};

/// What audit entries call this way of signing in, and the authentication method of its sessions.
const ANONYMOUS: &str = "anonymous";

/// Creates an anonymous user, and opens a session.
pub(crate) async fn sign_in(
    app: &App,
    aud: String,
    data: Object,
    client: &ClientInfo,
) -> Result<IssuedTokens> {
    let now = app.clock.now();
    let role = app.config.jwt.default_group_name.clone();
    let user = User {
        id: Uuid::new_v4(),
        aud,
        role,
        user_metadata: data,
        identities: Some(Vec::new()),
        created_at: now,
        updated_at: now,
        is_anonymous: true,
        ..User::default()
    };
    hook::accounts::before_user_created(app, &user, client).await?;
    let _permit = app.hooks.token_permit().await;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let new = NewUser {
        id: user.id,
        aud: user.aud,
        role: user.role,
        user_metadata: user.user_metadata,
        is_anonymous: true,
        ..NewUser::default()
    };
    store::users::insert(&tx, &new, now).await?;
    let user = reload(&tx, new.id).await?;
    let traits = metadata::member("provider", ANONYMOUS);
    let actor = Actor::User(&user);
    app.audit_as(&tx, AuditAction::UserSignedUp, traits, actor, client)
        .await?;
    let issued = issue::open_session(app, &tx, user, ANONYMOUS, ANONYMOUS, client).await?;
    tx.commit().await?;
    hook::accounts::after_user_created(app, &issued.body.user, client);
    Ok(issued)
}
