//! `/v1/hosting`: what customers do with their machines. Every route needs an API key.

mod credentials;
mod key;
mod refusal;

use std::sync::Arc;

use innkeeper_rest::filter::FilterError;
use innkeeper_rest::{Resource, RestApi, Route};
use innkeeper_service::limiter::SharedLimiter;

use super::rate_limits;
use crate::app::App;
use credentials::Credentials;

/// The prefix of all paths.
pub(super) const PREFIX: &str = "/v1/hosting";

/// Returns the API, to be mounted at [`PREFIX`].
pub(super) fn api(app: &Arc<App>, limiter: &Arc<SharedLimiter>) -> Result<RestApi, FilterError> {
    let credentials = Credentials::new(app, rate_limits::key_failures(app, limiter)?)?;
    Ok(RestApi::new(key::OwnKey {
        app: Arc::clone(app),
        credentials,
    }))
}

/// Returns the routes of all resources.
pub(super) fn routes() -> impl Iterator<Item = &'static Route> {
    [key::OwnKey::ROUTES].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::routes;
    use crate::api::control::credentials::SCHEME;
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
