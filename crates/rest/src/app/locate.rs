//! Which route a request is for, and which mount its path belongs to.

use std::sync::Arc;

use http::header::ALLOW;

use super::core::{Core, Endpoint, Scope};
use crate::filter::{DynFilter, requested_method};
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;
use crate::route::{RouteAt, RouteMatch, Verb};
use crate::source::decode;

/// What is at a path.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    Table(u32, u16),
    Service(u16),
    Nothing(u16),
}

impl Target {
    pub(super) fn scope(self) -> u16 {
        match self {
            Self::Table(_, scope) | Self::Nothing(scope) => scope,
            Self::Service(_) => 0,
        }
    }
}

/// What is behind the filters of a mount when it is no handler.
pub(super) enum Unrouted {
    Answer(Response),
    Service(u16),
}

fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Core {
    /// The endpoint of a request that no filter stands in the way of.
    pub(crate) fn direct(&self, request: &mut Request) -> Option<&Endpoint> {
        if !self.filters.is_empty() {
            return None;
        }
        let target = self.locate(request);
        if !self.scope(target.scope()).settings.filters.is_empty() {
            return None;
        }
        let number = self.resolve(target, request).ok()?;
        let endpoint = self.endpoints.get(number as usize)?;
        // A declared `OPTIONS` may be a preflight for a route that has filters.
        let direct = endpoint.filters.is_empty() && endpoint.route.verb != Verb::Options;
        direct.then_some(endpoint)
    }

    /// Finds what is at the request's path.
    pub(super) fn locate(&self, request: &mut Request) -> Target {
        let found = request.locate(&self.tree);
        let table = found.and_then(|number| Some((number, self.tables.get(number as usize)?)));
        match table {
            Some((number, table)) if !table.crossed => Target::Table(number, table.scope),
            _ => self.locate_crossed(
                request.path(),
                table.map(|(number, table)| (number, table.scope)),
            ),
        }
    }

    /// What is at a path that no route claims, or that more than one mount does.
    pub(super) fn locate_crossed(&self, path: &str, table: Option<(u32, u16)>) -> Target {
        let nearest = self.scope_of(path);
        let target = match table {
            Some((number, scope)) if scope == nearest => Target::Table(number, scope),
            // The route belongs to an outer mount, the path to one inside it.
            _ => Target::Nothing(nearest),
        };
        self.nearer_service(path, target).unwrap_or(target)
    }

    /// A service whose prefix is longer than that of the mount which would answer.
    pub(super) fn nearer_service(&self, path: &str, target: Target) -> Option<Target> {
        let number = self
            .services
            .iter()
            .position(|mount| is_below(path, &mount.prefix))?;
        let service = self.services.get(number)?;
        let scope = self.scope(target.scope());
        let unclaimed = matches!(target, Target::Nothing(0));
        let is_nearer = unclaimed || service.prefix.len() > scope.prefix.len();
        is_nearer.then_some(Target::Service(u16::try_from(number).ok()?))
    }

    pub(super) fn scope(&self, number: u16) -> &Arc<Scope> {
        self.scopes
            .get(usize::from(number))
            .unwrap_or(&self.application)
    }

    /// The mount a path belongs to, by its longest prefix; 0 is the application.
    pub(super) fn scope_of(&self, path: &str) -> u16 {
        let mut best = (0, 0);
        for (number, scope) in self.scopes.iter().enumerate().skip(1) {
            let length = scope.prefix.len() + 1;
            if length > best.1 && is_below(path, &scope.prefix) {
                best = (number, length);
            }
        }
        u16::try_from(best.0).unwrap_or(0)
    }

    /// Finds the route for the request's method.
    pub(super) fn resolve(&self, target: Target, request: &mut Request) -> Result<u32, Unrouted> {
        let number = match target {
            Target::Table(number, _) => number,
            Target::Service(number) => return Err(Unrouted::Service(number)),
            Target::Nothing(_) => return Err(Unrouted::Answer(Response::not_found())),
        };
        let Some(table) = self.tables.get(number as usize) else {
            return Err(Unrouted::Answer(Response::not_found()));
        };
        let decoded = |index| Some(decode::path(request.raw_param(index)?).ok()?.into_owned());
        match table.methods.find(request.method(), decoded) {
            RouteMatch::Route(route, endpoint) => {
                request.set_route(route);
                Ok(*endpoint)
            }
            RouteMatch::NotFound => Err(Unrouted::Answer(Response::not_found())),
            RouteMatch::NotAllowed(allow) => {
                let refusal = Rejection::method_not_allowed(allow);
                Err(Unrouted::Answer(Response::rejected(refusal)))
            }
            RouteMatch::Options(allow) => {
                let mut response = Response::no_content();
                response.fields_mut().insert(ALLOW, allow);
                Err(Unrouted::Answer(response))
            }
        }
    }

    /// The route that a request is for, whatever filters would say, and its mount.
    pub(crate) fn route_of(&self, request: &mut Request) -> Option<RouteAt<'_>> {
        let target = self.locate(request);
        let number = self.resolve(target, request).ok()?;
        let endpoint = self.endpoints.get(number as usize)?;
        Some(RouteAt {
            mount: &self.scope(endpoint.scope).prefix,
            route: endpoint.route,
        })
    }

    /// The route that a preflight is about, if it has a filter that answers preflights.
    pub(super) fn preflighted(&self, target: Target, request: &mut Request) -> Option<u32> {
        let method = requested_method(request.head())?;
        let Target::Table(number, _) = target else {
            return None;
        };
        let table = self.tables.get(number as usize)?;
        let decoded = |index| Some(decode::path(request.raw_param(index)?).ok()?.into_owned());
        let RouteMatch::Route(route, &endpoint) = table.methods.find(&method, decoded) else {
            return None;
        };
        self.answering(endpoint, 0)?;
        request.set_route(route);
        Some(endpoint)
    }

    /// The next filter of a route that answers preflights, and its place.
    pub(super) fn answering(
        &self,
        endpoint: u32,
        first: u16,
    ) -> Option<(&Arc<dyn DynFilter>, u16)> {
        let endpoint = self.endpoints.get(endpoint as usize)?;
        let mut filters = (0..).zip(&endpoint.filters).skip(usize::from(first));
        let (place, filter) = filters.find(|(_, filter)| filter.answers_preflights_dyn())?;
        Some((filter, place))
    }
}
