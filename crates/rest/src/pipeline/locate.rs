//! Finds the route that answers a request, and the mount that its path belongs to.

use std::sync::Arc;

use http::header::ALLOW;

use super::core::{Core, MountedRoute, Target};
use super::filter::DynFilter;
use super::preflight::requested_method;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;
use crate::route::{RouteAt, RouteMatch, Verb};
use crate::syntax::decode;

/// The answer to a request that no route matches: a response or a service.
pub(super) enum Unrouted {
    Respond(Response),
    Service(u16),
}

fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Core {
    /// Returns the route of a request that has no filters around it.
    pub(crate) fn unfiltered_route(&self, request: &mut Request) -> Option<&MountedRoute> {
        if !self.filters.is_empty() {
            return None;
        }
        let target = self.locate(request);
        if !self.scope(target.scope()).filters.is_empty() {
            return None;
        }
        let number = self.resolve(target, request).ok()?;
        let route = self.routes.get(number as usize)?;
        // A declared `OPTIONS` may be a preflight for a route that has filters.
        let is_unfiltered = route.filters.is_empty() && route.route.verb != Verb::Options;
        is_unfiltered.then_some(route)
    }

    /// Looks up the request's path.
    pub(super) fn locate(&self, request: &mut Request) -> Target {
        let found = request.locate(&self.tree);
        let table = found.and_then(|number| Some((number, self.tables.get(number as usize)?)));
        match table {
            Some((number, table)) if !table.overlaps => Target::Table(number, table.scope),
            _ => self.locate_overlapping(
                request.path(),
                table.map(|(number, table)| (number, table.scope)),
            ),
        }
    }

    /// Looks up a path that no route has, or that may belong to more than one mount.
    fn locate_overlapping(&self, path: &str, table: Option<(u32, u16)>) -> Target {
        let nearest = self.scope_of(path);
        let target = match table {
            Some((number, scope)) if scope == nearest => Target::Table(number, scope),
            // The route belongs to an outer mount, the path to one inside it.
            _ => Target::Nothing(nearest),
        };
        self.nearer_service(path, target).unwrap_or(target)
    }

    /// Returns the service whose prefix is longer than that of the mount which would answer.
    fn nearer_service(&self, path: &str, target: Target) -> Option<Target> {
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

    /// Returns the number of the mount with the longest prefix of a path; 0 is the application.
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

    /// Finds the route for the request's method among those of its path.
    pub(super) fn resolve(&self, target: Target, request: &mut Request) -> Result<u32, Unrouted> {
        let number = match target {
            Target::Table(number, _) => number,
            Target::Service(number) => return Err(Unrouted::Service(number)),
            Target::Nothing(_) => return Err(Unrouted::Respond(Response::not_found())),
        };
        let Some(table) = self.tables.get(number as usize) else {
            return Err(Unrouted::Respond(Response::not_found()));
        };
        let decoded = |index| Some(decode::path(request.raw_param(index)?).ok()?.into_owned());
        match table.methods.find(request.method(), decoded) {
            RouteMatch::Route(route, number) => {
                request.set_route(route);
                Ok(*number)
            }
            RouteMatch::NotFound => Err(Unrouted::Respond(Response::not_found())),
            RouteMatch::NotAllowed(allow) => {
                let refusal = Rejection::method_not_allowed(allow);
                Err(Unrouted::Respond(Response::rejected(refusal)))
            }
            RouteMatch::Options(allow) => {
                let mut response = Response::no_content();
                response.fields_mut().insert(ALLOW, allow);
                Err(Unrouted::Respond(response))
            }
        }
    }

    /// Finds the route of a request and its mount, without running filters.
    pub(crate) fn route_of(&self, request: &mut Request) -> Option<RouteAt<'_>> {
        let target = self.locate(request);
        let number = self.resolve(target, request).ok()?;
        let route = self.routes.get(number as usize)?;
        Some(RouteAt {
            mount: &self.scope(route.scope).prefix,
            route: route.route,
        })
    }

    /// Returns the route that a preflight is about, if it has a filter that answers preflights.
    pub(super) fn preflight_route(&self, target: Target, request: &mut Request) -> Option<u32> {
        let method = requested_method(request.head())?;
        let Target::Table(number, _) = target else {
            return None;
        };
        let table = self.tables.get(number as usize)?;
        let decoded = |index| Some(decode::path(request.raw_param(index)?).ok()?.into_owned());
        let RouteMatch::Route(route, &number) = table.methods.find(&method, decoded) else {
            return None;
        };
        self.next_preflight_filter(number, 0)?;
        request.set_route(route);
        Some(number)
    }

    /// Returns the next filter of a route that answers preflights, and its index.
    pub(super) fn next_preflight_filter(
        &self,
        route: u32,
        first: u16,
    ) -> Option<(&Arc<dyn DynFilter>, u16)> {
        let route = self.routes.get(route as usize)?;
        let mut filters = (0..).zip(&route.filters).skip(usize::from(first));
        let (index, filter) = filters.find(|(_, filter)| filter.answers_preflights_dyn())?;
        Some((filter, index))
    }
}
