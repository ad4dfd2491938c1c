//! The steps of a request: from one filter to the next, to the handler, and back.

use std::future::{Future, poll_fn};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use super::core::{Core, MountedRoute, Scope, Stage, Target};
use super::filter::{DynFilter, Next};
use super::limits::Limits;
use super::locate::Unrouted;
use crate::call::{Call, Dispatch, dispatch};
use crate::format::Output;
use crate::future::{Guarded, Panicked, catch_panic};
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::{Content, Response};
use crate::syntax::QueryPairs;

/// The next task for a request.
enum Task<'c> {
    Handler(&'c MountedRoute),
    Indirect(IndirectTask<'c>),
}

/// A task on the way to a handler, or instead of one.
enum IndirectTask<'c> {
    /// Run a filter, which continues at the stage.
    Filter(&'c Arc<dyn DynFilter>, Stage),
    /// Write a response in a scope.
    Respond(Response, u16),
    /// Call a service by its number.
    Service(u16),
}

/// The task at a stage, or the stage to continue at.
type Transition<'c> = ControlFlow<Task<'c>, Stage>;

impl<'c> IndirectTask<'c> {
    fn now(self) -> Transition<'c> {
        ControlFlow::Break(Task::Indirect(self))
    }
}

/// Finds the next filter that applies to a request, from an index on, and the index after it.
fn next_filter<'f>(
    filters: &'f [Arc<dyn DynFilter>],
    first: u16,
    request: &Request,
) -> Option<(&'f Arc<dyn DynFilter>, u16)> {
    let rest = filters.get(usize::from(first)..)?;
    let index = rest
        .iter()
        .position(|filter| filter.applies_to_dyn(request))?;
    let after = usize::from(first) + index + 1;
    // No application has so many.
    Some((rest.get(index)?, u16::try_from(after).unwrap_or(u16::MAX)))
}

impl Core {
    /// Answers a request; panics of handlers and filters become responses.
    ///
    /// Transports that count instructions write these lines themselves: each future around another
    /// costs a copy of the answer.
    pub(crate) async fn answer(self: &Arc<Self>, request: &mut Request) -> Response {
        match self.unfiltered_route(request) {
            Some(route) => self.dispatch(route, request).await,
            None => self.run_filters(request).await,
        }
    }

