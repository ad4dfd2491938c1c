//! A request's way through an application: filters, routing, the handler, and back.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::{ALLOW, LOCATION};
use tokio::time::Sleep;

use super::Limits;
use super::service::AnyService;
use crate::api::Settings;
use crate::filter::{DynFilter, Next};
use crate::format::{Formats, Offers, Output};
use crate::head::Head;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::resource::{Call, Dispatch, Erased, catch_panic};
use crate::response::{Content, Response};
use crate::route::{Found, MethodTable, Params, Route};
use crate::source::decode;

/// A built application.
pub(crate) struct Core {
    router: matchit::Router<u32>,
    /// One table per path, with the number of its scope.
    tables: Vec<(u16, MethodTable<u32>)>,
    endpoints: Vec<Endpoint>,
    /// The first scope is the application itself.
    scopes: Vec<Arc<Scope>>,
    application: Arc<Scope>,
    /// Longest prefix first.
    services: Vec<ServiceMount>,
    filters: Vec<Arc<dyn DynFilter>>,
    limits: Limits,
}

/// What the routes of one mount share.
pub(crate) struct Scope {
    prefix: String,
    settings: Settings,
    resources: Vec<Erased>,
}

/// One route and what was decided for it when it was mounted.
pub(super) struct Endpoint {
    pub(super) route: &'static Route,
    pub(super) scope: u16,
    pub(super) resource: usize,
    pub(super) filters: Vec<Arc<dyn DynFilter>>,
    pub(super) offers: Offers,
    pub(super) body_limit: u64,
    pub(super) timeout: Option<Duration>,
}

pub(super) struct ServiceMount {
    pub(super) prefix: String,
    pub(super) service: Box<dyn AnyService>,
}

/// Where a request is on its way: which filter, or whatever is behind the last one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stage {
    App(usize),
    Mount(Target, usize),
    Endpoint(u32, usize),
}

/// What is at a path.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    Table(u32, u16),
    Service(usize),
    Nothing(u16),
}

impl Scope {
    pub(super) fn new(prefix: String, settings: Settings, resources: Vec<Erased>) -> Self {
        Self {
            prefix,
            settings,
            resources,
        }
    }

