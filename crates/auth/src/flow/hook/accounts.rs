//! `before-user-created` and `after-user-created`.

use serde_json::json;

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::config::HookKind;
use crate::flow::user::{Object, User};

/// Calls `before-user-created`, which may refuse the account; it is not stored yet. Must be called outside of
/// any transaction.
pub(crate) async fn before_user_created(app: &App, user: &User, client: &ClientInfo) -> Result<()> {
    let kind = HookKind::BeforeUserCreated;
    if app.hooks.is_on(kind) {
        let call = app.hooks.prepare(kind, input(user), client);
        app.hooks.call(&call).await?;
    }
    Ok(())
}

/// Calls `after-user-created` in the background. The answer changes nothing.
pub(crate) fn after_user_created(app: &App, user: &User, client: &ClientInfo) {
    let kind = HookKind::AfterUserCreated;
    if app.hooks.is_on(kind) {
        let call = app.hooks.prepare(kind, input(user), client);
        app.hooks.call_in_background(call);
    }
}

fn input(user: &User) -> Object {
    let mut input = Object::new();
    input.insert("user".to_owned(), json!(user));
    input
}
