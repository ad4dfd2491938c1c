//! A request's way through an application: filters, routing, the handler, and back.

use std::fmt;
use std::future::{Future, poll_fn};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use super::Limits;
use super::guard::Guarded;
use super::locate::{Target, Unrouted};
use super::service::AnyService;
use crate::api::Settings;
use crate::filter::{DynFilter, Next};
use crate::format::{Formats, Offers, Output};
use crate::rejection::Rejection;
use crate::request::Request;
use crate::resource::{Call, Dispatch, Erased, Panicked, catch_panic};
use crate::response::{Content, Response};
use crate::route::{MethodTable, Route, Tree};
use crate::server::Stop;
use crate::source::QueryPairs;

/// A built application.
pub(crate) struct Core {
    pub(super) tree: Tree,
    /// One table per path.
    pub(super) tables: Vec<Table>,
    pub(super) endpoints: Vec<Endpoint>,
    /// The first scope is the application itself.
    pub(super) scopes: Vec<Arc<Scope>>,
    pub(super) application: Arc<Scope>,
    /// Longest prefix first.
    pub(super) services: Vec<ServiceMount>,
    pub(super) filters: Vec<Arc<dyn DynFilter>>,
    pub(super) limits: Limits,
    /// Told when the server that serves this stops.
    pub(crate) ending: Stop,
}

/// What the routes of one mount share.
pub(crate) struct Scope {
    pub(super) prefix: String,
    pub(super) settings: Settings,
    resources: Vec<Erased>,
}

/// One route and what was decided for it when it was mounted.
pub(crate) struct Endpoint {
    pub(super) route: &'static Route,
    pub(super) scope: u16,
    pub(super) resource: usize,
    pub(super) filters: Vec<Arc<dyn DynFilter>>,
    pub(super) offers: Offers,
    pub(super) body_limit: u64,
    pub(super) reads_query: bool,
    pub(super) timeout: Option<Duration>,
}

/// The routes at one path.
pub(super) struct Table {
    pub(super) scope: u16,
    pub(super) methods: MethodTable<u32>,
    /// Whether paths that lead here may belong to a service or to a mount inside this one.
    pub(super) crossed: bool,
}

pub(super) struct ServiceMount {
    pub(super) prefix: String,
    pub(super) service: Box<dyn AnyService>,
}

/// Where a request is on its way: which filter, or whatever is behind the last one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stage {
    App(u16),
    Mount(Target, u16),
    /// A preflight, at the filters of the route that it is about.
    Preflight(u32, u16),
    Endpoint(u32, u16),
}

/// What is to be done next.
enum Task<'c> {
    Handler(&'c Endpoint),
    Detour(Detour<'c>),
}

/// What is done on the way to a handler, or instead of one.
enum Detour<'c> {
    /// Run a filter, which goes on at the stage.
    Filter(&'c Arc<dyn DynFilter>, Stage),
    Answer(Response, u16),
    Service(u16),
}

/// What is to be done at a stage, or the stage to go on to.
type Step<'c> = ControlFlow<Task<'c>, Stage>;

impl<'c> Detour<'c> {
    fn step(self) -> Step<'c> {
        ControlFlow::Break(Task::Detour(self))
    }
}

