//! The filter that requires an API key, and the scopes that the route declares.

use std::net::IpAddr;
use std::sync::Arc;

use http::StatusCode;
use http::header::{AUTHORIZATION, HeaderName, ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use innkeeper_rest::filter::{
    ApiKey, Check, ClientAddress, CredentialProblem, FilterError, RequestId,
};
use innkeeper_rest::{Filter, Head, IntoReply, Next, Rejection, Request, Response};
use percent_encoding::percent_decode_str;
use serde_json::json;

use super::refusal::{insufficient_scope, key_refusal, refusal, unavailable};
use crate::app::App;
use crate::base::error_code::ControlErrorCode;
use crate::http::rate_limits::Limit;
use crate::machines::audit;
use crate::machines::key::ticket::{self, TicketGrant};
use crate::machines::key::{self, KeyError, VerifiedKey};
use crate::model::{Actor, AuditEntry, Scope};

/// The name of the scheme in `#[security]`, with the scopes that a route needs.
pub(super) const SCHEME: &str = "api_key";
const HEADER: HeaderName = HeaderName::from_static("x-api-key");
/// What a ticket is preceded by among the subprotocols of a websocket.
const TICKET_PREFIX: &str = "ticket.";
/// Names of query parameters that clients use for keys.
const KEY_PARAMETERS: [&str; 4] = ["api_key", "apikey", "x-api-key", "access_token"];

/// Requires an API key in `Authorization: Bearer …` or `X-API-Key`, with all scopes of the route's
/// `#[security(api_key("…"))]`. Handlers take it by `#[value] key: Arc<VerifiedKey>`.
///
/// It runs after routing, so unknown paths and methods are answered before it.
#[derive(Debug, Clone)]
pub(super) struct Credentials {
    keys: ApiKey<KeyCheck>,
    check: KeyCheck,
    accepts_tickets: bool,
}

/// Checks keys and scopes, and limits how often a client may fail.
#[derive(Debug, Clone)]
struct KeyCheck {
    app: Arc<App>,
    failures: Limit,
}

impl Credentials {
    /// Requires a key. Failures beyond the limit get 429.
    pub(super) fn new(app: &Arc<App>, failures: Limit) -> Result<Self, FilterError> {
        let check = KeyCheck {
            app: Arc::clone(app),
            failures,
        };
        let keys = ApiKey::in_header(HEADER, check.clone())?;
        Ok(Self {
            keys: keys.or_bearer().refuse_with(unusable),
            check,
            accepts_tickets: false,
        })
    }

    /// Checks what a form of a page has instead of headers: a key, or a one-time ticket. The caller checks that
    /// the ticket is for its machine.
    pub(super) async fn of_form(
        &self,
        presented: &str,
        request: &Request,
    ) -> Result<(Arc<VerifiedKey>, Option<TicketGrant>), Rejection> {
        if let Some(setting) = self.check.app.keys.missing_setting() {
            return Err(unavailable(setting));
        }
        if !presented.starts_with(key::PREFIX) {
            let (key, grant) = self.check.redeem(presented, request).await?;
            return Ok((key, Some(grant)));
        }
        let address = address_of(request);
        match self.check.app.keys.check(presented, address).await {
            Ok(key) => Ok((key, None)),
            Err(error) => Err(self.check.refuse(&error, request).await),
        }
    }

    /// Refuses a key that lacks a scope, which is recorded.
    pub(super) async fn require(
        &self,
        key: &VerifiedKey,
        scope: Scope,
        request: &Request,
    ) -> Result<(), Rejection> {
        if key.allows(scope) {
            return Ok(());
        }
        Err(self.check.lack(key, scope.word(), request).await)
    }

    /// Also accepts a one-time ticket among the subprotocols of a websocket. Handlers take it by
    /// `#[value] ticket: Option<TicketGrant>` and check that it is for their machine.
    pub(super) fn or_ticket(&self) -> Self {
        Self {
            accepts_tickets: true,
            ..self.clone()
        }
    }
}

impl Filter for Credentials {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        if let Some(setting) = self.check.app.keys.missing_setting() {
            return unavailable(setting).into_reply();
        }
        if has_key_in_query(request.head()) {
            let message = "API keys are not accepted in the URL, which is logged in many places; send the \
                           header Authorization or X-API-Key, and replace this key";
            return refusal(ControlErrorCode::InvalidRequest, message).into_reply();
        }
        if !self.accepts_tickets || has_key_header(request.head()) {
            return self.keys.apply(request, next).await;
        }
        let Some(ticket) = ticket_of(request.head()).map(str::to_owned) else {
            return self.keys.apply(request, next).await;
        };
        match self.check.redeem(&ticket, request).await {
            Ok((key, grant)) => {
                request.values_mut().set(key);
                request.values_mut().set(grant);
                next.run(request).await
            }
            Err(refusal) => refusal.into_reply(),
        }
    }
}

