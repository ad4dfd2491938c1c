//! `/v1/hosting`: what customers do with their machines. Every route needs an API key.

mod actions;
mod command;
mod console;
mod console_access;
pub(super) mod console_form;
pub(super) mod context;
mod credentials;
mod errors;
mod game;
mod game_power;
mod given_id;
mod idempotency_key;
mod key;
mod lists;
mod logs;
mod power;
mod prefer;
mod refusal;
mod ticket;
mod vps_custom;
mod vps_power;

use std::sync::Arc;

use innkeeper_rest::{Resource, RestApi, Route};

use context::Control;

/// The prefix of all paths.
pub(super) const PREFIX: &str = "/v1/hosting";

/// Returns the API, to be mounted at [`PREFIX`].
pub(super) fn api(control: &Arc<Control>) -> RestApi {
    let shared = || Arc::clone(control);
    let api = RestApi::new(key::OwnKey { control: shared() })
        .with(vps_custom::VpsCustom { control: shared() })
        .with(vps_power::VpsPower { control: shared() })
        .with(game::Game { control: shared() })
        .with(game_power::GamePower { control: shared() })
        .with(console::ConsoleWebsocket::new(shared()))
        .with(command::ConsoleCommand { control: shared() })
        .with(ticket::ConsoleTicket { control: shared() })
        .with(logs::LatestLog { control: shared() })
        .with(actions::Actions { control: shared() });
    api.errors(errors::ControlErrors)
}

/// Returns the routes of all resources.
pub(super) fn routes() -> impl Iterator<Item = &'static Route> {
    [
        key::OwnKey::ROUTES,
        vps_custom::VpsCustom::ROUTES,
        vps_power::VpsPower::ROUTES,
        game::Game::ROUTES,
        game_power::GamePower::ROUTES,
        console::ConsoleWebsocket::ROUTES,
        command::ConsoleCommand::ROUTES,
        ticket::ConsoleTicket::ROUTES,
        logs::LatestLog::ROUTES,
        actions::Actions::ROUTES,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::routes;
    use crate::http::control::credentials::SCHEME;
    use crate::model::Scope;

    #[test]
    fn every_route_needs_a_key_and_scopes_that_exist() {
        for route in routes() {
            let security = route.security;
            assert_eq!(security.len(), 1, "{}", route.template);
            for security in security {
                assert_eq!(security.scheme, SCHEME, "{}", route.template);
                for scope in security.scopes {
                    assert!(Scope::parse(scope).is_some(), "{} {scope}", route.template);
                }
            }
        }
    }
}
