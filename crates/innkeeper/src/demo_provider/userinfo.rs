//! The user info endpoint.

use std::sync::Arc;

use innkeeper_rest::{Response, resource};

use super::provider::DemoProvider;

pub(super) struct UserInfo {
    pub(super) provider: Arc<DemoProvider>,
}

#[resource("/")]
impl UserInfo {
    /// Returns the claims about the person that the access token was issued for.
    #[get]
    fn show(&self, #[header("authorization")] authorization: Option<&str>) -> Response {
        let token = authorization
            .and_then(|header| header.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map_or("", |(_, token)| token.trim());
        let provider = &self.provider;
        match provider.access_tokens.find(token, provider.clock.now()) {
            Some(person) => Response::ok()
                .entity(person.claims())
                .header("cache-control", "no-store"),
            None => Response::error_with(401, "the access token is not valid")
                .header("www-authenticate", "Bearer error=\"invalid_token\""),
        }
    }
}