impl Check<String> for KeyCheck {
    type Value = Arc<VerifiedKey>;

    async fn check(
        &self,
        presented: String,
        request: &Request,
    ) -> Result<Option<Arc<VerifiedKey>>, Rejection> {
        match self.app.keys.check(&presented, address_of(request)).await {
            Ok(key) => self.with_scopes(key, request).await.map(Some),
            Err(error) => Err(self.refuse(&error, request).await),
        }
    }
}

impl KeyCheck {
    /// Uses a ticket up and checks the key that it was made with.
    async fn redeem(
        &self,
        presented: &str,
        request: &Request,
    ) -> Result<(Arc<VerifiedKey>, TicketGrant), Rejection> {
        let database = self.app.database.as_ref();
        let database = database.ok_or_else(|| unavailable("DATABASE_URL is not set"))?;
        let connection = database.ready_connection().await;
        let connection = connection.map_err(|error| unavailable(error.to_string()))?;
        let (origin, now) = (request.head().header_text(ORIGIN), self.app.clock.now());
        let redeemed = ticket::redeem(&connection, presented, origin, now).await;
        let Some(grant) = redeemed.map_err(|error| unavailable(error.to_string()))? else {
            self.failures.count(request).await?;
            let message = "the ticket does not exist, has expired or was used";
            return Err(refusal(ControlErrorCode::Unauthenticated, message));
        };
        // The key is checked on a connection of its own.
        drop(connection);
        let address = address_of(request);
        let key = match self.app.keys.check_id(&grant.key_id, address).await {
            Ok(key) => key,
            Err(error) => return Err(self.refuse(&error, request).await),
        };
        Ok((self.with_scopes(key, request).await?, grant))
    }

    /// Returns the key if it has all scopes that the route declares. Its lack of one is recorded.
    async fn with_scopes(
        &self,
        key: Arc<VerifiedKey>,
        request: &Request,
    ) -> Result<Arc<VerifiedKey>, Rejection> {
        let security = request.route().map_or(&[][..], |route| route.security);
        let required = security.iter().filter(|security| security.scheme == SCHEME);
        let mut scopes = required.flat_map(|security| security.scopes);
        // A scope that does not exist is one that no key has.
        let is_missing = |word: &str| !Scope::parse(word).is_some_and(|scope| key.allows(scope));
        let Some(missing) = scopes.find(|word| is_missing(word)) else {
            return Ok(key);
        };
        Err(self.lack(&key, missing, request).await)
    }

    /// Records that a key lacks a scope, and returns the refusal.
    async fn lack(&self, key: &VerifiedKey, missing: &str, request: &Request) -> Rejection {
        let code = ControlErrorCode::InsufficientScope;
        let key = &key.key;
        self.record(&key.id, &key.customer_id, code, request).await;
        insufficient_scope(missing)
    }

    /// Returns the refusal of a key: 429 if the client has failed too often.
    async fn refuse(&self, error: &KeyError, request: &Request) -> Rejection {
        if let KeyError::AddressNotAllowed {
            key_id,
            customer_id,
        } = error
        {
            let code = ControlErrorCode::IpNotAllowed;
            self.record(key_id, customer_id, code, request).await;
        }
        let refused = key_refusal(error);
        if refused.status() != StatusCode::UNAUTHORIZED {
            return refused;
        }
        match self.failures.count(request).await {
            Ok(_) => refused,
            Err(too_many) => too_many,
        }
    }

