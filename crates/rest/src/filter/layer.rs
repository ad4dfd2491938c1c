//! tower layers as filters.

use std::convert::Infallible;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};

use bytes::Buf;
use http_body::Body as HttpBody;
use tower_layer::Layer;
use tower_service::Service;

use super::{Filter, Next};
use crate::body::Body;
use crate::box_error::BoxError;
use crate::future::BoxFuture;
use crate::pipeline::{Core, Stage, bodiless_response, into_http};
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::{ReplyBody, Response};
use crate::route::Route;

/// Makes a filter of a tower layer, for any level.
///
/// The layer is built once, so that layers can keep state across requests, such as a concurrency limit.
/// Extensions that it adds to the request can be read with `#[value]`.
///
/// ```
/// use innkeeper_rest::{Body, filter};
///
/// let tagged = filter::layer(tower::util::MapRequestLayer::new(|mut request: http::Request<Body>| {
///     request.extensions_mut().insert(String::from("tagged"));
///     request
/// }));
/// ```
pub fn layer<L>(layer: L) -> Layered<L::Service>
where
    L: Layer<NextService>,
{
    Layered(Mutex::new(layer.layer(NextService(()))))
}

/// The filter of [`layer()`].
pub struct Layered<S>(Mutex<S>);

/// The service that a layer wraps: the next filter or the handler.
#[derive(Debug, Clone, Copy)]
pub struct NextService(());

/// An extension of the request, which carries the continuation through the layer.
#[derive(Clone)]
struct ContinuationSlot(Arc<Mutex<Option<Continuation>>>);

/// An extension of the response of a tower service, which is sent unchanged.
#[derive(Clone)]
struct SentUnchanged;

/// The state with which a request continues behind the layer.
struct Continuation {
    core: Arc<Core>,
    stage: Stage,
    /// The parts of the request that the layer does not carry.
    rest: Request,
    /// The route that is found behind the layer, for the filters before it.
    route: Arc<OnceLock<&'static Route>>,
}

impl<S, B> Filter for Layered<S>
where
    S: Service<http::Request<Body>, Response = http::Response<B>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: HttpBody + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let mut service = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut taken = request.take();
        let rest = taken.split_rest();
        let mut outgoing = taken.into_http();
        let found_route = Arc::new(OnceLock::new());
        let next = Continuation {
            core: Arc::clone(next.core),
            stage: next.stage,
            rest,
            route: Arc::clone(&found_route),
        };
        outgoing
            .extensions_mut()
            .insert(ContinuationSlot(Arc::new(Mutex::new(Some(next)))));
        let result = async {
            poll_fn(|cx| service.poll_ready(cx)).await?;
            service.call(outgoing).await
        }
        .await;
        if let Some(route) = found_route.get() {
            request.set_route(route);
        }
        match result {
            Ok(response) => {
                let (parts, body) = response.into_parts();
                let as_is = parts.extensions.get::<SentUnchanged>().is_some();
                let mut response = Response::foreign(parts, ReplyBody::foreign(body));
                if as_is {
                    response.set_as_is();
                }
                response
            }
            Err(error) => Response::rejected(Rejection::internal(error)),
        }
    }
}

impl Service<http::Request<Body>> for NextService {
    type Response = http::Response<ReplyBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: http::Request<Body>) -> Self::Future {
        let next = request
            .extensions_mut()
            .remove::<ContinuationSlot>()
            .and_then(|next| next.0.lock().unwrap_or_else(PoisonError::into_inner).take());
        Box::pin(async move {
            let Some(Continuation {
                core,
                stage,
                rest,
                route: found_route,
            }) = next
            else {
                let refusal = Rejection::internal("a layer passed a request on twice");
                return Ok(bodiless_response(&refusal));
            };
            let mut request = Request::from_http(request);
            request.join_rest(rest);
            let response = Next { core: &core, stage }.run(&mut request).await;
            if let Some(route) = request.route() {
                // Cannot be set yet: a request is passed on once.
                let _ = found_route.set(route);
            }
            let as_is = response.is_as_is();
            let mut response = into_http(response);
            if as_is {
                response.extensions_mut().insert(SentUnchanged);
            }
            Ok(response)
        })
    }
}

impl<S> fmt::Debug for Layered<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Layered")
    }
}
