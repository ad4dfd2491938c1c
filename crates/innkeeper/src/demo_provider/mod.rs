//! A small OpenID Connect provider, for trying out sign-in with an external provider.
//!
//! It is part of the portal of `innkeeper up`: reachable only from this machine, and started by nothing else. It
//! asks for no password and believes every name and email address. Everything is in memory. Its one client is the
//! auth server of the same `innkeeper up`.

mod authorization;
mod authorize;
mod client;
mod discovery;
mod fields;
mod grant;
mod issued;
mod page;
mod provider;
#[cfg(test)]
mod tests;
mod token;
mod userinfo;

use std::sync::Arc;

use innkeeper_rest::{App, RestApi};

pub(crate) use client::DemoClient;
use provider::{AUTHORIZE, DISCOVERY, JWKS, TOKEN, USERINFO};
pub(crate) use provider::{DemoProvider, PATH};

impl DemoProvider {
    /// Adds the routes of the provider to those of the portal.
    pub(crate) fn mount(self: &Arc<Self>, app: App) -> App {
        let provider = || Arc::clone(self);
        let at = |path: &str| format!("{PATH}{path}");
        let authorize = authorize::AuthorizePage {
            provider: provider(),
        };
        let token = token::TokenEndpoint {
            provider: provider(),
        };
        let userinfo = userinfo::UserInfo {
            provider: provider(),
        };
        let discovery = discovery::Discovery {
            provider: provider(),
        };
        let keys = discovery::Keys {
            provider: provider(),
        };
        app.mount(at(AUTHORIZE), RestApi::new(authorize))
            .mount(at(TOKEN), RestApi::new(token))
            .mount(at(USERINFO), RestApi::new(userinfo))
            .mount(at(DISCOVERY), RestApi::new(discovery))
            .mount(at(JWKS), RestApi::new(keys))
    }
}