    /// Records that a valid key was refused.
    async fn record(
        &self,
        key_id: &str,
        customer_id: &str,
        outcome: ControlErrorCode,
        request: &Request,
    ) {
        let Some(database) = &self.app.database else {
            return;
        };
        let (now, actor) = (self.app.clock.now(), Actor::Key(key_id.to_owned()));
        let id = request.values().get::<RequestId>();
        let entry = AuditEntry {
            customer_id: Some(customer_id.to_owned()),
            target: Some(key_id.to_owned()),
            address: address_of(request),
            request_id: id.map(|id| id.as_str().to_owned()),
            outcome: outcome.as_str().to_owned(),
            details: json!({ "method": request.method().as_str(), "path": request.path() }),
            ..AuditEntry::new(now, actor, "key.refuse")
        };
        audit::record_refusal(database, &entry).await;
    }
}

/// Returns the refusal of a request whose key cannot be read.
fn unusable(problem: CredentialProblem) -> Rejection {
    match problem {
        CredentialProblem::Ambiguous(problem) => refusal(ControlErrorCode::InvalidRequest, problem),
        CredentialProblem::Malformed(problem) => {
            refusal(ControlErrorCode::Unauthenticated, problem)
        }
        _ => {
            let message = "an API key is required, in the header Authorization or X-API-Key";
            refusal(ControlErrorCode::Unauthenticated, message)
        }
    }
}

fn address_of(request: &Request) -> Option<IpAddr> {
    request
        .values()
        .get::<ClientAddress>()
        .map(|client| client.0)
}

fn has_key_header(head: &Head) -> bool {
    [AUTHORIZATION, HEADER]
        .iter()
        .any(|name| head.header_values(name).next().is_some())
}

/// Returns the ticket among the subprotocols that a websocket offers.
fn ticket_of(head: &Head) -> Option<&str> {
    let offered = head.header_values(&SEC_WEBSOCKET_PROTOCOL);
    let offered = offered.filter_map(|line| str::from_utf8(line).ok());
    let mut offered = offered.flat_map(|line| line.split(',')).map(str::trim);
    offered.find_map(|protocol| protocol.strip_prefix(TICKET_PREFIX))
}

/// Tells whether a parameter of the query is a key, or is named as if it were.
fn has_key_in_query(head: &Head) -> bool {
    let pairs = head.query().unwrap_or_default().split('&');
    pairs.into_iter().any(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = percent_decode_str(name).decode_utf8_lossy();
        let is_named = KEY_PARAMETERS
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known));
        is_named
            || percent_decode_str(value)
                .decode_utf8_lossy()
                .contains(key::PREFIX)
    })
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    #[test]
    fn keys_in_the_query_are_noticed() {
        for (target, expected) in [
            ("/key", false),
            ("/key?", false),
            ("/key?lines=5&since=7", false),
            ("/key?a=ink_live_", true),
            ("/key?lines=5&a=ink%5Flive%5F0123", true),
            ("/key?ink_live_0123", false),
            ("/key?api_key=x", true),
            ("/key?API%5FKEY=", true),
            ("/key?access_token=x", true),
        ] {
            let head = Head::new(Method::GET, target);
            assert_eq!(has_key_in_query(&head), expected, "{target}");
        }
    }

    #[test]
    fn a_ticket_is_found_among_the_subprotocols() {
        let mut head = Head::new(Method::GET, "/websocket");
        assert_eq!(ticket_of(&head), None);
        let offered = "innkeeper.console.v1, ticket.abc".parse().unwrap();
        head.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, offered);
        assert_eq!(ticket_of(&head), Some("abc"));
        let offered = "innkeeper.console.v1".parse().unwrap();
        head.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, offered);
        let second = "wings.v1,ticket.def".parse().unwrap();
        head.headers_mut().append(SEC_WEBSOCKET_PROTOCOL, second);
        assert_eq!(ticket_of(&head), Some("def"));
    }
}