    pub(crate) fn formats(&self) -> &Formats {
        &self.settings.formats
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core")
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

impl Core {
    pub(super) fn new(
        router: matchit::Router<u32>,
        tables: Vec<(u16, MethodTable<u32>)>,
        endpoints: Vec<Endpoint>,
        scopes: (Arc<Scope>, Vec<Arc<Scope>>),
        services: Vec<ServiceMount>,
        filters: Vec<Arc<dyn DynFilter>>,
        limits: Limits,
    ) -> Self {
        let (application, scopes) = scopes;
        Self {
            router,
            tables,
            endpoints,
            scopes,
            application,
            services,
            filters,
            limits,
        }
    }

    /// Answers a request, whatever happens inside.
    pub(crate) async fn answer(self: &Arc<Self>, request: &mut Request) -> Response {
        match catch_panic(self.run(Stage::App(0), request)).await {
            Ok(response) => response,
            Err(panicked) => {
                let refusal = Response::rejected(Rejection::internal(panicked));
                let scope = self.scope(self.scope_of(request.path()));
                self.write(refusal, request.head(), scope, Output::JSON)
            }
        }
    }

    /// Goes on from a stage to the end.
    pub(crate) async fn run(self: &Arc<Self>, mut stage: Stage, request: &mut Request) -> Response {
        loop {
            let (filter, after, scope) = match stage {
                Stage::App(number) => match self.filters.get(number) {
                    Some(filter) => (
                        filter,
                        Stage::App(number + 1),
                        self.scope_of(request.path()),
                    ),
                    None => {
                        stage = Stage::Mount(self.locate(request), 0);
                        continue;
                    }
                },
                Stage::Mount(target, number) => {
                    match self.scope(target.scope()).settings.filters.get(number) {
                        Some(filter) => (filter, Stage::Mount(target, number + 1), target.scope()),
                        None => match self.resolve(target, request) {
                            Ok(endpoint) => {
                                stage = Stage::Endpoint(endpoint, 0);
                                continue;
                            }
                            Err(Unrouted::Answer(response)) => {
                                let scope = self.scope(target.scope());
                                return self.write(response, request.head(), scope, Output::JSON);
                            }
                            Err(Unrouted::Service(number)) => {
                                return self.serve(number, request).await;
                            }
                        },
                    }
                }
                Stage::Endpoint(number, filter) => {
                    let Some(endpoint) = self.endpoints.get(number as usize) else {
                        return Response::not_found();
                    };
                    match endpoint.filters.get(filter) {
                        Some(one) => (one, Stage::Endpoint(number, filter + 1), endpoint.scope),
                        None => return self.dispatch(endpoint, request).await,
                    }
                }
            };
            let response = filter
                .apply_dyn(
                    request,
                    Next {
                        core: self,
                        stage: after,
                    },
                )
                .await;
            return self.write(response, request.head(), self.scope(scope), Output::JSON);
        }
    }

    /// Finds what is at the request's path.
    fn locate(&self, request: &mut Request) -> Target {
        let path = request.path();
        let (target, params) = match self.router.at(path) {
            Ok(found) => {
                let number = *found.value;
                let scope = self
                    .tables
                    .get(number as usize)
                    .map_or(0, |(scope, _)| *scope);
                (
                    Target::Table(number, scope),
                    Params::new(path, &found.params),
                )
            }
            Err(_) => (Target::Nothing(self.scope_of(path)), Params::default()),
        };
        let target = self.nearer_service(path, target).unwrap_or(target);
        request.set_params(params);
        target
    }

    /// A service whose prefix is longer than that of the mount which would answer.
    fn nearer_service(&self, path: &str, target: Target) -> Option<Target> {
        let number = self
            .services
            .iter()
            .position(|mount| is_below(path, &mount.prefix))?;
        let service = self.services.get(number)?;
        let scope = self.scope(target.scope());
        let unclaimed = matches!(target, Target::Nothing(0));
        (unclaimed || service.prefix.len() > scope.prefix.len()).then_some(Target::Service(number))
    }

    fn scope(&self, number: u16) -> &Arc<Scope> {
        self.scopes
            .get(usize::from(number))
            .unwrap_or(&self.application)
    }

    /// The mount a path belongs to, by its longest prefix; 0 is the application.
    fn scope_of(&self, path: &str) -> u16 {
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
    fn resolve(&self, target: Target, request: &mut Request) -> Result<u32, Unrouted> {
        let number = match target {
            Target::Table(number, _) => number,
            Target::Service(number) => return Err(Unrouted::Service(number)),
            Target::Nothing(_) => return Err(Unrouted::Answer(Response::not_found())),
        };
        let Some((_, table)) = self.tables.get(number as usize) else {
            return Err(Unrouted::Answer(Response::not_found()));
        };
        let decoded = |index| Some(decode::path(request.raw_param(index)?).ok()?.into_owned());
        match table.find(request.method(), decoded) {
            Found::Route(route, endpoint) => {
                request.set_route(route);
                Ok(*endpoint)
            }
            Found::Nothing => Err(Unrouted::Answer(Response::not_found())),
            Found::NotAllowed(allow) => {
                let refusal = Rejection::method_not_allowed(allow);
                Err(Unrouted::Answer(Response::rejected(refusal)))
            }
            Found::Options(allow) => {
                let mut response = Response::no_content();
                response.headers_mut().insert(ALLOW, allow);
                Err(Unrouted::Answer(response))
            }
        }
    }

    /// Calls the handler.
    async fn dispatch(&self, endpoint: &Endpoint, request: &mut Request) -> Response {
        let scope = self.scope(endpoint.scope);
        let (mut response, output) = match endpoint.offers.negotiate(request.head()) {
            Ok(output) => (self.call(endpoint, scope, output, request).await, output),
            Err(rejection) => (Response::rejected(rejection), Output::JSON),
        };
        while matches!(response.content(), Content::Deferred(_)) {
            let Content::Deferred(work) = response.take_content() else {
                break;
            };
            response = match (Deadline {
                work,
                limit: endpoint.timeout,
                alarm: None,
            })
            .await
            {
                Ok(response) => response,
                Err(Expired) => Response::rejected(Rejection::timeout()),
            };
        }
        self.write(response, request.head(), scope, output)
    }

    async fn call(
        &self,
        endpoint: &Endpoint,
        scope: &Arc<Scope>,
        output: Output,
        request: &mut Request,
    ) -> Response {
        request
            .body_mut()
            .restrict(endpoint.body_limit, self.limits.chunk);
        let Some(resource) = scope.resources.get(endpoint.resource) else {
            return Response::not_found();
        };
        let call = Call {
            request,
            route: endpoint.route,
            scope,
            output,
        };
        let outcome = match resource.dispatch(call) {
            Dispatch::Ready(outcome) => outcome,
            Dispatch::Future(work) => (Deadline {
                work,
                limit: endpoint.timeout,
                alarm: None,
            })
            .await
            .unwrap_or_else(|Expired| Err(Rejection::timeout())),
        };
        outcome.unwrap_or_else(Response::rejected)
    }

    /// Calls a tower service or function.
    async fn serve(&self, number: usize, request: &mut Request) -> Response {
        let Some(mount) = self.services.get(number) else {
            return Response::not_found();
        };
        request
            .body_mut()
            .restrict(self.limits.body, self.limits.chunk);
        let work = mount.service.call(request.take(), &mount.prefix);
        let response = (Deadline {
            work,
            limit: self.limits.handler,
            alarm: None,
        })
        .await
        .unwrap_or_else(|Expired| Response::rejected(Rejection::timeout()));
        self.write(response, request.head(), self.scope(0), Output::JSON)
    }

    /// Writes what is not written yet: an entity in the negotiated format, a rejection in the
    /// mount's error format, a location with the mount's prefix.
    fn write(
        &self,
        mut response: Response,
        head: &Head,
        scope: &Scope,
        output: Output,
    ) -> Response {
        match response.content() {
            Content::Bytes(_) => response.set_vary_if(output.vary),
            Content::Empty | Content::Stream(..) | Content::Foreign(_) => {}
            Content::Entity(_)
            | Content::Rejected(_)
            | Content::Fault(_)
            | Content::Deferred(_) => {
                response = Self::write_content(response, head, scope, output);
            }
        }
        if let Some(location) = response.take_location() {
            let text = location.as_str();
            let prefixed = self.with_prefix(text, scope);
            if let Ok(value) = prefixed.as_deref().unwrap_or(text).try_into() {
                response.headers_mut().insert(LOCATION, value);
            }
        }
        response
    }

    fn write_content(
        mut response: Response,
        head: &Head,
        scope: &Scope,
        output: Output,
    ) -> Response {
        match response.take_content() {
            Content::Entity(entity) => match output.write_erased(scope.formats(), &*entity) {
                Ok((content_type, bytes)) => {
                    if !response.has_content_type() {
                        response.set_content_type(content_type);
                    }
                    response.set_content(Content::Bytes(bytes));
                    response.set_vary_if(output.vary);
                    response
                }
                Err(rejection) => Self::refuse(&rejection, Response::ok(), head, scope),
            },
            Content::Rejected(rejection) | Content::Fault(rejection) => {
                Self::refuse(&rejection, response, head, scope)
            }
            other => {
                response.set_content(other);
                response
            }
        }
    }

    /// Has the mount's error format write a rejection, and logs it if it is our fault.
    fn refuse(
        rejection: &Rejection,
        mut response: Response,
        head: &Head,
        scope: &Scope,
    ) -> Response {
        if rejection.status().is_server_error() {
            tracing::error!(
                http.method = %head.method(),
                http.path = head.path(),
                http.status = rejection.status().as_u16(),
                cause = rejection.cause().map(tracing::field::display),
                "{}",
                rejection.message()
            );
        }
        response.set_status(rejection.status());
        for (name, value) in rejection.headers() {
            response.headers_mut().insert(name.clone(), value.clone());
        }
        let mut written = scope.settings.errors.write(rejection, head, response);
        if let Content::Entity(_) = written.content() {
            written = Self::write_content(written, head, scope, Output::JSON);
        }
        written
    }

    /// A path that leads to a route of this mount, with the mount's prefix.
    fn with_prefix(&self, location: &str, scope: &Scope) -> Option<String> {
        if scope.prefix.is_empty() || !location.starts_with('/') || location.starts_with("//") {
            return None;
        }
        let prefixed = format!("{}{location}", scope.prefix);
        let path = prefixed.split(['?', '#']).next().unwrap_or_default();
        let number = *self.router.at(path).ok()?.value;
        let (owner, _) = self.tables.get(number as usize)?;
        std::ptr::eq(&**self.scope(*owner), scope).then_some(prefixed)
    }
}

impl Target {
    fn scope(self) -> u16 {
        match self {
            Self::Table(_, scope) | Self::Nothing(scope) => scope,
            Self::Service(_) => 0,
        }
    }
}

/// What is behind the filters of a mount when it is no handler.
enum Unrouted {
    Answer(Response),
    Service(usize),
}

fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Work with a limit. The timer is made when the work first waits: most work never does.
struct Deadline<F> {
    work: F,
    limit: Option<Duration>,
    alarm: Option<Pin<Box<Sleep>>>,
}

struct Expired;

impl<F: Future + Unpin> Future for Deadline<F> {
    type Output = Result<F::Output, Expired>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Poll::Ready(output) = Pin::new(&mut self.work).poll(cx) {
            return Poll::Ready(Ok(output));
        }
        let Some(limit) = self.limit else {
            return Poll::Pending;
        };
        let alarm = self
            .alarm
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        alarm.as_mut().poll(cx).map(|()| Err(Expired))
    }
}
