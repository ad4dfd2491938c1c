//! `before-user-created` and `after-user-created`.

use serde_json::json;

use crate::app::App;
use crate::client::ClientInfo;
use crate::config::HookKind;
use crate::error::Result;
use crate::user::{Object, User};

/// Asks whether an account may be made; it is not stored yet. Ask outside of any transaction.
pub(crate) async fn before(app: &App, user: &User, client: &ClientInfo) -> Result<()> {
    let kind = HookKind::BeforeUserCreated;
    if app.hooks.is_on(kind) {
        let call = app.hooks.call(kind, input(user), client);
        app.hooks.run(&call).await?;
    }
    Ok(())
}

/// Tells that an account was made. Nobody waits for it, and it changes nothing.
pub(crate) fn after(app: &App, user: &User, client: &ClientInfo) {
    let kind = HookKind::AfterUserCreated;
    if app.hooks.is_on(kind) {
        let call = app.hooks.call(kind, input(user), client);
        app.hooks.run_in_background(call);
    }
}

fn input(user: &User) -> Object {
    let mut input = Object::new();
    input.insert("user".to_owned(), json!(user));
    input
}
