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
use crate::app::{Core, Stage};
use crate::body::{Body, BoxError};
use crate::rejection::Rejection;
use crate::request::Request;
use crate::resource::BoxFuture;
use crate::response::{ReplyBody, Response};
use crate::route::Route;

/// Uses a tower layer as a filter, at any level.
///
/// The layer is built once, so layers that keep state, such as a concurrency limit, keep it. What it
/// puts into the request's extensions can be read with `#[value]`.
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

/// Made by [`layer()`].
pub struct Layered<S>(Mutex<S>);

/// The service a layer wraps: what comes after the filter.
#[derive(Debug, Clone, Copy)]
pub struct NextService(());

/// Travels with the request through the layer.
#[derive(Clone)]
struct Continuation(Arc<Mutex<Option<Continue>>>);

/// Travels with the answer of a tower service through the layer: it is sent as it is.
#[derive(Clone)]
struct AsIs;

struct Continue {
    core: Arc<Core>,
    stage: Stage,
    /// The request without what the layer is given.
    rest: Request,
    /// The route that is found behind the layer, for the filters before it.
    found: Arc<OnceLock<&'static Route>>,
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
        let found = Arc::new(OnceLock::new());
        let next = Continue {
            core: Arc::clone(next.core),
            stage: next.stage,
            rest,
            found: Arc::clone(&found),
        };
        outgoing
            .extensions_mut()
            .insert(Continuation(Arc::new(Mutex::new(Some(next)))));
        let result = async {
            poll_fn(|cx| service.poll_ready(cx)).await?;
            service.call(outgoing).await
        }
        .await;
        if let Some(route) = found.get() {
            request.set_route(route);
        }
        match result {
            Ok(response) => {
                let (parts, body) = response.into_parts();
                let as_is = parts.extensions.get::<AsIs>().is_some();
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
            .remove::<Continuation>()
            .and_then(|next| next.0.lock().unwrap_or_else(PoisonError::into_inner).take());
        Box::pin(async move {
            let Some(Continue {
                core,
                stage,
                rest,
                found,
            }) = next
            else {
                let refusal = Rejection::internal("a layer has sent a request on twice");
                return Ok(Core::bare(&refusal));
            };
            let mut request = Request::from_http(request);
            request.join_rest(rest);
            let response = Next { core: &core, stage }.run(&mut request).await;
            if let Some(route) = request.route() {
                // Nobody else sets it: a request is sent on once.
                let _ = found.set(route);
            }
            let as_is = response.is_as_is();
            let mut response = Core::passed_on(response);
            if as_is {
                response.extensions_mut().insert(AsIs);
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