    /// Answers a request that has filters around it, or that no handler answers.
    pub(crate) fn run_filters<'a>(
        self: &'a Arc<Self>,
        request: &'a mut Request,
    ) -> impl Future<Output = Response> + Send + 'a {
        // Filters may read the body too; the handler's own limits replace these.
        let Limits { body, chunk, .. } = self.limits;
        request.body_mut().restrict(body, chunk);
        self.run_guarded(Stage::App(0), request)
    }

    /// Continues from a stage to the response; a panic on the way becomes a response, too.
    pub(crate) async fn run_guarded(
        self: &Arc<Self>,
        stage: Stage,
        request: &mut Request,
    ) -> Response {
        let task = match catch_panic(|| Poll::Ready(self.advance(stage, request))) {
            // Handlers are guarded one by one.
            Poll::Ready(Ok(Task::Handler(route))) => {
                return self.dispatch(route, request).await;
            }
            Poll::Ready(Ok(Task::Indirect(task))) => Ok(task),
            Poll::Ready(Err(_)) | Poll::Pending => Err(Panicked),
        };
        let answered = match task {
            Ok(task) => {
                let mut future = std::pin::pin!(self.perform(task, &mut *request));
                poll_fn(|cx| catch_panic(|| future.as_mut().poll(cx))).await
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

    /// Goes from one stage to the next until there is a task.
    fn advance(&self, mut stage: Stage, request: &mut Request) -> Task<'_> {
        loop {
            match self.step(stage, request) {
                ControlFlow::Continue(next) => stage = next,
                ControlFlow::Break(task) => return task,
            }
        }
    }

    async fn perform(self: &Arc<Self>, task: IndirectTask<'_>, request: &mut Request) -> Response {
        let (filter, after) = match task {
            IndirectTask::Filter(filter, after) => (filter, after),
            IndirectTask::Respond(response, scope) => {
                return self.write(response, request.head(), self.scope(scope), Output::JSON);
            }
            // Boxed, so that the futures of the filters around it do not each have room for it.
            IndirectTask::Service(number) => return Box::pin(self.serve(number, request)).await,
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

    /// Returns the scope in whose formats responses are written at a stage.
    fn scope_at(&self, stage: Stage, request: &Request) -> u16 {
        match stage {
            Stage::App(_) => self.scope_of(request.path()),
            Stage::Mount(target, _) => target.scope(),
            Stage::Preflight(number, _) | Stage::Route(number, _) => {
                let route = self.routes.get(number as usize);
                route.map_or(0, |route| route.scope)
            }
        }
    }

    fn step(&self, stage: Stage, request: &mut Request) -> Transition<'_> {
        match stage {
            Stage::App(first) => {
                let Some((filter, after)) = next_filter(&self.filters, first, request) else {
                    return Transition::Continue(Stage::Mount(self.locate(request), 0));
                };
                IndirectTask::Filter(filter, Stage::App(after)).now()
            }
            Stage::Mount(target, first) => {
                let filters = &self.scope(target.scope()).filters;
                if let Some((filter, after)) = next_filter(filters, first, request) {
                    return IndirectTask::Filter(filter, Stage::Mount(target, after)).now();
                }
                match self.preflight_route(target, request) {
                    Some(route) => Transition::Continue(Stage::Preflight(route, 0)),
                    None => self.routing_step(target, request),
                }
            }
            Stage::Preflight(number, first) => match self.next_preflight_filter(number, first) {
                Some((filter, index)) if filter.applies_to_dyn(request) => {
                    IndirectTask::Filter(filter, Stage::Preflight(number, index + 1)).now()
                }
                Some((_, index)) => Transition::Continue(Stage::Preflight(number, index + 1)),
                // No filter has answered, so it is an `OPTIONS` request like any other.
                None => self.routing_step(self.locate(request), request),
            },
            Stage::Route(number, first) => {
                let Some(route) = self.routes.get(number as usize) else {
                    return IndirectTask::Respond(Response::not_found(), 0).now();
                };
                match next_filter(&route.filters, first, request) {
                    Some((filter, after)) => {
                        IndirectTask::Filter(filter, Stage::Route(number, after)).now()
                    }
                    None => Transition::Break(Task::Handler(route)),
                }
            }
        }
    }

    /// Continues behind the filters of a mount.
    fn routing_step(&self, target: Target, request: &mut Request) -> Transition<'_> {
        match self.resolve(target, request) {
            Ok(route) => Transition::Continue(Stage::Route(route, 0)),
            Err(Unrouted::Respond(response)) => {
                IndirectTask::Respond(response, target.scope()).now()
            }
            Err(Unrouted::Service(number)) => IndirectTask::Service(number).now(),
        }
    }

    /// Calls the handler of a route.
    pub(crate) async fn dispatch(&self, route: &MountedRoute, request: &mut Request) -> Response {
        let scope = self.scope(route.scope);
        let output = match route.offers.negotiate(request.head()) {
            Ok(output) => output,
            Err(rejection) => {
                let refusal = Response::rejected(rejection);
                return self.write(refusal, request.head(), scope, Output::JSON);
            }
        };
        let result = match self.start(route, scope, output, &mut *request) {
            Dispatch::Ready(result) => result,
            Dispatch::Future(future) => Guarded::new(future, route.timeout).await.flatten(),
        };
        let mut response = result.unwrap_or_else(Response::rejected);
        if matches!(response.content(), Content::Deferred(_)) {
            response = Box::pin(Self::wait(response, route.timeout)).await;
        }
        self.complete(&mut response, request.head(), scope, output);
        response
    }

    /// Waits until a response is no longer deferred. A deferred response may end in another one.
    pub(crate) async fn wait(mut response: Response, limit: Option<Duration>) -> Response {
        while let Content::Deferred(_) = response.content() {
            let Content::Deferred(future) = response.take_content() else {
                break;
            };
            response = Guarded::new(future, limit)
                .await
                .unwrap_or_else(Response::rejected);
        }
        response
    }

    /// Starts the handler, which may finish at once.
    fn start<'a>(
        &self,
        route: &MountedRoute,
        scope: &'a Scope,
        output: Output,
        request: &'a mut Request,
    ) -> Dispatch<'a> {
        match catch_panic(move || Poll::Ready(self.call(route, scope, output, request))) {
            Poll::Ready(Ok(dispatch)) => dispatch,
            _ => Dispatch::Ready(Err(Rejection::internal(Panicked))),
        }
    }

    /// Hands the request to the resource.
    fn call<'a>(
        &self,
        route: &MountedRoute,
        scope: &'a Scope,
        output: Output,
        request: &'a mut Request,
    ) -> Dispatch<'a> {
        request
            .body_mut()
            .restrict(route.body_limit, self.limits.chunk);
        let Some(resource) = scope.resources.get(route.resource) else {
            return dispatch::unknown();
        };
        let pairs = match request.head().query() {
            Some(query) if route.reads_query => QueryPairs::find(query),
            _ => QueryPairs::default(),
        };
        resource.dispatch(Call {
            request,
            route: route.route,
            formats: &scope.formats,
            detached: &scope.detached,
            output,
            pairs,
        })
    }

    /// Calls a mounted service.
    async fn serve(&self, number: u16, request: &mut Request) -> Response {
        let Some(mount) = self.services.get(usize::from(number)) else {
            return Response::not_found();
        };
        request
            .body_mut()
            .restrict(self.limits.body, self.limits.chunk);
        let future = mount.service.call(request.take(), &mount.prefix);
        let response = Guarded::new(future, self.limits.handler)
            .await
            .unwrap_or_else(Response::rejected);
        let response = Self::wait(response, self.limits.handler).await;
        self.write(response, request.head(), self.scope(0), Output::JSON)
    }
}