/// The next filter that has to do with a request, from a place on, and the place after it.
fn following<'f>(
    filters: &'f [Arc<dyn DynFilter>],
    first: u16,
    request: &Request,
) -> Option<(&'f Arc<dyn DynFilter>, u16)> {
    let rest = filters.get(usize::from(first)..)?;
    let place = rest
        .iter()
        .position(|filter| filter.applies_to_dyn(request))?;
    let after = usize::from(first) + place + 1;
    // No application has so many.
    Some((rest.get(place)?, u16::try_from(after).unwrap_or(u16::MAX)))
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
    /// Answers a request, whatever happens inside.
    ///
    /// Transports that count instructions write these lines themselves: each future around another
    /// costs a copy of the answer.
    pub(crate) async fn answer(self: &Arc<Self>, request: &mut Request) -> Response {
        match self.direct(request) {
            Some(endpoint) => self.dispatch(endpoint, request).await,
            None => self.go_through(request).await,
        }
    }

    /// Answers a request that filters stand in the way of, or that is for no handler.
    pub(crate) fn go_through<'a>(
        self: &'a Arc<Self>,
        request: &'a mut Request,
    ) -> impl Future<Output = Response> + Send + 'a {
        // Filters may read the body too; the handler's own limits replace these.
        let Limits { body, chunk, .. } = self.limits;
        request.body_mut().restrict(body, chunk);
        self.run_guarded(Stage::App(0), request)
    }

    /// Goes on from a stage to the end; a panic on the way is an answer like any other.
    pub(crate) async fn run_guarded(
        self: &Arc<Self>,
        stage: Stage,
        request: &mut Request,
    ) -> Response {
        let detour = match catch_panic(|| Poll::Ready(self.advance(stage, request))) {
            // Handlers are guarded one by one.
            Poll::Ready(Ok(Task::Handler(endpoint))) => {
                return self.dispatch(endpoint, request).await;
            }
            Poll::Ready(Ok(Task::Detour(detour))) => Ok(detour),
            Poll::Ready(Err(_)) | Poll::Pending => Err(Panicked),
        };
        let answered = match detour {
            Ok(detour) => {
                let mut work = std::pin::pin!(self.take(detour, &mut *request));
                poll_fn(|cx| catch_panic(|| work.as_mut().poll(cx))).await
            }
            Err(panicked) => Err(panicked),
        };
        match answered {
            Ok(response) => response,
            Err(panicked) => {
                let refusal = Response::rejected(Rejection::internal(panicked));
                let scope = self.scope(self.scope_of(request.path()));
                self.write(refusal, request.head(), scope, Output::JSON)
            }
        }
    }

    /// Goes from one stage to the next until there is something to do.
    fn advance(&self, mut stage: Stage, request: &mut Request) -> Task<'_> {
        loop {
            match self.step(stage, request) {
                ControlFlow::Continue(next) => stage = next,
                ControlFlow::Break(task) => return task,
            }
        }
    }

    async fn take(self: &Arc<Self>, detour: Detour<'_>, request: &mut Request) -> Response {
        let (filter, after) = match detour {
            Detour::Filter(filter, after) => (filter, after),
            Detour::Answer(response, scope) => {
                return self.write(response, request.head(), self.scope(scope), Output::JSON);
            }
            // Boxed, so that the filters around it do not each carry the room for it about.
            Detour::Service(number) => return Box::pin(self.serve(number, request)).await,
        };
        let next = Next {
            core: self,
            stage: after,
        };
        let response = filter.apply_dyn(request, next).await;
        if response.is_written() {
            return response;
        }
        let scope = self.scope(self.scope_at(after, request));
        self.write(response, request.head(), scope, Output::JSON)
    }

    /// The mount whose ways answers are written in at a stage.
    fn scope_at(&self, stage: Stage, request: &Request) -> u16 {
        match stage {
            Stage::App(_) => self.scope_of(request.path()),
            Stage::Mount(target, _) => target.scope(),
            Stage::Preflight(number, _) | Stage::Endpoint(number, _) => {
                let endpoint = self.endpoints.get(number as usize);
                endpoint.map_or(0, |endpoint| endpoint.scope)
            }
        }
    }

    /// What is to be done at a stage.
    fn step(&self, stage: Stage, request: &mut Request) -> Step<'_> {
        match stage {
            Stage::App(number) => {
                let Some((filter, after)) = following(&self.filters, number, request) else {
                    return Step::Continue(Stage::Mount(self.locate(request), 0));
                };
                Detour::Filter(filter, Stage::App(after)).step()
            }
            Stage::Mount(target, number) => {
                let filters = &self.scope(target.scope()).settings.filters;
                if let Some((filter, after)) = following(filters, number, request) {
                    return Detour::Filter(filter, Stage::Mount(target, after)).step();
                }
                match self.preflighted(target, request) {
                    Some(endpoint) => Step::Continue(Stage::Preflight(endpoint, 0)),
                    None => self.route(target, request),
                }
            }
            Stage::Preflight(number, first) => match self.answering(number, first) {
                Some((filter, place)) if filter.applies_to_dyn(request) => {
                    Detour::Filter(filter, Stage::Preflight(number, place + 1)).step()
                }
                Some((_, place)) => Step::Continue(Stage::Preflight(number, place + 1)),
                // Nobody has answered, so it is an `OPTIONS` request like any other.
                None => self.route(self.locate(request), request),
            },
            Stage::Endpoint(number, filter) => {
                let Some(endpoint) = self.endpoints.get(number as usize) else {
                    return Detour::Answer(Response::not_found(), 0).step();
                };
                match following(&endpoint.filters, filter, request) {
                    Some((one, after)) => {
                        Detour::Filter(one, Stage::Endpoint(number, after)).step()
                    }
                    None => Step::Break(Task::Handler(endpoint)),
                }
            }
        }
    }

    /// What is behind the filters of a mount.
    fn route(&self, target: Target, request: &mut Request) -> Step<'_> {
        match self.resolve(target, request) {
            Ok(endpoint) => Step::Continue(Stage::Endpoint(endpoint, 0)),
            Err(Unrouted::Answer(response)) => Detour::Answer(response, target.scope()).step(),
            Err(Unrouted::Service(number)) => Detour::Service(number).step(),
        }
    }

    /// Calls the handler.
    pub(crate) async fn dispatch(&self, endpoint: &Endpoint, request: &mut Request) -> Response {
        let scope = self.scope(endpoint.scope);
        let output = match endpoint.offers.negotiate(request.head()) {
            Ok(output) => output,
            Err(rejection) => {
                let refusal = Response::rejected(rejection);
                return self.write(refusal, request.head(), scope, Output::JSON);
            }
        };
        let outcome = match self.start(endpoint, scope, output, &mut *request) {
            Dispatch::Ready(outcome) => outcome,
            Dispatch::Future(work) => Guarded::new(work, endpoint.timeout).await.flatten(),
        };
        let mut response = outcome.unwrap_or_else(Response::rejected);
        if matches!(response.content(), Content::Deferred(_)) {
            response = Box::pin(Self::wait(response, endpoint.timeout)).await;
        }
        self.complete(&mut response, request.head(), scope, output);
        response
    }

    /// Waits for a response that is still being made, and for the one that may come of it.
    pub(crate) async fn wait(mut response: Response, limit: Option<Duration>) -> Response {
        while let Content::Deferred(_) = response.content() {
            let Content::Deferred(work) = response.take_content() else {
                break;
            };
            response = Guarded::new(work, limit)
                .await
                .unwrap_or_else(Response::rejected);
        }
        response
    }

    /// Starts the handler; it may be done already.
    fn start<'a>(
        &self,
        endpoint: &Endpoint,
        scope: &'a Arc<Scope>,
        output: Output,
        request: &'a mut Request,
    ) -> Dispatch<'a> {
        match catch_panic(move || Poll::Ready(self.call(endpoint, scope, output, request))) {
            Poll::Ready(Ok(dispatch)) => dispatch,
            _ => Dispatch::Ready(Err(Rejection::internal(Panicked))),
        }
    }

    /// Hands the request to the resource.
    fn call<'a>(
        &self,
        endpoint: &Endpoint,
        scope: &'a Arc<Scope>,
        output: Output,
        request: &'a mut Request,
    ) -> Dispatch<'a> {
        request
            .body_mut()
            .restrict(endpoint.body_limit, self.limits.chunk);
        let Some(resource) = scope.resources.get(endpoint.resource) else {
            return Dispatch::unknown();
        };
        let pairs = match request.head().query() {
            Some(query) if endpoint.reads_query => QueryPairs::find(query),
            _ => QueryPairs::default(),
        };
        resource.dispatch(Call {
            request,
            route: endpoint.route,
            scope,
            output,
            pairs,
        })
    }

    /// Calls a tower service or function.
    async fn serve(&self, number: u16, request: &mut Request) -> Response {
        let Some(mount) = self.services.get(usize::from(number)) else {
            return Response::not_found();
        };
        request
            .body_mut()
            .restrict(self.limits.body, self.limits.chunk);
        let work = mount.service.call(request.take(), &mount.prefix);
        let response = Guarded::new(work, self.limits.handler)
            .await
            .unwrap_or_else(Response::rejected);
        let response = Self::wait(response, self.limits.handler).await;
        self.write(response, request.head(), self.scope(0), Output::JSON)
    }
}
